//! Jobs: Pods that are to end well so many times, counted exactly by a finalizer on each of them.

mod failure_policy;
mod indexes;
mod tracking;

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::action::{Action, Deletion, Note, Outcome, Propagation};
use super::adoption::claim;
use super::object::{Object, map, set, stamp};
use super::pods::{is_active, is_ready, is_terminal};
use super::replicas::{worth, youth};
use super::template::{create_pod, delete_pod, pod_from};
use super::world::{JOBS, Key, PODS, World};
pub use tracking::{FINALIZER, release_stray};
use tracking::{Tally, job_condition, refresh_condition};

/// The pause before a failed Pod is replaced: it doubles from the first to the last.
const FIRST_PAUSE: i64 = 10;
const LAST_PAUSE: i64 = 600;
/// So many Pods are made or removed at once.
const BURST: i64 = 500;
/// The annotation and label with the number of an indexed Pod.
const INDEX: &str = "batch.kubernetes.io/job-completion-index";

/// Brings a Job one step on.
pub fn reconcile(job: &Value, world: &dyn World) -> Outcome {
    if !matches!(job.text("spec.managedBy"), "" | "kubernetes.io/job-controller") {
        return Outcome::nothing();
    }
    if is_finished(job) {
        return after_the_end(job, world);
    }
    let claimed = claim(job, &PODS, world, |_| true, Some(FINALIZER));
    if !claimed.changes.is_empty() {
        return Outcome::of(claimed.changes);
    }
    Pass::new(job, claimed.owned, world.now()).run()
}

fn is_finished(job: &Value) -> bool {
    job.is("Complete") || job.is("Failed")
}

/// A finished Job goes when its time is up.
fn after_the_end(job: &Value, world: &dyn World) -> Outcome {
    let mut outcome = Outcome::of(
        world.controlled(&PODS, job.uid()).iter().filter_map(|pod| tracking::release(pod)).collect(),
    );
    if let Some(seconds) = job.int("spec.ttlSecondsAfterFinished")
        && !job.is_deleting()
        && let Some(finished) =
            ["Complete", "Failed"].iter().find_map(|kind| job.condition(kind)?.moment("lastTransitionTime"))
    {
        let due = finished.saturating_add(SignedDuration::from_secs(seconds)).unwrap_or(finished);
        if due <= world.now() {
            outcome.push(Action::Delete(Deletion {
                key: Key::of(&JOBS, job),
                uid: job.uid().to_owned(),
                revision: Some(job.text("metadata.resourceVersion").to_owned()),
                propagation: Some(Propagation::Foreground),
                grace_seconds: None,
                announce: None,
            }));
        } else {
            outcome.look_again(due);
        }
    }
    outcome
}

/// Whether a Pod counts as one that failed.
fn has_failed(pod: &Value, job: &Value) -> bool {
    let phase = pod.text("status.phase");
    phase == "Failed" || (!only_failed_are_replaced(job) && pod.is_deleting() && phase != "Succeeded")
}

fn only_failed_are_replaced(job: &Value) -> bool {
    job.text("spec.podReplacementPolicy") == "Failed" || job.at("spec.podFailurePolicy").is_object()
}

/// The number of an indexed Pod.
fn index_of(pod: &Value) -> Option<i64> {
    pod.annotation(INDEX)?.parse().ok()
}

/// One look at a Job.
struct Pass<'a> {
    job: &'a Value,
    pods: Vec<Arc<Value>>,
    now: Timestamp,
    indexed: bool,
    outcome: Outcome,
}

impl<'a> Pass<'a> {
    fn new(job: &'a Value, pods: Vec<Arc<Value>>, now: Timestamp) -> Self {
        let indexed = job.text("spec.completionMode") == "Indexed";
        Self { job, pods, now, indexed, outcome: Outcome::nothing() }
    }

    fn run(mut self) -> Outcome {
        let job = self.job;
        let suspended = job.flag("spec.suspend");
        let mut status = job.at("status").clone();
        if !status.is_object() {
            status = json!({});
        }
        if status.get("startTime").is_none() && !suspended {
            status["startTime"] = stamp(self.now).into();
        }
        let tally = Tally::new(job, &self.pods, self.indexed);
        let active: Vec<Arc<Value>> = self.pods.iter().filter(|pod| is_active(pod)).cloned().collect();
        let mut terminating =
            self.pods.iter().filter(|pod| pod.is_deleting() && !is_terminal(pod)).count() as i64;
        let mut active_count = active.len() as i64;
        let mut ready = active.iter().filter(|pod| is_ready(pod)).count() as i64;

        let mut steps = Vec::new();
        let mut end = self.end(&tally, &status);
        if end.is_some() {
            steps.extend(active.iter().map(|pod| delete_pod(pod, job)));
            terminating += active_count;
            (active_count, ready) = (0, 0);
        } else if !job.is_deleting() {
            let managed = self.manage(&tally, &active, terminating);
            active_count += managed.made - managed.removed;
            terminating += managed.removed;
            ready -= managed.removed.min(ready);
            steps = managed.steps;
            let done = match job.int("spec.completions") {
                None => tally.succeeded > 0 && active_count == 0,
                Some(completions) => tally.succeeded >= completions && active_count == 0,
            };
            if done {
                let message = "Reached expected number of succeeded pods";
                end = Some(job_condition(
                    "SuccessCriteriaMet",
                    "True",
                    "CompletionsReached",
                    message,
                    self.now,
                ));
            } else {
                self.tell_suspension(&mut status, suspended);
            }
        }
        for (field, count) in [("active", active_count), ("ready", ready), ("terminating", terminating)] {
            status[field] = count.into();
        }
        if active_count == 0
            && let Some(fields) = status.as_object_mut()
        {
            fields.remove("active");
        }
        let releases = tally.track(job, &self.pods, &mut status, end.as_ref(), self.now);
        self.finish(&mut status, end, terminating, &releases);
        let mut outcome = Outcome::nothing();
        outcome.update_status(&JOBS, job, status);
        outcome.actions.extend(releases);
        outcome.actions.extend(steps);
        outcome.actions.append(&mut self.outcome.actions);
        outcome.again = self.outcome.again;
        outcome
    }

