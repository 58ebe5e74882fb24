//! `Service`.

use serde_json::{Value, json};

use super::{Kind, condition};
use crate::dice::Dice;
use crate::sequence::Group;

pub(super) const KINDS: &[Kind] = &[Kind {
    group: Group::Service,
    prefix: "/api/v1",
    api_version: "v1",
    kind: "Service",
    plural: "services",
    namespaced: true,
    subresources: &["status"],
    selectable: &["metadata.name", "spec.type", "spec.clusterIP"],
    make,
    change,
    strategic,
    status,
    wrong,
}];

fn make(dice: &mut Dice) -> Value {
    let ports = match dice.below(4) {
        0 => json!([{"port": 80}]),
        1 => {
            json!([{"port": 80, "targetPort": "http", "name": "web"}, {"port": 443, "targetPort": 8443, "name": "tls"}])
        }
        2 => {
            json!([{"port": 53, "protocol": "UDP", "name": "dns"}, {"port": 53, "protocol": "TCP", "name": "dns-tcp"}])
        }
        _ => json!([{"port": 8080, "appProtocol": "http"}]),
    };
    let mut spec = json!({"ports": ports, "selector": {"app": "web"}});
    match dice.below(8) {
        0 => spec["clusterIP"] = json!("None"),
        1 => spec["type"] = json!("NodePort"),
        2 => {
            spec["type"] = json!("LoadBalancer");
            if dice.chance(30) {
                spec["externalTrafficPolicy"] = json!("Local");
            }
            if dice.chance(30) {
                spec["loadBalancerSourceRanges"] = json!(["10.0.0.0/8"]);
            }
        }
        3 => spec = json!({"type": "ExternalName", "externalName": "example.com"}),
        4 => spec["sessionAffinity"] = json!("ClientIP"),
        5 => spec["publishNotReadyAddresses"] = json!(true),
        6 => spec["internalTrafficPolicy"] = json!("Local"),
        _ => {}
    }
    json!({"spec": spec})
}

fn change(dice: &mut Dice) -> Value {
    match dice.below(7) {
        0 => json!({"spec": {"selector": {"app": "other"}}}),
        1 => json!({"spec": {"ports": [{"port": 81, "name": "one"}, {"port": 82, "name": "two"}]}}),
        2 => json!({"spec": {"sessionAffinity": dice.pick(&["None", "ClientIP"])}}),
        3 => json!({"spec": {"type": dice.pick(&["ClusterIP", "NodePort", "LoadBalancer"])}}),
        4 => {
            json!({"spec": {"type": "ExternalName", "externalName": "other.example.com", "clusterIP": null, "clusterIPs": null}})
        }
        5 => json!({"spec": {"publishNotReadyAddresses": dice.chance(50)}}),
        _ => json!({"spec": {"externalIPs": ["192.0.2.1"]}}),
    }
}

fn strategic(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 => json!({"spec": {"ports": [{"port": 80, "name": "renamed"}]}}),
        1 => json!({"spec": {"ports": [{"port": 443, "$patch": "delete"}]}}),
        2 => {
            json!({"spec": {"ports": [{"port": 9090, "name": "metrics"}], "$setElementOrder/ports": [{"port": 9090}, {"port": 80}]}})
        }
        _ => change(dice),
    }
}

fn status(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}}}),
        _ => json!({"status": {"conditions": [condition(dice, &["Ready", "Programmed"])]}}),
    }
}

fn wrong(dice: &mut Dice) -> Value {
    match dice.below(9) {
        0 => json!({"spec": {"ports": [{"port": 0}]}}),
        1 => json!({"spec": {"ports": [{"port": 80}, {"port": 81}]}}),
        2 => json!({"spec": {"ports": [{"port": 80, "name": "same"}, {"port": 81, "name": "same"}]}}),
        3 => json!({"spec": {"ports": []}}),
        4 => json!({"spec": {"type": "Nothing"}}),
        5 => json!({"spec": {"clusterIP": "10.200.0.1", "clusterIPs": ["10.200.0.1"]}}),
        6 => json!({"spec": {"ports": [{"port": 80, "protocol": "XYZ"}]}}),
        7 => json!({"spec": {"selector": {"app": "not a value!"}}}),
        _ => json!({"spec": {"sessionAffinity": "Always"}}),
    }
}
