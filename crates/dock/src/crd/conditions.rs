//! What the server's own controllers decide about definitions: names, whether they are served, and their end.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::definition::{Approval, Definition, Names, approval, is_protected};
use super::structural;
use crate::field::{FieldError, Path};
use crate::meta;

/// The finalizer that keeps a definition until its objects are gone.
pub const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// What a definition's status becomes, given all definitions of the cluster; nothing if it is as it should be.
///
/// Names that no other definition of the group has are accepted; a definition whose names are accepted is established
/// for good.
pub fn settle(object: &Value, all: &[&Value], now: Timestamp) -> Option<Value> {
    let mut settled = object.clone();
    accept_names(&mut settled, all, now);
    if is_true(&settled, "NamesAccepted") && !is_true(&settled, "Established") {
        set(
            &mut settled,
            "Established",
            "True",
            "InitialNamesAccepted",
            "the initial names have been accepted",
            now,
        );
    }
    conform(&mut settled, now);
    check_structure(&mut settled, now);
    (settled != *object).then_some(settled)
}

/// Whether a definition is served.
pub fn is_established(object: &Value) -> bool {
    is_true(object, "Established")
}

/// Whether a condition is true.
pub fn is_true(object: &Value, kind: &str) -> bool {
    condition(object, kind).is_some_and(|condition| condition["status"] == "True")
}

fn condition<'v>(object: &'v Value, kind: &str) -> Option<&'v Value> {
    let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
    conditions.into_iter().flatten().find(|condition| condition["type"] == kind)
}

fn accept_names(object: &mut Value, all: &[&Value], now: Timestamp) {
    let wanted = Names::read(object.pointer("/spec/names"));
    let accepted = Names::read(object.pointer("/status/acceptedNames"));
    if wanted == accepted {
        return;
    }
    let group = object.pointer("/spec/group").cloned().unwrap_or_default();
    let taken: Vec<Names> = all
        .iter()
        .filter(|other| other.pointer("/spec/group") == Some(&group))
        .map(|other| Names::read(other.pointer("/status/acceptedNames")))
        .collect();
    let resource_taken = |name: &str| {
        taken.iter().any(|names| {
            names.plural == name
                || names.singular == name
                || names.short_names.iter().any(|short| short == name)
        })
    };
    let kind_taken = |name: &str| taken.iter().any(|names| names.kind == name || names.list_kind == name);
    let mut names = accepted.clone();
    let mut conflict: Option<(&str, String)> = None;
    let mut accept = |wanted: &str,
                      accepted: &str,
                      name: &mut String,
                      reason: &'static str,
                      is_taken: &dyn Fn(&str) -> bool| {
        if wanted != accepted && is_taken(wanted) {
            conflict = Some((reason, in_use(wanted)));
        } else {
            wanted.clone_into(name);
        }
    };
    accept(&wanted.plural, &accepted.plural, &mut names.plural, "PluralConflict", &resource_taken);
    accept(&wanted.singular, &accepted.singular, &mut names.singular, "SingularConflict", &resource_taken);
    if wanted.short_names != accepted.short_names {
        let clashes: Vec<String> = wanted
            .short_names
            .iter()
            .filter(|name| !accepted.short_names.contains(name) && resource_taken(name))
            .map(|name| in_use(name))
            .collect();
        match clashes.as_slice() {
            [] => names.short_names.clone_from(&wanted.short_names),
            [one] => conflict = Some(("ShortNamesConflict", one.clone())),
            many => conflict = Some(("ShortNamesConflict", format!("[{}]", many.join(", ")))),
        }
    }
    let mut accept_kind = |wanted: &str, accepted: &str, name: &mut String, reason: &'static str| {
        if wanted != accepted && kind_taken(wanted) {
            conflict = Some((reason, in_use(wanted)));
        } else {
            wanted.clone_into(name);
        }
    };
    accept_kind(&wanted.kind, &accepted.kind, &mut names.kind, "KindConflict");
    accept_kind(&wanted.list_kind, &accepted.list_kind, &mut names.list_kind, "ListKindConflict");
    names.categories.clone_from(&wanted.categories);
    status(object).insert("acceptedNames".into(), names.to_value());
    match conflict {
        Some((reason, words)) => set(object, "NamesAccepted", "False", reason, &words, now),
        None => set(object, "NamesAccepted", "True", "NoConflicts", "no conflicts found", now),
    }
    if is_true(object, "Established") {
        return;
    }
    if is_true(object, "NamesAccepted") {
        set(object, "Established", "False", "Installing", "the initial names have been accepted", now);
    } else if condition(object, "Established").is_none() {
        set(object, "Established", "False", "NotAccepted", "not all names are accepted", now);
    }
}

