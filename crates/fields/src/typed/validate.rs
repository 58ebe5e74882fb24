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
        let mut seen: Vec<PathElement<'_>> = Vec::with_capacity(list.len());
        for (at, item) in list.iter().enumerate() {
            let step = match item::step(kind, items, item) {
                Ok(step) => step,
                Err(error) => {
                    self.refuse(format!("element {at}: {error}"));
                    return;
                }
            };
            if self.duplicates == Duplicates::Refused {
                match seen.binary_search(&step) {
                    Ok(_) => self.refuse(format!("duplicate entries for key {step}")),
                    Err(place) => seen.insert(place, step.clone()),
                }
            }
            let before = self.errors.len();
            self.visit(item, items);
            self.prefix(before, || step);
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
