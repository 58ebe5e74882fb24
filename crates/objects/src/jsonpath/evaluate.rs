//! Walks data along the steps of a path.

use std::borrow::Cow;

use goyaml::Value;

use super::JsonPathError;
use super::compare::compare;
use super::parse::{Piece, Slice, Step};
use crate::go_text;

/// One thing that a path has found: a part of the data, or a literal of the path itself. `None` is the item of a
/// loop that has no items: its body is walked once all the same, to find its end.
pub(super) type Item<'a> = Option<Cow<'a, Value>>;

/// What a path has found.
pub(super) type Found<'a> = Vec<Item<'a>>;

/// A walk that ended early, with what it had in hand: a filter without an operator counts that as found.
struct Stopped<'a> {
    error: JsonPathError,
    in_hand: Found<'a>,
}

type Walk<'a> = Result<Found<'a>, Stopped<'a>>;

fn stop(in_hand: Found<'_>, message: impl Into<String>) -> Walk<'_> {
    Err(Stopped { error: JsonPathError::new(message), in_hand })
}

/// The results of every piece.
pub(super) fn template<'a>(
    pieces: &[Piece],
    data: &'a Value,
    allow_missing: bool,
) -> Result<Vec<Found<'a>>, JsonPathError> {
    let mut walker = Walker { pieces, allow_missing, opened: 0, inside: 0, closed: 0, last_end: None };
    walker.block(0, &present(Cow::Borrowed(data)))
}

/// `null` has nothing in it, not even itself, when it is what a block is about.
fn present(value: Cow<'_, Value>) -> Item<'_> {
    if value.is_null() { None } else { Some(value) }
}

struct Walker<'p> {
    pieces: &'p [Piece],
    allow_missing: bool,
    /// Loops that the last piece has opened, loops that are open, loops that the last piece has closed.
    opened: usize,
    inside: usize,
    closed: usize,
    /// The piece that ended the last loop; the walk goes on after it.
    last_end: Option<usize>,
}

impl Walker<'_> {
    /// The pieces from `start` to the end of the block.
    fn block<'a>(&mut self, start: usize, data: &Item<'a>) -> Result<Vec<Found<'a>>, JsonPathError> {
        let mut results = Vec::new();
        let mut at = start;
        while let Some(piece) = self.pieces.get(at) {
            let found = match piece {
                Piece::Text(text) => vec![Some(literal(Value::String(text.clone())))],
                Piece::Action(steps) => {
                    self.path(steps, vec![data.clone()]).map_err(|stopped| stopped.error)?
                }
            };
            if self.closed > 0 && self.closed <= self.inside {
                self.closed -= 1;
                self.last_end = Some(at);
                break;
            }
            if self.opened > 0 {
                self.opened -= 1;
                self.inside += 1;
                if found.is_empty() {
                    self.block(at + 1, &None)?;
                }
                for item in found {
                    results.extend(self.block(at + 1, &item.and_then(present))?);
                }
                self.inside -= 1;
                at = self.last_end.filter(|end| *end > at).unwrap_or(at);
            } else {
                results.push(found);
            }
            at += 1;
        }
        Ok(results)
    }

    fn path<'a>(&mut self, steps: &[Step], mut found: Found<'a>) -> Walk<'a> {
        for step in steps {
            found = self.step(step, found)?;
        }
        Ok(found)
    }

    fn step<'a>(&mut self, step: &Step, input: Found<'a>) -> Walk<'a> {
        let each = |value: Value| input.iter().map(|_| Some(literal(value.clone()))).collect();
        match step {
            Step::Text(text) => Ok(vec![Some(literal(Value::String(text.clone())))]),
            Step::Integer(value) => Ok(each(Value::Int(*value))),
            Step::Float(value) => Ok(each(Value::Float(*value))),
            Step::Bool(value) => Ok(each(Value::Bool(*value))),
            Step::Field(name) => self.field(name, input),
            Step::Wildcard => Ok(input.into_iter().flatten().flat_map(children).collect()),
            Step::Recursive => Ok(input.into_iter().flatten().flat_map(descendants).collect()),
            Step::Slice(slice) => select(slice, &input),
            Step::Union(paths) => {
                let mut results = Vec::new();
                for steps in paths {
                    match self.path(steps, input.clone()) {
                        Ok(found) => results.extend(found),
                        Err(stopped) => return Err(Stopped { in_hand: input, ..stopped }),
                    }
                }
                Ok(results)
            }
            Step::Exists(steps) => self.filter(&input, |walker, item| {
                let (Ok(found) | Err(Stopped { in_hand: found, .. })) = walker.path(steps, vec![item]);
                Ok(!found.is_empty())
            }),
            Step::Filter { left, operator, right } => self.filter(&input, |walker, item| {
                let Some(left) = walker.one(left, item.clone())? else { return Ok(false) };
                let Some(right) = walker.one(right, item)? else { return Ok(false) };
                compare(&left, operator, &right)
            }),
            Step::Keyword { name, .. } => match name.as_str() {
                "range" => {
                    self.opened += 1;
                    Ok(input)
                }
                "end" if self.inside > 0 => {
                    self.closed += 1;
                    Ok(Vec::new())
                }
                "end" => stop(Vec::new(), "not in range, nothing to end"),
                _ => stop(input, format!("unrecognized identifier {name}")),
            },
        }
    }

    fn field<'a>(&self, name: &str, input: Found<'a>) -> Walk<'a> {
        if input.is_empty() {
            return Ok(input);
        }
        let found: Found<'a> = input
            .into_iter()
            .flatten()
            .filter_map(|value| match value {
                Cow::Borrowed(value) => value.get(name).map(Cow::Borrowed),
                Cow::Owned(value) => value.into_mapping()?.remove(name).map(Cow::Owned),
            })
            .map(Some)
            .collect();
        if found.is_empty() && !self.allow_missing {
            return stop(found, format!("{name} is not found"));
        }
        Ok(found)
    }

    fn filter<'a>(
        &mut self,
        input: &Found<'a>,
        passes: impl Fn(&mut Self, Item<'a>) -> Result<bool, JsonPathError>,
    ) -> Walk<'a> {
        let mut results = Vec::new();
        for item in input {
            let Some(value) = item.as_ref().filter(|value| value.as_sequence().is_some()) else {
                let shown =
                    item.as_ref().map_or("<invalid reflect.Value>".to_owned(), |value| go_text::text(value));
                return stop(input.clone(), format!("{shown} is not array or slice and cannot be filtered"));
            };
            for item in children(value.clone()) {
                match passes(self, item.clone()) {
                    Ok(true) => results.push(item),
                    Ok(false) => {}
                    Err(error) => return Err(Stopped { error, in_hand: input.clone() }),
                }
            }
        }
        Ok(results)
    }

    /// The one value that a side of a comparison is, if it is one.
    fn one<'a>(&mut self, steps: &[Step], item: Item<'a>) -> Result<Item<'a>, JsonPathError> {
        let mut found = self.path(steps, vec![item]).map_err(|stopped| stopped.error)?;
        if found.len() > 1 {
            return Err(JsonPathError::new("can only compare one element at a time"));
        }
        Ok(found.pop().flatten())
    }
}

