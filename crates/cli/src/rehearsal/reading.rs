//! What a plan is about, read from a live cluster: its objects, the namespaces and definitions they need, what they own,
//! and what would go along with them. Nothing is written.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use engine::{Engine, Kind, Marks};
use kube::ResourceExt;
use kube::core::DynamicObject;
use objects::ObjectId;
use plan::Plan;
use plan::output::StepKind;
use serde_json::Value;
use tokio::task::JoinSet;

use super::ask::{Ask, Which};
use super::copy::Copy;
use crate::report::Failure;

/// So many requests are under way at once.
const WIDTH: usize = 16;

/// Reads a cluster into a copy.
struct Reading<'a> {
    engine: &'a Engine,
    copy: Copy,
    /// The version to read custom objects in: the one in which they are stored.
    stored_in: BTreeMap<(String, String), String>,
}

/// Reads what a plan is about.
pub(super) async fn read(
    engine: &Engine,
    marks: &Marks,
    plan: &Plan,
    documents: &[Value],
) -> Result<Copy, Failure> {
    let hooks = plan.hooks.iter().map(|hook| hook.id.clone());
    let own: HashSet<ObjectId> = plan.objects.iter().map(|object| object.id.clone()).chain(hooks).collect();
    let copy = Copy { own: own.clone(), ..Copy::default() };
    let mut reading = Reading { engine, copy, stored_in: BTreeMap::new() };
    reading.definitions(own.iter().filter_map(|id| engine.served().kind_of(id))).await?;
    reading.named(&own).await?;

    let mut namespaces: BTreeSet<String> = own.iter().filter_map(|id| id.namespace.clone()).collect();
    namespaces.insert(marks.namespace.clone());
    reading.by_name("", "Namespace", None, namespaces.iter().cloned()).await?;
    reading.records(marks).await?;
    reading.held(plan, &namespaces).await?;
    reading.surroundings(&namespaces, documents).await?;
    reading.dependents(&namespaces).await?;
    reading.ground().await?;
    let mut copy = reading.copy;
    copy.forget_missing_owners();
    Ok(copy)
}

