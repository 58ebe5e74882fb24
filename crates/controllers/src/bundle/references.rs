//! What a resource takes from others: `!{name}` stands for a value of another object.
//!
//! Where it is all of a text, the value comes with its type; inside of a text, as text. `!!{name}` is `!{name}` itself,
//! with one mark less.

use std::collections::BTreeMap;

use api::bundle::Reference;
use objects::jsonpath::JsonPath;
use serde_json::{Map, Value};

/// The values of a resource's references, by name.
pub type Values = BTreeMap<String, Value>;

/// Why a reference has no value, or a text asks for none there is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReferenceError {
    /// The path is none.
    #[error("reference {name:?}: path {path:?}: {cause}")]
    Path {
        /// The reference.
        name: String,
        /// The path.
        path: String,
        /// What is wrong.
        cause: String,
    },
    /// There is nothing at the path.
    #[error("reference {name:?}: there is nothing at {path:?} of {resource:?}")]
    Nothing {
        /// The reference.
        name: String,
        /// The path.
        path: String,
        /// The resource that was looked at.
        resource: String,
    },
    /// A text asks for a reference that is not declared.
    #[error("!{{{name}}} in {field}: the resource declares no reference of that name")]
    Undeclared {
        /// The reference.
        name: String,
        /// Where it is asked for.
        field: String,
    },
    /// A value that is no scalar cannot be part of a text.
    #[error("!{{{name}}} in {field}: a value that is no scalar must be all of the text")]
    NoText {
        /// The reference.
        name: String,
        /// Where it is asked for.
        field: String,
    },
}

/// The value of a reference in the object that it refers to.
pub fn value(reference: &Reference, object: &Value) -> Result<Option<(String, Value)>, ReferenceError> {
    let Some(name) = reference.name.clone().filter(|name| !name.is_empty()) else { return Ok(None) };
    let path = reference.path.clone().unwrap_or_default();
    let bad = |cause: String| ReferenceError::Path { name: name.clone(), path: path.clone(), cause };
    let parsed = JsonPath::parse_path(&braced(&path)).map_err(|error| bad(error.to_string()))?;
    let data = goyaml::json::from_str(&object.to_string()).map_err(|error| bad(error.to_string()))?;
    let found = parsed.find(&data).first().map(|found| found.clone().into_owned());
    let Some(found) = found else {
        return Err(ReferenceError::Nothing { name, path, resource: reference.resource.clone() });
    };
    let value = goyaml::json::from_value(found).map_err(|error| bad(error.to_string()))?;
    Ok(Some((name, value)))
}

/// What is wrong with a path, if it is none.
pub(super) fn path_error(path: &str) -> Option<String> {
    JsonPath::parse_path(&braced(path)).err().map(|error| error.to_string())
}

/// A path as it is read: `data.x`, `.data.x` and `{$.data.x}` are the same.
fn braced(path: &str) -> String {
    let path = path.trim();
    match path {
        path if path.starts_with('{') => path.to_owned(),
        path if path.starts_with(['.', '[', '$']) => format!("{{{path}}}"),
        path => format!("{{.{path}}}"),
    }
}

/// The object with all values put in.
pub fn substituted(object: &Map<String, Value>, values: &Values) -> Result<Value, ReferenceError> {
    let mut object = Value::Object(object.clone());
    put_in(&mut object, values, "object")?;
    Ok(object)
}

fn put_in(value: &mut Value, values: &Values, field: &str) -> Result<(), ReferenceError> {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                put_in(value, values, &format!("{field}.{key}"))?;
            }
        }
        Value::Array(list) => {
            for (number, value) in list.iter_mut().enumerate() {
                put_in(value, values, &format!("{field}[{number}]"))?;
            }
        }
        Value::String(text) if text.contains("!{") => *value = put_in_text(text, values, field)?,
        _ => {}
    }
    Ok(())
}

fn put_in_text(text: &str, values: &Values, field: &str) -> Result<Value, ReferenceError> {
    let find = |name: &str| {
        let (name, field) = (name.to_owned(), field.to_owned());
        values.get(&name).cloned().ok_or(ReferenceError::Undeclared { name, field })
    };
    if let Some(name) = text.strip_prefix("!{").and_then(|rest| rest.strip_suffix('}'))
        && !name.contains('}')
    {
        return find(name);
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("!{") {
        let Some(length) = rest[start..].find('}') else { break };
        let before = &rest[..start];
        let name = &rest[start + 2..start + length];
        // A mark before it says that it is meant as it stands.
        if let Some(before) = before.strip_suffix('!') {
            out.push_str(before);
            out.push_str(&rest[start..=start + length]);
        } else {
            out.push_str(before);
            match find(name)? {
                Value::String(text) => out.push_str(&text),
                value @ (Value::Number(_) | Value::Bool(_)) => out.push_str(&value.to_string()),
                _ => return Err(ReferenceError::NoText { name: name.to_owned(), field: field.to_owned() }),
            }
        }
        rest = &rest[start + length + 1..];
    }
    out.push_str(rest);
    Ok(Value::String(out))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn values() -> Values {
        [("port", json!(80)), ("host", json!("db")), ("list", json!([1, 2]))]
            .map(|(name, value)| (name.to_owned(), value))
            .into()
    }

    #[test]
    fn a_whole_text_keeps_the_type_and_a_part_becomes_text() {
        for (text, expected) in [
            ("!{port}", json!(80)),
            ("!{list}", json!([1, 2])),
            ("http://!{host}:!{port}/", json!("http://db:80/")),
            ("!!{port}", json!("!{port}")),
            ("a!!!{port}", json!("a!!{port}")),
            ("!{port", json!("!{port")),
            ("no reference", json!("no reference")),
        ] {
            let object = json!({"a": [{"b": text}]});
            let done = substituted(object.as_object().unwrap(), &values()).unwrap();
            assert_eq!(done["a"][0]["b"], expected, "{text}");
        }
    }

    #[test]
    fn what_has_no_value_is_named_with_its_place() {
        for (text, words) in [
            ("!{nothing}", "!{nothing} in object.a[0]: the resource declares no reference of that name"),
            ("x!{list}", "!{list} in object.a[0]: a value that is no scalar must be all of the text"),
        ] {
            let object = json!({"a": [text]});
            let error = substituted(object.as_object().unwrap(), &values()).unwrap_err();
            assert_eq!(error.to_string(), words);
        }
    }

    #[test]
    fn a_path_may_be_written_in_three_ways() {
        let object = json!({"data": {"x": true}});
        for path in ["data.x", ".data.x", "{.data.x}", "{$.data.x}"] {
            let reference = Reference {
                name: Some("n".into()),
                resource: "r".into(),
                path: Some(path.into()),
                ..Reference::default()
            };
            assert_eq!(value(&reference, &object), Ok(Some(("n".to_owned(), json!(true)))), "{path}");
        }
        let missing = Reference {
            name: Some("n".into()),
            resource: "r".into(),
            path: Some("data.y".into()),
            ..Reference::default()
        };
        let error = value(&missing, &object).unwrap_err().to_string();
        assert_eq!(error, "reference \"n\": there is nothing at \"data.y\" of \"r\"");
    }
}
