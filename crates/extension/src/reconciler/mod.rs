//! The generic reconciler: everything about a controller that is not the actuator's.

mod digest;
mod driver;
mod one;
mod owner;
mod pauses;
mod queue;
mod settle;
mod sources;

use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use kube::core::{ApiResource, DynamicResourceScope, NamespaceResourceScope, PartialObjectMeta};
use kube::{Api, Client, Resource};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub(crate) use digest::digest;
use owner::OwnerKind;

use crate::annotations::confirms_force;
use crate::trigger::Wish;
use crate::{Actuator, Environment, ObjectKey, OperationType, Trigger};

/// How long an operation may take if nobody has said.
const TIMEOUT: Duration = Duration::from_mins(3);
/// How many objects are worked on at once if nobody has said.
const CONCURRENCY: usize = 16;
/// How long operations that are under way may take to end when the process is stopped.
const GRACE: Duration = Duration::from_secs(25);

/// A controller: an actuator, and how it is to be run.
///
/// ```no_run
/// # use extension::{Actuator, CancellationToken, Environment, Reconciler};
/// # async fn example(client: kube::Client, fountains: impl Actuator) {
/// let environment = Environment::new(client, "fountains");
/// Reconciler::new(&environment, fountains).run(CancellationToken::new()).await;
/// # }
/// ```
pub struct Reconciler<A: Actuator> {
    environment: Environment,
    actuator: Arc<A>,
    settings: Settings,
    watches: Vec<Secondary>,
    owners: Vec<OwnerKind>,
    trigger: Trigger,
    wishes: mpsc::UnboundedReceiver<Wish>,
}

/// How a controller is to be run.
#[derive(Debug, Clone)]
struct Settings {
    name: String,
    finalizer: String,
    class: Option<String>,
    extension_type: Option<String>,
    timeouts: HashMap<OperationType, Duration>,
    timeout: Duration,
    concurrency: usize,
    confirm_deletion: bool,
    grace: Duration,
}

type Map = Arc<dyn Fn(&PartialObjectMeta) -> Vec<Wish> + Send + Sync>;

/// Another kind that is watched, by its metadata.
#[derive(Clone)]
struct Secondary {
    resource: ApiResource,
    /// Its objects are in no namespace.
    of_cluster: bool,
    labels: Option<String>,
    map: Map,
}

impl<A: Actuator> Reconciler<A> {
    /// A controller for the actuator's kind. Its finalizer is `slipway.dev/` and the plural of the kind, unless another
    /// is given.
    pub fn new(environment: &Environment, actuator: A) -> Self {
        let (sender, wishes) = mpsc::unbounded_channel();
        let plural = A::Object::plural(&()).into_owned();
        Self {
            environment: environment.clone(),
            actuator: Arc::new(actuator),
            settings: Settings {
                finalizer: format!("slipway.dev/{plural}"),
                name: plural,
                class: None,
                extension_type: None,
                timeouts: HashMap::new(),
                timeout: TIMEOUT,
                concurrency: CONCURRENCY,
                confirm_deletion: false,
                grace: GRACE,
            },
            watches: Vec::new(),
            owners: Vec::new(),
            trigger: Trigger(sender),
            wishes,
        }
    }

