//! Taking a set of objects away, the last first.

use std::time::Duration;

use kube::api::{DeleteParams, Preconditions};
use kube::core::DynamicObject;
use kube::runtime::wait::{await_condition, conditions};
use kube::{Api, ResourceExt};

use super::place::{Places, at};
use super::{Inventory, Member, ObjectSet};
use crate::{ActuatorError, Context, ErrorCode, Extension, Outcome};

/// How long an object may take to go before that is an error.
pub(super) const PATIENCE: Duration = Duration::from_mins(2);
/// How often it is looked at although nothing was told.
const LOOK: Duration = Duration::from_mins(1);

/// What is left of an object that was deleted.
pub(super) enum Rest {
    Gone,
    Terminating(Box<DynamicObject>),
}

pub(super) async fn delete<S: ObjectSet>(
    set: &S,
    context: &mut Context<S::Object>,
) -> Result<Outcome, ActuatorError> {
    let mut inventory = Inventory::of(&context.object)?;
    let total = inventory.members.len();
    let places = Places::find(set, context, &inventory.members).await?;
    let mut errors: Vec<ActuatorError> = Vec::new();
    let mut waiting = Vec::new();
    for member in inventory.members.clone().iter().rev() {
        let removed = async {
            let api = places.of(member).await?;
            Ok::<_, ActuatorError>((remove(&api, member).await?, api))
        };
        match removed.await {
            Ok((Rest::Gone, _)) => inventory.members.retain(|known| !known.is_same(member)),
            Ok((Rest::Terminating(live), api)) => {
                wake_when_gone(context, &api, member, &live);
                if is_late(context, &live) {
                    let text = format!("{member} does not go: it is held by {}", held_by(&live));
                    errors.push(
                        ActuatorError::new(text).code(ErrorCode::CleanupResources).task(member.to_string()),
                    );
                }
                waiting.push(member.to_string());
            }
            // What is in the way of one is not in the way of the others.
            Err(error) => errors.push(error.task(member.to_string())),
        }
    }
    inventory.store(&mut context.object)?;
    if let Some(error) = errors.into_iter().reduce(ActuatorError::and) {
        return Err(error);
    }
    if waiting.is_empty() {
        return Ok(Outcome::done());
    }
    let percent = 100 * (total - waiting.len()) / total.max(1);
    let text = format!("Waiting for {} to go", waiting.join(", "));
    Ok(Outcome::progress(percent as u8, text).requeue_after(LOOK.min(PATIENCE)))
}

/// Deletes an object, if it is there and is the one that was made.
pub(super) async fn remove(api: &Api<DynamicObject>, member: &Member) -> Result<Rest, ActuatorError> {
    let live = api.get_opt(&member.name).await.map_err(|error| at(member, error))?;
    let Some(live) = live.filter(|live| member.is(live)) else { return Ok(Rest::Gone) };
    if live.metadata.deletion_timestamp.is_some() {
        return Ok(Rest::Terminating(Box::new(live)));
    }
    let preconditions = Preconditions { uid: live.uid(), resource_version: None };
    let params = DeleteParams::background().preconditions(preconditions);
    match api.delete(&member.name, &params).await {
        Ok(either) => match either.left() {
            // It is still there: something holds it.
            Some(live)
                if !live.finalizers().is_empty() || live.metadata.deletion_grace_period_seconds > Some(0) =>
            {
                Ok(Rest::Terminating(Box::new(live)))
            }
            _ => Ok(Rest::Gone),
        },
        Err(kube::Error::Api(refusal)) if matches!(refusal.code, 404 | 409) => Ok(Rest::Gone),
        Err(error) => Err(at(member, error)),
    }
}

/// Wakes the controller when an object is gone, in this cluster or the other.
pub(super) fn wake_when_gone<K: Extension>(
    context: &Context<K>,
    api: &Api<DynamicObject>,
    member: &Member,
    live: &DynamicObject,
) {
    let (api, name, uid) = (api.clone(), member.name.clone(), live.uid().unwrap_or_default());
    let (trigger, key, stopping) = (context.trigger.clone(), context.key(), context.stopping.clone());
    tokio::spawn(async move {
        let gone = tokio::time::timeout(LOOK, await_condition(api, &name, conditions::is_deleted(&uid)));
        tokio::select! {
            Ok(Ok(_)) = gone => trigger.wake(key),
            () = stopping.cancelled() => {}
            else => {}
        }
    });
}

pub(super) fn held_by(live: &DynamicObject) -> String {
    match live.finalizers() {
        [] => "its grace period".to_owned(),
        finalizers => {
            finalizers.iter().map(|held| format!("the finalizer {held}")).collect::<Vec<_>>().join(", ")
        }
    }
}

fn is_late<K: Extension>(context: &Context<K>, live: &DynamicObject) -> bool {
    let since = live.metadata.deletion_timestamp.as_ref().map(|since| since.0);
    since.is_some_and(|since| context.now().duration_since(since) >= PATIENCE.try_into().unwrap_or_default())
}
