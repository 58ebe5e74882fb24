//! Conditions in a status, with the fields and the order of the kinds that have them.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::object::{Object, stamp};

/// A condition that was just found.
pub(super) fn condition(kind: &str, status: &str, reason: &str, message: &str, now: Timestamp) -> Value {
    let mut condition = json!({ "type": kind, "status": status, "lastTransitionTime": stamp(now) });
    if !reason.is_empty() {
        condition["reason"] = reason.into();
    }
    if !message.is_empty() {
        condition["message"] = message.into();
    }
    condition
}

/// The conditions of a status.
pub(super) fn conditions(status: &Value) -> Vec<Value> {
    status.items("conditions").to_vec()
}

/// The condition of a type in a list.
pub(super) fn find<'a>(list: &'a [Value], kind: &str) -> Option<&'a Value> {
    list.iter().find(|condition| condition["type"] == kind)
}

/// Puts a condition at the end of a list in the place of the one of its type, unless status and reason are the same.
/// The time of the transition stays where the status does.
pub(super) fn replace(list: &mut Vec<Value>, mut new: Value) {
    if let Some(old) = find(list, new.text("type")) {
        if old["status"] == new["status"] && old["reason"] == new["reason"] {
            return;
        }
        if old["status"] == new["status"] {
            new["lastTransitionTime"] = old["lastTransitionTime"].clone();
        }
    }
    remove(list, new.text("type"));
    list.push(new);
}

/// Takes the condition of a type from a list.
pub(super) fn remove(list: &mut Vec<Value>, kind: &str) {
    list.retain(|condition| condition["type"] != kind);
}

/// Sets a condition where it stands, or at the end; the time of the transition stays where the status does.
pub(super) fn refresh(list: &mut Vec<Value>, mut new: Value) {
    match list.iter_mut().find(|condition| condition["type"] == new["type"]) {
        Some(old) => {
            if old["status"] == new["status"] {
                new["lastTransitionTime"] = old["lastTransitionTime"].clone();
            }
            *old = new;
        }
        None => list.push(new),
    }
}
