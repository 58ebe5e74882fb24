//! When what is left behind is due, and who takes it out: one loop for the trash of sets and for that of releases.
//!
//! Secrets are watched by their metadata, which say where something is due, and when. A place is swept at its instant,
//! one sweep of it at a time, and says when it is due next.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use extension::{CancellationToken, Environment};
use futures_core::Stream as _;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use kube::api::PartialObjectMeta;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, ResourceExt as _};
use tokio::task::{Id, JoinSet};

/// What cannot be taken out is tried again after so long.
pub(crate) const AGAIN: Duration = Duration::from_secs(30);

/// A Secret, by its metadata.
pub(crate) type Meta = PartialObjectMeta<Secret>;

/// Who takes out what is due.
pub(crate) trait Sweeper: Send + Sync + 'static {
    /// Where something is due.
    type Place: Ord + Clone + Send + 'static;

    /// So many places are swept at once.
    const AT_ONCE: usize;

    fn environment(&self) -> &Environment;

    /// Which Secrets tell of it.
    fn labels(&self) -> String;

    /// The place that a Secret tells of.
    fn place(&self, secret: &Meta) -> Option<Self::Place>;

    /// When that is due, given what is known so far.
    fn due(&self, secret: &Meta, known: Option<Timestamp>) -> Option<Timestamp>;

    /// Whether nothing is due any more when the Secret is gone.
    const ENDS_WITH_SECRET: bool;

    /// Takes out what is due, and says when the next is.
    fn sweep(self: Arc<Self>, place: Self::Place) -> impl Future<Output = Option<Timestamp>> + Send;
}

/// Takes out what is due, until it is told to stop.
pub(crate) async fn run<S: Sweeper>(sweeper: Arc<S>, stop: &CancellationToken) {
    let Environment { client, clock, scope, .. } = sweeper.environment().clone();
    let secrets: Api<Meta> = Api::all(client);
    let mut events = pin!(watcher(secrets, watcher::Config::default().labels(&sweeper.labels())));
    let mut schedule: Schedule<S::Place> = Schedule::new(S::AT_ONCE);
    let mut sweeping: JoinSet<Option<Timestamp>> = JoinSet::new();
    let mut tasks: HashMap<Id, S::Place> = HashMap::new();
    loop {
        let next = schedule.next();
        let timer = async {
            match next {
                Some(next) => clock.sleep_until(next).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = timer => {
                for place in schedule.take(clock.now()) {
                    let task = sweeping.spawn(Arc::clone(&sweeper).sweep(place.clone()));
                    tasks.insert(task.id(), place);
                }
            }
            Some(ended) = sweeping.join_next_with_id() => {
                let (id, again) = match ended {
                    Ok((id, again)) => (id, again),
                    Err(error) => {
                        tracing::error!(%error, "a sweep of trash broke down");
                        (error.id(), Some(clock.after(AGAIN)))
                    }
                };
                if let Some(place) = tasks.remove(&id) {
                    schedule.ended(place, again);
                }
            }
            event = poll_fn(|context| events.as_mut().poll_next(context)) => match event {
                Some(Ok(Event::Apply(secret) | Event::InitApply(secret))) => {
                    let namespace = secret.namespace().unwrap_or_default();
                    if !scope.namespaces.is_empty() && !scope.namespaces.contains(&namespace) {
                        continue;
                    }
                    if let Some(place) = sweeper.place(&secret) {
                        schedule.tell(place, |known| sweeper.due(&secret, known));
                    }
                }
                Some(Ok(Event::Delete(secret))) if S::ENDS_WITH_SECRET => {
                    if let Some(place) = sweeper.place(&secret) {
                        schedule.forget(&place);
                    }
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    tracing::warn!(%error, "the watch on trash broke and begins again");
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
                None => return,
            },
        }
    }
}

/// Which places are due when, and which are being swept. No clock: time is an argument.
#[derive(Debug)]
struct Schedule<Place> {
    at_once: usize,
    due: BTreeMap<Place, Timestamp>,
    busy: BTreeSet<Place>,
}

impl<Place: Ord + Clone> Schedule<Place> {
    fn new(at_once: usize) -> Self {
        Self { at_once, due: BTreeMap::new(), busy: BTreeSet::new() }
    }

    fn free(&self) -> impl Iterator<Item = (&Place, Timestamp)> {
        self.due.iter().filter(|(place, _)| !self.busy.contains(*place)).map(|(place, at)| (place, *at))
    }

    /// When something can begin.
    fn next(&self) -> Option<Timestamp> {
        if self.busy.len() >= self.at_once { None } else { self.free().map(|(_, at)| at).min() }
    }

    /// What begins now, the longest due first. What is told of it meanwhile is news.
    fn take(&mut self, now: Timestamp) -> Vec<Place> {
        let mut ready: Vec<_> =
            self.free().filter(|(_, at)| *at <= now).map(|(place, at)| (at, place.clone())).collect();
        ready.sort();
        ready.truncate(self.at_once.saturating_sub(self.busy.len()));
        let taken: Vec<Place> = ready.into_iter().map(|(_, place)| place).collect();
        for place in &taken {
            self.due.remove(place);
            self.busy.insert(place.clone());
        }
        taken
    }

    fn ended(&mut self, place: Place, again: Option<Timestamp>) {
        self.busy.remove(&place);
        let next = self.due.get(&place).copied().into_iter().chain(again).min();
        self.due.extend(next.map(|next| (place, next)));
    }

    fn tell(&mut self, place: Place, due: impl FnOnce(Option<Timestamp>) -> Option<Timestamp>) {
        let due = due(self.due.get(&place).copied());
        self.due.extend(due.map(|due| (place, due)));
    }

    fn forget(&mut self, place: &Place) {
        self.due.remove(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap_or_default()
    }

    #[test]
    fn places_are_swept_at_their_instants_one_sweep_of_each_at_a_time() {
        let mut schedule = Schedule::new(2);
        for (place, second) in [("a", 30), ("b", 10), ("c", 20)] {
            schedule.tell(place, |_| Some(at(second)));
        }
        assert_eq!(schedule.next(), Some(at(10)));
        assert_eq!(schedule.take(at(5)), Vec::<&str>::new());
        assert_eq!(schedule.take(at(10)), ["b"]);
        // It is told of while it is swept, and waits.
        schedule.tell("b", |known| known.or(Some(at(11))));
        assert_eq!(schedule.take(at(40)), ["c"], "the longest due first, and no more than two");
        assert_eq!(schedule.next(), None);
        schedule.ended("c", None);
        assert_eq!(schedule.take(at(40)), ["a"]);
        schedule.ended("b", Some(at(50)));
        assert_eq!(schedule.take(at(40)), ["b"], "what was told meanwhile counts");
        schedule.ended("b", Some(at(50)));
        schedule.ended("a", Some(at(60)));
        schedule.forget(&"a");
        assert_eq!((schedule.next(), schedule.take(at(99))), (Some(at(50)), vec!["b"]));
    }
}
