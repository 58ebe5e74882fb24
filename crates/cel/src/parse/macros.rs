//! Macros: calls that become comprehensions before types are checked.

use std::sync::Arc;

use super::grammar::Parser;
use crate::ast::{Element, Expr, ExprKind, Fold, Literal, operator};
use crate::source::Location;

/// The variable that a comprehension gathers its result in. No text can name it.
const ACCUMULATOR: &str = "@result";
/// What it was called in the past, which is still refused.
const OLD_ACCUMULATOR: &str = "__result__";
/// The variable of a comprehension over nothing, which only binds a name.
const UNUSED: &str = "#unused";

/// A problem with the arguments of a macro.
struct Misuse {
    location: Location,
    message: String,
}

type Expanded = Result<Expr, Misuse>;

/// A call without a target: `has(a.b)`, or a function.
pub(super) fn global_call(
    parser: &mut Parser<'_>,
    location: Location,
    function: &str,
    args: Vec<Expr>,
) -> Expr {
    if function != "has" || args.len() != 1 {
        return parser.call(location, function, args);
    }
    let Some(arg) = args.into_iter().next() else { return parser.node(location, ExprKind::Broken) };
    if let ExprKind::Select { operand, field, test: false } = arg.kind {
        parser.node(location, ExprKind::Select { operand, field, test: true })
    } else {
        parser.report(arg.location, "invalid argument to has() macro");
        parser.node(location, ExprKind::Broken)
    }
}

/// A call with a target: one of the comprehensions, or a function.
pub(super) fn member_call(
    parser: &mut Parser<'_>,
    location: Location,
    function: &str,
    target: Expr,
    args: Vec<Expr>,
) -> Expr {
    let mut maker = Maker { parser, location };
    let expanded = match (function, args.len()) {
        ("all", 2) => maker.quantifier(Quantifier::All, target, args, 1),
        ("exists", 2) => maker.quantifier(Quantifier::Exists, target, args, 1),
        ("exists_one" | "existsOne", 2) => maker.quantifier(Quantifier::ExistsOne, target, args, 1),
        ("all", 3) => maker.quantifier(Quantifier::All, target, args, 2),
        ("exists", 3) => maker.quantifier(Quantifier::Exists, target, args, 2),
        ("exists_one" | "existsOne", 3) => maker.quantifier(Quantifier::ExistsOne, target, args, 2),
        ("map", 2 | 3) => maker.map(target, args),
        ("filter", 2) => maker.filter(target, args),
        ("transformList", 3 | 4) => maker.transform(Transform::List, target, args),
        ("transformMap", 3 | 4) => maker.transform(Transform::Map, target, args),
        ("transformMapEntry", 3 | 4) => maker.transform(Transform::MapEntry, target, args),
        ("sortBy", 2) => maker.sort_by(target, args),
        ("optMap", 2) => maker.optional_map("optMap", target, args),
        ("optFlatMap", 2) => maker.optional_map("optFlatMap", target, args),
        _ => {
            let target = Some(Box::new(target));
            Ok(maker.node(ExprKind::Call { target, function: function.into(), args }))
        }
    };
    expanded.unwrap_or_else(|misuse| {
        parser.report(misuse.location, misuse.message);
        parser.node(location, ExprKind::Broken)
    })
}

#[derive(Clone, Copy)]
enum Quantifier {
    All,
    Exists,
    ExistsOne,
}

#[derive(Clone, Copy)]
enum Transform {
    List,
    Map,
    MapEntry,
}

/// Makes nodes that all stand where the macro stands.
struct Maker<'p, 's> {
    parser: &'p mut Parser<'s>,
    location: Location,
}

impl Maker<'_, '_> {
    fn node(&mut self, kind: ExprKind) -> Expr {
        self.parser.node(self.location, kind)
    }

    fn call(&mut self, function: &str, args: Vec<Expr>) -> Expr {
        self.parser.call(self.location, function, args)
    }

    fn member(&mut self, function: &str, target: Expr, args: Vec<Expr>) -> Expr {
        self.node(ExprKind::Call { target: Some(Box::new(target)), function: function.into(), args })
    }

    fn literal(&mut self, value: Literal) -> Expr {
        self.node(ExprKind::Literal(value))
    }

    fn ident(&mut self, name: &str) -> Expr {
        self.node(ExprKind::Ident(name.into()))
    }

    fn accumulator(&mut self) -> Expr {
        self.ident(ACCUMULATOR)
    }

    fn list(&mut self, elements: Vec<Expr>) -> Expr {
        let elements = elements.into_iter().map(|value| Element { optional: false, value }).collect();
        self.node(ExprKind::List(elements))
    }

    /// The same expression once more, with identities of its own.
    fn copy(&mut self, expr: &Expr) -> Expr {
        let mut copy = expr.clone();
        self.renumber(&mut copy);
        copy
    }

