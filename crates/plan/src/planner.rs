//! From what is wanted, stored, decided and live to a plan.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use objects::ObjectId;

use crate::apply::{Applying, Lookup};
use crate::check::Fingerprint;
use crate::deletion::{Deleting, Judge};
use crate::draft::{Draft, Part, Priority};
use crate::error::{PlanError, PlanErrors};
use crate::input::marks::{self, Marks};
use crate::input::{
    CrdsInstall, Entry, Hook, HookDeletion, HookEvent, Hooks, Inventory, Live, Meaning, Member, Order,
    Policy, Sequencing, Wanted,
};
use crate::intent::{self, Wanting};
use crate::output::{
    Barrier, Change, Note, Operation, Origin, Plan, PlannedHook, PlannedObject, Readiness, Reason, StepKind,
};
use crate::sequence::{self, Sequence};
use crate::{HookIndex, ObjectIndex};

/// Everything a plan is made from.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// What is planned.
    pub operation: Operation,
    /// What is wanted. For an uninstall only its namespace and hooks matter, those of the revision that goes.
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
    if request.stored.from_helm {
        notes.push(Note::FromHelm);
    }
    let (members, hooks) = split(request, &mut notes);
    let marks: Vec<Marks<'_>> =
        members.iter().map(|member| Marks::read(member, &mut errors, &mut notes)).collect();
    let lookup = Lookup::new(&members, &mut errors);
    let crds = definitions(request, &lookup);
    let order = match request.operation {
        Operation::Rollback { sequenced: true } => Order::Ordered,
        Operation::Rollback { sequenced: false } if request.policy.order == Order::Ordered => Order::Kinds,
        // What goes, goes as it came.
        Operation::Uninstall => Order::Kinds,
        _ => request.policy.order,
    };
    let tree = &request.wanted.tree;
    let sequence = match (request.operation, order) {
        (Operation::Uninstall, _) => Sequence::default(),
        (_, Order::Ordered) => sequence::declared(tree, &members, &marks, &mut errors, &mut notes),
        _ => sequence::undeclared(tree, members.len()),
    };
    refuse(request, errors, &notes)?;

    let mut draft = Draft::default();
    let (pre, post) = events(request.operation);
    let does_apply =
        matches!(request.operation, Operation::Install | Operation::Upgrade | Operation::Rollback { .. });
    let start = barrier(&mut draft, Barrier::Hooks(pre));
    let applied = barrier(&mut draft, Barrier::Applied);
    let end = barrier(&mut draft, Barrier::Deleted);
    if does_apply {
        draft_definitions(request, &mut draft, &crds, members.len(), start);
    }
    draft_hooks(&mut draft, &hooks, pre, None, Some(start));
    let (mut hoists, mut freed) = (Vec::new(), Vec::new());
    if does_apply {
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
        let placed = applying.draft(&mut draft, start, applied, &mut notes)?;
        (hoists, freed) = (placed.hoists, placed.freed);
    } else {
        let origin = draft.shared(Origin::Member);
        draft.edge(start, applied, origin);
    }
    let origin = draft.shared(Origin::NewBeforeOld);
    draft.edge(applied, end, origin);

    let wanting = Wanting {
        members: &members,
        crds: &crds,
        marks: &marks,
        sequence: &sequence,
        sequenced: order == Order::Ordered,
        lookup: &lookup,
        hoists: &hoists,
        freed: &freed,
        live: request.live,
        stored: request.stored,
    };
    let mut intent = wanting.inventory();
    let wanted = intent.entries.len();
    let mut objects: Vec<PlannedObject> = members
        .iter()
        .enumerate()
        .map(|(number, member)| planned(request, member, &marks[number], sequence.layer_of[number]))
        .collect();
    objects.extend(crds.iter().map(|member| planned(request, member, &Marks::default(), None)));
    let mut sequencing = sequence.sequencing;

    if does_apply {
        check_way_out(request, &intent, &sequencing)?;
    }
    let (unwanted, object_of) = unwanted(request.stored, &intent);
    let old = intent::append(&mut intent, &mut sequencing, request.stored, &unwanted, &object_of);
    objects.extend(intent.entries[wanted..].iter().map(|entry| stored(request, entry)));
    note_rules(request, &intent, &mut notes);
    let deleting = Deleting::new(&judge(request, &intent, wanted), &intent, wanted, &sequencing, old);
    let ranks = deleting.draft(&mut draft, applied, end, &mut notes)?;
    for (object, rank) in objects[wanted..].iter_mut().zip(ranks) {
        object.rank = rank;
    }
    refuse(request, Vec::new(), &notes)?;
    if let Some(post) = post {
        draft_hooks(&mut draft, &hooks, post, Some(end), None);
    }

    let Some((steps, edges, origins)) = draft.finish() else {
        return Err(PlanError::Contradiction { path: Vec::new() }.into());
    };
    notes.sort();
    notes.dedup();
    let any_sequenced = intent.entries.iter().any(|entry| entry.chart.is_some());
    intent.sequencing = any_sequenced.then(|| sequencing.clone());
    let world = Fingerprint::new(
        request.wanted,
        request.stored,
        request.live,
        objects.iter().map(|object| &object.id),
    );
    Ok(Plan {
        world,
        operation: request.operation,
        sequenced: order == Order::Ordered
            || (request.operation == Operation::Uninstall && intent.sequencing.is_some()),
        objects,
        sequencing,
        hooks: plan_hooks(&hooks),
        steps,
        edges,
        origins,
        notes,
        intent,
        resource_groups: request.wanted.resource_groups,
    })
}

