//! Watches on what belongs to somebody: one for each kind that any set has, by metadata alone.
//!
//! A change wakes the set that the object belongs to, unless it is the change that the set itself has just made, which
//! is known by its revision. A watch begins with a list, and so does one that has broken for too long: what is not in it
//! went while nobody watched.

use std::collections::{HashMap, HashSet};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use engine::{Belongs, OWNER};
use extension::{ObjectKey, Scope, Trigger};
use futures_core::Stream as _;
use jiff::{SignedDuration, Timestamp};
use kube::core::{ApiResource, DynamicObject, PartialObjectMeta};
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, ResourceExt};
use objects::ObjectId;

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
    /// What sets know of their objects, by UID.
    known: HashMap<String, Known>,
    /// How many lists have ended.
    lists: u64,
    /// The objects that their sets know to be gone, by UID, and since when.
    gone: HashMap<String, Timestamp>,
    /// The sets that have not looked since something of theirs has changed.
    news: HashSet<ObjectKey>,
    tasks: Vec<tokio::task::AbortHandle>,
}

/// What a set knows of an object.
struct Known {
    id: ObjectId,
    version: Option<String>,
    /// The set, if the object says that it belongs to one.
    owner: Option<ObjectKey>,
}

/// What one watch is about.
struct Watched {
    group: String,
    kind: String,
    /// The only namespace.
    namespace: Option<String>,
}

impl Watched {
    fn has(&self, id: &ObjectId) -> bool {
        (&self.group, &self.kind) == (&id.group, &id.kind)
            && (self.namespace.is_none() || self.namespace == id.namespace)
    }
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
        let scopes: Vec<Option<&str>> = match self.inner.namespaces.as_slice() {
            some @ [_, ..] if namespaced => some.iter().map(|namespace| Some(namespace.as_str())).collect(),
            _ => vec![None],
        };
        for namespace in scopes {
            let api = match namespace {
                Some(namespace) => Api::namespaced_with(client.clone(), namespace, resource),
                None => Api::all_with(client.clone(), resource),
            };
            let (group, kind) = (resource.group.clone(), resource.kind.clone());
            let watched = Watched { group, kind, namespace: namespace.map(str::to_owned) };
            let label = self.inner.belongs.label().unwrap_or_default().to_owned();
            let task = tokio::spawn(watch(Arc::downgrade(&self.inner), watched, api, label));
            state.tasks.push(task.abort_handle());
        }
    }

    /// How many lists have ended. A set asks before it looks at its objects.
    pub(crate) fn lists(&self) -> u64 {
        self.state().lists
    }

    /// What a set knows of its objects: events about these revisions are none.
    ///
    /// It began to look at them after some lists. If another has ended since, an object that went before it was listed
    /// is in no event, and the set looks again.
    pub(crate) fn knows<'a>(
        &self,
        key: ObjectKey,
        objects: impl Iterator<Item = (&'a ObjectId, &'a DynamicObject)>,
        lists: u64,
    ) {
        let mut state = self.state();
        for (id, object) in objects {
            if let Some(uid) = object.uid() {
                let (id, version) = (id.clone(), object.resource_version());
                state.known.insert(uid, Known { id, version, owner: self.owner(object) });
            }
        }
        if state.lists != lists {
            state.wake(key);
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
        let Some(uid) = object.uid() else { return };
        self.tell(key, uid, object.resource_version(), gone);
    }

    /// A list has ended, in which these were.
    fn listed(&self, watched: &Watched, uids: &HashSet<String>) {
        let mut state = self.state();
        state.lists += 1;
        let missing =
            state.known.iter().filter(|(uid, known)| watched.has(&known.id) && !uids.contains(*uid));
        let missing: Vec<(String, ObjectKey)> =
            missing.filter_map(|(uid, known)| Some((uid.clone(), known.owner.clone()?))).collect();
        drop(state);
        for (uid, key) in missing {
            self.tell(key, uid, None, true);
        }
    }

    /// Wakes a set because of an object, unless it turns out to be no news.
    fn tell(&self, key: ObjectKey, uid: String, version: Option<String>, gone: bool) {
        let inner = Arc::downgrade(&self.inner);
        tokio::spawn(async move {
            tokio::time::sleep(HOLD).await;
            let Some(inner) = inner.upgrade() else { return };
            let this = Self { inner };
            let mut state = this.state();
            let is_told = if gone {
                state.known.remove(&uid);
                state.gone.remove(&uid).is_some()
            } else {
                version.is_some() && state.known.get(&uid).is_some_and(|known| known.version == version)
            };
            if !is_told {
                state.wake(key);
            }
        });
    }

    /// The set that an object says it belongs to.
    fn owner(&self, object: &impl ResourceExt) -> Option<ObjectKey> {
        let (kind, path) = object.annotations().get(OWNER)?.split_once(' ')?;
        let (namespace, name) = path.split_once('/')?;
        (Some(kind) == self.inner.belongs.kind()).then(|| ObjectKey::namespaced(namespace, name))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn wake(&mut self, key: ObjectKey) {
        self.news.insert(key.clone());
        if let Some(trigger) = &self.trigger {
            trigger.wake(key);
        }
    }
}

/// Follows one watch for as long as anybody is there to be woken.
async fn watch(inner: Weak<Inner>, watched: Watched, api: Api<PartialObjectMeta>, label: String) {
    let mut events = pin!(watcher(api, watcher::Config::default().labels(&label)));
    let mut listed = HashSet::new();
    let mut failures = 0_u32;
    while let Some(event) = poll_fn(|context| events.as_mut().poll_next(context)).await {
        let Some(watching) = inner.upgrade().map(|inner| Watching { inner }) else { return };
        // That a list is about to be asked for proves nothing.
        if !matches!(event, Ok(Event::Init) | Err(_)) {
            failures = 0;
        }
        match event {
            Ok(Event::Apply(object)) => watching.changed(&object, false),
            Ok(Event::Delete(object)) => watching.changed(&object, true),
            Ok(Event::Init) => listed.clear(),
            Ok(Event::InitApply(object)) => {
                listed.extend(object.uid());
                watching.changed(&object, false);
            }
            Ok(Event::InitDone) => watching.listed(&watched, &std::mem::take(&mut listed)),
            Err(error) => {
                drop(watching);
                tracing::warn!(%error, kind = watched.kind, "a watch on what sets have broke and begins again");
                tokio::time::sleep(Duration::from_millis(100 << failures.min(8))).await;
                failures += 1;
            }
        }
    }
}

impl std::fmt::Debug for Watching {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watching").field("belongs", &self.inner.belongs).finish_non_exhaustive()
    }
}
