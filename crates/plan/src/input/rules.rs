//! Rules that change the order of deletion, and what happens to objects that do not go.

use std::time::Duration;

use objects::ObjectId;
use serde::{Deserialize, Serialize};

use super::rank::Rank;

/// A list of rules that do not contradict each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules(pub(crate) Vec<Rule>);

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The rank it is about.
    pub rank: Rank,
    /// The types it moves there; `None`: it is about the rank itself.
    pub types: Option<Vec<TypePattern>>,
    /// How long the rank is waited for before the next one starts.
    pub wait: Option<Duration>,
    /// What happens then to what is left.
    pub force: Option<Force>,
}

/// What a rule does to objects that do not go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Force {
    /// How long stripped objects are waited for.
    pub timeout: Duration,
}

impl Rule {
    /// How long to wait when there is a force block but no time.
    pub const DEFAULT_WAIT: Duration = Duration::from_mins(1);
    /// How long stripped objects are waited for when the rule does not say.
    pub const DEFAULT_FORCE_TIMEOUT: Duration = Duration::from_secs(30);

    /// A rule that only gives a rank.
    pub fn order(rank: Rank, types: Vec<TypePattern>) -> Self {
        Self { rank, types: Some(types), wait: None, force: None }
    }

    /// How long its rank is waited for; `None`: as long as the operation may take.
    pub fn waits_at_most(&self) -> Option<Duration> {
        self.wait.or_else(|| self.force.map(|_| Self::DEFAULT_WAIT))
    }
}

/// A group and kind. Versions of one kind are the same objects, so a version is read but not compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TypePattern {
    group: String,
    version: String,
    kind: String,
}

/// A type that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected group/version/kind, or version/kind of the core group, found {0:?}")]
pub struct BadType(pub String);

impl TypePattern {
    /// Whether an object is of this type.
    pub fn matches(&self, id: &ObjectId) -> bool {
        self.group == id.group && self.kind == id.kind
    }

    /// Group and kind, which is all that is compared.
    pub fn group_kind(&self) -> (&str, &str) {
        (&self.group, &self.kind)
    }
}

impl std::str::FromStr for TypePattern {
    type Err = BadType;

    fn from_str(text: &str) -> Result<Self, BadType> {
        let parts: Vec<&str> = text.split('/').collect();
        let (group, version, kind) = match parts[..] {
            [version, kind] => ("", version, kind),
            [group, version, kind] => (group, version, kind),
            _ => return Err(BadType(text.to_owned())),
        };
        if version.is_empty() || kind.is_empty() || kind == "*" {
            return Err(BadType(text.to_owned()));
        }
        Ok(Self { group: group.to_owned(), version: version.to_owned(), kind: kind.to_owned() })
    }
}

impl TryFrom<String> for TypePattern {
    type Error = BadType;

    fn try_from(text: String) -> Result<Self, BadType> {
        text.parse()
    }
}

impl From<TypePattern> for String {
    fn from(pattern: TypePattern) -> Self {
        pattern.to_string()
    }
}

impl std::fmt::Display for TypePattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.group.is_empty() {
            write!(f, "{}/", self.group)?;
        }
        write!(f, "{}/{}", self.version, self.kind)
    }
}

/// Rules that contradict each other. Rules are counted from one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleConflict {
    /// One type in two rules.
    #[error("the type {pattern} is in deletion rules {first} and {second}")]
    TypeTwice {
        /// The type.
        pattern: TypePattern,
        /// One rule.
        first: usize,
        /// The other.
        second: usize,
    },
    /// Two rules of one rank say different things about waiting.
    #[error("deletion rules {first} and {second} give rank {rank} different times or force")]
    RankTwice {
        /// The rank.
        rank: Rank,
        /// One rule.
        first: usize,
        /// The other.
        second: usize,
    },
}

impl RuleConflict {
    /// The later of the two rules, counted from one.
    pub fn second(&self) -> usize {
        match self {
            Self::TypeTwice { second, .. } | Self::RankTwice { second, .. } => *second,
        }
    }
}

impl Rules {
    /// The rules, unless they contradict each other.
    pub fn new(rules: Vec<Rule>) -> Result<Self, RuleConflict> {
        for (second, rule) in rules.iter().enumerate() {
            for (first, other) in rules[..second].iter().enumerate() {
                let (first, second) = (first + 1, second + 1);
                if other.rank == rule.rank && (other.wait, other.force) != (rule.wait, rule.force) {
                    return Err(RuleConflict::RankTwice { rank: rule.rank, first, second });
                }
                let types = |rule: &Rule| rule.types.clone().unwrap_or_default();
                let same = |a: &TypePattern, b: &TypePattern| a.group_kind() == b.group_kind();
                let twice = types(rule).into_iter().find(|own| types(other).iter().any(|its| same(its, own)));
                if let Some(pattern) = twice {
                    return Err(RuleConflict::TypeTwice { pattern, first, second });
                }
            }
        }
        Ok(Self(rules))
    }

    /// The rules in their order.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.0.iter()
    }

    /// The rule that gives an object its rank, counted from zero.
    pub(crate) fn for_object(&self, id: &ObjectId) -> Option<(usize, Rank)> {
        let names = |rule: &Rule| rule.types.iter().flatten().any(|pattern| pattern.matches(id));
        self.0.iter().position(names).map(|place| (place, self.0[place].rank))
    }

    /// The rule that says how a rank is waited for, counted from zero.
    pub(crate) fn for_rank(&self, rank: Rank) -> Option<(usize, &Rule)> {
        self.0.iter().enumerate().find(|(_, rule)| rule.rank == rank)
    }
}
