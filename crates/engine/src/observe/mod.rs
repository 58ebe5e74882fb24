//! What a plan must know of the cluster: how the wanted and the stored objects are now.
//!
//! Objects are read by one list for each kind and namespace, or one by one where there are few, so that the cost
//! depends on what the release has and never on how many objects others have.

mod foreign;
mod sync;

use std::collections::{BTreeMap, HashMap, HashSet};

use kube::api::ListParams;
use kube::core::DynamicObject;
use kube::{Api, ResourceExt};
use objects::ObjectId;
use plan::input::{Live, LiveObject, Meaning, Spelling};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::marks::Marks;
use crate::served::Kind;
use crate::{Engine, trouble};
pub use foreign::Holder;
use foreign::{Own, foreign};

/// So many objects of one kind and namespace are read one by one.
const FEW: usize = 4;
/// So many come with one answer of a list.
const PAGE: u32 = 500;

/// What is to be looked at.
#[derive(Debug, Default)]
pub struct Subjects {
    /// What is sent for each wanted object.
    pub wanted: HashMap<ObjectId, Value>,
    /// The objects that are stored, with the API version they were applied in.
    pub stored: Vec<(ObjectId, String)>,
    /// Stored objects that are no longer wanted and would take others along.
    pub holders: Vec<(ObjectId, Holder)>,
    /// The stored objects whose text is that of the wanted ones: only these can be as they should be.
    pub same: Vec<ObjectId>,
}

/// Why a cluster cannot be looked at.
#[derive(Debug, thiserror::Error)]
#[error("{what} cannot be read: {words}")]
pub struct ObserveError {
    what: String,
    words: String,
}

type Found = Result<Vec<DynamicObject>, ObserveError>;

impl Engine {
    /// Looks at the objects.
    pub async fn observe(&self, subjects: &Subjects, marks: &Marks) -> Result<Live, ObserveError> {
        let mut groups: HashMap<(Kind, Option<String>), Vec<ObjectId>> = HashMap::new();
        let wanted = subjects
            .wanted
            .iter()
            .map(|(id, object)| (id, object["apiVersion"].as_str().unwrap_or_default()));
        let stored = subjects.stored.iter().map(|(id, version)| (id, version.as_str()));
        for (id, api_version) in wanted.chain(stored) {
            let served = self.served();
            // A kind that is not served has no objects.
            let Some(kind) = served.kind(api_version, &id.kind).or_else(|| served.kind_of(id)) else {
                continue;
            };
            let namespace = id.namespace.clone().filter(|_| kind.namespaced);
            let group = groups.entry((kind.clone(), namespace)).or_default();
            if !group.contains(id) {
                group.push(id.clone());
            }
        }
        let mut reading: JoinSet<(Vec<ObjectId>, Found)> = JoinSet::new();
        for ((kind, namespace), ids) in groups {
            let api = match &namespace {
                Some(namespace) => Api::namespaced_with(self.client().clone(), namespace, &kind.resource),
                None => Api::all_with(self.client().clone(), &kind.resource),
            };
            reading.spawn(async move {
                let found =
                    if ids.len() <= FEW { one_by_one(&api, &ids).await } else { listed(&api, &kind).await };
                (ids, found)
            });
        }
        let mut live = Live { known: true, objects: BTreeMap::new(), foreign: BTreeMap::new() };
        while let Some(read) = reading.join_next().await {
            let (ids, found) = match read {
                Ok(read) => read,
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                Err(_) => continue,
            };
            let names: HashMap<&str, &ObjectId> = ids.iter().map(|id| (id.name.as_str(), id)).collect();
            for object in found? {
                if let Some(id) = names.get(object.name_any().as_str()) {
                    live.objects.insert((*id).clone(), describe(id, &object, subjects, marks));
                }
            }
        }
        let own = own(subjects, &live);
        for (id, holder) in &subjects.holders {
            let others = foreign(self.client(), self.served(), holder, &own, marks).await?;
            if !others.is_empty() {
                live.foreign.insert(id.clone(), others);
            }
        }
        Ok(live)
    }
}

/// What is the release's own: what it wants and what it has stored.
fn own(subjects: &Subjects, live: &Live) -> Own {
    let stored = subjects.stored.iter().map(|(id, _)| id);
    let ids: HashSet<ObjectId> = subjects.wanted.keys().chain(stored).cloned().collect();
    let uids = live.objects.values().map(|object| object.uid.clone()).collect();
    Own { ids, uids }
}

async fn one_by_one(api: &Api<DynamicObject>, ids: &[ObjectId]) -> Found {
    let mut found = Vec::new();
    for id in ids {
        let read = api.get_opt(&id.name).await;
        found.extend(
            read.map_err(|error| ObserveError { what: id.to_string(), words: trouble::words(&error) })?,
        );
    }
    Ok(found)
}

async fn listed(api: &Api<DynamicObject>, kind: &Kind) -> Found {
    let mut parameters = ListParams::default().limit(PAGE);
    let mut found = Vec::new();
    loop {
        let page = api.list(&parameters).await.map_err(|error| ObserveError {
            what: kind.resource.plural.clone(),
            words: trouble::words(&error),
        })?;
        found.extend(page.items);
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => parameters = parameters.continue_token(&token),
            None => return Ok(found),
        }
    }
}

fn describe(id: &ObjectId, object: &DynamicObject, subjects: &Subjects, marks: &Marks) -> LiveObject {
    let annotation = |meaning: Meaning| {
        Spelling::all()
            .filter(|spelling| spelling.meaning() == meaning)
            .find_map(|spelling| object.annotations().get(spelling.key()).cloned())
    };
    let in_sync = subjects.same.contains(id)
        && subjects
            .wanted
            .get(id)
            .is_some_and(|wanted| serde_json::to_value(object).is_ok_and(|live| sync::has(&live, wanted)));
    LiveObject {
        uid: object.uid().unwrap_or_default(),
        generation: object.metadata.generation.unwrap_or_default(),
        owner: marks.owner(&object.metadata),
        deleting: object.metadata.deletion_timestamp.as_ref().map(|time| time.0),
        finalizers: object.finalizers().to_vec(),
        delay: annotation(Meaning::DeletionDelay),
        stamp: annotation(Meaning::DeletionStamp),
        keep: object
            .annotations()
            .get("helm.sh/resource-policy")
            .is_some_and(|policy| policy.trim() == "keep"),
        in_sync,
    }
}
