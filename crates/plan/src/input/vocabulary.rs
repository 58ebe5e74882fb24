//! The annotations that mean something to the planner, in all their spellings.

use std::fmt;

/// What an annotation says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// The layer an object belongs to.
    Layer,
    /// The layers it needs.
    NeedsLayers,
    /// Expressions that make it ready.
    ReadinessSuccess,
    /// Expressions that make it failed.
    ReadinessFailure,
    /// How long it may take to become ready.
    ReadinessTimeout,
    /// Whether it is awaited at all.
    Wait,
    /// Its own deletion rank.
    DeletionRank,
    /// How long it outlives being wanted.
    DeletionDelay,
    /// Since when that time runs. Only Slipway writes it.
    DeletionStamp,
    /// Helm's `keep`.
    ResourcePolicy,
}

/// Every spelling with what it means. Spellings of one meaning stand together, the seed's first.
const SPELLINGS: &[(&str, Meaning)] = &[
    ("helm.sh/layer", Meaning::Layer),
    ("helm.sh/resource-group", Meaning::Layer),
    ("slipway.dev/layer", Meaning::Layer),
    ("helm.sh/depends-on/layers", Meaning::NeedsLayers),
    ("helm.sh/depends-on/resource-groups", Meaning::NeedsLayers),
    ("slipway.dev/depends-on-layers", Meaning::NeedsLayers),
    ("helm.sh/readiness-success", Meaning::ReadinessSuccess),
    ("helm.sh/readiness-failure", Meaning::ReadinessFailure),
    ("helm.sh/readiness-timeout", Meaning::ReadinessTimeout),
    ("slipway.dev/wait", Meaning::Wait),
    ("slipway.dev/deletion-rank", Meaning::DeletionRank),
    ("smith.atlassian.com/deletionDelay", Meaning::DeletionDelay),
    ("smith.a.c/deletionDelay", Meaning::DeletionDelay),
    ("slipway.dev/deletion-delay", Meaning::DeletionDelay),
    ("smith.atlassian.com/deletionTimestamp", Meaning::DeletionStamp),
    ("smith.a.c/deletionTimestamp", Meaning::DeletionStamp),
    ("slipway.dev/deletion-timestamp", Meaning::DeletionStamp),
    ("helm.sh/resource-policy", Meaning::ResourcePolicy),
];

/// The annotation of a `Chart.yaml` that lists the subcharts its own objects come after.
pub const NEEDS_SUBCHARTS: &str = "helm.sh/depends-on/subcharts";

/// The annotation Slipway stamps an object with when its countdown begins.
pub const STAMP: &str = "slipway.dev/deletion-timestamp";

/// One spelling of one annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spelling(u8);

impl Spelling {
    /// The spelling that an annotation's key is, if the planner knows it.
    pub fn of(key: &str) -> Option<Self> {
        // Most annotations are of other domains; four prefixes tell them apart without a look at the table.
        if !(key.starts_with("helm.sh/") || key.starts_with("slipway.dev/") || key.starts_with("smith.a")) {
            return None;
        }
        SPELLINGS.iter().position(|(spelling, _)| *spelling == key).map(|place| Self(place as u8))
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..SPELLINGS.len() as u8).map(Self)
    }

    /// The key as written.
    pub fn key(self) -> &'static str {
        SPELLINGS[self.0 as usize].0
    }

    /// What it means.
    pub fn meaning(self) -> Meaning {
        SPELLINGS[self.0 as usize].1
    }

    /// Whether it belongs to the vocabulary of the merged proposal, which says `resource-group` for `layer`.
    pub fn is_resource_group(self) -> bool {
        self.key().contains("resource-group")
    }
}

impl fmt::Display for Spelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

impl serde::Serialize for Spelling {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key())
    }
}

impl<'de> serde::Deserialize<'de> for Spelling {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let key = String::deserialize(deserializer)?;
        Self::of(&key).ok_or_else(|| serde::de::Error::custom(format!("unknown annotation {key:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_found_by_its_key() {
        for spelling in Spelling::all() {
            assert_eq!(Spelling::of(spelling.key()), Some(spelling));
        }
        assert_eq!(Spelling::of("helm.sh/hook"), None);
        assert_eq!(Spelling::of("example.com/layer"), None);
    }

    #[test]
    fn the_merged_proposal_says_resource_group() {
        let groups: Vec<_> = Spelling::all().filter(|spelling| spelling.is_resource_group()).collect();
        assert_eq!(
            groups.iter().map(|spelling| spelling.key()).collect::<Vec<_>>(),
            ["helm.sh/resource-group", "helm.sh/depends-on/resource-groups"]
        );
    }
}
