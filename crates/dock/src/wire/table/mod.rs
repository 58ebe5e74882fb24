//! Objects as rows for people: which columns the kinds have, and what stands in them.

mod columns;
mod network;
mod own;
mod pods;
mod policy;
mod storage;
mod workloads;

use std::borrow::Cow;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::crd::columns::human_duration;
use crate::kinds;
use crate::registry::Behaviour;
use crate::requests::Call;

/// A table of objects.
pub fn of(call: &Call, objects: &[Value], metadata: &Value) -> Value {
    let include = call.options.other.get("includeObject").map_or("Metadata", String::as_str);
    let (definitions, cells): (Vec<Value>, Vec<Vec<Value>>) = match &call.resource.behaviour {
        Behaviour::Custom(custom) => {
            let columns = custom.columns(&call.version);
            let cells = objects.iter().map(|object| columns.cells(object, call.now)).collect();
            (columns.definitions(), cells)
        }
        Behaviour::Builtin(_) => {
            let columns = columns::of(&call.resource.kind);
            let cells = objects.iter().map(|object| columns::cells(columns, &kept(call, object), call.now));
            let cells = cells.collect();
            (columns.iter().map(columns::Column::definition).collect(), cells)
        }
    };
    let rows: Vec<Value> = objects
        .iter()
        .zip(cells)
        .map(|(object, cells)| {
            let mut row = json!({"cells": cells, "object": shown(object, include)});
            if &*call.resource.kind == "Pod"
                && let Some(conditions) = pods::conditions(object)
            {
                row["conditions"] = conditions;
            }
            row
        })
        .collect();
    // What has no columns of its own has no rows either, not even none.
    let rows = if rows.is_empty() && columns::are_default(call) { Value::Null } else { rows.into() };
    json!({
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": metadata,
        "columnDefinitions": definitions,
        "rows": rows,
    })
}

/// An object in the form in which it is kept: the cells are made from that, whatever version was asked for.
fn kept<'o>(call: &Call, object: &'o Value) -> Cow<'o, Value> {
    if call.version == call.resource.storage_version {
        return Cow::Borrowed(object);
    }
    let mut object = object.clone();
    call.resource.keep(&mut object, &call.version);
    Cow::Owned(object)
}

/// A table of one object. What is only rehearsed has no revision.
pub fn of_one(call: &Call, object: &Value) -> Value {
    let mut metadata = json!({});
    if let Some(revision) = object["metadata"].get("resourceVersion") {
        metadata["resourceVersion"] = revision.clone();
    }
    of(call, std::slice::from_ref(object), &metadata)
}

/// How much of the object a row has with it.
fn shown(object: &Value, include: &str) -> Value {
    match include {
        "None" => Value::Null,
        "Object" => object.clone(),
        _ => {
            let mut metadata = object["metadata"].clone();
            kinds::drop_derived(&mut metadata);
            json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata})
        }
    }
}

/// How long ago something was.
fn since(moment: &Value, now: Timestamp) -> String {
    match moment.as_str().and_then(|text| text.parse::<Timestamp>().ok()) {
        Some(then) => human_duration(now.as_second() - then.as_second()),
        None => "<unknown>".to_owned(),
    }
}

/// A text, empty if there is none.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The items of a list, none if there is none.
fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A value as a cell shows it.
fn printed(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The text, or the other one if it is empty.
fn or<'a>(text: &'a str, other: &'a str) -> &'a str {
    if text.is_empty() { other } else { text }
}

/// The condition of a kind, if there is one.
fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    items(&object["status"]["conditions"]).iter().find(|condition| condition["type"] == kind)
}

/// Whether there is such a condition, and it is so.
fn holds(object: &Value, kind: &str) -> bool {
    condition(object, kind).is_some_and(|condition| condition["status"] == "True")
}

#[cfg(test)]
mod tests;
