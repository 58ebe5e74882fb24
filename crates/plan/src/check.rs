//! Whether a saved plan still fits the world it was made for.

use std::collections::HashMap;

use objects::ObjectId;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::Plan;
use crate::input::{Digest, Inventory, Live, LiveObject, Wanted};

/// What a plan was made from, as far as it matters for carrying it out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fingerprint {
    /// All wanted documents: objects, definitions and hooks.
    pub wanted: Digest,
    /// The inventory.
    pub stored: Digest,
    /// Whether a cluster was looked at.
    pub live_known: bool,
    /// What each object of the plan was, in their order; `None` if it was not there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub live: Vec<Option<Seen>>,
}

/// What was seen of one object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Its UID.
    pub uid: String,
    /// Everything else that decides about its steps: generation, owner, finalizers, delay, stamp.
    pub facts: Digest,
}

/// One way in which the world is not the one a plan was made for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Difference {
    /// Other manifests are wanted.
    #[error("the manifests are not those the plan was made for")]
    Wanted,
    /// Another inventory is stored.
    #[error("the release has changed since the plan was made")]
    Stored,
    /// An object is there that was not.
    #[error("{object} exists now")]
    Appeared {
        /// Which object.
        object: ObjectId,
    },
    /// An object is not there that was.
    #[error("{object} is gone")]
    Disappeared {
        /// Which object.
        object: ObjectId,
    },
    /// Another object has the name.
    #[error("{object} was replaced: its UID was {old} and is {new}")]
    Replaced {
        /// Which object.
        object: ObjectId,
        /// The UID the plan knows.
        old: String,
        /// The UID it has now.
        new: String,
    },
    /// The object was changed.
    #[error("{object} was changed")]
    Changed {
        /// Which object.
        object: ObjectId,
    },
}

impl Fingerprint {
    /// The fingerprint of a world, for a plan of these objects.
    pub(crate) fn new<'a>(
        wanted: &Wanted,
        stored: &Inventory,
        live: &Live,
        objects: impl Iterator<Item = &'a ObjectId>,
    ) -> Self {
        let seen = |object: &ObjectId| live.get(object).map(Seen::new);
        Self {
            wanted: wanted_digest(wanted),
            stored: stored_digest(stored),
            live_known: live.known,
            live: if live.known { objects.map(seen).collect() } else { Vec::new() },
        }
    }
}

impl Seen {
    fn new(live: &LiveObject) -> Self {
        let facts = (
            live.generation,
            &live.owner,
            &live.deleting,
            &live.finalizers,
            &live.delay,
            &live.stamp,
            live.keep,
            live.in_sync,
        );
        Self { uid: live.uid.clone(), facts: Digest::of(goyaml::json::to_string(&facts).unwrap_or_default()) }
    }
}

fn wanted_digest(wanted: &Wanted) -> Digest {
    let mut hash = Sha256::new();
    let hooks = wanted.hooks.iter().map(|hook| &hook.member);
    for (kind, member) in wanted
        .members
        .iter()
        .map(|member| (0, member))
        .chain(wanted.crds.iter().map(|member| (1, member)))
        .chain(hooks.map(|member| (2, member)))
    {
        hash.update([kind]);
        hash.update(member.id.namespace.as_deref().unwrap_or_default());
        hash.update([0]);
        hash.update(member.digest.bytes());
    }
    Digest::from_hash(hash.finalize())
}

fn stored_digest(stored: &Inventory) -> Digest {
    Digest::of(goyaml::json::to_string(stored).unwrap_or_default())
}

impl Plan {
    /// How the world differs from the one this plan was made for; nothing means that it may be carried out.
    pub fn check(&self, wanted: &Wanted, stored: &Inventory, live: &Live) -> Vec<Difference> {
        let mut differences = Vec::new();
        if wanted_digest(wanted) != self.world.wanted {
            differences.push(Difference::Wanted);
        }
        if stored_digest(stored) != self.world.stored {
            differences.push(Difference::Stored);
        }
        if !self.world.live_known {
            return differences;
        }
        let now: HashMap<&ObjectId, Seen> = self
            .objects
            .iter()
            .filter_map(|object| Some((&object.id, Seen::new(live.get(&object.id)?))))
            .collect();
        for (planned, then) in self.objects.iter().zip(&self.world.live) {
            let object = planned.id.clone();
            match (then, now.get(&planned.id)) {
                (None, Some(_)) => differences.push(Difference::Appeared { object }),
                (Some(_), None) => differences.push(Difference::Disappeared { object }),
                (Some(then), Some(now)) if then.uid != now.uid => differences.push(Difference::Replaced {
                    object,
                    old: then.uid.clone(),
                    new: now.uid.clone(),
                }),
                (Some(then), Some(now)) if then != now => differences.push(Difference::Changed { object }),
                (None, None) | (Some(_), Some(_)) => {}
            }
        }
        differences
    }
}
