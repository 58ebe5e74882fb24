//! One watch for each kind and namespace that something is awaited in, shared by all who wait.

use std::collections::{HashMap, HashSet};
use std::future::poll_fn;
use std::pin::pin;

use futures_core::Stream;
use kube::core::{ApiResource, DynamicObject, TypeMeta};
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, ResourceExt};
use objects::ObjectId;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::pauses::Pauses;
use crate::served::Kind;
use crate::trouble::{Trouble, sort};

/// What is told of one object.
#[derive(Debug)]
pub(crate) struct News {
    pub(crate) id: ObjectId,
    pub(crate) seen: Seen,
}

/// How an object was seen. What is told may be late, but nothing that changes an object is left out.
#[derive(Debug)]
pub(crate) enum Seen {
    /// It is there.
    There(Box<DynamicObject>),
    /// The one with this UID is gone; another of the same name may be there.
    Gone(Option<String>),
    /// There is none.
    Absent,
}

/// The watches of a run. They end when this is dropped.
pub(crate) struct Watches {
    client: Client,
    /// All that a run may come to wait for. A watch that knows its names before it begins has to ask for none of them.
    expected: HashMap<(String, String, Option<String>), HashSet<String>>,
    running: HashMap<(ApiResource, Option<String>), Running>,
    sender: mpsc::UnboundedSender<News>,
    receiver: mpsc::UnboundedReceiver<News>,
}

struct Running {
    follow: mpsc::UnboundedSender<String>,
    followed: HashSet<String>,
    task: AbortHandle,
}

impl Drop for Watches {
    fn drop(&mut self) {
        self.running.values().for_each(|running| running.task.abort());
    }
}

impl Watches {
    pub(crate) fn new<'a>(client: Client, expected: impl Iterator<Item = &'a ObjectId>) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        let mut names: HashMap<_, HashSet<String>> = HashMap::new();
        for id in expected {
            let place = (id.group.clone(), id.kind.clone(), id.namespace.clone());
            names.entry(place).or_default().insert(id.name.clone());
        }
        Self { client, expected: names, running: HashMap::new(), sender, receiver }
    }

    /// Begins to tell of an object: as it is now, and whenever it changes.
    pub(crate) fn follow(&mut self, kind: &Kind, id: &ObjectId) {
        let namespace = id.namespace.clone().filter(|_| kind.namespaced);
        let (client, sender, expected) = (&self.client, &self.sender, &self.expected);
        let running = self.running.entry((kind.resource.clone(), namespace.clone())).or_insert_with(|| {
            let (follow, asked) = mpsc::unbounded_channel();
            let place = (id.group.clone(), id.kind.clone(), id.namespace.clone());
            let names = expected.get(&place).cloned().unwrap_or_default();
            let (types, sender) = (kind.types(), sender.clone());
            let watch = Watch { of: id.clone(), types, asked, names: names.clone(), sender };
            let api = match &namespace {
                Some(namespace) => Api::namespaced_with(client.clone(), namespace, &kind.resource),
                None => Api::all_with(client.clone(), &kind.resource),
            };
            let task = tokio::spawn(watch.run(api)).abort_handle();
            Running { follow, followed: names, task }
        });
        if running.followed.insert(id.name.clone()) {
            // A watch ends only with the run.
            let _ = running.follow.send(id.name.clone());
        }
    }

    /// The next news of any object that is followed.
    pub(crate) async fn next(&mut self) -> Option<News> {
        self.receiver.recv().await
    }
}

struct Watch {
    /// Any object of the kind and namespace.
    of: ObjectId,
    /// What its objects are: the items of a list do not say so themselves, and readiness depends on it.
    types: TypeMeta,
    asked: mpsc::UnboundedReceiver<String>,
    /// The names that somebody waits for: nothing is kept of others.
    names: HashSet<String>,
    sender: mpsc::UnboundedSender<News>,
}

impl Watch {
    async fn run(mut self, api: Api<DynamicObject>) {
        let mut events = pin!(watcher(api.clone(), watcher::Config::default()));
        let mut there = HashSet::new();
        // Names that were asked for while the first list was being told: it may have passed them already.
        let mut late = Vec::new();
        let mut complete = false;
        let mut pauses = Pauses::default();
        loop {
            tokio::select! {
                asked = self.asked.recv() => {
                    let Some(name) = asked else { return };
                    if complete {
                        self.look(&api, name, &mut there).await;
                    } else {
                        late.push(name);
                    }
                }
                event = poll_fn(|context| events.as_mut().poll_next(context)) => match event.inspect(|event| {
                    if event.is_ok() {
                        pauses.end();
                    }
                }) {
                    None => return,
                    // The watcher begins again by itself.
                    Some(Err(_)) => pauses.wait().await,
                    Some(Ok(Event::Init)) => there.clear(),
                    Some(Ok(Event::InitApply(mut object) | Event::Apply(mut object))) => {
                        let name = object.name_any();
                        if self.names.contains(&name) {
                            there.insert(name.clone());
                            object.types.get_or_insert_with(|| self.types.clone());
                            self.tell(name, Seen::There(Box::new(object)));
                        }
                    }
                    Some(Ok(Event::Delete(object))) => {
                        let name = object.name_any();
                        if self.names.contains(&name) {
                            there.remove(&name);
                            self.tell(name, Seen::Gone(object.uid()));
                        }
                    }
                    Some(Ok(Event::InitDone)) => {
                        complete = true;
                        let absent: Vec<String> = self.names.difference(&there).cloned().collect();
                        for name in absent {
                            self.tell(name, Seen::Absent);
                        }
                        for name in late.drain(..) {
                            self.look(&api, name, &mut there).await;
                        }
                    }
                },
            }
        }
    }

    /// Reads once what the watch has passed over. What it tells afterwards may be older, but then it also tells what
    /// came between.
    async fn look(&mut self, api: &Api<DynamicObject>, name: String, there: &mut HashSet<String>) {
        self.names.insert(name.clone());
        let mut pauses = Pauses::default();
        loop {
            match api.get_opt(&name).await {
                Ok(Some(object)) => {
                    there.insert(name.clone());
                    return self.tell(name, Seen::There(Box::new(object)));
                }
                Ok(None) => return self.tell(name, Seen::Absent),
                // There may be no next change that tells.
                Err(error) if matches!(sort(&error), Trouble::Passing(_)) => pauses.wait().await,
                // Whoever may not read it learns of it by its next change.
                Err(_) => return,
            }
        }
    }

    fn tell(&self, name: String, seen: Seen) {
        // Nobody listens any more once the run is over.
        let _ = self.sender.send(News { id: ObjectId { name, ..self.of.clone() }, seen });
    }
}
