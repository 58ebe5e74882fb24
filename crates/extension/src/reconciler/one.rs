//! One operation on one object, from what was told of it to what is written.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kube::ResourceExt;
use kube::core::{ApiResource, DynamicObject};
use tokio_util::sync::CancellationToken;

use super::digest::{digest, revision};
use super::owner::{self, OwnerKind};
use super::queue::{Finished, Next, Taken};
use super::settle::{Ended, Occasion};
use super::{Settings, api, pauses, settle};
use crate::annotations::{self, Asked};
use crate::context::status_of;
use crate::events::Events;
use crate::force::{self, Force};
use crate::operation::{self, Due, Why};
use crate::status::{OperationState, OperationType};
use crate::writer::Writer;
use crate::{Actuator, ActuatorError, Context, Environment, ErrorCode, Extension, Outcome, Trigger};

/// An operation that is over sooner is told of only by its end.
const UNTOLD: Duration = Duration::from_secs(1);

/// What the tasks of a controller share.
pub(super) struct Core<A: Actuator> {
    pub(super) environment: Environment,
    pub(super) actuator: Arc<A>,
    pub(super) settings: Settings,
    pub(super) resource: ApiResource,
    pub(super) owners: Vec<OwnerKind>,
    pub(super) trigger: Trigger,
    pub(super) stopping: CancellationToken,
}

impl<A: Actuator> Core<A> {
    /// Does what is due for an object.
    pub(super) async fn handle(&self, taken: Taken) -> Finished {
        let (key, attempts) = (taken.key.clone(), taken.attempts);
        match self.try_handle(taken).await {
            Ok(finished) => finished,
            Err(error) => {
                let error = crate::error::with_causes(&error);
                tracing::warn!(error, "the object could not be read or written, and is tried again");
                let pause = pauses::after_failure(&key, attempts);
                Finished { next: Next::Repeat(self.environment.clock.after(pause)), ..Finished::default() }
            }
        }
    }

    async fn try_handle(&self, taken: Taken) -> Result<Finished, kube::Error> {
        let objects =
            api::<DynamicObject>(&self.environment.client, &self.resource, taken.key.namespace.as_deref());
        let told = match taken.object {
            Some(told) => *told,
            None => match objects.get_opt(&taken.key.name).await? {
                Some(read) => read,
                None => return Ok(Finished::default()),
            },
        };
        let rest = Finished {
            handled: Some((revision(told.resource_version().as_deref()), digest(&told.metadata))),
            ..Finished::default()
        };
        if annotations::ignored(&told.metadata) {
            return Ok(rest);
        }
        let object: A::Object = match told.clone().try_parse() {
            Ok(object) => object,
            Err(error) => {
                settle::record_unreadable(&objects, &told, &error.to_string(), self.environment.clock.now())
                    .await?;
                return Ok(rest);
            }
        };
        if !self.is_ours(&object) {
            return Ok(rest);
        }
        let events = Events::about(&self.environment, &object);
        let asked = match annotations::operation(&told.metadata) {
            Ok(asked) => asked,
            Err(error) => {
                events.tell(true, "OperationUnknown", "Read", &error.to_string()).await;
                None
            }
        };
        let forced = self.is_forced(&told, &object, &events).await?;
        let due = operation::due(&told.metadata, object.status(), asked, &self.settings.finalizer, forced);
        let writer = Arc::new(Writer::new(objects, &told, status_of(&object)));
        let operation = match due {
            Due::Run(operation) => operation,
            Due::Rest(Why::Migrated) => {
                writer.write_metadata(None, &spellings(&told, asked)).await?;
                return Ok(ended(&writer, Next::Rest));
            }
            Due::Rest(_) => return Ok(rest),
        };
        let context = Context {
            object,
            operation,
            environment: self.environment.clone(),
            events,
            writer,
            trigger: self.trigger.clone(),
            interrupted: taken.interrupted,
            stopping: self.stopping.clone(),
        };
        self.operate(context, &told, asked, taken.attempts).await
    }

    async fn operate(
        &self,
        mut context: Context<A::Object>,
        told: &DynamicObject,
        asked: Option<Asked>,
        attempts: u32,
    ) -> Result<Finished, kube::Error> {
        let writer = Arc::clone(&context.writer);
        let operation = context.operation;
        let occasion = Occasion::new(&context, told, asked);
        if operation == OperationType::Delete
            && self.settings.confirm_deletion
            && !annotations::confirms_deletion(&told.metadata)
        {
            settle::record(&mut context, OperationState::Pending, 0, settle::UNCONFIRMED).await?;
            return Ok(ended(&writer, Next::Rest));
        }
        let once = matches!(asked, Some(Asked::Reconcile | Asked::Retry));
        let hold = match operation {
            OperationType::Create | OperationType::Reconcile | OperationType::Restore => {
                let held = told.finalizers().contains(&self.settings.finalizer);
                (!held).then_some((self.settings.finalizer.as_str(), true))
            }
            _ => None,
        };
        if hold.is_some() || once {
            let without = if once { spellings(told, asked) } else { Vec::new() };
            if writer.write_metadata(hold, &without).await?.is_none() {
                return Ok(Finished::default());
            }
        }
        if operation == OperationType::ForceDelete {
            settle::record(&mut context, OperationState::Processing, 1, "Letting go by force").await?;
        }
        // What is told of it names it, and traces say how it ended.
        tracing::Span::current().record("operation", operation.as_str());
        let begun = Instant::now();
        let result = self.call(&mut context).await;
        self.measure(operation, &result, begun.elapsed());
        let next = self.next(&context, &result, attempts);
        let end = Ended { result, finalizer: &self.settings.finalizer, annotations: spellings(told, asked) };
        settle::settle(&mut context, &occasion, end).await?;
        Ok(ended(&writer, next))
    }

