//! `apiVersion`, `kind` and `metadata` of resources, also of those embedded in others: read as the typed server reads
//! them, so that nothing else is kept.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::props::Props;
use crate::field::{FieldError, Path};
use crate::meta::{self, dns1035_label};

/// The metadata of a resource in the form in which the server keeps it: without unknown or empty fields. Gives the
/// paths of the unknown fields, below `metadata`; fails if a field has the wrong type.
pub fn typed(metadata: &Value) -> Result<(Map<String, Value>, Vec<String>), String> {
    let mut decoder = Decoder { unknown: Vec::new() };
    let fields = decoder.metadata(metadata)?;
    decoder.unknown.sort();
    Ok((fields, decoder.unknown))
}

/// As [`typed`], but fields of the wrong type are left out.
pub fn typed_leniently(metadata: &Value) -> Option<Map<String, Value>> {
    if let Ok((fields, _)) = typed(metadata) {
        return Some(fields);
    }
    let mut kept = Map::new();
    for (name, value) in metadata.as_object()? {
        let one = Value::Object(Map::from_iter([(name.clone(), value.clone())]));
        if let Ok((fields, _)) = typed(&one) {
            kept.extend(fields);
        }
    }
    Some(kept)
}

struct Decoder {
    unknown: Vec<String>,
}

type Decoded = Result<Option<Value>, String>;

impl Decoder {
    fn metadata(&mut self, metadata: &Value) -> Result<Map<String, Value>, String> {
        let fields = match metadata {
            Value::Null => return Ok(Map::new()),
            Value::Object(fields) => fields,
            other => return Err(mismatch(other, "", "v1.ObjectMeta")),
        };
        let mut kept = Map::new();
        for (name, value) in fields {
            let place = format!("ObjectMeta.{name}");
            let decoded = match name.as_str() {
                "name" | "generateName" | "namespace" | "selfLink" | "resourceVersion" => {
                    text(value, &place, "string")?
                }
                "uid" => text(value, &place, "types.UID")?,
                "generation" => integer(value, &place)?.filter(|number| number != 0),
                "deletionGracePeriodSeconds" => integer(value, &place)?,
                "creationTimestamp" | "deletionTimestamp" => time(value)?,
                "labels" | "annotations" => string_map(value, &place)?,
                "finalizers" => string_list(value, &place)?,
                "ownerReferences" => self.list(value, &place, "[]v1.OwnerReference", Self::owner)?,
                "managedFields" => self.list(value, &place, "[]v1.ManagedFieldsEntry", Self::manager)?,
                _ => {
                    self.unknown.push(name.clone());
                    None
                }
            };
            if let Some(value) = decoded {
                kept.insert(name.clone(), value);
            }
        }
        Ok(kept)
    }

    fn list(
        &mut self,
        value: &Value,
        place: &str,
        kind: &str,
        item: fn(&mut Self, &Value, &str, &str) -> Result<Value, String>,
    ) -> Decoded {
        match value {
            Value::Null => Ok(None),
            Value::Array(items) => {
                let name = place.trim_start_matches("ObjectMeta.");
                let decoded: Result<Vec<Value>, String> = items
                    .iter()
                    .enumerate()
                    .map(|(index, value)| item(self, value, place, &format!("{name}[{index}]")))
                    .collect();
                let decoded = decoded?;
                Ok((!decoded.is_empty()).then_some(Value::Array(decoded)))
            }
            other => Err(mismatch(other, place, kind)),
        }
    }