fn in_use(name: &str) -> String {
    format!("{} is already in use", goyaml::strconv::quote(name))
}

fn conform(object: &mut Value, now: Timestamp) {
    let group = object.pointer("/spec/group").and_then(Value::as_str).unwrap_or_default();
    if !is_protected(group) {
        return;
    }
    let (status, reason, words) = match approval(object) {
        Approval::Invalid(words) => ("False", "InvalidAnnotation", words),
        Approval::Missing(words) => ("False", "MissingAnnotation", words),
        Approval::Approved(words) => ("True", "ApprovedAnnotation", words),
        Approval::Bypassed(words) => ("False", "UnapprovedAnnotation", words),
    };
    set(object, "KubernetesAPIApprovalPolicyConformant", status, reason, &words, now);
}

fn check_structure(object: &mut Value, now: Timestamp) {
    let definition = Definition::read(object);
    let mut errors = Vec::new();
    if definition.preserve_unknown_fields {
        let path = Path::new("spec").child("preserveUnknownFields");
        errors.push(FieldError::invalid(&path, true, "must be false"));
    }
    for (index, version) in definition.versions.iter().enumerate() {
        let Some(schema) = version.props() else { continue };
        if let Some(words) = structural::unsupported(schema) {
            let words = format!("failed to check validation schema for version {}: {words}", version.name);
            set(object, "NonStructuralSchema", "Unknown", "StructuralError", &words, now);
            return;
        }
        let path = Path::new("spec").child("versions").index(index).child("schema").child("openAPIV3Schema");
        errors.extend(structural::violations(schema, &path));
    }
    let words: Vec<String> = errors.iter().map(ToString::to_string).collect();
    match words.as_slice() {
        [] => {
            if let Some(conditions) = object.pointer_mut("/status/conditions").and_then(Value::as_array_mut) {
                conditions.retain(|condition| condition["type"] != "NonStructuralSchema");
            }
        }
        [one] => set(object, "NonStructuralSchema", "True", "Violations", one, now),
        many => {
            set(object, "NonStructuralSchema", "True", "Violations", &format!("[{}]", many.join(", ")), now);
        }
    }
}

/// Marks a definition for deletion: it waits for its objects. Gives the object that a deletion answers with.
pub fn mark_for_deletion(object: &Value, now: Timestamp) -> Value {
    let mut marked = object.clone();
    let metadata = &mut marked["metadata"];
    if metadata.get("deletionTimestamp").is_none_or(Value::is_null) {
        metadata["deletionTimestamp"] = meta::moment(now).into();
    }
    let mut finalizers = metadata.get("finalizers").and_then(Value::as_array).cloned().unwrap_or_default();
    if !finalizers.iter().any(|name| name == CLEANUP) {
        finalizers.push(CLEANUP.into());
    }
    metadata["finalizers"] = finalizers.into();
    set(
        &mut marked,
        "Terminating",
        "True",
        "InstanceDeletionPending",
        "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
        now,
    );
    marked
}

/// Whether a definition is being deleted and its objects must go.
pub fn is_cleaning_up(object: &Value) -> bool {
    let metadata = &object["metadata"];
    let deleted = metadata.get("deletionTimestamp").is_some_and(|time| !time.is_null());
    let finalizers = metadata.get("finalizers").and_then(Value::as_array);
    deleted && finalizers.into_iter().flatten().any(|name| name == CLEANUP)
}

/// A definition whose objects are being deleted.
pub fn begin_clean_up(object: &Value, now: Timestamp) -> Value {
    let mut begun = object.clone();
    set(
        &mut begun,
        "Terminating",
        "True",
        "InstanceDeletionInProgress",
        "CustomResource deletion is in progress",
        now,
    );
    begun
}

