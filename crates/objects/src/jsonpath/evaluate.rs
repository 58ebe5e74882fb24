//! Walks data along the steps of a path.

use std::borrow::Cow;
use std::cmp::Ordering;

use goyaml::Value;

use super::JsonPathError;
use super::parse::{Piece, Slice, Step};

/// What a path has found: parts of the data, or literals of the path itself.
pub(super) type Found<'a> = Vec<Cow<'a, Value>>;

fn error<T>(message: impl Into<String>) -> Result<T, JsonPathError> {
    Err(JsonPathError(message.into()))
}

/// The results of every piece. `None` stands for the item of a loop that has none: paths in its body must still
/// lead somewhere.
pub(super) fn template<'a>(
    pieces: &[Piece],
    data: Option<&'a Value>,
) -> Result<Vec<Found<'a>>, JsonPathError> {
    let mut results = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => results.push(vec![Cow::Owned(Value::String(text.clone()))]),
            Piece::Path(steps) => results.push(path(steps, start(data))?),
            Piece::Range(steps, body) => {
                let items = path(steps, start(data))?;
                if items.is_empty() {
                    template(body, None)?;
                }
                for item in items {
                    // The body's results may outlive this item only if it is borrowed from the data.
                    match item {
                        Cow::Borrowed(item) => results.extend(template(body, Some(item))?),
                        Cow::Owned(item) => {
                            let owned = template(body, Some(&item))?;
                            results.extend(owned.into_iter().map(|found| {
                                found.into_iter().map(|value| Cow::Owned(value.into_owned())).collect()
                            }));
                        }
                    }
                }
            }
        }
    }
    Ok(results)
}

fn start(data: Option<&Value>) -> Found<'_> {
    data.map(Cow::Borrowed).into_iter().collect()
}

fn path<'a>(steps: &[Step], mut found: Found<'a>) -> Result<Found<'a>, JsonPathError> {
    for step in steps {
        found = self::step(step, found)?;
    }
    Ok(found)
}

fn step<'a>(step: &Step, input: Found<'a>) -> Result<Found<'a>, JsonPathError> {
    let literal = |value: Value| input.iter().map(|_| Cow::Owned(value.clone())).collect();
    match step {
        Step::Text(text) => Ok(vec![Cow::Owned(Value::String(text.clone()))]),
        Step::Integer(value) => Ok(literal(Value::Int(*value))),
        Step::Float(value) => Ok(literal(Value::Float(*value))),
        Step::Bool(value) => Ok(literal(Value::Bool(*value))),
        Step::Field(name) => field(name, input),
        Step::Wildcard => Ok(input.into_iter().flat_map(children).collect()),
        Step::Recursive => Ok(input.into_iter().flat_map(descendants).collect()),
        Step::Slice(slice) => select(slice, input),
        Step::Union(paths) => {
            let mut results = Vec::new();
            for steps in paths {
                results.extend(path(steps, input.clone())?);
            }
            Ok(results)
        }
        Step::Exists(steps) => filter(input, |item| {
            Ok(path(steps, vec![Cow::Borrowed(item)]).is_ok_and(|found| !found.is_empty()))
        }),
        Step::Filter { left, operator, right } => filter(input, |item| {
            let left = one(path(left, vec![Cow::Borrowed(item)])?)?;
            let right = one(path(right, vec![Cow::Borrowed(item)])?)?;
            match (left, right) {
                (Some(left), Some(right)) => compare(&left, operator, &right),
                _ => Ok(false),
            }
        }),
        Step::Keyword(name) if name == "end" => error("not in range, nothing to end"),
        Step::Keyword(name) => error(format!("unrecognized identifier {name}")),
    }
}

