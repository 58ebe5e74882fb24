//! What is written about an operation: while it goes on, and when it is over.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::api::{Patch, PatchParams};
use kube::core::DynamicObject;
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use crate::annotations::Asked;
use crate::context::status_of;
use crate::status::{
    ErrorCode, ExtensionStatus, LastError, LastOperation, OperationState, OperationType, set_condition,
};
use crate::writer::Writer;
use crate::{ActuatorError, Context, Extension, Outcome};

/// What is said of a deletion that waits for its confirmation.
pub(super) const UNCONFIRMED: &str =
    "Waits for the annotation confirmation.slipway.dev/deletion: \"true\" before anything is taken down";

/// What an operation is about, as it was when it began.
pub(super) struct Occasion {
    generation: Option<i64>,
    /// Nothing has changed and nobody has asked: if it goes well, there is nothing to tell.
    routine: bool,
    errors: Vec<LastError>,
}

impl Occasion {
    pub(super) fn new<K: Extension>(
        context: &Context<K>,
        told: &DynamicObject,
        asked: Option<Asked>,
    ) -> Self {
        let generation = told.metadata.generation;
        let status = context.object.status();
        let settled = status.is_some_and(|status| {
            status.last_operation.as_ref().is_some_and(|last| last.state == OperationState::Succeeded)
                && status.observed_generation == generation
                && status.last_errors.is_empty()
        });
        Self {
            generation,
            routine: context.operation == OperationType::Reconcile && asked.is_none() && settled,
            errors: status.map(|status| status.last_errors.clone()).unwrap_or_default(),
        }
    }
}

/// How an operation ended, and what is to be taken off the object then.
pub(super) struct Ended<'a> {
    pub(super) result: Result<Outcome, ActuatorError>,
    pub(super) finalizer: &'a str,
    pub(super) annotations: Vec<&'static str>,
}

/// Writes how an operation ended, and lets go of the object where that is due.
pub(super) async fn settle<K: Extension>(
    context: &mut Context<K>,
    occasion: &Occasion,
    ended: Ended<'_>,
) -> Result<(), kube::Error> {
    match ended.result {
        Ok(outcome) => went_well(context, occasion, outcome, ended.finalizer, &ended.annotations).await,
        Err(error) => went_wrong(context, occasion, &error).await,
    }
}

async fn went_well<K: Extension>(
    context: &mut Context<K>,
    occasion: &Occasion,
    outcome: Outcome,
    finalizer: &str,
    annotations: &[&str],
) -> Result<(), kube::Error> {
    let (operation, now) = (context.operation, context.now());
    let status = context.object.status_mut();
    for set in &outcome.conditions {
        set_condition(
            &mut status.conditions,
            &set.kind,
            set.status,
            &set.reason,
            &set.message,
            occasion.generation,
            now,
        );
    }
    let description = outcome.description.clone();
    if !outcome.done {
        let description = description.unwrap_or_default();
        return record(context, OperationState::Processing, outcome.progress, &description).await;
    }
    status.last_errors.clear();
    status.observed_generation = occasion.generation;
    if !occasion.routine || description.is_some() {
        let description = description.unwrap_or_default();
        // What is done again and again stays what it was called at first.
        let operation = status
            .last_operation
            .as_ref()
            .filter(|_| occasion.routine)
            .map_or(operation, |last| last.operation);
        set_operation(status, operation, OperationState::Succeeded, 100, &description, now);
    }
    let description =
        context.object.status_mut().last_operation.as_ref().map(|last| last.description.clone());
    let description = description.filter(|description| !description.is_empty());
    match operation {
        OperationType::Create | OperationType::Reconcile => write(context).await,
        OperationType::Delete | OperationType::ForceDelete => {
            let (reason, note) = match operation {
                OperationType::Delete => ("Deleted", description.as_deref().unwrap_or("deleted")),
                _ => ("ForceDeleted", description.as_deref().unwrap_or("let go by force")),
            };
            if operation == OperationType::ForceDelete {
                context.warn(reason, note).await;
            } else {
                context.event(reason, note).await;
            }
            let left = context.writer.write_metadata(Some((finalizer, false)), &[]).await?;
            // Others hold it still: they and their users should see how far we are.
            if left.is_some_and(|left| !left.finalizers().is_empty()) { write(context).await } else { Ok(()) }
        }
        OperationType::Migrate => {
            // What was exported must be stored before anybody else may act on it.
            write(context).await?;
            context.event("Migrated", description.as_deref().unwrap_or("handed over")).await;
            context.writer.write_metadata(Some((finalizer, false)), annotations).await?;
            Ok(())
        }
        OperationType::Restore => {
            write(context).await?;
            context.event("Restored", description.as_deref().unwrap_or("taken over")).await;
            context.writer.write_metadata(None, annotations).await?;
            Ok(())
        }
    }
}

