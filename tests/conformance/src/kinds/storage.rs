//! `PersistentVolumeClaim`.

use serde_json::{Value, json};

use super::{Kind, condition};
use crate::dice::Dice;
use crate::sequence::Group;

pub(super) const KINDS: &[Kind] = &[Kind {
    group: Group::Claim,
    prefix: "/api/v1",
    api_version: "v1",
    kind: "PersistentVolumeClaim",
    plural: "persistentvolumeclaims",
    namespaced: true,
    subresources: &["status"],
    selectable: &["metadata.name"],
    make,
    change,
    strategic: change,
    status,
    wrong,
}];

fn make(dice: &mut Dice) -> Value {
    let mut spec = json!({
        "accessModes": [dice.pick(&["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"])],
        "resources": {"requests": {"storage": dice.pick(&["1Gi", "500Mi", "1024Mi", "1e9"])}},
    });
    if dice.chance(30) {
        spec["storageClassName"] = json!(dice.pick(&["slow", ""]));
    }
    if dice.chance(20) {
        spec["volumeMode"] = json!(dice.pick(&["Block", "Filesystem"]));
    }
    if dice.chance(15) {
        spec["selector"] = json!({"matchLabels": {"disk": "fast"}});
    }
    json!({"spec": spec})
}

fn change(dice: &mut Dice) -> Value {
    json!({"metadata": {"annotations": {"note": dice.pick(&["a", "b", ""])}}})
}

fn status(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"status": {"phase": dice.pick(&["Pending", "Bound", "Lost"])}}),
        1 => {
            json!({"status": {"capacity": {"storage": "2Gi"}, "accessModes": ["ReadWriteOnce"], "phase": "Bound"}})
        }
        _ => json!({"status": {"conditions": [condition(dice, &["Resizing", "FileSystemResizePending"])]}}),
    }
}

fn wrong(dice: &mut Dice) -> Value {
    match dice.below(5) {
        0 => json!({"spec": {"accessModes": ["ReadNever"]}}),
        1 => json!({"spec": {"resources": {"requests": {"storage": "-1Gi"}}}}),
        2 => json!({"spec": {"resources": {"requests": {"storage": "much"}}}}),
        3 => json!({"spec": {"storageClassName": "another"}}),
        _ => json!({"spec": {"accessModes": []}}),
    }
}
