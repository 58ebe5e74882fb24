//! Folds the steps of a plan into groups, and its edges into edges between them.

mod edges;
mod thin;

use std::collections::HashMap;

use objects::GoDuration;

use super::view::{Group, GroupKind, Row, Verb};
use crate::input::{HookEvent, Rank, display_path};
use crate::output::{Change, Gate, Phase, Plan, Reason, Step, StepKind, Within};
use crate::{ChartIndex, LayerIndex, ObjectIndex, OriginIndex, StepIndex};

/// What steps have in common that stand in one group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Definitions,
    Hooks(HookEvent),
    Layer(LayerIndex),
    Rest(ChartIndex),
    Moved(ChartIndex, Option<LayerIndex>),
    Kinds,
    Phase(Phase),
    Gone(Option<ChartIndex>, Option<LayerIndex>, Option<Rank>, bool),
    /// The end of a rank, waited for or forced.
    Rank(Rank, bool),
    Kept,
}

/// The groups of a plan, in an order in which they may be done.
pub(super) fn groups(plan: &Plan) -> Vec<Group> {
    let mut fold = Fold {
        plan,
        numbers: HashMap::new(),
        user_of: plan.steps.iter().filter_map(moved).collect(),
        groups: Vec::new(),
        of_step: vec![None; plan.steps.len()],
        of_object: vec![None; plan.objects.len()],
    };
    fold.place();
    let edges = fold.edges();
    fold.finish(edges)
}

struct Fold<'a> {
    plan: &'a Plan,
    numbers: HashMap<(Key, u32), u32>,
    /// For whom each moved object was moved.
    user_of: HashMap<ObjectIndex, ObjectIndex>,
    /// Each with the first of its steps.
    groups: Vec<(u32, Group)>,
    of_step: Vec<Option<u32>>,
    /// The group and row of what is done with each object.
    of_object: Vec<Option<(u32, u32)>>,
}

/// The later group, the earlier one, and why.
type Arc = (u32, u32, OriginIndex);

