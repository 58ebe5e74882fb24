//! DELETE of one object.

use jiff::{SignedDuration, Timestamp};
use schema::Tree;
use serde_json::{Value, json};

use super::call::Call;
use super::commit::committed;
use super::metadata;
use crate::crd::conditions::mark_for_deletion;
use crate::field::{FieldError, Path};
use crate::http::accept::Encoding;
use crate::http::answer::{Answer, Content};
use crate::http::options::dry_run_errors;
use crate::meta;
use crate::registry::Collection;
use crate::server::Server;
use crate::status::{Details, ResourceName, Status};
use crate::store::{Expected, Stored};

const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

/// How something is to be deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DeleteOptions {
    /// How much time is left for a graceful end.
    pub grace_period_seconds: Option<i64>,
    /// The object must have this UID.
    pub uid: Option<String>,
    /// The object must be at this revision.
    pub resource_version: Option<String>,
    /// What becomes of dependents.
    pub propagation_policy: Option<String>,
    /// The older word for it.
    pub orphan_dependents: Option<bool>,
    /// Nothing is to be done.
    pub dry_run: Vec<String>,
    /// The object is one of a collection that is deleted.
    pub of_collection: bool,
}

/// What a deletion did.
#[derive(Debug)]
pub(super) struct Deletion {
    /// The object: its last state, or the one it is now in.
    pub object: Value,
    /// Whether it is gone.
    pub gone: bool,
    /// Whether it is an object with nothing in it, which is what a rehearsal has to show where only finalizers of the
    /// collector were in the way.
    pub blank: bool,
}

impl Server {
    /// Answers a DELETE of an object.
    pub(crate) async fn delete(&self, call: &Call) -> Result<Answer, Status> {
        let options = DeleteOptions::read(call)?;
        call.warn_of_orphans(&options);
        let deletion = self.delete_object(call, &options).await?;
        let accepted = !deletion.gone && options.orphan_dependents == Some(false);
        let code = if accepted { http::StatusCode::ACCEPTED } else { http::StatusCode::OK };
        let content = if deletion.blank {
            call.check_shape(false)?;
            call.shaped(deletion.object)
        } else if deletion.gone && !call.resource.traits.returns_deleted {
            call.gone(&deletion.object)
        } else {
            call.check_shape(false)?;
            // What is kept but not shown elsewhere is shown of what stays for now.
            if deletion.gone {
                call.shown(&deletion.object)
            } else {
                call.shaped(call.resource.convert(&deletion.object, &call.version))
            }
        };
        Ok(Answer::with(code, Content::Object(content)))
    }

    /// Deletes an object, or begins to. Repeated when somebody changed it meanwhile.
    pub(super) async fn delete_object(
        &self,
        call: &Call,
        options: &DeleteOptions,
    ) -> Result<Deletion, Status> {
        loop {
            let live = self.store.get(&call.key()).ok_or_else(|| call.not_found())?;
            options.check(call, &live)?;
            if let Some(deletion) = self.delete_live(call, options, &live).await? {
                return Ok(deletion);
            }
        }
    }

    async fn delete_live(
        &self,
        call: &Call,
        options: &DeleteOptions,
        live: &Stored,
    ) -> Result<Option<Deletion>, Status> {
        // A custom object passes through the version of the request, which takes away what that does not know.
        let mut object = if call.resource.is_custom() {
            let shown = call.resource.convert(&live.object, &call.version);
            call.resource.to_storage(shown, &call.version)
        } else {
            call.resource.completed(&live.object).into_owned()
        };
        let own = object["spec"]["finalizers"].as_array().is_some_and(|own| !own.is_empty());
        if call.resource.is_namespace() && (own || !metadata::is_terminating(&object)) {
            return self.delete_namespace(call, options, live, object).await;
        }
        // A definition that goes with others leaves its objects where they are.
        let alone = call.resource.is_definition() && !options.of_collection;
        if alone && !metadata::is_terminating(&object) {
            self.admit_deletion(call, options, &live.object).await?;
            let marked = mark_for_deletion(&object, call.now);
            return self.store_deletion(call, options, live, marked).await;
        }
        let graceful = match grace(call, options, &mut object) {
            Grace::Pending => {
                return Ok(Some(Deletion {
                    object: live.object.as_ref().clone(),
                    gone: false,
                    blank: false,
                }));
            }
            Grace::None => None,
            Grace::Seconds(seconds) => Some(seconds),
        };
        self.admit_deletion(call, options, &live.object).await?;
        let finalizers = options.finalizers(&object, call.resource.traits.collection);
        let pending = !finalizers.is_empty();
        let released = graceful.is_none() && !pending && !metadata::finalizers(&object).is_empty();
        if released && options.resource_version.is_some() && options.dry_run.is_empty() {
            // The real server forgets which revision was meant once it has taken the finalizers away.
            let found = metadata::text(&live.object, "resourceVersion");
            return Err(call.storage_refused("ResourceVersion", "", found));
        }
        if released && !options.dry_run.is_empty() {
            let object = call.blank();
            return Ok(Some(Deletion { object, gone: true, blank: true }));
        }
        set_finalizers(&mut object, &finalizers);
        if graceful.is_none() && pending {
            mark(&mut object, call.now);
        }
        if pending || graceful.is_some_and(|seconds| seconds > 0) {
            return self.store_deletion(call, options, live, object).await;
        }
        if graceful.is_some() && options.dry_run.is_empty() {
            // A graceful end without any time is still announced before it comes.
            let Some(Deletion { object, .. }) = self.store_deletion(call, options, live, object).await?
            else {
                return Ok(None);
            };
            let Some(announced) = self.store.get(&call.key()) else {
                return Ok(Some(Deletion { object, gone: true, blank: false }));
            };
            return self.remove(call, options, &announced, object).await;
        }
        let object = if graceful.is_some() { object } else { live.object.as_ref().clone() };
        self.remove(call, options, live, object).await
    }

