//! Filling in what was left out, and removing nulls that mean nothing.

use serde_json::{Map, Value};

use super::metadata;
use super::props::Props;
use super::prune::prune_at;

/// Removes nulls where the schema knows neither null nor a default.
pub fn prune_nulls(value: &mut Value, schema: Option<&Props>) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, value| {
                let schema = schema.and_then(|schema| schema.field(name));
                !(value.is_null()
                    && schema.is_some_and(|schema| !schema.nullable && schema.default.is_none()))
            });
            for (name, value) in fields {
                prune_nulls(value, schema.and_then(|schema| schema.field(name)));
            }
        }
        Value::Array(items) => {
            for item in items {
                prune_nulls(item, schema.and_then(Props::item));
            }
        }
        _ => {}
    }
}

/// Fills in defaults, also for nulls where the schema does not know null.
pub fn default(value: &mut Value, schema: &Props) {
    match value {
        Value::Object(fields) => {
            for (name, property) in &schema.properties {
                let Some(default) = &property.default else { continue };
                let absent = match fields.get(name) {
                    None => true,
                    Some(value) => value.is_null() && !property.nullable,
                };
                if absent {
                    fields.insert(name.clone(), default.clone());
                }
            }
            for (name, value) in fields {
                if let Some(property) = schema.properties.get(name) {
                    default(value, property);
                } else if let Some(additional) = schema.additional() {
                    replace_null(value, additional);
                    default(value, additional);
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = schema.item() else { return };
            for item in items {
                replace_null(item, schema);
                default(item, schema);
            }
        }
        _ => {}
    }
}

fn replace_null(value: &mut Value, schema: &Props) {
    if value.is_null() && !schema.nullable {
        *value = schema.default.clone().unwrap_or_default();
    }
}

/// A schema whose defaults have no fields that the schema itself does not know.
pub fn prune_defaults(schema: &Props) -> Props {
    let mut pruned = schema.clone();
    prune_below(schema, &mut pruned, &mut Vec::new());
    pruned
}

/// One step from an object or list to what surrounds a default.
#[derive(Debug, Clone)]
enum Step {
    Field(String),
    Item,
}

fn prune_below(root: &Props, place: &mut Props, steps: &mut Vec<Step>) {
    if let Some(default) = place.default.take() {
        let mut object = surround(default, steps);
        metadata::coerce_embedded(&mut object, root, true, true);
        prune_at(&mut object, Some(root), true);
        place.default = reach(object, steps);
    }
    if let Some(additional) =
        place.additional_properties.as_mut().and_then(|additional| additional.schema.as_deref_mut())
    {
        below(steps, Step::Field("*".into()), |steps| prune_below(root, additional, steps));
    }
    if let Some(item) = place.items.as_mut().and_then(|items| items.schema.as_deref_mut()) {
        below(steps, Step::Item, |steps| prune_below(root, item, steps));
    }
    for (name, property) in &mut place.properties {
        below(steps, Step::Field(name.clone()), |steps| prune_below(root, property, steps));
    }
}

fn below(steps: &mut Vec<Step>, step: Step, visit: impl FnOnce(&mut Vec<Step>)) {
    steps.push(step);
    visit(steps);
    steps.pop();
}

fn surround(value: Value, steps: &[Step]) -> Value {
    steps.iter().rev().fold(value, |value, step| match step {
        Step::Field(name) => Value::Object(Map::from_iter([(name.clone(), value)])),
        Step::Item => Value::Array(vec![value]),
    })
}

fn reach(mut value: Value, steps: &[Step]) -> Option<Value> {
    for step in steps {
        value = match (step, value) {
            (Step::Field(name), Value::Object(mut fields)) => fields.remove(name)?,
            (Step::Item, Value::Array(items)) => items.into_iter().next()?,
            _ => return None,
        };
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Props {
        Props::read(&json!({"type": "object", "properties": {
            "size": {"type": "integer", "default": 3},
            "loose": {"type": "integer", "default": 3, "nullable": true},
            "plain": {"type": "integer"},
            "spec": {"type": "object", "default": {"b": 1}, "properties": {
                "a": {"type": "string", "default": "x"}, "b": {"type": "integer"}}},
            "list": {"type": "array", "items": {"type": "object", "properties": {"p": {"type": "string", "default": "TCP"}}}},
            "map": {"type": "object", "additionalProperties": {"type": "integer", "default": 7}},
        }}))
    }

    #[test]
    fn defaults_are_filled_in() {
        let cases = [
            (json!({}), json!({"size": 3, "loose": 3, "spec": {"a": "x", "b": 1}})),
            (
                json!({"size": null, "loose": null, "plain": null, "spec": {}, "list": [{}, null], "map": {"k": null}}),
                json!({"size": 3, "loose": null, "spec": {"a": "x"}, "list": [{"p": "TCP"}, null], "map": {"k": 7}}),
            ),
        ];
        for (mut object, expected) in cases {
            prune_nulls(&mut object, Some(&schema()));
            default(&mut object, &schema());
            assert_eq!(object, expected);
        }
    }

    #[test]
    fn defaults_are_pruned() {
        let schema = Props::read(&json!({"type": "object", "properties": {"spec": {"type": "object",
            "default": {"known": 1, "unknown": 2}, "properties": {"known": {"type": "integer"}}}}}));
        assert_eq!(prune_defaults(&schema).properties["spec"].default, Some(json!({"known": 1})));
    }
}
