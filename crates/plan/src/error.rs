//! Why there is no plan.

use objects::readiness::ExpressionError;
use objects::{ListError, ObjectId};

use crate::input::{Place, Rank, Spelling};
use crate::output::Note;

/// One arrow of a path that people are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where the arrow begins.
    pub from: String,
    /// Where it ends.
    pub to: String,
    /// Why there is one: a declaration, or a fact.
    pub why: String,
    /// The object that declares it, if one does.
    pub object: Option<ObjectId>,
    /// Where that is written.
    pub place: Option<Place>,
}

/// `a → b → c`.
fn arrows(path: &[Link]) -> String {
    let mut text = path.first().map(|link| link.from.clone()).unwrap_or_default();
    for link in path {
        text.push_str(" → ");
        text.push_str(&link.to);
    }
    text
}

/// Each arrow with the reason for it, on lines of their own.
fn reasons(path: &[Link]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for link in path {
        let _ = write!(text, "\n  {} → {}: {}", link.from, link.to, link.why);
        if let Some(object) = &link.object {
            let _ = write!(text, " on {object}");
        }
        if let Some(place) = &link.place {
            let _ = write!(text, " ({place})");
        }
    }
    text
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// One object has two spellings of one annotation, with different values.
    #[error("{place}: {object} has {first} and {second} with different values")]
    TwoSpellings {
        /// The object.
        object: ObjectId,
        /// Where the second is written.
        place: Place,
        /// One spelling.
        first: Spelling,
        /// The other.
        second: Spelling,
    },
    /// An annotation is no list of names.
    #[error("{place}: {annotation} of {object}: {cause}")]
    BadList {
        /// The object.
        object: ObjectId,
        /// Where it is written.
        place: Place,
        /// The annotation.
        annotation: Spelling,
        /// What is wrong.
        cause: ListError,
    },
    /// An annotation has a value that it cannot have.
    #[error("{place}: {annotation} of {object}: expected {expected}, found {found:?}")]
    BadValue {
        /// The object.
        object: ObjectId,
        /// Where it is written.
        place: Place,
        /// The annotation.
        annotation: Spelling,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A readiness expression does not parse.
    #[error("{place}: {annotation} of {object}: {cause}")]
    BadExpression {
        /// The object.
        object: ObjectId,
        /// Where it is written.
        place: Place,
        /// The annotation.
        annotation: Spelling,
        /// What is wrong.
        cause: ExpressionError,
    },
    /// Somebody wrote the stamp into a definition.
    #[error("{place}: {object} has {annotation}, which only slipway may set")]
    UserStamp {
        /// The object.
        object: ObjectId,
        /// Where it is written.
        place: Place,
        /// The annotation.
        annotation: Spelling,
    },
    /// One object is there twice.
    #[error("{second}: {object} is already defined at {first}")]
    Duplicate {
        /// The object.
        object: ObjectId,
        /// Where it is first.
        first: Place,
        /// Where it is again.
        second: Place,
    },
    /// Layers of one chart need each other.
    #[error("layers of chart {chart} need each other: {}{}", arrows(path), reasons(path))]
    LayerCycle {
        /// The chart.
        chart: String,
        /// Who needs whom.
        path: Vec<Link>,
    },
    /// Subcharts of one chart need each other.
    #[error("subcharts of chart {chart} need each other: {}{}", arrows(path), reasons(path))]
    SubchartCycle {
        /// The chart.
        chart: String,
        /// Who needs whom.
        path: Vec<Link>,
    },
    /// A name means several subcharts.
    #[error("{place}: the subchart {reference:?} of {chart} is ambiguous; use the alias: {}", aliases.join(", "))]
    AmbiguousSubchart {
        /// The chart.
        chart: String,
        /// The name.
        reference: String,
        /// What could be meant.
        aliases: Vec<String>,
        /// Where it is written.
        place: Place,
    },
    /// A name means no subchart.
    #[error(
        "{place}: {chart} declares no subchart with the alias, name or tag {reference:?}{}",
        known_text(known)
    )]
    UnknownSubchart {
        /// The chart.
        chart: String,
        /// The name.
        reference: String,
        /// What there is.
        known: Vec<String>,
        /// Where it is written.
        place: Place,
    },
    /// A list of subcharts cannot be read.
    #[error("{place}: {field} of {chart}: {cause}")]
    BadSubchartList {
        /// The chart.
        chart: String,
        /// The field.
        field: &'static str,
        /// What is wrong.
        cause: ListError,
        /// Where it is written.
        place: Place,
    },
    /// What is declared cannot be, as the cluster works.
    #[error("the declared order cannot be kept: {}{}", arrows(path), reasons(path))]
    Contradiction {
        /// What comes before what, back to the first.
        path: Vec<Link>,
    },
    /// A rule gives an object a rank that it cannot have.
    #[error(
        "{object} cannot have the deletion rank {rank}, since it must be gone before rank {effective} ends: {}{}",
        arrows(path),
        reasons(path)
    )]
    RankContradiction {
        /// The object.
        object: ObjectId,
        /// The rank the rule gives.
        rank: Rank,
        /// The rank of what must go after it.
        effective: Rank,
        /// What goes before what.
        path: Vec<Link>,
    },
    /// A wanted object exists and belongs to somebody else.
    #[error("{object} exists and belongs to {}; it is not taken over", owner.as_deref().unwrap_or("nobody"))]
    NotOurs {
        /// The object.
        object: ObjectId,
        /// Whose it is, if anybody's.
        owner: Option<String>,
    },
    /// Something that is warned of otherwise.
    #[error("{0}")]
    Strict(Note),
}

impl PlanError {
    /// Where what is wrong is written, if it is written anywhere; of a path the first such place.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::TwoSpellings { place, .. }
            | Self::BadList { place, .. }
            | Self::BadValue { place, .. }
            | Self::BadExpression { place, .. }
            | Self::UserStamp { place, .. }
            | Self::Duplicate { second: place, .. }
            | Self::AmbiguousSubchart { place, .. }
            | Self::UnknownSubchart { place, .. }
            | Self::BadSubchartList { place, .. } => Some(place),
            Self::LayerCycle { path, .. }
            | Self::SubchartCycle { path, .. }
            | Self::Contradiction { path }
            | Self::RankContradiction { path, .. } => path.iter().find_map(|link| link.place.as_ref()),
            Self::NotOurs { .. } => None,
            Self::Strict(note) => note.place(),
        }
    }
}

fn known_text(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!("; it has {}", known.join(", ")) }
}

/// Everything that is wrong; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanErrors(pub Vec<PlanError>);

impl std::fmt::Display for PlanErrors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (number, error) in self.0.iter().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for PlanErrors {}

impl From<PlanError> for PlanErrors {
    fn from(error: PlanError) -> Self {
        Self(vec![error])
    }
}