    /// Why the Job is about to end, if it is.
    fn end(&mut self, tally: &Tally, status: &Value) -> Option<Value> {
        let job = self.job;
        for target in ["SuccessCriteriaMet", "FailureTarget"] {
            if let Some(found) = job.condition(target).filter(|found| found["status"] == "True") {
                return Some(found.clone());
            }
        }
        let fail = |reason: &str, message: &str| {
            Some(job_condition("FailureTarget", "True", reason, message, self.now))
        };
        if let Some(message) = failure_policy::fails_job(job, &self.pods) {
            return fail("PodFailurePolicy", &message);
        }
        let limit = job.int("spec.backoffLimit").unwrap_or(6);
        if tally.failed > limit || self.restarted_too_often(limit) {
            return fail("BackoffLimitExceeded", "Job has reached the specified backoff limit");
        }
        if let Some(seconds) = job.int("spec.activeDeadlineSeconds")
            && !job.flag("spec.suspend")
            && let Some(started) = status.moment("startTime")
        {
            let deadline = started.saturating_add(SignedDuration::from_secs(seconds)).unwrap_or(started);
            if deadline <= self.now {
                return fail("DeadlineExceeded", "Job was active longer than specified deadline");
            }
            self.outcome.look_again(deadline);
        }
        None
    }

    fn restarted_too_often(&self, limit: i64) -> bool {
        if self.job.text("spec.template.spec.restartPolicy") != "OnFailure" {
            return false;
        }
        let restarts: i64 = self
            .pods
            .iter()
            .filter(|pod| matches!(pod.text("status.phase"), "Running" | "Pending"))
            .flat_map(|pod| {
                pod.items("status.initContainerStatuses").iter().chain(pod.items("status.containerStatuses"))
            })
            .map(|container| container.count("restartCount"))
            .sum();
        if limit == 0 { restarts > 0 } else { restarts >= limit }
    }

    fn tell_suspension(&mut self, status: &mut Value, suspended: bool) {
        let (holds, reason, message, event) = if suspended {
            ("True", "JobSuspended", "Job suspended", "Suspended")
        } else {
            ("False", "JobResumed", "Job resumed", "Resumed")
        };
        let mut list = status.items("conditions").to_vec();
        if refresh_condition(&mut list, job_condition("Suspended", holds, reason, message, self.now)) {
            status["conditions"] = list.into();
            self.outcome.push(Note::normal(self.job, event, message));
            if suspended {
                if let Some(fields) = status.as_object_mut() {
                    fields.remove("startTime");
                }
            } else {
                status["startTime"] = stamp(self.now).into();
            }
        }
    }

    /// Makes and removes Pods of a Job that goes on.
    fn manage(&mut self, tally: &Tally, active: &[Arc<Value>], terminating: i64) -> Managed {
        let job = self.job;
        let parallelism = job.int("spec.parallelism").unwrap_or(1);
        let running = active.len() as i64;
        if job.flag("spec.suspend") {
            return self.remove(active, running);
        }
        let wanted = match job.int("spec.completions") {
            None if tally.succeeded > 0 => running,
            None => parallelism,
            Some(completions) => (completions - tally.succeeded).min(parallelism).max(0),
        };
        let surplus = self.surplus(active, (running - wanted).max(0));
        if !surplus.is_empty() {
            let count = surplus.len() as i64;
            return self.remove(&surplus, count);
        }
        let leaving = if only_failed_are_replaced(job) { terminating } else { 0 };
        let missing = (wanted - leaving - running).min(BURST);
        if missing <= 0 {
            return Managed::default();
        }
        if let Some(over) = self.pause() {
            self.outcome.look_again(over);
            return Managed::default();
        }
        let steps: Vec<Action> = if self.indexed {
            let completions = job.int("spec.completions").unwrap_or_default();
            let taken: BTreeSet<i64> = active.iter().filter_map(|pod| index_of(pod)).collect();
            (0..completions)
                .filter(|index| !taken.contains(index) && !tally.indexes.contains(index))
                .take(usize::try_from(missing).unwrap_or_default())
                .map(|index| create_pod(self.pod(Some(index)), job))
                .collect()
        } else {
            (0..missing).map(|_| create_pod(self.pod(None), job)).collect()
        };
        Managed { made: steps.len() as i64, removed: 0, steps }
    }

