//! Limit ranges at work: what they fill into pods, and which pods and claims they refuse.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::admission::each_container;
use super::pod::level;
use super::quantity::Quantity;
use super::read::{Read, child_mut, set, text_of};

type Amounts = BTreeMap<String, Quantity>;

/// Fills what a limit range has by default into the containers of a pod, and tells so in an annotation.
pub(super) fn fill_pod(pod: &mut Value, range: &Value) {
    let mut defaults = [("requests", Map::new()), ("limits", Map::new())];
    for limit in range.at("spec").list("limits").iter().filter(|limit| limit.text("type") == "Container") {
        for (field, (_, filled)) in ["defaultRequest", "default"].iter().zip(&mut defaults) {
            filled.extend(limit.entries(field).map(|(name, value)| (name.clone(), value.clone())));
        }
    }
    let mut told: Vec<String> = Vec::new();
    each_container(pod, |container, sort| {
        let name = container.text("name").to_owned();
        let Some(resources) = child_mut(container, "resources") else { return };
        for (field, filled) in &defaults {
            let missing: Vec<&String> =
                filled.keys().filter(|name| resources.at(field).get(name.as_str()).is_none()).collect();
            if missing.is_empty() {
                continue;
            }
            let words = missing.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
            told.push(format!("{words} {} for {sort} {name}", field.trim_end_matches('s')));
            if let Some(list) = child_mut(resources, field) {
                for name in missing {
                    set(list, name, filled[name].clone());
                }
            }
        }
    });
    if told.is_empty() {
        return;
    }
    let annotations = child_mut(pod, "metadata").and_then(|meta| child_mut(meta, "annotations"));
    if let Some(annotations) = annotations {
        let words = format!("LimitRanger plugin set: {}", told.join("; "));
        set(annotations, "kubernetes.io/limit-ranger", json!(words));
    }
}

fn amounts(list: &Value) -> Amounts {
    list.as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.clone(), Quantity::of(value)?)))
        .collect()
}

/// Why a pod goes beyond the limit ranges of its namespace.
pub(super) fn check_pod(pod: &Value, ranges: &[Value]) -> Result<(), String> {
    let spec = pod.at("spec");
    ranges.iter().try_for_each(|range| {
        let mut refusals = Vec::new();
        for limit in range.at("spec").list("limits") {
            match limit.text("type") {
                "Container" => {
                    for container in
                        ["containers", "initContainers"].iter().flat_map(|field| spec.list(field))
                    {
                        let own = container.at("resources");
                        bounds(
                            limit,
                            &amounts(own.at("requests")),
                            &amounts(own.at("limits")),
                            &mut refusals,
                        );
                    }
                }
                "Pod" => {
                    let whole = |field: &str| {
                        let mut all = level::together(spec, field);
                        let own = amounts(spec.at("resources").at(field));
                        all.extend(own.into_iter().filter(|(name, _)| name == "cpu" || name == "memory"));
                        all
                    };
                    bounds(limit, &whole("requests"), &whole("limits"), &mut refusals);
                }
                _ => {}
            }
        }
        refuse(refusals)
    })
}

/// Why a claim goes beyond the limit ranges of its namespace.
pub(super) fn check_claim(claim: &Value, ranges: &[Value]) -> Result<(), String> {
    let requests = amounts(claim.at("spec").at("resources").at("requests"));
    ranges.iter().try_for_each(|range| {
        let mut refusals = Vec::new();
        for limit in range.at("spec").list("limits") {
            if limit.text("type") != "PersistentVolumeClaim" {
                continue;
            }
            for (name, bound) in limit.entries("min") {
                refusals.extend(too_little(limit.text("type"), name, bound, &requests, &Amounts::new()));
            }
            for (name, bound) in limit.entries("max") {
                let words = format!("maximum {name} usage per PersistentVolumeClaim is {}", text_of(bound));
                match requests.get(name) {
                    None => refusals.push(format!("{words}.  No request is specified")),
                    Some(request) if Some(*request) > Quantity::of(bound) => {
                        refusals.push(format!("{words}, but request is {request}"));
                    }
                    Some(_) => {}
                }
            }
        }
        refuse(refusals)
    })
}

/// Several refusals are told as Go tells a list of errors: each once.
fn refuse(mut refusals: Vec<String>) -> Result<(), String> {
    let mut seen: Vec<String> = Vec::new();
    refusals.retain(|words| {
        let new = !seen.contains(words);
        seen.push(words.clone());
        new
    });
    match refusals.as_slice() {
        [] => Ok(()),
        [one] => Err(one.clone()),
        all => Err(format!("[{}]", all.join(", "))),
    }
}

fn bounds(limit: &Value, requests: &Amounts, limits: &Amounts, refusals: &mut Vec<String>) {
    let kind = limit.text("type");
    for (name, bound) in limit.entries("min") {
        refusals.extend(too_little(kind, name, bound, requests, limits));
    }
    for (name, bound) in limit.entries("max") {
        let words = format!("maximum {name} usage per {kind} is {}", text_of(bound));
        let most = Quantity::of(bound);
        match (limits.get(name), requests.get(name)) {
            (None, _) => refusals.push(format!("{words}.  No limit is specified")),
            (Some(own), _) if Some(*own) > most => refusals.push(format!("{words}, but limit is {own}")),
            (_, Some(own)) if Some(*own) > most => refusals.push(format!("{words}, but request is {own}")),
            _ => {}
        }
    }
    for (name, bound) in limit.entries("maxLimitRequestRatio") {
        let words = format!("{name} max limit to request ratio per {kind} is {}", text_of(bound));
        let some = |list: &Amounts| list.get(name).copied().filter(|own| *own != Quantity::ZERO);
        let refusal = match (some(requests), some(limits)) {
            (None, _) => Some("but no request is specified or request is 0".to_owned()),
            (_, None) => Some("but no limit is specified or limit is 0".to_owned()),
            (Some(request), Some(own)) => {
                let ratio = own.ratio(request);
                let most = Quantity::of(bound).map(|bound| bound.ratio(Quantity::ONE)).unwrap_or_default();
                (ratio > most).then(|| format!("but provided ratio is {ratio:.6}"))
            }
        };
        refusals.extend(refusal.map(|refusal| format!("{words}, {refusal}")));
    }
}

fn too_little(kind: &str, name: &str, bound: &Value, requests: &Amounts, limits: &Amounts) -> Option<String> {
    let words = format!("minimum {name} usage per {kind} is {}", text_of(bound));
    let least = Quantity::of(bound);
    match (requests.get(name), limits.get(name)) {
        (None, _) => Some(format!("{words}.  No request is specified")),
        (Some(own), _) if Some(*own) < least => Some(format!("{words}, but request is {own}")),
        (_, Some(own)) if Some(*own) < least => Some(format!("{words}, but limit is {own}")),
        _ => None,
    }
}
