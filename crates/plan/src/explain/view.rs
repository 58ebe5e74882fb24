//! What a view consists of. Its serialised shape is documented for users and stays as it is.

use std::fmt::Write as _;

use objects::{GoDuration, ObjectId};
use serde::Serialize;

use super::fold;
use crate::Plan;
use crate::input::{Place, Rank};

/// A plan as people look at it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// What is planned: `install`, `upgrade`, `rollback`, `uninstall`, `prune`.
    pub operation: String,
    /// Of what: a release or a chart.
    pub subject: String,
    /// Whether layers and subcharts order it.
    pub ordered: bool,
    /// How many waves there are.
    pub waves: u32,
    /// How much is done.
    pub counts: Counts,
    /// What is done, in an order in which it may be done.
    pub groups: Vec<Group>,
    /// What is worth knowing.
    pub notes: Vec<Remark>,
}

/// How many objects meet which end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// New ones.
    pub create: usize,
    /// Those that change.
    pub update: usize,
    /// Those that stay as they are.
    pub unchanged: usize,
    /// Those that are deleted.
    pub delete: usize,
    /// Those whose countdown begins.
    pub count_down: usize,
    /// Those that are no longer wanted and stay.
    pub keep: usize,
    /// Hooks that run.
    pub hooks: usize,
}

/// Things that are done together, and what they wait for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    /// What holds them together.
    pub kind: GroupKind,
    /// What they are called: `layer database of shop`.
    pub title: String,
    /// Their chart: `shop/database`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chart: Option<String>,
    /// Their layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// Their deletion rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<Rank>,
    /// How many waits come before, counted from one.
    pub wave: u32,
    /// The groups that come before, each with its cause.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<After>,
    /// What is done.
    pub steps: Vec<Row>,
}

/// What holds a group together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GroupKind {
    /// Definitions in `crds/`.
    Definitions,
    /// Hooks of one moment.
    Hooks,
    /// A layer, with or without a name.
    Layer,
    /// Objects of a chart without annotations.
    Rest,
    /// Objects that were moved before their users.
    Moved,
    /// Everything at once, in the order of kinds or phases.
    Everything,
    /// Objects that are deleted.
    Deletion,
    /// The end of a deletion rank.
    Rank,
    /// Objects that stay, or are gone already.
    Kept,
    /// A place where many edges meet.
    Meeting,
}

/// That a group comes after another, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct After {
    /// The other, by its place among the groups.
    pub group: usize,
    /// What sort of cause it is.
    pub cause: Cause,
    /// The cause in words.
    pub why: String,
    /// The object that declares it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectId>,
    /// Where that is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

impl After {
    /// The cause, who declares it, and where: `depends-on (shop/Chart.yaml:9)`.
    pub fn cause_in_words(&self) -> String {
        let mut words = self.why.clone();
        if let Some(object) = &self.object {
            let _ = write!(words, " on {object}");
        }
        if let Some(place) = &self.place {
            let _ = write!(words, " ({place})");
        }
        words
    }
}

/// What sort of cause an edge has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// It is so unless somebody says otherwise.
    Default,
    /// It follows from what objects need.
    Inferred,
    /// It follows from how a cluster works.
    Physical,
    /// Somebody wrote it down.
    Declared,
}

/// One thing that is done.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// What is done.
    #[serde(rename = "do")]
    pub verb: Verb,
    /// With which object, if with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectId>,
    /// What is awaited afterwards: `ready`, `complete`, `established`, `gone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<&'static str>,
    /// How long that may take, if it has a time of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<GoDuration>,
    /// Why it stands here.
    pub why: String,
    /// Where the object comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// What is done with an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verb {
    /// It is made.
    Create,
    /// It is made if it is not there.
    CreateIfAbsent,
    /// It is changed.
    Update,
    /// It is taken over.
    Adopt,
    /// It stays as it is.
    Leave,
    /// Its countdown ends, since it is wanted again.
    Restore,
    /// A hook runs.
    Run,
    /// It is deleted.
    Delete,
    /// Its countdown begins.
    CountDown,
    /// It stays, though it is no longer wanted.
    Keep,
    /// It is gone already.
    Forget,
    /// The finalizers of what is left are removed.
    RemoveFinalizers,
    /// Something is awaited.
    Wait,
}

impl Verb {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::CreateIfAbsent => "ensure",
            Self::Update => "update",
            Self::Adopt => "take over",
            Self::Leave => "leave",
            Self::Restore => "restore",
            Self::Run => "run",
            Self::Delete => "delete",
            Self::CountDown => "count down",
            Self::Keep => "keep",
            Self::Forget => "forget",
            Self::RemoveFinalizers => "force",
            Self::Wait => "wait",
        }
    }

    /// One character for it.
    pub fn sign(self) -> char {
        match self {
            Self::Create | Self::CreateIfAbsent => '+',
            Self::Update | Self::Adopt => '~',
            Self::Leave => '=',
            Self::Restore => '^',
            Self::Run => '>',
            Self::Delete => '-',
            Self::CountDown => '%',
            Self::Keep | Self::Forget => '.',
            Self::RemoveFinalizers => '!',
            Self::Wait => ' ',
        }
    }
}

/// Something worth knowing about a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Remark {
    /// Whether it warns.
    pub warning: bool,
    /// What there is to know.
    pub message: String,
}

impl View {
    /// A view of a plan for `subject`, the release or chart that people know it by.
    pub fn new(plan: &Plan, subject: impl Into<String>) -> Self {
        let groups = fold::groups(plan);
        Self {
            operation: plan.operation.to_string(),
            subject: subject.into(),
            ordered: plan.sequenced,
            waves: groups.iter().map(|group| group.wave).max().unwrap_or(0),
            counts: Counts::of(&groups),
            notes: plan
                .notes
                .iter()
                .map(|note| Remark { warning: note.is_warning(), message: note.told() })
                .collect(),
            groups,
        }
    }

    /// What happens in one line: `install shop: 12 to create, 1 hook, in 3 waves`.
    pub fn headline(&self) -> String {
        let Counts { create, update, unchanged, delete, count_down, keep, hooks } = self.counts;
        let mut parts = Vec::new();
        for (count, words) in [
            (create, "to create"),
            (update, "to update"),
            (unchanged, "unchanged"),
            (delete, "to delete"),
            (count_down, "to count down"),
            (keep, "to keep"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {words}"));
            }
        }
        if hooks > 0 {
            parts.push(format!("{hooks} hook{}", if hooks == 1 { "" } else { "s" }));
        }
        if parts.is_empty() {
            return format!("{} {}: nothing to do", self.operation, self.subject);
        }
        let waves = if self.waves == 1 { "1 wave".to_owned() } else { format!("{} waves", self.waves) };
        format!("{} {}: {}, in {waves}", self.operation, self.subject, parts.join(", "))
    }
}

impl Counts {
    fn of(groups: &[Group]) -> Self {
        let mut counts = Self::default();
        for row in groups.iter().flat_map(|group| &group.steps) {
            match row.verb {
                Verb::Create | Verb::CreateIfAbsent => counts.create += 1,
                Verb::Update | Verb::Adopt => counts.update += 1,
                Verb::Leave => counts.unchanged += 1,
                Verb::Delete => counts.delete += 1,
                Verb::CountDown => counts.count_down += 1,
                Verb::Keep => counts.keep += 1,
                Verb::Run => counts.hooks += 1,
                Verb::Restore | Verb::Forget | Verb::RemoveFinalizers | Verb::Wait => {}
            }
        }
        counts
    }
}
