//! Roles and their bindings.

use serde_json::Value;

use crate::field::{FieldError, Path, quoted};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::read::{Read, child_mut, fill, list_mut};
use crate::kinds::report::Errors;
use crate::kinds::selector::{self, Values};
use crate::kinds::{Context, Rules, names};

const GROUP: &str = "rbac.authorization.k8s.io";

/// The rules of `Role` and `ClusterRole`.
pub(crate) struct Role(pub(crate) Scope);

/// The rules of `RoleBinding` and `ClusterRoleBinding`.
pub(crate) struct Binding(pub(crate) Scope);

fn policy_rule(rule: &Value, scope: Scope, path: &Path, errors: &mut Errors) {
    if rule.list("verbs").is_empty() {
        errors.required(&path.child("verbs"), "verbs must contain at least one value");
    }
    if !rule.list("nonResourceURLs").is_empty() {
        let own = path.child("nonResourceURLs");
        let urls = rule.at("nonResourceURLs");
        if scope == Scope::Namespaced {
            errors.invalid(&own, urls.clone(), "namespaced rules cannot apply to non-resource URLs");
        }
        if ["apiGroups", "resources", "resourceNames"].iter().any(|field| !rule.list(field).is_empty()) {
            errors.invalid(
                &own,
                urls.clone(),
                "rules cannot apply to both regular resources and non-resource URLs",
            );
        }
        return;
    }
    if rule.list("apiGroups").is_empty() {
        errors.required(&path.child("apiGroups"), "resource rules must supply at least one api group");
    }
    if rule.list("resources").is_empty() {
        errors.required(&path.child("resources"), "resource rules must supply at least one resource");
    }
}

impl Role {
    fn check(&self, object: &Value, values: Values, errors: &mut Errors) {
        metadata::validate(object, self.0, names::path_segment, errors);
        for (index, rule) in object.list("rules").iter().enumerate() {
            policy_rule(rule, self.0, &Path::new("rules").index(index), errors);
        }
        if !object.has("aggregationRule") {
            return;
        }
        let path = Path::new("aggregationRule").child("clusterRoleSelectors");
        let all = object.at("aggregationRule").list("clusterRoleSelectors");
        if all.is_empty() {
            errors.required(&path, "at least one clusterRoleSelector required if aggregationRule is non-nil");
        }
        for (index, one) in all.iter().enumerate() {
            selector::validate(one, values, &path.index(index), errors);
            if !selector::is_understood(one) {
                errors.invalid_shown(&path.index(index), "null".into(), "invalid label selector.");
            }
        }
    }
}

/// No rules at all are stored as none.
fn without_empty_rules(object: &mut Value) {
    if object.get("rules").is_some_and(|rules| rules.as_array().is_some_and(Vec::is_empty)) {
        object["rules"] = Value::Null;
    }
}

impl Rules for Role {
    fn prepare_create(&self, object: &mut Value, _context: &Context) {
        without_empty_rules(object);
    }

    fn prepare_update(&self, object: &mut Value, _old: &Value, _context: &Context) {
        without_empty_rules(object);
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        self.check(object, Values::Checked, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        let before = old.at("aggregationRule").list("clusterRoleSelectors");
        let understood = before.iter().all(selector::is_understood);
        let values = if understood { Values::Checked } else { Values::Any };
        self.check(object, values, &mut errors);
        metadata::validate_update(object, old, &mut errors);
        errors.found()
    }
}

fn subject(subject: &Value, scope: Scope, path: &Path, errors: &mut Errors) {
    errors.needs(subject, "name", path);
    let (name, group) = (subject.text("name"), subject.text("apiGroup"));
    match subject.text("kind") {
        "ServiceAccount" => {
            if !name.is_empty() {
                errors.invalid_each(&path.child("name"), name, names::dns_subdomain(name));
            }
            if !group.is_empty() {
                errors.unsupported(&path.child("apiGroup"), group, &[""]);
            }
            if scope == Scope::Cluster {
                errors.needs(subject, "namespace", path);
            }
        }
        "User" | "Group" => errors.one_of(group, &[GROUP], &path.child("apiGroup")),
        other => errors.unsupported(&path.child("kind"), other, &["ServiceAccount", "User", "Group"]),
    }
}

impl Rules for Binding {
    fn default(&self, object: &mut Value) {
        if let Some(role) = child_mut(object, "roleRef") {
            fill(role, "apiGroup", GROUP);
        }
        for subject in list_mut(object, "subjects") {
            if ["User", "Group"].contains(&subject.text("kind")) {
                fill(subject, "apiGroup", GROUP);
            }
        }
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, self.0, names::path_segment, &mut errors);
        let (role, path) = (object.at("roleRef"), Path::new("roleRef"));
        errors.one_of(role.text("apiGroup"), &[GROUP], &path.child("apiGroup"));
        let kinds: &[&str] =
            if self.0 == Scope::Namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
        errors.one_of(role.text("kind"), kinds, &path.child("kind"));
        let name = role.text("name");
        if name.is_empty() {
            errors.required(&path.child("name"), "");
        } else {
            errors.invalid_each(&path.child("name"), name, names::path_segment(name));
        }
        for (index, one) in object.list("subjects").iter().enumerate() {
            subject(one, self.0, &Path::new("subjects").index(index), &mut errors);
        }
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut found = self.validate(object);
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        let role = object.at("roleRef");
        let alike = |field: &&str| role.text(field) == old.at("roleRef").text(field);
        if !["apiGroup", "kind", "name"].iter().all(alike) {
            let shown = format!(
                "{{\"APIGroup\":{},\"Kind\":{},\"Name\":{}}}",
                quoted(role.text("apiGroup")),
                quoted(role.text("kind")),
                quoted(role.text("name"))
            );
            errors.invalid_shown(&Path::new("roleRef"), shown, "cannot change roleRef");
        }
        found.extend(errors.found());
        found
    }
}
