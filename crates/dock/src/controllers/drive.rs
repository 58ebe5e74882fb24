//! The loop at work on a server: it follows the store, and makes its requests as any client does, but in this process.

use std::sync::{Arc, Mutex, Weak};

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};

use super::action::{Action, Deletion, Note, Part};
use super::controller::Actor;
use super::index::Index;
use super::interest::Change;
use super::machine::{Controllers, Refusal};
use super::nodes;
use super::object::Object;
use super::pods::kubelet;
use super::queue::Work;
use super::view::{Reader, View};
use super::world::{Key, NODES, Resource, STORAGE_CLASSES, Served};
use crate::http::accept::{Accept, Encoding};
use crate::http::answer::{Answer, Content};
use crate::http::options::Options;
use crate::http::user::User;
use crate::requests::Call;
use crate::server::{Dock, Server};
use crate::status::Status;
use crate::store::{self, Event, EventKind, Revision};

/// How far the controllers are: up to which change they have done everything, and when something is due next.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    revision: Revision,
    next: Option<Timestamp>,
}

/// Tells when the controllers have nothing left to do.
#[derive(Debug, Clone)]
pub struct Settled(watch::Receiver<Progress>);

impl Dock {
    /// Waits until the controllers have nothing left to do at the present time.
    ///
    /// On a clock that stands, that is a state in which nothing changes until the clock is turned or somebody writes.
    /// Without controllers it returns at once.
    pub async fn settle(&self) {
        let server = self.server();
        let Some(Settled(progress)) = server.controllers.get() else { return };
        let mut progress = progress.clone();
        let done = progress.wait_for(|progress| {
            let now = server.clock.now();
            progress.revision >= server.store.revision() && progress.next.is_none_or(|next| next > now)
        });
        // The loop ends only with the server, which is held here.
        let _ = done.await;
    }
}

/// What the containers of a Pod log, as scripted on it or on what controls it.
pub(crate) fn log_of(server: &Server, pod: &Value) -> String {
    let view = View {
        index: &Index::default(),
        reader: &Shelf(server),
        now: server.clock.now(),
        refusal: None,
        certificate: "",
    };
    kubelet::log(pod, &view)
}

/// Starts the controllers of a server. They end with it.
pub fn start(server: &Arc<Server>) {
    let (sender, receiver) = watch::channel(Progress::default());
    if server.controllers.set(Settled(receiver)).is_err() {
        return;
    }
    let (present, events) = server.store.follow_all();
    let mut controllers = Controllers::new(String::new());
    let present: Vec<(Key, Arc<Value>)> =
        present.into_iter().map(|stored| (key_of(&stored.key), stored.object)).collect();
    controllers.begin(&present, server.clock.now(), &Shelf(server));
    let revision = server.store.revision();
    let driver = Driver { server: Arc::downgrade(server), controllers, events, revision, progress: sender };
    tokio::spawn(driver.run());
}

struct Driver {
    server: Weak<Server>,
    controllers: Controllers,
    events: mpsc::UnboundedReceiver<Arc<Event>>,
    revision: Revision,
    progress: watch::Sender<Progress>,
}

impl Driver {
    async fn run(mut self) {
        if let Some(server) = self.server.upgrade() {
            furnish(&server).await;
        }
        while self.turn().await {}
    }

