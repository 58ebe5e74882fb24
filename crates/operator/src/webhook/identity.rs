//! Who changed the spec of an object last: a pure function of a review.

use serde_json::{Value, json};

/// The fields of an identity that are kept.
const KEPT: [&str; 4] = ["username", "uid", "groups", "extra"];

/// What is to be changed in an object, as a JSON patch: its `spec.userInfo` becomes whoever makes the request if that
/// creates the object or changes anything else of its spec, and what it was if not.
pub fn patch(request: &Value) -> Option<Value> {
    let spec = request.pointer("/object/spec")?;
    let old = request.pointer("/oldObject/spec").filter(|old| old.is_object());
    let changed =
        request["operation"] == "CREATE" || old.map(without_identity) != Some(without_identity(spec));
    let right = if changed { Some(who(&request["userInfo"])) } else { old?.get("userInfo").cloned() };
    let written = spec.get("userInfo");
    match (written, right) {
        (written, right) if written == right.as_ref() => None,
        (None, None) => None,
        (Some(_), None) => Some(json!([{"op": "remove", "path": "/spec/userInfo"}])),
        (_, Some(right)) => Some(json!([{"op": "add", "path": "/spec/userInfo", "value": right}])),
    }
}

fn who(user: &Value) -> Value {
    let kept = KEPT.iter().filter_map(|field| Some(((*field).to_owned(), user.get(*field)?.clone())));
    Value::Object(kept.collect())
}

fn without_identity(spec: &Value) -> Value {
    let mut spec = spec.clone();
    if let Some(fields) = spec.as_object_mut() {
        fields.remove("userInfo");
    }
    spec
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identity_is_that_of_whoever_changed_the_spec() {
        let ann = json!({"username": "ann", "groups": ["g"]});
        let added = |who: &Value| Some(json!([{"op": "add", "path": "/spec/userInfo", "value": who}]));
        let eve = json!({"username": "eve"});
        for (name, operation, old, new, expected) in [
            ("created", "CREATE", Value::Null, json!({"plan": 1}), added(&ann)),
            ("created with a lie", "CREATE", Value::Null, json!({"plan": 1, "userInfo": eve}), added(&ann)),
            (
                "changed",
                "UPDATE",
                json!({"plan": 1, "userInfo": eve}),
                json!({"plan": 2, "userInfo": eve}),
                added(&ann),
            ),
            (
                "changed and dropped",
                "UPDATE",
                json!({"plan": 1, "userInfo": eve}),
                json!({"plan": 2}),
                added(&ann),
            ),
            (
                "only forged",
                "UPDATE",
                json!({"plan": 1, "userInfo": eve}),
                json!({"plan": 1, "userInfo": ann}),
                added(&eve),
            ),
            ("only dropped", "UPDATE", json!({"plan": 1, "userInfo": eve}), json!({"plan": 1}), added(&eve)),
            (
                "nothing changed",
                "UPDATE",
                json!({"plan": 1, "userInfo": eve}),
                json!({"plan": 1, "userInfo": eve}),
                None,
            ),
            ("never had one", "UPDATE", json!({"plan": 1}), json!({"plan": 1}), None),
            (
                "never had one, and forged",
                "UPDATE",
                json!({"plan": 1}),
                json!({"plan": 1, "userInfo": ann}),
                Some(json!([{"op": "remove", "path": "/spec/userInfo"}])),
            ),
        ] {
            let request = json!({
                "operation": operation, "userInfo": ann, "object": {"spec": new}, "oldObject": {"spec": old},
            });
            assert_eq!(patch(&request), expected, "{name}");
        }
    }
}
