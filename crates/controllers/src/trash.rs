//! What deleted sets have left behind: it goes at its instant, as the account that its set had.
//!
//! The Secrets with trash are watched by their metadata, which say when the next object is due. If a set of the same
//! name is there again it takes what it lists out of the trash itself; what it does not list goes on counting.

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use engine::{Belongs, Event as Ran, Glance, Holder, LockError, Marks, Options, Stop, Subjects, Work};
use extension::{CancellationToken, Controller, Environment};
use jiff::Timestamp;
use kube::ResourceExt as _;
use plan::input::{Policy, Wanted};
use plan::output::{Kept, Reason, StepKind};
use plan::{Operation, Request};
use release::{DUE, Sets};

use crate::Cluster;
use crate::bundle::{by, stored_object};
use crate::schedule::{self, AGAIN, Meta, Sweeper};

/// A set that somebody works on is looked at again after so long.
const LOCKED: Duration = Duration::from_secs(2);

/// The namespace and the name of a set that is gone.
type Place = (String, String);

/// Takes out what counts down after its set is gone.
pub struct TrashController {
    environment: Environment,
    cluster: Cluster,
    belongs: Belongs,
    name: String,
}

/// Why trash could not be taken out.
#[derive(Debug, thiserror::Error)]
enum SweepError {
    #[error(transparent)]
    Storage(#[from] release::StorageError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Observe(#[from] engine::ObserveError),
    #[error(transparent)]
    Server(#[from] kube::Error),
    #[error(transparent)]
    Plan(#[from] plan::PlanErrors),
}

impl TrashController {
    /// The trash of one sort of sets.
    pub fn new(environment: Environment, cluster: Cluster, belongs: Belongs) -> Self {
        let name = format!("{}-trash", belongs.kind().unwrap_or("release").to_lowercase());
        Self { environment, cluster, belongs, name }
    }

    /// Takes out what is due, and says when to come back.
    async fn attempt(&self, (namespace, name): &Place) -> Option<Timestamp> {
        match self.take_out(namespace, name).await {
            Ok(next) => next,
            Err(SweepError::Lock(_)) => Some(self.environment.clock.after(LOCKED)),
            Err(error) => {
                tracing::warn!(%error, namespace, name, "trash cannot be taken out");
                Some(self.environment.clock.after(AGAIN))
            }
        }
    }

    /// Takes out what is due, and says when the next is.
    async fn take_out(&self, namespace: &str, name: &str) -> Result<Option<Timestamp>, SweepError> {
        let sets = Sets::new(self.cluster.client(), namespace, self.belongs);
        let (stopper, mut stop) = Stop::new();
        let lock_name = format!("slipway.{}.{name}", self.name.trim_end_matches("-trash"));
        let holder = format!("{} ({})", self.environment.name, self.name);
        let lock = self.cluster.lock(namespace, &lock_name, &holder, stopper).await??;
        let swept = self.take_out_locked(&sets, namespace, name, &mut stop).await;
        lock.release().await;
        swept
    }

    async fn take_out_locked(
        &self,
        sets: &Sets,
        namespace: &str,
        name: &str,
        stop: &mut Stop,
    ) -> Result<Option<Timestamp>, SweepError> {
        let Some(mut trash) = sets.read_trash(name).await? else { return Ok(None) };
        let engine = self.cluster.as_account(namespace, &trash.account).await?;
        let marks = Marks { name: name.to_owned(), namespace: namespace.to_owned(), belongs: self.belongs };
        let holders = trash.inventory.entries.iter();
        let subjects = Subjects {
            stored: trash.inventory.entries.iter().map(stored_object).collect(),
            holders: holders.filter_map(|entry| Some((entry.id.clone(), Holder::of(&entry.id)?))).collect(),
            ..Subjects::default()
        };
        let mut seen = engine.look(&subjects, &marks).await?;
        // What a living set of the name has again is its own.
        if let Some(living) = sets.read(name).await? {
            let taken: HashSet<_> = living.inventory.entries.iter().map(|entry| &entry.id).collect();
            let gone: Vec<bool> =
                trash.inventory.entries.iter().map(|entry| taken.contains(&entry.id)).collect();
            trash.inventory.forget(&gone);
            seen.retain(|id, _| trash.inventory.entries.iter().any(|entry| entry.id == *id));
        }
        let live = engine.judge(&subjects, &seen, &marks).await?;
        let wanted = Wanted::nothing(namespace);
        let plan = plan::plan(&Request {
            operation: Operation::Prune,
            wanted: &wanted,
            stored: &trash.inventory,
            policy: &Policy::default(),
            live: &live,
            now: self.environment.clock.now(),
        })?;
        let held = HashSet::new();
        let options = Options { timeout: AGAIN, clock: by(&self.environment.clock), ..Options::default() };
        let work = Work { plan: &plan, documents: &[], marks: &marks };
        let mut expired = 0;
        let tell = |event: Ran| {
            if let Ran::Deleting { object } | Ran::Gone { object } = &event {
                tracing::info!(%object, namespace, name, "a countdown is over");
                expired += 1;
            }
        };
        let glance = Glance { seen: &seen, held: &held };
        let outcome = engine.advance(work, &options, glance, stop, tell).await;
        self.environment.metrics.count(
            "slipway_trash_swept_total",
            "How often what deleted sets left behind was taken out.",
            &[("namespace", namespace)],
        );
        crate::bundle::settle(&mut trash.inventory, &plan, &outcome);
        let mut next: Option<Timestamp> = None;
        let mut stays: HashMap<usize, bool> = HashMap::new();
        for step in &plan.steps {
            if let (StepKind::Keep { object }, Reason::Kept(kept)) = (step.kind, &step.reason) {
                match kept {
                    Kept::Counting { due } => next = Some(next.map_or(*due, |known| known.min(*due))),
                    Kept::Unreadable { .. } | Kept::Holds { .. } => {}
                    // It is somebody else's by now, or kept for good: no longer ours to look after.
                    _ => drop(stays.insert(object.at(), true)),
                }
            }
        }
        let not_ours: HashSet<_> = stays.keys().map(|place| plan.objects[*place].id.clone()).collect();
        let gone: Vec<bool> =
            trash.inventory.entries.iter().map(|entry| not_ours.contains(&entry.id)).collect();
        trash.inventory.forget(&gone);
        if !outcome.waiting.is_empty() || !outcome.failures.is_empty() {
            next = Some(self.environment.clock.after(AGAIN).min(next.unwrap_or(Timestamp::MAX)));
        }
        sets.write_trash(&trash, next).await?;
        Ok(next)
    }
}

impl Sweeper for TrashController {
    type Place = Place;

    const AT_ONCE: usize = 64;
    const ENDS_WITH_SECRET: bool = true;

    fn environment(&self) -> &Environment {
        &self.environment
    }

    fn labels(&self) -> String {
        format!("slipway.dev/what={}", self.name)
    }

    /// Shards beside the first have names of their own.
    fn place(&self, secret: &Meta) -> Option<Place> {
        let name = secret.name_any();
        let set = name.strip_prefix(&format!("slipway.{}.v1.", self.name))?;
        Some((secret.namespace().unwrap_or_default(), set.to_owned()))
    }

    fn due(&self, secret: &Meta, known: Option<Timestamp>) -> Option<Timestamp> {
        secret.annotations().get(DUE).and_then(|at| at.parse().ok()).or(known)
    }

    async fn sweep(self: Arc<Self>, place: Place) -> Option<Timestamp> {
        self.attempt(&place).await
    }
}

impl Controller for TrashController {
    fn name(&self) -> &str {
        &self.name
    }

    fn run(self: Box<Self>, stop: CancellationToken) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move { schedule::run(Arc::new(*self), &stop).await })
    }
}

impl std::fmt::Debug for TrashController {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TrashController").field("belongs", &self.belongs).finish_non_exhaustive()
    }
}
