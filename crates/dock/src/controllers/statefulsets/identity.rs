//! What makes a Pod of a `StatefulSet` the one it is: its number, its name, its claims.

use serde_json::{Value, json};

use crate::controllers::action::{Action, Part};
use crate::controllers::history::REVISION_HASH;
use crate::controllers::object::{Object, map, set as put};
use crate::controllers::template::pod_from;
use crate::controllers::world::PODS;

const POD_NAME: &str = "statefulset.kubernetes.io/pod-name";
const POD_INDEX: &str = "apps.kubernetes.io/pod-index";

/// The first number of the set.
pub(super) fn start(set: &Value) -> i64 {
    set.count("spec.ordinals.start")
}

/// The number after the last of the set.
pub(super) fn end(set: &Value) -> i64 {
    start(set) + set.int("spec.replicas").unwrap_or(1)
}

fn parent_and_ordinal(pod: &Value) -> Option<(&str, i64)> {
    let (parent, number) = pod.name().rsplit_once('-')?;
    let sound = !number.is_empty() && number.bytes().all(|letter| letter.is_ascii_digit());
    Some((parent, number.parse::<i32>().ok().filter(|_| sound)?.into()))
}

/// The number of a Pod.
pub(super) fn ordinal(pod: &Value) -> Option<i64> {
    parent_and_ordinal(pod).map(|(_, ordinal)| ordinal)
}

/// Whether a Pod is one of the set by its name.
pub(super) fn is_member(set: &Value, pod: &Value) -> bool {
    parent_and_ordinal(pod).is_some_and(|(parent, _)| parent == set.name())
}

/// The revision that a Pod was made from.
pub(super) fn revision_of(pod: &Value) -> &str {
    pod.label(REVISION_HASH).unwrap_or_default()
}

pub(super) fn identity_matches(set: &Value, pod: &Value) -> bool {
    is_member(set, pod) && pod.label(POD_NAME) == Some(pod.name())
}

fn claim_name(set: &Value, template: &Value, ordinal: i64) -> String {
    format!("{}-{}-{ordinal}", template.name(), set.name())
}

pub(super) fn storage_matches(set: &Value, pod: &Value) -> bool {
    let Some(ordinal) = ordinal(pod) else { return false };
    set.items("spec.volumeClaimTemplates").iter().all(|template| {
        pod.items("spec.volumes").iter().any(|volume| {
            volume["name"] == template.name()
                && volume.text("persistentVolumeClaim.claimName") == claim_name(set, template, ordinal)
        })
    })
}

/// The claims of a Pod, as they are to be made.
pub(super) fn claims_of(set: &Value, pod: &Value) -> Vec<Value> {
    let Some(ordinal) = ordinal(pod) else { return Vec::new() };
    set.items("spec.volumeClaimTemplates")
        .iter()
        .map(|template| {
            let mut claim = json!({
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": template["metadata"],
                "spec": template["spec"],
            });
            put(&mut claim, "metadata.name", claim_name(set, template, ordinal));
            put(&mut claim, "metadata.namespace", set.namespace());
            if let Some(labels) = set.at("spec.selector.matchLabels").as_object() {
                map(&mut claim, "metadata.labels").extend(labels.clone());
            }
            claim
        })
        .collect()
}

/// A Pod of the set as a template describes it.
pub(super) fn new_pod(set: &Value, template: &Value, revision: &str, ordinal: i64) -> Value {
    let mut pod = pod_from(template, set);
    put(&mut pod, "metadata.name", format!("{}-{ordinal}", set.name()));
    let name = pod.name().to_owned();
    put(&mut pod, "spec.hostname", name);
    if !set.text("spec.serviceName").is_empty() {
        put(&mut pod, "spec.subdomain", set.text("spec.serviceName"));
    }
    mark(&mut pod);
    attach(set, &mut pod);
    map(&mut pod, "metadata.labels").insert(REVISION_HASH.into(), revision.into());
    pod
}

fn mark(pod: &mut Value) {
    let name = pod.name().to_owned();
    let number = ordinal(pod).unwrap_or_default().to_string();
    let labels = map(pod, "metadata.labels");
    labels.insert(POD_NAME.into(), name.into());
    labels.insert(POD_INDEX.into(), number.into());
}

fn attach(set: &Value, pod: &mut Value) {
    let Some(ordinal) = ordinal(pod) else { return };
    let templates = set.items("spec.volumeClaimTemplates");
    let mut volumes: Vec<Value> = templates
        .iter()
        .map(|template| {
            json!({
                "name": template.name(),
                "persistentVolumeClaim": { "claimName": claim_name(set, template, ordinal) },
            })
        })
        .collect();
    volumes.extend(
        pod.items("spec.volumes")
            .iter()
            .filter(|volume| !templates.iter().any(|template| volume["name"] == template.name()))
            .cloned(),
    );
    if !volumes.is_empty() {
        put(pod, "spec.volumes", volumes);
    }
}

/// Puts name and storage of a Pod right again.
pub(super) fn restore(set: &Value, pod: &Value) -> Action {
    let mut object = pod.clone();
    mark(&mut object);
    if !storage_matches(set, pod) {
        attach(set, &mut object);
    }
    Action::Update { resource: PODS, part: Part::Main, object }
}