    fn renumber(&mut self, expr: &mut Expr) {
        expr.id = self.parser.node(expr.location, ExprKind::Broken).id;
        match &mut expr.kind {
            ExprKind::Broken | ExprKind::Literal(_) | ExprKind::Ident(_) => {}
            ExprKind::Select { operand, .. } => self.renumber(operand),
            ExprKind::Call { target, args, .. } => {
                if let Some(target) = target {
                    self.renumber(target);
                }
                for arg in args {
                    self.renumber(arg);
                }
            }
            ExprKind::List(elements) => {
                for element in elements {
                    self.renumber(&mut element.value);
                }
            }
            ExprKind::Map(entries) => {
                for entry in entries {
                    self.renumber(&mut entry.key);
                    self.renumber(&mut entry.value);
                }
            }
            ExprKind::Message { fields, .. } => {
                for field in fields {
                    self.renumber(&mut field.value);
                }
            }
            ExprKind::Fold(fold) => {
                for part in [
                    &mut fold.range,
                    &mut fold.initial,
                    &mut fold.condition,
                    &mut fold.step,
                    &mut fold.result,
                ] {
                    self.renumber(part);
                }
            }
        }
    }

    /// Binds a name to a value within an expression, as a comprehension over nothing.
    fn bind(&mut self, name: &Arc<str>, value: Expr, body: Expr) -> Expr {
        let range = self.list(Vec::new());
        let condition = self.literal(Literal::Bool(false));
        let step = self.ident(name);
        self.node(ExprKind::Fold(Box::new(Fold {
            range,
            variable: UNUSED.into(),
            second_variable: None,
            accumulator: Arc::clone(name),
            initial: value,
            condition,
            step,
            result: body,
        })))
    }

