//! Whether a schema that is well-formed accepts a value. `None` stands for what is not known for sure.

use std::cell::Cell;
use std::cmp::Ordering;

use gotmpl::Value;
use jsonschema::Draft;

use super::document::Json;
use super::pattern::Patterns;
use super::place;

/// How deep values, and references that lead to references, are followed.
const DEPTH: usize = 100;

/// How many schemas are asked; alternatives inside of alternatives could be very many.
const STEPS: usize = 1_000_000;

/// Below this, whole numbers and floats are compared without loss.
const EXACT: f64 = 9.0e15;

/// One question, with all that is needed to answer it.
pub(super) struct Check<'s, 'a> {
    root: &'s Json<'a>,
    draft: Draft,
    patterns: &'s Patterns<'s>,
    steps: Cell<usize>,
}

/// A number as JSON has it.
#[derive(Clone, Copy)]
enum Number {
    Whole(i128),
    Fraction(f64),
}

impl Number {
    /// Floats that are whole become whole numbers, as they do for the validator.
    fn of_float(number: f64) -> Option<Self> {
        if !number.is_finite() || number.abs() >= EXACT {
            None
        } else if number.fract() == 0.0 {
            Some(Self::Whole(number as i128))
        } else {
            Some(Self::Fraction(number))
        }
    }

    fn of_json(json: &Json<'_>) -> Option<Self> {
        match json {
            Json::Integer(number) => Some(Self::Whole(*number)),
            Json::Float(number) => Self::of_float(*number),
            _ => None,
        }
    }

    fn compare(self, other: Self) -> Option<Ordering> {
        let float = |number: i128| Some(number as f64).filter(|float| float.abs() < EXACT);
        match (self, other) {
            (Self::Whole(left), Self::Whole(right)) => Some(left.cmp(&right)),
            (Self::Whole(left), Self::Fraction(right)) => float(left)?.partial_cmp(&right),
            (Self::Fraction(left), Self::Whole(right)) => left.partial_cmp(&float(right)?),
            (Self::Fraction(left), Self::Fraction(right)) => left.partial_cmp(&right),
        }
    }
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(..) | Value::Uint(..) | Value::Float(_))
}

/// The number in a value, if it is one that is known exactly.
fn number_of(value: &Value) -> Option<Number> {
    match value {
        Value::Int(_, number) => Some(Number::Whole((*number).into())),
        Value::Uint(_, number) => Some(Number::Whole((*number).into())),
        Value::Float(number) => Number::of_float(*number),
        _ => None,
    }
}

/// Whether a number is on the right side of a limit; what is no number always is.
fn compares(value: &Value, limit: &Json<'_>, fits: fn(Ordering) -> bool) -> Option<bool> {
    if !is_number(value) {
        return Some(true);
    }
    number_of(value)?.compare(Number::of_json(limit)?).map(fits)
}

impl<'s, 'a> Check<'s, 'a> {
    pub(super) fn new(root: &'s Json<'a>, draft: Draft, patterns: &'s Patterns<'s>) -> Self {
        Self { root, draft, patterns, steps: Cell::new(0) }
    }

    pub(super) fn decide(&self, value: &Value) -> Option<bool> {
        self.accepts(self.root, value, 0)
    }

    fn accepts(&self, schema: &Json<'a>, value: &Value, depth: usize) -> Option<bool> {
        self.steps.set(self.steps.get() + 1);
        if depth > DEPTH || self.steps.get() > STEPS {
            return None;
        }
        if !is_plain(value) {
            return None;
        }
        let entries = match schema {
            Json::Bool(accepts) => return Some(*accepts),
            Json::Object(entries) => entries,
            _ => return None,
        };
        if let Some(Json::String(reference)) = schema.get("$ref") {
            let target = place::resolve(self.root, reference)?;
            let accepted = self.accepts(target, value, depth + 1)?;
            // What stands beside a reference counts in newer drafts only, but for what draft 4 did not have.
            let newer = ["const", "contains", "propertyNames", "if", "then", "else"];
            if !accepted || self.draft == Draft::Draft7 {
                return if newer.iter().any(|keyword| schema.get(keyword).is_some()) {
                    None
                } else {
                    Some(accepted)
                };
            }
        }
        for (key, argument) in entries {
            if !self.keyword(schema, key, argument, value, depth)? {
                return Some(false);
            }
        }
        Some(true)
    }

