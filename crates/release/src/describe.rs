//! The record of a revision, made from what was rendered.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chart::render::Rendered;
use chart::{Chart, File};
use serde_json::{Map, Value, json};

use crate::record::HookRecord;

/// What was rendered, as it is stored: what no server takes is not in it either, as Helm reads it back.
pub(crate) fn manifest(rendered: &Rendered) -> String {
    let mut text = String::new();
    for manifest in &rendered.manifests {
        let body = storable(&manifest.text);
        text.push_str("---\n# Source: ");
        text.push_str(manifest.source.as_str());
        text.push('\n');
        text.push_str(&body);
        text.push('\n');
    }
    text
}

fn storable(text: &str) -> String {
    let Ok(mut document) = goyaml::from_str(text) else { return text.to_owned() };
    if plan::sanitise(&mut document) {
        goyaml::to_string(&document).unwrap_or_else(|_| text.to_owned())
    } else {
        text.to_owned()
    }
}

pub(crate) fn hooks(rendered: &Rendered) -> Vec<HookRecord> {
    let record = |hook: &chart::render::Hook| HookRecord {
        name: hook.manifest.head.name.clone(),
        kind: hook.manifest.head.kind.clone(),
        path: hook.manifest.source.as_str().to_owned(),
        manifest: storable(&hook.manifest.text),
        events: hook.events.iter().map(|event| event.name().to_owned()).collect(),
        weight: hook.weight,
        delete_policies: hook.delete_policies.clone(),
        others: Map::from_iter([(
            "last_run".to_owned(),
            json!({"started_at": "", "completed_at": "", "phase": ""}),
        )]),
    };
    rendered.hooks.iter().map(record).collect()
}

/// A chart as Helm writes it into a record: its subcharts are left out there too.
pub(crate) fn chart(chart: &Chart) -> Value {
    let file = |file: &File| json!({"name": file.name, "data": BASE64_STANDARD.encode(&file.data)});
    let mut metadata = serde_json::to_value(&chart.metadata).unwrap_or_default();
    if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
        annotations.retain(|key, _| key.matches('/').count() < 2);
    }
    json!({
        "metadata": metadata,
        "lock": null,
        "templates": chart.templates.iter().map(file).collect::<Vec<_>>(),
        "values": chart.values.as_deref().map(|values| serde_json::to_value(values).unwrap_or_default()),
        "schema": chart.schema.as_ref().map(|schema| BASE64_STANDARD.encode(schema)),
        "files": chart.files.iter().map(file).collect::<Vec<_>>(),
    })
}
