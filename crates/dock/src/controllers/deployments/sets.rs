//! The `ReplicaSets` of a Deployment: which one has its template, and which revision each is.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::progress::{progress_condition, tracks_progress};
use super::{
    DESIRED_REPLICAS, MAX_REPLICAS, NO_LIMIT, REVISION, REVISION_HISTORY, SetList, TEMPLATE_HASH, is_rolling,
    max_surge, replicas, sum,
};
use crate::controllers::action::{Action, Note, Part};
use crate::controllers::condition::{conditions, find, replace};
use crate::controllers::hash::template_hash;
use crate::controllers::object::{Object, controller_reference, map, set, unset};
use crate::controllers::world::{DEPLOYMENTS, Key, REPLICA_SETS};

/// A history of revisions longer than this loses its beginning.
const HISTORY_LENGTH: usize = 2000;
/// Annotations that a `ReplicaSet` does not take over from its Deployment.
const NOT_COPIED: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    REVISION,
    REVISION_HISTORY,
    DESIRED_REPLICAS,
    MAX_REPLICAS,
    "deprecated.deployment.rollback.to",
];

/// The `ReplicaSets` of a Deployment.
#[derive(Debug)]
pub(super) struct Sets {
    /// The one that has the Deployment's template.
    pub(super) new: Option<Arc<Value>>,
    /// All others, oldest first.
    pub(super) old: SetList,
}

impl Sets {
    pub(super) fn find(deployment: &Value, mut all: SetList) -> Self {
        all.sort_by(|left, right| age(left).cmp(&age(right)));
        let wanted = deployment.at("spec.template");
        let new = all.iter().position(|set| same_template(set.at("spec.template"), wanted));
        let new = new.map(|place| all.remove(place));
        Self { new, old: all }
    }

    /// All of them, the new one last.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Value>> {
        self.old.iter().chain(&self.new)
    }

    /// Those old ones that want Pods.
    pub(super) fn active_old(&self) -> SetList {
        self.old.iter().filter(|set| set.count("spec.replicas") > 0).cloned().collect()
    }

    /// Whether the Deployment was resized since the sets were last scaled.
    pub(super) fn was_resized(&self, deployment: &Value) -> bool {
        self.all()
            .filter(|set| set.count("spec.replicas") > 0)
            .filter_map(|set| number(set, DESIRED_REPLICAS))
            .any(|desired| desired != replicas(deployment))
    }

    fn last_revision(&self) -> i64 {
        self.old.iter().map(|set| revision(set)).max().unwrap_or_default()
    }

    /// Brings the annotations of the new set and the Deployment's revision up to date. `None` if they are.
    pub(super) fn revise(&self, deployment: &Value, now: Timestamp) -> Option<Vec<Action>> {
        let new = self.new.as_ref()?;
        let mut updated = (**new).clone();
        annotate(&mut updated, deployment, self.last_revision() + 1);
        let patience = deployment.count("spec.minReadySeconds");
        if updated.count("spec.minReadySeconds") != patience {
            set(&mut updated, "spec.minReadySeconds", patience);
        }
        if updated != **new {
            return Some(vec![Action::Update { resource: REPLICA_SETS, part: Part::Main, object: updated }]);
        }
        let mut object = deployment.clone();
        if let Some(revision) = new.annotation(REVISION)
            && deployment.annotation(REVISION) != Some(revision)
        {
            map(&mut object, "metadata.annotations").insert(REVISION.into(), revision.into());
        }
        let mut list = conditions(deployment.at("status"));
        if tracks_progress(deployment) && find(&list, "Progressing").is_none() {
            let message = format!("Found new replica set {:?}", new.name());
            replace(&mut list, progress_condition("True", "FoundNewReplicaSet", &message, now));
            set(&mut object, "status.conditions", list);
        }
        (object != *deployment)
            .then(|| vec![Action::Update { resource: DEPLOYMENTS, part: Part::Status, object }])
    }

    /// Makes the new set, of the size that the rollout allows at first.
    pub(super) fn create(
        &self,
        deployment: &Value,
        existing: impl Fn(&Key) -> Option<Arc<Value>>,
        now: Timestamp,
    ) -> Vec<Action> {
        let mut template = deployment.at("spec.template").clone();
        let hash = template_hash(&template, deployment.int("status.collisionCount"));
        map(&mut template, "metadata.labels").insert(TEMPLATE_HASH.into(), hash.as_str().into());
        let name = set_name(deployment.name(), &hash);
        if existing(&Key::new(&REPLICA_SETS, deployment.namespace(), &name)).is_some() {
            // Another set has this name: the next hash will be another.
            let mut object = deployment.clone();
            set(&mut object, "status.collisionCount", deployment.count("status.collisionCount") + 1);
            return vec![Action::Update { resource: DEPLOYMENTS, part: Part::Status, object }];
        }
        let mut selector = deployment.at("spec.selector").clone();
        map(&mut selector, "matchLabels").insert(TEMPLATE_HASH.into(), hash.as_str().into());
        let size = self.first_size(deployment);
        let mut object = json!({
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": name,
                "namespace": deployment.namespace(),
                "labels": template["metadata"]["labels"],
                "ownerReferences": [controller_reference(deployment)],
            },
            "spec": { "replicas": size, "selector": selector, "template": template },
        });
        if deployment.count("spec.minReadySeconds") != 0 {
            set(&mut object, "spec.minReadySeconds", deployment.count("spec.minReadySeconds"));
        }
        let revision = self.last_revision() + 1;
        annotate(&mut object, deployment, revision);
        set_sizes(&mut object, deployment);
        let mut actions = vec![Action::Create { resource: REPLICA_SETS, object, announce: None }];
        if size > 0 {
            let message = format!("Scaled up replica set {name} from 0 to {size}");
            actions.push(Note::normal(deployment, "ScalingReplicaSet", message));
        }
        let mut object = deployment.clone();
        map(&mut object, "metadata.annotations").insert(REVISION.into(), revision.to_string().into());
        if tracks_progress(deployment) {
            let mut list = conditions(deployment.at("status"));
            let message = format!("Created new replica set {name:?}");
            replace(&mut list, progress_condition("True", "NewReplicaSetCreated", &message, now));
            set(&mut object, "status.conditions", list);
        }
        actions.push(Action::Update { resource: DEPLOYMENTS, part: Part::Status, object });
        actions
    }

    fn first_size(&self, deployment: &Value) -> i64 {
        let wanted = replicas(deployment);
        if !is_rolling(deployment) {
            return wanted;
        }
        let room = wanted + max_surge(deployment) - sum(&self.old, "spec.replicas");
        room.clamp(0, wanted)
    }

    /// Deletes old sets beyond the history that is to be kept.
    pub(super) fn surplus_history(&self, deployment: &Value) -> Vec<Action> {
        let Some(limit) = deployment.int("spec.revisionHistoryLimit").filter(|limit| *limit != NO_LIMIT)
        else {
            return Vec::new();
        };
        let mut cleanable: SetList = self.old.iter().filter(|set| !set.is_deleting()).cloned().collect();
        let surplus = cleanable.len().saturating_sub(usize::try_from(limit).unwrap_or_default());
        cleanable.sort_by_key(|set| (revision(set), age(set).0, set.name().to_owned()));
        cleanable
            .iter()
            .take(surplus)
            .filter(|set| {
                set.count("status.replicas") == 0
                    && set.count("spec.replicas") == 0
                    && set.generation() <= set.count("status.observedGeneration")
            })
            .map(|set| Action::delete(Key::of(&REPLICA_SETS, set), set))
            .collect()
    }
}