fn literal<'a>(value: Value) -> Cow<'a, Value> {
    Cow::Owned(value)
}

/// The parts of a mapping or list, as long as the whole lives; of a text, its bytes.
fn children(value: Cow<'_, Value>) -> Found<'_> {
    match value {
        Cow::Borrowed(Value::Mapping(mapping)) => {
            mapping.values().map(|item| Some(Cow::Borrowed(item))).collect()
        }
        Cow::Borrowed(Value::Sequence(items)) => items.iter().map(|item| Some(Cow::Borrowed(item))).collect(),
        Cow::Owned(Value::Mapping(mapping)) => mapping.into_values().map(literal).map(Some).collect(),
        Cow::Owned(Value::Sequence(items)) => items.into_iter().map(literal).map(Some).collect(),
        Cow::Borrowed(Value::String(text)) => bytes(text),
        Cow::Owned(Value::String(text)) => bytes(&text),
        _ => Vec::new(),
    }
}

fn bytes<'a>(text: &str) -> Found<'a> {
    text.bytes().map(|byte| Some(literal(Value::Uint(byte.into())))).collect()
}

/// The value and everything below it that has parts of its own.
fn descendants(value: Cow<'_, Value>) -> Found<'_> {
    let below = children(value.clone());
    if below.is_empty() {
        return Vec::new();
    }
    std::iter::once(Some(value)).chain(below.into_iter().flatten().flat_map(descendants)).collect()
}

fn select<'a>(slice: &Slice, input: &Found<'a>) -> Walk<'a> {
    let mut results = Vec::new();
    for item in input {
        let Some(value) = item else { return stop(input.clone(), "nothing is not array or slice") };
        if value.is_null() {
            continue;
        }
        let Some(items) = value.as_sequence() else {
            return stop(input.clone(), format!("{} is not array or slice", go_text::type_name(value)));
        };
        let length = items.len() as i64;
        let mut from = slice.from.unwrap_or(0);
        let mut to = if slice.single { from.wrapping_add(1) } else { slice.to.unwrap_or(length) };
        if from < 0 {
            from += length;
        }
        if to < 0 || (to == 0 && slice.single) {
            to += length;
        }
        if from == to {
            return Ok(results);
        }
        let by = slice.by.unwrap_or(1);
        let problem = if !(0..length).contains(&from) {
            format!("array index out of bounds: index {from}, length {length}")
        } else if !(0..=length).contains(&to) {
            format!("array index out of bounds: index {}, length {length}", to - 1)
        } else if from > to {
            format!("starting index {from} is greater than ending index {to}")
        } else if by <= 0 {
            "step must be > 0".to_owned()
        } else {
            let chosen = children(value.clone()).into_iter().skip(from as usize).take((to - from) as usize);
            results.extend(chosen.step_by(by as usize));
            continue;
        };
        return stop(input.clone(), problem);
    }
    Ok(results)
}
