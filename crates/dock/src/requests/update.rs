//! PUT, and the way that every change of an existing object takes.

use std::borrow::Cow;

use http::StatusCode;
use serde_json::Value;

use super::call::{Call, Operation};
use super::commit::committed;
use super::create::repeated_owners;
use super::metadata;
use super::scale::{scale_of, scaled};
use crate::field::{FieldError, Path};
use crate::http::answer::{Answer, Content};
use crate::meta;
use crate::server::Server;
use crate::status::Status;
use crate::store::{Expected, Stored};

/// What is said to somebody who changes an older state.
const CHANGED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

/// What became of a change.
#[derive(Debug)]
pub(super) struct Written {
    /// The object afterwards.
    pub object: Value,
    /// Whether it was made by this.
    pub created: bool,
    /// Whether it is gone by this, as nothing held it any longer.
    pub ended: bool,
}

impl Server {
    /// Answers a PUT of an object or of its status.
    pub(crate) async fn update(&self, call: &Call) -> Result<Answer, Status> {
        call.options.check_write("UpdateOptions")?;
        let tree = call.parse()?;
        let rewritten = call.rewritten(&tree);
        let mut sent = call.read(tree)?;
        metadata::take_namespace(&mut sent, call.resource.namespaced, &call.namespace)?;
        check_name(&sent, &call.name)?;
        if let Some(repeated) = metadata::dedup_owners(&mut sent) {
            call.warn(repeated_owners(&repeated));
        }
        let uid = metadata::text(&sent, "uid").to_owned();
        let allowed = call.resource.traits.create_on_update;
        let written = self
            .change(call, allowed, &uid, |live| {
                let mut object = sent.clone();
                match live {
                    Some(live) => call.own_changes(live, &rewritten, &mut object),
                    None => call.own_fields(&mut object),
                }
                Ok(object)
            })
            .await?;
        call.answer(&written)
    }

    /// Changes an object: `make` says what it is to be, given what it is; or what its `Scale` is to be, if that is
    /// what was sent. Repeated when somebody else was quicker.
    pub(super) async fn change(
        &self,
        call: &Call,
        create_allowed: bool,
        uid: &str,
        make: impl Fn(Option<&Value>) -> Result<Value, Status>,
    ) -> Result<Written, Status> {
        loop {
            let Some(live) = self.store.get(&call.key()) else {
                if !create_allowed {
                    return Err(call.not_found());
                }
                if !uid.is_empty() {
                    return Err(call.precondition_failed(uid, ""));
                }
                let object = make(None)?;
                let object = self.create_object(call, object).await?;
                return Ok(Written { object, created: true, ended: false });
            };
            let live_uid = metadata::text(&live.object, "uid");
            if !uid.is_empty() && uid != live_uid {
                return Err(call.precondition_failed(uid, live_uid));
            }
            let shown_live = call.resource.convert(&live.object, &call.version);
            let object = if call.is_scale() {
                scaled(call, &shown_live, |scale| make(Some(scale)))?
            } else {
                make(Some(&shown_live))?
            };
            // What is built in is compared in the form it is stored in.
            let old = if call.resource.is_custom() {
                Cow::Borrowed(&shown_live)
            } else {
                call.resource.completed(&live.object)
            };
            if let Some(written) = self.change_live(call, &live, &old, object).await? {
                return Ok(written);
            }
        }
    }

    /// One attempt: nothing if somebody else was quicker.
    async fn change_live(
        &self,
        call: &Call,
        live: &Stored,
        old: &Value,
        mut object: Value,
    ) -> Result<Option<Written>, Status> {
        call.resource.keep(&mut object, &call.version);
        self.admit(call, Operation::Update, &mut object, Some(old)).await?;
        if let Some(repeated) = metadata::dedup_owners(&mut object) {
            call.warn(repeated_owners(&repeated));
        }
        check_revision(call, &object, live)?;
        // From here on it is the successor of the live one, whether or not the client said so.
        metadata::fields(&mut object).insert("resourceVersion".into(), live.revision.to_string().into());
        let emptied = empty_lists(&object);
        let mut object = self.succeeding(call, object, old)?;
        if call.resource.is_custom() {
            fields::keep_times(old, &mut object);
        }
        self.validate_admission(call, Operation::Update, &object, Some(old)).await?;
        let mut object = call.resource.to_storage(object, &call.version);
        // Of what is built in, the old one is in the form in which it is stored.
        if !call.resource.is_custom() {
            fields::keep_times(old, &mut object);
        }
        let written = |object: Value, ended: bool| Ok(Some(Written { object, created: false, ended }));
        if ends(call, &object, &live.object) {
            // The store knows no empty lists, but this state does not come from there.
            for field in emptied {
                object[field] = Value::Array(Vec::new());
            }
            if call.options.is_dry_run() {
                return written(object, true);
            }
            let outcome = self.store.remove(&call.key(), live.revision).await;
            let Some(removed) = committed(outcome)? else { return Ok(None) };
            self.after_removal(&removed).await;
            // The client sees the state it wrote, as of the revision it replaced.
            return written(object, true);
        }
        if call.options.is_dry_run() || object == *live.object {
            return written(object, false);
        }
        let outcome = self.store.put(&call.key(), Expected::At(live.revision), object).await;
        let Some(stored) = committed(outcome)? else { return Ok(None) };
        self.after_change(&stored).await;
        written(stored.object.as_ref().clone(), false)
    }

