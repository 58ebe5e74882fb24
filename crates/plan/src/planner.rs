//! From what is wanted, stored, decided and live to a plan.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::apply::{Applying, Lookup};
use crate::draft::{Draft, Part, Priority};
use crate::error::{PlanError, PlanErrors};
use crate::input::marks::{self, Marks};
use crate::input::{
    CrdsInstall, Hook, HookDeletion, HookEvent, Hooks, Inventory, Live, Meaning, Member, Order, Policy,
    Wanted,
};
use crate::output::{
    Barrier, Change, Note, Operation, Origin, Plan, PlannedHook, PlannedObject, Readiness, Reason, StepKind,
};
use crate::{HookIndex, ObjectIndex, sequence};

/// Everything a plan is made from.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// What is planned.
    pub operation: Operation,
    /// What is wanted. For an uninstall only its hooks matter, those of the revision that goes.
    pub wanted: &'a Wanted,
    /// What is stored.
    pub stored: &'a Inventory,
    /// What the user decides.
    pub policy: &'a Policy,
    /// What the cluster has.
    pub live: &'a Live,
    /// What time it is.
    pub now: Timestamp,
}

/// Makes a plan, complete and valid, or says everything that is wrong.
pub fn plan(request: &Request<'_>) -> Result<Plan, PlanErrors> {
    let mut errors = Vec::new();
    let mut notes = Vec::new();
    if !request.live.known {
        notes.push(Note::NotLooked);
    }
    let (members, hooks) = split(request, &mut notes);
    let marks: Vec<Marks<'_>> =
        members.iter().map(|member| Marks::read(member, &mut errors, &mut notes)).collect();
    let lookup = Lookup::new(&members, &mut errors);
    let order = match request.operation {
        Operation::Rollback { sequenced: true } => Order::Ordered,
        Operation::Rollback { sequenced: false } if request.policy.order == Order::Ordered => Order::Kinds,
        _ => request.policy.order,
    };
    let tree = &request.wanted.tree;
    let sequence = if order == Order::Ordered {
        sequence::declared(tree, &members, &marks, &mut errors, &mut notes)
    } else {
        sequence::undeclared(tree, members.len())
    };
    refuse(request, errors, &notes)?;

    let mut draft = Draft::default();
    let crds = definitions(request, &lookup);
    let (pre, post) = events(request.operation);
    let applies =
        matches!(request.operation, Operation::Install | Operation::Upgrade | Operation::Rollback { .. });
    let start = barrier(&mut draft, Barrier::Hooks(pre));
    let end = barrier(&mut draft, Barrier::Applied);
    if applies {
        draft_definitions(request, &mut draft, &crds, members.len(), start);
    }
    let planned_hooks = plan_hooks(&hooks);
    draft_hooks(&mut draft, &hooks, pre, None, Some(start));
    if applies {
        let same_as_stored = same_as_stored(request.stored, &members);
        let applying = Applying {
            members: &members,
            marks: &marks,
            sequence: &sequence,
            lookup: &lookup,
            policy: request.policy,
            live: request.live,
            same_as_stored: &same_as_stored,
            order,
        };
        applying.draft(&mut draft, start, end, &mut notes)?;
    }
    draft_hooks(&mut draft, &hooks, post, Some(end), None);

    let mut objects = Vec::with_capacity(members.len() + crds.len());
    for (number, member) in members.iter().enumerate() {
        objects.push(planned(request, member, &marks[number], sequence.layer_of[number]));
    }
    for member in &crds {
        objects.push(planned(request, member, &Marks::default(), None));
    }
    let Some((steps, edges, origins)) = draft.finish() else {
        return Err(PlanError::Contradiction { path: Vec::new() }.into());
    };
    notes.sort();
    notes.dedup();
    Ok(Plan {
        operation: request.operation,
        sequenced: order == Order::Ordered,
        objects,
        sequencing: sequence.sequencing,
        hooks: planned_hooks,
        steps,
        edges,
        origins,
        notes,
        intent: Inventory::default(),
        resource_groups: request.wanted.resource_groups,
    })
}

fn barrier(draft: &mut Draft, at: Barrier) -> u32 {
    draft.step(StepKind::Barrier { at }, Reason::Structure, Priority::default())
}

/// Errors, and with `strict` the notes that are errors then, end the planning.
fn refuse(request: &Request<'_>, mut errors: Vec<PlanError>, notes: &[Note]) -> Result<(), PlanErrors> {
    if request.policy.strict {
        let strict = notes.iter().filter(|note| note.is_strict_error());
        errors.extend(strict.cloned().map(PlanError::Strict));
    }
    if errors.is_empty() { Ok(()) } else { Err(PlanErrors(errors)) }
}

/// What is applied and what runs around it.
fn split<'a>(request: &Request<'a>, notes: &mut Vec<Note>) -> (Vec<&'a Member>, Vec<&'a Hook>) {
    let wanted = request.wanted;
    let mut members: Vec<&Member> = wanted.members.iter().collect();
    let mut hooks = Vec::new();
    for hook in &wanted.hooks {
        match request.policy.hooks {
            Hooks::Run => {
                hooks.push(hook);
                note_sequenced(hook, notes);
            }
            Hooks::Skip => {}
            Hooks::Plain => {
                let plain = |event: &HookEvent| {
                    use HookEvent::{PostInstall, PostUpgrade, PreInstall, PreUpgrade};
                    matches!(event, PreInstall | PostInstall | PreUpgrade | PostUpgrade)
                };
                if hook.events.iter().any(plain) {
                    members.push(&hook.member);
                } else {
                    let (hook, events) = (hook.member.id.clone(), hook.events.clone());
                    notes.push(Note::HookLeftOut { hook, events });
                }
            }
        }
    }
    (members, hooks)
}

