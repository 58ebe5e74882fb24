//! Policies: expressions that decide about requests (`ValidatingAdmissionPolicy` and its bindings).
//!
//! A [`Policy`] is read and compiled once, when the object is seen. [`decide`] then answers for a request: the policies
//! whose constraints match, under each of their bindings, with each parameter object, evaluate their match conditions
//! and validations; what fails becomes a refusal, a warning or an audit annotation, as the binding says. Nothing here
//! reads the store: parameters and authorization come through the traits [`Parameters`] and [`cel::Authorizer`].

mod binding;
mod compile;
mod evaluate;
mod params;
mod rules;

use std::collections::BTreeMap;
use std::sync::Arc;

use http::StatusCode;
use serde_json::Value;

pub use self::binding::Binding;
pub use self::compile::Policy;
pub(super) use self::compile::{Compiler, Expression, Wanted};
pub(super) use self::evaluate::conditions_hold;
use self::evaluate::{Decision, Outcome};
pub use self::params::Parameters;
pub(crate) use self::rules::check_conditions;
pub use self::rules::{BindingRules, PolicyRules};
use super::attributes::Attributes;
use crate::status::{Cause, Status};

/// What the policies say of a request.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Why the request is refused, if it is.
    pub refusal: Option<Status>,
    /// What the answer's `Warning` headers say.
    pub warnings: Vec<String>,
    /// What the audit log would hold.
    pub audit: BTreeMap<String, String>,
}

/// A policy with the bindings that put it to use.
#[derive(Debug, Clone, Copy)]
pub struct Hook<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// The bindings, of this and of other policies.
    pub bindings: &'a [Arc<Binding>],
}

/// Lets the policies decide about a request.
pub fn decide(
    hooks: &[Hook<'_>],
    attributes: &Attributes<'_>,
    parameters: &dyn Parameters,
    authorizer: &dyn cel::Authorizer,
) -> Verdict {
    let mut verdict = Verdict::default();
    if attributes.is_policy() || attributes.is_question() {
        return verdict;
    }
    let mut refusals: Vec<Refusal<'_>> = Vec::new();
    for hook in hooks {
        let target = match hook.policy.constraints.matches(attributes) {
            Ok(Some(target)) => target,
            Ok(None) => continue,
            Err(problem) => {
                refusals.extend(configuration(hook.policy, None, &problem));
                continue;
            }
        };
        let bindings: Vec<&Binding> = hook
            .bindings
            .iter()
            .map(|binding| &**binding)
            .filter(|binding| binding.policy == hook.policy.name)
            .collect();
        if let (Some(problem), false) = (params::unknown_kind(hook.policy, parameters), bindings.is_empty()) {
            refusals.extend(configuration(hook.policy, None, &problem));
            continue;
        }
        for binding in bindings {
            match binding.matches(attributes) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(problem) => {
                    refusals.extend(configuration(hook.policy, Some(binding), &problem));
                    continue;
                }
            }
            let found = match params::collect(hook.policy, binding, attributes, parameters) {
                Ok(found) => found,
                Err(problem) => {
                    refusals.extend(configuration(hook.policy, Some(binding), &problem));
                    continue;
                }
            };
            for param in &found {
                let outcome =
                    evaluate::evaluate(hook.policy, &target, attributes, param.as_deref(), authorizer);
                verdict.take(hook.policy, binding, outcome, &mut refusals);
            }
        }
    }
    verdict.refusal = refusals.first().map(|refusal| refusal.status(attributes));
    verdict
}

impl Verdict {
    /// Does with the outcome of a policy what the binding says.
    fn take<'a>(
        &mut self,
        policy: &'a Policy,
        binding: &'a Binding,
        outcome: Outcome,
        refusals: &mut Vec<Refusal<'a>>,
    ) {
        let names = format!("ValidatingAdmissionPolicy '{}' with binding '{}'", policy.name, binding.name);
        for (index, decision) in outcome.decisions.into_iter().enumerate() {
            let Decision::Deny { message, reason } = decision else { continue };
            for action in &binding.actions {
                match action.as_str() {
                    "Deny" => refusals.push(Refusal {
                        policy,
                        binding: Some(binding),
                        message: message.clone(),
                        reason: reason.clone(),
                    }),
                    "Warn" => self.warnings.push(format!("Validation failed for {names}: {message}")),
                    "Audit" => self.audit_failure(policy, binding, index, &message),
                    _ => {}
                }
            }
        }
        for (key, value) in outcome.annotations {
            let values = self.audit.entry(format!("{}/{key}", policy.name)).or_default();
            // The same key under several bindings keeps each value once.
            if values.is_empty() {
                *values = value;
            } else if !values.split(", ").any(|known| known == value) {
                values.push_str(", ");
                values.push_str(&value);
            }
        }
        for message in outcome.annotation_errors {
            refusals.push(Refusal { policy, binding: Some(binding), message, reason: None });
        }
    }

    fn audit_failure(&mut self, policy: &Policy, binding: &Binding, index: usize, message: &str) {
        const KEY: &str = "validation.policy.admission.k8s.io/validation_failure";
        let failure = serde_json::json!({
            "message": message,
            "policy": policy.name,
            "binding": binding.name,
            "expressionIndex": index,
            "validationActions": binding.actions,
        });
        let known = self.audit.get(KEY).and_then(|text| serde_json::from_str::<Vec<Value>>(text).ok());
        let mut failures = known.unwrap_or_default();
        failures.push(failure);
        self.audit.insert(KEY.to_owned(), Value::Array(failures).to_string());
    }
}

/// A policy or binding that cannot be used refuses, unless failures are to be ignored.
fn configuration<'a>(policy: &'a Policy, binding: Option<&'a Binding>, problem: &str) -> Option<Refusal<'a>> {
    let what = if binding.is_some() { "binding" } else { "policy" };
    let message = format!("failed to configure {what}: {problem}");
    policy.fails.then_some(Refusal { policy, binding, message, reason: None })
}

/// A refusal by one validation of one policy.
struct Refusal<'a> {
    policy: &'a Policy,
    binding: Option<&'a Binding>,
    message: String,
    reason: Option<String>,
}

impl Refusal<'_> {
    fn status(&self, attributes: &Attributes<'_>) -> Status {
        let binding =
            self.binding.map_or_else(String::new, |binding| format!(" with binding '{}'", binding.name));
        let message = format!(
            "ValidatingAdmissionPolicy '{}'{binding} denied request: {}",
            self.policy.name, self.message
        );
        let mut status = Status::forbidden(attributes.resource_name(), attributes.shown_name(), &message);
        let (code, reason) = match self.reason.as_deref() {
            Some("Forbidden") => (StatusCode::FORBIDDEN, "Forbidden"),
            Some("Unauthorized") => (StatusCode::UNAUTHORIZED, "Unauthorized"),
            Some("RequestEntityTooLarge") => (StatusCode::PAYLOAD_TOO_LARGE, "RequestEntityTooLarge"),
            _ => (StatusCode::UNPROCESSABLE_ENTITY, "Invalid"),
        };
        status.code = code;
        status.reason = reason.into();
        if let Some(details) = &mut status.details {
            details.causes.push(Cause { reason: String::new(), message, field: String::new() });
        }
        status
    }
}

#[cfg(test)]
mod tests;
