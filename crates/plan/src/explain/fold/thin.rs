//! Leaves out the edges and meetings that tell nothing new, and numbers what is left.

use super::super::view::{After, Group, GroupKind};
use super::edges::is_cheap;
use super::{Arc, Fold};
use crate::OriginIndex;
use crate::output::Origin;

/// Beyond this many groups nobody reads which edges could be left out, and finding out takes long.
const REDUCED: usize = 400;

impl Fold<'_> {
    /// Numbers the groups in the order in which they may be done, and tells them what they come after.
    pub(super) fn finish(mut self, mut arcs: Vec<Arc>) -> Vec<Group> {
        let mut order: Vec<u32> = (0..self.groups.len() as u32).collect();
        order.sort_by_key(|group| (self.groups[*group as usize].1.wave, self.groups[*group as usize].0));
        let mut place = vec![0; order.len()];
        for (number, group) in order.iter().enumerate() {
            place[*group as usize] = number as u32;
        }
        for (to, from, _) in &mut arcs {
            (*to, *from) = (place[*to as usize], place[*from as usize]);
        }
        arcs.sort_unstable_by_key(|(to, from, _)| (*to, *from));
        let mut groups: Vec<Option<Group>> =
            std::mem::take(&mut self.groups).into_iter().map(|(_, group)| Some(group)).collect();
        let mut groups: Vec<Group> =
            order.iter().filter_map(|group| groups[*group as usize].take()).collect();
        let mut passed = vec![false; groups.len()];
        if groups.len() <= REDUCED {
            arcs = self.reduced(arcs, groups.len());
            for (number, group) in groups.iter().enumerate() {
                passed[number] =
                    group.kind == GroupKind::Meeting && self.pass_through(&mut arcs, number as u32);
            }
            arcs = self.reduced(arcs, groups.len());
        }
        self.tell(&mut groups, &arcs, &passed);
        let mut passed = passed.into_iter();
        groups.retain(|_| !passed.next().unwrap_or_default());
        groups
    }

    /// Tells each group what it comes after, by the places that the groups have without those that were passed.
    fn tell(&self, groups: &mut [Group], arcs: &[Arc], passed: &[bool]) {
        let mut place = Vec::with_capacity(passed.len());
        let mut kept = 0;
        for passed in passed {
            place.push(kept);
            kept += usize::from(!passed);
        }
        // Why a meeting is waited for: the best cause of what meets there.
        let mut met: Vec<Option<OriginIndex>> = vec![None; groups.len()];
        for (to, from, origin) in arcs {
            let is_meeting = |group: u32| groups[group as usize].kind == GroupKind::Meeting;
            let origin = match met[*from as usize].filter(|_| is_meeting(*from)) {
                Some(before) => self.joined(before, *origin),
                None => *origin,
            };
            if is_meeting(*to) {
                let best = met[*to as usize].map_or(origin, |best| self.better(best, origin));
                met[*to as usize] = Some(best);
            }
            let cause = self.cause(origin);
            let (why, object, written) = self.plan.explain_origin(origin);
            let group = place[*from as usize];
            groups[*to as usize].after.push(After { group, cause, why, object, place: written });
        }
    }

    /// Leads the arcs of a meeting past it, if few are left of them; it then has none.
    fn pass_through(&self, arcs: &mut Vec<Arc>, meeting: u32) -> bool {
        let entering: Vec<Arc> = arcs.iter().copied().filter(|(to, ..)| *to == meeting).collect();
        let leaving: Vec<Arc> = arcs.iter().copied().filter(|(_, from, _)| *from == meeting).collect();
        if !is_cheap(entering.len(), leaving.len()) {
            return false;
        }
        arcs.retain(|(to, from, _)| *to != meeting && *from != meeting);
        for (to, _, out) in &leaving {
            for (_, from, into) in &entering {
                let origin = self.joined(*into, *out);
                match arcs.iter_mut().find(|(is_to, is_from, _)| (is_to, is_from) == (to, from)) {
                    Some(arc) => arc.2 = self.better(arc.2, origin),
                    None => arcs.push((*to, *from, origin)),
                }
            }
        }
        arcs.sort_unstable_by_key(|(to, from, _)| (*to, *from));
        true
    }

    /// Without edges that others imply, unless an object declares them.
    fn reduced(&self, arcs: Vec<Arc>, count: usize) -> Vec<Arc> {
        let mut leaving: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (to, from, _) in &arcs {
            leaving[*from as usize].push(*to);
        }
        let reaches = |from: u32, to: u32| {
            let mut seen = vec![false; count];
            let mut stack: Vec<u32> =
                leaving[from as usize].iter().copied().filter(|next| *next != to).collect();
            while let Some(at) = stack.pop() {
                if at == to {
                    return true;
                }
                if !std::mem::replace(&mut seen[at as usize], true) {
                    stack.extend(&leaving[at as usize]);
                }
            }
            false
        };
        let implied = |(to, from, origin): &Arc| {
            !matches!(self.plan.origin(*origin), Origin::Layer { .. })
                && reaches(*from, *to)
                && !reaches(*to, *from)
        };
        arcs.into_iter().filter(|arc| !implied(arc)).collect()
    }
}
