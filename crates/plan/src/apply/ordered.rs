//! Applying in the declared order: layers inside of charts, charts inside of charts.

use super::blame::{Blame, blame, contradiction};
use super::hoist::Hoists;
use super::{Applying, Nodes, barrier, batches};
use crate::draft::{Draft, Part, Priority};
use crate::error::{PlanError, PlanErrors};
use crate::input::Need;
use crate::output::{Barrier, Note, Origin, Reason, StepKind};
use crate::{ChartIndex, LayerIndex, ObjectIndex};

pub(super) fn draft(
    applying: &Applying<'_>,
    draft: &mut Draft,
    start: u32,
    end: u32,
    notes: &mut Vec<Note>,
) -> Result<Nodes, PlanErrors> {
    let mark = (draft.steps.len(), draft.arcs.len());
    let mut dropped: Vec<(u32, u32)> = Vec::new();
    let mut freed = vec![false; applying.members.len()];
    let mut kinds = true;
    loop {
        let hoists = Hoists::find(
            applying.members,
            applying.sequence,
            applying.lookup,
            applying.policy.hoist,
            &dropped,
        );
        let certain = hoists.certain();
        let mut placed = Builder::new(applying, draft, hoists, &freed, start, end).build(kinds)?;
        let outgoing = draft.outgoing();
        if let Some(order) = draft.order(&outgoing) {
            applying.settle(draft, &order, &outgoing);
            explain_hoists(draft, &mut placed, &order);
            notes.extend(dropped.iter().map(|(object, user)| Note::HoistDropped {
                object: applying.members[*object as usize].id.clone(),
                user: applying.members[*user as usize].id.clone(),
            }));
            return Ok(placed);
        }
        match blame(draft, |object| certain[object as usize] && !freed[object as usize]) {
            Blame::Declared => return Err(contradiction(applying, draft).into()),
            Blame::Places(objects) => objects.into_iter().for_each(|object| freed[object as usize] = true),
            Blame::Hoists(hoists) => {
                dropped.extend(hoists);
                dropped.sort_unstable();
            }
            Blame::Kinds => kinds = false,
        }
        draft.steps.truncate(mark.0);
        draft.arcs.truncate(mark.1);
    }
}

struct Builder<'a, 'b> {
    applying: &'a Applying<'a>,
    draft: &'b mut Draft,
    hoists: Hoists,
    /// For each member, whether it no longer has a place in its chart's order.
    freed: &'a [bool],
    start: u32,
    end: u32,
    member: u32,
    /// The group of each layer, and of each chart's rest: a number that keeps their steps together.
    layer_group: Vec<u32>,
    rest_group: Vec<u32>,
}

impl<'a, 'b> Builder<'a, 'b> {
    fn new(
        applying: &'a Applying<'a>,
        draft: &'b mut Draft,
        hoists: Hoists,
        freed: &'a [bool],
        start: u32,
        end: u32,
    ) -> Self {
        let layers = &applying.sequence.sequencing.layers;
        let charts = applying.charts().len();
        let mut by_chart: Vec<Vec<usize>> = vec![Vec::new(); charts];
        for (number, layer) in layers.iter().enumerate() {
            by_chart[layer.chart.at()].push(number);
        }
        let (mut layer_group, mut rest_group) = (vec![0; layers.len()], vec![0; charts]);
        let mut group = 0;
        for (chart, layers) in by_chart.iter().enumerate() {
            for layer in layers {
                layer_group[*layer] = group;
                group += 1;
            }
            rest_group[chart] = group;
            group += 1;
        }
        let member = draft.shared(Origin::Member);
        Self { applying, draft, hoists, freed, start, end, member, layer_group, rest_group }
    }

    fn build(mut self, kinds: bool) -> Result<Nodes, PlanErrors> {
        let nodes = self.members()?;
        let own = self.charts();
        self.layers(&nodes, &own, kinds);
        self.hoisted(&nodes, &own);
        self.applying.physical(self.draft, &nodes);
        Ok(nodes)
    }

