//! The schemas of the built-in types.

use std::collections::{BTreeMap, BTreeSet};

use schema::{ListKind, MapKind, Patching, Scalar, Schema, Shape, documented_types, kinds};
use serde_json::{Map, Value, json};

use super::{Names, reference};

pub(super) const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
pub(super) const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
pub(super) const DELETE_OPTIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
pub(super) const PATCH: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
pub(super) const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";

/// The schemas of a document: those asked for, and all that they refer to.
#[derive(Debug, Default)]
pub(super) struct Components {
    written: BTreeMap<String, Value>,
    wanted: BTreeSet<String>,
}

impl Components {
    /// Asks for a built-in type.
    pub(super) fn want(&mut self, name: &str) {
        self.wanted.insert(name.to_owned());
    }

    /// Adds a schema that is no built-in type's.
    pub(super) fn put(&mut self, name: String, schema: Value) {
        self.written.insert(name, schema);
    }

    /// Asks for a built-in kind and its list.
    pub(super) fn builtin(&mut self, group: &str, version: &str, kind: &str) -> Names {
        let found = kinds()
            .iter()
            .find(|known| *known.group == *group && *known.version == *version && *known.kind == *kind);
        let Some(found) = found else { return Names { object: STATUS.to_owned(), list: None } };
        let package = found.type_name.rsplit_once('.').map_or("", |(package, _)| package);
        let names = Names {
            object: found.type_name.to_string(),
            list: found.list_kind.as_ref().map(|list| format!("{package}.{list}")),
        };
        self.want(&names.object);
        if let Some(list) = &names.list {
            self.want(list);
        }
        names
    }

    /// All schemas by name.
    pub(super) fn finish(mut self) -> Value {
        let types = documented_types();
        while let Some(name) = self.wanted.pop_first() {
            if self.written.contains_key(&name) {
                continue;
            }
            let schema = types.get(&name).map_or(json!({}), |schema| self.of_type(&name, schema));
            self.written.insert(name, schema);
        }
        Value::Object(self.written.into_iter().collect())
    }

    /// The schema of a named type.
    fn of_type(&mut self, name: &str, schema: &Schema) -> Value {
        let mut written = Map::new();
        if let Some(description) = &schema.description {
            written.insert("description".to_owned(), (&**description).into());
        }
        match &schema.shape {
            // These read themselves in Go, and are more than their type says.
            Shape::Scalar(Scalar::IntOrString) => {
                written.insert("format".to_owned(), "int-or-string".into());
                written.insert("oneOf".to_owned(), json!([{"type": "integer"}, {"type": "string"}]));
            }
            Shape::Scalar(Scalar::Quantity) => {
                written.insert("oneOf".to_owned(), json!([{"type": "string"}, {"type": "number"}]));
            }
            Shape::Untyped => {
                if ["Patch", "RawExtension", "FieldsV1"]
                    .iter()
                    .any(|open| name.ends_with(&format!(".{open}")))
                {
                    written.insert("type".to_owned(), "object".into());
                }
            }
            shape => self.shape(shape, &mut written),
        }
        let known: Vec<Value> = group_version_kinds(name);
        if !known.is_empty() {
            written.insert("x-kubernetes-group-version-kind".to_owned(), known.into());
        }
        Value::Object(written)
    }

    /// The schema of a field, item or entry.
    fn place(&mut self, schema: &Schema, inside: bool) -> Value {
        let mut written = Map::new();
        if let Some(description) = &schema.description {
            written.insert("description".to_owned(), (&**description).into());
        }
        let default = schema.default.as_deref().cloned().or_else(|| inside.then(|| zero(schema)).flatten());
        if let Some(default) = default {
            written.insert("default".to_owned(), default);
        }
        if let Shape::Named(name) = &schema.shape {
            let (name, granular) = match name.strip_suffix("/granular") {
                Some(name) => (name, true),
                None => (&**name, false),
            };
            self.want(name);
            if written.is_empty() {
                return reference(name);
            }
            written.insert("allOf".to_owned(), json!([reference(name)]));
            if granular {
                written.insert("x-kubernetes-map-type".to_owned(), "granular".into());
            }
        } else {
            self.shape(&schema.shape, &mut written);
        }
        patching(&schema.patching, &mut written);
        Value::Object(written)
    }

