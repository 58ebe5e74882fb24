//! The `scale` subresource of custom resources: numbers somewhere in the object.

use serde_json::{Value, json};

use super::definition::Scale;
use crate::field::{FieldError, Path};

/// What is wrong with the numbers, those that are asked for only if `spec`.
pub(super) fn errors(paths: &Scale, object: &Value, spec: bool) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if spec {
        errors.extend(number_error(&paths.spec_replicas_path, object));
    }
    errors.extend(number_error(&paths.status_replicas_path, object));
    if let Some(path) = &paths.label_selector_path {
        match find(object, path) {
            Err(words) => errors.push(FieldError::invalid(&Path::new(path.as_str()), "", words)),
            Ok(Some(value)) if !value.is_string() => {
                let words = accessor_error(path, value, "string");
                errors.push(FieldError::invalid(&Path::new(path.as_str()), "", words));
            }
            Ok(_) => {}
        }
    }
    errors
}

fn number_error(path: &str, object: &Value) -> Option<FieldError> {
    let place = Path::new(path);
    match integer(object, path) {
        Err(words) => Some(FieldError::invalid(&place, 0, words)),
        Ok(number) => {
            let number = number.unwrap_or_default();
            let words = if number < 0 {
                "should be a non-negative integer".to_owned()
            } else if number > i64::from(i32::MAX) {
                format!("should be less than or equal to {}", i32::MAX)
            } else {
                return None;
            };
            Some(FieldError::invalid(&place, number, words))
        }
    }
}

/// The `Scale` of an object, and whether it says how many are wanted.
pub fn scale_of(paths: &Scale, object: &Value) -> Result<(Value, bool), String> {
    let spec = integer(object, &paths.spec_replicas_path)?;
    let status = integer(object, &paths.status_replicas_path)?.unwrap_or_default();
    let mut scale = json!({
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {},
        "spec": {},
        "status": {"replicas": status as i32},
    });
    for field in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(value) = object["metadata"].get(field) {
            scale["metadata"][field] = value.clone();
        }
    }
    let replicas = spec.unwrap_or_default() as i32;
    if replicas != 0 {
        scale["spec"]["replicas"] = replicas.into();
    }
    if let Some(path) = paths.label_selector_path.as_deref().filter(|path| !path.is_empty()) {
        match find(object, path)? {
            None => {}
            Some(Value::String(text)) if text.is_empty() => {}
            Some(Value::String(text)) => scale["status"]["selector"] = text.as_str().into(),
            Some(other) => return Err(accessor_error(path, other, "string")),
        }
    }
    Ok((scale, spec.is_some()))
}

/// Writes the number that is wanted into an object, making what is on the way.
pub fn set_replicas(paths: &Scale, object: &mut Value, replicas: i64) -> Result<(), String> {
    let path = paths.spec_replicas_path.trim_start_matches('.');
    let names: Vec<&str> = path.split('.').collect();
    let Some((last, before)) = names.split_last() else { return Ok(()) };
    let mut place = object;
    for (index, name) in before.iter().enumerate() {
        let Value::Object(fields) = place else { return Err(not_a_map(&names[..index])) };
        place = fields.entry(*name).or_insert_with(|| json!({}));
    }
    let Value::Object(fields) = place else { return Err(not_a_map(before)) };
    fields.insert((*last).to_owned(), replicas.into());
    Ok(())
}

fn not_a_map(names: &[&str]) -> String {
    format!("value cannot be set because .{} is not a map[string]interface{{}}", names.join("."))
}

fn integer(object: &Value, path: &str) -> Result<Option<i64>, String> {
    match find(object, path)? {
        None => Ok(None),
        Some(value) => match value.as_i64() {
            Some(number) => Ok(Some(number)),
            None => Err(accessor_error(path, value, "int64")),
        },
    }
}

fn find<'v>(object: &'v Value, path: &str) -> Result<Option<&'v Value>, String> {
    let names: Vec<&str> = path.strip_prefix('.').unwrap_or(path).split('.').collect();
    let mut value = object;
    for (index, name) in names.iter().enumerate() {
        match value {
            Value::Null => return Ok(None),
            Value::Object(fields) => match fields.get(*name) {
                Some(below) => value = below,
                None => return Ok(None),
            },
            other => {
                return Err(accessor_error(&names[..=index].join("."), other, "map[string]interface{}"));
            }
        }
    }
    Ok(Some(value))
}

fn accessor_error(path: &str, value: &Value, expected: &str) -> String {
    let path = path.strip_prefix('.').unwrap_or(path);
    let (shown, kind) = match value {
        Value::Null => ("<nil>".to_owned(), "<nil>"),
        Value::Bool(flag) => (flag.to_string(), "bool"),
        Value::Number(number) if number.is_i64() => (number.to_string(), "int64"),
        Value::Number(number) => {
            (goyaml::strconv::format_float(number.as_f64().unwrap_or_default(), b'g', -1, 64), "float64")
        }
        Value::String(text) => (text.clone(), "string"),
        Value::Array(_) => (go_text(value), "[]interface {}"),
        Value::Object(_) => (go_text(value), "map[string]interface {}"),
    };
    format!(".{path} accessor error: {shown} is of the type {kind}, expected {expected}")
}

/// `fmt.Sprint` of unstructured data.
fn go_text(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go_text).collect::<Vec<_>>().join(" ")),
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, value)| format!("{name}:{}", go_text(value))).collect();
            format!("map[{}]", fields.join(" "))
        }
        Value::Number(number) if !number.is_i64() => {
            goyaml::strconv::format_float(number.as_f64().unwrap_or_default(), b'g', -1, 64)
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths() -> Scale {
        Scale {
            spec_replicas_path: ".spec.n".into(),
            status_replicas_path: ".status.n".into(),
            label_selector_path: Some(".status.selector".into()),
        }
    }

    #[test]
    fn numbers_are_found_and_written() {
        let mut object = json!({"metadata": {"name": "a"}, "status": {"n": 2, "selector": "a=b"}});
        let (scale, said) = scale_of(&paths(), &object).unwrap();
        assert!(!said);
        assert_eq!(scale["status"], json!({"replicas": 2, "selector": "a=b"}));
        set_replicas(&paths(), &mut object, 3).unwrap();
        assert_eq!(scale_of(&paths(), &object).unwrap().0["spec"]["replicas"], 3);
        object["spec"] = 1.into();
        assert_eq!(
            scale_of(&paths(), &object).unwrap_err(),
            ".spec.n accessor error: 1 is of the type int64, expected map[string]interface{}"
        );
    }
}
