//! Configurations of validating and mutating webhooks.

use serde_json::{Value, json};

use super::webhook_client;
use crate::admission::policy::check_conditions;
use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::read::{Read, at_mut, fill_absent, list_mut, same, text_of};
use crate::kinds::report::Errors;
use crate::kinds::selector::{self, Values};
use crate::kinds::{Rules, names};
use crate::meta::dns1035_label;

const REVIEWS: [&str; 2] = ["v1", "v1beta1"];
const HARMLESS: [&str; 2] = ["None", "NoneOnDryRun"];
const STATIC_SUFFIX: &str = ".static.k8s.io";

/// The rules of `ValidatingWebhookConfiguration`, or of `MutatingWebhookConfiguration`.
pub(crate) struct Webhooks {
    /// Whether the webhooks may change objects.
    pub(crate) mutating: bool,
}

/// What is let pass because it was so before.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate fact about what was there")]
struct Allows {
    conditions: bool,
    effects: bool,
    any_review: bool,
    same_names: bool,
    any_values: bool,
}

impl Allows {
    fn of(object: &Value, old: &Value) -> Self {
        let (new, old) = (object.list("webhooks"), old.list("webhooks"));
        let pairs = || new.iter().zip(old);
        Self {
            conditions: new.len() == old.len()
                && pairs().all(|(new, old)| same(new.at("matchConditions"), old.at("matchConditions"))),
            effects: old.iter().any(|hook| !HARMLESS.contains(&hook.text("sideEffects"))),
            any_review: old.iter().any(|hook| {
                let versions = hook.list("admissionReviewVersions");
                !versions.is_empty() && !versions.iter().any(|version| REVIEWS.contains(&text_of(version)))
            }),
            same_names: old.iter().enumerate().any(|(index, hook)| {
                old[..index].iter().any(|other| other.text("name") == hook.text("name"))
            }),
            any_values: old.iter().any(|hook| {
                ["namespaceSelector", "objectSelector"]
                    .iter()
                    .any(|field| !selector::is_understood(hook.at(field)))
            }),
        }
    }
}

fn has_star(items: &[Value]) -> bool {
    items.iter().any(|item| item == "*")
}

/// What is wrong with what a webhook or a policy is about, operations included.
pub(crate) fn rule_with_operations(rule: &Value, path: &Path, errors: &mut Errors) {
    let operations = rule.list("operations");
    let own = path.child("operations");
    if operations.is_empty() {
        errors.required(&own, "");
    }
    if operations.len() > 1 && has_star(operations) {
        let words = "if '*' is present, must not specify other operations";
        errors.invalid(&own, operations.to_vec(), words);
    }
    for (index, operation) in operations.iter().enumerate() {
        let known = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
        errors.one_of(text_of(operation), &known, &own.index(index));
    }
    for (field, words) in [("apiGroups", "API groups"), ("apiVersions", "API versions")] {
        let (items, path) = (rule.list(field), path.child(field));
        if items.is_empty() {
            errors.required(&path, "");
        }
        if items.len() > 1 && has_star(items) {
            errors.invalid(
                &path,
                items.to_vec(),
                format!("if '*' is present, must not specify other {words}"),
            );
        }
        for (index, item) in items.iter().enumerate() {
            if field == "apiVersions" && item == "" {
                errors.required(&path.index(index), "");
            }
        }
    }
    resources(rule.list("resources"), &path.child("resources"), errors);
    if let Some(scope) = rule.at("scope").as_str() {
        errors.one_of(scope, &["*", "Cluster", "Namespaced"], &path.child("scope"));
    }
}

fn resources(all: &[Value], path: &Path, errors: &mut Errors) {
    if all.is_empty() {
        errors.required(path, "");
    }
    let (mut all_parts, mut all_owners): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut plain = false;
    for (index, item) in all.iter().enumerate() {
        let own = path.index(index);
        let text = text_of(item);
        if text.is_empty() {
            errors.required(&own, "");
            continue;
        }
        let Some((owner, part)) = text.split_once('/') else {
            plain = text != "*";
            continue;
        };
        if all_parts.contains(&owner) {
            errors.invalid(&own, text, format!("if '{owner}/*' is present, must not specify {text}"));
        }
        if all_owners.contains(&part) {
            errors.invalid(&own, text, format!("if '*/{part}' is present, must not specify {text}"));
        }
        if part == "*" {
            all_parts.push(owner);
        }
        if owner == "*" {
            all_owners.push(part);
        }
    }
    if all.len() > 1 && all.iter().any(|item| item == "*/*") {
        errors.invalid(path, all.to_vec(), "if '*/*' is present, must not specify other resources");
    }
    if has_star(all) && plain {
        let words = "if '*' is present, must not specify other resources without subresources";
        errors.invalid(path, all.to_vec(), words);
    }
}