    fn surplus(&self, active: &[Arc<Value>], count: i64) -> Vec<Arc<Value>> {
        let count = usize::try_from(count).unwrap_or_default();
        let mut sorted = active.to_vec();
        let mut doubles = Vec::new();
        if self.indexed {
            let completions = self.job.int("spec.completions").unwrap_or_default();
            let mut seen = BTreeSet::new();
            let (kept, extra): (Vec<_>, Vec<_>) = sorted.into_iter().partition(|pod| {
                index_of(pod).is_some_and(|index| index < completions && seen.insert(index))
            });
            (sorted, doubles) = (kept, extra);
        }
        sorted.sort_by_cached_key(|pod| (worth(pod), youth(pod), pod.name().to_owned()));
        let more = count.saturating_sub(doubles.len());
        doubles.extend(sorted.into_iter().take(more));
        doubles
    }

    fn remove(&self, pods: &[Arc<Value>], count: i64) -> Managed {
        let mut steps = Vec::new();
        for pod in pods.iter().take(usize::try_from(count.min(BURST)).unwrap_or_default()) {
            steps.extend(tracking::release(pod));
            steps.push(delete_pod(pod, self.job));
        }
        Managed { made: 0, removed: pods.len() as i64, steps }
    }

    /// Until when a failed Pod is not replaced.
    fn pause(&self) -> Option<Timestamp> {
        let ended = |pod: &Value| {
            pod.items("status.containerStatuses")
                .iter()
                .filter_map(|container| container.moment("state.terminated.finishedAt"))
                .max()
                .or_else(|| pod.moment("metadata.deletionTimestamp").map(|end| end.min(self.now)))
        };
        let last_success = self
            .pods
            .iter()
            .filter(|pod| pod.text("status.phase") == "Succeeded")
            .filter_map(|pod| ended(pod))
            .max();
        let failures: Vec<Timestamp> = self
            .pods
            .iter()
            .filter(|pod| has_failed(pod, self.job))
            .filter_map(|pod| ended(pod))
            .filter(|end| last_success.is_none_or(|success| *end > success))
            .collect();
        let last = failures.iter().max()?;
        let times = u32::try_from(failures.len() - 1).unwrap_or(u32::MAX).min(20);
        let pause = FIRST_PAUSE.checked_shl(times).unwrap_or(LAST_PAUSE).min(LAST_PAUSE);
        last.checked_add(SignedDuration::from_secs(pause)).ok().filter(|over| *over > self.now)
    }

    fn pod(&self, index: Option<i64>) -> Value {
        let job = self.job;
        let mut pod = pod_from(job.at("spec.template"), job);
        let mut finalizers = pod.items("metadata.finalizers").to_vec();
        if !finalizers.iter().any(|held| held == FINALIZER) {
            finalizers.push(FINALIZER.into());
        }
        set(&mut pod, "metadata.finalizers", finalizers);
        let Some(index) = index else { return pod };
        map(&mut pod, "metadata.annotations").insert(INDEX.into(), index.to_string().into());
        map(&mut pod, "metadata.labels").insert(INDEX.into(), index.to_string().into());
        set(&mut pod, "metadata.generateName", format!("{}-{index}-", job.name()));
        set(&mut pod, "spec.hostname", format!("{}-{index}", job.name()));
        indexes::tell_containers(&mut pod);
        pod
    }

    /// Writes the last condition, once every Pod is counted and none is still stopping.
    fn finish(&mut self, status: &mut Value, end: Option<Value>, terminating: i64, releases: &[Action]) {
        let Some(end) = end else { return };
        let uncounted = status.at("uncountedTerminatedPods");
        let all_counted = uncounted.items("succeeded").is_empty() && uncounted.items("failed").is_empty();
        if !all_counted || terminating > 0 || !releases.is_empty() {
            return;
        }
        let success = end["type"] == "SuccessCriteriaMet";
        let kind = if success { "Complete" } else { "Failed" };
        let end_reached = job_condition(kind, "True", end.text("reason"), end.text("message"), self.now);
        let mut list = status.items("conditions").to_vec();
        refresh_condition(&mut list, end_reached);
        status["conditions"] = list.into();
        if success {
            status["completionTime"] = stamp(self.now).into();
            self.outcome.push(Note::normal(self.job, "Completed", "Job completed"));
        } else {
            self.outcome.push(Note::warning(self.job, end.text("reason"), end.text("message")));
        }
    }
}

/// What was done about the Pods of a Job.
#[derive(Debug, Default)]
struct Managed {
    made: i64,
    removed: i64,
    steps: Vec<Action>,
}
