//! Where instances and bindings are looked after: one loop for both, around the state machine.
//!
//! A step is decided on what was just read. What a broker is about to be asked is saved before it is; what it answers is
//! saved after. Then the next step is decided, until one is to wait for.

mod binding;
mod instance;

use std::future::Future;
use std::time::Duration;

use crate::kinds::{Backing, CurrentOperation, DELETED, Properties, UserInfo};
use extension::status::set_condition;
use extension::{ActuatorError, Context, ErrorCode, Extension, Outcome, Waiting};
use kube::api::{DeleteParams, Preconditions};
use kube::core::NamespaceResourceScope;
use kube::{Api, Resource, ResourceExt};
use osb::{Body, Fetched, Offer, Operation, Poll, Verdict};

pub use binding::Bindings;
pub(crate) use binding::SECRET_LABEL;
pub use instance::Instances;

use crate::connection::{connect, wrong};
use crate::life::{self, Facts, Limits, Step, Thing, Told, Unresolved, Wish};
use crate::offers::Offers;
use crate::resolve::BrokerName;
use crate::{AfterDeletion, Settings, external_id};

/// More steps than any way through the state machine takes without a wait.
const STEPS: usize = 32;

/// An instance or a binding.
trait Customer: Extension + Resource<Scope = NamespaceResourceScope> {
    const THING: Thing;
    fn backing(&self) -> Backing;
    fn backing_mut(&mut self) -> &mut Backing;
    fn exists_externally(&self) -> bool;
    fn chosen_id(&self) -> Option<&str>;
    fn user(&self) -> Option<&UserInfo>;
    fn broker(&self) -> Option<&str>;
}

macro_rules! customer {
    ($kind:ty, $thing:expr) => {
        impl super::Customer for $kind {
            const THING: crate::life::Thing = $thing;

            fn backing(&self) -> crate::kinds::Backing {
                self.status.as_ref().map(|status| status.backing.clone()).unwrap_or_default()
            }

            fn backing_mut(&mut self) -> &mut crate::kinds::Backing {
                &mut self.status.get_or_insert_default().backing
            }

            fn exists_externally(&self) -> bool {
                self.spec.exists_externally()
            }

            fn chosen_id(&self) -> Option<&str> {
                self.spec.external_id.as_deref()
            }

            fn user(&self) -> Option<&crate::kinds::UserInfo> {
                self.spec.user_info.as_ref()
            }

            fn broker(&self) -> Option<&str> {
                self.status.as_ref().and_then(|status| status.broker.as_deref())
            }
        }
    };
}

/// The actuator around a desk.
macro_rules! actuator {
    ($desk:ty, $kind:ty) => {
        impl extension::Actuator for $desk {
            type Object = $kind;

            async fn reconcile(
                &self,
                context: &mut Context<Self::Object>,
            ) -> Result<extension::Outcome, ActuatorError> {
                super::attend(self, context, false).await
            }

            async fn delete(
                &self,
                context: &mut Context<Self::Object>,
            ) -> Result<extension::Outcome, ActuatorError> {
                super::attend(self, context, true).await
            }

            async fn force_delete(
                &self,
                context: &mut Context<Self::Object>,
            ) -> Result<extension::Outcome, ActuatorError> {
                super::Desk::let_go(self, context).await?;
                Ok(extension::Outcome::done().describe(super::left_behind(&context.object)))
            }

            async fn migrate(
                &self,
                _: &mut Context<Self::Object>,
            ) -> Result<extension::Outcome, ActuatorError> {
                // All that another controller needs is in the status already.
                Ok(extension::Outcome::done())
            }

            async fn restore(
                &self,
                context: &mut Context<Self::Object>,
            ) -> Result<extension::Outcome, ActuatorError> {
                super::attend(self, context, false).await
            }
        }
    };
}

use {actuator, customer};

