//! Nodes.

use serde_json::{Value, json};

use crate::field::{FieldError, Path, quoted};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::read::{Read, at_mut, fill_absent, set, text_of, unset};
use crate::kinds::report::Errors;
use crate::kinds::resources;
use crate::kinds::{Context, Rules, copy_field, names, network};

/// The rules of `Node`.
pub(crate) struct Node;

fn taints(object: &Value, errors: &mut Errors) {
    let all = object.at("spec").list("taints");
    for (index, taint) in all.iter().enumerate() {
        let path = Path::new("metadata.taints").index(index);
        let (key, value, effect) = (taint.text("key"), taint.text("value"), taint.text("effect"));
        errors.invalid_each(&path.child("key"), key, names::label_key(key));
        let wrong = names::label_value(value);
        if !wrong.is_empty() {
            errors.invalid(&path.child("value"), value, wrong.join(";"));
        }
        let known = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
        if effect.is_empty() {
            errors.required(&path.child("effect"), "");
        } else {
            errors.one_of(effect, &known, &path.child("effect"));
        }
        let twice =
            all[..index].iter().any(|other| other.text("key") == key && other.text("effect") == effect);
        if twice {
            let time = taint.at("timeAdded").as_str().map_or_else(|| "null".to_owned(), quoted);
            let shown = format!(
                "{{\"Key\":{},\"Value\":{},\"Effect\":{},\"TimeAdded\":{time}}}",
                quoted(key),
                quoted(value),
                quoted(effect)
            );
            let mut error = FieldError::duplicate(&path, Value::Null).showing(shown);
            error.detail = "taints must be unique by key and effect pair".into();
            errors.push(error);
        }
    }
}

fn amounts(object: &Value, errors: &mut Errors) {
    for field in ["capacity", "allocatable"] {
        for (name, value) in object.at("status").entries(field) {
            resources::amount(name, value, &Path::new("status").child(field).child(name), errors);
        }
    }
}

fn node(object: &Value, errors: &mut Errors) {
    metadata::validate(object, Scope::Cluster, names::dns_subdomain, errors);
    taints(object, errors);
    amounts(object, errors);
    let (ranges, path) = (object.at("spec").list("podCIDRs"), Path::new("spec.podCIDRs"));
    for (index, range) in ranges.iter().enumerate() {
        network::range(text_of(range), &[], &path.index(index), errors);
    }
    if ranges.len() > 1 {
        let sixes = ranges.iter().filter(|range| text_of(range).contains(':')).count();
        if ranges.len() > 2 || sixes != 1 {
            errors.invalid(&path, ranges.to_vec(), "may specify no more than one CIDR for each IP family");
        }
    }
}

fn node_update(object: &Value, old: &Value, errors: &mut Errors) {
    metadata::validate_update(object, old, errors);
    amounts(object, errors);
    let addresses = object.at("status").list("addresses");
    for (index, address) in addresses.iter().enumerate() {
        if addresses[..index].contains(address) {
            let shown = format!(
                "{{\"Type\":{},\"Address\":{}}}",
                quoted(address.text("type")),
                quoted(address.text("address"))
            );
            let path = Path::new("status.addresses").index(index);
            errors.push(FieldError::duplicate(&path, Value::Null).showing(shown));
        }
    }
    let (spec, before) = (object.at("spec"), old.at("spec"));
    let fixed = "except from \"\" to valid";
    let had = before.list("podCIDRs");
    let now = spec.list("podCIDRs");
    let changes = if had.is_empty() {
        0
    } else if had.len() == now.len() {
        had.iter().zip(now).filter(|(one, other)| one != other).count()
    } else {
        1
    };
    for _ in 0..changes {
        errors.forbidden(&Path::new("spec.podCIDRs"), format!("node updates may not change podCIDR {fixed}"));
    }
    let provider = before.text("providerID");
    if !provider.is_empty() && provider != spec.text("providerID") {
        errors.forbidden(
            &Path::new("spec.providerID"),
            format!("node updates may not change providerID {fixed}"),
        );
    }
    taints(object, errors);
    if spec.text("externalID") != before.text("externalID") {
        errors.forbidden(&Path::new("spec.externalID"), "may not be updated");
    }
}

/// The configuration that nodes once had is no longer kept.
fn drop_config(object: &mut Value, old: Option<&Value>) {
    let had = |part: &str, field: &str| old.is_some_and(|old| old.at(part).has(field));
    if !had("spec", "configSource")
        && let Some(spec) = at_mut(object, "spec")
    {
        unset(spec, "configSource");
    }
    if old.is_none()
        && let Some(status) = at_mut(object, "status")
    {
        unset(status, "config");
    }
}

/// The range that is told alone is the first of all; where they differ, it wins.
fn one_range(spec: &mut Value) {
    let one = spec.text("podCIDR").to_owned();
    let first = spec.list("podCIDRs").first().map(|first| text_of(first).to_owned());
    if !one.is_empty() && first.as_ref() != Some(&one) {
        set(spec, "podCIDRs", json!([one]));
    } else if let Some(first) = first {
        set(spec, "podCIDR", first);
    }
}

impl Rules for Node {
    fn default(&self, object: &mut Value) {
        if let Some(spec) = at_mut(object, "spec") {
            one_range(spec);
        }
        let Some(status) = at_mut(object, "status") else { return };
        for field in ["capacity", "allocatable"] {
            resources::round(status, field);
        }
        if status.has("capacity") {
            let capacity = status.at("capacity").clone();
            fill_absent(status, "allocatable", capacity);
        }
    }

    fn prepare_create(&self, object: &mut Value, _context: &Context) {
        drop_config(object, None);
    }

    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        copy_field(object, old, "status");
        drop_config(object, Some(old));
    }

    fn has_status(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        node(object, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        node(object, &mut errors);
        node_update(object, old, &mut errors);
        errors.found()
    }

    fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        node_update(object, old, &mut errors);
        errors.found()
    }

    fn warnings(&self, object: &Value, _old: Option<&Value>) -> Vec<String> {
        let spec = object.at("spec");
        let mut out = Vec::new();
        if spec.has("configSource") {
            out.push("spec.configSource: the feature is removed".into());
        }
        if !spec.text("externalID").is_empty() {
            out.push("spec.externalID: this field is deprecated, and is unused by Kubernetes".into());
        }
        for (index, range) in spec.list("podCIDRs").iter().enumerate() {
            let path = Path::new("spec.podCIDRs").index(index);
            out.extend(network::range_warnings(text_of(range), &path));
        }
        out
    }

    fn selectable(&self) -> &'static [&'static str] {
        &["spec.unschedulable"]
    }
}
