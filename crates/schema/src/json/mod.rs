//! JSON as it was written: fields in their order, doubled fields too, numbers with their digits.
//!
//! A [`serde_json::Value`] has forgotten all that, and Go's server has not: its complaints come in the order of the
//! document, `1.0` is no integer, and a JSON patch compares the spelling of values.

mod parse;
mod show;

use goyaml::json::{float_text, push_string};
use serde_json::{Map, Number, Value};

pub use parse::SyntaxError;
pub use show::{show, show_all};

/// A JSON document.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A number, by its digits.
    Number(Box<str>),
    /// Text.
    String(Text),
    /// A sequence.
    List(Vec<Tree>),
    /// Fields in the order of the document; one name may stand there twice.
    Object(Vec<(String, Tree)>),
}

/// Text, and how it was spelled. Two are equal if both are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    value: String,
    /// As it stood in the document, quotes included, where Go would write it otherwise.
    spelling: Option<Box<str>>,
}

impl Text {
    /// Text as Go spells it.
    pub fn new(value: impl Into<String>) -> Self {
        Self { value: value.into(), spelling: None }
    }

    /// Text that a document spelled in its own way, quotes included.
    fn spelled(value: String, spelling: &str) -> Self {
        let usual = spelling.bytes().all(|byte| !matches!(byte, b'\\' | b'<' | b'>' | b'&' | 0xe2));
        let mut own = None;
        if !usual {
            let mut written = String::with_capacity(spelling.len());
            push_string(&mut written, &value, true);
            own = (written != spelling).then(|| spelling.into());
        }
        Self { value, spelling: own }
    }

    /// What it says.
    pub fn as_str(&self) -> &str {
        &self.value
    }

    /// What it says, owned.
    pub fn into_string(self) -> String {
        self.value
    }

    /// As it stood in the document, between the quotes.
    pub(crate) fn inner_spelling(&self) -> std::borrow::Cow<'_, str> {
        if let Some(spelling) = &self.spelling {
            return spelling.trim_matches('"').into();
        }
        if self.value.bytes().all(|byte| byte >= 0x20 && !matches!(byte, b'"' | b'\\' | b'<' | b'>' | b'&')) {
            return (&self.value).into();
        }
        let mut written = String::new();
        push_string(&mut written, &self.value, true);
        written[1..written.len() - 1].to_owned().into()
    }
}

impl Tree {
    /// Reads a document; what is wrong with it is told in Go's words.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        parse::parse(text)
    }

    /// An empty object.
    pub fn object() -> Self {
        Self::Object(Vec::new())
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The field of an object; of doubled fields the last.
    pub fn get(&self, name: &str) -> Option<&Tree> {
        match self {
            Self::Object(entries) => {
                entries.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The text, if it is text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text.as_str()),
            _ => None,
        }
    }

    /// The word by which Go's decoder calls this kind of value.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::List(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// As Go holds it in an `interface{}`: numbers without a point are integers if they fit, of doubled fields the
    /// last counts.
    pub fn into_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Number(digits) => number(&digits).map_or(Value::Null, Value::Number),
            Self::String(text) => Value::String(text.value),
            Self::List(items) => Value::Array(items.into_iter().map(Self::into_value).collect()),
            Self::Object(entries) => {
                Value::Object(entries.into_iter().map(|(name, value)| (name, value.into_value())).collect())
            }
        }
    }
}

/// A number as Go holds it when no type says otherwise; nothing if it is beyond all bounds.
pub(crate) fn number(digits: &str) -> Option<Number> {
    if !digits.contains('.')
        && let Ok(integer) = digits.parse::<i64>()
    {
        return Some(integer.into());
    }
    digits.parse::<f64>().ok().and_then(Number::from_f64)
}

/// A floating point number as it comes back from the store: without a fraction it is an integer.
pub(crate) fn float(value: f64) -> Option<Number> {
    if value.fract() == 0.0 && value.abs() < 9.0e15 {
        return Some(Number::from(value as i64));
    }
    Number::from_f64(value)
}

impl From<Value> for Tree {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(match number.as_f64() {
                Some(float) if number.is_f64() => float_text(float).into(),
                _ => number.to_string().into(),
            }),
            Value::String(text) => Self::String(Text::new(text)),
            Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Value::Object(fields) => Self::from(fields),
        }
    }
}

impl From<Map<String, Value>> for Tree {
    fn from(fields: Map<String, Value>) -> Self {
        Self::Object(fields.into_iter().map(|(name, value)| (name, value.into())).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn spelling_counts_only_where_go_spells_otherwise() {
        let same = |a: &str, b: &str| Tree::parse(a).unwrap() == Tree::parse(b).unwrap();
        assert!(same(r#""a""#, r#"  "a" "#));
        assert!(!same(r#""a""#, r#""\u0061""#));
        assert!(!same(r#""<""#, r#""\u003c""#));
        assert!(!same("1", "1.0"));
        let stored = Tree::from(json!("<"));
        assert_eq!(stored, Tree::parse(r#""\u003c""#).unwrap());
        assert_ne!(stored, Tree::parse(r#""<""#).unwrap());
    }

    #[test]
    fn numbers_become_what_go_makes_of_them() {
        let value = |text: &str| Tree::parse(text).unwrap().into_value();
        assert_eq!(value("[1, -2, 9223372036854775807]"), json!([1, -2, 9_223_372_036_854_775_807_i64]));
        assert!(value("1.0").is_f64());
        assert!(value("1e3").is_f64());
        assert!(value("9223372036854775808").is_f64());
        assert_eq!(value(r#"{"a": 1, "a": {"b": null}}"#), json!({"a": {"b": null}}));
    }
}
