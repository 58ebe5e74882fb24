//! A plan in words: what a step does, why it stands where it stands, why one step waits for another.

use objects::{GoDuration, ObjectId};

use super::origin::Edge;
use super::plan::Plan;
use super::reason::{Forgotten, Kept, Phase, RankBy, Reason, UnreadableField};
use super::step::{Because, Change, Gate, Step, StepKind, Within};
use crate::input::{Cascade, Place, Rank};
use crate::words::{Names, need_name};
use crate::{ObjectIndex, OriginIndex, StepIndex};

impl Plan {
    /// What a step does: `apply Deployment.apps shop/web`.
    pub fn describe_step(&self, step: &Step) -> String {
        let subject = self.names(|names| names.subject(step.kind));
        match step.kind {
            StepKind::Barrier { .. } => subject,
            StepKind::Apply { change, .. } => {
                let verb = match change {
                    Change::Create => "create",
                    Change::Update => "update",
                    Change::Adopt => "take over",
                    Change::CreateIfAbsent => "create if absent",
                };
                format!("{verb} {subject}")
            }
            StepKind::Unchanged { .. } => format!("leave {subject} as it is"),
            StepKind::AwaitReady { gate, within, .. } => {
                let until = match gate {
                    Gate::Ready => "is ready",
                    Gate::Complete => "has completed",
                };
                match within {
                    Within::Operation => format!("wait until {subject} {until}"),
                    Within::Own(span) => {
                        format!("wait until {subject} {until}, at most {}", GoDuration::from(span))
                    }
                }
            }
            StepKind::AwaitEstablished { .. } => format!("wait until {subject} is established"),
            StepKind::RunHook { hook, event } => {
                let id = self.hooks.get(hook.at()).map(|hook| hook.id.to_string()).unwrap_or_default();
                format!("run the {event} hook {id}")
            }
            StepKind::Restore { .. } => format!("stop the countdown of {subject}"),
            StepKind::Stamp { due, .. } => match due {
                Some(due) => format!("let {subject} count down until {due}"),
                None => format!("let {subject} count down"),
            },
            StepKind::Delete { because, cascade, .. } => {
                let why = match because {
                    Because::NotWanted => "no longer wanted",
                    Because::Uninstalled => "uninstalled",
                    Because::Expired => "its countdown is over",
                };
                let how = match cascade {
                    Cascade::Foreground => ", with what it owns",
                    Cascade::Background => "",
                    Cascade::Orphan => ", leaving what it owns",
                };
                format!("delete {subject}{how}: {why}")
            }
            StepKind::AwaitGone { .. } => format!("wait until {subject} is gone"),
            StepKind::AwaitRank { rank, at_most } => match at_most {
                None => format!("wait until rank {rank} is gone"),
                Some(span) => format!("wait until rank {rank} is gone, at most {}", GoDuration::from(span)),
            },
            StepKind::StripFinalizers { up_to } => {
                format!("remove the finalizers of what is left up to rank {up_to}")
            }
            StepKind::Keep { .. } => format!("keep {subject}"),
            StepKind::Forget { .. } => format!("forget {subject}"),
        }
    }