    /// Does all there is to do now, then waits for more. False if the server has ended.
    async fn turn(&mut self) -> bool {
        let Some(server) = self.server.upgrade() else { return false };
        loop {
            while let Ok(event) = self.events.try_recv() {
                self.observe(&event, &server);
            }
            let Some(work) = self.controllers.next(server.clock.now()) else { break };
            self.work(&work, &server).await;
        }
        let next = self.controllers.next_moment();
        self.progress.send_replace(Progress { revision: self.revision, next });
        let clock = server.clock.clone();
        // While it waits the loop must not keep the server alive.
        drop(server);
        let due = async {
            match next {
                Some(moment) => clock.sleep_until(moment).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            event = self.events.recv() => {
                let (Some(event), Some(server)) = (event, self.server.upgrade()) else { return false };
                self.observe(&event, &server);
            }
            () = due => {}
        }
        true
    }

    fn observe(&mut self, event: &Event, server: &Server) {
        self.revision = event.revision;
        let key = key_of(&event.key);
        let change = Change {
            key: &key,
            old: event.previous.as_ref().map(|stored| stored.object.as_ref()),
            new: (event.kind != EventKind::Deleted).then_some(event.object.as_ref()),
        };
        self.controllers.observe(change, server.clock.now(), &Shelf(server));
    }

    async fn work(&mut self, work: &Work, server: &Server) {
        let outcome = self.controllers.decide(work, server.clock.now(), &Shelf(server));
        let actor = work.controller.actor();
        for action in &outcome.actions {
            if let Err(status) = self.perform(action, actor, server).await {
                let refusal = refusal_of(&status);
                self.controllers.refused(work, refusal, &status.message, server.clock.now());
                return;
            }
        }
        self.controllers.done(work, &outcome);
    }

    /// Makes a request. What it is about may be gone: then there is nothing to do.
    async fn perform(&mut self, action: &Action, actor: Actor, server: &Server) -> Result<(), Status> {
        match action {
            Action::Create { resource, object, announce } => {
                let made = create(server, resource, object, actor).await;
                let note = announce.as_ref().and_then(|announce| match &made {
                    Ok(name) => Some(Controllers::made(announce, name)),
                    Err(status) if refusal_of(status) == Refusal::NamespaceEnds => None,
                    Err(status) => Some(Controllers::not_made(announce, &status.message)),
                });
                if let Some(note) = note {
                    self.tell(&note, actor, server).await;
                }
                made.map(drop)
            }
            Action::Update { resource, part, object } => {
                granted(update(server, resource, *part, object, actor).await)
            }
            Action::Patch { key, patch } => granted(apply_patch(server, key, patch, actor).await),
            Action::Bind { key, uid, node } => granted(bind(server, key, uid, node, actor).await),
            Action::Delete(deletion) => {
                granted(delete(server, deletion, actor).await)?;
                if let Some(note) = &deletion.announce {
                    self.tell(note, actor, server).await;
                }
                Ok(())
            }
            Action::Note(note) => {
                self.tell(note, actor, server).await;
                Ok(())
            }
        }
    }

    /// Tells by an Event. One that cannot be told is lost, as with any cluster.
    async fn tell(&mut self, note: &Note, actor: Actor, server: &Server) {
        let _ = match self.controllers.tell(note, actor, server.clock.now(), &Shelf(server)) {
            Action::Create { resource, object, .. } => {
                create(server, &resource, &object, actor).await.map(drop)
            }
            Action::Patch { key, patch } => apply_patch(server, &key, &patch, actor).await,
            _ => Ok(()),
        };
    }
}

/// Makes what every cluster has for its controllers: a Node and a class of storage.
async fn furnish(server: &Server) {
    let actor = super::Controller::Nodes.actor();
    // They are there already when the store was used before.
    let _ = create(server, &NODES, &nodes::simulated(), actor).await;
    let _ = create(server, &STORAGE_CLASSES, &nodes::default_storage_class(), actor).await;
}

fn granted(outcome: Result<(), Status>) -> Result<(), Status> {
    match outcome {
        Err(status) if status.code == http::StatusCode::NOT_FOUND => Ok(()),
        outcome => outcome,
    }
}

fn refusal_of(status: &Status) -> Refusal {
    let ends = status.details.as_ref().is_some_and(|details| {
        details.causes.iter().any(|cause| cause.reason == "NamespaceTerminating")
            || details.kind == "namespaces"
    });
    match status.code {
        _ if ends => Refusal::NamespaceEnds,
        http::StatusCode::CONFLICT if status.reason == "Conflict" => Refusal::Conflict,
        _ => Refusal::Other,
    }
}

/// A request of an actor.
fn call(server: &Server, key: &Key, subresource: &str, body: &Value, actor: Actor) -> Result<Call, Status> {
    let resource = server
        .registry
        .by_key(&key.resource.group, &key.resource.plural)
        .ok_or_else(Status::no_such_resource)?;
    Ok(Call {
        version: resource.storage_version.clone(),
        resource,
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        subresource: subresource.into(),
        options: Options::default(),
        user: User {
            name: actor.user.into(),
            groups: actor.groups.iter().map(|group| (*group).to_owned()).collect(),
            ..User::default()
        },
        user_agent: actor.manager.into(),
        accept: Accept::JSON,
        encoding: Encoding::Json,
        content_type: "application/merge-patch+json".into(),
        body: Bytes::from(body.to_string()),
        now: server.clock.now(),
        warnings: Mutex::default(),
    })
}

async fn create(
    server: &Server,
    resource: &Resource,
    object: &Value,
    actor: Actor,
) -> Result<String, Status> {
    let key = Key::new(resource, object.namespace(), "");
    let answer = server.create(&call(server, &key, "", object, actor)?).await?;
    Ok(match &answer {
        Answer { content: Content::Object(made), .. } => made.name().to_owned(),
        _ => object.name().to_owned(),
    })
}

async fn update(
    server: &Server,
    resource: &Resource,
    part: Part,
    object: &Value,
    actor: Actor,
) -> Result<(), Status> {
    let key = Key::of(resource, object);
    let subresource = match part {
        Part::Main => "",
        Part::Status => "status",
        Part::Finalize => "finalize",
    };
    let mut call = call(server, &key, subresource, object, actor)?;
    if call.resource.subresource(&call.version, subresource).is_none() {
        // A custom resource may have its status in the object itself.
        call.subresource = "".into();
    }
    server.update(&call).await.map(drop)
}

async fn apply_patch(server: &Server, key: &Key, patch: &Value, actor: Actor) -> Result<(), Status> {
    server.patch(&call(server, key, "", patch, actor)?).await.map(drop)
}

async fn bind(server: &Server, key: &Key, uid: &str, node: &str, actor: Actor) -> Result<(), Status> {
    let binding = json!({
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": { "name": &*key.name, "namespace": &*key.namespace, "uid": uid },
        "target": { "apiVersion": "v1", "kind": "Node", "name": node },
    });
    server.bind(&call(server, key, "binding", &binding, actor)?).await.map(drop)
}

async fn delete(server: &Server, deletion: &Deletion, actor: Actor) -> Result<(), Status> {
    let mut options = json!({
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "preconditions": { "uid": deletion.uid },
    });
    if let Some(revision) = &deletion.revision {
        options["preconditions"]["resourceVersion"] = revision.as_str().into();
    }
    if let Some(propagation) = deletion.propagation {
        options["propagationPolicy"] = propagation.as_str().into();
    }
    if let Some(seconds) = deletion.grace_seconds {
        options["gracePeriodSeconds"] = seconds.into();
    }
    server.delete(&call(server, &deletion.key, "", &options, actor)?).await.map(drop)
}

/// The objects of a server.
struct Shelf<'a>(&'a Server);