    fn quantifier(&mut self, kind: Quantifier, range: Expr, args: Vec<Expr>, names: usize) -> Expanded {
        let (variable, second_variable, mut rest) = variables(args, names, "argument must be a simple name")?;
        let predicate = rest.remove(0);
        let (initial, condition, step, result);
        match kind {
            Quantifier::All => {
                initial = self.literal(Literal::Bool(true));
                let so_far = self.accumulator();
                condition = self.call(operator::NOT_STRICTLY_FALSE, vec![so_far]);
                let so_far = self.accumulator();
                step = self.call(operator::AND, vec![so_far, predicate]);
                result = self.accumulator();
            }
            Quantifier::Exists => {
                initial = self.literal(Literal::Bool(false));
                let so_far = self.accumulator();
                let not_yet = self.call(operator::NOT, vec![so_far]);
                condition = self.call(operator::NOT_STRICTLY_FALSE, vec![not_yet]);
                let so_far = self.accumulator();
                step = self.call(operator::OR, vec![so_far, predicate]);
                result = self.accumulator();
            }
            Quantifier::ExistsOne => {
                initial = self.literal(Literal::Int(0));
                condition = self.literal(Literal::Bool(true));
                let (so_far, one) = (self.accumulator(), self.literal(Literal::Int(1)));
                let more = self.call(operator::ADD, vec![so_far, one]);
                let so_far = self.accumulator();
                step = self.call(operator::CONDITIONAL, vec![predicate, more, so_far]);
                let (count, one) = (self.accumulator(), self.literal(Literal::Int(1)));
                result = self.call(operator::EQUALS, vec![count, one]);
            }
        }
        Ok(self.fold(range, variable, second_variable, initial, condition, step, result))
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a comprehension")]
    fn fold(
        &mut self,
        range: Expr,
        variable: Arc<str>,
        second_variable: Option<Arc<str>>,
        initial: Expr,
        condition: Expr,
        step: Expr,
        result: Expr,
    ) -> Expr {
        let accumulator = ACCUMULATOR.into();
        let fold = Fold { range, variable, second_variable, accumulator, initial, condition, step, result };
        self.node(ExprKind::Fold(Box::new(fold)))
    }

    /// A comprehension that gathers what `step` makes, for all items or for those that pass the filter.
    fn gather(
        &mut self,
        range: Expr,
        names: (Arc<str>, Option<Arc<str>>),
        initial: Expr,
        filter: Option<Expr>,
        mut step: Expr,
    ) -> Expr {
        let condition = self.literal(Literal::Bool(true));
        if let Some(filter) = filter {
            let so_far = self.accumulator();
            step = self.call(operator::CONDITIONAL, vec![filter, step, so_far]);
        }
        let result = self.accumulator();
        self.fold(range, names.0, names.1, initial, condition, step, result)
    }

    fn append(&mut self, item: Expr) -> Expr {
        let so_far = self.accumulator();
        let item = self.list(vec![item]);
        self.call(operator::ADD, vec![so_far, item])
    }

    fn map(&mut self, range: Expr, args: Vec<Expr>) -> Expanded {
        let (variable, _, mut rest) = variables(args, 1, "argument is not an identifier")?;
        let filter = (rest.len() == 2).then(|| rest.remove(0));
        let initial = self.list(Vec::new());
        let step = self.append(rest.remove(0));
        Ok(self.gather(range, (variable, None), initial, filter, step))
    }

    fn filter(&mut self, range: Expr, args: Vec<Expr>) -> Expanded {
        let name = args[0].clone();
        let (variable, _, mut rest) = variables(args, 1, "argument is not an identifier")?;
        let initial = self.list(Vec::new());
        let step = self.append(name);
        Ok(self.gather(range, (variable, None), initial, Some(rest.remove(0)), step))
    }

    fn transform(&mut self, kind: Transform, range: Expr, args: Vec<Expr>) -> Expanded {
        let (variable, second_variable, mut rest) = variables(args, 2, "argument must be a simple name")?;
        let filter = (rest.len() == 2).then(|| rest.remove(0));
        let transformed = rest.remove(0);
        let (initial, step) = match kind {
            Transform::List => (self.list(Vec::new()), self.append(transformed)),
            Transform::Map => {
                let (so_far, key) = (self.accumulator(), self.ident(&variable));
                let initial = self.node(ExprKind::Map(Vec::new()));
                (initial, self.call(operator::MAP_INSERT, vec![so_far, key, transformed]))
            }
            Transform::MapEntry => {
                let so_far = self.accumulator();
                let initial = self.node(ExprKind::Map(Vec::new()));
                (initial, self.call(operator::MAP_INSERT, vec![so_far, transformed]))
            }
        };
        Ok(self.gather(range, (variable, second_variable), initial, filter, step))
    }

    fn sort_by(&mut self, target: Expr, args: Vec<Expr>) -> Expanded {
        if !matches!(
            target.kind,
            ExprKind::List(_)
                | ExprKind::Select { .. }
                | ExprKind::Ident(_)
                | ExprKind::Fold(_)
                | ExprKind::Call { .. }
        ) {
            let message =
                "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
            return Err(Misuse { location: target.location, message: message.into() });
        }
        let input: Arc<str> = "@__sortBy_input__".into();
        let range = self.ident(&input);
        let keys = self.map(range, args)?;
        let list = self.ident(&input);
        let sorted = self.member(operator::SORT_BY, list, vec![keys]);
        Ok(self.bind(&input, target, sorted))
    }

    /// `optMap` wraps what the expression makes, `optFlatMap` expects an optional from it.
    fn optional_map(&mut self, function: &str, target: Expr, args: Vec<Expr>) -> Expanded {
        let mut args = args.into_iter();
        let (Some(name), Some(body)) = (args.next(), args.next()) else {
            return Err(Misuse { location: self.location, message: String::new() });
        };
        let ExprKind::Ident(variable) = name.kind else {
            let message = format!("{function}() variable name must be a simple identifier");
            return Err(Misuse { location: name.location, message });
        };
        let again = self.copy(&target);
        let present = self.member("hasValue", target, Vec::new());
        let value = self.member("value", again, Vec::new());
        let mut mapped = self.bind(&variable, value, body);
        if function == "optMap" {
            mapped = self.call("optional.of", vec![mapped]);
        }
        let absent = self.call("optional.none", Vec::new());
        Ok(self.call(operator::CONDITIONAL, vec![present, mapped, absent]))
    }
}

/// The names that a comprehension binds, and its other arguments.
type Variables = (Arc<str>, Option<Arc<str>>, Vec<Expr>);

/// Takes the names from the front of the arguments.
fn variables(args: Vec<Expr>, count: usize, problem: &str) -> Result<Variables, Misuse> {
    let mut names: Vec<(Arc<str>, Location)> = Vec::new();
    let mut args = args.into_iter();
    for arg in args.by_ref().take(count) {
        let ExprKind::Ident(name) = arg.kind else {
            return Err(Misuse { location: arg.location, message: problem.into() });
        };
        names.push((name, arg.location));
    }
    if let [(first, _), (second, location)] = names.as_slice()
        && first == second
    {
        return Err(Misuse { location: *location, message: format!("duplicate variable name: {first}") });
    }
    for (name, location) in &names {
        if matches!(&**name, ACCUMULATOR | OLD_ACCUMULATOR) {
            let message = "iteration variable overwrites accumulator variable".into();
            return Err(Misuse { location: *location, message });
        }
    }
    let mut names = names.into_iter().map(|(name, _)| name);
    Ok((names.next().unwrap_or_else(|| UNUSED.into()), names.next(), args.collect()))
}
