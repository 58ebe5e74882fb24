//! Who would remove which finalizer: its owner, if that runs in the cluster that was copied. Of a finalizer whose owner
//! is not there, nobody does.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use dock::Dock;
use dock::store::{Key, ResourceKey};
use kube::api::{Patch, PatchParams};
use kube::core::{ApiResource, DynamicObject};
use kube::{Api, Client, ResourceExt};
use objects::{ObjectId, kinds};
use release::Workload;
use serde::Serialize;
use serde_json::{Value, json};

use super::copy::Copy;

/// Those whose finalizers a cluster itself looks after.
const OF_THE_CLUSTER: [&str; 4] =
    ["kube-controller-manager", "cloud-controller-manager", "kube-apiserver", "kubelet"];
/// Those who only send what somebody else wrote.
const SENDERS: [&str; 4] = ["slipway", "helm", "kubectl", "kustomize"];

/// What is taken to become of a finalizer.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Assumption {
    /// Of which object.
    pub(super) object: ObjectId,
    /// Which finalizer.
    pub(super) finalizer: String,
    /// Whether it is taken to be removed when the object is deleted.
    pub(super) removed: bool,
    /// Why.
    pub(super) because: String,
}

/// Who removes the finalizers of copied objects.
#[derive(Default)]
pub(super) struct Custodians {
    /// By the UID of the object and the finalizer; without a workload it is the cluster itself.
    known: HashMap<(String, String), Option<Workload>>,
    copied: HashSet<Key>,
    /// What was assumed.
    told: Mutex<Vec<Assumption>>,
}

impl Custodians {
    /// Finds out who has put the finalizers of copied objects there, and whether they run.
    pub(super) async fn find(client: &Client, copy: &Copy) -> Self {
        let mut found = Self { copied: copy.keys().collect(), ..Self::default() };
        let mut workloads: HashMap<(String, Option<String>), Option<Workload>> = HashMap::new();
        for (id, object) in copy.objects() {
            for finalizer in object.finalizers() {
                if is_the_servers(finalizer) {
                    continue;
                }
                let manager = release::finalizer_manager(object, finalizer).map(|(manager, _)| manager);
                let (removed, because) = match manager {
                    None => (false, "nobody says who put it there".to_owned()),
                    Some(manager) if OF_THE_CLUSTER.contains(&manager.as_str()) => {
                        found.known.insert((object.uid().unwrap_or_default(), finalizer.clone()), None);
                        (true, format!("{manager} looks after it"))
                    }
                    Some(manager) if is_sender(&manager) => {
                        (false, format!("{manager} put it there, which removes none"))
                    }
                    Some(manager) => {
                        let called = (manager.clone(), id.namespace.clone());
                        if !workloads.contains_key(&called) {
                            let near = id.namespace.as_deref();
                            let workload = release::workload_called(client, &manager, near).await;
                            workloads.insert(called.clone(), workload);
                        }
                        match &workloads[&called] {
                            None => (false, format!("no workload that is called like {manager} is there")),
                            Some(owner) if owner.ready == 0 => {
                                (false, format!("its likely owner, {owner}, does not run"))
                            }
                            Some(owner) => {
                                let place = (object.uid().unwrap_or_default(), finalizer.clone());
                                found.known.insert(place, Some(owner.clone()));
                                (true, format!("its likely owner, {owner}, runs"))
                            }
                        }
                    }
                };
                let (object, finalizer) = (id.clone(), finalizer.clone());
                found.tell(Assumption { object, finalizer, removed, because });
            }
        }
        found
    }

