//! Defaults must be valid themselves.

use serde_json::{Map, Value, json};

use crate::crd::check::check_default;
use crate::crd::metadata::{coerce_embedded, validate_embedded};
use crate::crd::props::Props;
use crate::crd::prune::prune_at;
use crate::field::{FieldError, Path};

/// What is wrong with the defaults of a schema; `pruned` says that they may not have unknown fields.
pub(super) fn validate(schema: &Props, pruned: bool, path: &Path) -> Vec<FieldError> {
    let mut walk = Walk { pruned, errors: Vec::new() };
    walk.place(schema, schema, true, &mut Vec::new(), false, path);
    walk.errors
}

#[derive(Debug, Clone)]
enum Step {
    Field(String),
    Item,
}

struct Walk {
    pruned: bool,
    errors: Vec<FieldError>,
}

impl Walk {
    /// `root` is the resource that the place belongs to, `steps` lead from it to the place; `resource` says that the
    /// place is a resource although the schema does not.
    fn place(
        &mut self,
        schema: &Props,
        root: &Props,
        resource: bool,
        steps: &mut Vec<Step>,
        inside_meta: bool,
        path: &Path,
    ) {
        let resource = resource || schema.embedded_resource;
        let mut own_steps = Vec::new();
        let (root, steps, inside_meta) =
            if resource { (schema, &mut own_steps, false) } else { (root, steps, inside_meta) };
        if let Some(default) = &schema.default {
            let place = path.child("default");
            let errors = if inside_meta {
                inside_resource(default, schema, root, steps, &place)
            } else {
                self.on_its_own(default, schema, resource, &place)
            };
            self.errors.extend(errors);
        }
        if let Some(item) = schema.item() {
            steps.push(Step::Item);
            self.place(item, root, false, steps, inside_meta, &path.child("items"));
            steps.pop();
        }
        for (name, property) in &schema.properties {
            let meta = resource && matches!(name.as_str(), "metadata" | "apiVersion" | "kind");
            steps.push(Step::Field(name.clone()));
            let place = path.child("properties").key(name);
            self.place(property, root, false, steps, inside_meta || meta, &place);
            steps.pop();
        }
    }

    fn on_its_own(&self, default: &Value, schema: &Props, resource: bool, path: &Path) -> Vec<FieldError> {
        let mut errors = Vec::new();
        if self.pruned {
            let mut pruned = default.clone();
            prune_at(&mut pruned, Some(schema), resource);
            if pruned != *default {
                errors.push(FieldError::invalid(path, default.clone(), "must not have unknown fields"));
            }
        }
        let mut coerced = default.clone();
        if let Some(mut error) = coerce_embedded(&mut coerced, schema, resource, false) {
            error.path = joined(path, &error.path);
            errors.push(error);
            return errors;
        }
        let wrong = validate_embedded(&coerced, schema, resource, path);
        if wrong.is_empty() {
            errors.extend(check_default(default, schema, path));
        } else {
            errors.extend(wrong);
        }
        errors
    }
}

/// A default inside metadata is checked as part of a whole resource.
fn inside_resource(
    default: &Value,
    schema: &Props,
    root: &Props,
    steps: &[Step],
    path: &Path,
) -> Vec<FieldError> {
    let mut object = steps.iter().rev().fold(default.clone(), |value, step| match step {
        Step::Field(name) => Value::Object(Map::from_iter([(name.clone(), value)])),
        Step::Item => Value::Array(vec![value]),
    });
    if let Some(fields) = object.as_object_mut() {
        for (name, value) in [("kind", json!("Validation")), ("apiVersion", json!("validation/v1"))] {
            fields.entry(name).or_insert(value);
        }
    }
    let refuse = |words: String| {
        vec![FieldError::invalid(path, default.clone(), format!("must result in valid metadata: {words}"))]
    };
    if let Some(error) = coerce_embedded(&mut object, root, true, false) {
        return refuse(error.to_string());
    }
    let wrong = validate_embedded(&object, root, true, &Path::default());
    if !wrong.is_empty() {
        let words: Vec<String> = wrong.iter().map(ToString::to_string).collect();
        return refuse(if let [one] = words.as_slice() {
            one.clone()
        } else {
            format!("[{}]", words.join(", "))
        });
    }
    check_default(default, schema, path)
}

fn joined(base: &Path, below: &Path) -> Path {
    match below.to_string().as_str() {
        "<nil>" => base.clone(),
        text => base.child(text),
    }
}
