//! What a plan must know of the cluster: how the wanted and the stored objects are now.
//!
//! Objects are read by one list for each kind and namespace, or one by one where there are few, so that the cost
//! depends on what the release has and never on how many objects others have.

mod foreign;
mod sync;

use std::collections::{BTreeMap, HashMap, HashSet};

use kube::api::ListParams;
use kube::core::metadata::PartialObjectMeta;
use kube::core::{DynamicObject, ObjectList};
use kube::{Api, ResourceExt};
use objects::ObjectId;
use plan::input::{Live, LiveObject, Meaning, Owner, Spelling};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::marks::Marks;
use crate::served::Kind;
use crate::{Engine, trouble};
pub use foreign::Holder;
pub(crate) use foreign::foreign;

/// So many objects of one kind and namespace are read one by one.
const FEW: usize = 4;
/// So many come with one answer of a list: most releases cost one request, and nobody's memory grows with a namespace.
const PAGE: u32 = 2000;

/// What is to be looked at.
#[derive(Debug, Default)]
pub struct Subjects {
    /// What is sent for each wanted object.
    pub wanted: HashMap<ObjectId, Value>,
    /// The objects that are stored.
    pub stored: Vec<StoredObject>,
    /// Stored objects that are no longer wanted and would take others along.
    pub holders: Vec<(ObjectId, Holder)>,
    /// The stored objects whose text is that of the wanted ones: only these can be as they should be.
    pub same: HashSet<ObjectId>,
}

/// A stored object, as it is looked for.
#[derive(Debug, Clone)]
pub struct StoredObject {
    /// Which object.
    pub id: ObjectId,
    /// The API version it was applied in.
    pub api_version: String,
    /// Its UID, if that is known: an object with another one is somebody else's.
    pub uid: Option<String>,
}

/// Why a cluster cannot be looked at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObserveError {
    /// The server refuses.
    #[error("{what} cannot be read: {}", trouble::words(source))]
    Refused {
        /// What was asked for.
        what: String,
        /// The server's words.
        source: Box<kube::Error>,
    },
    /// A definition has objects that nobody can list.
    #[error("{definition} serves no version: whose objects there are of its kind cannot be told")]
    Unserved {
        /// The name of the definition.
        definition: String,
    },
}

impl ObserveError {
    pub(crate) fn new(what: impl Into<String>, source: kube::Error) -> Self {
        Self::Refused { what: what.into(), source: Box::new(source) }
    }
}

type Found = Result<Vec<DynamicObject>, ObserveError>;

impl Engine {
    /// Looks at the objects.
    pub async fn observe(&self, subjects: &Subjects, marks: &Marks) -> Result<Live, ObserveError> {
        // What cannot be as it should be need not be read whole.
        let found = self.read(subjects, marks, |id| subjects.same.contains(id)).await?;
        self.judge(subjects, &found, marks).await
    }

    /// Reads the objects, as far as there are any.
    pub async fn look(
        &self,
        subjects: &Subjects,
        marks: &Marks,
    ) -> Result<HashMap<ObjectId, DynamicObject>, ObserveError> {
        self.read(subjects, marks, |_| true).await
    }

    /// Reads the objects. Many of one kind are read by one list: of those with the label of the set, where it has one and
    /// had nearly all of them before; else of all that there are. Where none of them must be whole, their metadata is
    /// enough, which a server tells several times as quickly.
    async fn read(
        &self,
        subjects: &Subjects,
        marks: &Marks,
        must_be_whole: impl Fn(&ObjectId) -> bool,
    ) -> Result<HashMap<ObjectId, DynamicObject>, ObserveError> {
        let had: HashSet<&ObjectId> = subjects.stored.iter().map(|stored| &stored.id).collect();
        let mut groups: HashMap<(Kind, Option<String>), HashSet<ObjectId>> = HashMap::new();
        let wanted = subjects
            .wanted
            .iter()
            .map(|(id, object)| (id, object["apiVersion"].as_str().unwrap_or_default()));
        let stored = subjects.stored.iter().map(|stored| (&stored.id, stored.api_version.as_str()));
        for (id, api_version) in wanted.chain(stored) {
            let served = self.served();
            // A kind that is not served has no objects.
            let Some(kind) = served.kind(api_version, &id.kind).or_else(|| served.kind_of(id)) else {
                continue;
            };
            let namespace = id.namespace.clone().filter(|_| kind.namespaced);
            groups.entry((kind.clone(), namespace)).or_default().insert(id.clone());
        }
        let mut reading: JoinSet<(HashSet<ObjectId>, Found)> = JoinSet::new();
        for ((kind, namespace), ids) in groups {
            let api = match &namespace {
                Some(namespace) => Api::namespaced_with(self.client().clone(), namespace, &kind.resource),
                None => Api::all_with(self.client().clone(), &kind.resource),
            };
            let new = ids.iter().filter(|id| !had.contains(id)).count();
            let label = marks.selector().filter(|_| new <= FEW);
            let whole = ids.iter().any(&must_be_whole);
            reading.spawn(async move {
                let found = match label {
                    _ if ids.len() <= FEW => one_by_one(&api, &ids).await,
                    Some(label) => marked(&api, &kind, &label, &ids, whole).await,
                    None => listed(&api, &kind, ListParams::default(), whole).await,
                };
                (ids, found)
            });
        }
        let mut all = HashMap::new();
        while let Some(read) = reading.join_next().await {
            let (ids, found) = match read {
                Ok(read) => read,
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                Err(_) => continue,
            };
            let names: HashMap<&str, &ObjectId> = ids.iter().map(|id| (id.name.as_str(), id)).collect();
            for object in found? {
                if let Some(id) = names.get(object.name_any().as_str()) {
                    all.insert((*id).clone(), object);
                }
            }
        }
        Ok(all)
    }