/// What goes in must be able to come out: a contradiction that only deleting would meet is refused while nothing is
/// there yet. Without backends, rules and ranks there is nothing that applying has not met already.
fn check_way_out(
    request: &Request<'_>,
    intent: &Inventory,
    sequencing: &Sequencing,
) -> Result<(), PlanErrors> {
    let suspect = |entry: &Entry| entry.own_rank.is_some() || !entry.backends.is_empty();
    if request.policy.rules.iter().next().is_none() && !intent.entries.iter().any(suspect) {
        return Ok(());
    }
    let unknown = Live::unknown();
    let judge = Judge {
        operation: Operation::Uninstall,
        policy: request.policy,
        live: &unknown,
        now: request.now,
        own_namespace: &request.wanted.namespace,
        wanted_uids: HashSet::new(),
    };
    let mut draft = Draft::default();
    let (start, end) = (barrier(&mut draft, Barrier::Applied), barrier(&mut draft, Barrier::Deleted));
    let deleting = Deleting::new(&judge, intent, 0, sequencing, (0, 0));
    deleting.draft(&mut draft, start, end, &mut Vec::new())?;
    Ok(())
}

/// The stored objects that are not wanted, and the number that each stored object has in the plan.
fn unwanted(stored: &Inventory, intent: &Inventory) -> (Vec<usize>, Vec<ObjectIndex>) {
    let wanted: HashMap<&ObjectId, usize> =
        intent.entries.iter().enumerate().map(|(number, entry)| (&entry.id, number)).collect();
    let mut unwanted = Vec::new();
    let mut object_of = Vec::with_capacity(stored.entries.len());
    for (number, entry) in stored.entries.iter().enumerate() {
        let place = wanted.get(&entry.id).copied().unwrap_or_else(|| {
            unwanted.push(number);
            intent.entries.len() + unwanted.len() - 1
        });
        object_of.push(ObjectIndex::from(place));
    }
    (unwanted, object_of)
}

fn judge<'a>(request: &Request<'a>, intent: &Inventory, wanted: usize) -> Judge<'a> {
    let uid = |entry: &Entry| request.live.get(&entry.id).map(|live| live.uid.as_str());
    Judge {
        operation: request.operation,
        policy: request.policy,
        live: request.live,
        now: request.now,
        own_namespace: &request.wanted.namespace,
        wanted_uids: intent.entries[..wanted].iter().filter_map(uid).collect(),
    }
}

/// A type that matches nothing is likely misspelt.
fn note_rules(request: &Request<'_>, intent: &Inventory, notes: &mut Vec<Note>) {
    let patterns = request.policy.rules.iter().enumerate();
    let patterns = patterns.flat_map(|(rule, of)| of.types.iter().flatten().map(move |of| (rule, of)));
    let mut kinds: Option<HashSet<(&str, &str)>> = None;
    for (rule, pattern) in patterns {
        let kinds = kinds.get_or_insert_with(|| {
            let ids = intent.entries.iter().map(|entry| &entry.id);
            ids.map(|id| (id.group.as_str(), id.kind.as_str())).collect()
        });
        if !kinds.contains(&pattern.group_kind()) {
            notes.push(Note::UnmatchedType { rule: rule as u32 + 1, pattern: pattern.to_string() });
        }
    }
}

fn stored(request: &Request<'_>, entry: &Entry) -> PlannedObject {
    let live = request.live.get(&entry.id);
    PlannedObject {
        id: entry.id.clone(),
        api_version: entry.api_version.clone(),
        place: entry.place.clone(),
        chart: entry.chart.unwrap_or_default(),
        layer: entry.layer,
        uid: entry.uid.clone().or_else(|| live.map(|live| live.uid.clone())),
        resource_version: live.and_then(|live| live.resource_version.clone()),
        document: None,
        readiness: None,
        rank: None,
    }
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
    let goes = matches!(request.operation, Operation::Uninstall | Operation::Test);
    let mut members: Vec<&Member> = wanted.members.iter().filter(|_| !goes).collect();
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
                    members.extend((!goes).then_some(&hook.member));
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
    if matches!(request.operation, Operation::Uninstall | Operation::Test) {
        return Vec::new();
    }
    let crds = request.wanted.crds.iter();
    crds.filter(|member| lookup.object(&member.id).is_none() && seen.insert(&member.id)).collect()
}

fn events(operation: Operation) -> (HookEvent, Option<HookEvent>) {
    match operation {
        Operation::Install => (HookEvent::PreInstall, Some(HookEvent::PostInstall)),
        Operation::Upgrade => (HookEvent::PreUpgrade, Some(HookEvent::PostUpgrade)),
        Operation::Rollback { .. } => (HookEvent::PreRollback, Some(HookEvent::PostRollback)),
        Operation::Uninstall | Operation::Prune => (HookEvent::PreDelete, Some(HookEvent::PostDelete)),
        Operation::Test => (HookEvent::Test, None),
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
        resource_version: request.live.get(&member.id).and_then(|live| live.resource_version.clone()),
        document: Some((member.document, member.item)),
        readiness,
        rank: None,
    }
}
