//! Lists that are sets or maps hold nothing twice.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use super::props::Props;
use crate::field::{FieldError, Path};

/// What stands twice in lists that are sets or maps.
pub fn duplicates(object: &Value, schema: &Props, path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Value::Object(fields) = object {
        in_fields(fields, schema, path, &mut errors);
    }
    errors
}

fn in_fields(fields: &Map<String, Value>, schema: &Props, path: &Path, errors: &mut Vec<FieldError>) {
    if let Some(additional) = schema.additional() {
        for (name, value) in fields {
            in_value(value, additional, &path.key(name), errors);
        }
    }
    for (name, value) in fields {
        if let Some(property) = schema.properties.get(name) {
            in_value(value, property, &path.child(name), errors);
        }
    }
}

fn in_value(value: &Value, schema: &Props, path: &Path, errors: &mut Vec<FieldError>) {
    match value {
        Value::Object(fields) => in_fields(fields, schema, path, errors),
        Value::Array(items) => {
            match schema.list_type.as_deref() {
                Some("set") => {
                    for index in repeated(items.iter()) {
                        errors.push(FieldError::duplicate(&path.index(index), items[index].clone()));
                    }
                }
                Some("map") => in_map(items, schema, path, errors),
                _ => {}
            }
            if let Some(item) = schema.item() {
                for (index, value) in items.iter().enumerate() {
                    in_value(value, item, &path.index(index), errors);
                }
            }
        }
        _ => {}
    }
}

fn in_map(items: &[Value], schema: &Props, path: &Path, errors: &mut Vec<FieldError>) {
    for (index, item) in items.iter().enumerate() {
        if !item.is_null() && !item.is_object() {
            let words = "must be an object for an array of list-type map";
            errors.push(FieldError::invalid(&path.index(index), item.clone(), words));
            return;
        }
    }
    let keys: Vec<Value> = items
        .iter()
        .map(|item| {
            let key =
                schema.list_map_keys.iter().filter_map(|key| Some((key.clone(), item.get(key)?.clone())));
            json!(key.collect::<BTreeMap<_, _>>())
        })
        .collect();
    for index in repeated(keys.iter()) {
        errors.push(FieldError::duplicate(&path.index(index), keys[index].clone()));
    }
}

/// The positions at which a value stands for the second time; a third is not told.
fn repeated<'v>(values: impl Iterator<Item = &'v Value>) -> Vec<usize> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut positions = Vec::new();
    for (index, value) in values.enumerate() {
        let times = seen.entry(value.to_string()).or_default();
        *times += 1;
        if *times == 2 {
            positions.push(index);
        }
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_are_told_once() {
        let schema = Props::read(&json!({"type": "object", "properties": {
            "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "map": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object"}},
        }}));
        let object =
            json!({"set": ["a", "a", "a", "b"], "map": [{"k": 1, "v": 1}, {"k": 1, "v": 2}, {}, {}]});
        let said: Vec<String> =
            duplicates(&object, &schema, &Path::default()).iter().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                "map[1]: Duplicate value: {\"k\":1}",
                "map[3]: Duplicate value: {}",
                "set[1]: Duplicate value: \"a\"",
            ]
        );
        let odd = json!({"map": [1]});
        assert_eq!(
            duplicates(&odd, &schema, &Path::default())[0].to_string(),
            "map[0]: Invalid value: 1: must be an object for an array of list-type map"
        );
    }
}
