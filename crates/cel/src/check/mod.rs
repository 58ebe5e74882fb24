//! Finds the type of every part of an expression, and which functions its calls mean.

mod assign;
mod validate;

use std::collections::HashMap;
use std::sync::Arc;

use self::assign::{Substitutions, most_general};
use crate::ast::{Element, Entry, Expr, ExprKind, Fold, Literal, operator};
use crate::env::Env;
use crate::functions::{self, Function, Overload};
use crate::source::{CompileErrors, Issue, Location};
use crate::types::Type;

/// What is known of an expression once it is checked.
#[derive(Debug)]
pub(crate) struct Checked {
    /// The type of the whole.
    pub(crate) result: Type,
    /// The types of the parts, by their identities.
    pub(crate) types: HashMap<usize, Type>,
    /// What the parts refer to.
    pub(crate) references: HashMap<usize, Reference>,
}

/// What a name or a call refers to.
#[derive(Debug, Clone)]
pub(crate) enum Reference {
    /// A variable of the environment or of a comprehension.
    Variable(Arc<str>),
    /// A type, as a value.
    Type(Type),
    /// A function, with those of its overloads that fit. A target is left out if it only spells the name.
    Function { function: &'static Function, overloads: Vec<&'static Overload>, qualified: bool },
}

/// Checks an expression.
pub(crate) fn check(source: &str, expression: &Expr, env: &Env) -> Result<Checked, CompileErrors> {
    let mut checker = Checker {
        env,
        scopes: Vec::new(),
        substitutions: Substitutions::default(),
        types: HashMap::new(),
        references: HashMap::new(),
        issues: Vec::new(),
        next_param: 0,
    };
    checker.check(expression);
    if !checker.issues.is_empty() {
        return Err(CompileErrors::new(source, checker.issues));
    }
    let Checker { substitutions, mut types, references, .. } = checker;
    for of in types.values_mut() {
        *of = substitutions.substitute(of, true);
    }
    let result = types.get(&expression.id).cloned().unwrap_or(Type::Dyn);
    let known = Checked { result, types, references };
    let issues = validate::validate(expression, &known);
    if issues.is_empty() { Ok(known) } else { Err(CompileErrors::new(source, issues)) }
}

struct Checker<'e> {
    env: &'e Env,
    /// The variables of the comprehensions around, innermost last.
    scopes: Vec<(Arc<str>, Type)>,
    substitutions: Substitutions,
    types: HashMap<usize, Type>,
    references: HashMap<usize, Reference>,
    issues: Vec<Issue>,
    next_param: usize,
}

