//! Reading and changing the metadata of an object in a few words.

use serde_json::{Map, Value};

use crate::meta;

/// A text of the metadata, empty if there is none.
pub(crate) fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object["metadata"][field].as_str().unwrap_or_default()
}

/// The finalizers.
pub(crate) fn finalizers(object: &Value) -> Vec<&str> {
    object["metadata"]["finalizers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The metadata, made if it is missing.
pub(crate) fn fields(object: &mut Value) -> &mut Map<String, Value> {
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    if !object["metadata"].is_object() {
        object["metadata"] = Value::Object(Map::new());
    }
    match object["metadata"].as_object_mut() {
        Some(fields) => fields,
        // It was made an object above.
        None => unreachable!("metadata is an object"),
    }
}

/// Whether a deletion has begun.
pub(crate) fn is_terminating(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}

/// Removes owners that stand there twice, and says which.
pub(crate) fn dedup_owners(object: &mut Value) -> Option<String> {
    let owners = object["metadata"]["ownerReferences"].as_array()?;
    let mut kept: Vec<Value> = Vec::with_capacity(owners.len());
    let mut repeated: Vec<&str> = Vec::new();
    for owner in owners {
        if kept.contains(owner) {
            repeated.push(owner["uid"].as_str().unwrap_or_default());
        } else {
            kept.push(owner.clone());
        }
    }
    if repeated.is_empty() {
        return None;
    }
    let repeated = repeated.join(", ");
    object["metadata"]["ownerReferences"] = kept.into();
    Some(repeated)
}

/// Puts the namespace of the request on an object, or refuses another.
pub(crate) fn take_namespace(
    object: &mut Value,
    namespaced: bool,
    namespace: &str,
) -> Result<(), crate::status::Status> {
    meta::take_namespace(object, if namespaced { namespace } else { "" })
}
