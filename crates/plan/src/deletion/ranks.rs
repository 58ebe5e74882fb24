//! Deletion ranks in effect, and the steps that wait between them.

use std::collections::BTreeMap;

use super::{Deleting, Nodes, kind, position};
use crate::ObjectIndex;
use crate::draft::{Draft, Part, Priority};
use crate::error::{PlanError, PlanErrors};
use crate::graph::{Adjacency, Arc, any_order, shortest_path};
use crate::input::Rank;
use crate::output::{Origin, RankBy, Reason, StepKind};

/// The rank of a step in effect, and the step it comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effective {
    rank: Rank,
    from: u32,
}

/// No object after it has a rank.
const NONE: Rank = Rank(i32::MAX);

/// The own ranks of the objects that go.
pub(super) struct Ranks {
    own: Vec<Own>,
}

struct Own {
    number: usize,
    node: u32,
    rank: Rank,
    by: RankBy,
}

impl Own {
    /// Whether somebody gave it its rank.
    fn is_ruled(&self) -> bool {
        matches!(self.by, RankBy::Rule(_) | RankBy::Annotation)
    }
}

impl Ranks {
    pub(super) fn new(deleting: &Deleting<'_>, nodes: &[Option<Nodes>]) -> Self {
        let own = |number: usize| {
            let entry = &deleting.entries()[number];
            let (rank, by) = match (entry.own_rank, deleting.policy.rules.for_object(&entry.id)) {
                (Some(rank), _) => (rank, RankBy::Annotation),
                (None, Some((rule, rank))) => (rank, RankBy::Rule(rule as u32)),
                (None, None) => (entry.rank, RankBy::Default),
            };
            nodes[number].map(|node| Own { number, node: node.act, rank, by })
        };
        Self { own: (0..nodes.len()).filter_map(own).collect() }
    }

    /// For each step the lowest rank of its object and of all that must go after it.
    pub(super) fn effective(&self, steps: usize, arcs: &[Arc]) -> Vec<Effective> {
        let mut effective = vec![Effective { rank: NONE, from: 0 }; steps];
        for own in &self.own {
            effective[own.node as usize] = Effective { rank: own.rank, from: own.node };
        }
        let outgoing = Adjacency::outgoing(steps, arcs);
        for node in any_order(arcs, &outgoing).iter().rev() {
            for edge in outgoing.of(*node) {
                let after = effective[arcs[*edge as usize].to as usize];
                if after.rank < effective[*node as usize].rank {
                    effective[*node as usize] = after;
                }
            }
        }
        effective
    }

    /// A rule contradicts only where what must be forces its object's rank lower.
    pub(super) fn check(
        &self,
        deleting: &Deleting<'_>,
        draft: &Draft,
        arcs: &[Arc],
        effective: &[Effective],
    ) -> Result<(), PlanErrors> {
        let mut errors = Vec::new();
        let mut outgoing = None;
        for own in self.own.iter().filter(|own| own.is_ruled()) {
            let forced = effective[own.node as usize];
            if forced.rank >= own.rank {
                continue;
            }
            let outgoing = outgoing.get_or_insert_with(|| Adjacency::outgoing(draft.steps.len(), arcs));
            let path = shortest_path(arcs, outgoing, own.node, forced.from).unwrap_or_default();
            errors.push(PlanError::RankContradiction {
                object: deleting.entries()[own.number].id.clone(),
                rank: own.rank,
                effective: forced.rank,
                path: deleting.names(|names| names.links(&path, arcs, &draft.origins, kind(draft))),
            });
        }
        if errors.is_empty() { Ok(()) } else { Err(PlanErrors(errors)) }
    }

