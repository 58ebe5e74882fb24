//! `HorizontalPodAutoscalers`: they tell of their target, but there is nothing to measure, so they scale nothing.

use serde_json::{Value, json};

use super::action::Outcome;
use super::condition::{condition, conditions, refresh};
use super::object::Object;
use super::world::{AUTOSCALERS, Key, World};

/// Tells what an autoscaler without measurements knows.
pub fn reconcile(autoscaler: &Value, world: &dyn World) -> Outcome {
    let now = world.now();
    let reference = autoscaler.at("spec.scaleTargetRef");
    let target = world.serves(reference.text("apiVersion"), reference.text("kind")).and_then(|served| {
        world.get(&Key::new(&served.resource, autoscaler.namespace(), reference.text("name")))
    });
    let mut list = conditions(autoscaler.at("status"));
    let mut status = autoscaler.at("status").clone();
    if !status.is_object() {
        status = json!({});
    }
    status["observedGeneration"] = autoscaler.generation().into();
    match target {
        None => {
            let message = format!(
                "the HPA controller was unable to get the target's current scale: {} {:?} not found",
                reference.text("kind").to_lowercase(),
                reference.text("name")
            );
            refresh(&mut list, condition("AbleToScale", "False", "FailedGetScale", &message, now));
        }
        Some(target) => {
            let current = target.count("status.replicas");
            status["currentReplicas"] = current.into();
            status["desiredReplicas"] = status.get("desiredReplicas").cloned().unwrap_or_else(|| 0.into());
            let message = "the HPA controller was able to get the target's current scale";
            refresh(&mut list, condition("AbleToScale", "True", "SucceededGetScale", message, now));
            let active = if target.int("spec.replicas") == Some(0) {
                let message = "scaling is disabled since the replica count of the target is zero";
                condition("ScalingActive", "False", "ScalingDisabled", message, now)
            } else {
                let message =
                    "the HPA was unable to compute the replica count: there are no measurements in the dock";
                condition("ScalingActive", "False", "FailedGetResourceMetric", message, now)
            };
            refresh(&mut list, active);
        }
    }
    status["conditions"] = list.into();
    let mut outcome = Outcome::nothing();
    outcome.update_status(&AUTOSCALERS, autoscaler, status);
    outcome
}
