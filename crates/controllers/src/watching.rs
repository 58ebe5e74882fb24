//! Watches on what belongs to somebody: one for each kind that any set has, by metadata alone.
//!
//! A change wakes the set that the object belongs to, unless it is the change that the set itself has just made, which
//! is known by its revision.

use std::collections::{HashMap, HashSet};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::{Belongs, OWNER};
use extension::{ObjectKey, Scope, Trigger};
use futures_core::Stream as _;
use jiff::{SignedDuration, Timestamp};
use kube::core::{ApiResource, DynamicObject, PartialObjectMeta};
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, ResourceExt};

/// So long an event is held, in which the run that caused it may tell that it did.
const HOLD: Duration = Duration::from_millis(100);

/// After so long nobody will tell any more that an object is gone.
const FORGOTTEN: SignedDuration = SignedDuration::from_mins(1);

/// The watches of one controller. Clones are the same.
#[derive(Clone)]
pub struct Watching {
    inner: Arc<Inner>,
}

struct Inner {
    client: Client,
    belongs: Belongs,
    namespaces: Vec<String>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    trigger: Option<Trigger>,
    watched: HashSet<ApiResource>,
    /// The revision of each object that its set knows, by UID.
    known: HashMap<String, String>,
    /// The objects that their sets know to be gone, by UID, and since when.
    gone: HashMap<String, Timestamp>,
    /// The sets that have not looked since something of theirs has changed.
    news: HashSet<ObjectKey>,
    tasks: Vec<tokio::task::AbortHandle>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.tasks.iter().for_each(tokio::task::AbortHandle::abort);
    }
}

impl Watching {
    /// Watches for one sort of sets, in the namespaces that are looked after.
    pub fn new(client: Client, belongs: Belongs, scope: &Scope) -> Self {
        let (namespaces, state) = (scope.namespaces.clone(), Mutex::default());
        Self { inner: Arc::new(Inner { client, belongs, namespaces, state }) }
    }

    /// Whom to wake.
    pub fn wakes(&self, trigger: Trigger) {
        self.state().trigger = Some(trigger);
    }

    /// Watches a kind from now on.
    pub(crate) fn follow(&self, resource: &ApiResource, namespaced: bool) {
        let mut state = self.state();
        if !state.watched.insert(resource.clone()) {
            return;
        }
        let client = &self.inner.client;
        let apis: Vec<Api<PartialObjectMeta>> = match self.inner.namespaces.as_slice() {
            [] => vec![Api::all_with(client.clone(), resource)],
            _ if !namespaced => vec![Api::all_with(client.clone(), resource)],
            some => some
                .iter()
                .map(|namespace| Api::namespaced_with(client.clone(), namespace, resource))
                .collect(),
        };
        for api in apis {
            let inner = Arc::downgrade(&self.inner);
            let label = self.inner.belongs.label().unwrap_or_default().to_owned();
            let kind = resource.kind.clone();
            let task = tokio::spawn(async move {
                let mut events = pin!(watcher(api, watcher::Config::default().labels(&label)));
                let mut failures = 0_u32;
                while let Some(event) = poll_fn(|context| events.as_mut().poll_next(context)).await {
                    match event {
                        Ok(Event::Apply(object) | Event::InitApply(object)) => {
                            let Some(inner) = inner.upgrade() else { return };
                            Self { inner }.changed(&object, false);
                        }
                        Ok(Event::Delete(object)) => {
                            let Some(inner) = inner.upgrade() else { return };
                            Self { inner }.changed(&object, true);
                        }
                        Ok(Event::Init | Event::InitDone) => failures = 0,
                        Err(error) => {
                            tracing::warn!(%error, kind, "a watch on what sets have broke and begins again");
                            tokio::time::sleep(Duration::from_millis(100 << failures.min(8))).await;
                            failures += 1;
                        }
                    }
                }
            });
            state.tasks.push(task.abort_handle());
        }
    }

    /// What a set knows of its objects: events about these revisions are none.
    pub(crate) fn knows<'a>(&self, objects: impl Iterator<Item = &'a DynamicObject>) {
        let mut state = self.state();
        for object in objects {
            if let (Some(uid), Some(version)) = (object.uid(), object.resource_version()) {
                state.known.insert(uid, version);
            }
        }
    }

    /// Whether something of a set has changed since it looked.
    pub(crate) fn has_news(&self, key: &ObjectKey) -> bool {
        self.state().news.contains(key)
    }

    /// A set looks at all that it has.
    pub(crate) fn hears(&self, key: &ObjectKey) {
        self.state().news.remove(key);
    }

    /// What a set knows to be gone: that it went is no news.
    pub(crate) fn knows_gone(&self, uids: Vec<String>, now: Timestamp) {
        let mut state = self.state();
        // Whose event was told before is told no more.
        state.gone.retain(|_, since| now.duration_since(*since) < FORGOTTEN);
        state.gone.extend(uids.into_iter().map(|uid| (uid, now)));
    }

    fn changed(&self, object: &PartialObjectMeta, gone: bool) {
        let Some(key) = self.owner(object) else { return };
        let (Some(uid), version) = (object.uid(), object.resource_version()) else { return };
        let inner = Arc::downgrade(&self.inner);
        tokio::spawn(async move {
            tokio::time::sleep(HOLD).await;
            let Some(inner) = inner.upgrade() else { return };
            let this = Self { inner };
            let mut state = this.state();
            let known = if gone { state.known.remove(&uid) } else { state.known.get(&uid).cloned() };
            let is_told = gone && state.gone.remove(&uid).is_some();
            if is_told || !gone && known.is_some() && known == version {
                return;
            }
            state.news.insert(key.clone());
            if let Some(trigger) = &state.trigger {
                trigger.wake(key);
            }
        });
    }

    /// The set that an object says it belongs to.
    fn owner(&self, object: &PartialObjectMeta) -> Option<ObjectKey> {
        let (kind, path) = object.annotations().get(OWNER)?.split_once(' ')?;
        let (namespace, name) = path.split_once('/')?;
        (Some(kind) == self.inner.belongs.kind()).then(|| ObjectKey::namespaced(namespace, name))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Watching {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watching").field("belongs", &self.inner.belongs).finish_non_exhaustive()
    }
}
