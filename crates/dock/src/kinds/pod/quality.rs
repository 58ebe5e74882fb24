//! The class of service of a pod, which follows from what it asks for.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::kinds::quantity::Quantity;
use crate::kinds::read::Read;

/// `Guaranteed`, `Burstable` or `BestEffort`.
pub(crate) fn class(spec: &Value) -> &'static str {
    let mut requests: BTreeMap<&str, Quantity> = BTreeMap::new();
    let mut limits: BTreeMap<&str, Quantity> = BTreeMap::new();
    let mut guaranteed = true;
    let whole = spec.at("resources");
    let askers: Vec<&Value> = if whole.is_null() {
        ["containers", "initContainers"]
            .iter()
            .flat_map(|field| spec.list(field))
            .map(|container| container.at("resources"))
            .collect()
    } else {
        vec![whole]
    };
    for asker in askers {
        add(&mut requests, asker.at("requests"));
        let bounded = add(&mut limits, asker.at("limits"));
        let unbounded_pod = !whole.is_null() && asker.entries("limits").next().is_none();
        if bounded < 2 && !unbounded_pod {
            guaranteed = false;
        }
    }
    if requests.is_empty() && limits.is_empty() {
        return "BestEffort";
    }
    if guaranteed && requests == limits { "Guaranteed" } else { "Burstable" }
}

/// Adds the amounts of processors and memory that are more than nothing; tells of how many there were.
fn add<'a>(to: &mut BTreeMap<&'a str, Quantity>, list: &'a Value) -> usize {
    let mut found = 0;
    for name in ["cpu", "memory"] {
        let Some(quantity) = Quantity::of(list.at(name)).filter(|quantity| quantity.is_positive()) else {
            continue;
        };
        found += 1;
        to.entry(name).and_modify(|sum| *sum = sum.plus(quantity)).or_insert(quantity);
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pods_have_a_class() {
        let of = |resources: Value| class(&json!({"containers": [{"resources": resources}]}));
        assert_eq!(of(json!({})), "BestEffort");
        assert_eq!(of(json!({"requests": {"cpu": "0"}})), "BestEffort");
        assert_eq!(of(json!({"requests": {"cpu": "1"}})), "Burstable");
        let full = json!({"cpu": "1", "memory": "1Gi"});
        assert_eq!(of(json!({"requests": full, "limits": full})), "Guaranteed");
        assert_eq!(of(json!({"requests": {"cpu": "1", "memory": "1Mi"}, "limits": full})), "Burstable");
    }
}
