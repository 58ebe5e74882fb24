//! Who owns the fields of what is written.

use std::borrow::Cow;

use fields::{ApplyError, FieldSet, PathElement, Request, Versions};
use http::StatusCode;
use schema::{Tree, View};
use serde_json::Value;

use super::body::{defaulted, expected_kind};
use super::call::Call;
use super::metadata;
use crate::status::{Cause, Details, Status};

impl Call {
    /// Notes in a changed object who owns what. What was rewritten counts as changed.
    pub(super) fn own_changes(&self, live: &Value, rewritten: &FieldSet<'_>, object: &mut Value) {
        with_request(self, &self.manager(), |request| {
            Request { rewritten, ..request }.update(Some(live), object);
        });
    }

    /// The lists in what was sent that are rewritten, though they may be shown as before.
    pub(super) fn rewritten(&self, sent: &Tree) -> FieldSet<'static> {
        if self.resource.is_custom() {
            return FieldSet::default();
        }
        self.with_structure(|view| {
            let lists = schema::respelled_lists(view, sent);
            FieldSet::of(lists.into_iter().map(|path| path.into_iter().map(PathElement::field))).into_owned()
        })
    }

    /// Notes in a new object who owns what.
    pub(super) fn own_fields(&self, object: &mut Value) {
        let Some(mut counted) = self.rules().counted(object) else {
            return with_request(self, &self.manager(), |request| request.update(None, object));
        };
        with_request(self, &self.manager(), |request| request.update(None, &mut counted));
        let managers = metadata::fields(&mut counted).remove("managedFields").unwrap_or_default();
        metadata::fields(object).insert("managedFields".into(), managers);
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
    let empty = call.empty();
    let reset = reset_fields(call, &call.version);
    call.with_structure(|view| {
        write(Request {
            manager,
            api_version: &api_version,
            kind: expected.kind,
            subresource: &call.subresource,
            view,
            reset: &reset,
            rewritten: &FieldSet::default(),
            empty: &empty,
            versions: &Served(call),
            now: call.now,
        })
    })
}

/// The versions in which the kind of a request is served. What is not the object itself has no others.
struct Served<'a>(&'a Call);

impl Served<'_> {
    fn version(&self, api_version: &str) -> Option<&str> {
        let resource = &self.0.resource;
        let served = || resource.versions.iter().find(|own| resource.api_version(own) == api_version);
        if self.0.part().is_none() { served().map(|version| &**version) } else { None }
    }
}

impl Versions for Served<'_> {
    fn structure(&self, api_version: &str) -> Option<View<'_>> {
        self.0.resource.structure(self.version(api_version)?)
    }

    fn resets(&self, api_version: &str) -> FieldSet<'static> {
        let call = self.0;
        // The front door of a custom kind keeps the status of its own version only out of what it writes.
        if call.resource.is_custom() && call.subresource.is_empty() {
            return FieldSet::default();
        }
        self.version(api_version).map(|version| reset_fields(call, version)).unwrap_or_default()
    }

    fn convert<'v>(&self, object: &'v Value, from: &str, to: &str) -> Cow<'v, Value> {
        let resource = &self.0.resource;
        match (self.version(from), self.version(to)) {
            // Without a webhook, custom objects are in all versions what they are in one.
            (Some(from), Some(to)) if !resource.is_custom() => {
                let mut object = object.clone();
                resource.keep(&mut object, from);
                Cow::Owned(resource.convert(&object, to))
            }
            _ => Cow::Borrowed(object),
        }
    }

    fn is_custom(&self) -> bool {
        self.0.resource.is_custom() && self.0.part().is_none()
    }
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

/// Puts back the empty maps and lists, and the nulls where all was removed, that reading metadata takes away. They are
/// stored, though nobody sees them, so that the next write of a state that looks the same is one that changes something.
fn restore_empty(merged: &Value, metadata: &mut Value) {
    let empty = |value: &Value| match value {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        value => value.is_null(),
    };
    if let (Some(merged), Some(metadata)) = (merged.as_object(), metadata.as_object_mut()) {
        for (name, value) in merged.iter().filter(|(_, value)| empty(value)) {
            metadata.entry(name).or_insert_with(|| value.clone());
        }
    }
}

/// What this door does not write of an object in a version.
fn reset_fields(call: &Call, version: &str) -> FieldSet<'static> {
    let rules = call.resource.rules(version);
    // A version without a status of its own has no such door.
    if call.resource.is_custom() && &*call.subresource == "status" && !rules.has_status() {
        return FieldSet::default();
    }
    FieldSet::of_fields(rules.resets(&call.subresource).iter().copied())
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
