//! Whether a value has the structure of its schema.

use std::fmt;

use schema::{ListKind, View};
use serde_json::Value;

use super::item;
use super::place::{Place, Single};
use crate::element::PathElement;
use crate::gotext::{Plain, Sharp, type_name};

/// Whether several items of a list may have the same keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    /// Live objects may have them, as validation of old may have let them pass.
    Allowed,
    /// Applied objects may not.
    Refused,
}

/// A place that does not have the structure of its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidationError {
    /// Where it is; empty for the whole.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

/// All places that do not have the structure of their schema; never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ValidationErrors(pub Vec<ValidationError>);

impl fmt::Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

impl fmt::Display for ValidationErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0[..] {
            [one] => one.fmt(f),
            many => {
                f.write_str("errors:")?;
                many.iter().try_for_each(|error| write!(f, "\n  {error}"))
            }
        }
    }
}

/// Whether an object has the structure of its schema. Its managed fields are not looked at.
pub fn validate(value: &Value, view: View<'_>, duplicates: Duplicates) -> Result<(), ValidationErrors> {
    let mut walk = Walk { duplicates, depth: 0, errors: Vec::new() };
    walk.visit(value, view);
    if walk.errors.is_empty() { Ok(()) } else { Err(ValidationErrors(walk.errors)) }
}

struct Walk {
    duplicates: Duplicates,
    depth: usize,
    errors: Vec<ValidationError>,
}

impl Walk {
    fn visit(&mut self, value: &Value, view: View<'_>) {
        match (Place::holding(view, value), value) {
            (_, Value::Null) => {}
            (Place::Scalar(kind), value) => self.scalar(kind, value),
            (Place::List { items, kind }, Value::Array(list)) => self.list(kind, items, list),
            (Place::List { .. }, other) => self.refuse(format!("expected list, got &{{{}}}", Plain(other))),
            (Place::Map(entries), Value::Object(fields)) => {
                self.depth += 1;
                for (name, value) in fields {
                    // The server wrote them itself, and they can be larger than all the rest.
                    if self.depth == 2 && name == "managedFields" {
                        continue;
                    }
                    let before = self.errors.len();
                    if let Some(view) = entries.entry(name) {
                        self.visit(value, view);
                        self.prefix(before, || PathElement::field(name.as_str()));
                    } else {
                        // The real server looks no further in this object.
                        self.refuse("field not declared in schema".into());
                        self.prefix(before, || PathElement::field(name.as_str()));
                        break;
                    }
                }
                self.depth -= 1;
            }
            (Place::Map(_) | Place::Any(_), other) => {
                self.refuse(format!("expected map, got &{{{}}}", Plain(other)));
            }
        }
    }

    fn scalar(&mut self, kind: Single, value: &Value) {
        match (kind, value) {
            (Single::Numeric, Value::Number(_))
            | (Single::String, Value::String(_))
            | (Single::Boolean, Value::Bool(_))
            | (Single::Untyped, Value::Number(_) | Value::String(_) | Value::Bool(_)) => {}
            (Single::Numeric, other) => {
                self.refuse(format!("expected numeric (int or float), got {}", type_name(other)));
            }
            (Single::String, other) => {
                self.refuse(format!(
                    "expected string, got &value.valueUnstructured{{Value:{}}}",
                    Sharp(other)
                ));
            }
            (Single::Boolean, other) => self.refuse(format!("expected boolean, got &{{{}}}", Plain(other))),
            (Single::Untyped, other) => {
                self.refuse(format!("expected any scalar, got &{{{}}}", Plain(other)));
            }
        }
    }

    fn list(&mut self, kind: &ListKind, items: View<'_>, list: &[Value]) {
        if *kind == ListKind::Atomic {
            for (at, item) in list.iter().enumerate() {
                let before = self.errors.len();
                self.visit(item, items);
                self.prefix(before, || PathElement::Index(at as i64));
            }
            return;
        }
        let mut seen: Vec<PathElement<'_>> = Vec::new();
        for (at, item) in list.iter().enumerate() {
            let step = match self.duplicates {
                Duplicates::Allowed => item::check(kind, items, item).map(|()| None),
                Duplicates::Refused => item::step(kind, items, item).map(Some),
            };
            match step {
                Err(error) => {
                    self.refuse(format!("element {at}: {error}"));
                    return;
                }
                Ok(None) => {}
                Ok(Some(step)) => match seen.binary_search(&step) {
                    Ok(_) => self.refuse(format!("duplicate entries for key {step}")),
                    Err(place) => seen.insert(place, step),
                },
            }
            let before = self.errors.len();
            self.visit(item, items);
            self.prefix(before, || item::step(kind, items, item).unwrap_or(PathElement::Index(at as i64)));
        }
    }

    fn refuse(&mut self, message: String) {
        self.errors.push(ValidationError { path: String::new(), message });
    }