/// Hooks are outside of sequencing, and whoever annotates one should know.
fn note_sequenced(hook: &Hook, notes: &mut Vec<Note>) {
    for annotation in &hook.member.annotations {
        if matches!(annotation.spelling.meaning(), Meaning::Layer | Meaning::NeedsLayers) {
            notes.push(Note::SequencedHook {
                hook: hook.member.id.clone(),
                annotation: annotation.spelling,
                place: marks::place(&hook.member, annotation),
            });
        }
    }
}

/// The definitions of all `crds/`, each once: charts of one tree often carry the same.
fn definitions<'a>(request: &Request<'a>, lookup: &Lookup<'_>) -> Vec<&'a Member> {
    let mut seen = HashSet::new();
    let crds = request.wanted.crds.iter();
    crds.filter(|member| lookup.object(&member.id).is_none() && seen.insert(&member.id)).collect()
}

fn events(operation: Operation) -> (HookEvent, HookEvent) {
    match operation {
        Operation::Install => (HookEvent::PreInstall, HookEvent::PostInstall),
        Operation::Upgrade => (HookEvent::PreUpgrade, HookEvent::PostUpgrade),
        Operation::Rollback { .. } => (HookEvent::PreRollback, HookEvent::PostRollback),
        Operation::Uninstall | Operation::Prune => (HookEvent::PreDelete, HookEvent::PostDelete),
    }
}

/// Definitions come first, and are established before anything else.
fn draft_definitions(request: &Request<'_>, draft: &mut Draft, crds: &[&Member], offset: usize, start: u32) {
    let change = match request.policy.crds {
        CrdsInstall::Skip => return,
        CrdsInstall::Create => Change::CreateIfAbsent,
        CrdsInstall::Update => Change::Update,
    };
    let done = barrier(draft, Barrier::Definitions);
    let (own, first) = (draft.shared(Origin::Own), draft.shared(Origin::Definitions));
    draft.edge(done, start, first);
    for (number, member) in crds.iter().enumerate() {
        let object = ObjectIndex::from(offset + number);
        let priority = Priority::new(0, Part::Begin, 0, number as u32);
        let live = request.live.get(&member.id);
        let unchanged = live.is_some_and(|live| live.in_sync || change == Change::CreateIfAbsent);
        let kind =
            if unchanged { StepKind::Unchanged { object } } else { StepKind::Apply { object, change } };
        let apply = draft.step(kind, Reason::Definitions, priority);
        let await_kind = StepKind::AwaitEstablished { object };
        let established = draft.step(await_kind, Reason::Definitions, priority);
        draft.edge(apply, established, own);
        draft.edge(established, done, first);
    }
}

fn plan_hooks(hooks: &[&Hook]) -> Vec<PlannedHook> {
    let plan = |hook: &&Hook| PlannedHook {
        id: hook.member.id.clone(),
        api_version: hook.member.api_version.clone(),
        place: hook.member.place.clone(),
        document: (hook.member.document, hook.member.item),
        events: hook.events.clone(),
        weight: hook.weight,
        deletions: if hook.deletions.is_empty() {
            vec![HookDeletion::BeforeHookCreation]
        } else {
            hook.deletions.clone()
        },
    };
    hooks.iter().map(plan).collect()
}

/// The hooks of one moment, one after the other: by weight, then by name, then as they were handed in.
fn draft_hooks(
    draft: &mut Draft,
    hooks: &[&Hook],
    event: HookEvent,
    after: Option<u32>,
    before: Option<u32>,
) {
    let mut running: Vec<usize> =
        (0..hooks.len()).filter(|number| hooks[*number].events.contains(&event)).collect();
    running.sort_by_key(|number| (hooks[*number].weight, hooks[*number].member.id.name.as_str()));
    let origin = draft.shared(Origin::Hook);
    let mut last = if running.is_empty() { None } else { after };
    if let (Some(before), false) = (before, running.is_empty()) {
        // What comes before everything else comes before the first hook too.
        let first = draft.steps.len() as u32;
        for arc in &mut draft.arcs {
            if arc.to == before {
                arc.to = first;
            }
        }
    }
    for number in running {
        let reason = Reason::Hook { event, weight: hooks[number].weight };
        let kind = StepKind::RunHook { hook: HookIndex::from(number), event };
        let step = draft.step(kind, reason, Priority::default());
        if let Some(last) = last {
            draft.edge(last, step, origin);
        }
        last = Some(step);
    }
    if let (Some(last), Some(before)) = (last, before) {
        draft.edge(last, before, origin);
    }
}

fn same_as_stored(stored: &Inventory, members: &[&Member]) -> Vec<bool> {
    let digests: std::collections::HashMap<_, _> =
        stored.entries.iter().map(|entry| (&entry.id, entry.digest)).collect();
    members.iter().map(|member| digests.get(&member.id) == Some(&member.digest)).collect()
}

fn planned(
    request: &Request<'_>,
    member: &Member,
    marks: &Marks<'_>,
    layer: Option<crate::LayerIndex>,
) -> PlannedObject {
    let readiness = (!marks.success.is_empty() || !marks.failure.is_empty())
        .then(|| Readiness { success: marks.success.clone(), failure: marks.failure.clone() });
    PlannedObject {
        id: member.id.clone(),
        api_version: member.api_version.clone(),
        place: member.place.clone(),
        chart: member.chart,
        layer,
        uid: request.live.get(&member.id).map(|live| live.uid.clone()),
        document: Some((member.document, member.item)),
        readiness,
        rank: None,
    }
}