    /// Calls the actuator, ends it when it takes too long, and tells that it is under way when it takes its time.
    async fn call(&self, context: &mut Context<A::Object>) -> Result<Outcome, ActuatorError> {
        let operation = context.operation;
        let (clock, writer) = (self.environment.clock.clone(), Arc::clone(&context.writer));
        let limit = self.settings.timeouts.get(&operation).copied().unwrap_or(self.settings.timeout);
        // Both count from now, whenever they are first looked at.
        let (told, ended) = (clock.after(UNTOLD), clock.after(limit));
        let telling = async {
            clock.sleep_until(told.min(ended)).await;
            if operation != OperationType::ForceDelete {
                // The end of the operation is told in any case.
                let _ = settle::record_processing(&writer, operation, clock.now()).await;
            }
            clock.sleep_until(ended).await;
        };
        let actuator = &*self.actuator;
        let calling = async {
            match operation {
                OperationType::Create | OperationType::Reconcile => actuator.reconcile(context).await,
                OperationType::Delete => actuator.delete(context).await,
                OperationType::ForceDelete => actuator.force_delete(context).await,
                OperationType::Migrate => actuator.migrate(context).await,
                OperationType::Restore => actuator.restore(context).await,
            }
        };
        tokio::select! {
            biased;
            result = calling => result,
            () = telling => {
                Err(ActuatorError::new(format!("{operation} took longer than {limit:?}")).code(ErrorCode::Timeout))
            }
        }
    }

    fn next(
        &self,
        context: &Context<A::Object>,
        result: &Result<Outcome, ActuatorError>,
        attempts: u32,
    ) -> Next {
        let (key, clock) = (context.key(), &self.environment.clock);
        match result {
            Ok(outcome) => match outcome.again {
                Some(again) => Next::At(again.instant(clock)),
                None if outcome.done => Next::Rest,
                None => Next::Repeat(clock.after(pauses::while_waiting(&key, attempts))),
            },
            Err(error) if error.fatal => Next::Rest,
            Err(error) => {
                let pause = error.after.unwrap_or_else(|| pauses::after_failure(&key, attempts));
                Next::Repeat(clock.after(pause))
            }
        }
    }

    fn is_ours(&self, object: &A::Object) -> bool {
        let Settings { class, extension_type, .. } = &self.settings;
        (class.is_none() || class.as_deref() == object.class())
            && (extension_type.is_none() || extension_type.as_deref() == object.extension_type())
    }

    /// Whether the object is to be let go by force. Admission has checked it, and may have been passed by.
    async fn is_forced(
        &self,
        told: &DynamicObject,
        object: &A::Object,
        events: &Events,
    ) -> Result<bool, kube::Error> {
        let held = told.finalizers().contains(&self.settings.finalizer);
        let owner = match told.metadata.deletion_timestamp {
            Some(_) if held => owner::owner(&self.environment.client, &self.owners, told).await?,
            _ => None,
        };
        let says = owner.as_ref().map(|owner| (&owner.object.metadata, owner.status.as_ref()));
        match force::force(&told.metadata, object.status(), says) {
            Force::NotAsked => Ok(false),
            Force::Granted(_) => Ok(true),
            Force::Refused(refusal) => {
                events.tell(true, "ForceDeletionRefused", "ForceDelete", &refusal.to_string()).await;
                Ok(false)
            }
        }
    }

    fn measure(&self, operation: OperationType, result: &Result<Outcome, ActuatorError>, took: Duration) {
        let ended = match result {
            Ok(outcome) if outcome.done => "succeeded",
            Ok(_) => "processing",
            Err(error) if error.fatal => "failed",
            Err(_) => "error",
        };
        let (controller, operation) = (self.settings.name.as_str(), operation.as_str());
        let labels = [("controller", controller), ("operation", operation), ("result", ended)];
        let metrics = &self.environment.metrics;
        metrics.count("slipway_operations_total", "Operations, by how they ended.", &labels);
        metrics.observe("slipway_operation_seconds", "How long operations took.", &labels[..2], took);
        let span = tracing::Span::current();
        span.record("result", ended);
        if let Err(error) = result {
            span.record("error", error.description.as_str());
        }
        tracing::debug!(operation, ended, ?took, "operation");
    }
}

fn ended(writer: &Writer, next: Next) -> Finished {
    let (version, digest) = writer.written();
    Finished {
        handled: Some((revision(version.as_deref()), digest)),
        overtaken: writer.was_overtaken(),
        next,
    }
}

/// In which spellings an operation is asked for.
fn spellings(object: &DynamicObject, asked: Option<Asked>) -> Vec<&'static str> {
    let there = |annotation: &&str| object.annotations().contains_key(*annotation);
    annotations::OPERATION.into_iter().filter(there).filter(|_| asked.is_some()).collect()
}