    fn tell(&self, assumption: Assumption) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &&mut Assumption| {
            known.object == assumption.object && known.finalizer == assumption.finalizer
        };
        match told.iter_mut().find(same) {
            Some(known) => *known = assumption,
            None => told.push(assumption),
        }
    }

    /// What was assumed of the finalizers of an object.
    pub(super) fn assumptions(&self) -> Vec<Assumption> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks after the copy for as long as it is there.
    pub(super) async fn work(self: Arc<Self>, dock: Dock) {
        let client = Client::new(dock.clone(), "default");
        let (present, mut changes) = dock.store().follow_all();
        for stored in present {
            self.look_at(&dock, &client, &stored.key, &stored.object).await;
        }
        while let Some(change) = changes.recv().await {
            self.look_at(&dock, &client, &change.key, &change.object).await;
        }
    }

    /// Whether a workload runs: one that was not copied is outside of what is rehearsed, and goes on.
    fn is_running(&self, dock: &Dock, owner: &Workload) -> bool {
        let plural = format!("{}s", owner.kind.to_lowercase());
        let key = Key {
            resource: ResourceKey { group: "apps".into(), resource: plural.as_str().into() },
            namespace: owner.namespace.as_str().into(),
            name: owner.name.as_str().into(),
        };
        match dock.store().get(&key) {
            Some(stored) => stored.object["metadata"]["deletionTimestamp"].is_null(),
            None => !self.copied.contains(&key),
        }
    }

    async fn look_at(&self, dock: &Dock, client: &Client, key: &Key, object: &Value) {
        let metadata = &object["metadata"];
        if metadata["deletionTimestamp"].is_null() {
            return observe(client, key, object).await;
        }
        let uid = metadata["uid"].as_str().unwrap_or_default();
        let finalizers: Vec<&str> =
            metadata["finalizers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let stays = |finalizer: &&str| match self.known.get(&(uid.to_owned(), (*finalizer).to_owned())) {
            None => true,
            Some(None) => false,
            Some(Some(owner)) if self.is_running(dock, owner) => false,
            Some(Some(owner)) => {
                self.tell(Assumption {
                    object: id_of(key, object),
                    finalizer: (*finalizer).to_owned(),
                    removed: false,
                    because: format!("its likely owner, {owner}, has been taken out before"),
                });
                true
            }
        };
        let left: Vec<&str> = finalizers.iter().copied().filter(|finalizer| stays(finalizer)).collect();
        if left.len() < finalizers.len() {
            let change = json!({"metadata": {
                "uid": uid,
                "resourceVersion": metadata["resourceVersion"],
                "finalizers": left,
            }});
            // If it was changed meanwhile, the change comes by here, too.
            let name = metadata["name"].as_str().unwrap_or_default();
            let _ =
                api(client, key, object).patch(name, &PatchParams::default(), &Patch::Merge(change)).await;
        }
    }
}

/// Whether a server or the controllers of the copy remove a finalizer by themselves.
fn is_the_servers(finalizer: &str) -> bool {
    plan::is_protected(finalizer)
        || matches!(finalizer, "foregroundDeletion" | "kubernetes" | "batch.kubernetes.io/job-tracking")
}

fn is_sender(manager: &str) -> bool {
    let manager = manager.to_lowercase();
    SENDERS.iter().any(|sender| manager == *sender || manager.starts_with(&format!("{sender}-")))
}

/// The controller of a custom object is not in the copy; what it has seen of the object is kept up to date, so that
/// what was ready stays so.
async fn observe(client: &Client, key: &Key, object: &Value) {
    let seen = &object["status"]["observedGeneration"];
    let generation = &object["metadata"]["generation"];
    let is_behind = seen.as_i64().zip(generation.as_i64()).is_some_and(|(seen, now)| seen < now);
    if !is_behind || !kinds::is_custom_group(&key.resource.group) {
        return;
    }
    let change = Patch::Merge(json!({"status": {"observedGeneration": generation}}));
    let (api, name) = (api(client, key, object), object["metadata"]["name"].as_str().unwrap_or_default());
    if api.patch_status(name, &PatchParams::default(), &change).await.is_err() {
        let _ = api.patch(name, &PatchParams::default(), &change).await;
    }
}

fn id_of(key: &Key, object: &Value) -> ObjectId {
    ObjectId {
        group: key.resource.group.to_string(),
        kind: object["kind"].as_str().unwrap_or_default().to_owned(),
        namespace: Some(key.namespace.to_string()).filter(|namespace| !namespace.is_empty()),
        name: key.name.to_string(),
    }
}

fn api(client: &Client, key: &Key, object: &Value) -> Api<DynamicObject> {
    let api_version = object["apiVersion"].as_str().unwrap_or_default().to_owned();
    let resource = ApiResource {
        group: key.resource.group.to_string(),
        version: api_version.rsplit('/').next().unwrap_or_default().to_owned(),
        api_version,
        kind: object["kind"].as_str().unwrap_or_default().to_owned(),
        plural: key.resource.resource.to_string(),
    };
    if key.namespace.is_empty() {
        Api::all_with(client.clone(), &resource)
    } else {
        Api::namespaced_with(client.clone(), &key.namespace, &resource)
    }
}