    fn keyword(
        &self,
        schema: &Json<'a>,
        key: &str,
        argument: &Json<'a>,
        value: &Value,
        depth: usize,
    ) -> Option<bool> {
        Some(match (key, argument) {
            ("type", Json::Array(names)) => {
                let mut matches = false;
                for name in names {
                    matches |= is_of_type(name, value)?;
                }
                matches
            }
            ("type", name) => is_of_type(name, value)?,
            ("enum", Json::Array(items)) => {
                let mut found = false;
                for item in items {
                    found |= is_equal(item, value)?;
                }
                found
            }
            ("const", expected) => is_equal(expected, value)?,
            ("minimum", limit) => compares(value, limit, Ordering::is_ge)?,
            ("maximum", limit) => compares(value, limit, Ordering::is_le)?,
            ("exclusiveMinimum", limit) => compares(value, limit, Ordering::is_gt)?,
            ("exclusiveMaximum", limit) => compares(value, limit, Ordering::is_lt)?,
            ("allOf", Json::Array(schemas)) => self.count(schemas, value, depth)? == schemas.len(),
            ("anyOf", Json::Array(schemas)) => {
                // Most often the first alternative fits, and the others need not be looked at.
                for schema in schemas {
                    if self.accepts(schema, value, depth + 1)? {
                        return Some(true);
                    }
                }
                false
            }
            ("oneOf", Json::Array(schemas)) => self.count(schemas, value, depth)? == 1,
            ("not", schema) => !self.accepts(schema, value, depth + 1)?,
            ("if", condition) => {
                let branch = if self.accepts(condition, value, depth + 1)? { "then" } else { "else" };
                match schema.get(branch) {
                    Some(branch) => self.accepts(branch, value, depth + 1)?,
                    None => true,
                }
            }
            _ => match value {
                Value::String(text) => self.text_keyword(key, argument, &text.to_str())?,
                Value::List(list) => self.list_keyword(key, argument, &list.borrow(), depth)?,
                Value::Map(_) => self.map_keyword(schema, key, argument, value, depth)?,
                _ => true,
            },
        })
    }

