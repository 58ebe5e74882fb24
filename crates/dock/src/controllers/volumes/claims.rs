//! Claims: bound to a volume that is there, or to one that is made.

use std::cmp::Reverse;
use std::sync::Arc;

use serde_json::{Value, json};

use super::quantity;
use super::{BIND_COMPLETED, BOUND_BY_CONTROLLER, CLAIM_PROTECTION, VOLUME_DELETION, volume_name};
use crate::controllers::action::{Action, Note, Outcome, Part};
use crate::controllers::object::{Object, map, set};
use crate::controllers::pods::scheduler::{SELECTED_NODE, claim_names};
use crate::controllers::script::Script;
use crate::controllers::selector::Selector;
use crate::controllers::world::{CLAIMS, Key, STORAGE_CLASSES, VOLUMES, World};

const PROVISIONER: &str = "volume.kubernetes.io/storage-provisioner";
const PROVISIONER_BEFORE: &str = "volume.beta.kubernetes.io/storage-provisioner";
/// A class whose volumes are made by hand.
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// Brings a claim one step on. `users` are the Pods that name it.
pub fn reconcile(claim: &Value, users: &[Arc<Value>], world: &dyn World) -> Outcome {
    let key = Key::of(&CLAIMS, claim);
    if claim.is_deleting() {
        let used = users.iter().any(|pod| {
            !pod.text("spec.nodeName").is_empty() && claim_names(pod).iter().any(|name| name == claim.name())
        });
        return if claim.has_finalizer(CLAIM_PROTECTION) && !used {
            Outcome::of(vec![Action::remove_finalizer(key, claim, CLAIM_PROTECTION)])
        } else {
            Outcome::nothing()
        };
    }
    if !claim.has_finalizer(CLAIM_PROTECTION) {
        let mut finalizers = claim.items("metadata.finalizers").to_vec();
        finalizers.push(CLAIM_PROTECTION.into());
        return Outcome::of(vec![Action::patch_metadata(key, claim, &[("finalizers", finalizers.into())])]);
    }
    match (claim.text("status.phase"), claim.text("spec.volumeName")) {
        ("Bound", _) => keep(claim, world),
        ("Lost", _) => Outcome::nothing(),
        (_, "") => find(claim, world),
        (_, _) => bind(claim, world),
    }
}

/// A bound claim follows its volume's size, and is lost with it.
fn keep(claim: &Value, world: &dyn World) -> Outcome {
    let mut outcome = Outcome::nothing();
    let Some(volume) = world.get(&Key::new(&VOLUMES, "", claim.text("spec.volumeName"))) else {
        let mut status = claim.at("status").clone();
        set(&mut status, "phase", "Lost");
        outcome.update_status(&CLAIMS, claim, status);
        let message = "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
        outcome.push(Note::warning(claim, "ClaimLost", message));
        return outcome;
    };
    let wanted = claim.at("spec.resources.requests.storage");
    if wanted.as_str().and_then(quantity::parse) > quantity::parse(volume.text("spec.capacity.storage")) {
        let mut object = (*volume).clone();
        set(&mut object, "spec.capacity.storage", wanted.clone());
        outcome.push(Action::Update { resource: VOLUMES, part: Part::Main, object });
        let mut status = claim.at("status").clone();
        set(&mut status, "capacity.storage", wanted.clone());
        outcome.update_status(&CLAIMS, claim, status);
    }
    outcome
}

/// A claim that knows its volume is bound to it, once the volume is there.
fn bind(claim: &Value, world: &dyn World) -> Outcome {
    let Some(volume) = world.get(&Key::new(&VOLUMES, "", claim.text("spec.volumeName"))) else {
        return Outcome::nothing();
    };
    let holder = volume.at("spec.claimRef");
    let ours = holder["name"] == claim.name()
        && holder["namespace"] == claim.namespace()
        && matches!(holder.text("uid"), uid if uid.is_empty() || uid == claim.uid());
    let mut outcome = Outcome::nothing();
    if holder.is_null() || (ours && holder.text("uid").is_empty()) {
        let chosen = claim.annotation(BIND_COMPLETED).is_some();
        outcome.push(Action::Update {
            resource: VOLUMES,
            part: Part::Main,
            object: held(&volume, claim, chosen),
        });
        return outcome;
    }
    if !ours {
        return outcome;
    }
    if claim.annotation(BIND_COMPLETED).is_none() {
        let mut object = claim.clone();
        map(&mut object, "metadata.annotations").insert(BIND_COMPLETED.into(), "yes".into());
        outcome.push(Action::Update { resource: CLAIMS, part: Part::Main, object });
        return outcome;
    }
    let status = json!({
        "phase": "Bound",
        "accessModes": volume.at("spec.accessModes"),
        "capacity": volume.at("spec.capacity"),
    });
    outcome.update_status(&CLAIMS, claim, status);
    outcome
}

