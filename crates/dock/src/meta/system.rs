//! The fields that belong to the server: reset and filled in on a create, kept on an update.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::generate::generated_name;
use crate::status::Status;

/// The metadata of an object, made if it is missing.
pub(crate) fn metadata_mut(object: &mut Value) -> Option<&mut Map<String, Value>> {
    let fields = object.as_object_mut()?;
    let metadata = fields.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    if !metadata.is_object() {
        *metadata = Value::Object(Map::new());
    }
    metadata.as_object_mut()
}

/// A text in the metadata, empty if it is not there.
pub(crate) fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object
        .get("metadata")
        .and_then(|metadata| metadata.get(field))
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Makes the namespace of the object that of the request: empty for kinds without namespaces.
pub fn take_namespace(object: &mut Value, expected: &str) -> Result<(), Status> {
    let own = text(object, "namespace");
    if own == expected {
        return Ok(());
    }
    if !own.is_empty() && !expected.is_empty() {
        return Err(Status::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    if let Some(metadata) = metadata_mut(object) {
        if expected.is_empty() {
            metadata.remove("namespace");
        } else {
            metadata.insert("namespace".into(), expected.into());
        }
    }
    Ok(())
}

/// Resets what a creator may not choose, fills in identity and time, and makes up the name where one is to be
/// generated. `suffix` is what [`random_suffix`](super::random_suffix) gave.
///
/// `generation` is the kind's own affair: those that count it set it to one, the others keep what was sent.
pub fn before_create(object: &mut Value, now: Timestamp, uid: &str, suffix: &str) {
    let Some(metadata) = metadata_mut(object) else { return };
    for field in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"] {
        metadata.remove(field);
    }
    metadata.insert("uid".into(), uid.into());
    metadata.insert("creationTimestamp".into(), moment(now).into());
    let named = metadata.get("name").and_then(Value::as_str).is_some_and(|name| !name.is_empty());
    let base = metadata.get("generateName").and_then(Value::as_str).unwrap_or_default();
    if !named && !base.is_empty() {
        let name = generated_name(base, suffix);
        metadata.insert("name".into(), name.into());
    }
}

/// Puts back what an update may not write. Runs before the kind's own preparation, which may raise the generation.
pub fn before_update(object: &mut Value, old: &Value) {
    let before = old.get("metadata");
    let old_field =
        |field: &str| before.and_then(|metadata| metadata.get(field)).filter(|value| !is_zero(value));
    let Some(metadata) = metadata_mut(object) else { return };
    metadata.remove("selfLink");
    match old_field("generation") {
        Some(generation) => metadata.insert("generation".into(), generation.clone()),
        None => metadata.remove("generation"),
    };
    for field in ["creationTimestamp", "deletionTimestamp"] {
        if let Some(value) = old_field(field) {
            metadata.insert(field.into(), value.clone());
        }
    }
    for field in ["uid", "deletionGracePeriodSeconds"] {
        let absent = metadata.get(field).is_none_or(|value| value.is_null() || value == "");
        let kept = before.and_then(|metadata| metadata.get(field)).filter(|value| !value.is_null());
        if absent && let Some(value) = kept {
            metadata.insert(field.into(), value.clone());
        }
    }
}

fn is_zero(value: &Value) -> bool {
    value.is_null() || value == "" || value == 0
}

/// A moment as the API writes it: to the second, in UTC.
pub(crate) fn moment(now: Timestamp) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn namespaces_must_agree() {
        let cases = [
            (json!({}), "a", Ok("a")),
            (json!({"metadata": {"namespace": "a"}}), "a", Ok("a")),
            (json!({"metadata": {"namespace": "a"}}), "", Ok("")),
            (json!({"metadata": {"namespace": "b"}}), "a", Err(())),
        ];
        for (mut object, expected, outcome) in cases {
            let taken = take_namespace(&mut object, expected).map_err(|_| ());
            assert_eq!(taken.map(|()| text(&object, "namespace")), outcome, "{object}");
        }
    }

    #[test]
    fn a_create_fills_in_what_is_the_servers() {
        let mut object = json!({"metadata": {
            "generateName": "web-", "uid": "mine", "creationTimestamp": "2000-01-01T00:00:00Z", "generation": 7,
            "deletionTimestamp": "2000-01-01T00:00:00Z", "deletionGracePeriodSeconds": 3, "selfLink": "/x",
        }});
        before_create(&mut object, Timestamp::UNIX_EPOCH, "u", "bcdfg");
        assert_eq!(
            object,
            json!({"metadata": {
                "name": "web-bcdfg", "generateName": "web-", "uid": "u", "generation": 7,
                "creationTimestamp": "1970-01-01T00:00:00Z",
            }})
        );
    }

    #[test]
    fn an_update_keeps_what_is_the_servers() {
        let old = json!({"metadata": {
            "name": "a", "uid": "u", "creationTimestamp": "2020-01-01T00:00:00Z", "generation": 2,
            "deletionTimestamp": "2020-01-02T00:00:00Z", "deletionGracePeriodSeconds": 0,
        }});
        let mut object = json!({"metadata": {"name": "a", "generation": 9, "creationTimestamp": null}});
        before_update(&mut object, &old);
        assert_eq!(object, old);
        let mut other = json!({"metadata": {"name": "a", "uid": "other", "deletionGracePeriodSeconds": 5}});
        before_update(&mut other, &old);
        assert_eq!(other["metadata"]["uid"], "other");
        assert_eq!(other["metadata"]["deletionGracePeriodSeconds"], 5);
    }
}
