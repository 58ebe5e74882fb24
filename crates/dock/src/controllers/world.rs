//! What a controller may know: the objects around the one it looks at, and the time.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::object::Object;

/// Group and plural of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Resource {
    /// The API group, empty for the core.
    pub group: Cow<'static, str>,
    /// The plural.
    pub plural: Cow<'static, str>,
}

impl Resource {
    /// A resource of the core group.
    pub const fn core(plural: &'static str) -> Self {
        Self::of("", plural)
    }

    /// A built-in resource.
    pub const fn of(group: &'static str, plural: &'static str) -> Self {
        Self { group: Cow::Borrowed(group), plural: Cow::Borrowed(plural) }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.plural)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        Ok(())
    }
}

/// `namespaces`
pub const NAMESPACES: Resource = Resource::core("namespaces");
/// `pods`
pub const PODS: Resource = Resource::core("pods");
/// `nodes`
pub const NODES: Resource = Resource::core("nodes");
/// `events`
pub const EVENTS: Resource = Resource::core("events");
/// `services`
pub const SERVICES: Resource = Resource::core("services");
/// `serviceaccounts`
pub const SERVICE_ACCOUNTS: Resource = Resource::core("serviceaccounts");
/// `configmaps`
pub const CONFIG_MAPS: Resource = Resource::core("configmaps");
/// `replicationcontrollers`
pub const REPLICATION_CONTROLLERS: Resource = Resource::core("replicationcontrollers");
/// `persistentvolumes`
pub const VOLUMES: Resource = Resource::core("persistentvolumes");
/// `persistentvolumeclaims`
pub const CLAIMS: Resource = Resource::core("persistentvolumeclaims");
/// `resourcequotas`
pub const QUOTAS: Resource = Resource::core("resourcequotas");
/// `storageclasses.storage.k8s.io`
pub const STORAGE_CLASSES: Resource = Resource::of("storage.k8s.io", "storageclasses");
/// `deployments.apps`
pub const DEPLOYMENTS: Resource = Resource::of("apps", "deployments");
/// `replicasets.apps`
pub const REPLICA_SETS: Resource = Resource::of("apps", "replicasets");
/// `statefulsets.apps`
pub const STATEFUL_SETS: Resource = Resource::of("apps", "statefulsets");
/// `daemonsets.apps`
pub const DAEMON_SETS: Resource = Resource::of("apps", "daemonsets");
/// `controllerrevisions.apps`
pub const REVISIONS: Resource = Resource::of("apps", "controllerrevisions");
/// `jobs.batch`
pub const JOBS: Resource = Resource::of("batch", "jobs");
/// `cronjobs.batch`
pub const CRON_JOBS: Resource = Resource::of("batch", "cronjobs");
/// `poddisruptionbudgets.policy`
pub const BUDGETS: Resource = Resource::of("policy", "poddisruptionbudgets");
/// `horizontalpodautoscalers.autoscaling`
pub const AUTOSCALERS: Resource = Resource::of("autoscaling", "horizontalpodautoscalers");
/// `ingresses.networking.k8s.io`
pub const INGRESSES: Resource = Resource::of("networking.k8s.io", "ingresses");
/// `customresourcedefinitions.apiextensions.k8s.io`
pub const DEFINITIONS: Resource = Resource::of("apiextensions.k8s.io", "customresourcedefinitions");

/// Where an object is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// What it is.
    pub resource: Resource,
    /// Its namespace, empty for objects of the cluster.
    pub namespace: Arc<str>,
    /// Its name.
    pub name: Arc<str>,
}

impl Key {
    /// A place for an object.
    pub fn new(resource: &Resource, namespace: &str, name: &str) -> Self {
        Self { resource: resource.clone(), namespace: namespace.into(), name: name.into() }
    }

    /// The place of an object of a resource.
    pub fn of(resource: &Resource, object: &Value) -> Self {
        Self::new(resource, object.namespace(), object.name())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.resource)?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}

/// An object and where it is.
pub type Placed = (Key, Arc<Value>);

/// A kind as the server serves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    /// Its resource.
    pub resource: Resource,
    /// Whether its objects are in namespaces.
    pub namespaced: bool,
}

/// What a controller may know. All of it is the present state: a world does not lag behind.
pub trait World {
    /// What time it is.
    fn now(&self) -> Timestamp;
    /// An object.
    fn get(&self, key: &Key) -> Option<Arc<Value>>;
    /// All objects of a resource in a namespace (everywhere if it is empty), by name.
    fn list(&self, resource: &Resource, namespace: &str) -> Vec<Arc<Value>>;
    /// Every object that names this UID among its owners.
    fn dependents(&self, uid: &str) -> Vec<Placed>;
    /// Every object in a namespace.
    fn contents(&self, namespace: &str) -> Vec<Placed>;
    /// The objects of a resource in a namespace that nobody controls.
    fn orphans(&self, resource: &Resource, namespace: &str) -> Vec<Arc<Value>>;
    /// Where the object with this UID is.
    fn locate(&self, uid: &str) -> Option<Key>;
    /// How a kind is served, if it is.
    fn serves(&self, api_version: &str, kind: &str) -> Option<Served>;
    /// When an object came into being; finer than its creation timestamp, if it was seen.
    fn born(&self, object: &Value) -> Timestamp;
    /// When its deletion began.
    fn doomed(&self, object: &Value) -> Option<Timestamp>;
    /// Why the last writes of this controller for this object were refused, if they were.
    fn refusal(&self) -> Option<&str>;
    /// The certificate by which the server is known, as PEM.
    fn root_certificate(&self) -> &str;

    /// The objects of a resource that the object with this UID controls, by name.
    fn controlled(&self, resource: &Resource, uid: &str) -> Vec<Arc<Value>> {
        let mut found: Vec<Placed> = self.dependents(uid);
        found.retain(|(key, object)| key.resource == *resource && object.is_controlled_by(uid));
        found.sort_by(|(left, _), (right, _)| left.cmp(right));
        found.into_iter().map(|(_, object)| object).collect()
    }
}
