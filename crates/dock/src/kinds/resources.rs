//! Requests and limits: which resources there are, and what amounts of them may be asked for.

use serde_json::Value;

use super::names;
use super::quantity::Quantity;
use super::read::{Read, set, text_of};
use super::report::Errors;
use crate::field::{FieldError, Path};

/// What quotas count of pods.
pub(crate) const OF_PODS: [&str; 10] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    PODS,
];

/// What quotas count of services.
pub(crate) const OF_SERVICES: [&str; 3] = ["services", "services.nodeports", "services.loadbalancers"];

/// What quotas count of claims.
pub(crate) const OF_CLAIMS: [&str; 2] = [CLAIMS, "requests.storage"];

/// Kinds whose number had a name before all kinds had one.
pub(crate) const NUMBERED: [&str; 4] = ["configmaps", "replicationcontrollers", "resourcequotas", "secrets"];

const PODS: &str = "pods";
const CLAIMS: &str = "persistentvolumeclaims";

/// Whether a name is one that quotas have always known.
fn is_standard(name: &str) -> bool {
    OF_PODS.contains(&name)
        || OF_SERVICES.contains(&name)
        || OF_CLAIMS.contains(&name)
        || NUMBERED.contains(&name)
}

/// Where amounts of resources are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asker {
    /// A container, or the overhead of a runtime.
    Container,
    /// A whole pod.
    Pod,
}

/// Whether a name is of huge pages.
pub(crate) fn is_huge_pages(name: &str) -> bool {
    name.starts_with("hugepages-")
}

fn is_huge_pages_of_quota(name: &str) -> bool {
    is_huge_pages(name) || name.starts_with("requests.hugepages-")
}

/// Whether a name belongs to Kubernetes itself.
pub(crate) fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Whether a name belongs to a device plugin.
pub(crate) fn is_extended(name: &str) -> bool {
    !is_native(name)
        && !name.starts_with("requests.")
        && names::label_key(&format!("requests.{name}")).is_empty()
}

/// Whether more can be promised of a resource than there is.
pub(crate) fn may_overcommit(name: &str) -> bool {
    is_native(name) && !is_huge_pages(name)
}

/// Whether amounts of a resource are whole numbers.
pub(crate) fn is_integer(name: &str) -> bool {
    let counted = [PODS, CLAIMS].contains(&name) || OF_SERVICES.contains(&name) || NUMBERED.contains(&name);
    counted || is_extended(name)
}

/// The name of a resource must be standard or qualified. Tells whether anything was wrong.
pub(crate) fn name(value: &str, path: &Path, errors: &mut Errors) -> bool {
    let wrong = names::label_key(value);
    if !wrong.is_empty() {
        errors.invalid_each(path, value, wrong);
        return true;
    }
    if !value.contains('/') && value != "storage" && !is_standard(value) && !is_huge_pages_of_quota(value) {
        errors.invalid(path, value, "must be a standard resource type or fully qualified");
        return true;
    }
    false
}

/// The name of a resource that containers ask for.
pub(crate) fn container_name(value: &str, path: &Path, errors: &mut Errors) {
    name(value, path, errors);
    if !value.contains('/') {
        if !["cpu", "memory", "ephemeral-storage"].contains(&value) && !is_huge_pages(value) {
            errors.invalid(path, value, "must be a standard resource for containers");
        }
    } else if !is_native(value) && !is_extended(value) {
        errors.invalid(path, value, "doesn't follow extended resource name standard");
    }
}

fn pod_name(value: &str, path: &Path, errors: &mut Errors) {
    if !name(value, path, errors) && !is_pod_level(value) {
        errors.unsupported(path, value, &["cpu", "hugepages-", "memory"]);
    }
}

/// Whether a resource can be asked for by a whole pod.
pub(crate) fn is_pod_level(name: &str) -> bool {
    name == "cpu" || name == "memory" || is_huge_pages(name)
}

/// Whether a resource is one that quotas know.
pub(crate) fn is_quota(name: &str) -> bool {
    is_standard(name) || is_huge_pages_of_quota(name)
}

/// The name of a resource in a quota.
pub(crate) fn quota_name(value: &str, path: &Path, errors: &mut Errors) {
    name(value, path, errors);
    if !value.contains('/') && !is_quota(value) {
        errors.invalid(path, value, "must be a standard resource for quota");
    }
}

/// An amount must not be negative, and whole if the resource is.
pub(crate) fn amount(name: &str, value: &Value, path: &Path, errors: &mut Errors) {
    let Some(quantity) = Quantity::of(value) else { return };
    if quantity.is_negative() {
        errors.invalid(path, value.clone(), "must be greater than or equal to 0");
    }
    if is_integer(name) && !quantity.is_whole() {
        errors.invalid(path, value.clone(), "must be an integer");
    }
}

/// An amount must not be negative; another check of the same, in other words.
pub(crate) fn basic_amount(value: &Value, path: &Path, errors: &mut Errors) {
    if let Some(whole) = Quantity::of(value).map(Quantity::value).filter(|whole| *whole < 0) {
        errors.invalid(path, i64::try_from(whole).unwrap_or(i64::MIN), "must be a valid resource quantity");
    }
}

