//! Merge patches: null removes, objects are merged, anything else replaces.

use serde_json::Value;

use super::{PatchError, Patched, parse};
use crate::decode::check_fields;
use crate::json::Tree;

/// Applies a merge patch. `strict` is whether the server validates fields, which it does unless told to ignore them.
///
/// # Errors
/// The patch is no JSON, or no object.
pub fn merge_patch(object: Value, patch: &str, strict: bool) -> Result<Patched<Tree>, PatchError> {
    const INVALID: &str = "Invalid JSON Patch";
    let invalid = || PatchError::Unreadable(INVALID.to_owned());
    let (patch, complaints) = if strict {
        let patch = parse(patch, "error decoding patch: ")?;
        let complaints = check_fields(&patch)
            .map_err(|error| PatchError::Unreadable(format!("error decoding patch: {error}")))?;
        (patch, complaints)
    } else {
        (Tree::parse(patch).map_err(|_| invalid())?, Vec::new())
    };
    let object = match (Tree::from(object), patch) {
        (Tree::Object(fields), Tree::Object(changes)) => Tree::Object(merged(fields, changes)),
        (_, patch @ (Tree::Object(_) | Tree::List(_))) => pruned(patch),
        _ => return Err(invalid()),
    };
    Ok(Patched { object, complaints })
}

fn merged(mut fields: Vec<(String, Tree)>, changes: Vec<(String, Tree)>) -> Vec<(String, Tree)> {
    for (name, change) in without_doubles(changes) {
        let place = fields.iter().position(|(known, _)| *known == name);
        match (place, change) {
            (Some(place), Tree::Null) => {
                fields.remove(place);
            }
            (None, Tree::Null) => {}
            (Some(place), change) => {
                let current = std::mem::replace(&mut fields[place].1, Tree::Null);
                fields[place].1 = match (current, change) {
                    (Tree::Object(inner), Tree::Object(changes)) => Tree::Object(merged(inner, changes)),
                    // What replaces an object is taken as it is, nulls and all.
                    (Tree::Object(_), change) => change,
                    (_, change) => pruned(change),
                };
            }
            (None, change) => fields.push((name, pruned(change))),
        }
    }
    fields
}

/// Of doubled fields the last counts.
fn without_doubles(entries: Vec<(String, Tree)>) -> Vec<(String, Tree)> {
    let mut single: Vec<(String, Tree)> = Vec::with_capacity(entries.len());
    for (name, value) in entries {
        match single.iter_mut().find(|(known, _)| *known == name) {
            Some((_, earlier)) => *earlier = value,
            None => single.push((name, value)),
        }
    }
    single
}

/// Without the fields that are null. Items of lists stay, even if null.
fn pruned(tree: Tree) -> Tree {
    match tree {
        Tree::Object(entries) => Tree::Object(
            without_doubles(entries)
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name, pruned(value)))
                .collect(),
        ),
        Tree::List(items) => Tree::List(items.into_iter().map(pruned).collect()),
        tree => tree,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn apply(object: Value, patch: &str) -> Result<Value, PatchError> {
        merge_patch(object, patch, true).map(|patched| patched.object.into_value())
    }

    #[test]
    fn objects_are_merged_and_nulls_remove() {
        let cases = [
            (json!({"a": "b"}), r#"{"a": "c"}"#, json!({"a": "c"})),
            (json!({"a": "b", "c": 1}), r#"{"a": null, "x": null}"#, json!({"c": 1})),
            (json!({"a": ["b"]}), r#"{"a": "c"}"#, json!({"a": "c"})),
            (json!({"a": {"b": "c", "d": 1}}), r#"{"a": {"b": "d", "d": null}}"#, json!({"a": {"b": "d"}})),
            (json!({"a": [1]}), r#"{"a": [{"b": null}, null]}"#, json!({"a": [{}, null]})),
            (json!({"a": {"x": 1}}), r#"{"a": [{"b": null}]}"#, json!({"a": [{"b": null}]})),
            (json!({}), r#"{"a": {"b": {"c": null}}}"#, json!({"a": {"b": {}}})),
        ];
        for (object, patch, expected) in cases {
            assert_eq!(apply(object.clone(), patch), Ok(expected), "{object} {patch}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        let said = |patch: &str, strict| merge_patch(json!({}), patch, strict).unwrap_err().to_string();
        assert_eq!(
            said("[]", true),
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"
        );
        assert_eq!(said("{", true), "error decoding patch: unexpected end of JSON input");
        assert_eq!(said("null", true), "Invalid JSON Patch");
        assert_eq!(said("{", false), "Invalid JSON Patch");
        assert_eq!(said("1", false), "Invalid JSON Patch");
    }

    #[test]
    fn doubled_fields_are_named() {
        let patched = merge_patch(json!({}), r#"{"a": {"b": 1, "b": 2}}"#, true).unwrap();
        assert_eq!(patched.complaints, [r#"duplicate field "a.b""#]);
        assert_eq!(patched.object.into_value(), json!({"a": {"b": 2}}));
    }
}
