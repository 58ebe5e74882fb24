//! Whom a change concerns.

use std::sync::Arc;

use serde_json::Value;

use super::adoption::selects;
use super::collector::{FOREGROUND, ORPHAN, blocks, is_waiting};
use super::controller::Controller;
use super::index::Index;
use super::object::Object;
use super::pods::scheduler::claim_names;
use super::queue::Work;
use super::quotas::{gives_back, is_to_be_counted};
use super::script::{FAIL, FINALIZER_AFTER, READY_AFTER, STOP_AFTER};
use super::scripted::is_custom;
use super::view::Reader;
use super::volumes::volume_name;
use super::world::{
    AUTOSCALERS, BUDGETS, CLAIMS, CONFIG_MAPS, DAEMON_SETS, DEFINITIONS, DEPLOYMENTS, EVENTS, INGRESSES,
    JOBS, Key, NAMESPACES, NODES, PODS, QUOTAS, REPLICA_SETS, REPLICATION_CONTROLLERS, REVISIONS, Resource,
    SERVICE_ACCOUNTS, SERVICES, STATEFUL_SETS, STORAGE_CLASSES, VOLUMES,
};

/// A change of one object.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// Which object.
    pub key: &'a Key,
    /// How it was.
    pub old: Option<&'a Value>,
    /// How it is.
    pub new: Option<&'a Value>,
}

/// The controllers that look after objects of a resource, each at the object itself.
fn own(resource: &Resource) -> &'static [Controller] {
    const TABLE: &[(Resource, &[Controller])] = &[
        (NAMESPACES, &[Controller::Namespaces, Controller::Accounts, Controller::Certificates]),
        (NODES, &[Controller::Nodes]),
        (PODS, &[Controller::Scheduler, Controller::Kubelet, Controller::JobTracking]),
        (REPLICA_SETS, &[Controller::Replicas]),
        (REPLICATION_CONTROLLERS, &[Controller::ReplicationControllers]),
        (DEPLOYMENTS, &[Controller::Deployments]),
        (STATEFUL_SETS, &[Controller::StatefulSets]),
        (DAEMON_SETS, &[Controller::DaemonSets]),
        (JOBS, &[Controller::Jobs]),
        (SERVICES, &[Controller::Services]),
        (INGRESSES, &[Controller::Ingresses]),
        (CLAIMS, &[Controller::Claims]),
        (VOLUMES, &[Controller::Volumes]),
        (BUDGETS, &[Controller::Budgets]),
        (AUTOSCALERS, &[Controller::Autoscalers]),
        (EVENTS, &[Controller::Expiry]),
    ];
    TABLE.iter().find(|(known, _)| known == resource).map(|(_, controllers)| *controllers).unwrap_or_default()
}

/// The controller that owns objects of a kind through a controller reference.
fn by_kind(kind: &str) -> Option<(Controller, Resource)> {
    Some(match kind {
        "ReplicaSet" => (Controller::Replicas, REPLICA_SETS),
        "ReplicationController" => (Controller::ReplicationControllers, REPLICATION_CONTROLLERS),
        "Deployment" => (Controller::Deployments, DEPLOYMENTS),
        "StatefulSet" => (Controller::StatefulSets, STATEFUL_SETS),
        "DaemonSet" => (Controller::DaemonSets, DAEMON_SETS),
        "Job" => (Controller::Jobs, JOBS),
        _ => return None,
    })
}

/// Collects whom a change concerns.
pub struct Interest<'a> {
    change: Change<'a>,
    index: &'a Index,
    reader: &'a dyn Reader,
    found: Vec<Work>,
}

/// Everything that is to be looked at because of a change. The index knows the change already.
pub fn concerned(change: Change<'_>, index: &Index, reader: &dyn Reader) -> Vec<Work> {
    let mut interest = Interest { change, index, reader, found: Vec::new() };
    interest.collector();
    interest.itself();
    interest.owners();
    interest.namespace();
    interest.neighbours();
    interest.found
}

