//! Classes of priority, of runtimes and of storage.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::pod::options::Options;
use crate::kinds::pod::scheduling;
use crate::kinds::pod::warnings::node_label;
use crate::kinds::read::{Read, fill_absent, text_of};
use crate::kinds::report::Errors;
use crate::kinds::resources::{self, Asker};
use crate::kinds::{Rules, internal, names};

/// The rules of `PriorityClass`.
pub(crate) struct PriorityClass;

/// The rules of `RuntimeClass`.
pub(crate) struct RuntimeClass;

/// The rules of `StorageClass`.
pub(crate) struct StorageClass;

impl Rules for PriorityClass {
    fn default(&self, object: &mut Value) {
        fill_absent(object, "preemptionPolicy", "PreemptLowerPriority");
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn changes_generation(&self, _object: &Value, _old: &Value) -> bool {
        false
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, Scope::Cluster, names::dns_subdomain, &mut errors);
        let (name, value) = (object.at("metadata").text("name"), object.int("value"));
        let system = [("system-node-critical", 2_000_001_000), ("system-cluster-critical", 2_000_000_000)];
        if name.starts_with("system-") {
            let words = match system.iter().find(|(known, _)| *known == name) {
                None => Some(format!("{name} is not a known system priority class")),
                Some((_, known)) if *known != value => {
                    Some(format!("value of {name} PriorityClass must be {known}"))
                }
                Some(_) if object.flag("globalDefault") => {
                    Some(format!("globalDefault of {name} PriorityClass must be false"))
                }
                Some(_) => None,
            };
            if let Some(words) = words {
                errors.forbidden(
                    &Path::new("metadata").child("name"),
                    format!(
                        "priority class names with 'system-' prefix are reserved for system use only. error: {words}"
                    ),
                );
            }
        } else if value > 1_000_000_000 {
            errors.forbidden(
                &Path::new("value"),
                "maximum allowed value of a user defined priority is 1000000000",
            );
        }
        if let Some(policy) = object.at("preemptionPolicy").as_str() {
            let path = Path::new("preemptionPolicy");
            if policy.is_empty() {
                errors.required(&path, "");
            } else {
                errors.one_of(policy, &["PreemptLowerPriority", "Never"], &path);
            }
        }
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        if object.int("value") != old.int("value") {
            errors.forbidden(&Path::new("value"), "may not be changed in an update.");
        }
        errors.immutable(
            object.at("preemptionPolicy"),
            old.at("preemptionPolicy"),
            &Path::new("preemptionPolicy"),
        );
        errors.found()
    }
}

impl Rules for RuntimeClass {
    fn default(&self, object: &mut Value) {
        if let Some(overhead) = object.get_mut("overhead") {
            resources::round(overhead, "podFixed");
        }
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        let (meta, path) = (object.at("metadata"), Path::new("metadata"));
        metadata::generic(meta, Scope::Cluster, names::dns_subdomain, &path, &mut errors);
        let handler = object.text("handler");
        if handler.is_empty() {
            errors.required(&Path::new("handler"), "");
        } else {
            errors.invalid_each(&Path::new("handler"), handler, names::dns_label(handler));
        }
        if object.has("overhead") {
            let fixed = json!({"limits": object.at("overhead").at("podFixed")});
            let path = Path::new("overhead");
            resources::requirements(&fixed, Asker::Container, &[], false, &path, &mut errors);
        }
        let (scheduling, path) = (object.at("scheduling"), Path::new("scheduling"));
        metadata::labels(scheduling, "nodeSelector", &path, &mut errors);
        let (all, path) = (scheduling.list("tolerations"), path.child("tolerations"));
        scheduling::tolerations(all, &Options::default(), &path, &mut errors);
        let same = |one: &Value, other: &Value| {
            ["key", "operator", "value", "effect"].iter().all(|field| one.text(field) == other.text(field))
        };
        for (index, toleration) in all.iter().enumerate() {
            if all[..index].iter().any(|other| same(toleration, other)) {
                let shown = internal::shown("core.Toleration", toleration);
                errors.push(FieldError::duplicate(&path.index(index), Value::Null).showing(shown));
            }
        }
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut found = self.validate(object);
        let mut errors = Errors::new();
        metadata::generic_update(object, old, &mut errors);
        errors.immutable(object.at("handler"), old.at("handler"), &Path::new("handler"));
        found.extend(errors.found());
        found
    }

