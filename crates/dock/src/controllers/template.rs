//! Pods made from templates.

use serde_json::{Value, json};

use super::action::{Action, Announcement, Deletion, Note, reference};
use super::object::{Object, controller_reference, set};
use super::world::{Key, PODS};

/// A Pod as the template of a controller describes it.
pub fn pod_from(template: &Value, owner: &Value) -> Value {
    let mut pod = json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": prefix(owner.name()),
            "namespace": owner.namespace(),
            "ownerReferences": [controller_reference(owner)],
        },
        "spec": template["spec"],
    });
    for field in ["labels", "annotations", "finalizers"] {
        if let Some(value) = template.at("metadata").get(field) {
            set(&mut pod, &format!("metadata.{field}"), value.clone());
        }
    }
    pod
}

/// The beginning of the names of Pods. A name that would not be valid is used without the dash.
fn prefix(name: &str) -> String {
    if name.len() + 1 > 253 { name.to_owned() } else { format!("{name}-") }
}

/// Makes a Pod, and tells of it as its controller does.
pub fn create_pod(pod: Value, owner: &Value) -> Action {
    Action::Create {
        resource: PODS,
        object: pod,
        announce: Some(Announcement {
            about: reference(owner),
            made: "SuccessfulCreate",
            made_message: "Created pod: {}".into(),
            refused: "FailedCreate",
            refused_message: "Error creating: {}".into(),
        }),
    }
}

/// Deletes a Pod, and tells of it as its controller does.
pub fn delete_pod(pod: &Value, owner: &Value) -> Action {
    Action::Delete(Deletion {
        key: Key::of(&PODS, pod),
        uid: pod.uid().to_owned(),
        revision: None,
        propagation: None,
        grace_seconds: None,
        announce: Some(Note {
            about: reference(owner),
            warning: false,
            reason: "SuccessfulDelete".into(),
            message: format!("Deleted pod: {}", pod.name()),
        }),
    })
}
