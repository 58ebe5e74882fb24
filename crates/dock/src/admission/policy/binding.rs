//! Bindings, which put policies to use.

use serde_json::Value;

use crate::admission::attributes::Attributes;
use crate::admission::matching::{Constraints, words};

/// A binding: which policy is used, where, and what comes of it.
#[derive(Debug)]
pub struct Binding {
    /// Its name.
    pub(super) name: String,
    /// The policy it puts to use.
    pub(super) policy: String,
    constraints: Option<Constraints>,
    /// Where the parameters are.
    pub(super) param_ref: Option<Value>,
    /// What comes of a validation that fails: `Deny`, `Warn`, `Audit`.
    pub(super) actions: Vec<String>,
}

impl Binding {
    /// Reads a `ValidatingAdmissionPolicyBinding`.
    pub fn read(object: &Value) -> Self {
        let spec = &object["spec"];
        Self {
            name: object["metadata"]["name"].as_str().unwrap_or_default().to_owned(),
            policy: spec["policyName"].as_str().unwrap_or_default().to_owned(),
            constraints: spec.get("matchResources").filter(|some| some.is_object()).map(Constraints::read),
            param_ref: spec.get("paramRef").filter(|some| some.is_object()).cloned(),
            actions: words(&spec["validationActions"]),
        }
    }

    pub(super) fn matches(&self, attributes: &Attributes<'_>) -> Result<bool, String> {
        match &self.constraints {
            Some(constraints) => constraints.matches(attributes).map(|matched| matched.is_some()),
            None => Ok(true),
        }
    }
}
