//! Roles and their bindings.

use serde_json::{Value, json};

use super::{Kind, no_status};
use crate::dice::Dice;
use crate::sequence::Group;

const PREFIX: &str = "/apis/rbac.authorization.k8s.io/v1";
const VERSION: &str = "rbac.authorization.k8s.io/v1";

pub(super) const KINDS: &[Kind] = &[
    Kind {
        group: Group::Rbac,
        prefix: PREFIX,
        api_version: VERSION,
        kind: "Role",
        plural: "roles",
        namespaced: true,
        subresources: &[],
        selectable: &["metadata.name"],
        make: role,
        change: role_change,
        strategic: role_change,
        status: no_status,
        wrong: role_wrong,
    },
    Kind {
        group: Group::Rbac,
        prefix: PREFIX,
        api_version: VERSION,
        kind: "RoleBinding",
        plural: "rolebindings",
        namespaced: true,
        subresources: &[],
        selectable: &["metadata.name"],
        make: binding,
        change: binding_change,
        strategic: binding_change,
        status: no_status,
        wrong: binding_wrong,
    },
    Kind {
        group: Group::Rbac,
        prefix: PREFIX,
        api_version: VERSION,
        kind: "ClusterRole",
        plural: "clusterroles",
        namespaced: false,
        subresources: &[],
        selectable: &["metadata.name"],
        make: cluster_role,
        change: role_change,
        strategic: role_change,
        status: no_status,
        wrong: role_wrong,
    },
    Kind {
        group: Group::Rbac,
        prefix: PREFIX,
        api_version: VERSION,
        kind: "ClusterRoleBinding",
        plural: "clusterrolebindings",
        namespaced: false,
        subresources: &[],
        selectable: &["metadata.name"],
        make: cluster_binding,
        change: binding_change,
        strategic: binding_change,
        status: no_status,
        wrong: binding_wrong,
    },
];

fn rule(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}),
        1 => {
            json!({"apiGroups": ["apps"], "resources": ["deployments", "deployments/scale"], "verbs": ["*"]})
        }
        _ => json!({"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["one"], "verbs": ["get"]}),
    }
}

fn role(dice: &mut Dice) -> Value {
    let rules: Vec<_> = (0..dice.below(3)).map(|_| rule(dice)).collect();
    json!({"rules": rules})
}

fn cluster_role(dice: &mut Dice) -> Value {
    match dice.below(4) {
        0 => json!({"rules": [{"nonResourceURLs": ["/healthz"], "verbs": ["get"]}]}),
        1 => {
            json!({"rules": [], "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"nobody": "has"}}]}})
        }
        _ => role(dice),
    }
}

fn role_change(dice: &mut Dice) -> Value {
    let rules: Vec<_> = (0..dice.between(1, 2)).map(|_| rule(dice)).collect();
    json!({"rules": rules})
}

fn role_wrong(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"rules": [{"apiGroups": [""], "resources": ["pods"]}]}),
        1 => json!({"rules": {"verbs": ["get"]}}),
        _ => json!({"rules": [{"apiGroups": [""], "resources": "pods", "verbs": ["get"]}]}),
    }
}

fn subject(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"kind": "ServiceAccount", "name": "runner", "namespace": "default"}),
        1 => json!({"kind": "User", "name": "someone"}),
        _ => json!({"kind": "Group", "name": "some", "apiGroup": "rbac.authorization.k8s.io"}),
    }
}

fn binding(dice: &mut Dice) -> Value {
    let kind = dice.pick(&["Role", "ClusterRole"]);
    let mut role = json!({"kind": kind, "name": "reader"});
    if dice.chance(50) {
        role["apiGroup"] = json!("rbac.authorization.k8s.io");
    }
    json!({"subjects": [subject(dice)], "roleRef": role})
}

fn cluster_binding(dice: &mut Dice) -> Value {
    json!({
        "subjects": [subject(dice)],
        "roleRef": {"kind": "ClusterRole", "name": "view", "apiGroup": "rbac.authorization.k8s.io"},
    })
}

fn binding_change(dice: &mut Dice) -> Value {
    json!({"subjects": [subject(dice)]})
}

fn binding_wrong(dice: &mut Dice) -> Value {
    match dice.below(3) {
        0 => json!({"roleRef": {"name": "another"}}),
        1 => json!({"subjects": [{"kind": "Robot", "name": "r"}]}),
        _ => json!({"subjects": [{"kind": "ServiceAccount", "name": "no-namespace"}]}),
    }
}
