//! Webhooks: programs elsewhere that change or refuse what comes in (`MutatingWebhookConfiguration`,
//! `ValidatingWebhookConfiguration`).
//!
//! A [`Webhook`] is read once per state of its configuration. `dispatch` finds those that a request concerns, asks
//! them by an `AdmissionReview` (`review`) over HTTPS (`client`, `trust`), and does what they say.

mod client;
mod dispatch;
mod review;
mod trust;

use serde_json::Value;

pub(crate) use self::client::Clients;
use self::client::Endpoint;
pub(super) use self::dispatch::Round;
use super::attributes::{Attributes, Target};
use super::matching::{Constraints, words};
use super::policy::{Compiler, Expression, Wanted, conditions_hold};
use crate::status::Status;

/// One webhook of a configuration.
#[derive(Debug)]
pub(super) struct Webhook {
    /// Which one it is among all.
    identity: String,
    name: String,
    constraints: Constraints,
    conditions: Vec<Expression>,
    /// Whether a webhook that cannot be asked refuses.
    fails: bool,
    /// Whether it may be asked in a dry run.
    dry_runs: bool,
    /// Whether it is asked again when others changed the object after it.
    reinvoked: bool,
    /// How long it may take, in seconds.
    timeout: u64,
    /// The versions of reviews it understands, the preferred one first.
    reviews: Vec<String>,
    endpoint: Endpoint,
}

impl Webhook {
    /// The webhooks of a configuration.
    pub(super) fn read_all(configuration: &Value) -> Vec<std::sync::Arc<Self>> {
        let name = configuration["metadata"]["name"].as_str().unwrap_or_default();
        let webhooks = configuration["webhooks"].as_array().into_iter().flatten();
        webhooks.enumerate().map(|(index, webhook)| Self::read(name, index, webhook).into()).collect()
    }

    fn read(configuration: &str, index: usize, webhook: &Value) -> Self {
        let text = |field: &str| webhook[field].as_str().unwrap_or_default();
        let compiler = Compiler::without_variables(false);
        let conditions = webhook["matchConditions"].as_array().into_iter().flatten();
        let conditions = conditions.filter_map(|condition| condition["expression"].as_str());
        Self {
            identity: format!("{configuration}/{}/{index}", text("name")),
            name: text("name").to_owned(),
            constraints: Constraints::of_webhook(webhook),
            conditions: conditions.map(|source| compiler.compile(source, Wanted::Bool, true)).collect(),
            fails: text("failurePolicy") != "Ignore",
            dry_runs: matches!(text("sideEffects"), "None" | "NoneOnDryRun"),
            reinvoked: text("reinvocationPolicy") == "IfNeeded",
            timeout: webhook["timeoutSeconds"].as_u64().unwrap_or(10),
            reviews: words(&webhook["admissionReviewVersions"]),
            endpoint: Endpoint::read(&webhook["clientConfig"]),
        }
    }

    /// The version in which it wants to see a request, if it is concerned.
    fn concerned<'a>(&self, attributes: &Attributes<'a>) -> Result<Option<Target<'a>>, Status> {
        let Some(target) = self.constraints.matches(attributes).map_err(Status::internal)? else {
            return Ok(None);
        };
        let object = attributes.object.map(|object| attributes.in_version(object, &target));
        let old_object = attributes.old_object.map(|object| attributes.in_version(object, &target));
        let seen = Attributes { object: object.as_deref(), old_object: old_object.as_deref(), ..*attributes };
        match conditions_hold(&self.conditions, self.fails, &target, &seen, None, &super::Everybody) {
            Ok(true) => Ok(Some(target)),
            Ok(false) => Ok(None),
            Err(problem) => Err(Status::forbidden(attributes.resource_name(), attributes.name, problem)),
        }
    }
}