    /// Apply and await steps of all members.
    fn members(&mut self) -> Result<Nodes, PlanErrors> {
        let applying = self.applying;
        let mut first_user: Vec<Option<(u32, Need)>> = vec![None; applying.members.len()];
        for hoist in &self.hoists.hoists {
            first_user[hoist.object as usize].get_or_insert((hoist.user, hoist.need));
        }
        let mut errors: Vec<PlanError> = Vec::new();
        let mut apply = Vec::with_capacity(applying.members.len());
        let mut priorities = Vec::with_capacity(applying.members.len());
        for (number, member) in applying.members.iter().enumerate() {
            let (group, part, reason) = match (applying.sequence.layer_of[number], first_user[number]) {
                (Some(layer), _) => {
                    let nameless = applying.sequence.sequencing.layers[layer.at()].name.is_none();
                    let reason = if nameless { Reason::Nameless(layer) } else { Reason::Layer(layer) };
                    (self.layer_group[layer.at()], Part::Act, reason)
                }
                (None, Some((user, need))) => {
                    let group = match applying.sequence.layer_of[user as usize] {
                        Some(layer) => self.layer_group[layer.at()],
                        None => self.rest_group[applying.members[user as usize].chart.at()],
                    };
                    (group, Part::Before, Reason::Hoisted { user: ObjectIndex(user), need })
                }
                (None, None) => {
                    (self.rest_group[member.chart.at()], Part::Act, Reason::Unlayered(member.chart))
                }
            };
            let kind = batches::position(&member.id);
            let number = number as u32;
            let priority = Priority::new(group, part, kind, number);
            match applying.apply_step(self.draft, number, reason, priority, self.start) {
                Ok(step) => apply.push(step),
                Err(error) => {
                    errors.push(*error);
                    apply.push(self.start);
                }
            }
            priorities.push(Priority::new(group, Part::Wait, kind, number));
        }
        if !errors.is_empty() {
            return Err(PlanErrors(errors));
        }
        let established = applying.established(self.draft, &apply, false);
        let mut ready = Vec::with_capacity(apply.len());
        for (number, priority) in priorities.iter().enumerate() {
            ready.push(applying.await_step(self.draft, number as u32, apply[number], *priority));
        }
        let hoists = self.hoists.hoists.clone();
        Ok(Nodes { apply, ready, established, hoists, freed: self.freed.to_vec() })
    }

    /// Begins and ends of charts, and the declared edges between them.
    fn charts(&mut self) -> Own {
        let charts = self.applying.charts();
        let mut at = |barrier_at: fn(ChartIndex) -> Barrier, part: Part| -> Vec<u32> {
            (0..charts.len())
                .map(|chart| {
                    barrier(self.draft, barrier_at(ChartIndex::from(chart)), self.rest_group[chart], part)
                })
                .collect()
        };
        let chart_begin = at(Barrier::ChartBegin, Part::Begin);
        let chart_end = at(Barrier::ChartEnd, Part::End);
        let own = Own { begin: at(Barrier::OwnBegin, Part::Begin), end: at(Barrier::OwnEnd, Part::End) };
        let member = self.member;
        for (number, chart) in charts.iter().enumerate() {
            let (begin, end) = (chart_begin[number], chart_end[number]);
            self.draft.edge(begin, own.begin[number], member);
            self.draft.edge(own.end[number], end, member);
            // A chart without objects of its own still has a begin before its end.
            self.draft.edge(own.begin[number], own.end[number], member);
            let parent = chart.parent.map(ChartIndex::at);
            self.draft.edge(parent.map_or(self.start, |parent| chart_begin[parent]), begin, member);
            self.draft.edge(end, parent.map_or(self.end, |parent| chart_end[parent]), member);
            for (needed, line) in &chart.needs {
                let declared = Origin::Parent { chart: ChartIndex::from(number), line: *line };
                let origin = self.draft.origin(declared);
                self.draft.edge(chart_end[needed.at()], own.begin[number], origin);
            }
            for (needed, line) in &chart.after {
                let parent = chart.parent.unwrap_or_default();
                let origin = self.draft.origin(Origin::Sibling { chart: parent, line: *line });
                self.draft.edge(chart_end[needed.at()], begin, origin);
            }
        }
        own
    }