    /// The object as it will be stored: what it may not change is put back, and it is valid.
    fn succeeding(&self, call: &Call, mut object: Value, live: &Value) -> Result<Value, Status> {
        let resource = &call.resource;
        let rules = call.rules();
        let context = call.context();
        metadata::take_namespace(&mut object, resource.namespaced, &call.namespace)?;
        meta::before_update(&mut object, live);
        // A `Scale` changes the object itself.
        let part = if call.is_scale() { "" } else { &*call.subresource };
        if part.is_empty() {
            self.allocate(call, &mut object, Some(live))?;
        }
        rules.prepare_part_update(part, &mut object, live, &context);
        if part.is_empty() && rules.has_generation() && rules.changes_generation(&object, live) {
            let generation = live["metadata"]["generation"].as_i64().unwrap_or_default() + 1;
            metadata::fields(&mut object).insert("generation".into(), generation.into());
        }
        let mut errors = resource.validate_metadata_update(&object, live);
        errors.extend(rules.validate_subresource_update(part, &object, live));
        if !errors.is_empty() {
            return Err(Status::invalid(resource.kind_group(), &resource.kind, &call.name, &errors));
        }
        let warnings = match part {
            "" => rules.warnings(&object, Some(live)),
            "status" => rules.status_warnings(&object, live),
            _ => Vec::new(),
        };
        for words in warnings {
            call.warn(words);
        }
        Ok(object)
    }
}

impl Call {
    /// The answer to a change that took place.
    pub(super) fn answer(&self, written: &Written) -> Result<Answer, Status> {
        self.check_shape(false)?;
        let code = if written.created { StatusCode::CREATED } else { StatusCode::OK };
        let shown = if self.is_scale() {
            scale_of(self, &written.object).map_err(Status::bad_request)?
        } else if written.ended {
            // Nothing is hidden of what is not read from the store again.
            self.shaped(self.resource.convert(&written.object, &self.version))
        } else {
            self.shown(&written.object)
        };
        Ok(Answer::with(code, Content::Object(shown)))
    }

    /// 409: the object of that name is another one.
    pub(super) fn precondition_failed(&self, wanted: &str, found: &str) -> Status {
        self.storage_refused("UID", wanted, found)
    }

    /// 409: the store has another object than the one that is meant, in the words of the store. A rehearsal does not get
    /// as far as its prefix.
    pub(super) fn storage_refused(&self, word: &str, wanted: &str, found: &str) -> Status {
        let group = &self.resource.key.group;
        // Some are kept where they were when they had other names.
        let folder = match (&**group, &*self.resource.key.resource) {
            ("", "services") => "services/specs".into(),
            ("", "endpoints") => "services/endpoints".into(),
            ("", "nodes") => "minions".into(),
            ("", "replicationcontrollers") => "controllers".into(),
            ("networking.k8s.io", "ingresses") => "ingress".into(),
            (group @ ("apiextensions.k8s.io" | "apiregistration.k8s.io"), plural) => {
                format!("{group}/{plural}")
            }
            (group, plural) if self.resource.is_custom() => format!("{group}/{plural}"),
            (_, plural) => plural.to_owned(),
        };
        let prefix = if self.options.is_dry_run() { "" } else { "/registry" };
        let place = if self.namespace.is_empty() { String::new() } else { format!("{}/", self.namespace) };
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: {prefix}/{folder}/{place}{}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: {word} in precondition: {wanted}, {word} in object meta: {found}",
            self.name
        );
        Status::conflict(self.resource.name(), &self.name, why)
    }
}

pub(super) fn check_name(object: &Value, name: &str) -> Result<(), Status> {
    let own = metadata::text(object, "name");
    if own.is_empty() {
        return Err(Status::bad_request(format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        )));
    }
    if own != name {
        return Err(Status::bad_request(format!(
            "the name of the object ({own}) does not match the name on the URL ({name})"
        )));
    }
    Ok(())
}

/// Whether the object is meant to replace the state that is there.
fn check_revision(call: &Call, object: &Value, live: &Stored) -> Result<(), Status> {
    let sent = metadata::text(object, "resourceVersion");
    if sent.is_empty() || sent == "0" {
        if !call.resource.traits.conditional_update {
            return Ok(());
        }
        let path = Path::new("metadata.resourceVersion");
        let error = FieldError::invalid(&path, 0, "must be specified for an update");
        return Err(Status::invalid(
            &call.resource.key.group,
            &call.resource.key.resource,
            &call.name,
            &[error],
        ));
    }
    if sent.parse() == Ok(live.revision) {
        return Ok(());
    }
    Err(Status::conflict(call.resource.name(), &call.name, CHANGED))
}

/// The fields of an object that are empty lists.
fn empty_lists(object: &Value) -> Vec<String> {
    let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    let fields = object.as_object().into_iter().flatten();
    fields.filter(|(_, value)| is_empty(value)).map(|(name, _)| name.clone()).collect()
}

/// Whether this change takes away the last finalizer of an object that is being deleted.
fn ends(call: &Call, object: &Value, live: &Value) -> bool {
    let grace = live["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or_default();
    let own = call.resource.is_namespace()
        && object["spec"]["finalizers"].as_array().is_some_and(|own| !own.is_empty());
    metadata::finalizers(object).is_empty() && metadata::is_terminating(live) && grace == 0 && !own
}