impl Reading<'_> {
    fn kind(&self, group: &str, kind: &str) -> Option<&Kind> {
        let (group, kind) = (group.to_owned(), kind.to_owned());
        let id = ObjectId { group, kind, namespace: None, name: String::new() };
        self.engine.served().kind_of(&id)
    }

    /// The definitions of kinds, where they have any.
    async fn definitions<'k>(&mut self, kinds: impl Iterator<Item = &'k Kind>) -> Result<(), Failure> {
        let names: BTreeSet<String> = kinds
            .filter(|kind| kind.resource.group.contains('.'))
            .map(|kind| format!("{}.{}", kind.resource.plural, kind.resource.group))
            .collect();
        self.by_name("apiextensions.k8s.io", "CustomResourceDefinition", None, names.into_iter()).await?;
        for ((group, plural, _, _), object) in &self.copy.objects {
            if group != "apiextensions.k8s.io" || plural != "customresourcedefinitions" {
                continue;
            }
            let spec = &object.data["spec"];
            let versions = spec["versions"].as_array().map(Vec::as_slice).unwrap_or_default();
            let stored =
                versions.iter().find(|version| version["storage"] == true && version["served"] == true);
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            if let Some(version) = stored {
                let of = (text(&spec["group"]), text(&spec["names"]["plural"]));
                self.stored_in.insert(of, text(&version["name"]));
            }
        }
        Ok(())
    }

    /// The objects of these names.
    async fn named(&mut self, ids: &HashSet<ObjectId>) -> Result<(), Failure> {
        let mut asked: BTreeMap<(String, String, Option<String>), BTreeSet<String>> = BTreeMap::new();
        for id in ids {
            let of = (id.group.clone(), id.kind.clone(), id.namespace.clone());
            asked.entry(of).or_default().insert(id.name.clone());
        }
        let asks = asked.into_iter().filter_map(|((group, kind, namespace), names)| {
            let kind = self.kind(&group, &kind)?.clone();
            Some(Ask { kind, namespace, which: Which::Named(names) })
        });
        let asks: Vec<Ask> = asks.collect();
        self.read(asks).await
    }

    async fn by_name(
        &mut self,
        group: &str,
        kind: &str,
        namespace: Option<&str>,
        names: impl Iterator<Item = String>,
    ) -> Result<(), Failure> {
        let Some(kind) = self.kind(group, kind).cloned() else { return Ok(()) };
        let names: BTreeSet<String> = names.collect();
        let namespace = namespace.map(ToOwned::to_owned);
        self.read(vec![Ask { kind, namespace, which: Which::Named(names) }]).await
    }

    /// What is stored about the release.
    async fn records(&mut self, marks: &Marks) -> Result<(), Failure> {
        let Some(kind) = self.kind("", "Secret").cloned() else { return Ok(()) };
        let name = &marks.name;
        let labels = [format!("owner=helm,name={name}"), format!("slipway.dev/release={name}")];
        let asks = labels.map(|labels| Ask {
            kind: kind.clone(),
            namespace: Some(marks.namespace.clone()),
            which: Which::Labelled(labels),
        });
        self.read(asks.into()).await
    }

    /// What would go along: everything in a namespace, and everything of a kind, that goes or is going already.
    async fn held(&mut self, plan: &Plan, namespaces: &BTreeSet<String>) -> Result<(), Failure> {
        let goes = plan.steps.iter().filter_map(|step| match step.kind {
            StepKind::Delete { object, .. } => Some(&plan.object(object).id),
            _ => None,
        });
        let goes: Vec<&ObjectId> = goes.collect();
        let terminating = self.copy.objects().filter(|(id, object)| {
            id.kind == "Namespace" && id.group.is_empty() && object.metadata.deletion_timestamp.is_some()
        });
        let mut emptied: BTreeSet<String> = terminating.map(|(id, _)| id.name).collect();
        emptied.retain(|name| namespaces.contains(name));
        let is_namespace = |id: &&&ObjectId| id.kind == "Namespace" && id.group.is_empty();
        emptied.extend(goes.iter().filter(is_namespace).map(|id| id.name.clone()));
        let kinds: Vec<Kind> = self.engine.served().kinds().filter(|kind| is_kept(kind)).cloned().collect();
        let mut asks = Vec::new();
        for namespace in &emptied {
            let inside = kinds.iter().filter(|kind| kind.namespaced);
            asks.extend(inside.map(|kind| Ask {
                kind: kind.clone(),
                namespace: Some(namespace.clone()),
                which: Which::All,
            }));
        }
        for id in goes.iter().filter(|id| id.kind == "CustomResourceDefinition") {
            let of = kinds
                .iter()
                .filter(|kind| format!("{}.{}", kind.resource.plural, kind.resource.group) == id.name);
            asks.extend(of.map(|kind| Ask { kind: kind.clone(), namespace: None, which: Which::All }));
        }
        self.read(asks).await?;
        // What others have there needs its definition and its namespace, too.
        let known: Vec<ObjectId> = self.copy.objects().map(|(id, _)| id).collect();
        let served = self.engine.served();
        self.definitions(known.iter().filter_map(|id| served.kind_of(id))).await?;
        let namespaces = known.into_iter().filter_map(|id| id.namespace);
        self.by_name("", "Namespace", None, namespaces).await
    }

    /// Claims that pods name, and pods that use claims.
    async fn surroundings(
        &mut self,
        namespaces: &BTreeSet<String>,
        documents: &[Value],
    ) -> Result<(), Failure> {
        let mut claims = BTreeSet::new();
        for document in documents {
            claims_in(document, &mut claims);
        }
        for namespace in namespaces {
            self.by_name("", "PersistentVolumeClaim", Some(namespace), claims.iter().cloned()).await?;
            let names: BTreeSet<String> = self
                .copy
                .objects
                .keys()
                .filter(|(_, plural, of, _)| plural == "persistentvolumeclaims" && of == namespace)
                .map(|(_, _, _, name)| name.clone())
                .collect();
            let Some(kind) = self.kind("", "Pod").cloned().filter(|_| !names.is_empty()) else { continue };
            let ask = Ask { kind, namespace: Some(namespace.clone()), which: Which::All };
            for pod in self.answers(vec![ask]).await?.into_iter().flat_map(|(_, pods)| pods) {
                let mut used = BTreeSet::new();
                claims_in(&pod.data, &mut used);
                if !used.is_disjoint(&names) {
                    self.keep("", "pods", pod);
                }
            }
        }
        Ok(())
    }

    /// What the objects own, and what that owns.
    async fn dependents(&mut self, namespaces: &BTreeSet<String>) -> Result<(), Failure> {
        let kinds = self.engine.served().kinds().filter(|kind| kind.namespaced && is_kept(kind));
        let kinds: Vec<Kind> = kinds.cloned().collect();
        let asks = namespaces.iter().flat_map(|namespace| {
            kinds.iter().map(|kind| Ask {
                kind: kind.clone(),
                namespace: Some(namespace.clone()),
                which: Which::Owned,
            })
        });
        let mut owned: Vec<(Kind, DynamicObject)> = Vec::new();
        for (ask, found) in self.answers(asks.collect()).await? {
            owned.extend(found.into_iter().map(|object| (ask.kind.clone(), object)));
        }
        let mut uids = self.copy.uids.clone();
        let mut wanted: BTreeMap<(String, String, String), (Kind, BTreeSet<String>)> = BTreeMap::new();
        loop {
            let (belong, others): (Vec<_>, Vec<_>) = owned.into_iter().partition(|(_, object)| {
                object.owner_references().iter().any(|owner| uids.contains(&owner.uid))
            });
            owned = others;
            if belong.is_empty() {
                break;
            }
            for (kind, object) in belong {
                uids.extend(object.uid());
                let (group, plural) = (kind.resource.group.clone(), kind.resource.plural.clone());
                let of = (group, plural, object.namespace().unwrap_or_default());
                wanted.entry(of).or_insert_with(|| (kind, BTreeSet::new())).1.insert(object.name_any());
            }
        }
        let kinds: Vec<Kind> = wanted.values().map(|(kind, _)| kind.clone()).collect();
        self.definitions(kinds.iter()).await?;
        let asks = wanted.into_iter().map(|((_, _, namespace), (kind, names))| Ask {
            kind,
            namespace: Some(namespace),
            which: Which::Named(names),
        });
        self.read(asks.collect()).await
    }

    /// What pods and claims stand on: nodes, volumes, and the classes of both.
    async fn ground(&mut self) -> Result<(), Failure> {
        let text =
            |object: &DynamicObject, field: &str| object.data["spec"][field].as_str().map(ToOwned::to_owned);
        let (mut nodes, mut volumes) = (BTreeSet::new(), BTreeSet::new());
        for ((_, plural, _, _), object) in &self.copy.objects {
            match plural.as_str() {
                "pods" => nodes.extend(text(object, "nodeName")),
                "persistentvolumeclaims" => volumes.extend(text(object, "volumeName")),
                _ => {}
            }
        }
        self.by_name("", "Node", None, nodes.into_iter()).await?;
        self.by_name("", "PersistentVolume", None, volumes.into_iter()).await?;
        let classes = [("storage.k8s.io", "StorageClass"), ("scheduling.k8s.io", "PriorityClass")];
        let asks = classes.iter().filter_map(|(group, kind)| {
            Some(Ask { kind: self.kind(group, kind)?.clone(), namespace: None, which: Which::All })
        });
        let asks: Vec<Ask> = asks.collect();
        self.read(asks).await
    }

    fn keep(&mut self, group: &str, plural: &str, object: DynamicObject) {
        let place =
            (group.to_owned(), plural.to_owned(), object.namespace().unwrap_or_default(), object.name_any());
        self.copy.uids.extend(object.uid());
        self.copy.objects.entry(place).or_insert(object);
    }

    async fn read(&mut self, asks: Vec<Ask>) -> Result<(), Failure> {
        for (ask, found) in self.answers(asks).await? {
            for object in found {
                self.keep(&ask.kind.resource.group, &ask.kind.resource.plural, object);
            }
        }
        Ok(())
    }

    /// Asks the cluster, several things at once. What must not be read is noted.
    async fn answers(&mut self, asks: Vec<Ask>) -> Result<Vec<(Ask, Vec<DynamicObject>)>, Failure> {
        let mut asks = asks.into_iter();
        let mut under_way: JoinSet<(Ask, Result<Vec<DynamicObject>, kube::Error>)> = JoinSet::new();
        let mut found = Vec::new();
        loop {
            while under_way.len() < WIDTH {
                let Some(mut ask) = asks.next() else { break };
                let resource = &mut ask.kind.resource;
                let of = (resource.group.clone(), resource.plural.clone());
                if let Some(version) = self.stored_in.get(&of) {
                    resource.api_version = format!("{}/{version}", resource.group);
                    resource.version.clone_from(version);
                }
                let client = self.engine.client().clone();
                under_way.spawn(async move {
                    let answer = ask.send(client).await;
                    (ask, answer)
                });
            }
            let Some(answer) = under_way.join_next().await else { return Ok(found) };
            let (ask, answer) = match answer {
                Ok(answer) => answer,
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                Err(_) => continue,
            };
            match answer {
                Ok(objects) => found.push((ask, objects)),
                Err(kube::Error::Api(status)) if matches!(status.code, 404 | 405) => {}
                Err(kube::Error::Api(status)) if status.code == 403 && !ask.is_needed() => {
                    self.copy.unseen.insert(ask.what());
                }
                Err(error) => {
                    return Err(Failure::new(format!(
                        "it cannot be rehearsed: {} cannot be read: {}",
                        ask.what(),
                        engine::words(&error)
                    )));
                }
            }
        }
    }
}

/// Whether objects of a kind are there to stay: events are not, and locks are their holders' own.
fn is_kept(kind: &Kind) -> bool {
    let group = kind.resource.group.as_str();
    let fleeting =
        kind.resource.kind == "Event" || group == "coordination.k8s.io" || group == "metrics.k8s.io";
    kind.deletable && kind.watchable && !fleeting
}

/// The claims that pods in a document name.
fn claims_in(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (field, value) in map {
                match value["claimName"].as_str() {
                    Some(claim) if field == "persistentVolumeClaim" => drop(found.insert(claim.to_owned())),
                    _ => claims_in(value, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| claims_in(value, found)),
        _ => {}
    }
}
