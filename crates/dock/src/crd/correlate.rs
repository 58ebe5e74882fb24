//! A value and the value it replaces, side by side: what did not change may stay wrong.

use std::cell::OnceCell;

use serde_json::Value;

use super::props::Props;

/// A value, the one it replaces, and the schema of both.
#[derive(Debug)]
pub(crate) struct Correlated<'a> {
    pub(crate) new: &'a Value,
    pub(crate) old: &'a Value,
    pub(crate) schema: &'a Props,
    unchanged: OnceCell<bool>,
}

impl<'a> Correlated<'a> {
    pub(crate) fn new(new: &'a Value, old: &'a Value, schema: &'a Props) -> Self {
        Self { new, old, schema, unchanged: OnceCell::new() }
    }

    /// The field of both, if both have it and the schema knows it.
    pub(crate) fn field(&self, name: &str) -> Option<Correlated<'a>> {
        let (new, old) = (self.new.as_object()?.get(name)?, self.old.as_object()?.get(name)?);
        Some(Self::new(new, old, self.schema.field(name)?))
    }

    /// The item at a position of the new list, and the old item with the same key; only lists that are maps have keys.
    pub(crate) fn item(&self, index: usize) -> Option<Correlated<'a>> {
        let new = self.new.as_array()?.get(index)?;
        let old = self.old.as_array()?;
        let old = same_key(self.schema, old, new).filter(|old| !old.is_null())?;
        Some(Self::new(new, old, self.schema.item()?))
    }

    /// Whether nothing changed. Items of lists that are maps may have moved; fields that the schema does not know count
    /// as changed.
    pub(crate) fn unchanged(&self) -> bool {
        *self.unchanged.get_or_init(|| match (self.new, self.old) {
            (Value::Array(new), Value::Array(old)) => {
                if new.len() != old.len() {
                    return false;
                }
                if self.schema.list_type.as_deref() != Some("map") {
                    return new == old;
                }
                (0..new.len()).all(|index| self.item(index).is_some_and(|item| item.unchanged()))
            }
            (Value::Object(new), Value::Object(old)) => {
                new.len() == old.len()
                    && new.keys().all(|name| self.field(name).is_some_and(|field| field.unchanged()))
            }
            (new, old) => new == old,
        })
    }
}

/// The item of an old list that has the keys of a new item, if the schema says what keys are.
pub(crate) fn same_key<'a>(schema: &Props, old: &'a [Value], item: &Value) -> Option<&'a Value> {
    if schema.kind != "array" || schema.list_type.as_deref() != Some("map") || schema.list_map_keys.is_empty()
    {
        return None;
    }
    let key = key_of(schema, item)?;
    old.iter().find(|old| key_of(schema, old).as_ref() == Some(&key))
}

fn key_of<'a>(schema: &Props, item: &'a Value) -> Option<Vec<&'a Value>> {
    let fields = item.as_object()?;
    let scalar = |value: &&Value| matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_));
    schema.list_map_keys.iter().map(|key| fields.get(key).filter(scalar)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn change_is_seen_as_the_server_sees_it() {
        let schema = Props::read(&json!({"type": "object", "properties": {
            "a": {"type": "integer"},
            "list": {"type": "array", "items": {"type": "integer"}},
            "map": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "properties": {"k": {"type": "string"}, "v": {"type": "integer"}}}},
        }}));
        let cases = [
            (json!({"a": 1}), json!({"a": 1}), true),
            (json!({"a": 1}), json!({"a": 2}), false),
            (json!({"odd": 1}), json!({"odd": 1}), false),
            (json!({"list": [1, 2]}), json!({"list": [1, 2]}), true),
            (json!({"list": [1, 2]}), json!({"list": [2, 1]}), false),
            (
                json!({"map": [{"k": "a", "v": 1}, {"k": "b", "v": 2}]}),
                json!({"map": [{"k": "b", "v": 2}, {"k": "a", "v": 1}]}),
                true,
            ),
            (json!({"map": [{"v": 1}]}), json!({"map": [{"v": 1}]}), false),
        ];
        for (new, old, expected) in cases {
            assert_eq!(Correlated::new(&new, &old, &schema).unchanged(), expected, "{new} {old}");
        }
    }
}