    /// Begins and ends of layers, the declared edges between them, and what has no layer after them.
    fn layers(&mut self, nodes: &Nodes, own: &Own, kinds: bool) {
        let layers = &self.applying.sequence.sequencing.layers;
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); layers.len()];
        let mut rest: Vec<Vec<u32>> = vec![Vec::new(); own.begin.len()];
        for (number, member) in self.applying.members.iter().enumerate() {
            match self.applying.sequence.layer_of[number] {
                Some(layer) => members[layer.at()].push(number as u32),
                None if !self.hoists.moved[number] => rest[member.chart.at()].push(number as u32),
                None => {}
            }
        }
        let rest_begin: Vec<Option<u32>> = rest
            .iter()
            .enumerate()
            .map(|(chart, rest)| {
                let at = Barrier::RestBegin(ChartIndex::from(chart));
                let group = self.rest_group[chart];
                (!rest.is_empty()).then(|| barrier(self.draft, at, group, Part::Begin))
            })
            .collect();
        let ends: Vec<(u32, u32)> = members
            .iter()
            .enumerate()
            .map(|(layer, members)| self.layer_ends(LayerIndex::from(layer), members, nodes))
            .collect();
        for (number, layer) in layers.iter().enumerate() {
            let (begin, end) = ends[number];
            let chart = layer.chart.at();
            self.draft.edge(own.begin[chart], begin, self.member);
            self.draft.edge(end, own.end[chart], self.member);
            if let Some(rest) = rest_begin[chart] {
                let origin = self.draft.shared(Origin::Unlayered { chart: layer.chart });
                self.draft.edge(end, rest, origin);
            }
            for need in &layer.needs {
                let declared = Origin::Layer { by: need.by, annotation: need.annotation, line: need.line };
                let origin = self.draft.origin(declared);
                self.draft.edge(ends[need.layer.at()].1, begin, origin);
            }
            if kinds {
                self.chain(self.layer_group[number], &mut members[number], nodes);
            }
        }
        for (chart, rest) in rest.iter_mut().enumerate() {
            let Some(begin) = rest_begin[chart] else { continue };
            self.draft.edge(own.begin[chart], begin, self.member);
            for number in rest.iter() {
                self.draft.edge(begin, nodes.apply[*number as usize], self.member);
                self.draft.edge(nodes.ready[*number as usize], own.end[chart], self.member);
            }
            if kinds {
                self.chain(self.rest_group[chart], rest, nodes);
            }
        }
    }

    /// Where a layer begins and ends. A nameless layer is its one object.
    fn layer_ends(&mut self, layer: LayerIndex, members: &[u32], nodes: &Nodes) -> (u32, u32) {
        if let [only] = members {
            let nameless = self.applying.sequence.sequencing.layers[layer.at()].name.is_none();
            if nameless {
                return (nodes.apply[*only as usize], nodes.ready[*only as usize]);
            }
        }
        let group = self.layer_group[layer.at()];
        let begin = barrier(self.draft, Barrier::LayerBegin(layer), group, Part::Begin);
        let end = barrier(self.draft, Barrier::LayerEnd(layer), group, Part::End);
        for number in members {
            self.draft.edge(begin, nodes.apply[*number as usize], self.member);
            self.draft.edge(nodes.ready[*number as usize], end, self.member);
        }
        (begin, end)
    }

    /// What moved out of the rest keeps only what is declared for its chart, and comes before its users. Where what its
    /// chart comes after cannot be without it, it keeps not even that.
    fn hoisted(&mut self, nodes: &Nodes, own: &Own) {
        for (number, member) in self.applying.members.iter().enumerate() {
            if self.hoists.moved[number] {
                let chart = member.chart.at();
                let begin = if self.freed[number] { self.start } else { own.begin[chart] };
                self.draft.edge(begin, nodes.apply[number], self.member);
                self.draft.edge(nodes.ready[number], own.end[chart], self.member);
            }
        }
        for hoist in &self.hoists.hoists {
            // Namespaces and definitions have edges of their own, in every mode.
            if !matches!(hoist.need, Need::Namespace | Need::Definition) {
                let origin = self.draft.shared(Origin::Needs { need: hoist.need });
                let (object, user) = (hoist.object as usize, hoist.user as usize);
                self.draft.edge(nodes.apply[object], nodes.apply[user], origin);
            }
        }
    }

    fn chain(&mut self, group: u32, members: &mut [u32], nodes: &Nodes) {
        let applying = self.applying;
        members.sort_by_key(|number| applying.batch(*number));
        applying.chain(self.draft, group, members, &nodes.apply);
    }
}

/// Begin and end of each chart's own objects.
struct Own {
    begin: Vec<u32>,
    end: Vec<u32>,
}

/// Gives each hoisted object its first user as the reason, in the order in which things happen.
fn explain_hoists(draft: &mut Draft, nodes: &mut Nodes, order: &[u32]) {
    let mut place = vec![0_u32; draft.steps.len()];
    for (number, node) in order.iter().enumerate() {
        place[*node as usize] = number as u32;
    }
    let at = |number: u32| place[nodes.apply[number as usize] as usize];
    nodes.hoists.sort_by_key(|hoist| (hoist.object, at(hoist.user)));
    for moves in nodes.hoists.chunk_by(|first, second| first.object == second.object) {
        let first = moves[0];
        let step = nodes.apply[first.object as usize] as usize;
        if matches!(draft.steps[step].0, StepKind::Apply { .. } | StepKind::Unchanged { .. }) {
            draft.steps[step].1 = Reason::Hoisted { user: ObjectIndex(first.user), need: first.need };
        }
    }
}
