//! The record of a revision, made from what was rendered.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chart::render::Rendered;
use chart::{Chart, File};
use serde_json::{Map, Value, json};

use crate::record::HookRecord;

/// What was rendered, as it is stored: what no server takes is not in it, so that Helm can read it back. The second is
/// what was rendered as it was, if that is something else.
pub(crate) fn manifest(rendered: &Rendered) -> (String, Option<String>) {
    let (mut text, mut as_rendered) = (String::new(), String::new());
    let mut differs = false;
    for manifest in &rendered.manifests {
        let storable = storable(&manifest.text);
        differs |= storable.is_some();
        let head = format!("---\n# Source: {}\n", manifest.source.as_str());
        for (text, body) in [(&mut text, storable.as_deref()), (&mut as_rendered, None)] {
            text.push_str(&head);
            text.push_str(body.unwrap_or(&manifest.text));
            text.push('\n');
        }
    }
    (text, differs.then_some(as_rendered))
}

/// A document without what no server takes; nothing if there is nothing of that in it.
fn storable(text: &str) -> Option<String> {
    let mut document = goyaml::from_str(text).ok()?;
    plan::sanitise(&mut document).then(|| goyaml::to_string(&document).ok()).flatten()
}

pub(crate) fn hooks(rendered: &Rendered) -> Vec<HookRecord> {
    let record = |hook: &chart::render::Hook| HookRecord {
        name: hook.manifest.head.name.clone(),
        kind: hook.manifest.head.kind.clone(),
        path: hook.manifest.source.as_str().to_owned(),
        manifest: storable(&hook.manifest.text).unwrap_or_else(|| hook.manifest.text.to_string()),
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
