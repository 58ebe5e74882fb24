//! Jobs: how they end.

use serde_json::json;

use super::super::action::Propagation;
use super::super::jobs;
use super::super::object::{Object, set};
use super::super::script::{FAIL, READY_AFTER};
use super::super::tank::Tank;
use super::{condition, job};

#[test]
fn a_job_completes() {
    let mut tank = Tank::new();
    let mut work = job("work");
    work["spec"]["completions"] = 3.into();
    work["spec"]["parallelism"] = 2.into();
    tank.create(work);
    tank.settle();
    let work = tank.get("Job", "work");
    let now = work.text("status.completionTime").to_owned();
    assert!(!now.is_empty(), "{}", tank.log.join("\n"));
    let mut status = work["status"].clone();
    status.as_object_mut().unwrap().remove("conditions");
    assert_eq!(
        status,
        json!({
            "startTime": now, "completionTime": now, "succeeded": 3, "ready": 0, "terminating": 0, "uncountedTerminatedPods": {},
        })
    );
    let met = (
        "True".to_owned(),
        "CompletionsReached".to_owned(),
        "Reached expected number of succeeded pods".to_owned(),
    );
    assert_eq!(condition(&work, "SuccessCriteriaMet"), met);
    assert_eq!(condition(&work, "Complete"), met);
    assert_eq!(tank.all("Pod").len(), 3);
    assert!(tank.all("Pod").iter().all(|pod| !pod.has_finalizer(jobs::FINALIZER)));
    assert_eq!(tank.told("work").last().map(String::as_str), Some("Completed: Job completed"));
}

#[test]
fn a_failing_job_gives_up_after_its_limit() {
    let mut tank = Tank::new();
    let mut work = job("work");
    work["spec"]["template"]["metadata"]["annotations"] = json!({FAIL: "Error"});
    tank.create(work);
    tank.settle();
    assert_eq!(tank.all("Pod").len(), 1);
    tank.turn(9);
    assert_eq!(tank.all("Pod").len(), 1, "it waits before it tries again");
    tank.turn(1);
    assert_eq!(tank.all("Pod").len(), 2);
    tank.turn(20);
    assert_eq!(tank.all("Pod").len(), 3);
    let work = tank.get("Job", "work");
    let failed = (
        "True".to_owned(),
        "BackoffLimitExceeded".to_owned(),
        "Job has reached the specified backoff limit".to_owned(),
    );
    assert_eq!(condition(&work, "FailureTarget"), failed);
    assert_eq!(condition(&work, "Failed"), failed);
    assert_eq!(work.count("status.failed"), 3);
    tank.turn(3000);
    assert_eq!(tank.all("Pod").len(), 3);
}

#[test]
fn a_job_has_a_deadline_and_may_be_suspended() {
    let mut tank = Tank::new();
    let mut work = job("work");
    work["spec"]["activeDeadlineSeconds"] = 10.into();
    work["spec"]["suspend"] = true.into();
    work["spec"]["template"]["metadata"]["annotations"] = json!({READY_AFTER: "1h"});
    tank.create(work);
    tank.settle();
    assert!(tank.all("Pod").is_empty());
    assert_eq!(
        condition(&tank.get("Job", "work"), "Suspended"),
        ("True".into(), "JobSuspended".into(), "Job suspended".into())
    );
    tank.turn(60);
    tank.edit("Job", "work", |work| set(work, "spec.suspend", false));
    tank.settle();
    assert_eq!(tank.all("Pod").len(), 1);
    assert_eq!(condition(&tank.get("Job", "work"), "Suspended").0, "False");
    assert_eq!(tank.get("Job", "work").count("status.active"), 1);
    tank.turn(9);
    assert_eq!(tank.all("Pod").len(), 1);
    tank.turn(1);
    assert!(tank.all("Pod").is_empty());
    let failed = condition(&tank.get("Job", "work"), "Failed");
    assert_eq!(
        (failed.1.as_str(), failed.2.as_str()),
        ("DeadlineExceeded", "Job was active longer than specified deadline")
    );
}

#[test]
fn a_finished_job_goes_when_its_time_is_up() {
    let mut tank = Tank::new();
    let mut work = job("work");
    work["spec"]["ttlSecondsAfterFinished"] = 30.into();
    tank.create(work);
    tank.settle();
    tank.turn(29);
    assert!(tank.find("Job", "work").is_some());
    tank.turn(1);
    assert!(tank.find("Job", "work").is_none());
    assert!(tank.all("Pod").is_empty());
}

#[test]
fn a_job_that_is_deleted_lets_its_pods_go() {
    for propagation in [Propagation::Background, Propagation::Foreground, Propagation::Orphan] {
        let mut tank = Tank::new();
        let mut work = job("work");
        work["spec"]["template"]["metadata"]["annotations"] = json!({READY_AFTER: "1h"});
        tank.create(work);
        tank.settle();
        tank.delete("Job", "work", Some(propagation));
        tank.settle();
        assert!(tank.find("Job", "work").is_none(), "{propagation:?}\n{}", tank.log.join("\n"));
        let left = tank.all("Pod");
        assert_eq!(left.len(), usize::from(propagation == Propagation::Orphan), "{propagation:?}");
        assert!(left.iter().all(|pod| !pod.has_finalizer(jobs::FINALIZER)));
    }
}

#[test]
fn an_indexed_job_has_one_pod_for_every_number() {
    let mut tank = Tank::new();
    let mut work = job("work");
    work["spec"]["completionMode"] = "Indexed".into();
    work["spec"]["completions"] = 4.into();
    work["spec"]["parallelism"] = 2.into();
    tank.create(work);
    tank.settle();
    let work = tank.get("Job", "work");
    assert_eq!((work.text("status.completedIndexes"), work.count("status.succeeded")), ("0-3", 4));
    let mut hosts: Vec<String> =
        tank.all("Pod").iter().map(|pod| pod.text("spec.hostname").to_owned()).collect();
    hosts.sort();
    assert_eq!(hosts, ["work-0", "work-1", "work-2", "work-3"]);
}
