//! What is special about each built-in kind: its defaults, what may be written where, and what is valid.
//!
//! Each kind is a small struct that implements [`Rules`]; [`rules`] finds it. The functions are pure: what they need
//! of the world they are given. Objects come decoded: unknown fields are gone, amounts are in their canonical form,
//! and structs that Go always writes are there.

pub mod admission;
mod core;
mod internal;
mod limits;
mod metadata;
mod names;
mod network;
mod networking;
mod pod;
pub(crate) mod policy;
pub(crate) mod quantity;
mod read;
mod registration;
mod report;
mod resources;
mod selector;
mod storage;
mod workloads;

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use serde_json::Value;

pub use self::core::service_addresses;
use self::metadata::Scope;
use self::read::{Read, child_mut, same, set, unset};
use crate::admission::policy::{BindingRules, PolicyRules};
use crate::field::FieldError;
use crate::http::user::User;

/// The rules of one kind. Every method has the behaviour of a kind without rules of its own.
///
/// The order on a create is: [`default`](Rules::default), [`prepare_create`](Rules::prepare_create), admission,
/// [`validate`](Rules::validate). On an update: `default`, [`prepare_update`](Rules::prepare_update), admission,
/// [`validate_update`](Rules::validate_update). What every kind's metadata must be is checked elsewhere, before the
/// rules on an update and after them on a create; the kinds here check theirs too, as the server does, each with its
/// own rule for names.
///
/// The generation is counted elsewhere: [`changes_generation`](Rules::changes_generation) says when.
pub trait Rules: Send + Sync {
    /// Fills in what was left out, as decoding an object does. Runs on every object that comes in.
    fn default(&self, _object: &mut Value) {}

    /// A new object as the fields of its creator are counted in it, where that is not how it goes on.
    fn counted(&self, _object: &Value) -> Option<Value> {
        None
    }

    /// Removes what a creator may not write (status), and fills in what only a creation sets.
    fn prepare_create(&self, object: &mut Value, _context: &Context) {
        match self.first_status() {
            Some(status) => set(object, "status", status),
            None if self.has_status() => unset(object, "status"),
            None => {}
        }
        self.drop_disabled(object, &Value::Null);
    }

    /// The status of a new object.
    fn first_status(&self) -> Option<Value> {
        None
    }

    /// Takes out what belongs to features that are off, unless it was there before.
    fn drop_disabled(&self, _object: &mut Value, _old: &Value) {}

