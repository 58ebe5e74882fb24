//! The values of variables.

use serde_json::Value as Json;

use crate::error::{EvalError, Outcome};
use crate::schema::Schema;
use crate::value::Value;

/// The values of the variables that an expression may use. JSON is borrowed and only looked at where the expression
/// looks at it.
#[derive(Default)]
pub struct Activation<'a> {
    bindings: Vec<(&'a str, Binding<'a>)>,
}

enum Binding<'a> {
    Json(&'a Json, Option<&'a Schema>),
    /// An optional value, as `oldSelf` is for some rules.
    OptionalJson(Option<&'a Json>, Option<&'a Schema>),
    Value(Value<'a>),
    Members(&'a dyn Members<'a>),
}

/// A variable whose fields are computed when they are asked for, as `variables` of an admission policy.
pub trait Members<'a> {
    /// The value of a field, from the variables of the expression that asks; nothing if there is no such field.
    fn member(&self, name: &str, activation: &Activation<'a>) -> Option<Result<Value<'a>, EvalError>>;
}

impl<'a> Activation<'a> {
    /// No variable has a value.
    pub fn new() -> Self {
        Self::default()
    }

    /// Binds a variable to a value.
    pub fn bind(&mut self, name: &'a str, value: Value<'a>) {
        self.bindings.push((name, Binding::Value(value)));
    }

    /// Binds a variable to JSON, as a schema describes it if there is one.
    pub fn bind_json(&mut self, name: &'a str, json: &'a Json, schema: Option<&'a Schema>) {
        self.bindings.push((name, Binding::Json(json, schema)));
    }

    /// Binds a variable to JSON that may be missing.
    pub fn bind_optional(&mut self, name: &'a str, json: Option<&'a Json>, schema: Option<&'a Schema>) {
        self.bindings.push((name, Binding::OptionalJson(json, schema)));
    }

    /// Binds a variable whose fields are computed when they are asked for.
    pub fn bind_members(&mut self, name: &'a str, members: &'a dyn Members<'a>) {
        self.bindings.push((name, Binding::Members(members)));
    }

    fn find(&self, name: &str) -> Option<&Binding<'a>> {
        self.bindings.iter().rev().find(|(known, _)| *known == name).map(|(_, binding)| binding)
    }

    pub(crate) fn resolve(&self, name: &str) -> Outcome<Value<'a>> {
        match self.find(name) {
            Some(Binding::Json(json, schema)) => Value::from_json(json, *schema),
            Some(Binding::OptionalJson(json, schema)) => Ok(match json {
                Some(json) => Value::some(Value::from_json(json, *schema)?),
                None => Value::Optional(None),
            }),
            Some(Binding::Value(value)) => Ok(value.clone()),
            Some(Binding::Members(_)) | None => Err(EvalError::NoSuchAttribute(name.to_owned())),
        }
    }

    /// The variable of that name, if its fields are computed.
    pub(crate) fn members(&self, name: &str) -> Option<&'a dyn Members<'a>> {
        match self.find(name) {
            Some(Binding::Members(members)) => Some(*members),
            _ => None,
        }
    }
}