/// The broker that was asked at first.
async fn broker<D: Desk>(desk: &D, context: &Context<D::Customer>) -> Result<osb::Client, ActuatorError> {
    let noted = context.object.broker().and_then(BrokerName::read);
    let broker = noted.ok_or_else(|| wrong("it is not known who the broker is"))?;
    let (key, namespace) = (context.key(), context.object.namespace().unwrap_or_default());
    // Before it is read: a broker that comes meanwhile, or is put right, is heard of.
    let told = desk.offers().add(broker.cluster, &key);
    let Some(client) = connect(&context.client(), &namespace, &broker, desk.settings()).await? else {
        let missing = wrong(format!("the broker {} is not there", broker.written()));
        return Err(if told { missing.retry_after(Waiting::FALLBACK) } else { missing });
    };
    desk.offers().remove(&key);
    Ok(client)
}

/// The plan that the broker knows a thing by: until an update has succeeded, the one of before.
fn offer(backing: &Backing) -> Offer {
    let known = backing.external_properties.as_ref().or(backing.in_progress_properties.as_ref());
    let known = known.cloned().unwrap_or_default();
    Offer { service_id: known.service_external_id, plan_id: known.plan_external_id }
}

/// What was read for one decision.
struct Look {
    wanted: Result<Properties, Unresolved>,
    /// Whether it is heard of when what is missing comes.
    heard: bool,
    blocked_by: Vec<String>,
    retrievable: bool,
    longest_poll: Option<Duration>,
    /// Whether what a binding gave is where it should be.
    injected: bool,
}

/// What is different between instances and bindings.
trait Desk: Send + Sync {
    type Customer: Customer;

    fn settings(&self) -> &Settings;

    /// Those that wait for something to be sold.
    fn offers(&self) -> &Offers;

    /// Reads what is there.
    fn look(
        &self,
        context: &Context<Self::Customer>,
    ) -> impl Future<Output = Result<Look, ActuatorError>> + Send;

    /// Notes what has to be known later to ask the broker again, before it is asked at first.
    fn note(
        &self,
        context: &mut Context<Self::Customer>,
    ) -> impl Future<Output = Result<(), ActuatorError>> + Send;

    /// Whether there is a broker to ask.
    fn reach(
        &self,
        context: &Context<Self::Customer>,
    ) -> impl Future<Output = Result<(), ActuatorError>> + Send;

    /// Asks the broker for a change.
    fn ask(
        &self,
        context: &Context<Self::Customer>,
        operation: CurrentOperation,
    ) -> impl Future<Output = Result<Verdict, ActuatorError>> + Send;

    /// Asks how far it is.
    fn poll(
        &self,
        context: &Context<Self::Customer>,
        operation: Operation,
    ) -> impl Future<Output = Result<Poll, ActuatorError>> + Send;

    /// Asks what the broker has.
    fn fetch(
        &self,
        context: &Context<Self::Customer>,
    ) -> impl Future<Output = Result<Fetched, ActuatorError>> + Send;

    /// Keeps what came with a success, before the success is written down.
    fn keep(
        &self,
        context: &mut Context<Self::Customer>,
        operation: CurrentOperation,
        body: Option<&Body>,
    ) -> impl Future<Output = Result<(), ActuatorError>> + Send;

    /// Puts what came with a success back where somebody removed it.
    fn restore(
        &self,
        _: &mut Context<Self::Customer>,
        _retrievable: bool,
    ) -> impl Future<Output = Result<(), ActuatorError>> + Send {
        async { Ok(()) }
    }

    /// Removes what is in this cluster, and nothing at the broker.
    fn let_go(
        &self,
        _: &mut Context<Self::Customer>,
    ) -> impl Future<Output = Result<(), ActuatorError>> + Send {
        async { Ok(()) }
    }
}

