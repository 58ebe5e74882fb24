//! Comprehensions.

use super::{Evaluation, Slot};
use crate::ast::operator;
use crate::error::{EvalError, Outcome};
use crate::plan::{FoldNode, Node};
use crate::value::Value;

impl<'p, 'a> Evaluation<'p, 'a> {
    pub(super) fn fold(&mut self, fold: &'p FoldNode) -> Outcome<Value<'a>> {
        let range = self.eval(&fold.range)?;
        let place = self.scopes.len();
        self.scopes.push((&fold.accumulator, Slot::Pending(&fold.initial)));
        let outcome = self.fold_range(fold, &range, place);
        self.scopes.truncate(place + 1);
        let outcome = outcome.and_then(|()| self.eval(&fold.result));
        self.scopes.truncate(place);
        outcome
    }

    fn fold_range(&mut self, fold: &'p FoldNode, range: &Value<'a>, place: usize) -> Outcome<()> {
        let both = fold.second_variable.is_some();
        match range {
            Value::List(list) => {
                for index in 0..list.len() {
                    let Some(item) = list.get(index) else { break };
                    let going = if both {
                        self.step(fold, place, Ok(Value::Int(index as i64)), Some(item))?
                    } else {
                        self.step(fold, place, item, None)?
                    };
                    if !going {
                        break;
                    }
                }
                Ok(())
            }
            Value::Map(map) => {
                for key in map.keys() {
                    let value = if both {
                        Some(map.get(&key).map(|value| value.unwrap_or(Value::Null)))
                    } else {
                        None
                    };
                    if !self.step(fold, place, Ok(key), value)? {
                        break;
                    }
                }
                Ok(())
            }
            other if both => {
                let message = format!("unsupported comprehension range type: {}", go_type(other));
                Err(EvalError::Function(message))
            }
            other => Err(EvalError::Function(format!("got '{}', expected iterable type", go_type(other)))),
        }
    }

    /// One turn. Tells whether there is to be another.
    fn step(
        &mut self,
        fold: &'p FoldNode,
        place: usize,
        first: Outcome<Value<'a>>,
        second: Option<Outcome<Value<'a>>>,
    ) -> Outcome<bool> {
        self.scopes.truncate(place + 1);
        self.scopes.push((&fold.variable, Slot::Ready(first)));
        if let (Some(name), Some(value)) = (&fold.second_variable, second) {
            self.scopes.push((name, Slot::Ready(value)));
        }
        if matches!(self.eval_soft(&fold.condition)?, Ok(Value::Bool(false))) {
            return Ok(false);
        }
        let next = self.next(fold, place, &fold.step)?;
        if let Some(next) = next {
            self.scopes[place].1 = Slot::Ready(next);
        }
        Ok(true)
    }

    /// What is gathered after a step; nothing if it stayed, or was changed in place.
    fn next(
        &mut self,
        fold: &'p FoldNode,
        place: usize,
        step: &'p Node,
    ) -> Outcome<Option<Outcome<Value<'a>>>> {
        match step {
            Node::Conditional(parts) if is_accumulator(&parts[2], fold) => match self.eval_soft(&parts[0])? {
                Ok(Value::Bool(true)) => self.next(fold, place, &parts[1]),
                Ok(Value::Bool(false)) => {
                    // The first look computes what the gathering begins with.
                    let value = self.variable(&fold.accumulator);
                    value.err().map_or(Ok(None), |error| {
                        if error.is_final() { Err(error) } else { Ok(Some(Err(error))) }
                    })
                }
                Ok(_) => Ok(Some(Err(EvalError::no_overload()))),
                Err(error) => Ok(Some(Err(error))),
            },
            Node::Call { function, args, .. } if function.name == operator::ADD => match args.as_slice() {
                [so_far, item] if is_accumulator(so_far, fold) => self.append(place, item, step),
                _ => self.eval_soft(step).map(Some),
            },
            _ => self.eval_soft(step).map(Some),
        }
    }

    /// Adds to a list in place: copying it at every turn would take the square of its length.
    fn append(
        &mut self,
        place: usize,
        item: &'p Node,
        step: &'p Node,
    ) -> Outcome<Option<Outcome<Value<'a>>>> {
        let name = self.scopes[place].0;
        if !matches!(self.variable(name), Ok(Value::List(_))) {
            return self.eval_soft(step).map(Some);
        }
        self.charge(1)?;
        let added = match self.eval_soft(item)? {
            Ok(Value::List(list)) => list,
            Ok(_) => return Ok(Some(Err(EvalError::no_overload()))),
            Err(error) => return Ok(Some(Err(error))),
        };
        self.charge(1)?;
        if let Slot::Ready(Ok(Value::List(list))) = &mut self.scopes[place].1 {
            for value in added.iter() {
                list.push(value?)?;
            }
        }
        Ok(None)
    }
}

fn is_accumulator(node: &Node, fold: &FoldNode) -> bool {
    matches!(node, Node::Variable(name) if *name == fold.accumulator)
}

/// The name of the Go type that holds such a value in cel-go.
fn go_type(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "types.Null",
        Value::Bool(_) => "types.Bool",
        Value::Int(_) => "types.Int",
        Value::Uint(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::String(_) => "types.String",
        Value::Bytes(_) => "types.Bytes",
        Value::Timestamp(_) => "types.Timestamp",
        Value::Duration(_) => "types.Duration",
        Value::Type(_) => "*types.Type",
        Value::Optional(_) => "*types.Optional",
        _ => "ref.Val",
    }
}