/// A definition whose objects are gone: the finalizer is removed.
pub fn finish_clean_up(object: &Value, now: Timestamp) -> Value {
    let mut done = object.clone();
    let (reason, words) = if is_established(object) {
        ("InstanceDeletionCompleted", "removed all instances")
    } else {
        ("NeverEstablished", "resource was never established")
    };
    set(&mut done, "Terminating", "False", reason, words, now);
    if let Some(metadata) = done["metadata"].as_object_mut() {
        let mut finalizers =
            metadata.get("finalizers").and_then(Value::as_array).cloned().unwrap_or_default();
        finalizers.retain(|name| name != CLEANUP);
        if finalizers.is_empty() {
            metadata.remove("finalizers");
        } else {
            metadata.insert("finalizers".into(), finalizers.into());
        }
    }
    done
}

fn status(object: &mut Value) -> &mut Map<String, Value> {
    if !object["status"].is_object() {
        object["status"] = json!({});
    }
    match &mut object["status"] {
        Value::Object(status) => status,
        _ => unreachable!("the status was made an object"),
    }
}

/// Sets a condition. Its time changes only with its status.
fn set(object: &mut Value, kind: &str, value: &str, reason: &str, words: &str, now: Timestamp) {
    let conditions = status(object).entry("conditions").or_insert_with(|| json!([]));
    if conditions.is_null() {
        *conditions = json!([]);
    }
    let Value::Array(conditions) = conditions else { return };
    let position = conditions.iter().position(|condition| condition["type"] == kind);
    let since = position
        .map(|position| &conditions[position])
        .filter(|condition| condition["status"] == value)
        .and_then(|condition| condition.get("lastTransitionTime").cloned())
        .unwrap_or_else(|| meta::moment(now).into());
    let condition = json!({
        "type": kind, "status": value, "lastTransitionTime": since, "reason": reason, "message": words,
    });
    match position {
        Some(position) => conditions[position] = condition,
        None => conditions.push(condition),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widget(name: &str, kind: &str) -> Value {
        json!({
            "metadata": {"name": format!("{name}.example.com")},
            "spec": {"group": "example.com", "names": {"plural": name, "singular": kind.to_lowercase(), "kind": kind,
                "listKind": format!("{kind}List")}, "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"type": "object"}}}]},
            "status": {"acceptedNames": {"kind": "", "plural": ""}, "conditions": null, "storedVersions": ["v1"]},
        })
    }

    #[test]
    fn names_are_accepted_once() {
        let now = Timestamp::UNIX_EPOCH;
        let first = settle(&widget("widgets", "Widget"), &[], now).unwrap();
        assert_eq!(first["status"]["acceptedNames"], first["spec"]["names"]);
        assert_eq!(
            first["status"]["conditions"],
            json!([
                {"type": "NamesAccepted", "status": "True", "lastTransitionTime": "1970-01-01T00:00:00Z",
                 "reason": "NoConflicts", "message": "no conflicts found"},
                {"type": "Established", "status": "True", "lastTransitionTime": "1970-01-01T00:00:00Z",
                 "reason": "InitialNamesAccepted", "message": "the initial names have been accepted"},
            ])
        );
        assert_eq!(settle(&first, &[&first], now), None);
        let second = settle(&widget("gadgets", "Widget"), &[&first], now).unwrap();
        assert!(!is_established(&second));
        let names = condition(&second, "NamesAccepted").unwrap();
        assert_eq!(names["reason"], "ListKindConflict");
        assert_eq!(names["message"], "\"WidgetList\" is already in use");
        assert_eq!(condition(&second, "Established").unwrap()["reason"], "NotAccepted");
        assert_eq!(second["status"]["acceptedNames"], json!({"plural": "gadgets", "kind": ""}));
    }

    #[test]
    fn an_end_waits_for_the_objects() {
        let now = Timestamp::UNIX_EPOCH;
        let object = settle(&widget("widgets", "Widget"), &[], now).unwrap();
        let marked = mark_for_deletion(&object, now);
        assert!(is_cleaning_up(&marked));
        assert_eq!(
            condition(&begin_clean_up(&marked, now), "Terminating").unwrap()["reason"],
            "InstanceDeletionInProgress"
        );
        let done = finish_clean_up(&marked, now);
        assert!(!is_cleaning_up(&done));
        assert_eq!(condition(&done, "Terminating").unwrap()["reason"], "InstanceDeletionCompleted");
    }

    #[test]
    fn a_schema_that_is_not_structural_is_told() {
        let mut object = widget("widgets", "Widget");
        object["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = json!({"properties": {}});
        let settled = settle(&object, &[], Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(
            condition(&settled, "NonStructuralSchema").unwrap()["message"],
            "spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root"
        );
    }
}