/// The parts of a mapping or list, as long as the whole lives.
fn children(value: Cow<'_, Value>) -> Found<'_> {
    match value {
        Cow::Borrowed(Value::Mapping(mapping)) => mapping.values().map(Cow::Borrowed).collect(),
        Cow::Borrowed(Value::Sequence(items)) => items.iter().map(Cow::Borrowed).collect(),
        Cow::Owned(Value::Mapping(mapping)) => mapping.into_values().map(Cow::Owned).collect(),
        Cow::Owned(Value::Sequence(items)) => items.into_iter().map(Cow::Owned).collect(),
        _ => Vec::new(),
    }
}

/// The value and everything below it that has parts of its own.
fn descendants(value: Cow<'_, Value>) -> Found<'_> {
    let below = children(value.clone());
    if below.is_empty() {
        return Vec::new();
    }
    std::iter::once(value).chain(below.into_iter().flat_map(descendants)).collect()
}

fn field<'a>(name: &str, input: Found<'a>) -> Result<Found<'a>, JsonPathError> {
    let found: Found<'a> = input
        .into_iter()
        .filter_map(|value| match value {
            Cow::Borrowed(value) => value.get(name).map(Cow::Borrowed),
            Cow::Owned(value) => value.into_mapping()?.remove(name).map(Cow::Owned),
        })
        .collect();
    if found.is_empty() { error(format!("{name} is not found")) } else { Ok(found) }
}

fn select<'a>(slice: &Slice, input: Found<'a>) -> Result<Found<'a>, JsonPathError> {
    let mut results = Vec::new();
    for value in input {
        if value.is_null() {
            continue;
        }
        let Some(items) = value.as_sequence() else {
            return error(format!("{} is not array or slice", kind(&value)));
        };
        let length = items.len() as i64;
        let mut from = slice.from.unwrap_or(0);
        let mut to = if slice.single { from + 1 } else { slice.to.unwrap_or(length) };
        if from < 0 {
            from += length;
        }
        if to < 0 || (to == 0 && slice.single) {
            to += length;
        }
        if from == to {
            continue;
        }
        if !(0..length).contains(&from) {
            return error(format!("array index out of bounds: index {from}, length {length}"));
        }
        if !(0..=length).contains(&to) {
            return error(format!("array index out of bounds: index {}, length {length}", to - 1));
        }
        if from > to {
            return error(format!("starting index {from} is greater than ending index {to}"));
        }
        let by = slice.by.unwrap_or(1);
        if by <= 0 {
            return error("step must be > 0");
        }
        let chosen = children(value).into_iter().skip(from as usize).take((to - from) as usize);
        results.extend(chosen.step_by(by as usize));
    }
    Ok(results)
}

fn filter(
    input: Found<'_>,
    passes: impl Fn(&Value) -> Result<bool, JsonPathError>,
) -> Result<Found<'_>, JsonPathError> {
    let mut results = Vec::new();
    for value in input {
        if value.as_sequence().is_none() {
            return error(format!("{} is not array or slice and cannot be filtered", kind(&value)));
        }
        for item in children(value) {
            if passes(&item)? {
                results.push(item);
            }
        }
    }
    Ok(results)
}

fn one(mut found: Found<'_>) -> Result<Option<Value>, JsonPathError> {
    if found.len() > 1 {
        return error("can only compare one element at a time");
    }
    Ok(found.pop().map(Cow::into_owned))
}

/// Values of one kind compare; an integer and a float do not, as in Go's templates.
fn compare(left: &Value, operator: &str, right: &Value) -> Result<bool, JsonPathError> {
    let ordering = match (left, right) {
        (Value::Bool(left), Value::Bool(right)) if matches!(operator, "==" | "!=") => left.cmp(right),
        (Value::Int(left), Value::Int(right)) => left.cmp(right),
        (Value::Float(left), Value::Float(right)) => left.partial_cmp(right).unwrap_or(Ordering::Less),
        (Value::String(left), Value::String(right)) => left.cmp(right),
        _ => return error("incompatible types for comparison"),
    };
    match operator {
        "==" => Ok(ordering.is_eq()),
        "!=" => Ok(ordering.is_ne()),
        "<" => Ok(ordering.is_lt()),
        "<=" => Ok(ordering.is_le()),
        ">" => Ok(ordering.is_gt()),
        ">=" => Ok(ordering.is_ge()),
        _ => error(format!("unrecognized filter operator {operator}")),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Uint(_) => "int64",
        Value::Float(_) | Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Sequence(_) => "[]interface {}",
        Value::Mapping(_) => "map[string]interface {}",
    }
}
