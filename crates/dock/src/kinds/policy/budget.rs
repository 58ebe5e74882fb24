//! Budgets of disruptions.

use serde_json::{Value, json};

use crate::field::{FieldError, Path};
use crate::kinds::Rules;
use crate::kinds::read::Read;
use crate::kinds::report::Errors;
use crate::kinds::selector::{self, Values};
use crate::kinds::workloads::{int_or_percent, not_more_than_all};

/// The rules of `PodDisruptionBudget`.
pub(crate) struct PodDisruptionBudget;

fn budget(object: &Value, values: Values) -> Vec<FieldError> {
    let mut errors = Errors::new();
    let (spec, path) = (object.at("spec"), Path::new("spec"));
    if spec.has("minAvailable") && spec.has("maxUnavailable") {
        let shown = format!(
            "{{\"MinAvailable\":{},\"Selector\":{},\"MaxUnavailable\":{},\"UnhealthyPodEvictionPolicy\":{}}}",
            spec.at("minAvailable"),
            selector::shown(spec.at("selector")),
            spec.at("maxUnavailable"),
            spec.at("unhealthyPodEvictionPolicy")
        );
        errors.invalid_shown(&path, shown, "minAvailable and maxUnavailable cannot be both set");
    }
    for field in ["minAvailable", "maxUnavailable"] {
        if spec.has(field) {
            int_or_percent(spec.at(field), &path.child(field), &mut errors);
            not_more_than_all(spec.at(field), &path.child(field), &mut errors);
        }
    }
    selector::validate(spec.at("selector"), values, &path.child("selector"), &mut errors);
    if let Some(policy) = spec.at("unhealthyPodEvictionPolicy").as_str() {
        let known = ["AlwaysAllow", "IfHealthyBudget"];
        errors.one_of(policy, &known, &path.child("unhealthyPodEvictionPolicy"));
    }
    errors.found()
}

impl Rules for PodDisruptionBudget {
    fn first_status(&self) -> Option<Value> {
        Some(json!({"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}))
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        budget(object, Values::Checked)
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let understood = selector::is_understood(old.at("spec").at("selector"));
        budget(object, if understood { Values::Checked } else { Values::Any })
    }

    fn validate_status_update(&self, object: &Value, _old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        let path = Path::new("status");
        for field in ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] {
            errors.not_negative(object.at("status").int(field), &path.child(field));
        }
        errors.found()
    }
}
