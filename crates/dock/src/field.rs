//! What can be wrong with a field, in the words of the real server.

use std::fmt;

use serde_json::Value;

use crate::status::Cause;

/// The path of a field: `spec.containers[0].name`, `metadata.labels[app.kubernetes.io/name]`. Cheap to extend.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Path(String);

/// What is wrong with one field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldError {
    /// What sort of thing is wrong.
    pub problem: Problem,
    /// Which field.
    pub path: Path,
    /// What stood there.
    pub value: Value,
    /// How the server shows what stood there, where that is not as JSON of the field itself. Nothing is shown if
    /// this is empty.
    pub shown: Option<String>,
    /// What was expected.
    pub detail: String,
}

/// The sorts of things that can be wrong with a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// The field names something that is not there.
    NotFound,
    /// It must be there.
    Required,
    /// It must be there only once.
    Duplicate,
    /// It is there, but means nothing.
    Invalid,
    /// It is none of the values that are known.
    NotSupported,
    /// It may not be there, or may not change.
    Forbidden,
    /// It is too long.
    TooLong,
    /// There are too many.
    TooMany,
    /// It has the wrong type.
    TypeInvalid,
    /// The server is at fault.
    Internal,
}

impl Path {
    /// The path of a field of the object itself. An empty name is the object.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The path of a field below this one.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        if self.0.is_empty() { Self(name.into()) } else { Self(format!("{}.{name}", self.0)) }
    }

    /// The path of an item of this list.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        Self(format!("{}[{index}]", self.0))
    }

    /// The path of an entry of this map.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        Self(format!("{}[{key}]", self.0))
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "<nil>" } else { &self.0 })
    }
}

impl FieldError {
    fn new(problem: Problem, path: &Path, value: Value, detail: impl Into<String>) -> Self {
        Self { problem, path: path.clone(), value, shown: None, detail: detail.into() }
    }

    /// It must be there.
    pub fn required(path: &Path, detail: impl Into<String>) -> Self {
        Self::new(Problem::Required, path, Value::String(String::new()), detail)
    }

    /// It means nothing.
    pub fn invalid(path: &Path, value: impl Into<Value>, detail: impl Into<String>) -> Self {
        Self::new(Problem::Invalid, path, value.into(), detail)
    }

    /// It is none of the known values, which are told in the order given.
    pub fn not_supported(path: &Path, value: impl Into<Value>, known: &[&str]) -> Self {
        let known: Vec<String> = known.iter().map(|word| quoted(word)).collect();
        let detail =
            if known.is_empty() { String::new() } else { format!("supported values: {}", known.join(", ")) };
        Self::new(Problem::NotSupported, path, value.into(), detail)
    }

    /// It is there twice.
    pub fn duplicate(path: &Path, value: impl Into<Value>) -> Self {
        Self::new(Problem::Duplicate, path, value.into(), "")
    }

    /// It may not be there, or may not change.
    pub fn forbidden(path: &Path, detail: impl Into<String>) -> Self {
        Self::new(Problem::Forbidden, path, Value::String(String::new()), detail)
    }

    /// It names something that is not there.
    pub fn not_found(path: &Path, value: impl Into<Value>) -> Self {
        Self::new(Problem::NotFound, path, value.into(), "")
    }

    /// It is too long.
    pub fn too_long(path: &Path, max_bytes: usize) -> Self {
        let plural = if max_bytes == 1 { "byte" } else { "bytes" };
        Self::new(Problem::TooLong, path, Value::Null, format!("may not be more than {max_bytes} {plural}"))
    }

    /// There are too many.
    pub fn too_many(path: &Path, actual: usize, max: usize) -> Self {
        let plural = if max == 1 { "item" } else { "items" };
        Self::new(Problem::TooMany, path, actual.into(), format!("must have at most {max} {plural}"))
    }

    /// The server is at fault.
    pub fn internal(path: &Path, detail: impl Into<String>) -> Self {
        Self::new(Problem::Internal, path, Value::Null, detail)
    }

    /// It has the wrong type.
    pub fn type_invalid(path: &Path, value: impl Into<Value>, detail: impl Into<String>) -> Self {
        Self::new(Problem::TypeInvalid, path, value.into(), detail)
    }

    /// Shows the value in these words; not at all if there are none.
    #[must_use]
    pub fn showing(mut self, text: impl Into<String>) -> Self {
        self.shown = Some(text.into());
        self
    }

    /// The words without the path, as a cause shows them.
    fn body(&self) -> String {
        let (words, shows_value) = match self.problem {
            Problem::NotFound => ("Not found", true),
            Problem::Required => ("Required value", false),
            Problem::Duplicate => ("Duplicate value", true),
            Problem::Invalid | Problem::TypeInvalid => ("Invalid value", true),
            Problem::NotSupported => ("Unsupported value", true),
            Problem::Forbidden => ("Forbidden", false),
            Problem::TooLong => ("Too long", false),
            Problem::TooMany => ("Too many", true),
            Problem::Internal => ("Internal error", false),
        };
        let mut text = words.to_owned();
        if shows_value && self.shown.as_deref() != Some("") {
            text.push_str(": ");
            match &self.shown {
                Some(shown) => text.push_str(shown),
                None => text.push_str(&shown(&self.value)),
            }
        }
        if !self.detail.is_empty() {
            text.push_str(": ");
            text.push_str(&self.detail);
        }
        text
    }

    /// The entry of `details.causes`.
    pub fn cause(&self) -> Cause {
        let reason = match self.problem {
            Problem::NotFound => "FieldValueNotFound",
            Problem::Required => "FieldValueRequired",
            Problem::Duplicate => "FieldValueDuplicate",
            Problem::Invalid => "FieldValueInvalid",
            Problem::NotSupported => "FieldValueNotSupported",
            Problem::Forbidden => "FieldValueForbidden",
            Problem::TooLong => "FieldValueTooLong",
            Problem::TooMany => "FieldValueTooMany",
            Problem::TypeInvalid => "FieldValueTypeInvalid",
            Problem::Internal => "InternalError",
        };
        Cause { reason: reason.into(), message: self.body(), field: self.path.to_string() }
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.body())
    }
}

/// Go prints strings quoted, the rest of the single values plainly, and structures as JSON.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Number(number) if number.is_f64() => {
            goyaml::strconv::format_float(number.as_f64().unwrap_or_default(), b'g', -1, 64)
        }
        other => goyaml::json::to_string(other).unwrap_or_else(|_| other.to_string()),
    }
}

/// Text in quotes as Go writes it with `%q`.
pub fn quoted(text: &str) -> String {
    goyaml::strconv::quote(text)
}
