//! What is looked at once the types fit: constants that cannot be read, mixed lists, formats.

use goregexp::Regexp;

use super::Checked;
use crate::ast::{Expr, ExprKind, Literal};
use crate::functions::{Piece, convert, pieces};
use crate::source::{Issue, Location};
use crate::types::Type;
use crate::value::Value;

/// Everything that is wrong with an expression whose types fit.
pub(super) fn validate(expression: &Expr, checked: &Checked) -> Vec<Issue> {
    let mut validator = Validator { checked, issues: Vec::new() };
    validator.visit(expression, false);
    validator.issues
}

struct Validator<'c> {
    checked: &'c Checked,
    issues: Vec<Issue>,
}

impl Validator<'_> {
    fn report(&mut self, location: Location, message: impl Into<String>) {
        self.issues.push(Issue { location, message: message.into() });
    }

    fn type_of(&self, expression: &Expr) -> &Type {
        self.checked.types.get(&expression.id).unwrap_or(&Type::Dyn)
    }

    /// `mixed` tells that lists and maps need not be of one type: they are arguments of `format`.
    fn visit(&mut self, expression: &Expr, mixed: bool) {
        match &expression.kind {
            ExprKind::Broken | ExprKind::Literal(_) | ExprKind::Ident(_) => {}
            ExprKind::Select { operand, .. } => self.visit(operand, mixed),
            ExprKind::Call { target, function, args } => {
                let mixed = mixed || &**function == "format";
                self.check_constant(function, args);
                if let (Some(target), "format") = (target, &**function) {
                    self.check_format(expression, target, args);
                }
                for part in target.iter().map(|target| &**target).chain(args) {
                    self.visit(part, mixed);
                }
            }
            ExprKind::List(elements) => {
                let types = elements.iter().map(|element| {
                    let of = self.type_of(&element.value);
                    let of = if element.optional { of.as_optional().unwrap_or(of) } else { of };
                    (of.clone(), element.value.location)
                });
                if !mixed {
                    let types: Vec<_> = types.collect();
                    self.check_alike(&types, true);
                }
                for element in elements {
                    self.visit(&element.value, mixed);
                }
            }
            ExprKind::Map(entries) => {
                if !mixed {
                    let keys: Vec<_> = entries
                        .iter()
                        .map(|entry| (self.type_of(&entry.key).clone(), entry.key.location))
                        .collect();
                    let values: Vec<_> = entries
                        .iter()
                        .map(|entry| {
                            let of = self.type_of(&entry.value);
                            let of = if entry.optional { of.as_optional().unwrap_or(of) } else { of };
                            (of.clone(), entry.value.location)
                        })
                        .collect();
                    self.check_alike(&keys, false);
                    self.check_alike(&values, false);
                }
                for entry in entries {
                    self.visit(&entry.key, mixed);
                    self.visit(&entry.value, mixed);
                }
            }
            ExprKind::Message { fields, .. } => {
                for field in fields {
                    self.visit(&field.value, mixed);
                }
            }
            ExprKind::Fold(fold) => {
                for part in [&fold.range, &fold.initial, &fold.condition, &fold.step, &fold.result] {
                    self.visit(part, mixed);
                }
            }
        }
    }

    /// All items have the type of the first.
    fn check_alike(&mut self, items: &[(Type, Location)], only_first: bool) {
        let Some((first, _)) = items.first() else { return };
        for (of, location) in &items[1..] {
            if of != first {
                self.report(*location, format!("expected type '{first}' but found '{of}'"));
                if only_first {
                    return;
                }
            }
        }
    }

    fn check_constant(&mut self, function: &str, args: &[Expr]) {
        let Some(Expr { kind: ExprKind::Literal(literal), location, .. }) = args.first() else { return };
        let fine = match (function, literal) {
            ("duration", Literal::String(text)) => convert(&Value::from(&**text), &Type::Duration).is_ok(),
            ("timestamp", Literal::String(text)) => convert(&Value::from(&**text), &Type::Timestamp).is_ok(),
            ("duration", Literal::Int(_)) => false,
            ("timestamp", Literal::Int(seconds)) => convert(&Value::Int(*seconds), &Type::Timestamp).is_ok(),
            ("matches", Literal::String(pattern)) => Regexp::compile(pattern).is_ok(),
            _ => true,
        };
        if !fine {
            self.report(*location, format!("invalid {function} argument"));
        }
    }

    fn check_format(&mut self, call: &Expr, target: &Expr, args: &[Expr]) {
        let (ExprKind::Literal(Literal::String(format)), [Expr { kind: ExprKind::List(elements), .. }]) =
            (&target.kind, args)
        else {
            return;
        };
        let mut used = 0;
        for piece in pieces(format) {
            let clause = match piece {
                Piece::Text(_) => continue,
                Piece::End => return self.report(call.location, "unexpected end of string"),
                Piece::Clause(clause) => clause,
            };
            let Some(element) = elements.get(used) else {
                return self.report(call.location, format!("index {used} out of range"));
            };
            used += 1;
            match clause {
                Err(problem) => return self.report(call.location, problem),
                Ok(clause) => {
                    if let Some(wrong) = self.refused(clause, &element.value) {
                        let problem = clause.refusal(self.type_of(wrong).name());
                        return self.report(wrong.location, format!("error during formatting: {problem}"));
                    }
                }
            }
        }
        if elements.len() > used {
            let given = elements.len();
            let message =
                format!("too many arguments supplied to string.format (expected {used}, got {given})");
            self.report(call.location, message);
        }
    }

    /// The part of an argument that a clause does not take.
    fn refused<'e>(&self, clause: crate::functions::Clause, arg: &'e Expr) -> Option<&'e Expr> {
        if !clause.takes(self.type_of(arg)) {
            return Some(arg);
        }
        if clause != crate::functions::Clause::String {
            return None;
        }
        match &arg.kind {
            ExprKind::List(elements) => {
                elements.iter().find_map(|element| self.refused(clause, &element.value))
            }
            ExprKind::Map(entries) => entries.iter().find_map(|entry| {
                self.refused(clause, &entry.key).or_else(|| self.refused(clause, &entry.value))
            }),
            _ => None,
        }
    }
}
