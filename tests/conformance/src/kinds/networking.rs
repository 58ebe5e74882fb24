//! `Ingress`, `IngressClass`, `NetworkPolicy`.

use serde_json::{Value, json};

use super::{Kind, no_status};
use crate::dice::Dice;
use crate::sequence::Group;

const PREFIX: &str = "/apis/networking.k8s.io/v1";
const VERSION: &str = "networking.k8s.io/v1";

pub(super) const KINDS: &[Kind] = &[
    Kind {
        group: Group::Networking,
        prefix: PREFIX,
        api_version: VERSION,
        kind: "Ingress",
        plural: "ingresses",
        namespaced: true,
        subresources: &["status"],
        selectable: &["metadata.name"],
        make: ingress,
        change: ingress_change,
        strategic: ingress_change,
        status: ingress_status,
        wrong: ingress_wrong,
    },
    Kind {
        group: Group::Networking,
        prefix: PREFIX,
        api_version: VERSION,
        kind: "IngressClass",
        plural: "ingressclasses",
        namespaced: false,
        subresources: &[],
        selectable: &["metadata.name"],
        make: class,
        change: class_change,
        strategic: class_change,
        status: no_status,
        wrong: class_wrong,
    },
    Kind {
        group: Group::Networking,
        prefix: PREFIX,
        api_version: VERSION,
        kind: "NetworkPolicy",
        plural: "networkpolicies",
        namespaced: true,
        subresources: &[],
        selectable: &["metadata.name"],
        make: policy,
        change: policy_change,
        strategic: policy_change,
        status: no_status,
        wrong: policy_wrong,
    },
];

fn backend(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"service": {"name": "web", "port": {"number": 80}}}),
        _ => json!({"service": {"name": "web", "port": {"name": "http"}}}),
    }
}

fn rule(dice: &mut Dice) -> Value {
    json!({
        "host": dice.pick(&["a.example.com", "*.example.com", "b.example.com"]),
        "http": {"paths": [{"path": dice.pick(&["/", "/api"]), "pathType": dice.pick(&["Prefix", "Exact"]), "backend": backend(dice)}]},
    })
}

fn ingress(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"spec": {"defaultBackend": backend(dice)}}),
        1 => {
            json!({"spec": {"ingressClassName": "ours", "rules": [rule(dice)], "tls": [{"hosts": ["a.example.com"], "secretName": "tls"}]}})
        }
        _ => json!({"spec": {"rules": [rule(dice), rule(dice)]}}),
    }
}

fn ingress_change(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"spec": {"rules": [rule(dice)]}}),
        1 => json!({"spec": {"ingressClassName": dice.pick(&["ours", "theirs"])}}),
        _ => json!({"spec": {"defaultBackend": backend(dice)}}),
    }
}

fn ingress_status(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.8"}]}}}),
        _ => json!({"status": {"loadBalancer": {"ingress": [{"hostname": "lb.example.com"}]}}}),
    }
}

fn ingress_wrong(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"spec": {"rules": [{"host": "a.example.com", "http": {"paths": "none"}}]}}),
        1 => json!({"spec": {"rules": "none"}}),
        _ => json!({"spec": {"ingressClassName": 7}}),
    }
}

fn class(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {"controller": "example.com/controller"}}),
        _ => {
            json!({"spec": {"controller": "example.com/controller", "parameters": {"apiGroup": "example.com", "kind": "Parameters", "name": "p"}}})
        }
    }
}

fn class_change(dice: &mut Dice) -> Value {
    json!({"metadata": {"annotations": {"note": dice.pick(&["a", "b"])}}})
}

fn class_wrong(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {"controller": 3}}),
        _ => json!({"spec": "none"}),
    }
}

fn policy(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 => json!({"spec": {"podSelector": {}}}),
        1 => {
            json!({"spec": {"podSelector": {"matchLabels": {"app": "web"}}, "policyTypes": ["Ingress", "Egress"]}})
        }
        2 => {
            json!({"spec": {"podSelector": {}, "egress": [{"to": [{"ipBlock": {"cidr": "192.0.2.0/24"}}]}]}})
        }
        _ => {
            json!({"spec": {"podSelector": {}, "ingress": [{"from": [{"namespaceSelector": {}}], "ports": [{"port": 80}]}]}})
        }
    }
}

fn policy_change(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {"podSelector": {"matchLabels": {"app": dice.pick(&["web", "db"])}}}}),
        _ => json!({"spec": {"ingress": [{"ports": [{"port": dice.pick(&[80, 443]), "protocol": "TCP"}]}]}}),
    }
}

fn policy_wrong(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {"ingress": "none"}}),
        _ => json!({"spec": {"podSelector": []}}),
    }
}
