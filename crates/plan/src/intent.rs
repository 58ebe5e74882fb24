//! What must be stored before the first step: the objects that are wanted, and those that are not gone yet.

use std::collections::{HashMap, HashSet};

use crate::apply::{Hoist, Lookup};
use crate::input::marks::Marks;
use crate::input::{
    Entry, Grant, Inventory, Live, Member, Moved, Nature, Need, Owner, Rank, Sequencing, StoredChart,
    StoredLayer, StoredNeed,
};
use crate::sequence::Sequence;
use crate::{ChartIndex, LayerIndex, ObjectIndex};

/// What the wanted half of the inventory is made from.
pub(crate) struct Wanting<'a> {
    pub(crate) members: &'a [&'a Member],
    pub(crate) crds: &'a [&'a Member],
    pub(crate) marks: &'a [Marks<'a>],
    pub(crate) sequence: &'a Sequence,
    pub(crate) sequenced: bool,
    pub(crate) lookup: &'a Lookup<'a>,
    pub(crate) hoists: &'a [Hoist],
    pub(crate) freed: &'a [bool],
    pub(crate) live: &'a Live,
    pub(crate) stored: &'a Inventory,
}

impl Wanting<'_> {
    /// An entry for each wanted object, numbered as in the plan.
    pub(crate) fn inventory(&self) -> Inventory {
        let uids: HashMap<_, _> =
            self.stored.entries.iter().filter_map(|entry| Some((&entry.id, entry.uid.as_ref()?))).collect();
        let uid = |member: &Member| match self.live.get(&member.id) {
            Some(live) if live.owner == Owner::Ours => Some(live.uid.clone()),
            Some(_) => None,
            None if self.live.known => None,
            None => uids.get(&member.id).map(|uid| (*uid).clone()),
        };
        let kinds: HashSet<(&str, &str)> = self.crds.iter().filter_map(|member| defined(member)).collect();
        let (accounts, account_of) = self.accounts();
        let backends = Backends::new(self.members);
        let mut entries = Vec::with_capacity(self.members.len() + self.crds.len());
        for (number, member) in self.members.iter().enumerate() {
            let marks = &self.marks[number];
            let id = &member.id;
            let in_set = self.lookup.definition_of(id).is_some()
                || (!kinds.is_empty() && kinds.contains(&(id.group.as_str(), id.kind.as_str())));
            entries.push(Entry {
                uid: uid(member),
                chart: self.sequenced.then_some(member.chart),
                layer: self.sequence.layer_of[number],
                rank: Rank::by_default(id, in_set),
                own_rank: marks.rank,
                delay: marks.delay.clone(),
                keep: marks.keep,
                backends: backends.of(member, self.lookup),
                account: account(member, &account_of),
                ..entry(member)
            });
        }
        for hoist in self.hoists {
            let entry = &mut entries[hoist.object as usize];
            let freed = self.freed[hoist.object as usize];
            entry.moved = Some(if freed { Moved::BeforeCharts } else { Moved::BeforeLayers });
            if !matches!(hoist.need, Need::Namespace | Need::Definition) {
                entry.needed_by.push((ObjectIndex(hoist.user), hoist.need));
            }
        }
        let crds =
            self.crds.iter().map(|member| Entry { uid: uid(member), from_crds: true, ..entry(member) });
        entries.extend(crds);
        Inventory { entries, accounts, ..Inventory::default() }
    }

    /// What accounts may change, and which is whose.
    fn accounts(&self) -> (Vec<Vec<Grant>>, AccountOf<'_>) {
        let mut roles: HashMap<(&str, &str, &str), &[Grant]> = HashMap::new();
        for member in self.members {
            if let Nature::Role { grants } = &member.nature {
                let namespace = member.id.namespace.as_deref().unwrap_or_default();
                roles.insert((&member.id.kind, namespace, &member.id.name), grants);
            }
        }
        let mut accounts: Vec<Vec<Grant>> = Vec::new();
        let mut account_of = HashMap::new();
        for member in self.members {
            let Nature::Binding { role: (kind, name), accounts: bound } = &member.nature else { continue };
            let namespace =
                if kind == "Role" { member.id.namespace.as_deref().unwrap_or_default() } else { "" };
            let Some(grants) = roles.get(&(kind.as_str(), namespace, name.as_str())) else { continue };
            for (namespace, name) in bound {
                let account = *account_of.entry((namespace.as_str(), name.as_str())).or_insert_with(|| {
                    accounts.push(Vec::new());
                    accounts.len() as u32 - 1
                });
                accounts[account as usize].extend_from_slice(grants);
            }
        }
        for grants in &mut accounts {
            grants.sort();
            grants.dedup();
        }
        (accounts, account_of)
    }
}

/// The number of an account, by its namespace and name.
type AccountOf<'a> = HashMap<(&'a str, &'a str), u32>;

fn defined(member: &Member) -> Option<(&str, &str)> {
    match &member.nature {
        Nature::Definition(definition) => Some((&definition.group, &definition.kind)),
        _ => None,
    }
}

