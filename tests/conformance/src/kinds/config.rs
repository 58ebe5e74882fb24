//! Things that only hold data: `ConfigMap`, `Secret`, `ServiceAccount`, and `Namespace`, which holds the others.

use serde_json::{Value, json};

use super::{Kind, no_status};
use crate::dice::Dice;
use crate::sequence::Group;

pub(super) const KINDS: &[Kind] = &[
    Kind {
        group: Group::Config,
        prefix: "/api/v1",
        api_version: "v1",
        kind: "ConfigMap",
        plural: "configmaps",
        namespaced: true,
        subresources: &[],
        selectable: &["metadata.name", "metadata.namespace"],
        make: config_map,
        change: config_map_change,
        strategic: config_map_strategic,
        status: no_status,
        wrong: config_map_wrong,
    },
    Kind {
        group: Group::Config,
        prefix: "/api/v1",
        api_version: "v1",
        kind: "Secret",
        plural: "secrets",
        namespaced: true,
        subresources: &[],
        selectable: &["metadata.name", "type"],
        make: secret,
        change: secret_change,
        strategic: secret_change,
        status: no_status,
        wrong: secret_wrong,
    },
    Kind {
        group: Group::Config,
        prefix: "/api/v1",
        api_version: "v1",
        kind: "ServiceAccount",
        plural: "serviceaccounts",
        namespaced: true,
        subresources: &[],
        selectable: &["metadata.name"],
        make: account,
        change: account_change,
        strategic: account_strategic,
        status: no_status,
        wrong: account_wrong,
    },
    Kind {
        group: Group::Namespace,
        prefix: "/api/v1",
        api_version: "v1",
        kind: "Namespace",
        plural: "namespaces",
        namespaced: false,
        subresources: &["status"],
        selectable: &["metadata.name", "status.phase"],
        make: namespace,
        change: namespace_change,
        strategic: namespace_change,
        status: namespace_status,
        wrong: namespace_wrong,
    },
];

fn config_map(dice: &mut Dice) -> Value {
    let mut object = json!({"data": {"a": "1", "b": dice.pick(&["", "two", "mehr\nals\neine\n"])}});
    if dice.chance(15) {
        object["binaryData"] = json!({"bytes": "AAEC/w=="});
    }
    if dice.chance(5) {
        object["immutable"] = json!(true);
    }
    if dice.chance(5) {
        object = json!({});
    }
    object
}

fn config_map_change(dice: &mut Dice) -> Value {
    let value = dice.pick(&["x", "y", "z", "", "10"]);
    match dice.below(6) {
        0 => json!({"data": {"a": value}}),
        1 => json!({"data": {"c": value, "d": "4"}}),
        2 => json!({"data": {"b": null}}),
        3 => json!({"binaryData": {"more": "AQ=="}}),
        4 => json!({"data": {"b": value}, "binaryData": null}),
        _ => json!({"data": {"c": "kept"}}),
    }
}

fn config_map_strategic(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 => json!({"data": {"$patch": "replace", "only": "this"}}),
        1 => json!({"data": {"$retainKeys": ["a"], "a": "kept"}}),
        2 => json!({"metadata": {"labels": {"$patch": "delete"}}}),
        _ => config_map_change(dice),
    }
}

fn config_map_wrong(dice: &mut Dice) -> Value {
    match dice.below(5) {
        0 => json!({"data": {"not a key!": "x"}}),
        1 => json!({"data": {"a": 5}}),
        2 => json!({"binaryData": {"a": "AA=="}, "data": {"a": "twice"}}),
        3 => json!({"immutable": "yes"}),
        _ => json!({"data": ["a"]}),
    }
}

fn secret(dice: &mut Dice) -> Value {
    match dice.below(6) {
        0 => json!({"stringData": {"user": "me", "word": "secret"}}),
        1 => json!({"type": "kubernetes.io/basic-auth", "stringData": {"username": "u", "password": "p"}}),
        2 => {
            json!({"type": "kubernetes.io/dockerconfigjson", "stringData": {".dockerconfigjson": "{\"auths\":{}}"}})
        }
        3 => json!({"type": "slipway.dev/own", "data": {"k": "dg=="}, "immutable": dice.chance(20)}),
        _ => json!({"data": {"k": "dg==", "l": ""}}),
    }
}

fn secret_change(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 => json!({"data": {"k": "bmV3"}}),
        1 => json!({"stringData": {"k": "written", "m": "more"}}),
        2 => json!({"data": {"l": null}}),
        _ => json!({"data": {"n": "bg=="}}),
    }
}

fn secret_wrong(dice: &mut Dice) -> Value {
    match dice.below(5) {
        0 => json!({"type": "other.io/type"}),
        1 => json!({"data": {"k": "not base64!"}}),
        2 => json!({"data": {"bad key!": ""}}),
        3 => json!({"type": "kubernetes.io/tls", "data": {"k": "dg=="}}),
        _ => json!({"stringData": {"k": 1}}),
    }
}

fn account(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({}),
        1 => json!({"automountServiceAccountToken": dice.chance(50)}),
        _ => json!({"imagePullSecrets": [{"name": "pull"}], "secrets": [{"name": "one"}, {"name": "two"}]}),
    }
}

fn account_change(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"automountServiceAccountToken": dice.chance(50)}),
        1 => json!({"imagePullSecrets": [{"name": dice.pick(&["pull", "other"])}]}),
        _ => json!({"secrets": [{"name": dice.pick(&["one", "three"])}]}),
    }
}

fn account_strategic(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 => json!({"secrets": [{"name": "one", "$patch": "delete"}]}),
        1 => {
            json!({"secrets": [{"name": "three"}], "$setElementOrder/secrets": [{"name": "three"}, {"name": "one"}, {"name": "two"}]})
        }
        2 => json!({"imagePullSecrets": [{"$patch": "replace"}, {"name": "alone"}]}),
        _ => account_change(dice),
    }
}

fn account_wrong(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"automountServiceAccountToken": "no"}),
        _ => json!({"secrets": {"name": "not a list"}}),
    }
}

fn namespace(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({}),
        1 => json!({"spec": {"finalizers": ["kubernetes"]}}),
        _ => json!({"spec": {}}),
    }
}

fn namespace_change(dice: &mut Dice) -> Value {
    json!({"metadata": {"labels": {"tier": dice.pick(&["a", "b", "c"])}}})
}

fn namespace_status(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"status": {"phase": "Active"}}),
        _ => {
            json!({"status": {"conditions": [super::condition(dice, &["NamespaceContentRemaining", "Mine"])]}})
        }
    }
}

fn namespace_wrong(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"spec": {"finalizers": ["not qualified/at/all"]}}),
        1 => json!({"metadata": {"labels": {"tier": "not a value!"}}}),
        _ => json!({"spec": {"finalizers": "kubernetes"}}),
    }
}
