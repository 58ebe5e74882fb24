//! Asks the webhooks that a request concerns, and does what they say.

use std::sync::Arc;

use serde_json::Value;

use super::Webhook;
use super::review::{Review, Verdict};
use crate::admission::attributes::{Attributes, Target};
use crate::admission::occasion::Occasion;
use crate::requests::Call;
use crate::server::Server;
use crate::status::Status;

/// The address, besides its own, at which the webhook behind a Service is reached.
const ADDRESS: &str = "dock.slipway.dev/address";

/// Which webhooks were asked, and are to be asked again.
#[derive(Debug, Default)]
pub(in crate::admission) struct Round {
    /// Whether this is the second time.
    again: bool,
    /// Whether anything was changed.
    pub(in crate::admission) changed: bool,
    asked: Vec<String>,
    due: Vec<String>,
    last: Option<Value>,
}

impl Round {
    /// Begins the second round. Everybody is asked again if somebody else changed the object since.
    pub(in crate::admission) fn again(&mut self, object: &Value) {
        self.again = true;
        if self.last.as_ref().is_some_and(|last| last != object) {
            self.due.append(&mut self.asked);
        }
    }
}

/// Why a webhook was not heard, or was.
enum Trouble {
    /// It could not be asked.
    Unheard(String),
    /// It refused, or its answer cannot be used.
    Refused(Status),
}

impl Server {
    /// Lets the webhooks change an object, one after another; of a deletion they are only told.
    pub(in crate::admission) async fn mutate_by_webhooks(
        &self,
        occasion: &Occasion<'_>,
        call: &Call,
        object: &mut Option<Value>,
        old: Option<&Value>,
        round: &mut Round,
    ) -> Result<(), Status> {
        let webhooks = self.mutating_webhooks();
        for webhook in &webhooks {
            let attributes = occasion.with(object.as_ref(), old);
            if attributes.is_configuration() {
                return Ok(());
            }
            let Some(target) = webhook.concerned(&attributes)? else { continue };
            if round.again && !round.due.contains(&webhook.identity) {
                continue;
            }
            let verdict = self.ask(webhook, &target, &attributes, call).await;
            let changed = match verdict.and_then(|verdict| match verdict.patch {
                Some(patch) => patched(webhook, call, &target, &attributes, &patch),
                None => Ok(None),
            }) {
                Ok(changed) => changed,
                Err(Trouble::Refused(status)) => return Err(status),
                Err(Trouble::Unheard(_)) if !webhook.fails => None,
                Err(Trouble::Unheard(why)) => return Err(Status::internal(why)),
            };
            if let Some(changed) = changed {
                *object = Some(changed);
                round.changed = true;
                round.due.append(&mut round.asked);
            }
            if webhook.reinvoked {
                round.asked.push(webhook.identity.clone());
            }
        }
        round.last.clone_from(object);
        Ok(())
    }