fn reviews(versions: &[Value], allows: Allows, path: &Path, errors: &mut Errors) {
    if versions.is_empty() {
        errors.required(path, format!("must specify one of {}", REVIEWS.join(", ")));
        return;
    }
    for (index, version) in versions.iter().enumerate() {
        let path = path.index(index);
        if versions[..index].contains(version) {
            errors.invalid(&path, version.clone(), "duplicate version");
            continue;
        }
        let version = text_of(version);
        errors.invalid_each(&path, version, dns1035_label(version));
    }
    if !allows.any_review && !versions.iter().any(|version| REVIEWS.contains(&text_of(version))) {
        let words = format!("must include at least one of {}", REVIEWS.join(", "));
        errors.invalid(path, versions.to_vec(), words);
    }
}

/// A name of at least three labels.
fn qualified(name: &str, path: &Path, errors: &mut Errors) {
    let wrong = names::dns_subdomain(name);
    if name.is_empty() {
        errors.required(path, "");
    } else if !wrong.is_empty() {
        errors.invalid(path, name, wrong.join(","));
    } else if name.split('.').count() < 3 {
        errors.invalid(path, name, "should be a domain with at least three segments separated by dots");
    }
}

impl Webhooks {
    fn hook(&self, hook: &Value, allows: Allows, path: &Path, errors: &mut Errors) {
        qualified(hook.text("name"), &path.child("name"), errors);
        for (index, rule) in hook.list("rules").iter().enumerate() {
            rule_with_operations(rule, &path.child("rules").index(index), errors);
        }
        for (field, known) in
            [("failurePolicy", ["Fail", "Ignore"]), ("matchPolicy", ["Equivalent", "Exact"])]
        {
            if let Some(policy) = hook.at(field).as_str() {
                errors.one_of(policy, &known, &path.child(field));
            }
        }
        let known: &[&str] =
            if allows.effects { &["None", "NoneOnDryRun", "Some", "Unknown"] } else { &HARMLESS };
        match hook.at("sideEffects").as_str() {
            None => {
                let words = format!("must specify one of {}", known.join(", "));
                errors.required(&path.child("sideEffects"), words);
            }
            Some(effects) => errors.one_of(effects, known, &path.child("sideEffects")),
        }
        if let Some(seconds) = hook.number("timeoutSeconds").filter(|seconds| !(1..=30).contains(seconds)) {
            let words = "the timeout value must be between 1 and 30 seconds";
            errors.invalid(&path.child("timeoutSeconds"), seconds, words);
        }
        let values = if allows.any_values { Values::Any } else { Values::Checked };
        for field in ["namespaceSelector", "objectSelector"] {
            selector::validate(hook.at(field), values, &path.child(field), errors);
        }
        if let Some(policy) = hook.at("reinvocationPolicy").as_str().filter(|_| self.mutating) {
            errors.one_of(policy, &["IfNeeded", "Never"], &path.child("reinvocationPolicy"));
        }
        webhook_client::validate(hook.at("clientConfig"), &path.child("clientConfig"), errors);
        if !allows.conditions {
            let path = path.child("matchConditions");
            for error in check_conditions(hook.list("matchConditions"), &path, false) {
                errors.push(error);
            }
        }
        let path = path.child("admissionReviewVersions");
        reviews(hook.list("admissionReviewVersions"), allows, &path, errors);
    }

    fn all(&self, object: &Value, allows: Allows) -> Vec<FieldError> {
        let mut errors = Errors::new();
        let (meta, path) = (object.at("metadata"), Path::new("metadata"));
        metadata::generic(meta, Scope::Cluster, names::dns_subdomain, &path, &mut errors);
        let hooks = object.list("webhooks");
        for (index, hook) in hooks.iter().enumerate() {
            let path = Path::new("webhooks").index(index);
            self.hook(hook, allows, &path, &mut errors);
            let name = hook.text("name");
            let twice = hooks[..index].iter().any(|other| other.text("name") == name);
            if twice && !allows.same_names && !name.is_empty() {
                errors.duplicate(&path.child("name"), name);
            }
        }
        errors.found()
    }
}

impl Rules for Webhooks {
    fn default(&self, object: &mut Value) {
        for hook in list_mut(object, "webhooks") {
            fill_absent(hook, "failurePolicy", "Fail");
            fill_absent(hook, "matchPolicy", "Equivalent");
            fill_absent(hook, "namespaceSelector", json!({}));
            fill_absent(hook, "objectSelector", json!({}));
            fill_absent(hook, "timeoutSeconds", 10);
            if self.mutating {
                fill_absent(hook, "reinvocationPolicy", "Never");
            }
            for rule in list_mut(hook, "rules") {
                fill_absent(rule, "scope", "*");
            }
            if let Some(service) = at_mut(hook, "clientConfig").and_then(|config| at_mut(config, "service")) {
                fill_absent(service, "port", 443);
            }
        }
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn changes_generation(&self, object: &Value, old: &Value) -> bool {
        object.at("webhooks") != old.at("webhooks")
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        self.all(object, Allows::default())
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        self.all(object, Allows::of(object, old))
    }

    fn warnings(&self, object: &Value, _old: Option<&Value>) -> Vec<String> {
        if !object.at("metadata").text("name").ends_with(STATIC_SUFFIX) {
            return Vec::new();
        }
        vec![format!(
            "metadata.name: names ending with \"{STATIC_SUFFIX}\" are reserved for static manifest-based \
             configurations and cannot be managed via the API"
        )]
    }
}