fn huge_pages(name: &str, value: &Value, path: &Path, errors: &mut Errors) {
    let size = name.strip_prefix("hugepages-").and_then(Quantity::parse);
    let divides = |size: Quantity, quantity: Quantity| {
        size.is_positive() && size.is_whole() && quantity.value() % size.value() == 0
    };
    if !size.zip(Quantity::of(value)).is_some_and(|(size, quantity)| divides(size, quantity)) {
        let shown = text_of(value);
        errors.invalid(path, shown, format!("{shown} is not positive integer multiple of {name}"));
    }
}

/// What is wrong with requests and limits.
pub(crate) fn requirements(
    resources: &Value,
    asker: Asker,
    claims: &[&str],
    any_huge_pages: bool,
    path: &Path,
    errors: &mut Errors,
) {
    let limits_path = path.child("limits");
    let requests_path = path.child("requests");
    let check = match asker {
        Asker::Container => container_name,
        Asker::Pod => pod_name,
    };
    let mut computes = false;
    let mut huge = false;
    for (name, value) in resources.entries("limits") {
        let path = limits_path.key(name);
        check(name, &path, errors);
        amount(name, value, &path, errors);
        if is_huge_pages(name) {
            huge = true;
            if !any_huge_pages {
                huge_pages(name, value, &path, errors);
            }
        }
        computes |= name == "cpu" || name == "memory";
    }
    for (name, value) in resources.entries("requests") {
        let path = requests_path.key(name);
        check(name, &path, errors);
        amount(name, value, &path, errors);
        match resources.at("limits").get(name) {
            Some(limit) => {
                let (request, bound) = (Quantity::of(value), Quantity::of(limit));
                let words = if request != bound && !may_overcommit(name) {
                    Some("equal to")
                } else if request > bound {
                    Some("less than or equal to")
                } else {
                    None
                };
                if let Some(words) = words {
                    errors.invalid(
                        &requests_path,
                        value.clone(),
                        format!("must be {words} {name} limit of {}", text_of(limit)),
                    );
                }
            }
            None if !may_overcommit(name) => {
                errors.required(&limits_path, "Limit must be set for non overcommitable resources");
            }
            None => {}
        }
        if is_huge_pages(name) {
            huge = true;
            if !any_huge_pages {
                huge_pages(name, value, &path, errors);
            }
        }
        computes |= name == "cpu" || name == "memory";
    }
    if huge && !computes {
        errors.forbidden(path, "HugePages require cpu or memory");
    }
    claim_names(resources.list("claims"), claims, &path.child("claims"), errors);
}

fn claim_names(asked: &[Value], known: &[&str], path: &Path, errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    for (index, claim) in asked.iter().enumerate() {
        let path = path.index(index);
        let name = claim.text("name");
        if name.is_empty() {
            errors.required(&path, "");
            continue;
        }
        if seen.iter().any(|key| key == name) {
            errors.duplicate(&path, name);
        } else {
            let request = claim.text("request");
            let mut key = name.to_owned();
            if !request.is_empty() {
                errors.invalid_each(&path.child("request"), request, names::dns_label(request));
                key = format!("{name}/{request}");
            }
            if seen.contains(&key) {
                errors.duplicate(&path, key.clone());
            } else if request.is_empty() {
                for _ in seen.iter().filter(|key| key.split_once('/').is_some_and(|(first, _)| first == name))
                {
                    errors.duplicate(&path, name);
                }
            }
            seen.push(key);
        }
        if !known.contains(&name) {
            let mut error = FieldError::not_found(&path, name);
            let mut sorted = known.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            error.detail = match sorted.as_slice() {
                [] => "must be one of the names in pod.spec.resourceClaims which is empty".into(),
                names => format!("must be one of the names in pod.spec.resourceClaims: {}", names.join(", ")),
            };
            errors.push(error);
        }
    }
}

/// Rounds the amounts of a list up to thousandths.
pub(crate) fn round(object: &mut Value, field: &str) {
    let Some(list) = object.get_mut(field).and_then(Value::as_object_mut) else { return };
    for value in list.values_mut() {
        if let Some(quantity) = Quantity::of(value)
            && quantity.rounded() != quantity
        {
            *value = Value::String(quantity.rounded().to_string());
        }
    }
}

/// Asks for as much as the limit where nothing is asked for.
pub(crate) fn fill_requests(resources: &mut Value) {
    let Some(limits) = resources.get("limits").and_then(Value::as_object).cloned() else { return };
    if limits.is_empty() {
        return;
    }
    if !resources.has("requests") {
        set(resources, "requests", Value::Object(serde_json::Map::new()));
    }
    if let Some(requests) = resources.get_mut("requests").and_then(Value::as_object_mut) {
        for (name, limit) in limits {
            requests.entry(name).or_insert(limit);
        }
    }
}