    /// Under which name it is logged and measured; the plural of the kind if not given.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.settings.name = name.into();
        self
    }

    /// The finalizer that it holds objects by.
    #[must_use]
    pub fn finalizer(mut self, finalizer: impl Into<String>) -> Self {
        self.settings.finalizer = finalizer.into();
        self
    }

    /// Looks after objects of this class only ([`Extension::class`](crate::Extension::class)).
    #[must_use]
    pub fn class(mut self, class: impl Into<String>) -> Self {
        self.settings.class = Some(class.into());
        self
    }

    /// Looks after objects of this type only ([`Extension::extension_type`](crate::Extension::extension_type)).
    #[must_use]
    pub fn of_type(mut self, extension_type: impl Into<String>) -> Self {
        self.settings.extension_type = Some(extension_type.into());
        self
    }

    /// How long any operation may take: three minutes if not given.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// How long one operation may take.
    #[must_use]
    pub fn timeout_of(mut self, operation: OperationType, timeout: Duration) -> Self {
        self.settings.timeouts.insert(operation, timeout);
        self
    }

    /// How many objects are worked on at once.
    #[must_use]
    pub fn concurrency(mut self, concurrency: usize) -> Self {
        self.settings.concurrency = concurrency.max(1);
        self
    }

    /// Takes nothing down before the deletion is confirmed by annotation ([`annotations::DELETION`](crate::annotations)).
    #[must_use]
    pub fn confirm_deletion(mut self) -> Self {
        self.settings.confirm_deletion = true;
        self
    }

    /// How long operations may take to end when the process is stopped: 25 seconds if not given.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.settings.grace = grace;
        self
    }

    /// Watches the kind of the objects' owners, so that force which is confirmed on an owner is heard. Other changes of
    /// an owner do not concern the objects it has.
    #[must_use]
    pub fn owned_by<Owner: Resource<DynamicType = ()>>(mut self) -> Self
    where
        Owner::Scope: 'static,
    {
        let resource = ApiResource::erase::<Owner>(&());
        let namespaced = TypeId::of::<Owner::Scope>() == TypeId::of::<NamespaceResourceScope>();
        self.owners.push(OwnerKind { resource: resource.clone(), namespaced });
        self.watches.push(Secondary {
            resource,
            of_cluster: !namespaced,
            labels: None,
            map: Arc::new(|owner| {
                let uid = owner.metadata.uid.clone().filter(|_| confirms_force(&owner.metadata));
                uid.map(Wish::OwnedBy).into_iter().collect()
            }),
        });
        self
    }

    /// Watches another kind, by its metadata only, and says which objects a change of one of them concerns.
    #[must_use]
    pub fn watches(
        mut self,
        resource: ApiResource,
        labels: Option<String>,
        concerns: impl Fn(&PartialObjectMeta) -> Vec<ObjectKey> + Send + Sync + 'static,
    ) -> Self {
        self.watches.push(Secondary { resource, of_cluster: false, labels, map: wishes(concerns) });
        self
    }

    /// The same for a kind whose objects are in no namespace. A process that looks after some namespaces only does not
    /// watch it: it need not have the right to.
    #[must_use]
    pub fn watches_of_cluster(
        mut self,
        resource: ApiResource,
        labels: Option<String>,
        concerns: impl Fn(&PartialObjectMeta) -> Vec<ObjectKey> + Send + Sync + 'static,
    ) -> Self {
        self.watches.push(Secondary { resource, of_cluster: true, labels, map: wishes(concerns) });
        self
    }

    /// Wakes it from elsewhere.
    pub fn trigger(&self) -> Trigger {
        self.trigger.clone()
    }

    /// Runs it until it is told to stop: nothing new is begun then, and what is under way gets time to end.
    pub async fn run(self, stop: CancellationToken) {
        driver::Driver::new(self, stop).run().await;
    }
}

fn wishes(concerns: impl Fn(&PartialObjectMeta) -> Vec<ObjectKey> + Send + Sync + 'static) -> Map {
    Arc::new(move |object| concerns(object).into_iter().map(|key| Wish::At(key, None)).collect())
}

/// A controller of whatever kind, to be run with others.
pub trait Controller: Send {
    /// Under which name it is logged and measured.
    fn name(&self) -> &str;

    /// Runs it until it is told to stop.
    fn run(self: Box<Self>, stop: CancellationToken) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

impl<A: Actuator> Controller for Reconciler<A> {
    fn name(&self) -> &str {
        &self.settings.name
    }

    fn run(self: Box<Self>, stop: CancellationToken) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(Self::run(*self, stop))
    }
}

impl<A: Actuator> fmt::Debug for Reconciler<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reconciler").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// The objects of a kind in a namespace, or everywhere.
pub(crate) fn api<K>(client: &Client, resource: &ApiResource, namespace: Option<&str>) -> Api<K>
where
    K: Resource<Scope = DynamicResourceScope, DynamicType = ApiResource>,
{
    match namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, resource),
        None => Api::all_with(client.clone(), resource),
    }
}
