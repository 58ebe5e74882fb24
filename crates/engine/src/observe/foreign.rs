//! What others have in a namespace, or of a kind, that a release is about to take away.

use std::collections::{HashMap, HashSet};

use kube::api::{ListParams, PartialObjectMeta};
use kube::core::DynamicObject;
use kube::{Api, Client, ResourceExt};
use objects::ObjectId;
use plan::input::Definition;
use tokio::task::JoinSet;

use super::ObserveError;
use crate::marks::Marks;
use crate::served::{Kind, Served};
use crate::trouble::words;

/// So many come with one answer of a list.
const PAGE: u32 = 500;

/// An object that would take others along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// A namespace, with all that is in it.
    Namespace(String),
    /// A definition, with all that is of its kind.
    Definition(Definition),
}

/// The objects that are the release's own, and what belongs to them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Own {
    pub(crate) ids: HashSet<ObjectId>,
    pub(crate) uids: HashSet<String>,
}

type Metadata = PartialObjectMeta<DynamicObject>;

/// The objects of others that would go with a namespace or a definition.
pub(crate) async fn foreign(
    client: &Client,
    served: &Served,
    holder: &Holder,
    own: &Own,
    marks: &Marks,
) -> Result<Vec<ObjectId>, ObserveError> {
    let (kinds, namespace): (Vec<Kind>, Option<&str>) = match holder {
        Holder::Namespace(name) => {
            let kinds = served.kinds().filter(|kind| kind.namespaced && kind.deletable && kind.watchable);
            (kinds.cloned().collect(), Some(name))
        }
        Holder::Definition(definition) => {
            let id = ObjectId {
                group: definition.group.clone(),
                kind: definition.kind.clone(),
                namespace: None,
                name: String::new(),
            };
            (served.kind_of(&id).cloned().into_iter().collect(), None)
        }
    };
    let mut reading = JoinSet::new();
    for kind in kinds {
        let api: Api<DynamicObject> = match namespace {
            Some(namespace) => Api::namespaced_with(client.clone(), namespace, &kind.resource),
            None => Api::all_with(client.clone(), &kind.resource),
        };
        reading.spawn(async move { listed(&api, &kind).await.map(|objects| (kind, objects)) });
    }
    let mut found = Vec::new();
    while let Some(read) = reading.join_next().await {
        match read {
            Ok(read) => {
                let (kind, objects) = read?;
                found.extend(objects.into_iter().map(|object| (identity(&kind, &object), object)));
            }
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => {}
        }
    }
    Ok(of_others(found, own, marks))
}

async fn listed(api: &Api<DynamicObject>, kind: &Kind) -> Result<Vec<Metadata>, ObserveError> {
    let mut parameters = ListParams::default().limit(PAGE);
    let mut found = Vec::new();
    loop {
        let page = match api.list_metadata(&parameters).await {
            Ok(page) => page,
            // A kind that has just gone, or that cannot be listed, has no objects to lose.
            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 405) => return Ok(found),
            Err(error) => {
                return Err(ObserveError { what: kind.resource.plural.clone(), words: words(&error) });
            }
        };
        found.extend(page.items);
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => parameters = parameters.continue_token(&token),
            None => return Ok(found),
        }
    }
}

fn identity(kind: &Kind, object: &Metadata) -> ObjectId {
    ObjectId {
        group: kind.resource.group.clone(),
        kind: kind.resource.kind.clone(),
        namespace: object.namespace().filter(|_| kind.namespaced),
        name: object.name_any(),
    }
}

/// Leaves out what is the release's, what belongs to that by its owners, and what every namespace has.
fn of_others(found: Vec<(ObjectId, Metadata)>, own: &Own, marks: &Marks) -> Vec<ObjectId> {
    let mut owned: HashSet<String> = own.uids.clone();
    let owners: HashMap<String, Vec<String>> = found
        .iter()
        .map(|(_, object)| {
            let owners = object.owner_references().iter().map(|owner| owner.uid.clone()).collect();
            (object.uid().unwrap_or_default(), owners)
        })
        .collect();
    // What an owned object owns is owned: as often as there is something new.
    loop {
        let new: Vec<String> = owners
            .iter()
            .filter(|(uid, owners)| !owned.contains(*uid) && owners.iter().any(|owner| owned.contains(owner)))
            .map(|(uid, _)| uid.clone())
            .collect();
        if new.is_empty() {
            break;
        }
        owned.extend(new);
    }
    let mut foreign: Vec<ObjectId> = found
        .into_iter()
        .filter(|(id, object)| {
            !own.ids.contains(id)
                && !owned.contains(&object.uid().unwrap_or_default())
                && !is_everywhere(id)
                && !is_record(id, marks)
        })
        .map(|(id, _)| id)
        .collect();
    foreign.sort();
    foreign
}

fn is_everywhere(id: &ObjectId) -> bool {
    matches!(
        (id.group.as_str(), id.kind.as_str(), id.name.as_str()),
        ("", "ServiceAccount", "default")
            | ("", "ConfigMap", "kube-root-ca.crt")
            | ("" | "events.k8s.io", "Event", _)
            | ("", "Endpoints", _)
    )
}

fn is_record(id: &ObjectId, marks: &Marks) -> bool {
    if id.namespace.as_deref() != Some(&marks.namespace) {
        return false;
    }
    match id.kind.as_str() {
        "Secret" => ["sh.helm.release.v1", "slipway.v1"]
            .iter()
            .any(|kind| id.name.starts_with(&format!("{kind}.{}.v", marks.name))),
        "Lease" => id.name == format!("slipway.{}", marks.name),
        _ => false,
    }
}