fn entry(member: &Member) -> Entry {
    Entry {
        id: member.id.clone(),
        api_version: member.api_version.clone(),
        uid: None,
        place: member.place.clone(),
        chart: None,
        layer: None,
        rank: Rank::by_default(&member.id, false),
        own_rank: None,
        delay: None,
        keep: false,
        from_crds: false,
        defines: match &member.nature {
            Nature::Definition(definition) => Some(definition.clone()),
            _ => None,
        },
        backends: Vec::new(),
        moved: None,
        needed_by: Vec::new(),
        account: None,
        digest: member.digest,
    }
}

fn account(member: &Member, account_of: &AccountOf<'_>) -> Option<u32> {
    let Nature::Workload { service_account, .. } = &member.nature else { return None };
    let name = if service_account.is_empty() { "default" } else { service_account };
    account_of.get(&(member.id.namespace.as_deref()?, name)).copied()
}

/// Workloads by one label of their pods, so that a selector finds them without looking at all.
struct Backends<'a> {
    members: &'a [&'a Member],
    workloads: HashMap<(&'a str, &'a str, &'a str), Vec<u32>>,
}

impl<'a> Backends<'a> {
    fn new(members: &'a [&'a Member]) -> Self {
        let mut workloads: HashMap<_, Vec<u32>> = HashMap::new();
        if members.iter().any(|member| matches!(member.nature, Nature::Front { .. })) {
            for (number, member) in members.iter().enumerate() {
                let Nature::Workload { labels, .. } = &member.nature else { continue };
                let namespace = member.id.namespace.as_deref().unwrap_or_default();
                for (key, value) in labels {
                    let label = (namespace, key.as_str(), value.as_str());
                    workloads.entry(label).or_default().push(number as u32);
                }
            }
        }
        Self { members, workloads }
    }

    /// The services that the API server calls for this object, and the workloads behind them.
    fn of(&self, member: &Member, lookup: &Lookup<'_>) -> Vec<ObjectIndex> {
        let Nature::Front { services } = &member.nature else { return Vec::new() };
        let mut backends = Vec::new();
        for (namespace, name) in services {
            let Some(service) = lookup.service(namespace, name) else { continue };
            backends.push(ObjectIndex(service));
            let Nature::Service { selector } = &self.members[service as usize].nature else { continue };
            let Some((key, value)) = selector.first() else { continue };
            let label = (namespace.as_str(), key.as_str(), value.as_str());
            for workload in self.workloads.get(&label).into_iter().flatten() {
                let Nature::Workload { labels, .. } = &self.members[*workload as usize].nature else {
                    continue;
                };
                if selector.iter().all(|pair| labels.contains(pair)) {
                    backends.push(ObjectIndex(*workload));
                }
            }
        }
        backends.sort_unstable();
        backends.dedup();
        backends
    }
}

/// Where the old revision's charts and layers begin among those of the plan.
pub(crate) type Old = (usize, usize);

/// Appends what is stored but not wanted, with all its numbers moved to those of the plan.
pub(crate) fn append(
    intent: &mut Inventory,
    sequencing: &mut Sequencing,
    stored: &Inventory,
    unwanted: &[usize],
    object_of: &[ObjectIndex],
) -> Old {
    let (charts, layers) = (sequencing.charts.len(), sequencing.layers.len());
    let accounts = intent.accounts.len() as u32;
    if unwanted.is_empty() {
        return (charts, layers);
    }
    intent.accounts.extend_from_slice(&stored.accounts);
    let chart = |chart: &ChartIndex| ChartIndex::from(chart.at() + charts);
    let layer = |layer: &LayerIndex| LayerIndex::from(layer.at() + layers);
    let object = |object: &ObjectIndex| object_of.get(object.at()).copied();
    for number in unwanted {
        let entry = &stored.entries[*number];
        intent.entries.push(Entry {
            chart: entry.chart.as_ref().map(chart),
            layer: entry.layer.as_ref().map(layer),
            backends: entry.backends.iter().filter_map(object).collect(),
            needed_by: entry.needed_by.iter().filter_map(|(by, need)| Some((object(by)?, *need))).collect(),
            account: entry.account.map(|account| account + accounts),
            ..entry.clone()
        });
    }
    if let Some(old) = &stored.sequencing {
        let lines = |of: &[(ChartIndex, u32)]| of.iter().map(|(of, line)| (chart(of), *line)).collect();
        sequencing.charts.extend(old.charts.iter().map(|old| StoredChart {
            path: old.path.clone(),
            parent: old.parent.as_ref().map(chart),
            needs: lines(&old.needs),
            after: lines(&old.after),
        }));
        sequencing.layers.extend(old.layers.iter().map(|old| {
            StoredLayer {
                chart: chart(&old.chart),
                name: old.name.clone(),
                needs: old
                    .needs
                    .iter()
                    .filter_map(|need| {
                        Some(StoredNeed { layer: layer(&need.layer), by: object(&need.by)?, ..*need })
                    })
                    .collect(),
            }
        }));
    }
    (charts, layers)
}
