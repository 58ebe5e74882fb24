//! Quotas of resources, and ranges of limits.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::quantity::Quantity;
use crate::kinds::read::{Read, at_mut, child_mut, fill, list_mut, text_of};
use crate::kinds::report::Errors;
use crate::kinds::{Context, Rules, names, resources};

/// The rules of `ResourceQuota`.
pub(crate) struct ResourceQuota;

/// The rules of `LimitRange`.
pub(crate) struct LimitRange;

const COMPUTE: [&str; 6] =
    ["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];

fn is_scope(scope: &str) -> bool {
    [
        "Terminating",
        "NotTerminating",
        "BestEffort",
        "NotBestEffort",
        "PriorityClass",
        "VolumeAttributesClass",
        "CrossNamespacePodAffinity",
    ]
    .contains(&scope)
}

/// Whether a scope can narrow the use of a resource.
fn narrows(scope: &str, resource: &str) -> bool {
    match scope {
        "Terminating"
        | "NotTerminating"
        | "NotBestEffort"
        | "PriorityClass"
        | "CrossNamespacePodAffinity" => resource == "pods" || COMPUTE.contains(&resource),
        "BestEffort" => resource == "pods",
        "VolumeAttributesClass" => ["persistentvolumeclaims", "requests.storage"].contains(&resource),
        _ => true,
    }
}

fn amounts(list: &Value, field: &str, path: &Path, errors: &mut Errors) {
    for (name, value) in list.entries(field) {
        let path = path.child(field).key(name);
        resources::quota_name(name, &path, errors);
        resources::amount(name, value, &path, errors);
    }
}

fn conflicting(scopes: &[&str]) -> usize {
    let both = |one: &str, other: &str| usize::from(scopes.contains(&one) && scopes.contains(&other));
    both("BestEffort", "NotBestEffort") + both("Terminating", "NotTerminating")
}

fn quota(spec: &Value, errors: &mut Errors) {
    let path = Path::new("spec");
    amounts(spec, "hard", &path, errors);
    let unfit = |scope: &str| {
        spec.entries("hard").filter(|(name, _)| resources::is_quota(name) && !narrows(scope, name)).count()
    };
    let scopes: Vec<&str> = spec.list("scopes").iter().map(text_of).collect();
    let own = path.child("scopes");
    for scope in &scopes {
        if !is_scope(scope) {
            errors.invalid(&own, spec.at("scopes").clone(), "unsupported scope");
        }
        for _ in 0..unfit(scope) {
            errors.invalid(&own, spec.at("scopes").clone(), "unsupported scope applied to resource");
        }
    }
    for _ in 0..conflicting(&scopes) {
        errors.invalid(&own, spec.at("scopes").clone(), "conflicting scopes");
    }
    let own = path.child("scopeSelector").child("matchExpressions");
    let mut named: Vec<&str> = Vec::new();
    for one in spec.at("scopeSelector").list("matchExpressions") {
        let (scope, operator) = (one.text("scopeName"), one.text("operator"));
        if !is_scope(scope) {
            errors.invalid(&own.child("scopeName"), scope, "unsupported scope");
        }
        for _ in 0..unfit(scope) {
            let selector = spec.at("scopeSelector").clone();
            errors.invalid(&own, selector, "unsupported scope applied to resource");
        }
        let plain = is_scope(scope) && !["PriorityClass", "VolumeAttributesClass"].contains(&scope);
        if plain && operator != "Exists" {
            errors.invalid(
                &own.child("operator"),
                operator,
                "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, \
                 ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or \
                 ResourceQuotaScopeCrossNamespacePodAffinity",
            );
        }
        let values = one.list("values");
        match operator {
            "In" | "NotIn" if values.is_empty() => errors.required(
                &own.child("values"),
                "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
            ),
            "Exists" | "DoesNotExist" if !values.is_empty() => errors.invalid(
                &own.child("values"),
                one.at("values").clone(),
                "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
            ),
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            _ => errors.invalid(&own.child("operator"), operator, "not a valid selector operator"),
        }
        named.push(scope);
    }
    for _ in 0..conflicting(&named) {
        errors.invalid(&own, spec.at("scopes").clone(), "conflicting scopes");
    }
}

impl Rules for ResourceQuota {
    fn default(&self, object: &mut Value) {
        for (part, fields) in [("spec", &["hard"][..]), ("status", &["hard", "used"][..])] {
            if let Some(own) = at_mut(object, part) {
                for field in fields {
                    resources::round(own, field);
                }
            }
        }
    }

    fn first_status(&self) -> Option<Value> {
        Some(json!({}))
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, Scope::Namespaced, names::dns_subdomain, &mut errors);
        quota(object.at("spec"), &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        quota(object.at("spec"), &mut errors);
        let scopes = |object: &Value| -> BTreeSet<String> {
            object.at("spec").list("scopes").iter().map(|scope| text_of(scope).to_owned()).collect()
        };
        if scopes(object) != scopes(old) {
            let now = object.at("spec").at("scopes").clone();
            errors.invalid(&Path::new("spec").child("scopes"), now, "field is immutable");
        }
        errors.found()
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_versioned_update(object, old, &mut errors);
        for field in ["hard", "used"] {
            amounts(object.at("status"), field, &Path::new("status"), &mut errors);
        }
        errors.found()
    }
}

fn limit(limit: &Value, path: &Path, errors: &mut Errors) {
    let kind = limit.text("type");
    let mut fields = vec!["max", "min"];
    if kind == "Pod" {
        for field in ["default", "defaultRequest"] {
            if limit.entries(field).next().is_some() {
                errors.forbidden(&path.child(field), "may not be specified when `type` is 'Pod'");
            }
        }
    } else {
        fields.extend(["default", "defaultRequest"]);
    }
    fields.push("maxLimitRequestRatio");
    for field in &fields {
        for (name, _) in limit.entries(field) {
            let path = path.child(field).key(name);
            if kind == "Pod" || kind == "Container" {
                resources::container_name(name, &path, errors);
            } else {
                resources::name(name, &path, errors);
            }
        }
    }
    let storage = |field: &str| limit.at(field).get("storage").is_some();
    if kind == "PersistentVolumeClaim" && !storage("min") && !storage("max") {
        errors.required(
            &path.child("limits"),
            "either minimum or maximum storage value is required, but neither was provided",
        );
    }
    let keys: BTreeSet<&String> =
        fields.iter().flat_map(|field| limit.entries(field).map(|(name, _)| name)).collect();
    for name in keys {
        amounts_agree(limit, &fields, name, path, errors);
    }
}

fn amounts_agree(limit: &Value, fields: &[&str], name: &str, path: &Path, errors: &mut Errors) {
    let of = |field: &str| fields.contains(&field).then(|| Quantity::of(limit.at(field).at(name))).flatten();
    let (low, high) = (of("min"), of("max"));
    let (default, request, ratio) = (of("default"), of("defaultRequest"), of("maxLimitRequestRatio"));
    let mut ordered =
        |one: (Option<Quantity>, &str), other: (Option<Quantity>, &str), at: &str, shown: &str| {
            if let (Some(less), Some(more)) = (one.0, other.0)
                && less > more
            {
                errors.invalid(
                    &path.child(at).key(name),
                    limit.at(shown).at(name).clone(),
                    format!("{} value {less} is greater than {} value {more}", one.1, other.1),
                );
            }
        };
    ordered((low, "min"), (high, "max"), "min", "min");
    ordered((low, "min"), (request, "default request"), "defaultRequest", "defaultRequest");
    ordered((request, "default request"), (high, "max"), "defaultRequest", "defaultRequest");
    ordered((request, "default request"), (default, "default limit"), "defaultRequest", "defaultRequest");
    ordered((low, "min"), (default, "default"), "default", "min");
    ordered((default, "default"), (high, "max"), "default", "max");
    let own = path.child("maxLimitRequestRatio").key(name);
    let shown = || limit.at("maxLimitRequestRatio").at(name).clone();
    if let Some(ratio) = ratio {
        if ratio < Quantity::ONE {
            errors.invalid(&own, shown(), format!("ratio {ratio} is less than 1"));
        }
        if let (Some(low), Some(high)) = (low, high)
            && ratio.ratio(Quantity::ONE) > high.ratio(low)
        {
            let words = format!("ratio {ratio} is greater than max/min = {:.6}", high.ratio(low));
            errors.invalid(&own, shown(), words);
        }
    }
    if let (Some(default), Some(request)) = (default, request)
        && !resources::may_overcommit(name)
        && default != request
    {
        errors.invalid(
            &path.child("defaultRequest").key(name),
            limit.at("defaultRequest").at(name).clone(),
            format!("default value {default} must equal to defaultRequest value {request} in {name}"),
        );
    }
}

impl Rules for LimitRange {
    fn default(&self, object: &mut Value) {
        let Some(spec) = at_mut(object, "spec") else { return };
        for limit in list_mut(spec, "limits") {
            for field in ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] {
                resources::round(limit, field);
            }
            if limit.text("type") != "Container" {
                continue;
            }
            for (from, to) in [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")] {
                let source: Vec<(String, Value)> =
                    limit.entries(from).map(|(name, value)| (name.clone(), value.clone())).collect();
                if source.is_empty() {
                    continue;
                }
                let Some(target) = child_mut(limit, to).and_then(Value::as_object_mut) else { continue };
                for (name, value) in source {
                    target.entry(name).or_insert(value);
                }
            }
        }
    }

    fn prepare_create(&self, object: &mut Value, _context: &Context) {
        if let Some(meta) = child_mut(object, "metadata") {
            fill(meta, "name", crate::meta::random_uid());
        }
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, Scope::Namespaced, names::dns_subdomain, &mut errors);
        let all = object.at("spec").list("limits");
        for (index, one) in all.iter().enumerate() {
            let path = Path::new("spec").child("limits").index(index);
            let (kind, own) = (one.text("type"), path.child("type"));
            let wrong = names::label_key(kind);
            if wrong.is_empty() {
                let known = ["Pod", "Container", "PersistentVolumeClaim"];
                if !kind.contains('/') && !known.contains(&kind) {
                    errors.invalid(&own, kind, "must be a standard limit type or fully qualified");
                }
            } else {
                errors.invalid_each(&own, kind, wrong);
            }
            if all[..index].iter().any(|other| other.text("type") == kind) {
                errors.duplicate(&own, kind);
            }
            limit(one, &path, &mut errors);
        }
        errors.found()
    }
}
