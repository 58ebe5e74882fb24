//! Evaluates the plan of an expression, and counts what it costs.

mod cost;
mod fold;

use std::collections::BTreeMap;

use crate::activation::Activation;
use crate::error::{EvalError, Outcome};
use crate::functions::{Function, Overload, not_strictly_false};
use crate::plan::{Access, Node};
use crate::value::{Key, Text, Value};

/// One evaluation of an expression.
pub(crate) struct Evaluation<'p, 'a> {
    activation: &'p Activation<'a>,
    /// The variables of the comprehensions around, innermost last.
    scopes: Vec<(&'p str, Slot<'p, 'a>)>,
    cost: u64,
    limit: u64,
}

/// The value of a variable of a comprehension.
enum Slot<'p, 'a> {
    /// Not computed yet: it may never be asked for.
    Pending(&'p Node),
    Ready(Outcome<Value<'a>>),
}

/// Evaluates a plan. Gives the value, and what it cost.
pub(crate) fn evaluate<'a>(
    node: &Node,
    activation: &Activation<'a>,
    limit: u64,
) -> (Outcome<Value<'a>>, u64) {
    let mut evaluation = Evaluation { activation, scopes: Vec::new(), cost: 0, limit };
    let outcome = evaluation.eval(node);
    (outcome, evaluation.cost)
}

/// The value of a node that needs no variables.
pub(crate) fn constant(node: &Node) -> Outcome<Value<'static>> {
    evaluate(node, &Activation::new(), u64::MAX).0
}

impl<'p, 'a> Evaluation<'p, 'a> {
    fn charge(&mut self, cost: u64) -> Outcome<()> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > self.limit { Err(EvalError::CostExceeded) } else { Ok(()) }
    }

    fn eval(&mut self, node: &'p Node) -> Outcome<Value<'a>> {
        match node {
            Node::Const(value) => Ok(value.clone()),
            Node::Variable(name) => {
                self.charge(1)?;
                self.variable(name)
            }
            Node::Select { operand, field, access } => self.select(operand, field, *access),
            Node::Index { operand, index, optional } => self.index(operand, index, *optional),
            Node::Logic(all, sides) => self.logic(*all, sides),
            Node::Conditional(parts) => self.conditional(parts),
            Node::Equals { sides, negated } => {
                let first = self.eval_soft(&sides[0])?;
                let second = self.eval_soft(&sides[1])?;
                let (Ok(first), Ok(second)) = (&first, &second) else {
                    self.charge(1)?;
                    return first.and(second);
                };
                self.charge(cost::equality(first, second, *negated))?;
                if *negated {
                    return Ok(Value::Bool(first.equals(second) != Ok(true)));
                }
                first.equals(second).map(Value::Bool)
            }
            Node::NotStrictlyFalse(inner) => {
                let inner = self.eval_soft(inner)?;
                self.charge(1)?;
                Ok(Value::Bool(not_strictly_false(&inner)))
            }
            Node::Within(value, list) => {
                let value = self.eval(value)?;
                match list {
                    Value::List(list) => list.clone().contains(&value).map(Value::Bool),
                    _ => Err(EvalError::no_overload()),
                }
            }
            Node::Call { function, overload, args, fixed_pattern } => {
                let mut values = Vec::with_capacity(args.len());
                let mut problem = None;
                let stops_early = function.stops_early(*overload, args.len());
                for arg in args {
                    let value = self.eval_soft(arg)?;
                    // What has no value counts as something small.
                    values.push(value.as_ref().map_or(Value::Null, Clone::clone));
                    problem = problem.or(value.err());
                    if stops_early && problem.is_some() {
                        break;
                    }
                }
                match problem {
                    Some(error) => {
                        if values.len() == args.len() {
                            let id = overload.map(|overload| &*overload.id);
                            self.charge(cost::before(function.name, id, &values))?;
                        }
                        Err(error)
                    }
                    None if *fixed_pattern && !matches!(values.first(), Some(Value::String(_))) => {
                        self.charge(1)?;
                        Err(EvalError::no_overload())
                    }
                    None => self.call(function, *overload, &values),
                }
            }
            Node::OptionalOr { sides, unwrap } => match self.eval(&sides[0])? {
                Value::Optional(Some(value)) if *unwrap => Ok((*value).clone()),
                Value::Optional(None) => self.eval(&sides[1]),
                other => Ok(other),
            },
            Node::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for (optional, item) in items {
                    let value = self.eval_or_charge(item, cost::LIST)?;
                    match (optional, value) {
                        (false, value) => values.push(value),
                        (true, Value::Optional(Some(value))) => values.push((*value).clone()),
                        (true, Value::Optional(None)) => {}
                        (true, other) => {
                            let message = format!(
                                "cannot initialize optional list element from non-optional value {other}"
                            );
                            return Err(EvalError::Function(message));
                        }
                    }
                }
                self.charge(cost::LIST)?;
                Ok(Value::list(values))
            }
            Node::Map(pairs) => self.map(pairs),
            Node::Fold(fold) => self.fold(fold),
        }
    }

