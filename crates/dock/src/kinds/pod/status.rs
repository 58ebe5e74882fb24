//! The status of a pod, which kubelets and the scheduler write.

use serde_json::Value;

use super::options::Options;
use crate::field::{FieldError, Path};
use crate::kinds::read::{Read, at_mut, list_mut, set};
use crate::kinds::report::Errors;
use crate::kinds::{copy_field, metadata, names, network};

/// Puts back what an update of the status may not write.
pub(super) fn prepare(object: &mut Value, old: &Value) {
    copy_field(object, old, "spec");
    if let Some(meta) = at_mut(object, "metadata") {
        for field in ["deletionTimestamp", "ownerReferences"] {
            copy_field(meta, old.at("metadata"), field);
        }
    }
    let before = old.at("status");
    let Some(status) = at_mut(object, "status") else { return };
    for field in ["qosClass", "observedGeneration"] {
        let absent = status.text(field).is_empty() && status.int(field) == 0;
        if absent {
            copy_field(status, before, field);
        }
    }
    let mut spare: Vec<&Value> = before.list("conditions").iter().collect();
    for condition in list_mut(status, "conditions") {
        let found = spare.iter().position(|old| old.text("type") == condition.text("type"));
        let generation = found.map(|index| spare.remove(index).int("observedGeneration")).unwrap_or_default();
        if condition.int("observedGeneration") == 0 && generation != 0 {
            set(condition, "observedGeneration", generation);
        }
    }
}

/// What is wrong with a new status.
pub(super) fn validate(object: &Value, old: &Value) -> Vec<FieldError> {
    let mut errors = Errors::new();
    metadata::validate_update(object, old, &mut errors);
    let options = Options::after(true, old.at("spec"), old.at("metadata"));
    super::changed_annotations(object, old, &options, &mut errors);
    let (status, before, path) = (object.at("status"), old.at("status"), Path::new("status"));
    for (index, condition) in status.list("conditions").iter().enumerate() {
        let path = path.child("conditions").index(index);
        let generation = condition.int("observedGeneration");
        if generation < 0 {
            errors.invalid(&path.child("observedGeneration"), generation, "must be a non-negative integer");
        }
        let kind = condition.text("type");
        if !["PodScheduled", "Ready", "Initialized"].contains(&kind) {
            errors.invalid_each(&path.child("Type"), kind, names::label_key(kind));
        }
    }
    let nominated = status.text("nominatedNodeName");
    if nominated != before.text("nominatedNodeName") && !nominated.is_empty() {
        let path = path.child("nominatedNodeName");
        errors.invalid_each(&path, nominated, names::dns_subdomain(nominated));
        if !old.at("spec").text("nodeName").is_empty() {
            errors.forbidden(&path, "may not be set on pods that are already bound to a node");
        }
    }
    let generation = status.int("observedGeneration");
    if generation < 0 {
        errors.invalid(&path.child("observedGeneration"), generation, "must be a non-negative integer");
    }
    if status.text("qosClass") != before.text("qosClass") {
        errors.invalid(&path.child("qosClass"), status.text("qosClass"), "field is immutable");
    }
    transitions(object, old, &path, &mut errors);
    addresses(status, before, &path, &mut errors);
    errors.found()
}

/// Containers that ended stay ended, unless they are to be restarted.
fn transitions(object: &Value, old: &Value, path: &Path, errors: &mut Errors) {
    let spec = old.at("spec");
    let words = "may not be transitioned to non-terminated state";
    let all = |field: &'static str| spec.list(field);
    let rules = ["containers", "initContainers"].into_iter().flat_map(all);
    let everything_restarts = rules
        .flat_map(|container| container.list("restartPolicyRules"))
        .any(|rule| rule.text("action") == "RestartAllContainers");
    for (field, holder) in [
        ("containerStatuses", Some("containers")),
        ("initContainerStatuses", Some("initContainers")),
        ("ephemeralContainerStatuses", None),
    ] {
        if holder.is_some() && everything_restarts {
            continue;
        }
        for (index, before) in old.at("status").list(field).iter().enumerate() {
            let ended = before.at("state").at("terminated");
            if ended.is_null() {
                continue;
            }
            let name = before.text("name");
            let revived = object
                .at("status")
                .list(field)
                .iter()
                .any(|after| after.text("name") == name && !after.at("state").has("terminated"));
            let allowed = holder.is_some_and(|holder| {
                spec.list(holder)
                    .iter()
                    .find(|container| container.text("name") == name)
                    .is_some_and(|container| restarts(container, spec, ended.int("exitCode")))
            });
            if revived && !allowed {
                errors.forbidden(&path.child(field).index(index).child("state"), words);
            }
        }
    }
}

/// Whether a container is started again after it ended so.
fn restarts(container: &Value, spec: &Value, code: i64) -> bool {
    if let Some(policy) = container.at("restartPolicy").as_str() {
        for rule in container.list("restartPolicyRules") {
            let codes = rule.at("exitCodes");
            let among = codes.list("values").iter().any(|one| one.as_i64() == Some(code));
            let matches = match codes.text("operator") {
                "In" => among,
                "NotIn" => !among,
                _ => false,
            };
            if rule.text("action") == "Restart" && !codes.is_null() && matches {
                return true;
            }
        }
        return match policy {
            "Always" => true,
            "OnFailure" => code != 0,
            _ => false,
        };
    }
    match spec.text("restartPolicy") {
        "Always" => true,
        "OnFailure" => code != 0,
        _ => false,
    }
}

fn addresses(status: &Value, before: &Value, path: &Path, errors: &mut Errors) {
    for (field, single) in [("podIPs", "podIP"), ("hostIPs", "hostIP")] {
        let all = status.list(field);
        let path = path.child(field);
        if field == "hostIPs" && !all.is_empty() && status.text(single) != all[0].text("ip") {
            errors.invalid(&path.index(0).child("ip"), all[0].text("ip"), "must be equal to `hostIP`");
        }
        let old: Vec<&str> = before.list(field).iter().map(|one| one.text("ip")).collect();
        for (index, one) in all.iter().enumerate() {
            network::address(one.text("ip"), &old, &path.index(index), errors);
        }
        if all.len() > 1 {
            let families = all.iter().filter(|one| network::is_v6(one.text("ip"))).count();
            if all.len() > 2 || families != 1 {
                let shown: Vec<String> =
                    all.iter().map(|one| format!("{{\"IP\":{}}}", one.at("ip"))).collect();
                let words = "may specify no more than one IP for each IP family";
                let mut error = FieldError::invalid(&path, status.at(field).clone(), words);
                error.shown = Some(format!("[{}]", shown.join(",")));
                errors.push(error);
            }
        }
    }
}
