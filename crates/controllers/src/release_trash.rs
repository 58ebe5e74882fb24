//! The trash of releases: what counts down goes at its instant, as the ServiceAccount that the operator was told to use.
//!
//! The Secrets that releases have beside Helm's records are watched by their metadata. When one has changed, the trash of
//! its namespace is read as that account, and looked at again when the next countdown ends. A delay that is made
//! shorter on the object itself is seen then, or with the next change of a release.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use engine::{Engine, Event as Ran, Marks, Options, Stop};
use extension::{CancellationToken, Controller, Environment};
use futures_core::Stream as _;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use kube::api::PartialObjectMeta;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, ResourceExt};
use plan::input::Policy;
use release::{PENDING_GRACE, ReleaseError, Session, Worker};
use tokio::task::JoinSet;

use crate::Cluster;

/// The Secrets in which releases have what counts down.
const LABELS: &str = "slipway.dev/what in (inventory,tombstone)";
/// A release writes several Secrets; they are looked at when it is through.
const SETTLED: Duration = Duration::from_millis(500);
/// What cannot be taken out is tried again after so long.
const AGAIN: Duration = Duration::from_secs(30);
/// So many namespaces are looked at together.
const AT_ONCE: usize = 16;

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

    async fn watch(self: Arc<Self>, stop: &CancellationToken) {
        let secrets: Api<PartialObjectMeta<Secret>> = Api::all(self.environment.client.clone());
        let mut events = pin!(watcher(secrets, watcher::Config::default().labels(LABELS)));
        let mut due: BTreeMap<String, Timestamp> = BTreeMap::new();
        let mut busy: HashSet<String> = HashSet::new();
        let mut sweeping: JoinSet<(String, Option<Timestamp>)> = JoinSet::new();
        loop {
            let free = due.iter().filter(|(key, _)| busy.len() < AT_ONCE && !busy.contains(*key));
            let next = free.min_by_key(|(_, at)| **at).map(|(key, at)| (key.clone(), *at));
            let timer = async {
                match &next {
                    Some((_, at)) => self.environment.clock.sleep_until(*at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = timer => {
                    let Some((namespace, _)) = next else { continue };
                    // What is told of it meanwhile is news.
                    due.remove(&namespace);
                    busy.insert(namespace.clone());
                    let this = Arc::clone(&self);
                    sweeping.spawn(async move {
                        let again = this.attempt(&namespace).await;
                        (namespace, again)
                    });
                }
                Some(Ok((namespace, again))) = sweeping.join_next() => {
                    busy.remove(&namespace);
                    let next = due.get(&namespace).copied().into_iter().chain(again).min();
                    due.extend(next.map(|next| (namespace, next)));
                }
                event = poll_fn(|context| events.as_mut().poll_next(context)) => match event {
                    Some(Ok(Event::Apply(secret) | Event::InitApply(secret))) => {
                        let scope = &self.environment.scope.namespaces;
                        let namespace = secret.namespace().unwrap_or_default();
                        if scope.is_empty() || scope.contains(&namespace) {
                            let soon = self.environment.clock.after(SETTLED);
                            due.entry(namespace).and_modify(|at| *at = soon.min(*at)).or_insert(soon);
                        }
                    }
                    Some(Ok(_)) => {}
                    Some(Err(error)) => {
                        tracing::warn!(%error, "the watch on what releases keep broke and begins again");
                        tokio::time::sleep(Duration::from_secs(1)).await;
                    }
                    None => return,
                },
            }
        }
    }

    /// Takes out what is due in a namespace, and says when to come back.
    async fn attempt(self: &Arc<Self>, namespace: &str) -> Option<Timestamp> {
        let (this, at) = (Arc::clone(self), namespace.to_owned());
        let handle = tokio::runtime::Handle::current();
        // Whoever hears of the events of a session need not be able to change threads.
        let swept = tokio::task::spawn_blocking(move || handle.block_on(this.sweep(&at))).await;
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

    async fn sweep(&self, namespace: &str) -> Result<Option<Timestamp>, ReleaseError> {
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

impl Controller for ReleaseTrash {
    fn name(&self) -> &'static str {
        "release-trash"
    }

    fn run(self: Box<Self>, stop: CancellationToken) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move { Arc::<Self>::from(self).watch(&stop).await })
    }
}
