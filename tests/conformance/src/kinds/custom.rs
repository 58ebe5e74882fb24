//! Custom resources whose definitions every server has from the beginning: making definitions is slow on a real server.

use serde_json::{Value, json};

use super::{Kind, condition, no_status};
use crate::dice::Dice;
use crate::sequence::Group;

/// The definitions of them.
pub const POOL: [fn() -> Value; 3] = [widgets, loose, racks];

const PREFIX: &str = "/apis/conformance.slipway.dev/v1";
const VERSION: &str = "conformance.slipway.dev/v1";

pub(super) static KINDS: &[Kind] = &[
    Kind {
        group: Group::Custom,
        prefix: PREFIX,
        api_version: VERSION,
        kind: "Widget",
        plural: "widgets",
        namespaced: true,
        subresources: &["status", "scale"],
        selectable: &["metadata.name", "spec.color"],
        make: widget,
        change: widget_change,
        strategic: widget_change,
        status: widget_status,
        wrong: widget_wrong,
    },
    Kind {
        group: Group::Custom,
        prefix: "/apis/conformance.slipway.dev/v1beta1",
        api_version: "conformance.slipway.dev/v1beta1",
        kind: "Widget",
        plural: "widgets",
        namespaced: true,
        subresources: &["status"],
        selectable: &["metadata.name"],
        make: old_widget,
        change: widget_change,
        strategic: widget_change,
        status: widget_status,
        wrong: widget_wrong,
    },
    Kind {
        group: Group::Custom,
        prefix: PREFIX,
        api_version: VERSION,
        kind: "Loose",
        plural: "looses",
        namespaced: true,
        subresources: &[],
        selectable: &["metadata.name"],
        make: loose_one,
        change: loose_change,
        strategic: loose_change,
        status: no_status,
        wrong: loose_wrong,
    },
    Kind {
        group: Group::Custom,
        prefix: PREFIX,
        api_version: VERSION,
        kind: "Rack",
        plural: "racks",
        namespaced: false,
        subresources: &["status"],
        selectable: &["metadata.name"],
        make: rack,
        change: rack_change,
        strategic: rack_change,
        status: rack_status,
        wrong: rack_wrong,
    },
];

fn widgets() -> Value {
    let parts = json!({"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "maxLength": 20}, "count": {"type": "integer", "default": 1}, "notes": {"type": "string"}}}});
    let spec = json!({"type": "object", "required": ["size"], "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 100},
        "color": {"type": "string", "enum": ["red", "green", "blue"], "default": "green"},
        "replicas": {"type": "integer", "format": "int32", "default": 1},
        "fixed": {"type": "string", "maxLength": 30, "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "fixed is fixed"}]},
        "port": {"x-kubernetes-int-or-string": true},
        "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "ordered": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]+$"}, "maxItems": 4},
        "parts": parts,
        "options": {"type": "object", "additionalProperties": {"type": "string"}},
        "limits": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"low": {"type": "integer"}, "high": {"type": "integer"}},
            "x-kubernetes-validations": [{"rule": "!has(self.low) || !has(self.high) || self.low <= self.high", "message": "low is above high"}]},
        "anything": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "maybe": {"type": "string", "nullable": true},
    }});
    let status = json!({"type": "object", "properties": {
        "replicas": {"type": "integer"}, "selector": {"type": "string"}, "phase": {"type": "string"},
        "conditions": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"], "items": {
            "type": "object", "required": ["type", "status"], "properties": {"type": {"type": "string"}, "status": {"type": "string"},
                "reason": {"type": "string"}, "message": {"type": "string"}, "lastTransitionTime": {"type": "string", "format": "date-time"}}}},
    }});
    let schema = json!({"type": "object", "properties": {"spec": spec, "status": status}});
    let scale = json!({"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.selector"});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.conformance.slipway.dev"},
        "spec": {
            "group": "conformance.slipway.dev",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "shortNames": ["wd"], "categories": ["all"]},
            "scope": "Namespaced",
            "versions": [
                {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema},
                    "subresources": {"status": {}, "scale": scale},
                    "selectableFields": [{"jsonPath": ".spec.color"}],
                    "additionalPrinterColumns": [
                        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
                        {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1},
                        {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"},
                        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]},
                {"name": "v1beta1", "served": true, "storage": false, "deprecated": true, "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                        "spec": {"type": "object", "properties": {
                            "size": {"type": "integer", "default": 7}, "color": {"type": "string"},
                            "replicas": {"type": "integer", "format": "int32"}, "legacy": {"type": "boolean"}}},
                        "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}},
            ],
        },
    })
}

fn loose() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "looses.conformance.slipway.dev"},
        "spec": {
            "group": "conformance.slipway.dev",
            "names": {"plural": "looses", "kind": "Loose"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}],
        },
    })
}