    /// Puts a step before the paths of the errors found since.
    fn prefix<'a>(&mut self, before: usize, step: impl FnOnce() -> PathElement<'a>) {
        if before < self.errors.len() {
            let step = step().to_string();
            for error in &mut self.errors[before..] {
                error.path.insert_str(0, &step);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::sample;
    use schema::Types;
    use serde_json::json;

    fn refusal(value: &Value, duplicates: Duplicates) -> Option<String> {
        let (types, schema) = (Types::default(), sample::schema());
        validate(value, types.view(&schema), duplicates).err().map(|errors| errors.to_string())
    }

    #[test]
    fn what_fits_passes() {
        for value in [
            json!({}),
            json!(null),
            json!({"replicas": 1, "paused": true, "time": "now", "target": "80%"}),
            json!({"replicas": 1.5, "target": 80}),
            json!({"replicas": null, "labels": null, "containers": null, "template": null}),
            json!({"free": {"a": [1, {"b": null}]}, "open": {"known": "a", "other": [1]}}),
            json!({"containers": [{"name": "a", "ports": [{"port": 1}, {"port": 1, "protocol": "UDP"}]}]}),
        ] {
            assert_eq!(refusal(&value, Duplicates::Refused), None, "{value}");
        }
    }

    #[test]
    fn what_does_not_is_told_in_the_servers_words() {
        for (value, message) in [
            (json!({"nope": 1}), ".nope: field not declared in schema"),
            (json!({"template": {"spec": {"x": 1}}}), ".template.spec.x: field not declared in schema"),
            (json!({"replicas": "1"}), ".replicas: expected numeric (int or float), got string"),
            (
                json!({"replicas": {"a": 1}}),
                ".replicas: expected numeric (int or float), got map[string]interface {}",
            ),
            (
                json!({"labels": {"a": 1}}),
                ".labels.a: expected string, got &value.valueUnstructured{Value:1}",
            ),
            (json!({"paused": "x"}), ".paused: expected boolean, got &{x}"),
            (json!({"time": ["x", 2]}), ".time: expected any scalar, got &{[x 2]}"),
            (json!({"labels": "x"}), ".labels: expected map, got &{x}"),
            (json!({"finalizers": {"a": "b"}}), ".finalizers: expected list, got &{map[a:b]}"),
            (json!({"steps": [{"do": "x"}, {"no": 1}]}), ".steps[1].no: field not declared in schema"),
            (
                json!({"containers": [null]}),
                ".containers: element 0: associative list with keys may not have a null element",
            ),
            (
                json!({"containers": [1]}),
                ".containers: element 0: associative list with keys may not have non-map elements",
            ),
            (
                json!({"containers": [{"image": "a"}]}),
                r#".containers: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)"#,
            ),
            (
                json!({"containers": [{"name": "a", "env": [{"name": "b", "x": 1}]}]}),
                r#".containers[name="a"].env[name="b"].x: field not declared in schema"#,
            ),
            (
                json!({"finalizers": [{}]}),
                ".finalizers: element 0: associative list without keys has an element that's a map type",
            ),
            (
                json!({"finalizers": [[]]}),
                ".finalizers: element 0: not supported: associative list with lists as elements",
            ),
            (
                json!({"finalizers": [null]}),
                ".finalizers: element 0: associative list without keys has an element that's an explicit null",
            ),
            (
                json!({"finalizers": [1], "replicas": "1"}),
                "errors:\n  .finalizers[=1]: expected string, got &value.valueUnstructured{Value:1}\n  .replicas: expected numeric (int or float), got string",
            ),
            (json!("x"), "expected map, got &{x}"),
        ] {
            assert_eq!(refusal(&value, Duplicates::Refused).as_deref(), Some(message));
        }
    }

    #[test]
    fn duplicates_are_refused_only_where_asked() {
        for (value, message) in [
            (
                json!({"containers": [{"name": "a"}, {"name": "a"}]}),
                r#".containers: duplicate entries for key [name="a"]"#,
            ),
            (json!({"finalizers": ["a", "b", "a"]}), r#".finalizers: duplicate entries for key [="a"]"#),
            (
                json!({"containers": [{"name": "a", "ports": [{"port": 80}, {"port": 80, "protocol": "TCP"}]}]}),
                r#".containers[name="a"].ports: duplicate entries for key [port=80,protocol="TCP"]"#,
            ),
        ] {
            assert_eq!(refusal(&value, Duplicates::Refused).as_deref(), Some(message));
            assert_eq!(refusal(&value, Duplicates::Allowed), None);
        }
    }

    #[test]
    fn managed_fields_are_the_servers_own() {
        assert_eq!(refusal(&json!({"status": {"managedFields": "?"}}), Duplicates::Refused), None);
    }
}