fn age(set: &Value) -> (Option<Timestamp>, &str) {
    (set.moment("metadata.creationTimestamp"), set.name())
}

fn number(set: &Value, annotation: &str) -> Option<i64> {
    set.annotation(annotation)?.parse().ok().filter(|number| (0..=NO_LIMIT).contains(number))
}

/// The size of the Deployment with its surge, when the set was last scaled.
pub(super) fn max_replicas_before(set: &Value) -> Option<i64> {
    number(set, MAX_REPLICAS).filter(|number| *number != 0)
}

/// Whether the set has been told the present size of the Deployment.
pub(super) fn knows_size(set: &Value, deployment: &Value) -> bool {
    number(set, DESIRED_REPLICAS) == Some(replicas(deployment))
}

fn revision(set: &Value) -> i64 {
    set.annotation(REVISION).and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Whether two templates are the same but for the hash of one.
fn same_template(left: &Value, right: &Value) -> bool {
    let without_hash = |template: &Value| {
        let mut template = template.clone();
        if let Some(labels) = template.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
            labels.remove(TEMPLATE_HASH);
            if labels.is_empty() {
                unset(&mut template, "metadata.labels");
            }
        }
        template
    };
    without_hash(left) == without_hash(right)
}

/// Takes over the annotations of the Deployment, and the revision if it is a later one.
fn annotate(object: &mut Value, deployment: &Value, new: i64) {
    let before = object.annotation(REVISION).map(str::to_owned);
    let annotations = map(object, "metadata.annotations");
    if let Some(wanted) = deployment.at("metadata.annotations").as_object() {
        for (key, value) in wanted.iter().filter(|(key, _)| !NOT_COPIED.contains(&key.as_str())) {
            annotations.insert(key.clone(), value.clone());
        }
    }
    let old = match before.as_deref() {
        None | Some("") => 0,
        Some(text) => match text.parse::<i64>() {
            Ok(number) => number,
            // Somebody wrote something else there: it is left alone.
            Err(_) => return,
        },
    };
    if old >= new {
        return;
    }
    annotations.insert(REVISION.into(), new.to_string().into());
    if let Some(before) = before {
        let history = annotations.get(REVISION_HISTORY).and_then(Value::as_str).unwrap_or_default();
        let mut revisions: Vec<&str> = history.split(',').filter(|text| !text.is_empty()).collect();
        revisions.push(&before);
        while revisions.join(",").len() > HISTORY_LENGTH {
            revisions.remove(0);
        }
        let joined = revisions.join(",");
        annotations.insert(REVISION_HISTORY.into(), joined.into());
    }
}

/// Notes the size of the Deployment in the annotations of a set.
pub(super) fn set_sizes(object: &mut Value, deployment: &Value) {
    let (wanted, most) = (replicas(deployment), replicas(deployment) + max_surge(deployment));
    let annotations = map(object, "metadata.annotations");
    annotations.insert(DESIRED_REPLICAS.into(), wanted.to_string().into());
    annotations.insert(MAX_REPLICAS.into(), most.to_string().into());
}

fn set_name(deployment: &str, hash: &str) -> String {
    let room = 253 - 1 - hash.len();
    let kept = if deployment.len() > room { &deployment[..room] } else { deployment };
    format!("{kept}-{hash}")
}