fn racks() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "racks.conformance.slipway.dev"},
        "spec": {
            "group": "conformance.slipway.dev",
            "names": {"plural": "racks", "kind": "Rack", "singular": "rack"},
            "scope": "Cluster",
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                    "spec": {"type": "object", "properties": {"slots": {"type": "integer", "default": 4}, "label": {"type": "string", "maxLength": 10},
                        "template": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}}},
                    "status": {"type": "object", "properties": {"used": {"type": "integer"}}}}}}}],
        },
    })
}

fn widget(dice: &mut Dice) -> Value {
    let mut spec = json!({"size": dice.between(1, 100)});
    match dice.below(9) {
        0 => spec["color"] = json!("red"),
        1 => spec["parts"] = json!([{"name": "wheel", "count": 4}, {"name": "seat"}]),
        2 => spec["tags"] = json!(["a", "b"]),
        3 => spec["fixed"] = json!("for ever"),
        4 => spec["port"] = dice.pick(&[json!(80), json!("http")].each_ref()).clone(),
        5 => spec["options"] = json!({"x": "1", "y": "2"}),
        6 => spec["limits"] = json!({"low": 1, "high": 2}),
        7 => spec["anything"] = json!({"goes": ["here", 1, null, {"deep": true}]}),
        _ => spec["maybe"] = json!(null),
    }
    if dice.chance(15) {
        spec["unknown"] = json!("pruned");
    }
    if dice.chance(10) {
        spec["ordered"] = json!(["one", "two"]);
    }
    json!({"spec": spec})
}

fn old_widget(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"spec": {}}),
        1 => json!({"spec": {"size": dice.between(1, 100), "legacy": true}}),
        _ => json!({"spec": {"color": "blue", "size": 2}}),
    }
}

fn widget_change(dice: &mut Dice) -> Value {
    match dice.below(9) {
        0 => json!({"spec": {"size": dice.between(1, 100)}}),
        1 => json!({"spec": {"color": dice.pick(&["red", "green", "blue"])}}),
        2 => json!({"spec": {"color": null}}),
        3 => json!({"spec": {"parts": [{"name": "wheel", "count": dice.below(5)}, {"name": "horn"}]}}),
        4 => json!({"spec": {"tags": ["b", "c"]}}),
        5 => json!({"spec": {"options": {"x": "2", "z": "3"}}}),
        6 => json!({"spec": {"limits": {"low": 2, "high": 3}}}),
        7 => json!({"spec": {"replicas": dice.below(4)}}),
        _ => json!({"spec": {"anything": {"more": dice.below(3)}}}),
    }
}

fn widget_status(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"status": {"phase": dice.pick(&["New", "Old"])}}),
        1 => json!({"status": {"replicas": dice.below(4), "selector": "app=web"}}),
        _ => json!({"status": {"conditions": [condition(dice, &["Ready", "Stalled"])]}}),
    }
}

fn widget_wrong(dice: &mut Dice) -> Value {
    match dice.below(10) {
        0 => json!({"spec": {"size": 0}}),
        1 => json!({"spec": {"size": "big"}}),
        2 => json!({"spec": {"color": "mauve"}}),
        3 => json!({"spec": {"fixed": "changed"}}),
        4 => json!({"spec": {"tags": ["a", "a"]}}),
        5 => json!({"spec": {"parts": [{"count": 1}]}}),
        6 => json!({"spec": {"parts": [{"name": "a"}, {"name": "a"}]}}),
        7 => json!({"spec": {"limits": {"low": 9, "high": 1}}}),
        8 => json!({"spec": {"ordered": ["UPPER", "a", "b", "c", "d"]}}),
        _ => json!({"spec": {"size": null}}),
    }
}

fn loose_one(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"anything": [1, "two", {"three": 3.5}]}),
        1 => json!({"spec": {"a": {"b": {"c": null}}}, "status": {"x": true}}),
        _ => json!({"spec": {"list": ["x", "y"], "text": "words"}}),
    }
}

fn loose_change(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"spec": {"list": ["z"]}}),
        1 => json!({"spec": {"a": {"b": dice.below(5)}}}),
        _ => json!({"extra": {"e": dice.pick(&["1", "2"])}}),
    }
}

fn loose_wrong(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"metadata": {"labels": {"l": "not a value!"}}}),
        _ => json!({"metadata": {"annotations": {"bad key!": "x"}}}),
    }
}

fn rack(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"spec": {}}),
        1 => json!({"spec": {"slots": dice.below(9), "label": "l"}}),
        _ => {
            json!({"spec": {"template": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "t"}, "data": {"a": "b"}}}})
        }
    }
}

fn rack_change(dice: &mut Dice) -> Value {
    json!({"spec": {"slots": dice.below(9)}})
}

fn rack_status(dice: &mut Dice) -> Value {
    json!({"status": {"used": dice.below(9)}})
}

fn rack_wrong(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"spec": {"label": "much too long for this"}}),
        1 => json!({"spec": {"template": {"kind": "ConfigMap"}}}),
        _ => json!({"spec": {"slots": 1.5}}),
    }
}