    fn warnings(&self, object: &Value, _old: Option<&Value>) -> Vec<String> {
        object
            .at("scheduling")
            .entries("nodeSelector")
            .filter_map(|(key, _)| node_label(key))
            .map(|words| format!("scheduling.nodeSelector: {words}"))
            .collect()
    }
}

impl Rules for StorageClass {
    fn default(&self, object: &mut Value) {
        fill_absent(object, "reclaimPolicy", "Delete");
        fill_absent(object, "volumeBindingMode", "Immediate");
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, Scope::Cluster, names::dns_subdomain, &mut errors);
        let provisioner = object.text("provisioner").to_lowercase();
        if provisioner.is_empty() {
            errors.required(&Path::new("provisioner"), "");
        } else {
            errors.invalid_each(&Path::new("provisioner"), &provisioner, names::label_key(&provisioner));
        }
        let path = Path::new("parameters");
        let parameters = object.at("parameters").as_object().map_or(0, serde_json::Map::len);
        if parameters > 512 {
            errors.too_long(&path, 512);
        } else {
            let mut size = 0;
            for (key, value) in object.entries("parameters") {
                if key.is_empty() {
                    errors.invalid(&path, "", "field can not be empty.");
                }
                size += key.len() + text_of(value).len();
            }
            if size > 256 * 1024 {
                errors.too_long(&path, 256 * 1024);
            }
        }
        let policy = object.text("reclaimPolicy");
        if !policy.is_empty() {
            errors.one_of(policy, &["Delete", "Retain"], &Path::new("reclaimPolicy"));
        }
        let path = Path::new("volumeBindingMode");
        match object.at("volumeBindingMode").as_str() {
            None => errors.required(&path, ""),
            Some(mode) => errors.one_of(mode, &["Immediate", "WaitForFirstConsumer"], &path),
        }
        topologies(object, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut found = self.validate(object);
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        for field in ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] {
            errors.immutable(object.at(field), old.at(field), &Path::new(field));
        }
        found.extend(errors.found());
        found
    }

    fn warnings(&self, object: &Value, _old: Option<&Value>) -> Vec<String> {
        let mut out = Vec::new();
        for (index, term) in object.list("allowedTopologies").iter().enumerate() {
            for (number, one) in term.list("matchLabelExpressions").iter().enumerate() {
                let key = one.text("key");
                if let Some(words) = node_label(key) {
                    let path = Path::new("allowedTopologies").index(index);
                    let path = path.child("matchLabelExpressions").index(number).child("key");
                    out.push(format!("{path}: {words}"));
                }
            }
        }
        out
    }
}

/// What a term allows for each key.
fn values_by_key(term: &Value) -> BTreeMap<&str, BTreeSet<&str>> {
    let all = term.list("matchLabelExpressions").iter();
    all.map(|one| (one.text("key"), one.list("values").iter().map(text_of).collect())).collect()
}

fn topologies(object: &Value, errors: &mut Errors) {
    let all = object.list("allowedTopologies");
    for (index, term) in all.iter().enumerate() {
        let path = Path::new("allowedTopologies").index(index).child("matchLabelExpressions");
        let mut keys: Vec<&str> = Vec::new();
        for (number, one) in term.list("matchLabelExpressions").iter().enumerate() {
            let path = path.index(number);
            let values = one.list("values");
            if values.is_empty() {
                errors.required(&path.child("values"), "");
            }
            for (position, value) in values.iter().enumerate() {
                if values[..position].contains(value) {
                    errors.duplicate(&path.child("values").index(position), text_of(value));
                }
            }
            let key = one.text("key");
            errors.invalid_each(&path.child("key"), key, names::label_key(key));
            if keys.contains(&key) {
                errors.duplicate(&path.child("key"), key);
            }
            keys.push(key);
        }
        let own = values_by_key(term);
        // The server compares with as many empty terms as there are terms, too.
        let empty = if own.is_empty() { all.len() } else { 0 };
        for _ in 0..empty + all[..index].iter().filter(|other| values_by_key(other) == own).count() {
            errors.duplicate(&path, "");
        }
    }
}
