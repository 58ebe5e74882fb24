//! What stays holds what it cannot be without: its namespace, its definition, and a webhook its backend.

use std::collections::HashMap;

use objects::ObjectId;

use super::fate::Fate;
use crate::ObjectIndex;
use crate::input::Entry;
use crate::output::Kept;

/// Where namespaces and definitions are among the stored objects.
#[derive(Debug)]
pub(crate) struct Containers<'a> {
    namespaces: HashMap<&'a str, usize>,
    definitions: HashMap<(&'a str, &'a str), usize>,
}

impl<'a> Containers<'a> {
    pub(crate) fn new(entries: &'a [Entry]) -> Self {
        let mut namespaces = HashMap::new();
        let mut definitions = HashMap::new();
        for (number, entry) in entries.iter().enumerate() {
            if entry.id.group.is_empty() && entry.id.kind == "Namespace" {
                namespaces.insert(entry.id.name.as_str(), number);
            }
            if let Some(defines) = &entry.defines {
                definitions.insert((defines.group.as_str(), defines.kind.as_str()), number);
            }
        }
        Self { namespaces, definitions }
    }

    /// A namespace, if it is stored.
    pub(crate) fn namespace(&self, name: &str) -> Option<usize> {
        self.namespaces.get(name).copied()
    }

    /// All namespaces that are stored, in their order.
    pub(crate) fn namespaces(&self) -> impl Iterator<Item = usize> {
        let mut all: Vec<usize> = self.namespaces.values().copied().collect();
        all.sort_unstable();
        all.into_iter()
    }

    /// The namespace an object is in, if it is stored.
    pub(crate) fn namespace_of(&self, id: &ObjectId) -> Option<usize> {
        self.namespaces.get(id.namespace.as_deref()?).copied()
    }

    /// The definition of an object's kind, if it is stored.
    pub(crate) fn definition_of(&self, id: &ObjectId) -> Option<usize> {
        self.definitions.get(&(id.group.as_str(), id.kind.as_str())).copied()
    }
}

/// Keeps what is held. The first `wanted` of all objects are; the fates are those of the others.
pub(crate) fn propagate(
    all: &[Entry],
    wanted: usize,
    fates: &mut [Fate],
    containers: &Containers<'_>,
    delete_foreign: bool,
) {
    if fates.is_empty() {
        return;
    }
    for (number, entry) in all[..wanted].iter().enumerate() {
        let held = [containers.namespace_of(&entry.id), containers.definition_of(&entry.id)];
        for held in held.into_iter().flatten() {
            hold(&mut fates[held], ObjectIndex::from(number));
        }
    }
    let holds =
        |fate: &Fate| fate.stays() && !(delete_foreign && matches!(fate, Fate::Keep(Kept::NotOurs { .. })));
    // What is held may hold in turn; each object is looked at once.
    let mut open: Vec<usize> = (0..fates.len()).filter(|number| holds(&fates[*number])).collect();
    while let Some(number) = open.pop() {
        let entry = &all[wanted + number];
        let containers = [containers.namespace_of(&entry.id), containers.definition_of(&entry.id)];
        let backends = entry.backends.iter().filter_map(|backend| backend.at().checked_sub(wanted));
        for held in containers.into_iter().flatten().chain(backends) {
            if hold(&mut fates[held], ObjectIndex::from(wanted + number)) {
                open.push(held);
            }
        }
    }
}

/// Keeps an object that would go, and says whether that is news.
fn hold(fate: &mut Fate, object: ObjectIndex) -> bool {
    let news = matches!(fate, Fate::Delete { .. });
    if news {
        *fate = Fate::Keep(Kept::Holds { object });
    }
    news
}