    /// Puts an object into the state of being deleted.
    async fn store_deletion(
        &self,
        call: &Call,
        options: &DeleteOptions,
        live: &Stored,
        object: Value,
    ) -> Result<Option<Deletion>, Status> {
        if !options.dry_run.is_empty() || object == *live.object {
            return Ok(Some(Deletion { object, gone: false, blank: false }));
        }
        let outcome = self.store.put(&call.key(), Expected::At(live.revision), object).await;
        let Some(stored) = committed(outcome)? else { return Ok(None) };
        self.after_change(&stored).await;
        Ok(Some(Deletion { object: stored.object.as_ref().clone(), gone: false, blank: false }))
    }

    async fn remove(
        &self,
        call: &Call,
        options: &DeleteOptions,
        live: &Stored,
        object: Value,
    ) -> Result<Option<Deletion>, Status> {
        if !options.dry_run.is_empty() {
            return Ok(Some(Deletion { object, gone: true, blank: false }));
        }
        let outcome = self.store.remove(&call.key(), live.revision).await;
        let Some(removed) = committed(outcome)? else { return Ok(None) };
        self.after_removal(&removed).await;
        Ok(Some(Deletion { object: removed.object.as_ref().clone(), gone: true, blank: false }))
    }

    /// A Namespace is marked first, and stays as it is until what is in its own list of finalizers is done. From then on
    /// it goes as anything else does.
    async fn delete_namespace(
        &self,
        call: &Call,
        options: &DeleteOptions,
        live: &Stored,
        mut object: Value,
    ) -> Result<Option<Deletion>, Status> {
        self.admit_deletion(call, options, &live.object).await?;
        if metadata::is_terminating(&object) {
            return Ok(Some(Deletion { object, gone: false, blank: false }));
        }
        let finalizers = options.namespace_finalizers(&object);
        set_finalizers(&mut object, &finalizers);
        metadata::fields(&mut object).insert("deletionTimestamp".into(), meta::moment(call.now).into());
        object["status"]["phase"] = "Terminating".into();
        self.store_deletion(call, options, live, object).await
    }
}

