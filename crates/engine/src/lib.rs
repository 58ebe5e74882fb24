//! Runs a plan on a cluster.
//!
//! What is done, in which order and why is decided before (crate `plan`); what is here decides nothing. [`Engine::run`]
//! takes the steps of a [`Plan`] as soon as what they wait for is done, sends a request for each that writes, and keeps
//! those that wait in a table that one shared watch for each kind and namespace looks after. Everything that happens is
//! told as an [`Event`], which is all that progress displays, logs and histories are made from.
//!
//! Every request can be repeated: objects are applied on the server's side, and a delete names the UID of the one
//! object that is meant. So a run that was killed is simply run again.

mod clock;
mod connect;
mod event;
mod impersonate;
mod lock;
mod marks;
mod observe;
mod patience;
mod pauses;
mod pods;
mod removal;
mod run;
mod served;
mod stop;
mod trouble;
mod watches;
mod width;
mod writer;

use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use kube::core::DynamicObject;
use objects::ObjectId;
use plan::{ObjectIndex, Plan};
use serde_json::Value;

pub use clock::Clock;
pub use connect::connect;
pub use event::{Effect, Ending, Event};
pub use impersonate::as_account;
pub use lock::{Lock, LockError};
pub use marks::{
    Belongs, HELM, HOOK_OF, MANAGED_BY, Marks, OWNER, RELEASE_NAME, RELEASE_NAMESPACE, RESTORED,
};
pub use observe::{Holder, ObserveError, StoredObject, Subjects};
pub use patience::patient;
pub use run::{Glance, Outcome};
pub use served::{Kind, Served};
pub use stop::{Stop, Stopper};
pub use trouble::{with_causes, words};

use watches::Watches;
use writer::Writer;

/// A cluster to run plans on.
#[derive(Clone)]
pub struct Engine {
    client: Client,
    /// The same, but it leaves it to a run to ask again.
    impatient: Client,
    served: Served,
    tell: Arc<dyn Fn(&str) + Send + Sync>,
}

/// How plans are run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Under which name fields are owned.
    pub manager: String,
    /// Whether fields are taken from others who own them.
    pub force_conflicts: bool,
    /// How many requests may be under way at most; the run finds out how many are good.
    pub width: Option<usize>,
    /// How long everything may take to become ready, and how long everything may take to go.
    pub timeout: Duration,
    /// Whether one failure ends everything.
    pub fail_fast: bool,
    /// By which time countdowns begin and end.
    pub clock: Clock,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            manager: "slipway".to_owned(),
            force_conflicts: false,
            width: None,
            timeout: Duration::from_mins(5),
            fail_fast: false,
            clock: Clock::default(),
        }
    }
}

/// A plan with the documents it speaks of.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// What to do.
    pub plan: &'a Plan,
    /// The wanted documents, as they were handed to the planner: what is sent is made from them.
    pub documents: &'a [Value],
    /// Whose work it is: nothing is taken away that is not marked so.
    pub marks: &'a Marks,
}

impl Work<'_> {
    /// What is sent for an object.
    pub fn manifest(&self, object: ObjectIndex) -> Option<Value> {
        self.document(self.plan.object(object).document?)
    }

    /// A document, or one item of a list.
    fn document(&self, (document, item): (u32, Option<u32>)) -> Option<Value> {
        let document = self.documents.get(document as usize)?;
        match item {
            Some(item) => document.get("items")?.get(item as usize).cloned(),
            None => Some(document.clone()),
        }
    }
}

impl Engine {
    /// Asks a cluster what it serves.
    pub async fn connect(impatient: Client) -> Result<Self, kube::Error> {
        let client = patience::patient(&impatient);
        let served = Served::ask(&client).await?;
        Ok(Self { client, impatient, served, tell: Arc::new(|_| {}) })
    }

    /// The same cluster, with what it serves, through another client of it: as somebody else.
    #[must_use]
    pub fn through(&self, impatient: Client) -> Self {
        let client = patience::patient(&impatient);
        Self { client, impatient, served: self.served.clone(), tell: Arc::clone(&self.tell) }
    }

    /// Asks again what the cluster serves.
    pub async fn ask_again(&mut self) -> Result<(), kube::Error> {
        self.served = Served::ask(&self.client).await?;
        Ok(())
    }

    /// The same, with somebody who is told of waits outside of a run: for a lock whose holder may be dead.
    #[must_use]
    pub fn telling(self, tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { tell: Arc::new(tell), ..self }
    }

    /// Takes the lock of that name in a namespace; see [`Lock::take`].
    pub async fn lock(
        &self,
        namespace: &str,
        name: &str,
        holder: &str,
        stopper: Stopper,
    ) -> Result<Lock, LockError> {
        Lock::take(self.client.clone(), namespace, name, holder, stopper, &*self.tell).await
    }

    /// What the cluster serves.
    pub fn served(&self) -> &Served {
        &self.served
    }

    /// A client of it that asks again when the server is busy or was not reached. A write that failed at first may have
    /// been done.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// What the pods of a workload say about why it is not ready, a line each.
    pub async fn ask_pods(&self, id: &ObjectId, live: &DynamicObject) -> Vec<String> {
        pods::ask(&self.client, id, live).await
    }

    /// Runs a plan to its end, or until somebody asks it to stop.
    pub async fn run(
        &self,
        work: Work<'_>,
        options: &Options,
        stop: &mut Stop,
        tell: &mut dyn FnMut(Event),
    ) -> Outcome {
        let writer = Writer::new(self.impatient.clone(), self.served.clone(), options);
        let expected =
            work.plan.steps.iter().map(|step| step.kind).filter(|kind| kind.waits() || kind.deletes());
        let expected = expected.filter_map(|kind| Some(&work.plan.object(kind.object()?).id));
        let watches = Watches::new(self.impatient.clone(), expected);
        run::Run::new(work, writer, watches, options, tell).finish(stop).await
    }

    /// Runs a plan as far as that can be without waiting: for controllers, which are told of changes.
    pub async fn advance(
        &self,
        work: Work<'_>,
        options: &Options,
        glance: Glance<'_>,
        stop: &mut Stop,
        tell: impl FnMut(Event) + Send,
    ) -> Outcome {
        let writer = Writer::new(self.impatient.clone(), self.served.clone(), options);
        let watches = Watches::new(self.impatient.clone(), std::iter::empty());
        run::Run::new(work, writer, watches, options, tell).at_a_glance(glance).finish(stop).await
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("served", &self.served.version).finish_non_exhaustive()
    }
}
