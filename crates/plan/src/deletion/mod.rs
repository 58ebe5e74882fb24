//! The half of a plan that takes out what is not wanted.
//!
//! Three kinds of edges order deletions. *Physical* ones follow from how a cluster works, *declared* ones are layers
//! and subcharts in reverse; together they must be free of cycles. *Defaults* (ranks, what was hoisted, who removes
//! whose finalizer) give way to both.

mod declared;
mod fate;
mod finalizers;
mod holds;
mod ranks;

use objects::{KindOrder, kinds};

use crate::draft::{Draft, Part, Priority};
use crate::error::{PlanError, PlanErrors};
use crate::graph::{Arc, admit, shortest_cycle};
use crate::input::{Cascade, Entry, Grant, Inventory, Live, Policy, Rank, Sequencing};
use crate::output::{Barrier, Note, Origin, Reason, StepKind};
use crate::words::Names;
use crate::{LayerIndex, ObjectIndex};
pub(crate) use fate::{Fate, Judge};
use holds::Containers;

/// What deleting starts from.
pub(crate) struct Deleting<'a> {
    /// All objects of the plan as they will be stored; charts, layers and edges count those of the plan.
    pub(crate) all: &'a [Entry],
    /// How many of them are wanted. The others, which are not, follow.
    pub(crate) wanted: usize,
    /// What becomes of each that is not.
    pub(crate) fates: Vec<Fate>,
    containers: Containers<'a>,
    /// The charts and layers of the plan; those from these numbers on are the old revision's.
    pub(crate) sequencing: &'a Sequencing,
    pub(crate) old_charts: usize,
    pub(crate) old_layers: usize,
    pub(crate) accounts: &'a [Vec<Grant>],
    pub(crate) policy: &'a Policy,
    pub(crate) live: &'a Live,
    /// The namespace of the release, which goes last if it is a member.
    own_namespace: &'a str,
}

/// Where the steps of the objects that go are.
#[derive(Debug, Clone, Copy)]
struct Nodes {
    /// The step that deletes or stamps it; or only awaits it, if it is going already.
    act: u32,
    /// The step after which it counts as gone.
    gone: u32,
}

impl<'a> Deleting<'a> {
    /// Settles what becomes of each stored object that is not wanted.
    pub(crate) fn new(
        judge: &Judge<'a>,
        intent: &'a Inventory,
        wanted: usize,
        sequencing: &'a Sequencing,
        (old_charts, old_layers): (usize, usize),
    ) -> Self {
        let all = intent.entries.as_slice();
        let containers = Containers::new(&all[wanted..]);
        let mut fates: Vec<Fate> = all[wanted..].iter().map(|entry| judge.fate(entry)).collect();
        holds::propagate(all, wanted, &mut fates, &containers, judge.policy.delete_foreign);
        Self {
            all,
            wanted,
            fates,
            containers,
            sequencing,
            old_charts,
            old_layers,
            accounts: &intent.accounts,
            policy: judge.policy,
            live: judge.live,
            own_namespace: judge.own_namespace,
        }
    }