    /// Puts back what this update may not write: the status in an update of the object.
    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        if self.has_status() {
            copy_field(object, old, "status");
        }
        self.drop_disabled(object, old);
    }

    /// Puts back what an update of the status may not write: everything but the status.
    fn prepare_status_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        copy_field(object, old, "spec");
    }

    /// Puts back what an update of that subresource may not write.
    fn prepare_part_update(&self, part: &str, object: &mut Value, old: &Value, context: &Context) {
        if part == "status" {
            self.prepare_status_update(object, old, context);
        } else {
            self.prepare_update(object, old, context);
        }
    }

    /// Whether the kind has a `status` with a subresource of its own.
    fn has_status(&self) -> bool {
        self.first_status().is_some()
    }

    /// Whether `metadata.generation` is kept.
    fn has_generation(&self) -> bool {
        false
    }

    /// Whether an update grows the generation: if anything but metadata and status means something else.
    fn changes_generation(&self, object: &Value, old: &Value) -> bool {
        let keys = |value: &Value| {
            value.as_object().map(|fields| fields.keys().cloned().collect()).unwrap_or_default()
        };
        let mut fields: Vec<String> = keys(object);
        fields.extend::<Vec<String>>(keys(old));
        fields
            .iter()
            .filter(|field| !["apiVersion", "kind", "metadata", "status"].contains(&field.as_str()))
            .any(|field| !same(object.at(field), old.at(field)))
    }

    /// Whether [`validate`](Rules::validate) and its kin check the metadata too.
    fn checks_metadata(&self) -> bool {
        !self.is_custom()
    }

    /// The fields that a write to that part, or to the object itself, does not write.
    fn resets(&self, part: &str) -> &'static [&'static str] {
        match part {
            "" if self.has_status() => &["status"],
            "status" => &["spec"],
            _ => &[],
        }
    }

    /// Whether the kind is defined by an object of the cluster.
    fn is_custom(&self) -> bool {
        false
    }

    /// Brings an object of a version to the form in which it is kept.
    fn to_storage(&self, _object: &mut Value, _version: &str) {}

    /// Fills in what reading an object from the store does: it is there from the next write on.
    fn complete(&self, _object: &mut Value) {}

    /// Brings an object to a version from the form in which it is kept.
    fn when_read(&self, _object: &mut Value, _version: &str) {}

    /// Takes from an object what is kept but never shown.
    fn hide(&self, _object: &mut Value) {}

    /// Whether an object looks in the version in which it is kept as it is kept.
    fn is_shown_as_kept(&self, _object: &Value) -> bool {
        true
    }

    /// What is wrong with a new object.
    fn validate(&self, _object: &Value) -> Vec<FieldError> {
        Vec::new()
    }

    /// What is wrong with an object that replaces another. Includes what [`validate`](Rules::validate) finds.
    fn validate_update(&self, object: &Value, _old: &Value) -> Vec<FieldError> {
        self.validate(object)
    }

    /// What is wrong with a new status.
    fn validate_status_update(&self, _object: &Value, _old: &Value) -> Vec<FieldError> {
        Vec::new()
    }

    /// What is wrong with an object that came to that subresource.
    fn validate_subresource_update(&self, subresource: &str, object: &Value, old: &Value) -> Vec<FieldError> {
        if subresource == "status" {
            self.validate_status_update(object, old)
        } else {
            self.validate_update(object, old)
        }
    }

    /// What the answer's `Warning` headers say of an object that comes in.
    fn warnings(&self, _object: &Value, _old: Option<&Value>) -> Vec<String> {
        Vec::new()
    }

    /// What the answer's `Warning` headers say of a status that comes in.
    fn status_warnings(&self, _object: &Value, _old: &Value) -> Vec<String> {
        Vec::new()
    }

    /// The fields besides `metadata.name` and `metadata.namespace` that a field selector may name.
    fn selectable(&self) -> &'static [&'static str] {
        &[]
    }
}

/// What the rules may know besides the object.
#[derive(Debug, Clone)]
pub struct Context {
    /// The time of the request.
    pub now: Timestamp,
    /// Whether nothing is to be stored.
    pub dry_run: bool,
    /// Who asks.
    pub user: User,
}

/// A kind without rules of its own.
struct Plain;

impl Rules for Plain {
    fn checks_metadata(&self) -> bool {
        false
    }
}