/// Does what is due for an object until something is to be waited for.
async fn attend<D: Desk>(
    desk: &D,
    context: &mut Context<D::Customer>,
    deleting: bool,
) -> Result<Outcome, ActuatorError> {
    let thing = D::Customer::THING;
    for _ in 0..STEPS {
        let look = desk.look(context).await?;
        let backing = context.object.backing();
        let generation = context.object.meta().generation.unwrap_or_default();
        let deleted = context.object.status().and_then(|status| status.condition(DELETED));
        let settings = desk.settings();
        let longest =
            look.longest_poll.map_or(settings.longest_poll, |longest| longest.min(settings.longest_poll));
        let facts = Facts {
            thing,
            wish: Wish::of(deleting, context.object.exists_externally(), settings.declarative_delete),
            generation,
            deleted: deleted.is_some_and(|condition| condition.status == "True"),
            backing: &backing,
            wanted: look.wanted.as_ref(),
            blocked_by: &look.blocked_by,
            retrievable: look.retrievable,
            injected: look.injected,
            longest_poll: longest,
            now: context.now(),
        };
        let step = life::decide(&facts);
        // What is only being put in order has nothing new to say.
        if !matches!(step, Step::Forget | Step::Renew) {
            tell(&mut context.object, &facts, step);
        }
        tracing::debug!(?step, "decided");
        if let Some(end) = ending(desk, context, &facts, step, look.heard).await? {
            return Ok(end);
        }
        let limits = Limits { settings, now: facts.now, generation };
        if step == Step::Restore {
            desk.restore(context, look.retrievable).await?;
        } else {
            act(desk, context, step, look.wanted.as_ref().ok(), limits).await?;
        }
        context.save().await?;
    }
    Ok(Outcome::progress(50, "there is more to do").requeue_after(Duration::ZERO))
}

/// What ends this turn: nothing is due, or not now.
async fn ending<D: Desk>(
    desk: &D,
    context: &mut Context<D::Customer>,
    facts: &Facts<'_>,
    step: Step,
    heard: bool,
) -> Result<Option<Outcome>, ActuatorError> {
    let backing = facts.backing;
    let message = backing.failure_message.clone();
    Ok(Some(match step {
        Step::Steady | Step::Disabled => Outcome::done(),
        Step::Gone => {
            if facts.wish != Wish::Deleted {
                context.save().await?;
                if desk.settings().after_deletion == AfterDeletion::Delete {
                    delete(context).await?;
                }
            }
            Outcome::done()
        }
        Step::Refused => {
            let message = message.unwrap_or_default();
            return Err(ActuatorError::new(message.clone()).code(code(&message, facts.wish)).fatal());
        }
        Step::Unresolved => {
            let words = facts.wanted.err().map(ToString::to_string).unwrap_or_default();
            let unresolved = ActuatorError::new(words).code(ErrorCode::RetryableConfigurationProblem);
            return Err(if heard { unresolved.retry_after(Waiting::FALLBACK) } else { unresolved });
        }
        Step::Blocked => {
            let words = format!("these bindings must be removed first: {}", facts.blocked_by.join(", "));
            return Err(ActuatorError::new(words)
                .code(ErrorCode::Dependencies)
                .retry_after(Waiting::FALLBACK));
        }
        Step::Wait(until) if backing.async_op_in_progress || backing.failure_reason.is_none() => {
            let words = message.unwrap_or_else(|| "the broker is at it".to_owned());
            Outcome::progress(50, words).requeue_at(until)
        }
        Step::Wait(until) => {
            let message = message.unwrap_or_default();
            let pause = until.duration_since(facts.now).try_into().unwrap_or_default();
            return Err(ActuatorError::new(message.clone())
                .code(code(&message, facts.wish))
                .retry_after(pause));
        }
        _ => return Ok(None),
    }))
}

/// Does one step.
async fn act<D: Desk>(
    desk: &D,
    context: &mut Context<D::Customer>,
    step: Step,
    wanted: Option<&Properties>,
    limits: Limits<'_>,
) -> Result<(), ActuatorError> {
    let thing = D::Customer::THING;
    match step {
        Step::Ask(operation) => {
            let backing = context.object.backing();
            let uid = context.object.uid().unwrap_or_default();
            let derived = || external_id(context.object.chosen_id(), &uid, backing.incarnation);
            let id = backing.external_id.clone().unwrap_or_else(derived);
            let wanted = wanted.filter(|_| operation != thing.removing());
            if operation == thing.making() {
                desk.note(context).await?;
            }
            // What cannot be sent is not written down as if it might have been.
            desk.reach(context).await?;
            life::intend(context.object.backing_mut(), operation, wanted, &id, limits);
            context.save().await?;
            let verdict = desk.ask(context, operation).await?;
            if let Verdict::Done(body) = &verdict {
                desk.keep(context, operation, Some(&**body)).await?;
            }
            let limits = later(context, limits);
            life::answered(context.object.backing_mut(), thing, &verdict, limits);
        }
        Step::Mitigate => {
            context.object.backing_mut().orphan_mitigation_in_progress = true;
            context.save().await?;
            let verdict = desk.ask(context, thing.removing()).await?;
            let limits = later(context, limits);
            life::answered(context.object.backing_mut(), thing, &verdict, limits);
        }
        Step::Poll => {
            let backing = context.object.backing();
            let operation = match backing.current_operation {
                Some(operation) if !backing.orphan_mitigation_in_progress => operation,
                _ => thing.removing(),
            };
            let poll = desk.poll(context, protocol(operation)).await?;
            if matches!(poll, Poll::Succeeded { .. }) && !backing.orphan_mitigation_in_progress {
                desk.keep(context, operation, None).await?;
            }
            let limits = later(context, limits);
            life::polled(context.object.backing_mut(), thing, &poll, limits);
        }
        Step::Expire => life::expire(context.object.backing_mut(), thing, limits),
        Step::Fetch => {
            let fetched = desk.fetch(context).await?;
            let limits = later(context, limits);
            life::fetched(context.object.backing_mut(), thing, &fetched, limits);
        }
        Step::Forget => life::forget(context.object.backing_mut(), thing),
        Step::Renew => life::renew(context.object.backing_mut()),
        _ => {}
    }
    Ok(())
}