    /// The objects that are not wanted.
    fn entries(&self) -> &'a [Entry] {
        &self.all[self.wanted..]
    }

    /// The place of an object among those that are not wanted.
    fn place(&self, object: ObjectIndex) -> Option<usize> {
        object.at().checked_sub(self.wanted).filter(|place| *place < self.fates.len())
    }

    /// Adds all steps between `start` and `end`, and says which rank each object has in effect.
    pub(crate) fn draft(
        &self,
        draft: &mut Draft,
        start: u32,
        end: u32,
        notes: &mut Vec<Note>,
    ) -> Result<Vec<Option<Rank>>, PlanErrors> {
        let first_step = draft.steps.len();
        let placed: Vec<Option<Nodes>> =
            (0..self.fates.len()).map(|number| self.steps(draft, number, end)).collect();
        // The edges of this half alone, so that the other half costs nothing here.
        let first = draft.arcs.len();
        self.physical(draft, &placed);
        let rests = declared::draft(self, draft, &placed);
        let mut arcs: Vec<Arc> = draft.arcs.split_off(first);
        arcs.extend(placed.iter().flatten().filter(|node| node.act != node.gone).map(|node| {
            let origin = draft.shared(Origin::Own);
            Arc { from: node.act, to: node.gone, origin }
        }));
        if let Some(cycle) = shortest_cycle(draft.steps.len(), &arcs) {
            let path = self.names(|names| names.links(&cycle, &arcs, &draft.origins, kind(draft)));
            return Err(PlanError::Contradiction { path }.into());
        }
        let wishes = self.wishes(draft, &placed, rests);
        let ranks = ranks::Ranks::new(self, &placed);
        let hard = ranks.effective(draft.steps.len(), &arcs);
        ranks.check(self, draft, &arcs, &hard)?;
        let allowed = ranks.allowed(draft.steps.len(), &arcs, &hard);
        for class in [wishes.finalizers, wishes.needs, wishes.rests] {
            let (candidates, refused): (Vec<Arc>, Vec<Arc>) = class.into_iter().partition(|arc| allowed(arc));
            let admitted = admit(draft.steps.len(), &mut arcs, &candidates);
            let closing = candidates.iter().zip(admitted).filter(|(_, admitted)| !admitted);
            for arc in closing.map(|(arc, _)| arc).chain(&refused) {
                if let Origin::Finalizer { finalizer } = &draft.origins[arc.origin as usize] {
                    notes.push(self.deadlock(draft, &arcs, arc, finalizer));
                }
            }
        }
        let mut effective = ranks.effective(draft.steps.len(), &arcs);
        if ranks.violated(&effective) {
            arcs.retain(|arc| is_certain(&draft.origins[arc.origin as usize]));
            effective = ranks.effective(draft.steps.len(), &arcs);
        }
        draft.arcs.extend(arcs);
        let in_effect = ranks.draft(self, draft, &placed, &effective, end);
        Self::begin(draft, first_step, start);
        Ok(in_effect)
    }

    /// The steps of one object.
    fn steps(&self, draft: &mut Draft, number: usize, end: u32) -> Option<Nodes> {
        let entry = &self.entries()[number];
        let object = ObjectIndex::from(self.wanted + number);
        let last = Priority::new(0xff_ffff, Part::End, 0, number as u32);
        let placeholder = Reason::Structure;
        let (act, gone) = match &self.fates[number] {
            Fate::Keep(kept) => {
                draft.step(StepKind::Keep { object }, Reason::Kept(kept.clone()), last);
                return None;
            }
            Fate::Forget(why) => {
                draft.step(StepKind::Forget { object }, Reason::Forgotten(*why), last);
                return None;
            }
            Fate::Stamp { due } => {
                let act = draft.step(StepKind::Stamp { object, due: Some(*due) }, placeholder, last);
                (act, act)
            }
            Fate::Terminating => {
                let gone = draft.step(StepKind::AwaitGone { object }, placeholder, last);
                (gone, gone)
            }
            Fate::Delete { because, recheck } => {
                let cascade = self.policy.cascade.unwrap_or_else(|| cascade(entry));
                let kind = StepKind::Delete { object, because: *because, cascade, recheck: *recheck };
                let act = draft.step(kind, placeholder.clone(), last);
                let gone = draft.step(StepKind::AwaitGone { object }, placeholder, last);
                (act, gone)
            }
        };
        let member = draft.shared(Origin::Member);
        draft.edge(gone, end, member);
        Some(Nodes { act, gone })
    }

    /// Edges that nothing may skip.
    fn physical(&self, draft: &mut Draft, nodes: &[Option<Nodes>]) {
        let namespace = draft.shared(Origin::Namespace);
        let definition = draft.shared(Origin::Definition);
        let backend = draft.shared(Origin::Backend);
        for (number, entry) in self.entries().iter().enumerate() {
            let Some(own) = nodes[number] else { continue };
            let containers = [
                (self.containers.namespace_of(&entry.id), namespace),
                (self.containers.definition_of(&entry.id), definition),
            ];
            let containers = containers.into_iter().filter_map(|(held, origin)| Some((held?, origin)));
            let backends = entry.backends.iter().filter_map(|held| Some((self.place(*held)?, backend)));
            for (held, origin) in containers.chain(backends) {
                if let Some(held) = nodes[held] {
                    draft.edge(own.gone, held.act, origin);
                }
            }
        }
    }

    /// Edges that give way to others.
    fn wishes(&self, draft: &mut Draft, nodes: &[Option<Nodes>], rests: Vec<Arc>) -> Wishes {
        let mut needs = Vec::new();
        for (number, entry) in self.entries().iter().enumerate() {
            let Some(own) = nodes[number] else { continue };
            for (user, need) in &entry.needed_by {
                if let Some(user) = self.place(*user).and_then(|place| nodes[place]) {
                    let origin = draft.shared(Origin::Needs { need: *need });
                    needs.push(Arc { from: user.gone, to: own.act, origin });
                }
            }
        }
        if let Some(own) = self.containers.namespace(self.own_namespace).and_then(|own| nodes[own]) {
            let origin = draft.shared(Origin::OwnNamespace);
            let others = self.containers.namespaces().filter_map(|other| nodes[other]);
            let others = others.filter(|other| other.act != own.act);
            needs.extend(others.map(|other| Arc { from: other.gone, to: own.act, origin }));
        }
        let finalizers = finalizers::edges(self, draft, nodes);
        Wishes { finalizers, needs, rests }
    }

    /// Steps that wait for nothing of their own half wait for what comes before all of it.
    fn begin(draft: &mut Draft, first: usize, start: u32) {
        let mut waits = vec![false; draft.steps.len()];
        for arc in &draft.arcs {
            waits[arc.to as usize] = true;
        }
        let origin = draft.shared(Origin::NewBeforeOld);
        for (step, waits) in waits.iter().enumerate().skip(first) {
            let does_nothing = matches!(draft.steps[step].0, StepKind::Keep { .. } | StepKind::Forget { .. });
            if !waits && !does_nothing {
                draft.edge(start, step as u32, origin);
            }
        }
    }

    /// Why an object waits for a finalizer that nobody will remove.
    fn deadlock(&self, draft: &Draft, arcs: &[Arc], arc: &Arc, finalizer: &str) -> Note {
        let id = |step: u32| {
            let object = draft.steps[step as usize].0.object().unwrap_or_default();
            self.all[object.at()].id.clone()
        };
        let outgoing = crate::graph::Adjacency::outgoing(draft.steps.len(), arcs);
        let path = crate::graph::shortest_path(arcs, &outgoing, arc.to, arc.from).unwrap_or_default();
        let links = self.names(|names| names.links(&path, arcs, &draft.origins, kind(draft)));
        let mut path: Vec<String> = links.first().map(|link| link.from.clone()).into_iter().collect();
        path.extend(links.into_iter().map(|link| link.to));
        if path.is_empty() {
            path = vec![id(arc.to).to_string(), "its deletion rank".to_owned(), id(arc.from).to_string()];
        }
        Note::Deadlock { object: id(arc.from), finalizer: finalizer.to_owned(), owner: id(arc.to), path }
    }

    fn names<T>(&self, with: impl FnOnce(&Names<'_>) -> T) -> T {
        let object = |object: ObjectIndex| {
            let entry = &self.all[object.at()];
            (&entry.id, &entry.place)
        };
        with(&Names { object: &object, sequencing: self.sequencing })
    }

    /// The layer of an object, if it was sequenced.
    fn layer(&self, number: usize) -> Option<LayerIndex> {
        self.entries()[number].layer.filter(|layer| layer.at() < self.sequencing.layers.len())
    }
}

struct Wishes {
    finalizers: Vec<Arc>,
    needs: Vec<Arc>,
    rests: Vec<Arc>,
}

/// Whether an edge holds whatever the ranks are.
fn is_certain(origin: &Origin) -> bool {
    !matches!(
        origin,
        Origin::Needs { .. } | Origin::Finalizer { .. } | Origin::Unlayered { .. } | Origin::OwnNamespace
    )
}

fn kind(draft: &Draft) -> impl Fn(u32) -> StepKind {
    |step| draft.steps[step as usize].0
}

/// The place of a kind in Helm's order of uninstalling.
fn position(entry: &Entry) -> u8 {
    KindOrder::Uninstall.position(&entry.id.kind).map_or(100, |place| place as u8)
}

/// Workloads are gone only when their pods are.
fn cascade(entry: &Entry) -> Cascade {
    if kinds::is_workload(&entry.id.group, &entry.id.kind) {
        Cascade::Foreground
    } else {
        Cascade::Background
    }
}

fn barrier(draft: &mut Draft, at: Barrier) -> u32 {
    draft.step(StepKind::Barrier { at }, Reason::Structure, Priority::default())
}