    fn shape(&mut self, shape: &Shape, written: &mut Map<String, Value>) {
        let mut say = |key: &str, value: Value| written.insert(key.to_owned(), value);
        match shape {
            Shape::Scalar(scalar) => {
                let (kind, format) = match scalar {
                    Scalar::String | Scalar::Quantity | Scalar::IntOrString => ("string", None),
                    Scalar::Bytes => ("string", Some("byte")),
                    Scalar::Time | Scalar::MicroTime => ("string", Some("date-time")),
                    Scalar::Int32 => ("integer", Some("int32")),
                    Scalar::Int64 => ("integer", Some("int64")),
                    Scalar::Float => ("number", Some("double")),
                    Scalar::Boolean => ("boolean", None),
                };
                say("type", kind.into());
                if let Some(format) = format {
                    say("format", format.into());
                }
            }
            Shape::Object { fields, required, kind, .. } => {
                say("type", "object".into());
                if *kind == MapKind::Atomic {
                    say("x-kubernetes-map-type", "atomic".into());
                }
                if !required.is_empty() {
                    say("required", required.iter().map(|name| Value::from(&**name)).collect());
                }
                let fields: Map<String, Value> =
                    fields.iter().map(|(name, field)| (name.to_string(), self.place(field, false))).collect();
                if !fields.is_empty() {
                    written.insert("properties".to_owned(), Value::Object(fields));
                }
            }
            Shape::Map { values, kind } => {
                say("type", "object".into());
                if *kind == MapKind::Atomic {
                    say("x-kubernetes-map-type", "atomic".into());
                }
                let values = self.place(values, true);
                written.insert("additionalProperties".to_owned(), values);
            }
            Shape::List { items, kind } => {
                say("type", "array".into());
                match kind {
                    ListKind::Atomic => say("x-kubernetes-list-type", "atomic".into()),
                    ListKind::Set => say("x-kubernetes-list-type", "set".into()),
                    ListKind::Map(keys) => {
                        let keys: Vec<Value> = keys.iter().map(|key| Value::from(&**key)).collect();
                        say("x-kubernetes-list-map-keys", keys.into());
                        say("x-kubernetes-list-type", "map".into())
                    }
                };
                let items = self.place(items, true);
                written.insert("items".to_owned(), items);
            }
            Shape::Untyped => {}
            Shape::Named(name) => {
                self.want(name);
                written.insert("allOf".to_owned(), json!([reference(name)]));
            }
        }
    }
}

/// What an item or entry is when it says nothing.
fn zero(schema: &Schema) -> Option<Value> {
    match &schema.shape {
        Shape::Scalar(Scalar::String) => Some(json!("")),
        Shape::Scalar(Scalar::Int32 | Scalar::Int64 | Scalar::Float) => Some(json!(0)),
        Shape::Scalar(Scalar::Boolean) => Some(json!(false)),
        Shape::Named(name) => {
            let target = documented_types().get(name)?;
            matches!(target.shape, Shape::Object { .. }).then(|| json!({}))
        }
        _ => None,
    }
}

fn patching(patching: &Patching, written: &mut Map<String, Value>) {
    let strategies: Vec<&str> =
        [(patching.merge, "merge"), (patching.retain_keys, "retainKeys"), (patching.replace, "replace")]
            .into_iter()
            .filter_map(|(chosen, name)| chosen.then_some(name))
            .collect();
    if let Some(key) = &patching.key {
        written.insert("x-kubernetes-patch-merge-key".to_owned(), (&**key).into());
    }
    if !strategies.is_empty() {
        written.insert("x-kubernetes-patch-strategy".to_owned(), strategies.join(",").into());
    }
}

/// The kinds whose type it is.
fn group_version_kinds(name: &str) -> Vec<Value> {
    let entry =
        |group: &str, version: &str, kind: &str| json!({"group": group, "version": version, "kind": kind});
    if let Some(kind) = [DELETE_OPTIONS, STATUS].iter().find(|known| **known == name) {
        return vec![entry("", "v1", kind.rsplit('.').next().unwrap_or_default())];
    }
    let (package, last) = name.rsplit_once('.').unwrap_or_default();
    kinds()
        .iter()
        .filter_map(|kind| {
            let found = if *kind.type_name == *name {
                &kind.kind
            } else {
                let same = kind.type_name.rsplit_once('.').is_some_and(|(other, _)| other == package);
                kind.list_kind.as_ref().filter(|list| same && ***list == *last)?
            };
            Some(entry(&kind.group, &kind.version, found))
        })
        .collect()
}
