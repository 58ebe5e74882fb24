//! `CustomResourceDefinition`.

use serde_json::{Value, json};

use super::Kind;
use crate::dice::Dice;
use crate::sequence::Group;

/// The kind of definitions themselves.
pub static DEFINITION: Kind = Kind {
    group: Group::Definition,
    prefix: "/apis/apiextensions.k8s.io/v1",
    api_version: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    plural: "customresourcedefinitions",
    namespaced: false,
    subresources: &["status"],
    selectable: &["metadata.name"],
    make: |dice| json!({"spec": spec(dice, "⟨tag⟩")}),
    change,
    strategic: change,
    status: |_| json!({"status": {"storedVersions": ["v1"]}}),
    wrong,
};

/// The kind that a sequence defines for itself.
pub static GADGET: Kind = Kind {
    group: Group::Definition,
    prefix: "/apis/⟨tag⟩.example.com/v1",
    api_version: "⟨tag⟩.example.com/v1",
    kind: "Gadget",
    plural: "gadgets",
    namespaced: true,
    subresources: &["status", "scale"],
    selectable: &["metadata.name"],
    make: gadget,
    change: gadget_change,
    strategic: gadget_change,
    status: |dice| json!({"status": {"ready": dice.chance(50), "replicas": 2}}),
    wrong: gadget_wrong,
};

/// A definition of gadgets in a group of the sequence's own.
pub fn definition(dice: &mut Dice, group: &str) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("gadgets.{group}"), "labels": {"seq": "⟨tag⟩"}},
        "spec": spec(dice, group),
    })
}

fn spec(dice: &mut Dice, group: &str) -> Value {
    let mut first =
        json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema(dice)}});
    if dice.chance(50) {
        first["subresources"] = json!({"status": {}});
        if dice.chance(50) {
            first["subresources"]["scale"] =
                json!({"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"});
        }
    }
    if dice.chance(40) {
        first["additionalPrinterColumns"] = json!([
            {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]);
    }
    let mut versions = vec![first];
    if dice.chance(40) {
        versions.push(json!({"name": "v1beta1", "served": dice.chance(70), "storage": false, "schema": {"openAPIV3Schema": schema(dice)}}));
    }
    let mut names = json!({"plural": "gadgets", "kind": "Gadget"});
    if dice.chance(50) {
        names["singular"] = json!("gadget");
        names["shortNames"] = json!(["gg"]);
        names["listKind"] = json!("GadgetList");
    }
    let mut spec = json!({"group": group, "names": names, "scope": "Namespaced", "versions": versions});
    if dice.chance(20) {
        spec["conversion"] = json!({"strategy": "None"});
    }
    spec
}

fn schema(dice: &mut Dice) -> Value {
    let mut properties = json!({
        "size": {"type": "integer", "minimum": 1, "maximum": 100},
        "color": {"type": "string", "enum": ["red", "green", "blue"]},
        "replicas": {"type": "integer", "format": "int32"},
        "parts": {"type": "array", "items": {"type": "object", "required": ["name"],
            "properties": {"name": {"type": "string"}, "count": {"type": "integer"}}}},
    });
    if dice.chance(50) {
        properties["color"]["default"] = json!("green");
    }
    if dice.chance(40) {
        properties["size"]["default"] = json!(3);
    }
    if dice.chance(40) {
        properties["parts"]["x-kubernetes-list-type"] = json!("map");
        properties["parts"]["x-kubernetes-list-map-keys"] = json!(["name"]);
    }
    if dice.chance(30) {
        properties["free"] = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    }
    let mut spec = json!({"type": "object", "properties": properties});
    if dice.chance(30) {
        spec["required"] = json!(["size"]);
    }
    if dice.chance(25) {
        spec["x-kubernetes-validations"] =
            json!([{"rule": "!has(self.size) || self.size != 13", "message": "not thirteen"}]);
    }
    json!({"type": "object", "properties": {
        "spec": spec,
        "status": {"type": "object", "properties": {"ready": {"type": "boolean"}, "replicas": {"type": "integer"}}},
    }})
}

fn gadget(dice: &mut Dice) -> Value {
    let mut spec = json!({"size": dice.between(1, 12)});
    match dice.below(5) {
        0 => spec["color"] = json!("blue"),
        1 => spec["parts"] = json!([{"name": "a", "count": 1}, {"name": "b"}]),
        2 => spec["free"] = json!({"any": {"thing": 1}}),
        3 => spec["replicas"] = json!(2),
        _ => {}
    }
    json!({"spec": spec})
}

fn gadget_change(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 => json!({"spec": {"size": dice.between(1, 12)}}),
        1 => json!({"spec": {"color": dice.pick(&["red", "green"])}}),
        2 => json!({"spec": {"parts": [{"name": "c"}]}}),
        _ => json!({"spec": {"replicas": dice.below(4)}}),
    }
}

fn gadget_wrong(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 => json!({"spec": {"size": 13}}),
        1 => json!({"spec": {"size": 0}}),
        2 => json!({"spec": {"color": "mauve"}}),
        _ => json!({"spec": {"parts": "none"}}),
    }
}

fn change(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"metadata": {"annotations": {"note": dice.pick(&["a", "b"])}}}),
        _ => json!({"spec": {"names": {"categories": ["all"]}}}),
    }
}

fn wrong(dice: &mut Dice) -> Value {
    match dice.below(7) {
        0 => json!({"spec": {"group": "other.example.com"}}),
        1 => json!({"spec": {"scope": "Cluster"}}),
        2 => json!({"spec": {"versions": []}}),
        3 => json!({"spec": {"versions": [{"name": "v1", "served": true, "storage": true}]}}),
        4 => {
            json!({"spec": {"versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"properties": {"spec": {"type": "object"}}}}}]}})
        }
        5 => json!({"spec": {"names": {"plural": "Gadgets"}}}),
        _ => {
            json!({"spec": {"versions": [{"name": "v1", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object"}}}]}})
        }
    }
}