impl Reader for Shelf<'_> {
    fn get(&self, key: &Key) -> Option<Arc<Value>> {
        self.0.store.get(&stored_key(key)).map(|stored| stored.object)
    }

    fn list(&self, resource: &Resource, namespace: &str) -> Vec<Arc<Value>> {
        let range = store::Range { resource: stored_resource(resource), namespace: namespace.into() };
        self.0.store.list(&range).objects.into_iter().map(|stored| stored.object).collect()
    }

    fn serves(&self, api_version: &str, kind: &str) -> Option<Served> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let resource = self.0.registry.by_kind(group, kind)?;
        resource.versions.iter().any(|served| &**served == version).then(|| Served {
            resource: Resource {
                group: resource.key.group.to_string().into(),
                plural: resource.key.resource.to_string().into(),
            },
            namespaced: resource.namespaced,
        })
    }
}

fn key_of(key: &store::Key) -> Key {
    Key {
        resource: Resource {
            group: key.resource.group.to_string().into(),
            plural: key.resource.resource.to_string().into(),
        },
        namespace: key.namespace.clone(),
        name: key.name.clone(),
    }
}

fn stored_resource(resource: &Resource) -> store::ResourceKey {
    store::ResourceKey { group: resource.group.as_ref().into(), resource: resource.plural.as_ref().into() }
}

fn stored_key(key: &Key) -> store::Key {
    store::Key {
        resource: stored_resource(&key.resource),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
    }
}
