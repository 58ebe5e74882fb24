//! What is done to Bundles, in rounds: in each, one thing to each of a few.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::lots::Lots;

/// How many Bundles there are.
const BUNDLES: u64 = 8;
/// How many objects each may have: two maps of which one refers to the other, a map, a Secret, and one with a delay.
const SLOTS: u64 = 5;
const DELAYED: u64 = 4;

/// One thing that is done: a Bundle gets these resources, or is deleted.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) bundle: String,
    pub(crate) resources: Option<Vec<Value>>,
}

/// All that is done.
pub(crate) struct Script {
    pub(crate) rounds: Vec<Vec<Change>>,
}

impl Script {
    /// So many changes.
    pub(crate) fn draw(changes: usize, lots: &mut Lots) -> Self {
        let mut there = BTreeSet::new();
        let mut rounds = Vec::new();
        let mut left = changes;
        while left > 0 {
            let mut round = Vec::new();
            for number in (0..BUNDLES).take(left) {
                let bundle = format!("bundle-{number}");
                let is_deleted = there.contains(&bundle) && lots.percent(25);
                if is_deleted {
                    there.remove(&bundle);
                } else {
                    there.insert(bundle.clone());
                }
                let resources = (!is_deleted).then(|| resources(number, lots));
                round.push(Change { bundle, resources });
            }
            left -= round.len();
            rounds.push(round);
        }
        Self { rounds }
    }

    pub(crate) fn changes(&self) -> usize {
        self.rounds.iter().map(Vec::len).sum()
    }

    /// Which of these, which were deleted at some time, should not have been: what has a delay that is not over, and what
    /// has been listed from the first time to the end.
    pub(crate) fn wrongly_gone(&self, deleted: &BTreeSet<String>) -> Vec<String> {
        let mut listed: BTreeMap<String, Vec<bool>> = BTreeMap::new();
        for change in self.rounds.iter().flatten() {
            let names: BTreeSet<String> = change.resources.iter().flatten().map(name_of).collect();
            for slot in 0..SLOTS {
                let name = format!("{}-{slot}", change.bundle);
                listed.entry(name.clone()).or_default().push(names.contains(&name));
            }
        }
        let is_wrong = |name: &&String| {
            let Some(listed) = listed.get(*name) else { return false };
            let is_delayed = name.ends_with(&format!("-{DELAYED}"));
            is_delayed || listed.iter().skip_while(|listed| !**listed).all(|listed| *listed)
        };
        deleted.iter().filter(is_wrong).cloned().collect()
    }

    /// What there must be in the end, by the script alone.
    pub(crate) fn check(&self, found: &[String]) {
        let (mut last, mut ever): (BTreeMap<&str, BTreeSet<String>>, BTreeSet<String>) = Default::default();
        for change in self.rounds.iter().flatten() {
            let names: BTreeSet<String> = change.resources.iter().flatten().map(name_of).collect();
            ever.extend(names.iter().cloned());
            last.insert(&change.bundle, names);
        }
        for name in ever {
            let is_listed = last.values().any(|names| names.contains(&name));
            let is_delayed = name.ends_with(&format!("-{DELAYED}"));
            let lines: Vec<&String> =
                found.iter().filter(|line| line.starts_with(&format!("object {name} "))).collect();
            assert_eq!(lines.len(), usize::from(is_listed || is_delayed), "{name}: {lines:?}");
            let is_stamped = lines.iter().any(|line| line.contains("stamped"));
            assert_eq!(is_stamped, is_delayed && !is_listed, "{name}: {lines:?}");
        }
    }
}

fn name_of(resource: &Value) -> String {
    resource["spec"]["object"]["metadata"]["name"].as_str().unwrap().to_owned()
}

fn resources(bundle: u64, lots: &mut Lots) -> Vec<Value> {
    let chosen: Vec<u64> = (0..SLOTS).filter(|_| lots.percent(60)).collect();
    chosen.iter().map(|slot| resource(bundle, *slot, &chosen, lots)).collect()
}

fn resource(bundle: u64, slot: u64, chosen: &[u64], lots: &mut Lots) -> Value {
    let name = format!("bundle-{bundle}-{slot}");
    let value = format!("value-{}", lots.below(3));
    let mut object = json!({
        "apiVersion": "v1",
        "kind": if slot == 3 { "Secret" } else { "ConfigMap" },
        "metadata": {"name": name},
    });
    let data = if slot == 3 { "stringData" } else { "data" };
    object[data] = json!({"key": value});
    let mut resource = json!({"name": format!("slot-{slot}")});
    if slot == 1 && chosen.contains(&0) {
        resource["references"] = json!([{"name": "other", "resource": "slot-0", "path": "data.key"}]);
        object[data]["taken"] = json!("from !{other}");
    }
    if slot == DELAYED {
        object["metadata"]["annotations"] = json!({"slipway.dev/deletion-delay": "1h"});
    }
    resource["spec"] = json!({ "object": object });
    resource
}
