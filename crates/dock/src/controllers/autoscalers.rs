//! `HorizontalPodAutoscalers`: they tell of their target, but there is nothing to measure, so they scale nothing.

use serde_json::{Value, json};

use super::action::{Action, Note, Outcome};
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
    if autoscaler.generation() > 0 {
        status["observedGeneration"] = autoscaler.generation().into();
    }
    let mut notes: Vec<Action> = Vec::new();
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
                status["currentMetrics"] = json!([{ "type": "" }]);
                let failure = unmeasured(autoscaler);
                notes.push(Note::warning(autoscaler, "FailedGetResourceMetric", &failure));
                let message = format!(
                    "invalid metrics (1 invalid out of 1), first error is: failed to get {} resource metric value: {failure}",
                    measured(autoscaler)
                );
                notes.push(Note::warning(autoscaler, "FailedComputeMetricsReplicas", message));
                let message = format!("the HPA was unable to compute the replica count: {failure}");
                condition("ScalingActive", "False", "FailedGetResourceMetric", &message, now)
            };
            refresh(&mut list, active);
        }
    }
    status["conditions"] = list.into();
    let mut outcome = Outcome::nothing();
    outcome.update_status(&AUTOSCALERS, autoscaler, status);
    if !outcome.actions.is_empty() {
        outcome.actions.extend(notes);
    }
    outcome
}

/// What the first metric of an autoscaler measures.
fn measured(autoscaler: &Value) -> &str {
    match autoscaler.items("spec.metrics").first().map_or("", |metric| metric.text("resource.name")) {
        "" => "cpu",
        name => name,
    }
}

/// What is said where nobody measures anything.
fn unmeasured(autoscaler: &Value) -> String {
    let name = measured(autoscaler);
    format!(
        "failed to get {name} utilization: unable to get metrics for resource {name}: unable to fetch metrics from \
         resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)"
    )
}
