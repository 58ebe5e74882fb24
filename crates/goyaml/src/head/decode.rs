//! The head out of a whole document, with Go's rules for decoding JSON into a struct.

use std::collections::BTreeMap;

use super::Head;
use crate::compose::{Composed, check_finite};
use crate::json;
use crate::strconv::format_float;
use crate::{Error, Mapping, Value};

/// How Go names the type of `SimpleHead.Metadata`.
const METADATA_TYPE: &str =
    r#"struct { Name string "json:\"name\""; Annotations map[string]string "json:\"annotations\"" }"#;

pub(super) fn decode(composed: Composed) -> Result<Head, Error> {
    let mut value = composed.value;
    coerce(&mut value);
    if composed.not_finite {
        check_finite(&value).map_err(Error::Yaml)?;
    }
    let mut head = Head::default();
    match value {
        Value::Null => {}
        Value::Mapping(entries) => {
            for (key, value) in entries {
                match fold(&key).as_str() {
                    "apiversion" => text(&mut head.api_version, value, "SimpleHead.apiVersion")?,
                    "kind" => text(&mut head.kind, value, "SimpleHead.kind")?,
                    "metadata" => metadata(&mut head, value)?,
                    _ => {}
                }
            }
        }
        other => return Err(mismatch(&other, "value of type util.SimpleHead")),
    }
    Ok(head)
}

fn metadata(head: &mut Head, value: Value) -> Result<(), Error> {
    let entries = match value {
        Value::Null => {
            *head = Head {
                api_version: std::mem::take(&mut head.api_version),
                kind: std::mem::take(&mut head.kind),
                ..Head::default()
            };
            return Ok(());
        }
        Value::Mapping(entries) => entries,
        other => {
            return Err(mismatch(
                &other,
                &format!("struct field SimpleHead.metadata of type {METADATA_TYPE}"),
            ));
        }
    };
    head.has_metadata = true;
    for (key, value) in entries {
        match key.as_str() {
            "namespace" => value.as_str().unwrap_or_default().clone_into(&mut head.namespace),
            "labels" => head.labels = labels(value),
            _ => match fold(&key).as_str() {
                "name" => text(&mut head.name, value, ".metadata.name")?,
                "annotations" => annotations(&mut head.annotations, value)?,
                _ => {}
            },
        }
    }
    Ok(())
}

fn labels(value: Value) -> BTreeMap<String, String> {
    let entries = value.into_mapping().unwrap_or_default().into_iter();
    let strings = entries.filter_map(|(key, value)| match value {
        Value::String(text) => Some((key, text)),
        _ => None,
    });
    strings.collect()
}

fn annotations(target: &mut BTreeMap<String, String>, value: Value) -> Result<(), Error> {
    match value {
        Value::Null => target.clear(),
        Value::Mapping(entries) => {
            for (key, value) in entries {
                text(target.entry(key).or_default(), value, ".metadata.annotations")?;
            }
        }
        other => {
            let place = "struct field .metadata.annotations of type map[string]string";
            return Err(mismatch(&other, place));
        }
    }
    Ok(())
}

/// Decodes a string; `null` changes nothing.
fn text(target: &mut String, value: Value, field: &str) -> Result<(), Error> {
    match value {
        Value::Null => {}
        Value::String(text) => *target = text,
        other => return Err(mismatch(&other, &format!("struct field {field} of type string"))),
    }
    Ok(())
}

fn mismatch(value: &Value, place: &str) -> Error {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Uint(_) | Value::Float(_) | Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Sequence(_) => "array",
        Value::Mapping(_) => "object",
    };
    Error::Decode(json::Error::new(format!("json: cannot unmarshal {found} into Go {place}")))
}

/// Go matches field names in any case, two odd letters included.
fn fold(name: &str) -> String {
    let folded = name.chars().map(|c| match c {
        '\u{212a}' => 'k',
        '\u{17f}' => 's',
        c => c.to_ascii_lowercase(),
    });
    folded.collect()
}

/// Turns numbers and booleans into strings where the struct has strings.
fn coerce(value: &mut Value) {
    let Value::Mapping(entries) = value else { return };
    for (key, value) in entries.iter_mut() {
        match fold(key).as_str() {
            "apiversion" | "kind" => coerce_scalar(value),
            "metadata" => {
                if let Value::Mapping(metadata) = value {
                    coerce_metadata(metadata);
                }
            }
            _ => {}
        }
    }
}

fn coerce_metadata(metadata: &mut Mapping) {
    for (key, value) in metadata {
        match (fold(key).as_str(), &mut *value) {
            ("name", value) => coerce_scalar(value),
            ("annotations", Value::Mapping(annotations)) => annotations.values_mut().for_each(coerce_scalar),
            _ => {}
        }
    }
}

fn coerce_scalar(value: &mut Value) {
    let text = match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Float(value) => format_float(*value, b'g', -1, 32),
        _ => return,
    };
    *value = Value::String(text);
}
