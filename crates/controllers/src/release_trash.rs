//! The trash of releases: what counts down goes at its instant, as the ServiceAccount that the operator was told to use.
//!
//! The Secrets that releases have beside Helm's records are watched by their metadata. When one has changed, the trash of
//! its namespace is read as that account, and looked at again when the next countdown ends. A delay that is made
//! shorter on the object itself is seen then, or with the next change of a release.

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use engine::{Engine, Event as Ran, Marks, Options, Stop};
use extension::{CancellationToken, Controller, Environment};
use jiff::Timestamp;
use kube::ResourceExt as _;
use plan::input::Policy;
use release::{PENDING_GRACE, ReleaseError, Session, Worker};

use crate::Cluster;
use crate::schedule::{self, AGAIN, Meta, Sweeper};

/// The Secrets in which releases have what counts down.
const LABELS: &str = "slipway.dev/what in (inventory,tombstone)";
/// A release writes several Secrets; they are looked at when it is through.
const SETTLED: Duration = Duration::from_millis(500);

/// Takes out what counts down in the trash of releases.
#[derive(Debug)]
pub struct ReleaseTrash {
    environment: Environment,
    cluster: Cluster,
    account: String,
}

impl ReleaseTrash {
    /// The trash of releases, swept as the account of this name in the namespace of each.
    pub fn new(environment: Environment, account: String) -> Self {
        let cluster = Cluster::new(environment.client.clone());
        Self { environment, cluster, account }
    }

    /// Takes out what is due in a namespace, and says when to come back.
    async fn attempt(self: &Arc<Self>, namespace: &str) -> Option<Timestamp> {
        let (this, at) = (Arc::clone(self), namespace.to_owned());
        let handle = tokio::runtime::Handle::current();
        // Whoever hears of the events of a session need not be able to change threads.
        let swept = tokio::task::spawn_blocking(move || handle.block_on(this.take_out(&at))).await;
        match swept {
            Ok(Ok(next)) => next,
            Ok(Err(error)) => {
                tracing::warn!(%error, namespace, "the trash of releases cannot be taken out");
                Some(self.environment.clock.after(AGAIN))
            }
            Err(error) => {
                tracing::error!(%error, namespace, "sweeping the trash of releases broke down");
                Some(self.environment.clock.after(AGAIN))
            }
        }
    }

    async fn take_out(&self, namespace: &str) -> Result<Option<Timestamp>, ReleaseError> {
        let mut engine = self.cluster.as_account(namespace, &self.account).await.map_err(unreachable)?;
        // Objects in the trash may be of kinds that came later.
        engine.ask_again().await.map_err(unreachable)?;
        let found = release::trash(&engine, Some(namespace)).await?;
        let now = self.environment.clock.now();
        let over = found.iter().filter(|one| one.due.is_some_and(|due| due <= now));
        let releases: BTreeSet<&str> = over.map(|one| one.release.as_str()).collect();
        let mut again = found.iter().filter_map(|one| one.due).filter(|due| *due > now).min();
        for name in releases {
            if let Err(error) = self.sweep_release(engine.clone(), namespace, name).await {
                tracing::warn!(%error, namespace, name, "the trash of a release cannot be taken out");
                again = again.into_iter().chain([self.environment.clock.after(AGAIN)]).min();
            }
        }
        Ok(again)
    }

    async fn sweep_release(&self, engine: Engine, namespace: &str, name: &str) -> Result<(), ReleaseError> {
        let (stopper, stop) = Stop::new();
        let holder = format!("{} ({})", self.environment.name, self.name());
        let worker = Worker { holder, pending_grace: PENDING_GRACE, stopper, stop };
        let mut session = Session::begin(engine, Marks::release(name, namespace), worker).await?;
        let options = Options { timeout: AGAIN, ..Options::default() };
        let mut tell = |event: Ran| {
            if let Ran::Deleting { object } = &event {
                tracing::info!(%object, namespace, name, "a countdown is over");
            }
        };
        let swept = session.sweep(&[], &Policy::default(), &options, &mut tell).await;
        session.end().await;
        self.environment.metrics.count(
            "slipway_trash_swept_total",
            "How often what deleted sets left behind was taken out.",
            &[("namespace", namespace)],
        );
        swept.map(drop)
    }
}

fn unreachable(error: kube::Error) -> ReleaseError {
    let what = "ask what the cluster serves".to_owned();
    ReleaseError::Storage(release::StorageError::Cluster { what, source: Box::new(error) })
}

impl Sweeper for ReleaseTrash {
    type Place = String;

    const AT_ONCE: usize = 16;
    /// A namespace has others.
    const ENDS_WITH_SECRET: bool = false;

    fn environment(&self) -> &Environment {
        &self.environment
    }

    fn labels(&self) -> String {
        LABELS.to_owned()
    }

    fn place(&self, secret: &Meta) -> Option<String> {
        secret.namespace()
    }

    fn due(&self, _: &Meta, known: Option<Timestamp>) -> Option<Timestamp> {
        let soon = self.environment.clock.after(SETTLED);
        Some(known.map_or(soon, |known| known.min(soon)))
    }

    async fn sweep(self: Arc<Self>, namespace: String) -> Option<Timestamp> {
        self.attempt(&namespace).await
    }
}

impl Controller for ReleaseTrash {
    fn name(&self) -> &'static str {
        "release-trash"
    }

    fn run(self: Box<Self>, stop: CancellationToken) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move { schedule::run(Arc::<Self>::from(self), &stop).await })
    }
}