    /// How many of the schemas accept the value.
    fn count(&self, schemas: &[Json<'a>], value: &Value, depth: usize) -> Option<usize> {
        let mut count = 0;
        for schema in schemas {
            count += usize::from(self.accepts(schema, value, depth + 1)?);
        }
        Some(count)
    }

    fn text_keyword(&self, key: &str, argument: &Json<'a>, text: &str) -> Option<bool> {
        Some(match (key, argument) {
            ("minLength", Json::Integer(limit)) => text.chars().count() as i128 >= *limit,
            ("maxLength", Json::Integer(limit)) => text.chars().count() as i128 <= *limit,
            ("pattern", Json::String(pattern)) => self.patterns.occurs(pattern, text)?,
            // Formats are remarks in newer drafts, and checks in older ones.
            ("format", _) if self.draft == Draft::Draft7 => return None,
            _ => true,
        })
    }

    fn list_keyword(&self, key: &str, argument: &Json<'a>, list: &[Value], depth: usize) -> Option<bool> {
        Some(match (key, argument) {
            ("minItems", Json::Integer(limit)) => list.len() as i128 >= *limit,
            ("maxItems", Json::Integer(limit)) => list.len() as i128 <= *limit,
            ("uniqueItems", Json::Bool(true)) if list.len() > 1 => return None,
            ("items", Json::Array(schemas)) => {
                for (schema, item) in schemas.iter().zip(list) {
                    if !self.accepts(schema, item, depth + 1)? {
                        return Some(false);
                    }
                }
                true
            }
            ("items", schema) => {
                for item in list {
                    if !self.accepts(schema, item, depth + 1)? {
                        return Some(false);
                    }
                }
                true
            }
            _ => true,
        })
    }

    fn map_keyword(
        &self,
        schema: &Json<'a>,
        key: &str,
        argument: &Json<'a>,
        value: &Value,
        depth: usize,
    ) -> Option<bool> {
        let Value::Map(map) = value else { return Some(true) };
        let map = map.borrow();
        match (key, argument) {
            ("minProperties", Json::Integer(limit)) => return Some(map.len() as i128 >= *limit),
            ("maxProperties", Json::Integer(limit)) => return Some(map.len() as i128 <= *limit),
            ("required", Json::Array(names)) => {
                let has = |name: &Json<'_>| matches!(name, Json::String(name) if map.contains_key(&**name));
                return Some(names.iter().all(has));
            }
            ("properties", Json::Object(properties)) => {
                for (name, schema) in properties {
                    if let Some(value) = map.get(&**name)
                        && !self.accepts(schema, value, depth + 1)?
                    {
                        return Some(false);
                    }
                }
            }
            ("patternProperties", Json::Object(patterns)) => {
                for (pattern, schema) in patterns {
                    for (name, value) in &*map {
                        if self.patterns.occurs(pattern, name)? && !self.accepts(schema, value, depth + 1)? {
                            return Some(false);
                        }
                    }
                }
            }
            // Everything is welcome, so nobody needs to know what else there is.
            ("additionalProperties", Json::Bool(true)) => {}
            ("additionalProperties", additional) => {
                let properties = schema.get("properties");
                let patterns = match schema.get("patternProperties") {
                    Some(Json::Object(patterns)) => patterns.as_slice(),
                    _ => &[],
                };
                for (name, value) in &*map {
                    if properties.is_some_and(|properties| properties.get(name).is_some()) {
                        continue;
                    }
                    let mut matched = false;
                    for (pattern, _) in patterns {
                        matched |= self.patterns.occurs(pattern, name)?;
                    }
                    if !matched && !self.accepts(additional, value, depth + 1)? {
                        return Some(false);
                    }
                }
            }
            _ => {}
        }
        Some(true)
    }
}

/// Whether a value is of a kind that files hold.
fn is_plain(value: &Value) -> bool {
    matches!(
        value,
        Value::Nil
            | Value::Bool(_)
            | Value::Int(..)
            | Value::Uint(..)
            | Value::Float(_)
            | Value::String(_)
            | Value::List(_)
            | Value::Map(_)
    )
}

fn is_of_type(name: &Json<'_>, value: &Value) -> Option<bool> {
    let Json::String(name) = name else { return None };
    Some(match value {
        Value::Nil => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::String(_) => name == "string",
        Value::List(_) => name == "array",
        Value::Map(_) => name == "object",
        _ => match number_of(value)? {
            Number::Whole(_) => name == "integer" || name == "number",
            Number::Fraction(_) => name == "number",
        },
    })
}

fn is_equal(expected: &Json<'_>, value: &Value) -> Option<bool> {
    Some(match (expected, value) {
        (Json::Null, Value::Nil) => true,
        (Json::Bool(expected), Value::Bool(value)) => expected == value,
        (Json::String(expected), Value::String(text)) => **expected == *text.to_str(),
        (Json::Integer(_), value) if is_number(value) => {
            number_of(value)?.compare(Number::of_json(expected)?)?.is_eq()
        }
        // Whether 1.0 is 1 in a list of values is for others to say.
        (Json::Float(_), value) if is_number(value) => return None,
        (Json::Array(expected), Value::List(list)) => {
            let list = list.borrow();
            if expected.len() != list.len() {
                return Some(false);
            }
            for (expected, value) in expected.iter().zip(list.iter()) {
                if !is_equal(expected, value)? {
                    return Some(false);
                }
            }
            true
        }
        (Json::Object(entries), Value::Map(map)) => {
            let map = map.borrow();
            if entries.len() != map.len() {
                return Some(false);
            }
            for (key, expected) in entries {
                match map.get(&**key) {
                    Some(value) if is_equal(expected, value)? => {}
                    _ => return Some(false),
                }
            }
            true
        }
        (_, value) if is_plain(value) => false,
        _ => return None,
    })
}