impl Checker<'_> {
    fn report(&mut self, location: Location, message: String) {
        self.issues.push(Issue { location, message });
    }

    fn mismatch(&mut self, location: Location, expected: &Type, found: &Type) {
        self.report(location, format!("expected type '{expected}' but found '{found}'"));
    }

    /// What a name refers to is not known.
    fn refuse_name(&mut self, expression: &Expr, name: &str) {
        self.set(expression, Type::Error);
        self.report(expression.location, format!("undeclared reference to '{name}' (in container '')"));
    }

    fn new_param(&mut self) -> Type {
        self.next_param += 1;
        Type::Param(format!("_var{}", self.next_param - 1).into())
    }

    fn set(&mut self, expression: &Expr, of: Type) {
        self.types.insert(expression.id, of);
    }

    fn type_of(&self, expression: &Expr) -> Type {
        self.types.get(&expression.id).cloned().unwrap_or(Type::Error)
    }

    fn known(&self, of: &Type) -> Type {
        self.substitutions.substitute(of, false)
    }

    fn check(&mut self, expression: &Expr) {
        match &expression.kind {
            ExprKind::Broken => self.set(expression, Type::Error),
            ExprKind::Literal(literal) => self.set(expression, literal_type(literal)),
            ExprKind::Ident(name) => {
                if let Some((of, reference)) = self.lookup(name) {
                    self.refer(expression, of, reference);
                } else {
                    self.refuse_name(expression, name);
                }
            }
            ExprKind::Select { operand, field, test } => self.check_select(expression, operand, field, *test),
            ExprKind::Call { target, function, args } => {
                self.check_call(expression, target.as_deref(), function, args);
            }
            ExprKind::List(elements) => self.check_list(expression, elements),
            ExprKind::Map(entries) => self.check_map(expression, entries),
            ExprKind::Message { name, fields } => {
                for field in fields {
                    self.check(&field.value);
                }
                self.refuse_name(expression, name);
            }
            ExprKind::Fold(fold) => self.check_fold(expression, fold),
        }
    }

    fn refer(&mut self, expression: &Expr, of: Type, reference: Reference) {
        self.set(expression, of);
        self.references.insert(expression.id, reference);
    }

    fn lookup(&self, name: &str) -> Option<(Type, Reference)> {
        let (name, global) = match name.strip_prefix('.') {
            Some(name) => (name, true),
            None => (name, false),
        };
        if !global && let Some((name, of)) = self.scopes.iter().rev().find(|(known, _)| **known == *name) {
            return Some((of.clone(), Reference::Variable(Arc::clone(name))));
        }
        if let Some(of) = self.env.variable(name) {
            return Some((of.clone(), Reference::Variable(name.into())));
        }
        let named = functions::named_type(name)?;
        Some((Type::Type(Some(Arc::new(named.clone()))), Reference::Type(named)))
    }

    fn check_select(&mut self, expression: &Expr, operand: &Expr, field: &str, test: bool) {
        if !test
            && let Some(name) = expression.qualified_name()
            && let Some((of, reference)) = self.lookup(&name)
        {
            return self.refer(expression, of, reference);
        }
        let found = self.field_type(expression, operand, field, false);
        let found = if test { Type::Bool } else { self.known(&found) };
        self.set(expression, found);
    }

    /// The type of a field of what the operand gives.
    fn field_type(&mut self, expression: &Expr, operand: &Expr, field: &str, optional: bool) -> Type {
        self.check(operand);
        let of = self.known(&self.type_of(operand));
        let inner = of.as_optional();
        let target = inner.unwrap_or(&of);
        let found = match target {
            Type::Map(_, value) => (**value).clone(),
            Type::Object(name) => self.object_field(expression, name, field),
            Type::Param(_) => {
                self.substitutions.assign(&Type::Dyn, target);
                Type::Dyn
            }
            _ => {
                if !target.is_dyn_or_error() {
                    let message = format!("type '{target}' does not support field selection");
                    self.report(expression.location, message);
                }
                Type::Dyn
            }
        };
        if inner.is_some() || optional { Type::optional(found) } else { found }
    }

    fn object_field(&mut self, expression: &Expr, object: &str, field: &str) -> Type {
        let Some(fields) = self.env.object(object) else {
            self.report(expression.location, format!("unexpected failed resolution of '{object}'"));
            return Type::Error;
        };
        // A reserved word is escaped in the type, but may be written plainly.
        if let Some(of) = fields.get(field).or_else(|| fields.get(&*format!("__{field}__"))) {
            return of.clone();
        }
        self.report(expression.location, format!("undefined field '{field}'"));
        Type::Error
    }

    fn check_call(&mut self, expression: &Expr, target: Option<&Expr>, name: &str, args: &[Expr]) {
        if name == operator::OPTIONAL_SELECT {
            if let [operand, Expr { kind: ExprKind::Literal(Literal::String(field)), .. }] = args {
                let found = self.field_type(expression, operand, field, true);
                let found = self.known(&found);
                self.set(expression, found);
            }
            return;
        }
        for arg in args {
            self.check(arg);
        }
        let Some(target) = target else {
            let Some(function) = functions::find(name.strip_prefix('.').unwrap_or(name)) else {
                return self.refuse_name(expression, name);
            };
            return self.resolve(expression, function, None, args, false);
        };
        if let Some(prefix) = target.qualified_name()
            && let Some(function) = functions::find(&format!("{prefix}.{name}"))
        {
            return self.resolve(expression, function, None, args, true);
        }
        self.check(target);
        let Some(function) = functions::find(name) else { return self.refuse_name(expression, name) };
        self.resolve(expression, function, Some(target), args, false);
    }

    /// Finds the overloads of a function that fit, and with them the type of the call.
    fn resolve(
        &mut self,
        expression: &Expr,
        function: &'static Function,
        target: Option<&Expr>,
        args: &[Expr],
        qualified: bool,
    ) {
        let all: Vec<&Expr> = target.into_iter().chain(args).collect();
        let arg_types: Vec<Type> = all.iter().map(|arg| self.type_of(arg)).collect();
        if matches!(function.name, operator::AND | operator::OR) {
            let mut fits = true;
            for (arg, of) in all.iter().zip(&arg_types) {
                if !self.substitutions.assign(of, &Type::Bool) {
                    self.mismatch(arg.location, &Type::Bool, of);
                    fits = false;
                }
            }
            return self.set(expression, if fits { Type::Bool } else { Type::Error });
        }
        let mut found: Option<Type> = None;
        let mut overloads = Vec::new();
        for overload in &function.overloads {
            if overload.member != target.is_some() {
                continue;
            }
            let (wanted, result) = self.instance(overload);
            if !self.substitutions.assign_all(&arg_types, &wanted) {
                continue;
            }
            overloads.push(overload);
            let result = self.known(&result);
            found = Some(match found {
                None => result,
                Some(known) if !known.is_dyn() && known != result => Type::Dyn,
                Some(known) => known,
            });
        }
        let Some(found) = found else {
            let known: Vec<String> =
                arg_types.iter().map(|of| self.substitutions.substitute(of, true).to_string()).collect();
            let signature = match target {
                Some(_) => format!("{}.({})", known[0], known[1..].join(", ")),
                None => format!("({})", known.join(", ")),
            };
            let message =
                format!("found no matching overload for '{}' applied to '{signature}'", function.name);
            self.report(expression.location, message);
            return self.set(expression, Type::Error);
        };
        self.refer(expression, found, Reference::Function { function, overloads, qualified });
    }

    /// The types of an overload, with unknown types of its own.
    fn instance(&mut self, overload: &Overload) -> (Vec<Type>, Type) {
        let mut names: Vec<&Arc<str>> = Vec::new();
        for of in overload.args.iter().chain([&overload.result]) {
            collect_params(of, &mut names);
        }
        if names.is_empty() {
            return (overload.args.clone(), overload.result.clone());
        }
        let mut fresh = Substitutions::default();
        for name in names {
            let param = self.new_param();
            fresh.add(Arc::clone(name), param);
        }
        let args = overload.args.iter().map(|of| fresh.substitute(of, false)).collect();
        (args, fresh.substitute(&overload.result, false))
    }

    /// The type of an optional item or entry without its wrapper.
    fn unwrapped(&mut self, value: &Expr, optional: bool) -> Type {
        let of = self.type_of(value);
        if !optional {
            return of;
        }
        if let Some(inner) = of.as_optional() {
            return inner.clone();
        }
        if !of.is_dyn() {
            self.mismatch(value.location, &Type::optional(of.clone()), &of);
        }
        of
    }

    fn check_list(&mut self, expression: &Expr, elements: &[Element]) {
        let mut items = None;
        for element in elements {
            self.check(&element.value);
            let of = self.unwrapped(&element.value, element.optional);
            items = Some(self.join(items, of));
        }
        let items = items.unwrap_or_else(|| self.new_param());
        self.set(expression, Type::list(items));
    }

    fn check_map(&mut self, expression: &Expr, entries: &[Entry]) {
        let (mut keys, mut values) = (None, None);
        for entry in entries {
            self.check(&entry.key);
            let of = self.type_of(&entry.key);
            keys = Some(self.join(keys, of));
            self.check(&entry.value);
            let of = self.unwrapped(&entry.value, entry.optional);
            values = Some(self.join(values, of));
        }
        let keys = keys.unwrap_or_else(|| self.new_param());
        let values = values.unwrap_or_else(|| self.new_param());
        self.set(expression, Type::map(keys, values));
    }

    /// The type of all items so far and one more. That they agree is looked at later: `format` takes mixed lists.
    fn join(&mut self, so_far: Option<Type>, of: Type) -> Type {
        let Some(so_far) = so_far else { return of };
        if self.substitutions.assign(&so_far, &of) {
            return most_general(&so_far, &of).clone();
        }
        Type::Dyn
    }

    fn check_fold(&mut self, expression: &Expr, fold: &Fold) {
        self.check(&fold.range);
        self.check(&fold.initial);
        let range = self.known(&self.type_of(&fold.range));
        let accumulated = self.type_of(&fold.initial);
        let (first, second) = match &range {
            Type::List(item) if fold.second_variable.is_some() => (Type::Int, (**item).clone()),
            Type::List(item) => ((**item).clone(), Type::Dyn),
            Type::Map(key, value) => ((**key).clone(), (**value).clone()),
            Type::Dyn | Type::Error | Type::Param(_) => {
                self.substitutions.assign(&Type::Dyn, &range);
                (Type::Dyn, Type::Dyn)
            }
            _ => {
                let message = format!(
                    "expression of type '{range}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                self.report(fold.range.location, message);
                (Type::Error, Type::Error)
            }
        };
        let outside = self.scopes.len();
        self.scopes.push((Arc::clone(&fold.accumulator), accumulated.clone()));
        self.scopes.push((Arc::clone(&fold.variable), first));
        if let Some(name) = &fold.second_variable {
            self.scopes.push((Arc::clone(name), second));
        }
        self.check(&fold.condition);
        self.expect(&fold.condition, &Type::Bool);
        self.check(&fold.step);
        self.expect(&fold.step, &accumulated);
        self.scopes.truncate(outside + 1);
        self.check(&fold.result);
        self.scopes.truncate(outside);
        let result = self.known(&self.type_of(&fold.result));
        self.set(expression, result);
    }

    fn expect(&mut self, expression: &Expr, wanted: &Type) {
        let of = self.type_of(expression);
        if !self.substitutions.assign(wanted, &of) {
            self.mismatch(expression.location, wanted, &of);
        }
    }
}

fn collect_params<'t>(of: &'t Type, names: &mut Vec<&'t Arc<str>>) {
    match of {
        Type::Param(name) if !names.contains(&name) => names.push(name),
        _ => of.params().into_iter().for_each(|inner| collect_params(inner, names)),
    }
}

fn literal_type(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}
