//! From edges between steps to edges between groups.

use std::collections::HashMap;

use super::super::view::{Cause, Group, GroupKind};
use super::{Arc, Fold};
use crate::output::{Barrier, Edge, Origin, Step, StepKind};
use crate::{OriginIndex, StepIndex};

/// Where a barrier leads.
struct Leaving {
    /// To how many groups and barriers.
    count: usize,
    /// To which group and why, if to one alone.
    only: Option<(u32, OriginIndex)>,
}

impl Fold<'_> {
    /// The edges between groups. Barriers are passed through, unless that would make many edges of few.
    pub(super) fn edges(&mut self) -> Vec<Arc> {
        let leaving = self.leaving();
        // What stands before each barrier that is passed through.
        let mut before: HashMap<u32, Vec<(u32, OriginIndex)>> = HashMap::new();
        let mut edges: Vec<Arc> = Vec::new();
        for (number, step) in self.plan.numbered() {
            let (mut sources, mut around) = (Vec::new(), Vec::new());
            for edge in self.plan.predecessors(number) {
                // The way from the begin of something to its end counts only if there is nothing in it.
                let goes_around = closes(self.plan.step(edge.from).kind, step.kind);
                let sources = if goes_around { &mut around } else { &mut sources };
                if let Some(group) = self.of_step[edge.from.at()] {
                    sources.push((group, edge.origin));
                } else {
                    let passed = before.get(&edge.from.0).into_iter().flatten();
                    let joined = passed.map(|(group, origin)| (*group, self.joined(*origin, edge.origin)));
                    sources.extend(joined);
                }
            }
            if sources.is_empty() {
                sources = around;
            }
            self.best(&mut sources);
            let target = match (self.of_step[number.at()], step.kind) {
                (Some(group), _) => group,
                (None, StepKind::Barrier { .. }) => match leaving.get(&number.0) {
                    None => continue,
                    // Told once here, not once for each of the steps behind it.
                    Some(Leaving { only: Some((group, out)), .. }) => {
                        for (_, origin) in &mut sources {
                            *origin = self.joined(*origin, *out);
                        }
                        *group
                    }
                    Some(Leaving { count, .. }) if is_cheap(sources.len(), *count) => {
                        before.insert(number.0, sources);
                        continue;
                    }
                    Some(_) => self.meeting(number, step),
                },
                (None, _) => continue,
            };
            let others = sources.into_iter().filter(|(source, _)| *source != target);
            edges.extend(others.map(|(source, origin)| (target, source, origin)));
        }
        // The best cause of each first, and of equals the earliest.
        edges.sort_by_key(|(to, from, origin)| (*to, *from, std::cmp::Reverse(self.weight(*origin))));
        edges.dedup_by_key(|(to, from, _)| (*to, *from));
        edges
    }

    /// A barrier that stays one.
    fn meeting(&mut self, number: StepIndex, step: &Step) -> u32 {
        let group = self.groups.len() as u32;
        self.of_step[number.at()] = Some(group);
        self.groups.push((
            number.0,
            Group {
                kind: GroupKind::Meeting,
                title: self.meeting_title(step),
                chart: None,
                layer: None,
                rank: None,
                wave: step.wave + 1,
                after: Vec::new(),
                steps: Vec::new(),
            },
        ));
        group
    }

    /// What a barrier is called by those who wait for it.
    fn meeting_title(&self, step: &Step) -> String {
        let subject = self.plan.describe_step(step);
        let StepKind::Barrier { at } = step.kind else { return subject };
        match at {
            Barrier::ChartBegin(_)
            | Barrier::OwnBegin(_)
            | Barrier::LayerBegin(_)
            | Barrier::RestBegin(_)
            | Barrier::ChartFree(_)
            | Barrier::OwnFree(_)
            | Barrier::LayerFree(_) => format!("what comes before {subject}"),
            _ => subject,
        }
    }

    /// Where each barrier leads that leads anywhere.
    fn leaving(&self) -> HashMap<u32, Leaving> {
        let target = |edge: &Edge| match self.of_step[edge.to.at()] {
            Some(group) => (true, group),
            None => (false, edge.to.0),
        };
        let barriers = self.plan.edges.iter().filter(|edge| self.of_step[edge.from.at()].is_none());
        let mut pairs: Vec<(u32, (bool, u32), OriginIndex)> =
            barriers.map(|edge| (edge.from.0, target(edge), edge.origin)).collect();
        pairs.sort_by_key(|(from, to, origin)| (*from, *to, std::cmp::Reverse(self.weight(*origin))));
        pairs.dedup_by_key(|(from, to, _)| (*from, *to));
        let of_one = pairs.chunk_by(|one, other| one.0 == other.0);
        of_one
            .map(|targets| {
                let only = match targets {
                    [(_, (true, group), origin)] => Some((*group, *origin)),
                    _ => None,
                };
                (targets[0].0, Leaving { count: targets.len(), only })
            })
            .collect()
    }

    /// Leaves one of each group, that with the best cause.
    fn best(&self, sources: &mut Vec<(u32, OriginIndex)>) {
        sources.sort_by_key(|(group, origin)| (*group, std::cmp::Reverse(self.weight(*origin)), origin.0));
        sources.dedup_by_key(|(group, _)| *group);
    }

    /// The cause of a way through a barrier: the nearest that tells something.
    pub(super) fn joined(&self, to_barrier: OriginIndex, from_barrier: OriginIndex) -> OriginIndex {
        if self.weight(from_barrier) > 0 { from_barrier } else { to_barrier }
    }

    pub(super) fn better(&self, one: OriginIndex, other: OriginIndex) -> OriginIndex {
        if self.weight(other) > self.weight(one) { other } else { one }
    }

    /// How much an origin tells.
    pub(super) fn weight(&self, origin: OriginIndex) -> u8 {
        match self.plan.origin(origin) {
            origin if origin.is_declared() => 6,
            origin if origin.is_physical() => 5,
            Origin::Needs { .. } | Origin::Finalizer { .. } | Origin::Terminating => 4,
            Origin::Rank { .. } | Origin::Unlayered { .. } | Origin::Definitions | Origin::Hook => 3,
            Origin::NewBeforeOld => 2,
            Origin::Kinds => 1,
            _ => 0,
        }
    }

    pub(super) fn cause(&self, origin: OriginIndex) -> Cause {
        match self.weight(origin) {
            6 => Cause::Declared,
            5 => Cause::Physical,
            4 => Cause::Inferred,
            _ => Cause::Default,
        }
    }
}

/// Whether leading edges past a meeting makes few of few.
pub(super) fn is_cheap(entering: usize, leaving: usize) -> bool {
    entering <= 1 || leaving <= 1 || entering * leaving <= 12
}

/// Whether these are the begin and the end of one thing.
fn closes(from: StepKind, to: StepKind) -> bool {
    let (StepKind::Barrier { at: from }, StepKind::Barrier { at: to }) = (from, to) else { return false };
    match (from, to) {
        (Barrier::ChartBegin(one), Barrier::ChartEnd(other))
        | (Barrier::OwnBegin(one), Barrier::OwnEnd(other))
        | (Barrier::ChartFree(one), Barrier::ChartGone(other))
        | (Barrier::OwnFree(one), Barrier::OwnGone(other)) => one == other,
        (Barrier::LayerBegin(one), Barrier::LayerEnd(other))
        | (Barrier::LayerFree(one), Barrier::LayerGone(other)) => one == other,
        _ => false,
    }
}
