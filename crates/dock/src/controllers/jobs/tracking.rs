//! Counting the Pods of a Job that ended, each exactly once: a Pod keeps a finalizer until it is in the status.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{failure_policy, has_failed, index_of, indexes, is_finished};
use crate::controllers::action::{Action, Outcome};
use crate::controllers::condition::{condition, find};
use crate::controllers::object::{Object, put_counts, stamp};
use crate::controllers::world::{JOBS, Key, PODS, World};

/// Keeps a Pod until it is counted.
pub const FINALIZER: &str = "batch.kubernetes.io/job-tracking";

/// A condition of a Job.
pub(super) fn job_condition(kind: &str, status: &str, reason: &str, message: &str, now: Timestamp) -> Value {
    let mut new = condition(kind, status, reason, message, now);
    new["lastProbeTime"] = stamp(now).into();
    new
}

/// Sets a condition; one that was never there does not become `False`. True if that changed anything.
pub(super) fn refresh_condition(list: &mut Vec<Value>, new: Value) -> bool {
    match list.iter_mut().find(|old| old["type"] == new["type"]) {
        Some(old) => {
            let same = ["status", "reason", "message"].iter().all(|field| old[*field] == new[*field]);
            if !same {
                *old = new;
            }
            !same
        }
        None if new["status"] == "False" => false,
        None => {
            list.push(new);
            true
        }
    }
}

/// Takes the finalizer from a Pod that has it.
pub(super) fn release(pod: &Value) -> Option<Action> {
    pod.has_finalizer(FINALIZER).then(|| Action::remove_finalizer(Key::of(&PODS, pod), pod, FINALIZER))
}

/// Lets a Pod go whose Job is gone or has finished.
pub fn release_stray(pod: &Value, world: &dyn World) -> Outcome {
    let Some(action) = release(pod) else { return Outcome::nothing() };
    if let Some(owner) = pod.controller() {
        if owner["kind"] != "Job" || owner["apiVersion"] != "batch/v1" {
            return Outcome::nothing();
        }
        let job = world.get(&Key::new(&JOBS, pod.namespace(), owner.text("name")));
        if job.is_some_and(|job| job.uid() == owner.text("uid") && !is_finished(&job)) {
            return Outcome::nothing();
        }
    }
    Outcome::of(vec![action])
}

/// How many Pods of a Job ended, and how.
#[derive(Debug)]
pub(super) struct Tally {
    /// So many ended well.
    pub(super) succeeded: i64,
    /// So many did not.
    pub(super) failed: i64,
    /// Which numbers of an indexed Job ended well.
    pub(super) indexes: BTreeSet<i64>,
    indexed: bool,
}

fn uids(job: &Value, field: &str) -> BTreeSet<String> {
    let path = format!("status.uncountedTerminatedPods.{field}");
    job.items(&path).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

impl Tally {
    pub(super) fn new(job: &Value, pods: &[Arc<Value>], indexed: bool) -> Self {
        let completions = job.int("spec.completions").unwrap_or_default();
        let (counted_well, counted_failed) = (uids(job, "succeeded"), uids(job, "failed"));
        let (mut succeeded, mut failed) = (
            job.count("status.succeeded") + counted_well.len() as i64,
            job.count("status.failed") + counted_failed.len() as i64,
        );
        let mut done =
            if indexed { indexes::parse(job.text("status.completedIndexes")) } else { BTreeSet::new() };
        for pod in pods.iter().filter(|pod| pod.has_finalizer(FINALIZER)) {
            let index = index_of(pod).filter(|index| *index < completions);
            if indexed && index.is_none() {
                continue;
            }
            if pod.text("status.phase") == "Succeeded" {
                succeeded += i64::from(!counted_well.contains(pod.uid()));
                done.extend(index.filter(|_| indexed));
            } else if has_failed(pod, job)
                && !counted_failed.contains(pod.uid())
                && failure_policy::counts(job, pod)
            {
                failed += 1;
            }
        }
        if indexed {
            succeeded = done.len() as i64;
        }
        Self { succeeded, failed, indexes: done, indexed }
    }

    /// Counts what ended into the status. Returns the releases of the Pods that are in it.
    pub(super) fn track(
        &self,
        job: &Value,
        pods: &[Arc<Value>],
        status: &mut Value,
        end: Option<&Value>,
        now: Timestamp,
    ) -> Vec<Action> {
        let held: BTreeSet<&str> =
            pods.iter().filter(|pod| pod.has_finalizer(FINALIZER)).map(|pod| pod.uid()).collect();
        let (mut well, mut bad) = (uids(job, "succeeded"), uids(job, "failed"));
        let counted = [retain_held(&mut well, &held), retain_held(&mut bad, &held)];
        let success = end.is_some_and(|end| end["type"] == "SuccessCriteriaMet");
        let mut releases = Vec::new();
        for pod in pods {
            let failed = has_failed(pod, job);
            let succeeded = pod.text("status.phase") == "Succeeded";
            if !(job.is_deleting() || end.is_some() || succeeded || failed) {
                continue;
            }
            let Some(release) = release(pod) else { continue };
            releases.push(release);
            let known = !self.indexed || index_of(pod).is_some();
            if succeeded && !bad.contains(pod.uid()) {
                if !self.indexed {
                    well.insert(pod.uid().to_owned());
                }
            } else if (failed || (end.is_some() && !success)) && known && failure_policy::counts(job, pod) {
                bad.insert(pod.uid().to_owned());
            }
        }
        let uncounted = json!({ "succeeded": well, "failed": bad });
        status["uncountedTerminatedPods"] = json!({});
        for field in ["succeeded", "failed"] {
            if uncounted[field].as_array().is_some_and(|list| !list.is_empty()) {
                status["uncountedTerminatedPods"][field] = uncounted[field].clone();
            }
        }
        let succeeded =
            if self.indexed { self.succeeded } else { job.count("status.succeeded") + counted[0] };
        put_counts(status, &[("succeeded", succeeded), ("failed", job.count("status.failed") + counted[1])]);
        if self.indexed && !self.indexes.is_empty() {
            status["completedIndexes"] = indexes::write(&self.indexes).into();
        }
        if let Some(end) = end {
            let mut list = status.items("conditions").to_vec();
            if find(&list, end.text("type")).is_none() {
                list.push(job_condition(
                    end.text("type"),
                    "True",
                    end.text("reason"),
                    end.text("message"),
                    now,
                ));
                status["conditions"] = list.into();
            }
        }
        releases
    }
}

/// Keeps the UIDs whose Pods still have the finalizer. Returns how many were let go.
fn retain_held(uids: &mut BTreeSet<String>, held: &BTreeSet<&str>) -> i64 {
    let before = uids.len();
    uids.retain(|uid| held.contains(uid.as_str()));
    (before - uids.len()) as i64
}