    /// What a plan must know of objects that were read. Only what would be taken along is asked for.
    pub async fn judge(
        &self,
        subjects: &Subjects,
        found: &HashMap<ObjectId, DynamicObject>,
        marks: &Marks,
    ) -> Result<Live, ObserveError> {
        let described =
            |(id, object): (&ObjectId, &DynamicObject)| (id.clone(), describe(id, object, subjects, marks));
        let objects = found.iter().map(described).collect();
        let mut live = Live { known: true, objects, foreign: BTreeMap::new() };
        let own = own(subjects, &live);
        for (id, holder) in &subjects.holders {
            let others = foreign(self.client(), self.served(), id, holder, &own, marks).await?;
            if !others.is_empty() {
                live.foreign.insert(id.clone(), others);
            }
        }
        Ok(live)
    }
}

/// The UIDs of what is the release's own. What has the name of a stored object, but not its UID or not our marks, is
/// somebody else's.
fn own(subjects: &Subjects, live: &Live) -> HashSet<String> {
    let uids: HashMap<&ObjectId, &String> =
        subjects.stored.iter().filter_map(|stored| Some((&stored.id, stored.uid.as_ref()?))).collect();
    let is_own = |(id, object): &(&ObjectId, &LiveObject)| {
        object.owner == Owner::Ours && uids.get(id).is_none_or(|uid| **uid == object.uid)
    };
    live.objects.iter().filter(is_own).map(|(_, object)| object.uid.clone()).collect()
}

async fn one_by_one(api: &Api<DynamicObject>, ids: &HashSet<ObjectId>) -> Found {
    let mut found = Vec::new();
    for id in ids {
        let read = api.get_opt(&id.name).await;
        found.extend(read.map_err(|error| ObserveError::new(id.to_string(), error))?);
    }
    Ok(found)
}

/// Those with a label, and one by one those that were not found so: they may have lost it, or be somebody else's.
async fn marked(
    api: &Api<DynamicObject>,
    kind: &Kind,
    label: &str,
    ids: &HashSet<ObjectId>,
    whole: bool,
) -> Found {
    let mut found = listed(api, kind, ListParams::default().labels(label), whole).await?;
    let names: HashSet<String> = found.iter().map(ResourceExt::name_any).collect();
    let others = ids.iter().filter(|id| !names.contains(&id.name)).cloned().collect();
    found.extend(one_by_one(api, &others).await?);
    Ok(found)
}

async fn listed(api: &Api<DynamicObject>, kind: &Kind, parameters: ListParams, whole: bool) -> Found {
    let mut parameters = parameters.limit(PAGE);
    let mut found = Vec::new();
    loop {
        let page = if whole { api.list(&parameters).await } else { metadata(api, &parameters).await };
        let page = page.map_err(|error| ObserveError::new(&kind.resource.plural, error))?;
        // The items of a list do not say themselves what they are.
        let items = page.items.into_iter();
        found.extend(items.map(|object| DynamicObject { types: Some(kind.types()), ..object }));
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => parameters = parameters.continue_token(&token),
            None => return Ok(found),
        }
    }
}

/// A page of a list of objects that have nothing but their metadata.
async fn metadata(
    api: &Api<DynamicObject>,
    parameters: &ListParams,
) -> Result<ObjectList<DynamicObject>, kube::Error> {
    let page = api.list_metadata(parameters).await?;
    let bare = |object: PartialObjectMeta<DynamicObject>| DynamicObject {
        types: None,
        metadata: object.metadata,
        data: Value::Null,
    };
    let items = page.items.into_iter().map(bare).collect();
    Ok(ObjectList { types: page.types, metadata: page.metadata, items })
}

fn describe(id: &ObjectId, object: &DynamicObject, subjects: &Subjects, marks: &Marks) -> LiveObject {
    let in_sync = subjects.same.contains(id)
        && subjects
            .wanted
            .get(id)
            .is_some_and(|wanted| serde_json::to_value(object).is_ok_and(|live| sync::has(&live, wanted)));
    LiveObject { in_sync, ..seen(object, marks) }
}

/// An object as the planner sees it.
pub(crate) fn seen(object: &DynamicObject, marks: &Marks) -> LiveObject {
    let annotation = |meaning: Meaning| {
        Spelling::all()
            .filter(|spelling| spelling.meaning() == meaning)
            .find_map(|spelling| object.annotations().get(spelling.key()).cloned())
    };
    LiveObject {
        uid: object.uid().unwrap_or_default(),
        resource_version: object.resource_version(),
        generation: object.metadata.generation.unwrap_or_default(),
        owner: marks.owner(&object.metadata),
        deleting: object.metadata.deletion_timestamp.as_ref().map(|time| time.0),
        finalizers: object.finalizers().to_vec(),
        delay: annotation(Meaning::DeletionDelay),
        stamp: annotation(Meaning::DeletionStamp),
        keep: is_kept(object),
        in_sync: false,
    }
}

/// Whether Helm's `keep` is on an object.
pub(crate) fn is_kept(object: &DynamicObject) -> bool {
    object.annotations().get("helm.sh/resource-policy").is_some_and(|policy| policy.trim() == "keep")
}
