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
use kube::core::{ApiResource, DynamicObject, PartialObjectMeta};
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, ResourceExt};

/// So long an event is held, in which the run that caused it may tell that it did.
const HOLD: Duration = Duration::from_millis(100);

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
            if !gone && known.is_some() && known == version {
                return;
            }
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
