//! The annotation in which kubectl keeps what it applied on the client's side, when it goes over to the server's.

use serde_json::{Map, Value};

use crate::gotext::write_json;
use crate::request::Request;
use crate::set::FieldSet;
use crate::typed::{Duplicates, compare, fields_of, validate};

/// The manager for which all this is done.
pub(crate) const KUBECTL: &str = "kubectl";

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The most that all annotations of an object may have, in bytes.
const MOST_ANNOTATIONS: usize = 256 * 1024;

/// What kubectl applied last, if the object says so in JSON.
pub(crate) fn config(object: &Value) -> Option<Value> {
    serde_json::from_str(annotation(object)?).ok()
}

fn annotation(object: &Value) -> Option<&str> {
    let annotations = object.get("metadata")?.get("annotations")?.as_object()?;
    // Annotations that are not all text are none.
    if !annotations.values().all(Value::is_string) {
        return None;
    }
    annotations.get(ANNOTATION)?.as_str().filter(|text| !text.is_empty())
}

/// The fields that kubectl applied on the client's side and that nobody has changed since: no conflicts for it.
/// Nothing if they cannot be told.
pub(crate) fn unchanged_since<'m>(
    request: &Request<'m>,
    config: &'m Value,
    live: &'m Value,
) -> Option<FieldSet<'m>> {
    validate(live, request.view, Duplicates::Refused).ok()?;
    if config["apiVersion"].as_str() != Some(request.api_version)
        || config["kind"].as_str() != Some(request.kind)
    {
        return None;
    }
    validate(config, request.view, Duplicates::Refused).ok()?;
    let mut fields = fields_of(config, request.view);
    let difference = compare(config, live, request.view);
    fields.subtract(&difference.modified);
    fields.subtract(&difference.added);
    fields.subtract(&difference.removed);
    Some(fields)
}

/// Writes what is applied into the annotation, if the object has it.
pub(crate) fn refresh(object: &mut Value, applied: &Value) {
    if annotation(object).is_none() {
        return;
    }
    let text = config_of(applied);
    let Some(annotations) = object.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) else {
        return;
    };
    annotations.insert(ANNOTATION.into(), Value::String(text));
    if size(annotations) > MOST_ANNOTATIONS {
        annotations.remove(ANNOTATION);
    }
}

fn size(annotations: &Map<String, Value>) -> usize {
    annotations.iter().map(|(name, text)| name.len() + text.as_str().map_or(0, str::len)).sum()
}

/// The applied object in one line, without the annotation itself.
fn config_of(applied: &Value) -> String {
    let mut config = applied.clone();
    if let Some(metadata) = config.get_mut("metadata").and_then(Value::as_object_mut) {
        match metadata.get_mut("annotations") {
            Some(Value::Object(annotations)) if annotations.values().all(Value::is_string) => {
                annotations.remove(ANNOTATION);
            }
            _ => {
                metadata.remove("annotations");
            }
        }
    }
    let mut text = String::new();
    write_json(&mut text, &config);
    text.push('\n');
    text
}