fn grace(call: &Call, options: &DeleteOptions, object: &mut Value) -> Grace {
    if !call.resource.traits.graceful {
        return Grace::None;
    }
    let requested = options.grace_period_seconds.map(|seconds| if seconds < 0 { 1 } else { seconds });
    let pending = object["metadata"]["deletionGracePeriodSeconds"].as_i64();
    if metadata::is_terminating(object) {
        let Some(pending) = pending.filter(|seconds| *seconds != 0) else { return Grace::None };
        let Some(requested) = requested.filter(|seconds| *seconds < pending) else {
            return Grace::Pending;
        };
        let began = metadata::text(object, "deletionTimestamp").parse::<Timestamp>().unwrap_or(call.now);
        let mut end = began - SignedDuration::from_secs(pending) + SignedDuration::from_secs(requested);
        let mut seconds = requested;
        if end < call.now {
            end = call.now;
            seconds = requested.min(1);
        }
        let fields = metadata::fields(object);
        fields.insert("deletionTimestamp".into(), meta::moment(end).into());
        fields.insert("deletionGracePeriodSeconds".into(), seconds.into());
        return Grace::Seconds(seconds);
    }
    let seconds =
        requested.unwrap_or_else(|| object["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap_or(30));
    // What never ran, or has ended, needs no time to end.
    let phase = object["status"]["phase"].as_str().unwrap_or_default();
    let idle = object["spec"]["nodeName"].as_str().is_none_or(str::is_empty)
        || matches!(phase, "Failed" | "Succeeded");
    let seconds = if idle { 0 } else { seconds };
    let generation = object["metadata"]["generation"].as_i64().unwrap_or_default();
    let fields = metadata::fields(object);
    let end = call.now + SignedDuration::from_secs(seconds);
    fields.insert("deletionTimestamp".into(), meta::moment(end).into());
    fields.insert("deletionGracePeriodSeconds".into(), seconds.into());
    if generation > 0 {
        fields.insert("generation".into(), (generation + 1).into());
    }
    Grace::Seconds(seconds)
}

enum Grace {
    /// The kind knows no grace, or its time is over.
    None,
    /// An earlier deletion left so much time that this one changes nothing.
    Pending,
    /// So much time is left.
    Seconds(i64),
}

impl DeleteOptions {
    /// What the body says, or else the query.
    pub(super) fn read(call: &Call) -> Result<Self, Status> {
        let options = if call.body.is_empty() {
            Self {
                grace_period_seconds: call.options.grace_period_seconds,
                propagation_policy: call.options.propagation_policy.clone(),
                orphan_dependents: call.options.orphan_dependents,
                dry_run: call.options.dry_run.clone(),
                ..Self::default()
            }
        } else {
            Self::from_body(call)?
        };
        options.validate()?;
        Ok(options)
    }

    fn from_body(call: &Call) -> Result<Self, Status> {
        let text = String::from_utf8_lossy(&call.body);
        let refused = |words: String| Status::bad_request(words);
        let value: Value = match call.encoding {
            Encoding::Protobuf => crate::wire::protobuf::decode(&call.body, "v1", "DeleteOptions")
                .map_err(|error| refused(error.to_string()))?,
            Encoding::Yaml => goyaml::from_str_as(&text).map_err(|error| refused(error.to_string()))?,
            Encoding::Json => Tree::parse(&text)
                .map_err(|error| refused(format!("couldn't get version/kind; json parse error: {error}")))?
                .into_value(),
        };
        Ok(Self::from_value(&value))
    }

    pub(super) fn from_value(value: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(Into::into);
        Self {
            grace_period_seconds: value["gracePeriodSeconds"].as_i64(),
            uid: text(&value["preconditions"]["uid"]),
            resource_version: text(&value["preconditions"]["resourceVersion"]),
            propagation_policy: text(&value["propagationPolicy"]),
            orphan_dependents: value["orphanDependents"].as_bool(),
            dry_run: value["dryRun"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(Into::into)
                .collect(),
            of_collection: false,
        }
    }

    /// The options as admission is told of them.
    pub(crate) fn to_value(&self) -> Value {
        let mut options = json!({"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1"});
        let mut tell = |field: &str, value: Value| {
            if !value.is_null() {
                options[field] = value;
            }
        };
        tell("gracePeriodSeconds", json!(self.grace_period_seconds));
        tell("orphanDependents", json!(self.orphan_dependents));
        tell("propagationPolicy", json!(self.propagation_policy));
        if !self.dry_run.is_empty() {
            tell("dryRun", json!(self.dry_run));
        }
        for (field, wanted) in [("uid", &self.uid), ("resourceVersion", &self.resource_version)] {
            if let Some(wanted) = wanted {
                options["preconditions"][field] = wanted.as_str().into();
            }
        }
        options
    }

    fn validate(&self) -> Result<(), Status> {
        let mut errors = Vec::new();
        if self.orphan_dependents.is_some() && self.propagation_policy.is_some() {
            let value = self.propagation_policy.clone().unwrap_or_default();
            let words = "orphanDependents and deletionPropagation cannot be both set";
            errors.push(FieldError::invalid(&Path::new("propagationPolicy"), value, words));
        }
        if let Some(policy) = &self.propagation_policy
            && !matches!(policy.as_str(), "Foreground" | "Background" | "Orphan")
        {
            let known = ["Foreground", "Background", "Orphan", "nil"];
            errors.push(FieldError::not_supported(&Path::new("propagationPolicy"), policy.as_str(), &known));
        }
        errors.extend(dry_run_errors(&self.dry_run));
        if errors.is_empty() {
            Ok(())
        } else {
            Err(Status::invalid("meta.k8s.io", "DeleteOptions", "", &errors))
        }
    }

    /// Whether this is the object that is meant.
    pub(super) fn check(&self, call: &Call, live: &Stored) -> Result<(), Status> {
        if call.resource.is_namespace() || call.resource.is_definition() {
            return self.check_by_hand(call, live);
        }
        let name = ResourceName { group: call.resource.kind_group(), resource: &call.resource.kind };
        let uid = metadata::text(&live.object, "uid");
        if let Some(wanted) = &self.uid
            && wanted != uid
        {
            let why = format!(
                "the UID in the precondition ({wanted}) does not match the UID in record ({uid}). The object might have been deleted and then recreated"
            );
            return Err(Status::conflict(name, &call.name, why));
        }
        let revision = metadata::text(&live.object, "resourceVersion");
        if let Some(wanted) = &self.resource_version
            && wanted != revision
        {
            let why = format!(
                "the ResourceVersion in the precondition ({wanted}) does not match the ResourceVersion in record ({revision}). The object might have been modified"
            );
            return Err(Status::conflict(name, &call.name, why));
        }
        Ok(())
    }

    /// The same in the words that Namespaces and definitions have for it.
    fn check_by_hand(&self, call: &Call, live: &Stored) -> Result<(), Status> {
        let wanted =
            [("UID", &self.uid, "uid"), ("ResourceVersion", &self.resource_version, "resourceVersion")];
        for (word, wanted, field) in wanted {
            let found = metadata::text(&live.object, field);
            if let Some(wanted) = wanted
                && wanted != found
            {
                let why = format!(
                    "Precondition failed: {word} in precondition: {wanted}, {word} in object meta: {found}"
                );
                return Err(Status::conflict(call.resource.name(), &call.name, why));
            }
        }
        Ok(())
    }

    /// The finalizers that a Namespace has from now on. To Namespaces, not to orphan means to wait for what is in them.
    fn namespace_finalizers(&self, object: &Value) -> Vec<String> {
        let options = match self.orphan_dependents {
            None => self.clone(),
            Some(orphan) => {
                let policy = if orphan { "Orphan" } else { "Foreground" };
                Self { orphan_dependents: None, propagation_policy: Some(policy.into()), ..self.clone() }
            }
        };
        options.finalizers(object, Collection::Dependents)
    }

    /// The finalizers the object has from now on: those of the garbage collector as these options say.
    fn finalizers(&self, object: &Value, collection: Collection) -> Vec<String> {
        let present = metadata::finalizers(object);
        let (orphan, foreground) = match (self.orphan_dependents, self.propagation_policy.as_deref()) {
            _ if collection == Collection::Unsupported => (false, false),
            (Some(orphan), _) => (orphan, false),
            (None, Some(policy)) => (policy == "Orphan", policy == "Foreground"),
            (None, None) => match present.iter().find(|finalizer| matches!(**finalizer, ORPHAN | FOREGROUND))
            {
                Some(first) => (*first == ORPHAN, *first == FOREGROUND),
                None => (collection == Collection::Orphans, false),
            },
        };
        let mut finalizers: Vec<String> = present
            .iter()
            .filter(|finalizer| !matches!(**finalizer, ORPHAN | FOREGROUND))
            .map(|&kept| kept.into())
            .collect();
        if orphan {
            finalizers.push(ORPHAN.into());
        }
        if foreground {
            finalizers.push(FOREGROUND.into());
        }
        let same = finalizers.len() == present.len()
            && finalizers.iter().all(|finalizer| present.contains(&finalizer.as_str()));
        if same { present.into_iter().map(Into::into).collect() } else { finalizers }
    }
}

impl Call {
    /// Tells whoever deletes a Job without saying what becomes of its Pods.
    pub(super) fn warn_of_orphans(&self, options: &DeleteOptions) {
        let said = options.propagation_policy.is_some() || options.orphan_dependents.is_some();
        if &*self.resource.kind == "Job" && !said {
            self.warn("child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning");
        }
    }

    /// The answer to a deletion that took place.
    fn gone(&self, object: &Value) -> Value {
        let details = Details {
            name: self.name.to_string(),
            group: self.resource.key.group.to_string(),
            kind: self.resource.key.resource.to_string(),
            uid: metadata::text(object, "uid").into(),
            ..Details::default()
        };
        let status = Status {
            code: http::StatusCode::OK,
            reason: "".into(),
            message: String::new(),
            details: Some(Box::new(details)),
        };
        status.to_value()
    }
}

fn set_finalizers(object: &mut Value, finalizers: &[String]) {
    let fields = metadata::fields(object);
    if finalizers.is_empty() {
        fields.remove("finalizers");
    } else {
        fields.insert("finalizers".into(), json!(finalizers));
    }
}

/// Notes that the deletion has begun, for kinds that know no grace.
fn mark(object: &mut Value, now: Timestamp) {
    let begun = metadata::text(object, "deletionTimestamp").parse::<Timestamp>().ok();
    let generation = object["metadata"]["generation"].as_i64().unwrap_or_default();
    let fields = metadata::fields(object);
    if begun.is_none() && generation > 0 {
        fields.insert("generation".into(), (generation + 1).into());
    }
    if begun.is_none_or(|moment| moment > now) {
        fields.insert("deletionTimestamp".into(), meta::moment(now).into());
    }
    fields.insert("deletionGracePeriodSeconds".into(), 0.into());
}
