//! The types that read and write themselves in Go.

use serde_json::Value;

use crate::json::{Tree, float, number};
use crate::scalar::{Moment, Quantity, QuantityError};
use crate::structure::Scalar;

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// The wrong kind of value: what it is, where below the place that is being read, and what it should be.
    Type { value: String, field: String, go_type: String },
    /// Anything else.
    Other(String),
}

impl Fault {
    pub(super) fn of(tree: &Tree, go_type: &str) -> Self {
        Self::Type { value: tree.kind().to_owned(), field: String::new(), go_type: go_type.to_owned() }
    }

    pub(super) fn number(digits: &str, go_type: &str) -> Self {
        Self::Type { value: format!("number {digits}"), field: String::new(), go_type: go_type.to_owned() }
    }
}

/// Untyped places that have a structure after all, known by Go's name of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    /// Anything, kept as it is: doubled fields and all.
    Raw,
    /// An `interface{}`.
    Interface,
    /// A schema, true or false.
    SchemaOrBool,
    /// A schema or several.
    SchemaOrSchemas,
    /// A schema or names of fields.
    SchemaOrNames,
}

impl Open {
    pub(super) fn of(go_type: Option<&str>) -> Self {
        match go_type {
            None => Self::Interface,
            Some("v1.JSONSchemaPropsOrBool") => Self::SchemaOrBool,
            Some("v1.JSONSchemaPropsOrArray") => Self::SchemaOrSchemas,
            Some("v1.JSONSchemaPropsOrStringArray") => Self::SchemaOrNames,
            Some(_) => Self::Raw,
        }
    }
}

/// The type of schemas in definitions of custom kinds.
pub(super) const SCHEMA_TYPE: &str =
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/// Reads and writes a moment, an amount, or a number or text; null is nothing.
pub(super) fn scalar(scalar: Scalar, tree: Tree) -> Result<Value, Fault> {
    let other = |error: &dyn std::fmt::Display| Fault::Other(error.to_string());
    match (scalar, tree) {
        (Scalar::Time | Scalar::MicroTime, Tree::Null) => Ok(Value::Null),
        (Scalar::Time, Tree::String(text)) => {
            let moment = Moment::parse(text.as_str()).map_err(|error| other(&error))?;
            Ok(if moment.is_zero() { Value::Null } else { Value::String(moment.to_text()) })
        }
        (Scalar::MicroTime, Tree::String(text)) => {
            let moment = Moment::parse_micro(text.as_str()).map_err(|error| other(&error))?;
            Ok(if moment.is_zero() { Value::Null } else { Value::String(moment.to_micro_text()) })
        }
        (Scalar::Time | Scalar::MicroTime, tree) => Err(Fault::of(&tree, "string")),
        (Scalar::Quantity, tree) => {
            let quantity = match &tree {
                Tree::Null => Quantity::parse("0"),
                Tree::String(text) => Quantity::parse(&text.inner_spelling()),
                Tree::Number(digits) => Quantity::parse(digits),
                Tree::Bool(_) | Tree::List(_) | Tree::Object(_) => Err(QuantityError::Format),
            };
            quantity.map(|quantity| Value::String(quantity.into_text())).map_err(|error| other(&error))
        }
        (Scalar::IntOrString, Tree::Null) => Ok(0.into()),
        (Scalar::IntOrString, Tree::String(text)) => Ok(Value::String(text.into_string())),
        (Scalar::IntOrString, Tree::Number(digits)) => match digits.parse::<i32>() {
            Ok(integer) => Ok(integer.into()),
            Err(_) => Err(Fault::number(&digits, "int32")),
        },
        (Scalar::IntOrString, tree) => Err(Fault::of(&tree, "int32")),
        (_, tree) => Ok(tree.into_value()),
    }
}

/// A floating point number, as it comes back from the store.
pub(super) fn float_value(digits: &str) -> Value {
    digits.parse().ok().and_then(float).map_or(Value::Null, Value::Number)
}

/// Whether an `interface{}` can hold the number.
pub(super) fn holds(digits: &str) -> bool {
    number(digits).is_some()
}