/// The rules of a kind; those of a kind that is not known are that there are none.
pub fn rules(group: &str, kind: &str) -> &'static dyn Rules {
    match (group, kind) {
        ("", "Namespace") => &core::namespace::Namespace,
        ("", "ConfigMap") => &core::config::ConfigMap,
        ("", "Secret") => &core::config::Secret,
        ("", "ServiceAccount") => &core::service_account::ServiceAccount,
        ("", "Service") => &core::service::Service,
        ("", "Pod") => &pod::Pod,
        ("", "Endpoints") => &networking::endpoints::Endpoints,
        ("", "Event") => &core::event::CoreEvent,
        ("events.k8s.io", "Event") => &core::event::Event,
        ("", "Node") => &core::node::Node,
        ("", "PodTemplate") => &pod::template::PodTemplate,
        ("", "PersistentVolumeClaim") => &storage::claim::PersistentVolumeClaim,
        ("", "PersistentVolume") => &storage::volume::PersistentVolume,
        ("", "ResourceQuota") => &policy::quota::ResourceQuota,
        ("", "LimitRange") => &policy::quota::LimitRange,
        ("", "ReplicationController") => &workloads::replication_controller::ReplicationController,
        ("apps", "Deployment") => &workloads::deployment::Deployment,
        ("apps", "ReplicaSet") => &workloads::replica_set::ReplicaSet,
        ("apps", "StatefulSet") => &workloads::stateful_set::StatefulSet,
        ("apps", "DaemonSet") => &workloads::daemon_set::DaemonSet,
        ("apps", "ControllerRevision") => &workloads::revision::ControllerRevision,
        ("batch", "Job") => &workloads::job::Job,
        ("autoscaling", "HorizontalPodAutoscaler") => &workloads::autoscaler::HorizontalPodAutoscaler,
        ("networking.k8s.io", "Ingress") => &networking::ingress::Ingress,
        ("networking.k8s.io", "IngressClass") => &networking::ingress_class::IngressClass,
        ("networking.k8s.io", "NetworkPolicy") => &networking::policy::NetworkPolicy,
        ("discovery.k8s.io", "EndpointSlice") => &networking::endpoints::EndpointSlice,
        ("policy", "PodDisruptionBudget") => &policy::budget::PodDisruptionBudget,
        ("rbac.authorization.k8s.io", "Role") => &policy::access::Role(Scope::Namespaced),
        ("rbac.authorization.k8s.io", "ClusterRole") => &policy::access::Role(Scope::Cluster),
        ("rbac.authorization.k8s.io", "RoleBinding") => &policy::access::Binding(Scope::Namespaced),
        ("rbac.authorization.k8s.io", "ClusterRoleBinding") => &policy::access::Binding(Scope::Cluster),
        ("scheduling.k8s.io", "PriorityClass") => &policy::classes::PriorityClass,
        ("node.k8s.io", "RuntimeClass") => &policy::classes::RuntimeClass,
        ("storage.k8s.io", "StorageClass") => &policy::classes::StorageClass,
        ("storage.k8s.io", "CSIDriver") => &storage::driver::CsiDriver,
        ("coordination.k8s.io", "Lease") => &policy::lease::Lease,
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy") => &PolicyRules,
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding") => &BindingRules,
        ("batch", "CronJob") => &workloads::cron_job::CronJob,
        ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration") => {
            &registration::webhooks::Webhooks { mutating: false }
        }
        ("admissionregistration.k8s.io", "MutatingWebhookConfiguration") => {
            &registration::webhooks::Webhooks { mutating: true }
        }
        ("apiregistration.k8s.io", "APIService") => &registration::api_service::ApiService,
        ("certificates.k8s.io", "CertificateSigningRequest") => {
            &registration::certificate_request::CertificateSigningRequest
        }
        _ => &Plain,
    }
}

/// Makes a field of `object` what it is in `old`, absent if it is absent there.
pub(crate) fn copy_field(object: &mut Value, old: &Value, field: &str) {
    let Some(fields) = object.as_object_mut() else { return };
    match old.get(field) {
        Some(value) => {
            fields.insert(field.to_owned(), value.clone());
        }
        None => {
            fields.remove(field);
        }
    }
}

/// A moment as the API writes it: in whole seconds.
fn seconds(time: Timestamp) -> String {
    let whole = Timestamp::from_second(time.as_second()).unwrap_or(time);
    DateTimePrinter::new().timestamp_to_string(&whole)
}

/// Takes the annotations away that are there only where a whole object is shown: they stand for other fields.
pub(crate) fn drop_derived(metadata: &mut Value) {
    let derived =
        |name: &str| name == workloads::daemon_set::TEMPLATE_GENERATION || workloads::is_kept_aside(name);
    let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) else { return };
    annotations.retain(|name, _| !derived(name));
    if annotations.is_empty() {
        unset(metadata, "annotations");
    }
}

/// Puts back the metadata that an update of a subresource may not write.
fn reset_metadata(object: &mut Value, old: &Value) {
    let Some(meta) = child_mut(object, "metadata") else { return };
    for field in [
        "deletionTimestamp",
        "generation",
        "selfLink",
        "labels",
        "annotations",
        "finalizers",
        "ownerReferences",
    ] {
        copy_field(meta, old.at("metadata"), field);
    }
}
