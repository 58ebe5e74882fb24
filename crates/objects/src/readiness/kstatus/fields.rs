//! Looks into unstructured objects as Kubernetes' own helpers do, with their words for what has the wrong type.

use goyaml::Value;

use crate::go_text;

/// An object cannot be judged, since a part of it has the wrong type; the text is Kubernetes' own.
#[derive(Debug, PartialEq)]
pub(in crate::readiness) struct Malformed(pub(super) String);

/// The value at a path. Nothing is found below `null`, but below a scalar or a list looking is a mistake.
pub(super) fn find<'a>(object: &'a Value, path: &[&str]) -> Result<Option<&'a Value>, Malformed> {
    let mut value = object;
    for (depth, name) in path.iter().enumerate() {
        match value {
            Value::Null => return Ok(None),
            Value::Mapping(entries) => match entries.get(*name) {
                Some(found) => value = found,
                None => return Ok(None),
            },
            other => return Err(accessor(&path[..=depth], other, "map[string]interface{}")),
        }
    }
    Ok(Some(value))
}

fn accessor(path: &[&str], value: &Value, expected: &str) -> Malformed {
    let (text, type_name) = (go_text::text(value), go_text::type_name(value));
    Malformed(format!(
        ".{} accessor error: {text} is of the type {type_name}, expected {expected}",
        path.join(".")
    ))
}

/// A text that must be one if it is there; where it stands is told in the error.
pub(super) fn text<'a>(object: &'a Value, path: &[&str]) -> Result<Option<&'a str>, Malformed> {
    typed(object, path, "string", Value::as_str)
}

/// An integer that must be one if it is there.
pub(super) fn integer(object: &Value, path: &[&str]) -> Result<Option<i64>, Malformed> {
    typed(object, path, "int64", Value::as_i64)
}

/// A list that must be one if it is there.
pub(super) fn list<'a>(object: &'a Value, path: &[&str]) -> Result<Option<&'a [Value]>, Malformed> {
    let Some(value) = find(object, path)? else { return Ok(None) };
    value.as_sequence().map(Some).ok_or_else(|| accessor(path, value, "[]interface{}"))
}

fn typed<'a, T>(
    object: &'a Value,
    path: &[&str],
    expected: &str,
    read: impl Fn(&'a Value) -> Option<T>,
) -> Result<Option<T>, Malformed> {
    let located = |Malformed(problem): Malformed| {
        Malformed(format!("looking up {} from resource: {problem}", path.join(".")))
    };
    let Some(value) = find(object, path).map_err(located)? else { return Ok(None) };
    read(value).map(Some).ok_or_else(|| located(accessor(path, value, expected)))
}

/// A text, or the default if it is missing or something else.
pub(super) fn text_or<'a>(object: &'a Value, path: &[&str], default: &'a str) -> &'a str {
    find(object, path).ok().flatten().and_then(Value::as_str).unwrap_or(default)
}

/// An integer, or the default if it is missing or something else.
pub(super) fn integer_or(object: &Value, path: &[&str], default: i64) -> i64 {
    find(object, path).ok().flatten().and_then(Value::as_i64).unwrap_or(default)
}

/// A boolean, or `false` if it is missing or something else.
pub(super) fn is_true(object: &Value, path: &[&str]) -> bool {
    find(object, path).ok().flatten().and_then(Value::as_bool).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_the_wrong_type_is_told_in_the_words_of_kubernetes() {
        let object =
            goyaml::from_str("{metadata: {generation: x, labels: [1]}, status: null, spec: 7}").unwrap();
        for (path, problem) in [
            (
                &["metadata", "generation"][..],
                "looking up metadata.generation from resource: .metadata.generation accessor error: \
                 x is of the type string, expected int64",
            ),
            (
                &["metadata", "labels", "x"],
                "looking up metadata.labels.x from resource: .metadata.labels.x accessor error: \
                 [1] is of the type []interface {}, expected map[string]interface{}",
            ),
            (
                &["spec", "replicas"],
                "looking up spec.replicas from resource: .spec.replicas accessor error: \
                 7 is of the type int64, expected map[string]interface{}",
            ),
        ] {
            assert_eq!(integer(&object, path), Err(Malformed(problem.to_owned())));
            assert_eq!(integer_or(&object, path, 3), 3);
        }
        assert_eq!(integer(&object, &["status", "observedGeneration"]), Ok(None));
        assert_eq!(integer(&object, &["nothing"]), Ok(None));
    }
}
