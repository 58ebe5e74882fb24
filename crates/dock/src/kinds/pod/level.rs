//! Resources that a whole pod asks for, and how they agree with those of its containers.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::field::Path;
use crate::kinds::quantity::Quantity;
use crate::kinds::read::{Read, at_mut, set};
use crate::kinds::report::Errors;
use crate::kinds::resources::{self, Asker};

type Amounts = BTreeMap<String, Quantity>;

fn add(to: &mut Amounts, list: &Value) {
    for (name, value) in list.as_object().into_iter().flatten() {
        let quantity = Quantity::of(value).unwrap_or(Quantity::ZERO);
        to.entry(name.clone()).and_modify(|sum| *sum = sum.plus(quantity)).or_insert(quantity);
    }
}

fn greatest(to: &mut Amounts, other: &Amounts) {
    for (name, quantity) in other {
        to.entry(name.clone()).and_modify(|most| *most = most.or_greater(*quantity)).or_insert(*quantity);
    }
}

/// What the containers of a pod need together: the sum of those that run together, but at least as much as each
/// init container with the sidecars before it.
pub(crate) fn together(spec: &Value, field: &str) -> Amounts {
    let mut all = Amounts::new();
    for container in spec.list("containers") {
        add(&mut all, container.at("resources").at(field));
    }
    let mut sidecars = Amounts::new();
    let mut initial = Amounts::new();
    for container in spec.list("initContainers") {
        let own = container.at("resources").at(field);
        if container.text("restartPolicy") == "Always" {
            add(&mut all, own);
            add(&mut sidecars, own);
            greatest(&mut initial, &sidecars);
        } else {
            let mut needed = Amounts::new();
            add(&mut needed, own);
            for (name, quantity) in &sidecars {
                needed.entry(name.clone()).and_modify(|sum| *sum = sum.plus(*quantity)).or_insert(*quantity);
            }
            greatest(&mut initial, &needed);
        }
    }
    greatest(&mut all, &initial);
    all
}

/// Fills up what a whole pod asks for, once its containers are filled up.
pub(crate) fn fill(spec: &mut Value) {
    if !spec.has("resources") {
        return;
    }
    let limits = together(spec, "limits");
    let requests = together(spec, "requests");
    let Some(resources) = at_mut(spec, "resources") else { return };
    let some = |value: &Value| value.as_object().is_some_and(|map| !map.is_empty());
    if some(resources.at("limits")) || some(resources.at("requests")) {
        for (name, quantity) in limits.iter().filter(|(name, _)| resources::is_huge_pages(name)) {
            if resources.at("requests").get(name).is_none() && resources.at("limits").get(name).is_none() {
                put(resources, "limits", name, json!(quantity.to_string()));
            }
        }
    }
    if !some(resources.at("limits")) {
        return;
    }
    for (name, quantity) in &requests {
        if resources.at("requests").get(name).is_none() && (name == "cpu" || name == "memory") {
            put(resources, "requests", name, json!(quantity.to_string()));
        }
    }
    let limits: Vec<(String, Value)> =
        resources.entries("limits").map(|(name, value)| (name.clone(), value.clone())).collect();
    for (name, limit) in limits {
        if resources.at("requests").get(&name).is_none() && resources::is_pod_level(&name) {
            put(resources, "requests", &name, limit);
        }
    }
}

fn put(resources: &mut Value, field: &str, name: &str, value: Value) {
    if !resources.has(field) {
        set(resources, field, json!({}));
    }
    if let Some(list) = at_mut(resources, field) {
        set(list, name, value);
    }
}

/// What is wrong with what a whole pod asks for.
pub(crate) fn validate(
    spec: &Value,
    claims: &[&str],
    any_huge_pages: bool,
    path: &Path,
    errors: &mut Errors,
) {
    let resources = spec.at("resources");
    if resources.is_null() {
        return;
    }
    let path = path.child("resources");
    if spec.at("os").text("name") == "windows" {
        errors.forbidden(&path, "may not be set for a windows pod");
        return;
    }
    if resources.has("claims") {
        errors.forbidden(&path.child("claims"), "claims may not be set for Resources at pod-level");
    }
    resources::requirements(resources, Asker::Pod, claims, any_huge_pages, &path, errors);
    for (name, needed) in together(spec, "requests") {
        let asked = resources.at("requests").at(&name);
        if Quantity::of(asked).is_some_and(|asked| needed > asked) {
            errors.invalid(
                &path.child("requests").key(&name),
                asked.clone(),
                format!("must be greater than or equal to aggregate container requests of {needed}"),
            );
        }
    }
    for (name, needed) in together(spec, "limits") {
        let limit = resources.at("limits").at(&name);
        if resources::is_huge_pages(&name) && Quantity::of(limit).is_some_and(|limit| needed > limit) {
            errors.invalid(
                &path.child("limits").key(&name),
                limit.clone(),
                format!("must be greater than or equal to aggregate container limits of {needed}"),
            );
        }
    }
    for (index, container) in spec.list("containers").iter().enumerate() {
        for (name, own) in container.at("resources").entries("limits") {
            let limit = resources.at("limits").at(name);
            if !limit.is_null() && Quantity::of(own) > Quantity::of(limit) {
                errors.invalid(
                    &path.child("containers").index(index).key(name).child("limits"),
                    own.clone(),
                    format!(
                        "must be less than or equal to pod limits of {}",
                        limit.as_str().unwrap_or_default()
                    ),
                );
            }
        }
    }
}
