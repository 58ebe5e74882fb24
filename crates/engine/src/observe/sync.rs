//! Whether applying a manifest would change nothing, as far as that can be told without asking.

use serde_json::Value;

/// Whether a live object already has everything that a manifest says. Where the server writes a value in another way
/// than the manifest does, the answer is no, and the object is applied once more: that does no harm.
pub(crate) fn has(live: &Value, wanted: &Value) -> bool {
    match (live, wanted) {
        (Value::Object(live), Value::Object(wanted)) => {
            wanted.iter().all(|(key, wanted)| match live.get(key) {
                Some(live) => has(live, wanted),
                // An empty value and none are the same to the server.
                None => is_empty(wanted),
            })
        }
        (Value::Array(live), Value::Array(wanted)) => {
            live.len() == wanted.len() && live.iter().zip(wanted).all(|(live, wanted)| has(live, wanted))
        }
        (live, Value::Null) => is_empty(live),
        (Value::Number(live), Value::Number(wanted)) => live.as_f64() == wanted.as_f64(),
        (live, wanted) => live == wanted,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_manifest_is_found_in_an_object_that_has_more() {
        let live = json!({"metadata": {"name": "a", "uid": "1"}, "spec": {"ports": [{"port": 80, "protocol": "TCP"}]}});
        for (wanted, expected) in [
            (json!({"metadata": {"name": "a"}}), true),
            (json!({"spec": {"ports": [{"port": 80}]}}), true),
            (json!({"spec": {"ports": [{"port": 80.0}]}}), true),
            (json!({"spec": {"ports": [{"port": 81}]}}), false),
            (json!({"spec": {"ports": []}}), false),
            (json!({"spec": {"ports": [{"port": 80}, {"port": 81}]}}), false),
            (json!({"metadata": {"labels": {}, "annotations": null}}), true),
            (json!({"metadata": {"labels": {"a": "b"}}}), false),
            (json!({"spec": null}), false),
        ] {
            assert_eq!(has(&live, &wanted), expected, "{wanted}");
        }
    }
}