impl Fold<'_> {
    /// Puts each step that does something into its group, and each wait where its object is.
    fn place(&mut self) {
        for (number, step) in self.plan.numbered() {
            let Some(key) = self.key(step) else { continue };
            let group = self.group(key, step.wave, number);
            let row = self.row(step);
            let rows = &mut self.groups[group as usize].1.steps;
            rows.push(row);
            if let Some(object) = step.kind.object()
                && !matches!(step.kind, StepKind::Restore { .. })
            {
                self.of_object[object.at()] = Some((group, rows.len() as u32 - 1));
            }
            self.of_step[number.at()] = Some(group);
        }
        for (number, step) in self.plan.numbered() {
            let (until, at_most) = match step.kind {
                StepKind::AwaitReady { gate, within, .. } => {
                    let until = if gate == Gate::Complete { "complete" } else { "ready" };
                    let own = match within {
                        Within::Operation => None,
                        Within::Own(span) => Some(GoDuration::from(span)),
                    };
                    (until, own)
                }
                StepKind::AwaitEstablished { .. } => ("established", None),
                StepKind::AwaitGone { .. } => ("gone", None),
                _ => continue,
            };
            let Some(object) = step.kind.object() else { continue };
            let Some((group, row)) = self.of_object[object.at()] else { continue };
            self.of_step[number.at()] = Some(group);
            let row = &mut self.groups[group as usize].1.steps[row as usize];
            // What must be gone before something is created is no property of what is created.
            if step.reason != Reason::Terminating {
                (row.until, row.at_most) = (Some(until), at_most);
            }
        }
    }

    fn key(&self, step: &Step) -> Option<Key> {
        let object = step.kind.object().map(|object| self.plan.object(object));
        Some(match step.kind {
            StepKind::Barrier { .. }
            | StepKind::AwaitReady { .. }
            | StepKind::AwaitEstablished { .. }
            | StepKind::AwaitGone { .. } => return None,
            StepKind::RunHook { event, .. } => Key::Hooks(event),
            StepKind::AwaitRank { rank, .. } | StepKind::StripFinalizers { up_to: rank } => {
                Key::Rank(rank, matches!(step.reason, Reason::Forced { .. }))
            }
            StepKind::Keep { .. } | StepKind::Forget { .. } => Key::Kept,
            StepKind::Delete { .. } | StepKind::Stamp { .. } => {
                let entry = self.plan.intent.entries.get(step.kind.object()?.at())?;
                let sequenced = self.plan.intent.sequencing.is_some();
                let chart = entry.chart.filter(|_| sequenced);
                Key::Gone(
                    chart,
                    entry.layer.filter(|_| sequenced),
                    object?.rank,
                    sequenced && entry.moved.is_some(),
                )
            }
            StepKind::Apply { .. } | StepKind::Unchanged { .. } | StepKind::Restore { .. } => {
                match &step.reason {
                    Reason::Definitions => Key::Definitions,
                    Reason::Layer(layer) | Reason::Nameless(layer) => Key::Layer(*layer),
                    Reason::Unlayered(chart) => Key::Rest(*chart),
                    Reason::Hoisted { user, .. } => {
                        let user = self.plan.object(self.last_user(*user));
                        Key::Moved(user.chart, user.layer)
                    }
                    Reason::Phase(phase) => Key::Phase(*phase),
                    Reason::WantedAgain if self.plan.sequenced => {
                        let object = object?;
                        object.layer.map_or(Key::Rest(object.chart), Key::Layer)
                    }
                    _ => Key::Kinds,
                }
            }
        })
    }

    /// Whom a moved object serves in the end: its user may have been moved for another.
    fn last_user(&self, user: ObjectIndex) -> ObjectIndex {
        let (mut user, mut left) = (user, self.user_of.len());
        while let Some(next) = self.user_of.get(&user).filter(|_| left > 0) {
            (user, left) = (*next, left - 1);
        }
        user
    }

    fn group(&mut self, key: Key, wave: u32, first: StepIndex) -> u32 {
        let next = self.groups.len() as u32;
        let number = *self.numbers.entry((key, wave)).or_insert(next);
        if number == next {
            let group = self.describe(key, wave);
            self.groups.push((first.0, group));
        }
        number
    }

    fn describe(&self, key: Key, wave: u32) -> Group {
        let chart_name = |chart: ChartIndex| display_path(self.plan.chart_path(chart));
        let layer_title = |layer: LayerIndex| {
            let chart = self.plan.sequencing.layers.get(layer.at()).map(|layer| chart_name(layer.chart));
            match self.plan.layer_name(layer) {
                Some(name) => format!("layer {name} of {}", chart.unwrap_or_default()),
                None => format!("a layer without a name of {}", chart.unwrap_or_default()),
            }
        };
        let (mut chart, mut layer, mut rank) = (None, None, None);
        let (kind, title) = match key {
            Key::Definitions => (GroupKind::Definitions, "definitions in crds/".to_owned()),
            Key::Hooks(event) => (GroupKind::Hooks, format!("{event} hooks")),
            Key::Layer(of) => {
                layer = Some(of);
                (GroupKind::Layer, layer_title(of))
            }
            Key::Rest(of) => {
                chart = Some(of);
                (GroupKind::Rest, format!("objects without a layer of {}", chart_name(of)))
            }
            Key::Moved(of, before) => {
                (chart, layer) = (Some(of), before);
                let user = before.map_or_else(|| format!("objects of {}", chart_name(of)), layer_title);
                (GroupKind::Moved, format!("needed by {user}"))
            }
            Key::Kinds => (GroupKind::Everything, "everything, in the order of kinds".to_owned()),
            Key::Phase(phase) => {
                let title = match phase {
                    Phase::Definitions => "definitions",
                    Phase::Cluster => "objects of the whole cluster",
                    Phase::Namespaced => "objects in namespaces",
                };
                (GroupKind::Everything, title.to_owned())
            }
            Key::Gone(of_chart, of, of_rank, moved) => {
                (chart, layer, rank) = (of_chart, of, of_rank);
                let place = match (of, of_chart) {
                    (Some(layer), _) => layer_title(layer),
                    (None, Some(chart)) if moved => {
                        format!("objects that others needed of {}", chart_name(chart))
                    }
                    (None, Some(chart)) => format!("objects without a layer of {}", chart_name(chart)),
                    (None, None) => String::new(),
                };
                let rank = of_rank.map(|rank| match rank.description() {
                    Some(description) if place.is_empty() => format!("rank {rank}: {description}"),
                    _ => format!("rank {rank}"),
                });
                let title = [Some(place).filter(|place| !place.is_empty()), rank];
                (GroupKind::Deletion, title.into_iter().flatten().collect::<Vec<_>>().join(", "))
            }
            Key::Rank(of, forced) => {
                rank = Some(of);
                let how = if forced { "forced end" } else { "end" };
                (GroupKind::Rank, format!("{how} of rank {of}"))
            }
            Key::Kept => (GroupKind::Kept, "left where it is".to_owned()),
        };
        if let Some(stored) = layer.and_then(|layer| self.plan.sequencing.layers.get(layer.at())) {
            chart = Some(stored.chart);
        }
        Group {
            kind,
            title,
            chart: chart.map(chart_name).filter(|chart| !chart.is_empty()),
            layer: layer.and_then(|layer| self.plan.layer_name(layer)).map(str::to_owned),
            rank,
            wave: wave + 1,
            after: Vec::new(),
            steps: Vec::new(),
        }
    }

    fn row(&self, step: &Step) -> Row {
        let verb = match step.kind {
            StepKind::Apply { change, .. } => match change {
                Change::Create => Verb::Create,
                Change::CreateIfAbsent => Verb::CreateIfAbsent,
                Change::Update => Verb::Update,
                Change::Adopt => Verb::Adopt,
            },
            StepKind::Unchanged { .. } => Verb::Leave,
            StepKind::RunHook { .. } => Verb::Run,
            StepKind::Restore { .. } => Verb::Restore,
            StepKind::Stamp { .. } => Verb::CountDown,
            StepKind::Delete { .. } => Verb::Delete,
            StepKind::StripFinalizers { .. } => Verb::RemoveFinalizers,
            StepKind::Keep { .. } => Verb::Keep,
            StepKind::Forget { .. } => Verb::Forget,
            _ => Verb::Wait,
        };
        let mut why = self.plan.describe_reason(&step.reason);
        let (mut until, mut at_most) = (None, None);
        let (object, place) = match step.kind {
            StepKind::RunHook { hook, .. } => match self.plan.hooks.get(hook.at()) {
                Some(hook) => (Some(hook.id.clone()), Some(hook.place.clone())),
                None => (None, None),
            },
            StepKind::AwaitRank { rank, at_most: span } => {
                (until, at_most) = (Some("gone"), span.map(GoDuration::from));
                why = format!("rank {rank}");
                (None, None)
            }
            StepKind::StripFinalizers { .. } => {
                why = format!("{}: {why}", self.plan.describe_step(step));
                (None, None)
            }
            StepKind::Stamp { due: Some(due), .. } => {
                why = format!("until {due}");
                self.whose(step)
            }
            _ => self.whose(step),
        };
        Row { verb, object, until, at_most, why, place }
    }

    fn whose(&self, step: &Step) -> (Option<objects::ObjectId>, Option<crate::input::Place>) {
        let Some(object) = step.kind.object() else { return (None, None) };
        let object = self.plan.object(object);
        (Some(object.id.clone()), Some(object.place.clone()).filter(|place| !place.template.is_empty()))
    }
}

/// What a step moves, and for whom.
fn moved(step: &Step) -> Option<(ObjectIndex, ObjectIndex)> {
    match step.reason {
        Reason::Hoisted { user, .. } => Some((step.kind.object()?, user)),
        _ => None,
    }
}