    fn owner(&mut self, value: &Value, place: &str, path: &str) -> Result<Value, String> {
        let mut kept: Map<String, Value> = ["apiVersion", "kind", "name", "uid"]
            .map(|name| (name.to_owned(), "".into()))
            .into_iter()
            .collect();
        for (name, value) in object(value, place, "v1.OwnerReference")? {
            let place = format!("OwnerReference.{}.{name}", place.trim_start_matches("ObjectMeta."));
            let decoded = match name.as_str() {
                "apiVersion" | "kind" | "name" => text(value, &place, "string")?,
                "uid" => text(value, &place, "types.UID")?,
                "controller" | "blockOwnerDeletion" => match value {
                    Value::Null => None,
                    Value::Bool(_) => Some(value.clone()),
                    other => return Err(mismatch(other, &place, "bool")),
                },
                _ => {
                    self.unknown.push(format!("{path}.{name}"));
                    None
                }
            };
            if let Some(value) = decoded {
                kept.insert(name.clone(), value);
            }
        }
        Ok(Value::Object(kept))
    }

    fn manager(&mut self, value: &Value, place: &str, path: &str) -> Result<Value, String> {
        let mut kept = Map::new();
        for (name, value) in object(value, place, "v1.ManagedFieldsEntry")? {
            let place = format!("ManagedFieldsEntry.{}.{name}", place.trim_start_matches("ObjectMeta."));
            let decoded = match name.as_str() {
                "manager" | "apiVersion" | "fieldsType" | "subresource" => text(value, &place, "string")?,
                "operation" => text(value, &place, "v1.ManagedFieldsOperationType")?,
                "time" => time(value)?,
                "fieldsV1" => (!value.is_null()).then(|| value.clone()),
                _ => {
                    self.unknown.push(format!("{path}.{name}"));
                    None
                }
            };
            if let Some(value) = decoded {
                kept.insert(name.clone(), value);
            }
        }
        Ok(Value::Object(kept))
    }
}

/// Go's words for a value of the wrong type.
fn mismatch(value: &Value, place: &str, kind: &str) -> String {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if place.is_empty() {
        return format!("json: cannot unmarshal {found} into Go value of type {kind}");
    }
    format!("json: cannot unmarshal {found} into Go struct field {place} of type {kind}")
}

fn object<'v>(
    value: &'v Value,
    place: &str,
    kind: &str,
) -> Result<Box<dyn Iterator<Item = (&'v String, &'v Value)> + 'v>, String> {
    match value {
        Value::Null => Ok(Box::new(std::iter::empty())),
        Value::Object(fields) => Ok(Box::new(fields.iter())),
        other => Err(mismatch(other, place, kind)),
    }
}

fn text(value: &Value, place: &str, kind: &str) -> Decoded {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok((!text.is_empty()).then(|| value.clone())),
        other => Err(mismatch(other, place, kind)),
    }
}

fn integer(value: &Value, place: &str) -> Decoded {
    match value {
        Value::Null => Ok(None),
        Value::Number(number) if number.is_i64() => Ok(Some(value.clone())),
        Value::Number(number) => {
            Err(format!("json: cannot unmarshal number {number} into Go struct field {place} of type int64"))
        }
        other => Err(mismatch(other, place, "int64")),
    }
}

fn time(value: &Value) -> Decoded {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => {
            if let Ok(moment) = text.parse::<Timestamp>() {
                return Ok(Some(meta::moment(moment).into()));
            }
            let quoted = goyaml::strconv::quote(text);
            let layout = "\"2006-01-02T15:04:05Z07:00\"";
            Err(format!("parsing time {quoted} as {layout}: cannot parse {quoted} as \"2006\""))
        }
        other => Err(mismatch(other, "", "string")),
    }
}

fn string_map(value: &Value, place: &str) -> Decoded {
    match value {
        Value::Null => Ok(None),
        Value::Object(fields) => {
            let mut kept = Map::new();
            for (name, value) in fields {
                let text = text(value, place, "string")?.unwrap_or_else(|| "".into());
                kept.insert(name.clone(), text);
            }
            Ok((!kept.is_empty()).then_some(Value::Object(kept)))
        }
        other => Err(mismatch(other, place, "map[string]string")),
    }
}