    /// Asks the webhooks that may refuse, all at once.
    pub(in crate::admission) async fn validate_by_webhooks(
        self: &Server,
        attributes: &Attributes<'_>,
        call: &Call,
    ) -> Result<(), Status> {
        let webhooks = self.validating_webhooks();
        if webhooks.is_empty() || attributes.is_configuration() {
            return Ok(());
        }
        let mut concerned: Vec<(&Arc<Webhook>, Target<'_>)> = Vec::new();
        for webhook in &webhooks {
            if let Some(target) = webhook.concerned(attributes)? {
                concerned.push((webhook, target));
            }
        }
        let mut asked = Vec::with_capacity(concerned.len());
        for (webhook, target) in concerned {
            asked.push(
                self.question(webhook, &target, attributes)
                    .map(|review| {
                        let clients = self.admission.clients.clone();
                        let address = self.address(webhook);
                        let webhook = webhook.clone();
                        tokio::spawn(async move {
                            let answer = clients
                                .post(&webhook.endpoint, &address?, &review.body, webhook.timeout)
                                .await?;
                            review.read(&webhook, &answer, false)
                        })
                    })
                    .map_err(|trouble| (webhook, trouble))
                    .map(|task| (webhook, task)),
            );
        }
        let mut refusal = None;
        for task in asked {
            let (webhook, outcome) = match task {
                Ok((webhook, task)) => {
                    let outcome = task.await.unwrap_or_else(|error| Err(error.to_string()));
                    (webhook, outcome.map_err(|why| unheard(webhook, &why)))
                }
                Err((webhook, trouble)) => (webhook, Err(trouble)),
            };
            let refused = match outcome.and_then(|verdict| heard(verdict, call)) {
                Ok(_) => None,
                Err(Trouble::Refused(status)) => Some(status),
                Err(Trouble::Unheard(why)) => webhook.fails.then(|| Status::internal(why)),
            };
            refusal = refusal.or(refused);
        }
        refusal.map_or(Ok(()), Err)
    }

    async fn ask(
        &self,
        webhook: &Webhook,
        target: &Target<'_>,
        attributes: &Attributes<'_>,
        call: &Call,
    ) -> Result<Verdict, Trouble> {
        let review = self.question(webhook, target, attributes)?;
        let failed = |why: String| unheard(webhook, &why);
        let address = self.address(webhook).map_err(failed)?;
        let answer = self
            .admission
            .clients
            .post(&webhook.endpoint, &address, &review.body, webhook.timeout)
            .await
            .map_err(failed)?;
        heard(review.read(webhook, &answer, true).map_err(failed)?, call)
    }

    /// What a webhook is to be asked, unless it may not be.
    #[expect(clippy::unused_self, reason = "reads as what the server asks")]
    fn question(
        &self,
        webhook: &Webhook,
        target: &Target<'_>,
        attributes: &Attributes<'_>,
    ) -> Result<Review, Trouble> {
        if attributes.dry_run && !webhook.dry_runs {
            let words = format!("admission webhook {:?} does not support dry run", webhook.name);
            return Err(Trouble::Refused(Status::bad_request(words)));
        }
        Review::new(webhook, target, attributes).map_err(|why| unheard(webhook, &why))
    }

    /// Where a webhook is reached. Services have no network here: an annotation says where what they stand for is.
    fn address(&self, webhook: &Webhook) -> Result<String, String> {
        let endpoint = &webhook.endpoint;
        let Some((namespace, name)) = &endpoint.service else { return Ok(endpoint.address(endpoint.host())) };
        let services = self.registry.by_key("", "services");
        let service = services.and_then(|services| self.store.get(&services.object_key(namespace, name)));
        let Some(service) = service else {
            return Err(endpoint.failed(webhook.timeout, &format!("service {name:?} not found")));
        };
        if let Some(address) = service.object["metadata"]["annotations"][ADDRESS].as_str() {
            return Ok(address.to_owned());
        }
        let own = service.object["spec"]["clusterIP"].as_str().unwrap_or_default();
        let why = format!("dial tcp {}: connect: connection refused", endpoint.address(own));
        Err(endpoint.failed(webhook.timeout, &why))
    }
}

fn unheard(webhook: &Webhook, why: &str) -> Trouble {
    Trouble::Unheard(format!("failed calling webhook {:?}: {why}", webhook.name))
}

/// Tells the client what the webhook has to tell it.
fn heard(mut verdict: Verdict, call: &Call) -> Result<Verdict, Trouble> {
    for words in verdict.warnings.drain(..) {
        call.warn(words);
    }
    match verdict.refusal.take() {
        Some(status) => Err(Trouble::Refused(status)),
        None => Ok(verdict),
    }
}

/// The object with the patch of a webhook; nothing if that changes nothing.
fn patched(
    webhook: &Webhook,
    call: &Call,
    target: &Target<'_>,
    attributes: &Attributes<'_>,
    patch: &str,
) -> Result<Option<Value>, Trouble> {
    let undecodable =
        |why: String| unheard(webhook, &format!("received undecodable patch in webhook response: {why}"));
    let internal = |why: String| Trouble::Refused(Status::internal(why));
    let operations: Value = serde_json::from_str(patch).map_err(|_| {
        let why = schema::Tree::parse(patch).err().map(|error| error.to_string());
        undecodable(why.unwrap_or_default())
    })?;
    if operations.as_array().is_some_and(Vec::is_empty) {
        return Ok(None);
    }
    let Some(object) = attributes.object else {
        return Err(internal(format!(
            "admission webhook {:?} attempted to modify the object, which is not supported for this operation",
            webhook.name
        )));
    };
    let shown = attributes.in_version(object, target).into_owned();
    let kind = (shown["apiVersion"].clone(), shown["kind"].clone());
    let patched = schema::json_patch(shown, patch, false).map_err(|error| match error.code() {
        400 => undecodable(error.to_string()),
        _ => internal(error.to_string()),
    })?;
    let mut patched = patched.object.into_value();
    if (&patched["apiVersion"], &patched["kind"]) != (&kind.0, &kind.1) {
        return Err(internal(format!("unable to decode {} as {}", patched["kind"], kind.1)));
    }
    patched["apiVersion"] = object["apiVersion"].clone();
    let patched = call.reread(patched).map_err(internal)?;
    Ok((patched != *object).then_some(patched))
}
