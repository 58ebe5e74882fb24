//! Structural schemas of custom resources: what types their values have, and how values of them are read.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::env::Env;
use crate::escape::escape;
use crate::types::Type;

/// A structural schema, as far as expressions care for it.
#[derive(Debug, Clone)]
pub struct Schema {
    pub(crate) nullable: bool,
    pub(crate) form: Form,
}

/// What stands at a place of an object.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    /// An object with named fields.
    Object {
        fields: BTreeMap<String, Schema>,
    },
    /// Any keys, values of one kind.
    Map(Box<Schema>),
    /// An object of which nothing is known.
    Opaque,
    List {
        items: Box<Schema>,
        kind: ListKind,
    },
    /// Text, of that format if it is not empty.
    String(String),
    Number,
    Integer,
    Boolean,
    IntOrString,
    /// Anything.
    Preserved,
    /// A type that expressions do not know.
    Unknown(String),
}

/// What makes two lists equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListKind {
    /// The same items in the same order.
    Atomic,
    /// The same items in any order.
    Set,
    /// Items of the same keys with the same content, in any order.
    Map(Vec<String>),
}

impl Schema {
    /// Reads a schema as a custom resource definition writes it.
    pub fn from_open_api(schema: &Json) -> Self {
        let flag = |name: &str| schema.get(name).and_then(Json::as_bool).unwrap_or(false);
        let word = |name: &str| schema.get(name).and_then(Json::as_str).unwrap_or_default();
        let form = if flag("x-kubernetes-int-or-string") {
            Form::IntOrString
        } else {
            match word("type") {
                "object" => object(schema, flag("x-kubernetes-embedded-resource")),
                "array" => match schema.get("items") {
                    Some(items) => {
                        Form::List { items: Box::new(Self::from_open_api(items)), kind: list_kind(schema) }
                    }
                    None => Form::Unknown("array".into()),
                },
                "string" => Form::String(word("format").to_owned()),
                "number" => Form::Number,
                "integer" => Form::Integer,
                "boolean" => Form::Boolean,
                _ if flag("x-kubernetes-preserve-unknown-fields") => Form::Preserved,
                other => Form::Unknown(other.to_owned()),
            }
        };
        Self { nullable: flag("nullable"), form }
    }

    /// The schema of a whole resource: `apiVersion`, `kind` and the names in `metadata` can be used too.
    #[must_use]
    pub fn into_resource(mut self) -> Self {
        match &mut self.form {
            Form::Object { fields } => add_metadata(fields),
            Form::Opaque => {
                let mut fields = BTreeMap::new();
                add_metadata(&mut fields);
                self.form = Form::Object { fields };
            }
            _ => {}
        }
        self
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self.form, Form::Object { .. })
    }

    /// The schema of a field or entry, by the name it has in JSON.
    pub(crate) fn field(&self, name: &str) -> Option<&Schema> {
        match &self.form {
            Form::Object { fields } => fields.get(name),
            Form::Map(values) => Some(values),
            _ => None,
        }
    }

    /// The type of the values, whose object types are added to the environment under names that begin with `name`.
    /// Nothing if expressions cannot know such values.
    pub fn declare(&self, env: &mut Env, name: &str) -> Option<Type> {
        Some(match &self.form {
            Form::Object { fields } => {
                env.add_object(name);
                for (field, schema) in fields {
                    let Some(field) = escape(field) else { continue };
                    if let Some(of) = schema.declare(env, &format!("{name}.{field}")) {
                        env.add_field(name, &field, of);
                    }
                }
                Type::object(name)
            }
            Form::Opaque => {
                env.add_object(name);
                Type::object(name)
            }
            Form::Map(values) => Type::map(Type::String, values.declare(env, &format!("{name}.@elem"))?),
            Form::List { items, .. } => Type::list(items.declare(env, &format!("{name}.@idx"))?),
            Form::String(format) => match format.as_str() {
                "byte" => Type::Bytes,
                "duration" => Type::Duration,
                "date" | "date-time" => Type::Timestamp,
                _ => Type::String,
            },
            Form::Number => Type::Double,
            Form::Integer => Type::Int,
            Form::Boolean => Type::Bool,
            Form::IntOrString => Type::Dyn,
            Form::Preserved | Form::Unknown(_) => return None,
        })
    }
}

fn object(schema: &Json, embedded: bool) -> Form {
    if let Some(properties) = schema.get("properties").and_then(Json::as_object) {
        let mut fields: BTreeMap<String, Schema> =
            properties.iter().map(|(name, schema)| (name.clone(), Schema::from_open_api(schema))).collect();
        if embedded {
            add_metadata(&mut fields);
        }
        return Form::Object { fields };
    }
    if embedded {
        let mut fields = BTreeMap::new();
        add_metadata(&mut fields);
        return Form::Object { fields };
    }
    match schema.get("additionalProperties") {
        Some(values @ Json::Object(_)) => Form::Map(Box::new(Schema::from_open_api(values))),
        _ => Form::Opaque,
    }
}

fn list_kind(schema: &Json) -> ListKind {
    match schema.get("x-kubernetes-list-type").and_then(Json::as_str) {
        Some("set") => ListKind::Set,
        Some("map") => {
            let keys = schema.get("x-kubernetes-list-map-keys").and_then(Json::as_array);
            let keys = keys.into_iter().flatten().filter_map(Json::as_str).map(ToOwned::to_owned);
            ListKind::Map(keys.collect())
        }
        _ => ListKind::Atomic,
    }
}

fn add_metadata(fields: &mut BTreeMap<String, Schema>) {
    let text = || Schema { nullable: false, form: Form::String(String::new()) };
    let is_text =
        |schema: Option<&Schema>| schema.is_some_and(|schema| matches!(schema.form, Form::String(_)));
    let metadata = fields.get("metadata");
    let named = |name: &str| is_text(metadata.and_then(|schema| schema.field(name)));
    if is_text(fields.get("kind"))
        && is_text(fields.get("apiVersion"))
        && named("name")
        && named("generateName")
    {
        return;
    }
    fields.insert("kind".into(), text());
    fields.insert("apiVersion".into(), text());
    let fields_of = BTreeMap::from([("name".to_owned(), text()), ("generateName".to_owned(), text())]);
    fields.insert("metadata".into(), Schema { nullable: false, form: Form::Object { fields: fields_of } });
}
