//! Writes that change nothing but the times of managers, which are no writes.

use serde_json::{Map, Value};

/// Gives managed fields their old times back if nothing else changed, so that the object is what it was and need not
/// be written.
pub fn keep_times(old: &Value, new: &mut Value) {
    let (Some(before), Some(after)) = (entries(old), entries(new)) else { return };
    let equal = before.len() == after.len()
        && before.iter().zip(after).all(|(before, after)| equal_but_for(before, after, "time"))
        && equal_objects(old, new);
    if !equal {
        return;
    }
    let fields = Value::Array(before.to_vec());
    if let Some(after) = new.pointer_mut("/metadata/managedFields") {
        *after = fields;
    }
}

fn entries(object: &Value) -> Option<&[Value]> {
    object.get("metadata")?.get("managedFields")?.as_array().map(Vec::as_slice)
}

fn equal_but_for(left: &Value, right: &Value, name: &str) -> bool {
    let (Some(left), Some(right)) = (left.as_object(), right.as_object()) else { return left == right };
    // The order of fields means nothing.
    let within = |these: &Map<String, Value>, those: &Map<String, Value>| {
        these.iter().all(|(key, value)| key == name || those.get(key) == Some(value))
    };
    within(left, right) && within(right, left)
}

fn equal_objects(left: &Value, right: &Value) -> bool {
    if !equal_but_for(left, right, "metadata") {
        return false;
    }
    match (left.get("metadata"), right.get("metadata")) {
        (Some(left), Some(right)) => equal_but_for(left, right, "managedFields"),
        (left, right) => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(time: &str, fields: &Value, data: &str) -> Value {
        json!({
            "metadata": {"name": "a", "managedFields": [{"manager": "m", "time": time, "fieldsV1": fields}]},
            "data": {"a": data},
        })
    }

    #[test]
    fn only_times_that_changed_alone_are_kept() {
        let old = object("1", &json!({"f:a": {}}), "x");
        for (new, kept) in [
            (object("2", &json!({"f:a": {}}), "x"), true),
            (object("2", &json!({"f:a": {}}), "y"), false),
            (object("2", &json!({"f:b": {}}), "x"), false),
        ] {
            let mut after = new.clone();
            keep_times(&old, &mut after);
            assert_eq!(after, if kept { old.clone() } else { new });
        }
    }

    #[test]
    fn a_manager_that_comes_is_a_change() {
        let old = object("1", &json!({}), "x");
        let mut new = old.clone();
        new["metadata"]["managedFields"].as_array_mut().unwrap().push(json!({"manager": "n", "time": "2"}));
        let before = new.clone();
        keep_times(&old, &mut new);
        assert_eq!(new, before);
    }
}
