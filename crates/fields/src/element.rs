//! One step of a path: a field, or an item of a list by its keys, its value or its place.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

use serde_json::{Number, Value};

use crate::gotext::{Quoted, write_json, write_json_string, write_number};
use crate::order;

/// One step of a path. Names and values are borrowed from the object or the stored entry where possible.
#[derive(Debug, Clone)]
pub enum PathElement<'a> {
    /// A field of an object, or an entry of a map.
    Field(Cow<'a, str>),
    /// The item of a list whose key fields have these values; sorted by name.
    Key(Box<[(Cow<'a, str>, Cow<'a, Value>)]>),
    /// The item of a set that has this value.
    Value(Cow<'a, Value>),
    /// The item at this place.
    Index(i64),
}

/// Why a step written by somebody else cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ElementError {
    /// Too short to be a step.
    #[error("key must be 2 characters long:")]
    Short,
    /// No colon after the first letter.
    #[error("missing colon: {0}")]
    NoColon(String),
    /// A kind of step from the future, to be passed over.
    #[error("unknown path element type")]
    Unknown,
    /// The value after the colon is not JSON.
    #[error("{0}")]
    Json(String),
    /// The place is not a number.
    #[error("strconv.Atoi: parsing {}: invalid syntax", Quoted(.0))]
    Index(String),
}

impl<'a> PathElement<'a> {
    /// A field of that name.
    pub fn field(name: impl Into<Cow<'a, str>>) -> Self {
        Self::Field(name.into())
    }

    /// The item with these keys.
    pub fn key<N: Into<Cow<'a, str>>>(keys: impl IntoIterator<Item = (N, Value)>) -> Self {
        let mut keys: Vec<_> =
            keys.into_iter().map(|(name, value)| (name.into(), Cow::Owned(value))).collect();
        keys.sort_by(|(left, _), (right, _)| left.cmp(right));
        Self::Key(keys.into())
    }

    /// The item with this value.
    pub fn value(value: impl Into<Value>) -> Self {
        Self::Value(Cow::Owned(value.into()))
    }

    /// Reads a step as it stands in `FieldsV1`: `f:name`, `k:{"name":"a"}`, `v:"a"`, `i:0`.
    pub fn parse(text: &'a str) -> Result<Self, ElementError> {
        let mut bytes = text.bytes();
        let (Some(kind), Some(colon)) = (bytes.next(), bytes.next()) else { return Err(ElementError::Short) };
        if colon != b':' {
            return Err(ElementError::NoColon(text.into()));
        }
        let rest = &text[2..];
        match kind {
            b'f' => Ok(Self::Field(Cow::Borrowed(rest))),
            b'v' => Ok(Self::Value(Cow::Owned(read(rest)?))),
            b'k' => match read(rest)? {
                Value::Object(keys) => Ok(Self::Key(
                    keys.into_iter().map(|(name, value)| (Cow::Owned(name), Cow::Owned(value))).collect(),
                )),
                _ => Err(ElementError::Json("expect { or n".into())),
            },
            b'i' => rest.parse().map(Self::Index).map_err(|_| ElementError::Index(rest.into())),
            _ => Err(ElementError::Unknown),
        }
    }

    /// Writes the step as it stands in `FieldsV1`.
    pub fn write(&self, out: &mut String) {
        match self {
            Self::Field(name) => {
                out.push_str("f:");
                out.push_str(name);
            }
            Self::Key(keys) => {
                out.push_str("k:{");
                for (at, (name, value)) in keys.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    write_json_string(out, name, false);
                    out.push(':');
                    write_json(out, value);
                }
                out.push('}');
            }
            Self::Value(value) => {
                out.push_str("v:");
                write_json(out, value);
            }
            Self::Index(at) => {
                out.push_str("i:");
                out.push_str(&at.to_string());
            }
        }
    }

    /// The same step, holding its own text.
    pub fn into_owned(self) -> PathElement<'static> {
        match self {
            Self::Field(name) => PathElement::Field(Cow::Owned(name.into_owned())),
            Self::Key(keys) => PathElement::Key(
                keys.into_iter()
                    .map(|(name, value)| (Cow::Owned(name.into_owned()), Cow::Owned(value.into_owned())))
                    .collect(),
            ),
            Self::Value(value) => PathElement::Value(Cow::Owned(value.into_owned())),
            Self::Index(at) => PathElement::Index(at),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Field(_) => 0,
            Self::Key(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
        }
    }
}

/// Reads a value of a stored step. All its numbers become floating, as the real server reads them; refusals show it.
fn read(text: &str) -> Result<Value, ElementError> {
    let mut value = serde_json::from_str(text).map_err(|error| ElementError::Json(error.to_string()))?;
    float(&mut value);
    Ok(value)
}

