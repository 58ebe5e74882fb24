//! `ControllerRevisions`: the templates that `StatefulSets` and `DaemonSets` had.

use std::sync::Arc;

use serde_json::{Value, json};

use super::action::Action;
use super::adoption::claim;
use super::hash::{go_json, revision_hash, template_hash};
use super::object::{Object, controller_reference, map};
use super::world::{Key, REVISIONS, World};

/// The label of a `DaemonSet`'s revision and of its Pods.
pub const REVISION_HASH: &str = "controller-revision-hash";

/// The revisions of a set, oldest first.
#[derive(Debug)]
pub struct History {
    /// All of them.
    pub revisions: Vec<Arc<Value>>,
}

/// The revision that holds the present template.
#[derive(Debug)]
pub enum Present {
    /// It is there, and the last one.
    Known(Arc<Value>),
    /// It has to be made, or to become the last one, first.
    Missing(Vec<Action>),
}

/// How the names of revisions are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// By what the revision holds.
    ByData,
    /// By the template alone.
    ByTemplate,
}

impl History {
    /// The revisions of a set; those that nobody controls are adopted first.
    pub fn of(owner: &Value, world: &dyn World) -> Result<Self, Vec<Action>> {
        let claimed = claim(owner, &REVISIONS, world, |_| true, None);
        if !claimed.changes.is_empty() {
            return Err(claimed.changes);
        }
        let mut revisions = claimed.owned;
        revisions.sort_by(|left, right| order(left).cmp(&order(right)));
        Ok(Self { revisions })
    }

    /// The revision of this name.
    pub fn named(&self, name: &str) -> Option<&Arc<Value>> {
        self.revisions.iter().find(|revision| revision.name() == name)
    }

    /// The revision for the present template of a set.
    pub fn present(&self, owner: &Value, naming: Naming) -> Present {
        let data = data_of(owner.at("spec.template"));
        let last = self.revisions.iter().map(|revision| revision.count("revision")).max().unwrap_or_default();
        let Some(found) = self.revisions.iter().rev().find(|revision| revision["data"] == data) else {
            return Present::Missing(vec![create(owner, &data, last + 1, naming)]);
        };
        if found.count("revision") == last {
            return Present::Known(found.clone());
        }
        let mut object = (**found).clone();
        object["revision"] = (last + 1).into();
        Present::Missing(vec![Action::Update {
            resource: REVISIONS,
            part: super::action::Part::Main,
            object,
        }])
    }

    /// Deletes the oldest revisions that nobody uses, beyond the limit.
    pub fn truncate(&self, owner: &Value, is_live: impl Fn(&Value) -> bool) -> Vec<Action> {
        let limit =
            usize::try_from(owner.int("spec.revisionHistoryLimit").unwrap_or(10)).unwrap_or(usize::MAX);
        let unused: Vec<&Arc<Value>> = self.revisions.iter().filter(|revision| !is_live(revision)).collect();
        let surplus = unused.len().saturating_sub(limit);
        unused[..surplus]
            .iter()
            .map(|revision| Action::delete(Key::of(&REVISIONS, revision), revision))
            .collect()
    }
}

fn order(revision: &Value) -> (i64, Option<jiff::Timestamp>, &str) {
    (revision.count("revision"), revision.moment("metadata.creationTimestamp"), revision.name())
}

/// What a revision holds: a patch that puts the template back.
fn data_of(template: &Value) -> Value {
    let mut template = template.clone();
    template["$patch"] = "replace".into();
    json!({ "spec": { "template": template } })
}

/// The template that a revision holds.
pub fn template_of(revision: &Value) -> Value {
    let mut template = revision.at("data.spec.template").clone();
    if let Some(fields) = template.as_object_mut() {
        fields.remove("$patch");
    }
    template
}

fn create(owner: &Value, data: &Value, number: i64, naming: Naming) -> Action {
    let collisions = owner.int("status.collisionCount");
    let (hash, label) = match naming {
        Naming::ByData => (
            revision_hash(&go_json(data), Some(collisions.unwrap_or_default())),
            "controller.kubernetes.io/hash",
        ),
        Naming::ByTemplate => (template_hash(owner.at("spec.template"), collisions), REVISION_HASH),
    };
    let prefix = owner.name();
    let mut object = json!({
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": format!("{}-{hash}", &prefix[..prefix.len().min(223)]),
            "namespace": owner.namespace(),
            "labels": owner.at("spec.template.metadata.labels"),
            "ownerReferences": [controller_reference(owner)],
        },
        "data": data,
        "revision": number,
    });
    map(&mut object, "metadata.labels").insert(label.into(), hash.into());
    if let Some(annotations) =
        owner.at("metadata.annotations").as_object().filter(|annotations| !annotations.is_empty())
    {
        object["metadata"]["annotations"] = annotations.clone().into();
    }
    Action::Create { resource: REVISIONS, object, announce: None }
}