fn string_list(value: &Value, place: &str) -> Decoded {
    match value {
        Value::Null => Ok(None),
        Value::Array(items) => {
            let texts: Result<Vec<Value>, String> = items
                .iter()
                .map(|item| Ok(text(item, place, "string")?.unwrap_or_else(|| "".into())))
                .collect();
            let texts = texts?;
            Ok((!texts.is_empty()).then_some(Value::Array(texts)))
        }
        other => Err(mismatch(other, place, "[]string")),
    }
}

/// Brings the metadata of embedded resources into the form in which the server keeps it; `resource` says that the value
/// itself is one. What cannot be read is removed if `lenient`, and refused otherwise.
pub(crate) fn coerce_embedded(
    value: &mut Value,
    schema: &Props,
    resource: bool,
    lenient: bool,
) -> Option<FieldError> {
    coerce(value, schema, resource, lenient, &mut Vec::new()).err().map(|error| *error)
}

/// As [`coerce_embedded`], and gives the paths of unknown fields in the metadata.
pub(crate) fn coerce(
    value: &mut Value,
    schema: &Props,
    resource: bool,
    lenient: bool,
    unknown: &mut Vec<String>,
) -> Result<(), Box<FieldError>> {
    coerce_at(value, schema, resource, lenient, &Path::default(), unknown)
}