impl Interest<'_> {
    fn wake(&mut self, controller: Controller, key: &Key) {
        self.found.push(Work { controller, key: key.clone() });
    }

    fn states(&self) -> impl Iterator<Item = &Value> {
        self.change.old.into_iter().chain(self.change.new)
    }

    fn itself(&mut self) {
        let Change { key, old, new } = self.change;
        let Some(new) = new else { return };
        for controller in own(&key.resource) {
            self.wake(*controller, key);
        }
        if key.resource == QUOTAS && is_to_be_counted(old, new) {
            self.wake(Controller::Quotas, key);
        }
        if new.is_deleting() && new.annotation(FINALIZER_AFTER).is_some() {
            self.wake(Controller::Finalizers, key);
        }
        if is_custom(key) && (new.annotation(READY_AFTER).is_some() || new.annotation(FAIL).is_some()) {
            self.wake(Controller::Readiness, key);
        }
        let scripts = [READY_AFTER, FAIL, FINALIZER_AFTER, STOP_AFTER];
        if scripts.iter().any(|script| {
            let text = new.annotation(script);
            text.is_some() && text != old.and_then(|old| old.annotation(script))
        }) {
            self.wake(Controller::Complaints, key);
        }
    }

    /// The changes that the garbage collector acts on.
    fn collector(&mut self) {
        let Change { key, old, new } = self.change;
        let Some(new) = new else {
            if let Some(old) = old {
                self.collect_after(old);
            }
            return;
        };
        let old_owners = old.map(Object::owners).unwrap_or_default();
        for owner in new.owners() {
            if old_owners.iter().any(|known| known["uid"] == owner["uid"]) {
                continue;
            }
            if !self.is_sound(owner) {
                self.wake(Controller::Collector, key);
            }
        }
        for owner in old_owners.iter().filter(|owner| owner["blockOwnerDeletion"] == true) {
            let still = new
                .owners()
                .iter()
                .any(|known| known["uid"] == owner["uid"] && known["blockOwnerDeletion"] == true);
            if !still && let Some(entry) = self.index.entry(owner.text("uid")) {
                let owner = entry.key.clone();
                self.wake(Controller::Collector, &owner);
            }
        }
        let begins = |finalizer: &str| {
            let held = |object: &Value| object.is_deleting() && object.has_finalizer(finalizer);
            held(new) && !old.is_some_and(held)
        };
        if begins(ORPHAN) {
            self.wake(Controller::Collector, key);
        } else if begins(FOREGROUND) {
            let dependents: Vec<Key> = self.index.dependents(new.uid()).cloned().collect();
            for dependent in &dependents {
                self.wake(Controller::Collector, dependent);
            }
            self.wake(Controller::Collector, key);
        }
    }

    /// Whether a reference names an object that is there as it says.
    fn is_sound(&self, owner: &Value) -> bool {
        let Some(entry) = self.index.entry(owner.text("uid")) else { return false };
        let known = self.reader.serves(owner.text("apiVersion"), owner.text("kind"));
        known.is_some_and(|served| served.resource == entry.key.resource)
            && *entry.key.name == *owner.text("name")
            && (entry.key.namespace.is_empty() || entry.key.namespace == self.change.key.namespace)
    }

    /// An object is gone: its dependents may go, and its owners may have waited for it.
    fn collect_after(&mut self, gone: &Value) {
        let dependents: Vec<Key> = self.index.dependents(gone.uid()).cloned().collect();
        for dependent in &dependents {
            self.wake(Controller::Collector, dependent);
            if self.change.key.resource == JOBS && dependent.resource == PODS {
                self.wake(Controller::JobTracking, dependent);
            }
        }
        for owner in gone.owners() {
            let uid = owner.text("uid");
            let Some(entry) = self.index.entry(uid) else { continue };
            let waits = self.reader.get(&entry.key).is_some_and(|owner| is_waiting(&owner));
            if waits || blocks(gone, uid) {
                let owner = entry.key.clone();
                self.wake(Controller::Collector, &owner);
            }
        }
    }

    /// Whoever controls the object looks at it; so does whoever might, if nobody does.
    fn owners(&mut self) {
        let key = self.change.key.clone();
        if ![PODS, REPLICA_SETS, REVISIONS].contains(&key.resource) {
            return;
        }
        let mut wanted: Vec<(Controller, Key)> = Vec::new();
        for state in self.states() {
            if let Some(owner) = state.controller()
                && let Some((controller, resource)) = by_kind(owner.text("kind"))
            {
                wanted.push((controller, Key::new(&resource, &key.namespace, owner.text("name"))));
            }
        }
        // A Recreate waits for the last Pod of its old sets.
        if key.resource == PODS && self.change.new.is_none() {
            for (controller, set) in wanted.clone() {
                if controller == Controller::Replicas
                    && let Some(set) = self.reader.get(&set)
                    && let Some(owner) = set.controller().filter(|owner| owner["kind"] == "Deployment")
                {
                    let deployment = Key::new(&DEPLOYMENTS, &key.namespace, owner.text("name"));
                    wanted.push((Controller::Deployments, deployment));
                }
            }
        }
        for (controller, owner) in &wanted {
            self.wake(*controller, owner);
        }
        let orphan = self.change.new.filter(|new| new.controller().is_none() && !new.is_deleting());
        if let Some(orphan) = orphan {
            self.adopters(orphan);
        }
    }

    fn adopters(&mut self, orphan: &Value) {
        let kinds: &[&str] = match &self.change.key.resource {
            resource if *resource == PODS => {
                &["ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job"]
            }
            resource if *resource == REPLICA_SETS => &["Deployment"],
            _ => &["StatefulSet", "DaemonSet"],
        };
        for (controller, resource) in kinds.iter().filter_map(|kind| by_kind(kind)) {
            for owner in self.reader.list(&resource, orphan.namespace()) {
                if selects(&owner, orphan) {
                    self.wake(controller, &Key::of(&resource, &owner));
                }
            }
        }
    }

    /// A Namespace that is being deleted waits for what is in it, and every Namespace keeps what it was given.
    fn namespace(&mut self) {
        let Change { key, old, new } = self.change;
        if key.namespace.is_empty() {
            return;
        }
        let namespace = Key::new(&NAMESPACES, "", &key.namespace);
        let leaves = new.is_none_or(Object::is_deleting) || old.is_none();
        if leaves && self.reader.get(&namespace).is_some_and(|namespace| namespace.is_deleting()) {
            self.wake(Controller::Namespaces, &namespace);
        }
        if gives_back(old, new) {
            for quota in self.reader.list(&QUOTAS, &key.namespace) {
                self.wake(Controller::Quotas, &Key::of(&QUOTAS, &quota));
            }
        }
        if key.resource == SERVICE_ACCOUNTS && new.is_none() {
            self.wake(Controller::Accounts, &namespace);
        }
        if key.resource == CONFIG_MAPS && &*key.name == "kube-root-ca.crt" {
            self.wake(Controller::Certificates, &namespace);
        }
    }

    /// Objects that look at one another without owning one another.
    fn neighbours(&mut self) {
        let Change { key, old, new } = self.change;
        match &key.resource {
            resource if *resource == PODS => self.around_pod(),
            resource if *resource == CLAIMS => self.around_claim(),
            resource if *resource == VOLUMES => {
                let claims: Vec<Key> = self
                    .states()
                    .map(|volume| volume.at("spec.claimRef"))
                    .filter(|reference| reference.is_object())
                    .map(|reference| Key::new(&CLAIMS, reference.text("namespace"), reference.text("name")))
                    .collect();
                for claim in &claims {
                    self.wake(Controller::Claims, claim);
                }
                if new.is_some_and(|volume| volume.text("status.phase") == "Available") {
                    self.pending_claims();
                }
            }
            resource if *resource == STORAGE_CLASSES && old.is_none() => self.pending_claims(),
            resource if *resource == NODES => {
                let same = |field: &str| old.map(|old| old.at(field)) == new.map(|new| new.at(field));
                if !(same("metadata.labels") && same("spec") && same("metadata.deletionTimestamp")) {
                    for daemon in self.reader.list(&DAEMON_SETS, "") {
                        self.wake(Controller::DaemonSets, &Key::of(&DAEMON_SETS, &daemon));
                    }
                    for pod in
                        self.reader.list(&PODS, "").iter().filter(|pod| pod.text("spec.nodeName").is_empty())
                    {
                        self.wake(Controller::Scheduler, &Key::of(&PODS, pod));
                    }
                }
            }
            resource if *resource == REPLICA_SETS => {
                // Its size counts for budgets, and it may be an autoscaler's target.
                self.autoscalers();
            }
            resource if [DEPLOYMENTS, STATEFUL_SETS, REPLICATION_CONTROLLERS].contains(resource) => {
                self.autoscalers();
                let size = |state: Option<&Value>| state.map(|state| state.at("spec.replicas").clone());
                if size(old) != size(new) {
                    self.budgets();
                }
            }
            resource if *resource == DEFINITIONS => {}
            _ => {}
        }
    }

    fn around_pod(&mut self) {
        let Change { key, old, new } = self.change;
        let mut claims: Vec<String> = self.states().flat_map(claim_names).collect();
        claims.sort();
        claims.dedup();
        for claim in claims {
            self.wake(Controller::Claims, &Key::new(&CLAIMS, &key.namespace, &claim));
        }
        let matters = |state: Option<&Value>| {
            state.map(|pod| (pod.is("Ready"), pod.is_deleting(), pod.at("metadata.labels").clone()))
        };
        if matters(old) != matters(new) {
            self.budgets();
        }
    }

    fn budgets(&mut self) {
        for budget in self.reader.list(&BUDGETS, &self.change.key.namespace) {
            self.wake(Controller::Budgets, &Key::of(&BUDGETS, &budget));
        }
    }

    fn autoscalers(&mut self) {
        let key = self.change.key;
        let targets: Vec<Arc<Value>> = self.reader.list(&AUTOSCALERS, &key.namespace);
        for autoscaler in targets {
            if autoscaler.text("spec.scaleTargetRef.name") == &*key.name {
                self.wake(Controller::Autoscalers, &Key::of(&AUTOSCALERS, &autoscaler));
            }
        }
    }

    fn around_claim(&mut self) {
        let key = self.change.key;
        let users: Vec<Key> = self.index.claim_users(&key.namespace, &key.name).cloned().collect();
        for pod in &users {
            self.wake(Controller::Scheduler, pod);
        }
        let mut volumes: Vec<String> =
            self.states().map(|claim| claim.text("spec.volumeName").to_owned()).collect();
        volumes.extend(self.states().map(volume_name));
        for volume in volumes.iter().filter(|name| !name.is_empty()) {
            let volume = Key::new(&VOLUMES, "", volume);
            self.wake(Controller::Volumes, &volume);
        }
        if self.change.new.is_none() {
            // A StatefulSet makes the claim again.
            for pod in &users {
                let owner = self.reader.get(pod).and_then(|pod| pod.controller().cloned());
                if let Some(owner) = owner.filter(|owner| owner["kind"] == "StatefulSet") {
                    self.wake(
                        Controller::StatefulSets,
                        &Key::new(&STATEFUL_SETS, &key.namespace, owner.text("name")),
                    );
                }
            }
        }
    }

    /// Claims that may find a volume now. A class or a free volume comes rarely enough to ask all.
    fn pending_claims(&mut self) {
        for claim in self.reader.list(&CLAIMS, "") {
            if claim.text("status.phase") != "Bound" {
                self.wake(Controller::Claims, &Key::of(&CLAIMS, &claim));
            }
        }
    }
}
