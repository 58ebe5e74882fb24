//! Service accounts.

use serde_json::{Value, json};

use crate::field::FieldError;
use crate::kinds::metadata::{self, Scope};
use crate::kinds::read::{Read, list_mut};
use crate::kinds::report::Errors;
use crate::kinds::{Context, Rules, names};

const ENFORCE: &str = "kubernetes.io/enforce-mountable-secrets";

/// The rules of `ServiceAccount`.
pub(crate) struct ServiceAccount;

/// References to secrets are names and nothing else.
fn clean(object: &mut Value) {
    for secret in list_mut(object, "secrets") {
        let name = secret.text("name").to_owned();
        *secret = if name.is_empty() { json!({}) } else { json!({"name": name}) };
    }
}

impl Rules for ServiceAccount {
    fn prepare_create(&self, object: &mut Value, _context: &Context) {
        clean(object);
    }

    fn prepare_update(&self, object: &mut Value, _old: &Value, _context: &Context) {
        clean(object);
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, Scope::Namespaced, names::dns_subdomain, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        metadata::validate(object, Scope::Namespaced, names::dns_subdomain, &mut errors);
        errors.found()
    }

    fn warnings(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        let has = |object: &Value| object.at("metadata").at("annotations").has(ENFORCE);
        if old.is_some_and(has) || !has(object) {
            return Vec::new();
        }
        vec![format!(
            "metadata.annotations[{ENFORCE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to \
             mounted secrets"
        )]
    }
}
