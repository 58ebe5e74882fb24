//! Who owns the fields of what is written.

use fields::{ApplyError, FieldSet, Request, Versions};
use http::StatusCode;
use schema::Tree;
use serde_json::Value;

use super::body::{defaulted, expected_kind};
use super::call::Call;
use crate::status::{Cause, Details, Status};

impl Call {
    /// Notes in a new or changed object who owns what.
    pub(super) fn own_fields(&self, live: Option<&Value>, object: &mut Value) {
        with_request(self, &self.manager(), |request| request.update(live, object));
    }

    /// What an apply makes of the live object.
    pub(super) fn apply_fields(&self, live: Option<&Value>, wanted: &Value) -> Result<Value, Status> {
        let force = self.options.force.unwrap_or_default();
        let merged =
            with_request(self, &self.options.field_manager, |request| request.apply(live, wanted, force))
                .map_err(|error| refusal(&error))?;
        if self.resource.is_custom() {
            let decoded = self.decode(Tree::from(merged.clone()), false).map_err(Status::internal)?;
            let mut object = decoded.value;
            restore_nulls(&merged, &mut object);
            restore_empty(&merged["metadata"], &mut object["metadata"]);
            return Ok(defaulted(self, object));
        }
        let decoded = self.with_structure(|view| schema::convert(view, merged, false));
        let decoded = decoded.map_err(|error| self.inconvertible(&error.to_string()))?;
        Ok(defaulted(self, decoded.value))
    }

    /// What was applied has the form of its kind, and a value in it that cannot be read.
    fn inconvertible(&self, why: &str) -> Status {
        let expected = expected_kind(self);
        let kind = format!("{}/{}, Kind={}", expected.group, expected.version, expected.kind);
        unexplained(format!(
            "failed to convert new object ({}/{}; {kind}) to proper version: unable to convert unstructured object to {kind}: {why}",
            self.namespace, self.name
        ))
    }
}

fn with_request<T>(call: &Call, manager: &str, write: impl FnOnce(Request<'_>) -> T) -> T {
    let expected = expected_kind(call);
    let api_version = expected.api_version();
    let object = call.part().is_none();
    let known = |version: &str| {
        let served = || call.resource.versions.iter().any(|own| call.resource.api_version(own) == version);
        if object { served() } else { version == api_version }
    };
    let custom = call.resource.is_custom() && object;
    let versions = if custom { Versions::Custom(&known) } else { Versions::Builtin(&known) };
    let empty = call.empty();
    let reset = reset_fields(call);
    call.with_structure(|view| {
        write(Request {
            manager,
            api_version: &api_version,
            kind: expected.kind,
            subresource: &call.subresource,
            view,
            reset: &reset,
            empty: &empty,
            versions,
            now: call.now,
        })
    })
}

/// Puts back the nulls that reading a body takes away. What is applied is not read as one: a null that is left where
/// everything was removed is found to be no object.
fn restore_nulls(merged: &Value, object: &mut Value) {
    match (merged, object) {
        (Value::Object(merged), Value::Object(object)) => {
            for (name, value) in merged.iter().filter(|(name, _)| *name != "metadata") {
                if value.is_null() {
                    object.entry(name).or_insert(Value::Null);
                } else if let Some(present) = object.get_mut(name) {
                    restore_nulls(value, present);
                }
            }
        }
        (Value::Array(merged), Value::Array(object)) if merged.len() == object.len() => {
            merged.iter().zip(object).for_each(|(merged, object)| restore_nulls(merged, object));
        }
        _ => {}
    }
}

/// Puts back the empty maps and lists that reading metadata takes away. They are stored, though nobody sees them, so that
/// the next write of a state that looks the same is one that changes something.
fn restore_empty(merged: &Value, metadata: &mut Value) {
    let empty = |value: &Value| match value {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    if let (Some(merged), Some(metadata)) = (merged.as_object(), metadata.as_object_mut()) {
        for (name, value) in merged.iter().filter(|(_, value)| empty(value)) {
            metadata.entry(name).or_insert_with(|| value.clone());
        }
    }
}

/// What this door does not write.
fn reset_fields(call: &Call) -> FieldSet<'static> {
    FieldSet::of_fields(call.rules().resets(&call.subresource).iter().copied())
}

fn refusal(error: &ApplyError) -> Status {
    match error {
        ApplyError::Conflicts(conflicts) => {
            let causes = conflicts.all().iter().map(|conflict| Cause {
                reason: "FieldManagerConflict".into(),
                message: format!("conflict with {}", conflict.manager),
                field: conflict.field.clone(),
            });
            let mut status = Status::new(StatusCode::CONFLICT, "Conflict", conflicts.to_string());
            status.details = Some(Box::new(Details { causes: causes.collect(), ..Details::default() }));
            status
        }
        ApplyError::WrongType(_) | ApplyError::ManagedFieldsGiven => Status::bad_request(error.to_string()),
        _ => unexplained(error.to_string()),
    }
}

/// An error that the server shows as it is.
pub(super) fn unexplained(message: String) -> Status {
    Status { code: StatusCode::INTERNAL_SERVER_ERROR, reason: "".into(), message, details: None }
}
