//! Who likely removes whose finalizer: a workload that goes after the objects that wait for it.

use std::collections::HashMap;

use objects::kinds;

use super::{Deleting, Nodes};
use crate::draft::Draft;
use crate::graph::Arc;
use crate::input::{Entry, Grant};
use crate::is_protected;
use crate::output::Origin;

/// An edge from each object with a finalizer to the workload that likely removes it.
pub(super) fn edges(deleting: &Deleting<'_>, draft: &mut Draft, nodes: &[Option<Nodes>]) -> Vec<Arc> {
    let mut edges = Vec::new();
    let mut owners = None;
    for (number, entry) in deleting.entries().iter().enumerate() {
        let (Some(node), Some(live)) = (nodes[number], deleting.live.get(&entry.id)) else { continue };
        for finalizer in &live.finalizers {
            if is_protected(finalizer) || finalizer == "foregroundDeletion" {
                continue;
            }
            let owners = owners.get_or_insert_with(|| Owners::new(deleting, nodes));
            let Some(owner) = owners.of(entry, number, finalizer).and_then(|owner| nodes[owner]) else {
                continue;
            };
            let origin = draft.shared(Origin::Finalizer { finalizer: finalizer.clone() });
            edges.push(Arc { from: node.gone, to: owner.act, origin });
            break;
        }
    }
    edges
}

/// Workloads by what their accounts may change.
struct Owners<'a> {
    by_grant: HashMap<&'a Grant, Vec<usize>>,
    /// The plural names of kinds that the set defines, and the chart of the definition.
    plurals: HashMap<(&'a str, &'a str), &'a str>,
}

impl<'a> Owners<'a> {
    fn new(deleting: &Deleting<'a>, nodes: &[Option<Nodes>]) -> Self {
        let mut by_grant: HashMap<&Grant, Vec<usize>> = HashMap::new();
        let mut plurals = HashMap::new();
        // Workloads of one account are alike: the first stands for all of them, whatever their number.
        let mut seen = vec![false; deleting.accounts.len()];
        for (number, entry) in deleting.entries().iter().enumerate() {
            if let Some(defines) = &entry.defines {
                plurals.insert((defines.group.as_str(), defines.kind.as_str()), defines.plural.as_str());
            }
            let Some(account) = entry.account.map(|account| account as usize) else { continue };
            let Some(grants) = deleting.accounts.get(account).filter(|_| nodes[number].is_some()) else {
                continue;
            };
            if !std::mem::replace(&mut seen[account], true) {
                for grant in grants {
                    by_grant.entry(grant).or_default().push(number);
                }
            }
        }
        Self { by_grant, plurals }
    }

    fn of(&self, entry: &Entry, number: usize, finalizer: &str) -> Option<usize> {
        let id = &entry.id;
        let domain = finalizer.split('/').next().unwrap_or_default();
        if !kinds::is_custom_group(&id.group) {
            // Finalizers of built-in objects are mostly Kubernetes' own; only those of a domain that the set defines
            // kinds in are taken for the set's.
            let ours = self.plurals.keys().any(|(group, _)| {
                *group == domain || domain.strip_suffix(group).is_some_and(|rest| rest.ends_with('.'))
            });
            if !ours {
                return None;
            }
        }
        let guessed = format!("{}s", id.kind.to_lowercase());
        let plural = self.plurals.get(&(id.group.as_str(), id.kind.as_str())).copied().unwrap_or(&guessed);
        [(id.group.as_str(), plural), (id.group.as_str(), "*"), ("*", "*")]
            .into_iter()
            .filter_map(|(group, resource)| {
                self.by_grant.get(&Grant { group: group.to_owned(), resource: resource.to_owned() })
            })
            .flatten()
            .copied()
            .find(|owner| *owner != number)
    }
}
