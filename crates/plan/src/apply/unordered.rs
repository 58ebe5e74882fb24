//! Applying without sequencing: at once in Helm's order of kinds, or in three phases.

use super::{Applying, Nodes, barrier, batches};
use crate::draft::{Draft, Part, Priority};
use crate::error::{PlanError, PlanErrors};
use crate::input::{Nature, Order};
use crate::output::{Barrier, Origin, Phase, Reason};

pub(super) fn draft(
    applying: &Applying<'_>,
    draft: &mut Draft,
    start: u32,
    end: u32,
) -> Result<Nodes, PlanErrors> {
    let phases = applying.order == Order::Phases;
    let mut errors: Vec<PlanError> = Vec::new();
    let mut apply = Vec::with_capacity(applying.members.len());
    let phase = |number: u32| {
        let member = applying.members[number as usize];
        match (&member.nature, &member.id.namespace) {
            _ if !phases => Phase::Definitions,
            (Nature::Definition(_), _) => Phase::Definitions,
            (_, None) => Phase::Cluster,
            (_, Some(_)) => Phase::Namespaced,
        }
    };
    let priority = |number: u32, part| {
        let kind = batches::position(&applying.members[number as usize].id);
        Priority::new(phase(number) as u32, part, kind, number)
    };
    for number in 0..applying.members.len() as u32 {
        let reason = if phases { Reason::Phase(phase(number)) } else { Reason::Kinds };
        match applying.apply_step(draft, number, reason, priority(number, Part::Act), start) {
            Ok(step) => apply.push(step),
            Err(error) => {
                errors.push(*error);
                apply.push(start);
            }
        }
    }
    if !errors.is_empty() {
        return Err(PlanErrors(errors));
    }
    let established = applying.established(draft, &apply, phases);
    let ready = if applying.policy.wait {
        (0..apply.len() as u32)
            .map(|number| {
                applying.await_step(draft, number, apply[number as usize], priority(number, Part::Wait))
            })
            .collect()
    } else {
        apply.clone()
    };
    let nodes = Nodes { apply, ready, established, hoists: Vec::new(), freed: Vec::new() };

    let mut sorted: Vec<u32> = (0..nodes.apply.len() as u32).collect();
    sorted.sort_by_cached_key(|number| {
        let id = &applying.members[*number as usize].id;
        (phase(*number), applying.batch(*number), id.kind.as_str())
    });
    let member = draft.shared(Origin::Member);
    let mut begin = start;
    for group in sorted.chunk_by(|first, second| phase(*first) == phase(*second)) {
        for number in group {
            draft.edge(begin, nodes.apply[*number as usize], member);
        }
        let number = phase(group[0]) as u32;
        applying.chain(draft, number, group, &nodes.apply);
        if phases {
            let next = barrier(draft, Barrier::Kinds, number, Part::End);
            let origin = draft.shared(Origin::Kinds);
            for number in group {
                let done = nodes.established[*number as usize].unwrap_or(nodes.apply[*number as usize]);
                draft.edge(done, next, origin);
            }
            begin = next;
        }
    }
    for (ready, established) in nodes.ready.iter().zip(&nodes.established) {
        draft.edge(*ready, end, member);
        if let Some(established) = established {
            draft.edge(*established, end, member);
        }
    }
    if nodes.apply.is_empty() {
        draft.edge(start, end, member);
    }
    applying.physical(draft, &nodes);
    Ok(nodes)
}
