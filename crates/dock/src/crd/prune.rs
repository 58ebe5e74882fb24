//! Removing what the schema does not know, and telling what it was.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::props::Props;

const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Removes the fields of a resource that the schema does not know, and gives their paths, sorted. The fields that every
/// resource has stay.
pub fn prune(object: &mut Value, schema: Option<&Props>) -> Vec<String> {
    prune_at(object, schema, true)
}

/// As [`prune`], for a value that is a resource only if `resource` says so.
pub(crate) fn prune_at(value: &mut Value, schema: Option<&Props>, resource: bool) -> Vec<String> {
    let empty = Props::default();
    let schema = if resource { Some(schema.unwrap_or(&empty)) } else { schema };
    let mut pruner = Pruner { path: String::new(), unknown: Vec::new() };
    pruner.visit(value, schema, resource);
    pruner.unknown.sort();
    pruner.unknown
}

struct Pruner {
    path: String,
    unknown: Vec<String>,
}

impl Pruner {
    /// `resource` says that the value is a resource although the schema does not.
    fn visit(&mut self, value: &mut Value, schema: Option<&Props>, resource: bool) {
        let Some(schema) = schema else { return self.unknown_content(value) };
        let resource = resource || schema.embedded_resource;
        match value {
            Value::Object(fields) => self.fields(fields, schema, resource),
            Value::Array(items) if schema.preserves() => {
                if let Some(item) = schema.item() {
                    self.each(items, |pruner, value| pruner.preserved(value, item));
                }
            }
            Value::Array(items) => {
                self.each(items, |pruner, value| pruner.visit(value, schema.item(), false));
            }
            _ => {}
        }
    }

    /// Below a list whose unknown content is kept, only what the schema names is looked at.
    fn preserved(&mut self, value: &mut Value, schema: &Props) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    if (schema.embedded_resource && META.contains(&name.as_str())) || !known(schema, name) {
                        continue;
                    }
                    self.below(name, |pruner| pruner.visit(value, schema.field(name), false));
                }
            }
            Value::Array(items) => {
                if let Some(item) = schema.item() {
                    self.each(items, |pruner, value| pruner.preserved(value, item));
                }
            }
            _ => {}
        }
    }

    fn fields(&mut self, fields: &mut Map<String, Value>, schema: &Props, resource: bool) {
        let mut removed = Vec::new();
        for (name, value) in fields.iter_mut() {
            let is_meta = META.contains(&name.as_str());
            if resource && is_meta {
                continue;
            }
            if known(schema, name) {
                self.below(name, |pruner| pruner.visit(value, schema.field(name), false));
            } else if !schema.preserves() {
                if !is_meta || !self.path.is_empty() {
                    self.record(name);
                }
                removed.push(name.clone());
            }
        }
        for name in removed {
            fields.remove(&name);
        }
    }

    /// Content for which there is no schema at all: objects become empty.
    fn unknown_content(&mut self, value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for name in fields.keys() {
                    self.record(name);
                }
                fields.clear();
            }
            Value::Array(items) => self.each(items, Self::unknown_content),
            _ => {}
        }
    }

    fn record(&mut self, name: &str) {
        let path = if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) };
        self.unknown.push(path);
    }

    fn below(&mut self, name: &str, visit: impl FnOnce(&mut Self)) {
        let end = self.path.len();
        if end > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        visit(self);
        self.path.truncate(end);
    }

    fn each(&mut self, items: &mut [Value], visit: impl Fn(&mut Self, &mut Value)) {
        let end = self.path.len();
        for (index, value) in items.iter_mut().enumerate() {
            let _ = write!(self.path, "[{index}]");
            visit(self, value);
            self.path.truncate(end);
        }
    }
}

/// Whether a field has a place in the schema, if only one that says nothing.
fn known(schema: &Props, name: &str) -> bool {
    schema.properties.contains_key(name) || schema.additional_properties.is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_fields_go() {
        let schema = Props::read(&json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": {
                "known": {"type": "string"},
                "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
                "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
                    "properties": {"closed": {"type": "object"}}},
                "map": {"type": "object", "additionalProperties": {"type": "object"}},
                "template": {"type": "object", "x-kubernetes-embedded-resource": true},
            }},
        }}));
        let mut object = json!({
            "apiVersion": "a/v1", "kind": "A", "metadata": {"name": "a", "odd": 1}, "extra": 1,
            "spec": {
                "known": {"not": "looked at"},
                "list": [{"a": "b", "c": "d"}, 5],
                "open": {"x": {"y": 1}, "closed": {"z": 1}},
                "map": {"k": {"v": 1}},
                "template": {"kind": "B", "metadata": {"any": 1}, "spec": 1},
            },
        });
        let unknown = prune(&mut object, Some(&schema));
        assert_eq!(
            unknown,
            [
                "extra",
                "spec.known.not",
                "spec.list[0].c",
                "spec.map.k.v",
                "spec.open.closed.z",
                "spec.template.spec",
            ]
        );
        assert_eq!(
            object,
            json!({
                "apiVersion": "a/v1", "kind": "A", "metadata": {"name": "a", "odd": 1},
                "spec": {
                    "known": {},
                    "list": [{"a": "b"}, 5],
                    "open": {"x": {"y": 1}, "closed": {}},
                    "map": {"k": {}},
                    "template": {"kind": "B", "metadata": {"any": 1}},
                },
            })
        );
    }

    #[test]
    fn without_a_schema_only_the_resource_stays() {
        let mut object = json!({"kind": "A", "spec": {"a": 1}});
        assert_eq!(prune(&mut object, None), ["spec"]);
        assert_eq!(object, json!({"kind": "A"}));
    }
}
