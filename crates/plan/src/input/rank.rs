//! Deletion ranks: what goes first when nothing else says so.

use objects::{ObjectId, kinds};
use serde::{Deserialize, Serialize};

/// A place in the order of deletion. The next rank starts when all objects of lower ranks are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rank(pub i32);

impl Rank {
    /// Custom resources of definitions in the set.
    pub const OWN_CUSTOM: Self = Self(100);
    /// Custom resources of other definitions.
    pub const OTHER_CUSTOM: Self = Self(200);
    /// Objects in namespaces.
    pub const NAMESPACED: Self = Self(300);
    /// Objects of the whole cluster, definitions and namespaces apart.
    pub const CLUSTER: Self = Self(400);
    /// Definitions.
    pub const DEFINITION: Self = Self(500);
    /// Namespaces.
    pub const NAMESPACE: Self = Self(600);

    /// The rank of an object without a rule.
    pub fn by_default(id: &ObjectId, defined_in_set: bool) -> Self {
        match (id.group.as_str(), id.kind.as_str()) {
            ("", "Namespace") => Self::NAMESPACE,
            ("apiextensions.k8s.io", "CustomResourceDefinition") => Self::DEFINITION,
            _ if defined_in_set => Self::OWN_CUSTOM,
            (group, _) if kinds::is_custom_group(group) => Self::OTHER_CUSTOM,
            _ if id.namespace.is_some() => Self::NAMESPACED,
            _ => Self::CLUSTER,
        }
    }

    /// What objects of this rank are, if it is one of the six.
    pub fn description(self) -> Option<&'static str> {
        Some(match self {
            Self::OWN_CUSTOM => "custom resources of definitions in the set",
            Self::OTHER_CUSTOM => "custom resources of other definitions",
            Self::NAMESPACED => "objects in namespaces",
            Self::CLUSTER => "objects of the whole cluster",
            Self::DEFINITION => "definitions of custom resources",
            Self::NAMESPACE => "namespaces",
            _ => return None,
        })
    }
}

impl std::fmt::Display for Rank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