fn float(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(float) = number.as_f64().and_then(Number::from_f64) {
                *number = float;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(float),
        Value::Object(entries) => entries.values_mut().for_each(float),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

impl Ord for PathElement<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Field(left), Self::Field(right)) => left.as_bytes().cmp(right.as_bytes()),
            (Self::Key(left), Self::Key(right)) => left
                .iter()
                .zip(right)
                .map(|((l, left), (r, right))| l.cmp(r).then_with(|| order::compare(left, right)))
                .find(|order| order.is_ne())
                .unwrap_or_else(|| left.len().cmp(&right.len())),
            (Self::Value(left), Self::Value(right)) => order::compare(left, right),
            (Self::Index(left), Self::Index(right)) => left.cmp(right),
            (left, right) => left.rank().cmp(&right.rank()),
        }
    }
}

impl PartialOrd for PathElement<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PathElement<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for PathElement<'_> {}

/// As refusals show a step: `.name`, `[name="a"]`, `[="a"]`, `[0]`.
impl fmt::Display for PathElement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(keys) => {
                for (at, (name, value)) in keys.iter().enumerate() {
                    write!(f, "{}{name}={}", if at == 0 { '[' } else { ',' }, Shown(value))?;
                }
                f.write_str(if keys.is_empty() { "[]" } else { "]" })
            }
            Self::Value(value) => write!(f, "[={}]", Shown(value)),
            Self::Index(at) => write!(f, "[{at}]"),
        }
    }
}

struct Shown<'a>(&'a Value);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("null"),
            Value::Bool(flag) => write!(f, "{flag}"),
            Value::Number(number) => write_number(f, number),
            Value::String(text) => Quoted(text).fmt(f),
            Value::Array(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    write!(f, "{}{}", if at == 0 { "" } else { "," }, Shown(item))?;
                }
                f.write_str("]")
            }
            Value::Object(entries) => {
                entries.iter().try_for_each(|(name, value)| write!(f, "{name}={}", Shown(value)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn steps_are_read_and_written() {
        for text in [
            "f:",
            "f:name",
            "f:a.b/c:d",
            r#"k:{"name":"a"}"#,
            r#"k:{"containerPort":8080,"protocol":"TCP"}"#,
            r#"v:"a""#,
            "v:1",
            "v:true",
            "v:null",
            r#"v:{"a":[1,2.5]}"#,
            "i:3",
        ] {
            let mut out = String::new();
            PathElement::parse(text).expect(text).write(&mut out);
            assert_eq!(out, text);
        }
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        for (text, error) in [
            ("f", "key must be 2 characters long:"),
            ("ab", "missing colon: ab"),
            ("x:1", "unknown path element type"),
            ("i:a", r#"strconv.Atoi: parsing "a": invalid syntax"#),
        ] {
            assert_eq!(PathElement::parse(text).unwrap_err().to_string(), error);
        }
        assert!(matches!(PathElement::parse("v:{"), Err(ElementError::Json(_))));
        assert!(matches!(PathElement::parse("k:[1]"), Err(ElementError::Json(_))));
    }

    #[test]
    fn fields_come_first_then_keys_values_and_places() {
        let sorted = [
            PathElement::field("a"),
            PathElement::field("b"),
            PathElement::key([("name", json!("a"))]),
            PathElement::key([("name", json!("a")), ("x", json!(1))]),
            PathElement::key([("port", json!(9))]),
            PathElement::key([("port", json!(10))]),
            PathElement::value(9),
            PathElement::value(10),
            PathElement::value("a"),
            PathElement::Index(2),
            PathElement::Index(10),
        ];
        assert!(sorted.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn steps_are_shown_as_in_refusals() {
        for (element, text) in [
            (PathElement::field("a"), ".a"),
            (
                PathElement::key([("protocol", json!("TCP")), ("port", json!(80))]),
                r#"[port=80,protocol="TCP"]"#,
            ),
            (PathElement::value("x\"y"), r#"[="x\"y"]"#),
            (PathElement::value(json!([1, "a"])), r#"[=[1,"a"]]"#),
            (PathElement::Index(0), "[0]"),
        ] {
            assert_eq!(element.to_string(), text);
        }
    }

    #[test]
    fn numbers_of_stored_keys_are_floating() {
        let stored = PathElement::parse(r#"k:{"port":1000000}"#).unwrap();
        assert_eq!(stored.to_string(), "[port=1e+06]");
        assert_eq!(stored, PathElement::key([("port", json!(1_000_000))]));
    }
}