async fn went_wrong<K: Extension>(
    context: &mut Context<K>,
    occasion: &Occasion,
    error: &ActuatorError,
) -> Result<(), kube::Error> {
    let now = context.now();
    tracing::info!(operation = %context.operation, %error, fatal = error.fatal, "an operation did not succeed");
    let errors: Vec<_> = std::iter::once(error)
        .chain(&error.others)
        .map(|error| {
            let known = occasion.errors.iter().find(|known| {
                known.description == error.description
                    && known.codes == error.codes
                    && known.task_id == error.task
            });
            known.cloned().unwrap_or_else(|| LastError {
                description: error.description.clone(),
                codes: error.codes.clone(),
                task_id: error.task.clone(),
                last_update_time: Some(Time(now)),
            })
        })
        .collect();
    let news = errors != occasion.errors;
    let status = context.object.status_mut();
    status.last_errors = errors;
    status.observed_generation = occasion.generation;
    let progress = status.last_operation.as_ref().filter(|last| last.operation == context.operation);
    let progress = progress.map_or(0, |last| last.progress.min(99));
    let state = if error.fatal { OperationState::Failed } else { OperationState::Error };
    record(context, state, progress, &error.description).await?;
    if news {
        let reason = format!("{}{}", context.operation, if error.fatal { "Failed" } else { "Error" });
        context.warn(&reason, &error.description).await;
    }
    Ok(())
}

/// Writes how an operation goes, with all that the actuator has changed.
pub(super) async fn record<K: Extension>(
    context: &mut Context<K>,
    state: OperationState,
    progress: u8,
    description: &str,
) -> Result<(), kube::Error> {
    let (operation, now) = (context.operation, context.now());
    set_operation(context.object.status_mut(), operation, state, progress, description, now);
    write(context).await
}

/// Writes that an operation is under way, while the actuator has the object.
pub(super) async fn record_processing(
    writer: &Writer,
    operation: OperationType,
    now: Timestamp,
) -> Result<(), kube::Error> {
    let telling = |mut status: Value| {
        // The actuator may have told more already.
        let last = &status["lastOperation"];
        if last["state"] == "Processing" && last["type"] == operation.as_str() {
            return None;
        }
        status["lastOperation"] = json!({
            "type": operation,
            "state": OperationState::Processing,
            "progress": 1,
            "lastUpdateTime": Time(now),
        });
        Some(status)
    };
    writer.change_status(telling).await
}

/// Writes that an object cannot be understood at all.
pub(super) async fn record_unreadable(
    objects: &Api<DynamicObject>,
    object: &DynamicObject,
    error: &str,
    now: Timestamp,
) -> Result<(), kube::Error> {
    let known = object.data.pointer("/status/lastErrors/0/description").and_then(|known| known.as_str());
    if known == Some(error) {
        return Ok(());
    }
    tracing::warn!(error, "the object cannot be understood");
    let operation = if object.metadata.deletion_timestamp.is_some() {
        OperationType::Delete
    } else {
        OperationType::Reconcile
    };
    let status = json!({"status": {
        "lastOperation": LastOperation {
            operation,
            state: OperationState::Failed,
            progress: 0,
            description: "The object cannot be understood".to_owned(),
            last_update_time: Some(Time(now)),
        },
        "lastErrors": [LastError {
            description: error.to_owned(),
            codes: vec![ErrorCode::ConfigurationProblem],
            task_id: None,
            last_update_time: Some(Time(now)),
        }],
        "observedGeneration": object.metadata.generation,
    }});
    match objects.patch_status(&object.name_any(), &PatchParams::default(), &Patch::Merge(&status)).await {
        Err(kube::Error::Api(refusal)) if refusal.code == 404 => Ok(()),
        written => written.map(drop),
    }
}

async fn write<K: Extension>(context: &Context<K>) -> Result<(), kube::Error> {
    context.writer.write_status(status_of(&context.object)).await
}

/// Sets the last operation. Its time is that of the last change.
fn set_operation(
    status: &mut ExtensionStatus,
    operation: OperationType,
    state: OperationState,
    progress: u8,
    description: &str,
    now: Timestamp,
) {
    let new = LastOperation {
        operation,
        state,
        progress,
        description: description.to_owned(),
        last_update_time: Some(Time(now)),
    };
    let same = status.last_operation.as_ref().is_some_and(|old| {
        LastOperation { last_update_time: None, ..old.clone() }
            == LastOperation { last_update_time: None, ..new.clone() }
    });
    if !same {
        status.last_operation = Some(new);
    }
}
