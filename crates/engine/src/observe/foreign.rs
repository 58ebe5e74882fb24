//! What others have in a namespace, or of a kind, that a release is about to take away.

use std::collections::{HashMap, HashSet};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ListParams, PartialObjectMeta};
use kube::core::{ApiResource, DynamicObject};
use kube::{Api, Client, ResourceExt};
use objects::ObjectId;
use tokio::task::JoinSet;

use super::ObserveError;
use crate::marks::Marks;
use crate::served::{Kind, Served};

/// So many come with one answer of a list.
const PAGE: u32 = 500;

/// An object that would take others along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// A namespace, with all that is in it.
    Namespace(String),
    /// A definition, with all that is of its kind.
    Definition,
}

impl Holder {
    /// What deleting an object would take along, if it is one of these.
    pub fn of(id: &ObjectId) -> Option<Self> {
        match (id.group.as_str(), id.kind.as_str()) {
            ("", "Namespace") => Some(Self::Namespace(id.name.clone())),
            ("apiextensions.k8s.io", "CustomResourceDefinition") => Some(Self::Definition),
            _ => None,
        }
    }
}

type Metadata = PartialObjectMeta<DynamicObject>;

/// The objects of others that would go with a namespace or a definition. `own` are the UIDs of what is the release's.
pub(crate) async fn foreign(
    client: &Client,
    served: &Served,
    id: &ObjectId,
    holder: &Holder,
    own: &HashSet<String>,
    marks: &Marks,
) -> Result<Vec<ObjectId>, ObserveError> {
    let (kinds, namespace): (Vec<Kind>, Option<&str>) = match holder {
        Holder::Namespace(name) => {
            let kinds = served.kinds().filter(|kind| kind.namespaced && kind.deletable && kind.watchable);
            (kinds.cloned().collect(), Some(name))
        }
        Holder::Definition => (defined(client, &id.name).await?.into_iter().collect(), None),
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

/// The kind that a definition defines, as it says itself: what was discovered may be older than the definition.
async fn defined(client: &Client, name: &str) -> Result<Option<Kind>, ObserveError> {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let found = definitions.get_opt(name).await.map_err(|error| ObserveError::new(name, error))?;
    let Some(spec) = found.map(|definition| definition.spec) else { return Ok(None) };
    let Some(version) = spec.versions.iter().find(|version| version.served) else {
        return Err(ObserveError::Unserved { definition: name.to_owned() });
    };
    Ok(Some(Kind {
        namespaced: spec.scope == "Namespaced",
        deletable: true,
        watchable: true,
        resource: ApiResource {
            api_version: format!("{}/{}", spec.group, version.name),
            version: version.name.clone(),
            group: spec.group,
            kind: spec.names.kind,
            plural: spec.names.plural,
        },
    }))
}

async fn listed(api: &Api<DynamicObject>, kind: &Kind) -> Result<Vec<Metadata>, ObserveError> {
    let mut parameters = ListParams::default().limit(PAGE);
    let mut found = Vec::new();
    loop {
        let page = match api.list_metadata(&parameters).await {
            Ok(page) => page,
            // A kind that has just gone, or that cannot be listed, has no objects to lose.
            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 405) => return Ok(found),
            Err(error) => return Err(ObserveError::new(&kind.resource.plural, error)),
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
fn of_others(found: Vec<(ObjectId, Metadata)>, own: &HashSet<String>, marks: &Marks) -> Vec<ObjectId> {
    let mut owned = own.clone();
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
            !owned.contains(&object.uid().unwrap_or_default()) && !is_everywhere(id) && !is_record(id, marks)
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

/// Whether it is a record, an inventory or the lock of this release, and not of one whose name begins alike.
fn is_record(id: &ObjectId, marks: &Marks) -> bool {
    // Of a release that is gone, whosever it was, nothing is left but the memory.
    if id.kind == "Secret" && id.name.starts_with("slipway.v1.") && id.name.contains(".tombstone") {
        return true;
    }
    if id.namespace.as_deref() != Some(&marks.namespace) {
        return false;
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit());
    let revision = |kind: &str| id.name.strip_prefix(&format!("{kind}.{}.v", marks.name));
    match id.kind.as_str() {
        "Secret" => {
            let of_helm = revision("sh.helm.release.v1").is_some_and(is_number);
            of_helm
                || revision("slipway.v1").is_some_and(|rest| {
                    let parts: Vec<&str> = rest.split('.').collect();
                    match parts.as_slice() {
                        [revision] | [revision, "record"] => is_number(revision),
                        [revision, content, shard] | [revision, "record", content, shard] => {
                            let is_hash = content.bytes().all(|letter| letter.is_ascii_hexdigit());
                            is_number(revision) && is_hash && is_number(shard)
                        }
                        _ => false,
                    }
                })
        }
        "Lease" => id.name == format!("slipway.{}", marks.name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_a_release_are_told_from_those_of_others() {
        let marks = Marks::release("shop", "prod");
        let is_record = |kind: &str, namespace: &str, name: &str| {
            let namespace = Some(namespace.to_owned());
            let id =
                ObjectId { group: String::new(), kind: kind.to_owned(), namespace, name: name.to_owned() };
            is_record(&id, &marks)
        };
        for (kind, namespace, name, expected) in [
            ("Secret", "prod", "sh.helm.release.v1.shop.v12", true),
            ("Secret", "prod", "slipway.v1.shop.v3", true),
            ("Secret", "prod", "slipway.v1.shop.v3.0123456789abcdef.2", true),
            ("Secret", "prod", "slipway.v1.shop.v3.record", true),
            ("Secret", "prod", "slipway.v1.shop.tombstone", true),
            ("Secret", "prod", "slipway.v1.other.tombstone", true),
            ("Lease", "prod", "slipway.shop", true),
            ("Secret", "other", "sh.helm.release.v1.shop.v12", false),
            ("Secret", "prod", "sh.helm.release.v1.shop.v2.v1", false),
            ("Secret", "prod", "slipway.v1.shop.v2.v1", false),
            ("ConfigMap", "prod", "slipway.v1.shop.v3", false),
            ("Lease", "prod", "slipway.shop.v2", false),
        ] {
            assert_eq!(is_record(kind, namespace, name), expected, "{kind} {namespace}/{name}");
        }
    }
}