fn coerce_at(
    value: &mut Value,
    schema: &Props,
    resource: bool,
    lenient: bool,
    path: &Path,
    unknown: &mut Vec<String>,
) -> Result<(), Box<FieldError>> {
    match value {
        Value::Object(fields) => {
            if resource || schema.embedded_resource {
                coerce_resource(fields, lenient, path, unknown)?;
            }
            for (name, value) in fields {
                if let Some(property) = schema.properties.get(name) {
                    coerce_at(value, property, false, lenient, &path.child(name), unknown)?;
                } else if let Some(additional) = schema.additional() {
                    coerce_at(value, additional, false, lenient, &path.key(name), unknown)?;
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = schema.item() else { return Ok(()) };
            for (index, item) in items.iter_mut().enumerate() {
                coerce_at(item, schema, false, lenient, &path.index(index), unknown)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn coerce_resource(
    fields: &mut Map<String, Value>,
    lenient: bool,
    path: &Path,
    unknown: &mut Vec<String>,
) -> Result<(), Box<FieldError>> {
    for name in ["apiVersion", "kind"] {
        if fields.get(name).is_some_and(|value| !value.is_string()) {
            if !lenient {
                let value = fields[name].clone();
                return Err(Box::new(FieldError::invalid(&path.child(name), value, "must be a string")));
            }
            fields.remove(name);
        }
    }
    let Some(metadata) = fields.get("metadata") else { return Ok(()) };
    let place = path.child("metadata");
    match typed(metadata) {
        Ok((kept, odd)) => {
            unknown.extend(odd.into_iter().map(|field| format!("{place}.{field}")));
            fields.insert("metadata".into(), Value::Object(kept));
        }
        Err(_) if lenient => {
            if let Some(kept) = typed_leniently(metadata) {
                fields.insert("metadata".into(), Value::Object(kept));
            }
        }
        Err(words) => return Err(Box::new(FieldError::invalid(&place, metadata.clone(), words))),
    }
    Ok(())
}

/// What is wrong with `apiVersion`, `kind` and `metadata` of embedded resources.
pub fn validate_embedded(value: &Value, schema: &Props, resource: bool, path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    embedded_at(value, schema, resource, path, &mut errors);
    errors
}

fn embedded_at(value: &Value, schema: &Props, resource: bool, path: &Path, errors: &mut Vec<FieldError>) {
    match value {
        Value::Object(fields) => {
            if resource || schema.embedded_resource {
                resource_errors(fields, path, errors);
            }
            for (name, value) in fields {
                if let Some(property) = schema.properties.get(name) {
                    embedded_at(value, property, false, &path.child(name), errors);
                } else if let Some(additional) = schema.additional() {
                    embedded_at(value, additional, false, &path.key(name), errors);
                }
            }
        }
        Value::Array(items) => {
            let Some(schema) = schema.item() else { return };
            for (index, item) in items.iter().enumerate() {
                embedded_at(item, schema, false, &path.index(index), errors);
            }
        }
        _ => {}
    }
}

fn resource_errors(fields: &Map<String, Value>, path: &Path, errors: &mut Vec<FieldError>) {
    for name in ["apiVersion", "kind"] {
        if !fields.contains_key(name) {
            errors.push(FieldError::required(&path.child(name), ""));
        }
    }
    for (name, value) in fields {
        let place = path.child(name);
        match (name.as_str(), value) {
            ("apiVersion", Value::String(version)) if version.is_empty() => {
                errors.push(FieldError::invalid(&place, "", "must not be empty"));
            }
            ("apiVersion", Value::String(version)) if version.matches('/').count() > 1 => {
                let words = format!("unexpected GroupVersion string: {version}");
                errors.push(FieldError::invalid(&place, version.as_str(), words));
            }
            ("kind", Value::String(kind)) if kind.is_empty() => {
                errors.push(FieldError::invalid(&place, "", "must not be empty"));
            }
            ("kind", Value::String(kind)) => {
                let wrong = dns1035_label(&kind.to_lowercase());
                if !wrong.is_empty() {
                    let words =
                        format!("may have mixed case, but should otherwise match: {}", wrong.join(","));
                    errors.push(FieldError::invalid(&place, kind.as_str(), words));
                }
            }
            ("apiVersion", Value::String(_)) => {}
            ("apiVersion" | "kind", other) => {
                errors.push(FieldError::invalid(&place, other.clone(), "must be a string"));
            }
            ("metadata", metadata) => match typed(metadata) {
                Ok((mut kept, _)) => {
                    kept.entry("name").or_insert_with(|| "fakename".into());
                    let namespaced = kept.contains_key("namespace");
                    errors.extend(meta::validate_meta(&kept, namespaced, &meta::any_name, &place));
                }
                Err(words) => errors.push(FieldError::invalid(&place, metadata.clone(), words)),
            },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_keeps_what_is_known_and_said() {
        let (kept, unknown) = typed(&json!({
            "name": "a", "namespace": "", "labels": {"b": null}, "annotations": {}, "odd": 1, "generation": 0,
            "creationTimestamp": "2020-01-01T01:00:00.5+01:00",
            "ownerReferences": [{"kind": "K", "extra": 1, "controller": null}], "finalizers": [],
        }))
        .unwrap();
        assert_eq!(unknown, ["odd", "ownerReferences[0].extra"]);
        assert_eq!(
            Value::Object(kept),
            json!({
                "name": "a", "labels": {"b": ""}, "creationTimestamp": "2020-01-01T00:00:00Z",
                "ownerReferences": [{"apiVersion": "", "kind": "K", "name": "", "uid": ""}],
            })
        );
    }

    #[test]
    fn wrong_types_are_refused_or_left_out() {
        let odd = json!({"name": "a", "labels": {"b": 1}, "generation": "x"});
        assert_eq!(
            typed(&json!({"labels": {"b": 1}})),
            Err("json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string".into())
        );
        assert_eq!(typed_leniently(&odd).map(Value::Object), Some(json!({"name": "a"})));
    }

    #[test]
    fn embedded_resources_are_checked() {
        let schema = Props::read(&json!({"type": "object", "properties": {"t": {"type": "object",
            "x-kubernetes-embedded-resource": true}}}));
        let object = json!({"t": {"kind": "a b", "metadata": {"labels": {"-": ""}}}});
        let said: Vec<String> = validate_embedded(&object, &schema, false, &Path::default())
            .iter()
            .map(|error| error.to_string().chars().take(58).collect())
            .collect();
        assert_eq!(
            said,
            [
                "t.apiVersion: Required value",
                "t.kind: Invalid value: \"a b\": may have mixed case, but sho",
                "t.metadata.labels: Invalid value: \"-\": name part must cons",
            ]
        );
    }
}