/// A volume that refers to a claim.
fn held(volume: &Value, claim: &Value, by_controller: bool) -> Value {
    let mut object = volume.clone();
    set(&mut object, "spec.claimRef", reference(claim));
    if by_controller {
        map(&mut object, "metadata.annotations").insert(BOUND_BY_CONTROLLER.into(), "yes".into());
    }
    object
}

fn reference(claim: &Value) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "name": claim.name(),
        "namespace": claim.namespace(),
        "uid": claim.uid(),
        "resourceVersion": claim.text("metadata.resourceVersion"),
    })
}

/// Looks for a volume, or makes one.
fn find(claim: &Value, world: &dyn World) -> Outcome {
    if claim.at("spec.storageClassName").is_null()
        && let Some(class) = default_class(world)
    {
        let mut object = claim.clone();
        set(&mut object, "spec.storageClassName", class.name());
        return Outcome::of(vec![Action::Update { resource: CLAIMS, part: Part::Main, object }]);
    }
    let class_name = claim.text("spec.storageClassName");
    let class = world.get(&Key::new(&STORAGE_CLASSES, "", class_name)).filter(|_| !class_name.is_empty());
    let waits = class.as_ref().is_some_and(|class| class.text("volumeBindingMode") == "WaitForFirstConsumer");
    if waits && claim.annotation(SELECTED_NODE).is_none() {
        let message = "waiting for first consumer to be created before binding";
        return pending(claim, Note::normal(claim, "WaitForFirstConsumer", message));
    }
    let made = volume_name(claim);
    if let Some(volume) = world.get(&Key::new(&VOLUMES, "", &made)).or_else(|| fitting(claim, world)) {
        return assign(claim, &volume);
    }
    let Some(class) = class else {
        return pending(
            claim,
            match class_name {
                "" => {
                    let message =
                        "no persistent volumes available for this claim and no storage class is set";
                    Note::normal(claim, "FailedBinding", message)
                }
                name => {
                    let message = format!("storageclass.storage.k8s.io {name:?} not found");
                    Note::warning(claim, "ProvisioningFailed", message)
                }
            },
        );
    };
    let provisioner = class.text("provisioner");
    if provisioner == NO_PROVISIONER {
        let message = "no volume plugin matched name: kubernetes.io/no-provisioner";
        return pending(claim, Note::warning(claim, "ProvisioningFailed", message));
    }
    if claim.annotation(PROVISIONER) != Some(provisioner) {
        let mut object = claim.clone();
        let annotations = map(&mut object, "metadata.annotations");
        annotations.insert(PROVISIONER.into(), provisioner.into());
        annotations.insert(PROVISIONER_BEFORE.into(), provisioner.into());
        return Outcome::of(vec![Action::Update { resource: CLAIMS, part: Part::Main, object }]);
    }
    let script = Script::of(claim);
    if let Some(reason) = script.fail {
        let message = format!("failed to provision volume with StorageClass {class_name:?}: {reason}");
        return pending(claim, Note::warning(claim, "ProvisioningFailed", message));
    }
    let due = script.ready_at(world.born(claim));
    if due > world.now() {
        return Outcome { again: Some(due), ..Outcome::nothing() };
    }
    let mut outcome = Outcome::of(vec![Action::Create {
        resource: VOLUMES,
        object: new_volume(claim, &class, &made),
        announce: None,
    }]);
    let message = format!("Successfully provisioned volume {made} using {provisioner}");
    outcome.push(Note::normal(claim, "ProvisioningSucceeded", message));
    outcome
}

