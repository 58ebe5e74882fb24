//! The list of what was made, in the `state` of the status.

use kube::ResourceExt;
use kube::core::{DynamicObject, GroupVersionKind};
use serde::{Deserialize, Serialize};

use super::{Backing, Item};
use crate::{ActuatorError, ErrorCode, Extension};

/// The objects of a set that were made or were about to be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inventory {
    /// In the order in which they were made.
    #[serde(default, rename = "objects")]
    pub members: Vec<Member>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// The version of its kind.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Its namespace, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
    /// Which object of that name it is, once it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// What stands behind it.
    pub backing: Backing,
    /// Whether it is in the other cluster.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_target: bool,
}

impl Inventory {
    /// What an object has made so far.
    pub fn of(object: &impl Extension) -> Result<Self, ActuatorError> {
        let state = object.status().and_then(|status| status.state.clone());
        let Some(state) = state else { return Ok(Self::default()) };
        serde_json::from_value(state).map_err(|error| {
            ActuatorError::new(format!("status.state: {error}")).code(ErrorCode::ConfigurationProblem).fatal()
        })
    }

    /// Writes it into the status of the object.
    pub(super) fn store(&self, object: &mut impl Extension) -> Result<(), ActuatorError> {
        let state = serde_json::to_value(self).map_err(|error| ActuatorError::new(error.to_string()))?;
        object.status_mut().state = Some(state);
        Ok(())
    }

    /// Notes an object that is about to be made.
    pub(super) fn expect(&mut self, member: Member) {
        match self.members.iter_mut().find(|known| known.is_same(&member)) {
            Some(known) => *known = Member { uid: known.uid.take(), ..member },
            None => self.members.push(member),
        }
    }
}

impl Member {
    /// The entry of an item, in the namespace of whoever it belongs to if it has none of its own.
    pub(super) fn of(item: &Item, namespace: Option<&str>) -> Self {
        let types = item.object.types.clone().unwrap_or_default();
        Self {
            api_version: types.api_version,
            kind: types.kind,
            namespace: item.object.namespace().or_else(|| namespace.map(str::to_owned)),
            name: item.object.name_any(),
            uid: None,
            backing: item.backing.clone(),
            in_target: item.in_target,
        }
    }

    /// Whether both name one object. A changed version is the same object.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let group = |version: &str| version.rsplit_once('/').map(|(group, _)| group.to_owned());
        self.kind == other.kind
            && self.name == other.name
            && self.namespace == other.namespace
            && self.in_target == other.in_target
            && group(&self.api_version) == group(&other.api_version)
    }

    pub(super) fn group_version_kind(&self) -> GroupVersionKind {
        let (group, version) = self.api_version.rsplit_once('/').unwrap_or(("", &self.api_version));
        GroupVersionKind::gvk(group, version, &self.kind)
    }

    /// Whether this live object is the one that was made.
    pub(super) fn is(&self, live: &DynamicObject) -> bool {
        self.uid.is_none() || self.uid == live.uid()
    }
}

impl std::fmt::Display for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ", self.kind)?;
        if let Some(namespace) = &self.namespace {
            write!(f, "{namespace}/")?;
        }
        f.write_str(&self.name)
    }
}