    /// Which edges, added to these, would not force the rank of a rule lower.
    pub(super) fn allowed<'b>(
        &self,
        steps: usize,
        arcs: &[Arc],
        effective: &'b [Effective],
    ) -> impl Fn(&Arc) -> bool + use<'b> {
        let mut highest = vec![Rank(i32::MIN); steps];
        for own in self.own.iter().filter(|own| own.is_ruled()) {
            highest[own.node as usize] = own.rank;
        }
        let outgoing = Adjacency::outgoing(steps, arcs);
        for node in any_order(arcs, &outgoing) {
            for edge in outgoing.of(node) {
                let to = arcs[*edge as usize].to as usize;
                highest[to] = highest[to].max(highest[node as usize]);
            }
        }
        move |arc| highest[arc.from as usize] <= effective[arc.to as usize].rank
    }

    /// Whether an object does not have the rank that somebody gave it.
    pub(super) fn violated(&self, effective: &[Effective]) -> bool {
        self.own.iter().any(|own| own.is_ruled() && effective[own.node as usize].rank < own.rank)
    }

    /// Adds the waits between ranks, and gives each step its reason and place.
    pub(super) fn draft(
        &self,
        deleting: &Deleting<'_>,
        draft: &mut Draft,
        nodes: &[Option<Nodes>],
        effective: &[Effective],
        end: u32,
    ) -> Vec<Option<Rank>> {
        let mut groups: BTreeMap<Rank, Vec<usize>> = BTreeMap::new();
        let mut in_effect = vec![None; nodes.len()];
        for own in &self.own {
            let forced = effective[own.node as usize];
            groups.entry(forced.rank).or_default().push(own.number);
            in_effect[own.number] = Some(forced.rank);
        }
        let Some(lowest) = groups.keys().next().copied() else { return in_effect };
        for rule in deleting.policy.rules.iter().filter(|rule| rule.waits_at_most().is_some()) {
            // A rule about a rank without objects of its own is about all that is left of lower ones.
            if rule.rank >= lowest {
                groups.entry(rule.rank).or_default();
            }
        }
        self.explain(deleting, draft, nodes, effective, &groups);
        let last = groups.keys().next_back().copied();
        let mut gate: Option<(u32, Rank)> = None;
        for (group, (rank, members)) in groups.into_iter().enumerate() {
            if let Some((gate, before)) = gate {
                let origin = draft.shared(Origin::Rank { rank: before });
                for number in &members {
                    let Some(node) = nodes[*number] else { continue };
                    if !is_await(draft, node.act) {
                        draft.edge(gate, node.act, origin);
                    }
                }
            }
            let is_last = Some(rank) == last;
            let group = Group { rank, members: &members, number: group as u32 + 1, is_last };
            gate = Self::gate(deleting, draft, nodes, &group, gate).map(|step| (step, rank));
        }
        if let Some((gate, _)) = gate {
            let member = draft.shared(Origin::Member);
            draft.edge(gate, end, member);
        }
        in_effect
    }

    fn explain(
        &self,
        deleting: &Deleting<'_>,
        draft: &mut Draft,
        nodes: &[Option<Nodes>],
        effective: &[Effective],
        groups: &BTreeMap<Rank, Vec<usize>>,
    ) {
        let number_of: BTreeMap<Rank, u32> =
            groups.keys().enumerate().map(|(number, rank)| (*rank, number as u32 + 1)).collect();
        for own in &self.own {
            let forced = effective[own.node as usize];
            let by = if forced.rank < own.rank {
                let object = draft.steps[forced.from as usize].0.object();
                object.map_or(own.by, |object: ObjectIndex| RankBy::Before(object))
            } else {
                own.by
            };
            let Some(node) = nodes[own.number] else { continue };
            let entry = &deleting.entries()[own.number];
            for (step, part) in [(node.gone, Part::Wait), (node.act, Part::Act)] {
                let (_, reason, priority) = &mut draft.steps[step as usize];
                *reason = Reason::Ranked { rank: forced.rank, by };
                *priority = Priority::new(number_of[&forced.rank], part, position(entry), own.number as u32);
            }
        }
    }

    /// What the next rank waits for: this rank, and what its rule does to what is left.
    fn gate(
        deleting: &Deleting<'_>,
        draft: &mut Draft,
        nodes: &[Option<Nodes>],
        group: &Group<'_>,
        before: Option<(u32, Rank)>,
    ) -> Option<u32> {
        let rank = group.rank;
        let rule = deleting.policy.rules.for_rank(rank);
        let at_most = rule.and_then(|(_, rule)| rule.waits_at_most());
        if group.is_last && at_most.is_none() {
            return None;
        }
        let priority = Priority::new(group.number, Part::End, 0, 0);
        let by = rule.map_or(RankBy::Default, |(number, _)| RankBy::Rule(number as u32));
        let reason = Reason::Ranked { rank, by };
        let origin = draft.shared(Origin::Rank { rank });
        let mut gate = draft.step(StepKind::AwaitRank { rank, at_most }, reason, priority);
        if let Some((before, _)) = before {
            draft.edge(before, gate, origin);
        }
        for number in group.members {
            let Some(node) = nodes[*number] else { continue };
            if at_most.is_none() {
                draft.edge(node.gone, gate, origin);
            } else if !is_await(draft, node.act) {
                draft.edge(node.act, gate, origin);
            }
        }
        if let Some((number, force)) = rule.and_then(|(number, rule)| Some((number, rule.force?))) {
            let forced = Reason::Forced { rule: number as u32 };
            let strip = draft.step(StepKind::StripFinalizers { up_to: rank }, forced.clone(), priority);
            draft.edge(gate, strip, origin);
            let kind = StepKind::AwaitRank { rank, at_most: Some(force.timeout) };
            gate = draft.step(kind, forced, priority);
            draft.edge(strip, gate, origin);
        }
        Some(gate)
    }
}

struct Group<'a> {
    rank: Rank,
    members: &'a [usize],
    number: u32,
    is_last: bool,
}

/// Whether a step only awaits what somebody else deletes.
fn is_await(draft: &Draft, step: u32) -> bool {
    matches!(draft.steps[step as usize].0, StepKind::AwaitGone { .. })
}
