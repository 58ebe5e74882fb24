//! What is sent to a cluster and stored in a release: without what neither would accept.

use goyaml::{Mapping, Value};

/// Makes annotations acceptable to Kubernetes and Helm: keys with two slashes are removed, lists become JSON texts.
/// Says whether anything changed.
pub fn sanitise_annotations(annotations: &mut Mapping) -> bool {
    let before = annotations.len();
    annotations.retain(|key, _| key.matches('/').count() < 2);
    let mut changed = annotations.len() != before;
    for value in annotations.values_mut() {
        if let Value::Sequence(_) = value
            && let Ok(text) = goyaml::json::to_string(value)
        {
            *value = Value::String(text);
            changed = true;
        }
    }
    changed
}

/// Does so for the annotations of an object, and of every item if it is a list.
pub fn sanitise(object: &mut Value) -> bool {
    let mut changed = false;
    let is_list = object.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.ends_with("List"));
    if is_list && let Some(items) = object.get_mut("items").and_then(Value::as_sequence_mut) {
        for item in items {
            changed |= sanitise(item);
        }
    }
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_mapping_mut) else { return changed };
    let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_mapping_mut) else {
        return changed;
    };
    changed |= sanitise_annotations(annotations);
    if changed && annotations.is_empty() {
        metadata.remove("annotations");
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_slash_keys_are_removed_and_lists_become_json() {
        let mut object = goyaml::from_str(
            "kind: A\nmetadata:\n  annotations:\n    helm.sh/layer: app\n    helm.sh/depends-on/layers: [\"a, b\"]\n    helm.sh/readiness-success: [\"x==1\", z]\nspec: {a/b/c: [1]}\n",
        )
        .unwrap();
        assert!(sanitise(&mut object));
        let expected = goyaml::from_str(
            "kind: A\nmetadata:\n  annotations:\n    helm.sh/layer: app\n    helm.sh/readiness-success: '[\"x==1\",\"z\"]'\nspec: {a/b/c: [1]}\n",
        );
        assert_eq!(Ok(&object), expected.as_ref());
        assert!(!sanitise(&mut object));
    }

    #[test]
    fn items_of_lists_are_objects_too() {
        let mut object =
            goyaml::from_str("kind: List\nitems:\n- kind: A\n  metadata: {annotations: {a/b/c: d}}\n")
                .unwrap();
        assert!(sanitise(&mut object));
        assert_eq!(object, goyaml::from_str("kind: List\nitems:\n- kind: A\n  metadata: {}\n").unwrap());
    }
}