/// The class for claims that name none: the youngest of those that say they are it.
fn default_class(world: &dyn World) -> Option<Arc<Value>> {
    let annotations =
        ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];
    world
        .list(&STORAGE_CLASSES, "")
        .into_iter()
        .filter(|class| annotations.iter().any(|annotation| class.annotation(annotation) == Some("true")))
        .max_by_key(|class| (class.moment("metadata.creationTimestamp"), Reverse(class.name().to_owned())))
}

/// A claim that has to wait, with what is told once.
fn pending(claim: &Value, note: Action) -> Outcome {
    let mut outcome = Outcome::nothing();
    if !["", "Pending"].contains(&claim.text("status.phase")) {
        let mut status = claim.at("status").clone();
        set(&mut status, "phase", "Pending");
        outcome.update_status(&CLAIMS, claim, status);
    }
    outcome.push(note);
    outcome
}

/// The smallest volume that is free and has all that the claim asks for.
fn fitting(claim: &Value, world: &dyn World) -> Option<Arc<Value>> {
    let wanted = quantity::parse(claim.text("spec.resources.requests.storage")).unwrap_or_default();
    let size = |volume: &Value| quantity::parse(volume.text("spec.capacity.storage")).unwrap_or_default();
    let mode = |object: &Value| match object.text("spec.volumeMode") {
        "" => "Filesystem".to_owned(),
        mode => mode.to_owned(),
    };
    world
        .list(&VOLUMES, "")
        .into_iter()
        .filter(|volume| {
            let holder = volume.at("spec.claimRef");
            let meant = holder["name"] == claim.name()
                && holder["namespace"] == claim.namespace()
                && matches!(holder.text("uid"), uid if uid.is_empty() || uid == claim.uid());
            let free = holder.is_null() && volume.text("status.phase") == "Available";
            let modes = volume.items("spec.accessModes");
            (meant || free)
                && !volume.is_deleting()
                && volume.text("spec.storageClassName") == claim.text("spec.storageClassName")
                && size(volume) >= wanted
                && mode(volume) == mode(claim)
                && claim.items("spec.accessModes").iter().all(|wanted| modes.contains(wanted))
                && Selector::new(claim.at("spec.selector")).matches(volume)
        })
        .min_by(|left, right| size(left).total_cmp(&size(right)))
}

/// Binds claim and volume to each other, chosen by the controller.
fn assign(claim: &Value, volume: &Value) -> Outcome {
    let mut outcome = Outcome::nothing();
    if volume.text("spec.claimRef.uid").is_empty() {
        outcome.push(Action::Update {
            resource: VOLUMES,
            part: Part::Main,
            object: held(volume, claim, true),
        });
    }
    let mut object = claim.clone();
    set(&mut object, "spec.volumeName", volume.name());
    let annotations = map(&mut object, "metadata.annotations");
    annotations.insert(BIND_COMPLETED.into(), "yes".into());
    annotations.insert(BOUND_BY_CONTROLLER.into(), "yes".into());
    outcome.push(Action::Update { resource: CLAIMS, part: Part::Main, object });
    outcome
}

fn new_volume(claim: &Value, class: &Value, name: &str) -> Value {
    let policy = match class.text("reclaimPolicy") {
        "" => "Delete",
        policy => policy,
    };
    let mut volume = json!({
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {
            "name": name,
            "annotations": {
                "kubernetes.io/createdby": "hostpath-dynamic-provisioner",
                BOUND_BY_CONTROLLER: "yes",
                "pv.kubernetes.io/provisioned-by": class.text("provisioner"),
            },
        },
        "spec": {
            "accessModes": claim.at("spec.accessModes"),
            "capacity": { "storage": claim.at("spec.resources.requests.storage") },
            "claimRef": reference(claim),
            "hostPath": { "path": format!("/tmp/hostpath_pv/{}", claim.uid()), "type": "" },
            "persistentVolumeReclaimPolicy": policy,
            "storageClassName": class.name(),
        },
    });
    if let Some(mode) = claim.at("spec").get("volumeMode") {
        set(&mut volume, "spec.volumeMode", mode.clone());
    }
    if policy == "Delete" {
        set(&mut volume, "metadata.finalizers", json!([VOLUME_DELETION]));
    }
    volume
}
