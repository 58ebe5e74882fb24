//! Kinds that bound what others may do: budgets, autoscalers, priorities, leases.

use serde_json::{Value, json};

use super::{Kind, condition, no_status};
use crate::dice::Dice;
use crate::sequence::Group;

pub(super) const KINDS: &[Kind] = &[
    Kind {
        group: Group::Policy,
        prefix: "/apis/policy/v1",
        api_version: "policy/v1",
        kind: "PodDisruptionBudget",
        plural: "poddisruptionbudgets",
        namespaced: true,
        subresources: &["status"],
        selectable: &["metadata.name"],
        make: budget,
        change: budget_change,
        strategic: budget_strategic,
        status: budget_status,
        wrong: budget_wrong,
    },
    Kind {
        group: Group::Policy,
        prefix: "/apis/autoscaling/v2",
        api_version: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        plural: "horizontalpodautoscalers",
        namespaced: true,
        subresources: &["status"],
        selectable: &["metadata.name"],
        make: autoscaler,
        change: autoscaler_change,
        strategic: autoscaler_change,
        status: autoscaler_status,
        wrong: autoscaler_wrong,
    },
    Kind {
        group: Group::Policy,
        prefix: "/apis/autoscaling/v1",
        api_version: "autoscaling/v1",
        kind: "HorizontalPodAutoscaler",
        plural: "horizontalpodautoscalers",
        namespaced: true,
        subresources: &["status"],
        selectable: &["metadata.name"],
        make: old_autoscaler,
        change: old_autoscaler_change,
        strategic: old_autoscaler_change,
        status: old_autoscaler_status,
        wrong: autoscaler_wrong,
    },
    Kind {
        group: Group::Policy,
        prefix: "/apis/coordination.k8s.io/v1",
        api_version: "coordination.k8s.io/v1",
        kind: "Lease",
        plural: "leases",
        namespaced: true,
        subresources: &[],
        selectable: &["metadata.name"],
        make: lease,
        change: lease_change,
        strategic: lease_change,
        status: no_status,
        wrong: lease_wrong,
    },
    Kind {
        group: Group::Policy,
        prefix: "/apis/scheduling.k8s.io/v1",
        api_version: "scheduling.k8s.io/v1",
        kind: "PriorityClass",
        plural: "priorityclasses",
        namespaced: false,
        subresources: &[],
        selectable: &["metadata.name"],
        make: priority,
        change: priority_change,
        strategic: priority_change,
        status: no_status,
        wrong: priority_wrong,
    },
];

fn budget(dice: &mut Dice) -> Value {
    let selector = json!({"matchLabels": {"app": "web"}});
    match dice.below(3) {
        0 => json!({"spec": {"minAvailable": 1, "selector": selector}}),
        1 => json!({"spec": {"maxUnavailable": "50%", "selector": selector}}),
        _ => {
            json!({"spec": {"minAvailable": "30%", "selector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}, "unhealthyPodEvictionPolicy": "AlwaysAllow"}})
        }
    }
}

fn budget_change(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {"minAvailable": dice.pick(&[0, 2]), "maxUnavailable": null}}),
        _ => json!({"spec": {"minAvailable": null, "maxUnavailable": dice.pick(&[1, 3])}}),
    }
}

fn budget_strategic(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {"selector": {"$patch": "replace", "matchLabels": {"app": "db"}}}}),
        _ => budget_change(dice),
    }
}

fn budget_status(dice: &mut Dice) -> Value {
    json!({"status": {"currentHealthy": dice.below(4), "desiredHealthy": 1, "disruptionsAllowed": dice.below(3), "expectedPods": 3, "observedGeneration": 1}})
}

fn budget_wrong(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {"minAvailable": {}}}),
        _ => json!({"spec": {"selector": "all"}}),
    }
}

fn autoscaler(dice: &mut Dice) -> Value {
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"});
    match dice.below(3) {
        0 => json!({"spec": {"scaleTargetRef": target, "maxReplicas": dice.between(1, 5)}}),
        1 => {
            json!({"spec": {"scaleTargetRef": target, "maxReplicas": 4, "behavior": {"scaleDown": {"stabilizationWindowSeconds": 60}}, "metrics": [
            {"type": "Pods", "pods": {"metric": {"name": "requests"}, "target": {"type": "AverageValue", "averageValue": "0.5"}}}]}})
        }
        _ => json!({"spec": {"scaleTargetRef": target, "minReplicas": 2, "maxReplicas": 6, "metrics": [
            {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}}]}}),
    }
}

fn autoscaler_change(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {"maxReplicas": dice.between(6, 9)}}),
        _ => json!({"spec": {"minReplicas": 1}}),
    }
}

fn autoscaler_status(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"status": {"currentReplicas": 2, "desiredReplicas": dice.below(5)}}),
        _ => {
            json!({"status": {"desiredReplicas": 1, "conditions": [condition(dice, &["AbleToScale", "ScalingActive"])]}})
        }
    }
}

fn old_autoscaler(dice: &mut Dice) -> Value {
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"});
    match dice.below(2) {
        0 => json!({"spec": {"scaleTargetRef": target, "maxReplicas": dice.between(1, 5)}}),
        _ => {
            json!({"spec": {"scaleTargetRef": target, "minReplicas": 2, "maxReplicas": 6, "targetCPUUtilizationPercentage": 60}})
        }
    }
}

fn old_autoscaler_change(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {"targetCPUUtilizationPercentage": dice.between(10, 90)}}),
        _ => json!({"spec": {"maxReplicas": dice.between(6, 9)}}),
    }
}

fn old_autoscaler_status(dice: &mut Dice) -> Value {
    json!({"status": {"currentReplicas": 2, "desiredReplicas": dice.below(5), "currentCPUUtilizationPercentage": 30}})
}

fn autoscaler_wrong(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {"maxReplicas": "many"}}),
        _ => json!({"spec": {"metrics": {}}}),
    }
}

fn lease(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {}}),
        _ => {
            json!({"spec": {"holderIdentity": "me", "leaseDurationSeconds": 15, "renewTime": "2026-01-02T03:04:05.000000Z"}})
        }
    }
}

fn lease_change(dice: &mut Dice) -> Value {
    json!({"spec": {"holderIdentity": dice.pick(&["me", "you"]), "leaseTransitions": dice.below(5)}})
}

fn lease_wrong(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"spec": {"holderIdentity": 1}}),
        _ => json!({"spec": {"renewTime": "yesterday"}}),
    }
}

fn priority(dice: &mut Dice) -> Value {
    json!({"value": dice.between(1, 1000), "description": dice.pick(&["", "urgent"]), "globalDefault": false})
}

fn priority_change(dice: &mut Dice) -> Value {
    json!({"description": dice.pick(&["a", "b"])})
}

fn priority_wrong(dice: &mut Dice) -> Value {
    match dice.below(2) {
        0 => json!({"value": "high"}),
        _ => json!({"globalDefault": "perhaps"}),
    }
}
