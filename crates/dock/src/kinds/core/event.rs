//! Events. They are kept in the form of the core group; `events.k8s.io` shows the same ones with other names.

use schema::Tree;
use serde_json::Value;

use crate::field::{FieldError, Path};
use crate::kinds::read::Read;
use crate::kinds::report::Errors;
use crate::kinds::{Rules, metadata, names};

/// The rules of `Event` in the core group, which are lax.
pub(crate) struct CoreEvent;

/// The rules of `Event` in `events.k8s.io`, which asks for more.
pub(crate) struct Event;

const LIMIT: usize = 128;
const NOTE_LIMIT: usize = 1024;

/// What a field is called in the core group and in `events.k8s.io`.
const NAMES: [(&str, &str); 7] = [
    ("message", "note"),
    ("involvedObject", "regarding"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

/// An event as the other group shows it.
fn rename(event: &mut Value, to_core: bool) {
    let Some(fields) = event.as_object_mut() else { return };
    for (core, other) in NAMES {
        let (from, to) = if to_core { (other, core) } else { (core, other) };
        if let Some(value) = fields.remove(from) {
            fields.insert(to.to_owned(), value);
        }
    }
    let group = if to_core { "" } else { "events.k8s.io" };
    if let Some(view) = schema::builtin(group, "v1", "Event")
        && let Ok(decoded) = schema::decode(view, Tree::from(event.clone()), false)
    {
        *event = decoded.value;
    }
}

/// What every event must be. The names are those of the core group but for one.
fn event(object: &Value, reporter: &str, errors: &mut Errors) {
    let namespace = object.at("metadata").text("namespace");
    let about = object.at("involvedObject").text("namespace");
    let mut elsewhere = || {
        errors.invalid(&Path::new("involvedObject.namespace"), about, "does not match event.namespace");
    };
    if object.has("eventTime") {
        if about.is_empty() && !["default", "kube-system"].contains(&namespace) {
            elsewhere();
        }
        modern(object, reporter, errors);
    } else if about.is_empty() && !["", "default"].contains(&namespace)
        || !about.is_empty() && about != namespace
    {
        elsewhere();
    }
    errors.invalid_each(&Path::new("namespace"), namespace, names::dns_subdomain(namespace));
}

/// What an event must say that has a time of its own.
fn modern(object: &Value, reporter: &str, errors: &mut Errors) {
    let controller = object.text("reportingComponent");
    if controller.is_empty() {
        errors.required(&Path::new(reporter), "");
    }
    errors.invalid_each(&Path::new(reporter), controller, names::label_key(controller));
    for field in ["reportingInstance", "action", "reason"] {
        let text = object.text(field);
        if text.is_empty() {
            errors.required(&Path::new(field), "");
        }
        if text.len() > LIMIT {
            errors.invalid(&Path::new(field), "", format!("can have at most {LIMIT} characters"));
        }
    }
    if object.text("message").len() > NOTE_LIMIT {
        errors.invalid(&Path::new("message"), "", format!("can have at most {NOTE_LIMIT} characters"));
    }
}

fn series(object: &Value, errors: &mut Errors) {
    let series = object.at("series");
    if series.is_null() {
        return;
    }
    if series.int("count") < 2 {
        errors.invalid(&Path::new("series.count"), "", "should be at least 2");
    }
    if !series.has("lastObservedTime") {
        errors.required(&Path::new("series.lastObservedTime"), "");
    }
}

impl Rules for CoreEvent {
    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        event(object, "reportingComponent", &mut errors);
        errors.found()
    }
}

impl Rules for Event {
    fn to_storage(&self, object: &mut Value, _version: &str) {
        rename(object, true);
    }

    fn when_read(&self, object: &mut Value, _version: &str) {
        rename(object, false);
    }

    fn is_shown_as_kept(&self, _object: &Value) -> bool {
        false
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        event(object, "reportingController", &mut errors);
        metadata::validate(object, metadata::Scope::Namespaced, names::dns_subdomain, &mut errors);
        series(object, &mut errors);
        if !object.has("eventTime") {
            errors.required(&Path::new("eventTime"), "");
        }
        let kind = object.text("type");
        if !["Normal", "Warning"].contains(&kind) {
            errors.invalid(&Path::new("type"), "", format!("has invalid value: {kind}"));
        }
        for field in ["firstTimestamp", "lastTimestamp", "count"] {
            if object.has(field) && object.at(field) != 0 {
                errors.invalid(&Path::new(field), "", "needs to be unset");
            }
        }
        let source = object.at("source");
        if !source.text("component").is_empty() || !source.text("host").is_empty() {
            errors.invalid(&Path::new("source"), "", "needs to be unset");
        }
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        event(object, "reportingController", &mut errors);
        metadata::validate_update(object, old, &mut errors);
        if object.at("series") != old.at("series") {
            series(object, &mut errors);
        }
        for field in [
            "involvedObject",
            "reason",
            "message",
            "source",
            "firstTimestamp",
            "lastTimestamp",
            "count",
            "reason",
            "type",
            "eventTime",
            "action",
            "related",
            "reportingComponent",
            "reportingInstance",
        ] {
            let path = Path::new(if field == "reportingComponent" { "reportingController" } else { field });
            let (new, old) = (object.at(field), old.at(field));
            match field {
                "involvedObject" => errors.immutable_struct("core.ObjectReference", new, old, &path),
                "related" => errors.immutable_struct("*core.ObjectReference", new, old, &path),
                "source" => errors.immutable_struct("core.EventSource", new, old, &path),
                "count" => errors.immutable_struct("int32", new, old, &path),
                "firstTimestamp" | "lastTimestamp" | "eventTime" => errors.immutable(new, old, &path),
                _ => errors.immutable_struct("string", new, old, &path),
            }
        }
        errors.found()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_change_there_and_back() {
        let mut event =
            json!({"message": "m", "involvedObject": {"name": "a"}, "count": 3, "reason": "Said"});
        rename(&mut event, true);
        let core = event.clone();
        assert_eq!(core["reportingComponent"], "", "the core group always writes it");
        rename(&mut event, false);
        assert_eq!(event["note"], "m");
        assert_eq!(event["regarding"], json!({"name": "a"}));
        assert_eq!(event["deprecatedCount"], 3);
        assert_eq!(event.get("message"), None);
        rename(&mut event, true);
        assert_eq!(event, core);
    }

    #[test]
    fn an_event_is_in_the_namespace_of_what_it_is_about() {
        let event = json!({"metadata": {"namespace": "a"}, "involvedObject": {"namespace": "b"}});
        let found = CoreEvent.validate(&event);
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().ends_with("does not match event.namespace"));
    }
}