    /// Why a step stands where it stands; empty for steps that only hold the graph together.
    pub fn describe_reason(&self, reason: &Reason) -> String {
        let id = |object: &ObjectIndex| self.object(*object).id.to_string();
        self.names(|names| match reason {
            Reason::Structure => String::new(),
            Reason::Definitions => "definitions in crds/ come first".to_owned(),
            Reason::Layer(layer) => names.layer(*layer),
            Reason::Nameless(layer) => {
                let chart = self.sequencing.layers.get(layer.at()).map(|layer| names.chart(layer.chart));
                format!("needs layers of {}, but is in none", chart.unwrap_or_default())
            }
            Reason::Unlayered(chart) => format!("not annotated: after all layers of {}", names.chart(*chart)),
            Reason::Hoisted { user, need } => {
                format!("not annotated, moved before {}: its {}", id(user), need_name(*need))
            }
            Reason::Kinds => "the order of kinds".to_owned(),
            Reason::Phase(phase) => match phase {
                Phase::Definitions => "definitions come first",
                Phase::Cluster => "objects of the whole cluster come before those in namespaces",
                Phase::Namespaced => "objects in namespaces come last",
            }
            .to_owned(),
            Reason::Hook { event, weight } => format!("{event}, weight {weight}"),
            Reason::Awaited => "something comes after it".to_owned(),
            Reason::Leaf => "nothing comes after it".to_owned(),
            Reason::Terminating => "it is being deleted".to_owned(),
            Reason::WantedAgain => "it is wanted again".to_owned(),
            Reason::Ranked { rank, by } => self.describe_rank(*rank, *by),
            Reason::Forced { rule } => format!("deletion rule {} forces it", rule + 1),
            Reason::Kept(kept) => self.describe_kept(kept),
            Reason::Forgotten(Forgotten::Gone) => "it is not there".to_owned(),
            Reason::Forgotten(Forgotten::Replaced) => "another object has its name".to_owned(),
            Reason::Forgotten(Forgotten::Moved) => "it is a wanted object under another group".to_owned(),
        })
    }

    /// Why one step waits for another, with the place where that is written.
    pub fn describe_edge(&self, edge: &Edge) -> String {
        use std::fmt::Write as _;
        let (mut text, object, place) = self.names(|names| names.origin(self.origin(edge.origin)));
        if let Some(object) = object {
            let _ = write!(text, " on {object}");
        }
        if let Some(place) = place {
            let _ = write!(text, " ({place})");
        }
        text
    }

    /// Why an edge is there, in words; the object that declares it, and where.
    pub fn explain_origin(&self, origin: OriginIndex) -> (String, Option<ObjectId>, Option<Place>) {
        self.names(|names| names.origin(self.origin(origin)))
    }

    /// What a step is about: an object, a layer, a chart, a rank.
    pub fn subject(&self, step: StepIndex) -> String {
        self.names(|names| names.subject(self.step(step).kind))
    }

    fn describe_rank(&self, rank: Rank, by: RankBy) -> String {
        match by {
            RankBy::Default => match rank.description() {
                Some(description) => format!("rank {rank}: {description}"),
                None => format!("rank {rank}"),
            },
            RankBy::Annotation => format!("rank {rank}: its annotation"),
            RankBy::Rule(rule) => format!("rank {rank}: deletion rule {}", rule + 1),
            RankBy::Before(object) => {
                format!("rank {rank}: must go before {}", self.object(object).id)
            }
        }
    }

    fn describe_kept(&self, kept: &Kept) -> String {
        match kept {
            Kept::Policy => "helm.sh/resource-policy is keep".to_owned(),
            Kept::NotOurs { owner: None } => "it belongs to nobody".to_owned(),
            Kept::NotOurs { owner: Some(owner) } => format!("it belongs to {owner}"),
            Kept::Definitions => "it comes from crds/".to_owned(),
            Kept::Counting { due } => format!("it counts down until {due}"),
            Kept::Unreadable { field, value } => {
                let field = match field {
                    UnreadableField::Delay => "deletion delay",
                    UnreadableField::Stamp => "deletion timestamp",
                };
                format!("its {field} cannot be read: {value:?}")
            }
            Kept::OwnerNotReady => "its owner is not ready".to_owned(),
            Kept::Foreign { objects, count } => {
                let names: Vec<String> = objects.iter().map(ToString::to_string).collect();
                let more = count - objects.len();
                let more = if more == 0 { String::new() } else { format!(" and {more} more") };
                format!("it holds what is not ours: {}{more}", names.join(", "))
            }
            Kept::Holds { object } => format!("{} stays and needs it", self.object(*object).id),
        }
    }

    fn names<T>(&self, with: impl FnOnce(&Names<'_>) -> T) -> T {
        let object = |object: ObjectIndex| {
            let planned = self.object(object);
            (&planned.id, &planned.place)
        };
        with(&Names { object: &object, sequencing: &self.sequencing })
    }
}