/// The same limits after a request, which has taken its time.
fn later<'a, K: Extension>(context: &Context<K>, limits: Limits<'a>) -> Limits<'a> {
    Limits { now: context.now(), ..limits }
}

/// Sets the conditions.
fn tell<K: Customer>(object: &mut K, facts: &Facts<'_>, step: Step) {
    for told in life::conditions(facts, step) {
        let conditions = &mut object.status_mut().conditions;
        let known = conditions.iter().any(|condition| condition.type_ == told.kind);
        // What never was need not be denied.
        if told.holds || known || told.kind == crate::kinds::READY {
            let Told { kind, holds, reason, message } = told;
            set_condition(
                conditions,
                kind,
                holds.into(),
                &reason,
                &message,
                Some(facts.generation),
                facts.now,
            );
        }
    }
}

/// Deletes the object itself, whose backing thing is gone.
async fn delete<K: Customer>(context: &Context<K>) -> Result<(), ActuatorError> {
    let object = &context.object;
    let namespace = object.namespace().unwrap_or_default();
    let objects = Api::<K>::namespaced(context.client(), &namespace);
    let preconditions = Preconditions { uid: object.uid(), resource_version: None };
    let deletion = DeleteParams::background().preconditions(preconditions);
    match objects.delete(&object.name_any(), &deletion).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(refusal)) if matches!(refusal.code, 404 | 409) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// What sort of error the broker's words are about. Whatever keeps a broker from taking a thing back is one that force can be
/// confirmed for: a broker that is no more never answers.
fn code(message: &str, wish: Wish) -> ErrorCode {
    match message.strip_prefix("Status: ").and_then(|rest| rest.get(..3)) {
        Some("401") => ErrorCode::Unauthenticated,
        Some("403") => ErrorCode::Unauthorized,
        Some("429") => ErrorCode::RateLimitsExceeded,
        Some(status) if status.starts_with('4') => ErrorCode::ConfigurationProblem,
        _ if wish == Wish::Deleted => ErrorCode::CleanupResources,
        _ => ErrorCode::Other("ERR_BROKER".to_owned()),
    }
}

fn protocol(operation: CurrentOperation) -> Operation {
    match operation {
        CurrentOperation::Provision => Operation::Provision,
        CurrentOperation::Update => Operation::Update,
        CurrentOperation::Deprovision => Operation::Deprovision,
        CurrentOperation::Bind => Operation::Bind,
        CurrentOperation::Unbind => Operation::Unbind,
    }
}

/// What letting go by force leaves at a broker, and may be charged for.
fn left_behind<K: Customer>(object: &K) -> String {
    let backing = object.backing();
    match (&backing.external_id, backing.deprovision_status) {
        (Some(id), Some(status)) if status != crate::kinds::DeprovisionStatus::Succeeded => format!(
            "let go without the broker: {} may still have, and charge for, what it knows by {id}",
            object.broker().unwrap_or("the broker")
        ),
        _ => "nothing was left at a broker".to_owned(),
    }
}
