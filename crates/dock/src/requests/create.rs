//! POST: a new object.

use http::StatusCode;
use serde_json::Value;

use super::call::{Call, Operation};
use super::metadata;
use crate::http::answer::{Answer, Content};
use crate::meta;
use crate::server::Server;
use crate::status::Status;
use crate::store::{CommitError, Expected, Stored};

/// A made-up name that is taken is made up anew so often.
const ATTEMPTS: usize = 8;

impl Server {
    /// Answers a POST to a collection.
    pub(crate) async fn create(&self, call: &Call) -> Result<Answer, Status> {
        call.options.check_write("CreateOptions")?;
        let mut object = call.read_object()?;
        reset_system_fields(&mut object);
        metadata::take_namespace(&mut object, call.resource.namespaced, &call.namespace)?;
        if let Some(repeated) = metadata::dedup_owners(&mut object) {
            call.warn(repeated_owners(&repeated));
        }
        call.own_fields(&mut object);
        let created = self.create_object(call, object).await?;
        call.check_shape(false)?;
        let shown = call.shown(&created);
        Ok(Answer::with(StatusCode::CREATED, Content::Object(shown)))
    }

    /// Admits, prepares, checks and stores a new object whose managed fields are settled.
    pub(super) async fn create_object(&self, call: &Call, object: Value) -> Result<Value, Status> {
        let generated =
            metadata::text(&object, "name").is_empty() && !metadata::text(&object, "generateName").is_empty();
        let attempts = if generated { ATTEMPTS } else { 1 };
        let mut refusal = Status::internal("no attempt was made");
        for _ in 0..attempts {
            let mut object = object.clone();
            self.check_definition(call, &object)?;
            call.resource.keep(&mut object, &call.version);
            self.admit(call, Operation::Create, &mut object, None).await?;
            if let Some(repeated) = metadata::dedup_owners(&mut object) {
                call.warn(repeated_owners(&repeated));
            }
            let object = self.prepared(call, object)?;
            self.validate_admission(call, Operation::Create, &object, None).await?;
            let name = metadata::text(&object, "name").to_owned();
            let key = call.resource.object_key(&call.namespace, &name);
            if call.options.is_dry_run() {
                return match self.store.get(&key) {
                    Some(present) => Err(taken(call, &name, Some(&present))),
                    None => Ok(object),
                };
            }
            match self.store.put(&key, Expected::Absent, object).await {
                Ok(stored) => {
                    self.after_change(&stored).await;
                    return Ok(stored.object.as_ref().clone());
                }
                Err(CommitError::Changed(present)) => refusal = taken(call, &name, present.as_ref()),
                Err(CommitError::Journal(error)) => return Err(Status::internal(error)),
            }
        }
        Err(refusal)
    }

    /// A new object as it will be stored: with what the server fills in, and valid.
    fn prepared(&self, call: &Call, mut object: Value) -> Result<Value, Status> {
        let resource = &call.resource;
        let rules = call.rules();
        meta::before_create(&mut object, call.now, &meta::random_uid(), &meta::random_suffix());
        metadata::fields(&mut object).remove("resourceVersion");
        // What is made by way of its status gets no address: only the other door gives them out.
        if call.subresource.is_empty() {
            self.allocate(call, &mut object, None)?;
        }
        rules.prepare_create(&mut object, &call.context());
        if rules.has_generation() {
            metadata::fields(&mut object).insert("generation".into(), 1.into());
        }
        let mut errors = resource.validate_metadata(&object);
        errors.extend(rules.validate(&object));
        if errors.is_empty() {
            errors = meta::validate_any(&object, resource.namespaced);
        }
        if !errors.is_empty() {
            return Err(Status::invalid(
                resource.kind_group(),
                &resource.kind,
                metadata::text(&object, "name"),
                &errors,
            ));
        }
        for words in rules.warnings(&object, None) {
            call.warn(words);
        }
        Ok(resource.to_storage(object, &call.version))
    }
}

/// 409: the name is taken, perhaps not for long.
fn taken(call: &Call, name: &str, present: Option<&Stored>) -> Status {
    let mut status = Status::already_exists(call.resource.name(), name);
    if present.is_some_and(|present| metadata::is_terminating(&present.object)) {
        status.message = format!("object is being deleted: {}", status.message);
    }
    status
}

/// What a creator may have copied from another object.
fn reset_system_fields(object: &mut Value) {
    let fields = metadata::fields(object);
    for field in ["deletionTimestamp", "deletionGracePeriodSeconds", "uid", "selfLink", "creationTimestamp"] {
        fields.remove(field);
    }
}

pub(super) fn repeated_owners(uids: &str) -> String {
    format!(
        ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {uids}"
    )
}