    /// Evaluates what may fail without ending the evaluation; only an end of the budget does.
    fn eval_soft(&mut self, node: &'p Node) -> Outcome<Outcome<Value<'a>>> {
        match self.eval(node) {
            Err(error) if error.is_final() => Err(error),
            outcome => Ok(outcome),
        }
    }

    /// Evaluates a part of a list or map, which costs as much if it cannot be made.
    fn eval_or_charge(&mut self, node: &'p Node, cost: u64) -> Outcome<Value<'a>> {
        let value = self.eval(node);
        if value.is_err() {
            self.charge(cost)?;
        }
        value
    }

    fn call(
        &mut self,
        function: &'static Function,
        overload: Option<&'static Overload>,
        args: &[Value<'a>],
    ) -> Outcome<Value<'a>> {
        let id = overload.map(|overload| &*overload.id);
        self.charge(cost::before(function.name, id, args))?;
        let result = function.call(overload, args);
        self.charge(cost::after(function.name, id, result.as_ref().ok()))?;
        result
    }

    fn variable(&mut self, name: &str) -> Outcome<Value<'a>> {
        let found = self.scopes.iter().rposition(|(known, _)| *known == name);
        let Some(place) = found else {
            return self.activation.resolve(name.strip_prefix('.').unwrap_or(name));
        };
        match &self.scopes[place].1 {
            Slot::Ready(value) => value.clone(),
            Slot::Pending(node) => {
                let node = *node;
                // The value is computed where the comprehension stands, without its variables.
                let inner = self.scopes.split_off(place);
                let value = self.eval(node);
                self.scopes.extend(inner);
                if let Err(error) = &value
                    && error.is_final()
                {
                    return value;
                }
                self.scopes[place].1 = Slot::Ready(value.clone());
                value
            }
        }
    }

    fn logic(&mut self, all: bool, sides: &'p [Node; 2]) -> Outcome<Value<'a>> {
        let mut problem = None;
        for side in sides {
            match self.eval_soft(side)? {
                Ok(Value::Bool(truth)) if truth != all => return Ok(Value::Bool(truth)),
                Ok(Value::Bool(_)) => {}
                Ok(_) => problem = problem.or(Some(EvalError::no_overload())),
                Err(error) => problem = problem.or(Some(error)),
            }
        }
        match problem {
            Some(error) => Err(error),
            None => Ok(Value::Bool(all)),
        }
    }

    fn conditional(&mut self, [condition, yes, no]: &'p [Node; 3]) -> Outcome<Value<'a>> {
        let branch = match self.eval(condition)? {
            Value::Bool(true) => yes,
            Value::Bool(false) => no,
            _ => return Err(EvalError::no_overload()),
        };
        let value = self.eval(branch);
        // cel-go does not count a name that stands alone in a branch.
        if matches!(
            branch,
            Node::Variable(_) | Node::Select { access: Access::Plain, .. } | Node::Index { .. }
        ) {
            self.cost = self.cost.saturating_sub(1);
        }
        value
    }

    fn select(&mut self, operand: &'p Node, field: &str, access: Access) -> Outcome<Value<'a>> {
        if let Node::Variable(name) = operand
            && !self.scopes.iter().any(|(known, _)| **known == **name)
            && let Some(members) = self.activation.members(name)
        {
            self.charge(2)?;
            let found = members.member(field, self.activation);
            return match access {
                Access::Test => Ok(Value::Bool(found.is_some())),
                Access::Plain => found.unwrap_or_else(|| Err(EvalError::NoSuchKey(field.to_owned()))),
                Access::Optional => Ok(found.transpose()?.map_or(Value::Optional(None), Value::some)),
            };
        }
        let value = self.eval(operand)?;
        if !operand.is_attribute() {
            self.charge(1)?;
        }
        if access == Access::Test {
            self.cost = self.cost.saturating_sub(1);
        }
        let found = qualify(&value, &Value::String(Text::Shared(field.into())), access);
        // What is missing where it may be missing costs nothing.
        if access == Access::Test || !matches!(found, Ok(Value::Optional(None))) {
            self.charge(1)?;
        }
        found
    }

    fn index(&mut self, operand: &'p Node, index: &'p Node, optional: bool) -> Outcome<Value<'a>> {
        let value = self.eval(operand)?;
        if !operand.is_attribute() {
            self.charge(1)?;
        }
        // Nothing can be found in nothing.
        if matches!(value, Value::Optional(None)) {
            return Ok(value);
        }
        let key = self.eval(index)?;
        let found = qualify(&value, &key, if optional { Access::Optional } else { Access::Plain });
        match (&found, index.is_attribute()) {
            (Ok(Value::Optional(None)), true) => self.cost = self.cost.saturating_sub(1),
            (Ok(Value::Optional(None)), false) | (_, true) => {}
            (_, false) => self.charge(1)?,
        }
        found
    }

    fn map(&mut self, pairs: &'p [(bool, Node, Node)]) -> Outcome<Value<'a>> {
        let mut entries = BTreeMap::new();
        for (optional, key, value) in pairs {
            let key = self.eval_or_charge(key, cost::MAP)?;
            let value = self.eval_or_charge(value, cost::MAP)?;
            let name = Key::new(&key)?;
            match (optional, value) {
                (false, value) => {
                    entries.insert(name, value);
                }
                (true, Value::Optional(Some(value))) => {
                    entries.insert(name, (*value).clone());
                }
                (true, Value::Optional(None)) => {
                    entries.remove(&name);
                }
                (true, other) => {
                    let message =
                        format!("cannot initialize optional entry '{key}' from non-optional value {other}");
                    return Err(EvalError::Function(message));
                }
            }
        }
        self.charge(cost::MAP)?;
        Ok(Value::Map(entries.into()))
    }
}

/// A field or item of a value. A value that is optional gives an optional one.
fn qualify<'a>(value: &Value<'a>, key: &Value<'a>, access: Access) -> Outcome<Value<'a>> {
    let (value, access) = match value {
        Value::Optional(None) if access == Access::Test => return Ok(Value::Bool(false)),
        Value::Optional(None) => return Ok(Value::Optional(None)),
        Value::Optional(Some(inner)) if access == Access::Plain => (&**inner, Access::Optional),
        Value::Optional(Some(inner)) => (&**inner, access),
        other => (other, access),
    };
    let found = match value {
        Value::Map(map) => map.get(key)?,
        Value::List(list) => list.index(key)?,
        _ => None,
    };
    match (access, found) {
        (Access::Test, found) => Ok(Value::Bool(found.is_some())),
        (Access::Optional, found) => Ok(found.map_or(Value::Optional(None), Value::some)),
        (Access::Plain, Some(found)) => Ok(found),
        (Access::Plain, None) if matches!(value, Value::List(_)) => {
            Err(EvalError::IndexOutOfBounds(key.to_string()))
        }
        (Access::Plain, None) => Err(EvalError::NoSuchKey(key.to_string())),
    }
}
