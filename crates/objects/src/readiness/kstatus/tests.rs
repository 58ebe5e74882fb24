//! Every rule of kstatus by name. The words are those of the original.

use goyaml::Value;
use jiff::Timestamp;

use super::*;
use crate::readiness::Status::{Current, Failed, InProgress, Terminating, Unknown};

fn yaml(text: &str) -> Value {
    goyaml::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Eleven seconds after midnight.
fn now() -> Timestamp {
    "2026-03-01T00:00:11Z".parse().unwrap()
}

/// Checks rows of `rest of the object, status, reason, message`.
fn check(api_version: &str, kind: &str, rows: &[(&str, Status, &str, &str)]) {
    for (rest, status, reason, message) in rows {
        let object = yaml(&format!("apiVersion: {api_version}\nkind: {kind}\n{rest}\n"));
        let expected =
            Verdict { status: *status, reason: (*reason).to_owned(), message: (*message).to_owned() };
        assert_eq!(compute(&object, now()), expected, "{kind}: {rest}");
    }
}

#[test]
fn what_is_being_deleted_is_terminating_whatever_else_it_is() {
    let message = "Resource scheduled for deletion";
    for kind in ["Widget", "Deployment", "Job"] {
        let rest = "metadata: {generation: 2, deletionTimestamp: '2026-03-01T00:00:00Z'}\n\
                    status: {observedGeneration: 1, conditions: [{type: Stalled, status: 'True'}]}";
        check("apps/v1", kind, &[(rest, Terminating, "", message)]);
    }
    check(
        "v1",
        "ConfigMap",
        &[("metadata: {deletionTimestamp: ''}", Current, "", "Resource is always ready")],
    );
}

#[test]
fn a_generation_that_was_not_observed_is_in_progress() {
    let message = "Widget generation is 2, but latest observed generation is 1";
    check(
        "example.com/v1",
        "Widget",
        &[
            (
                "metadata: {generation: 2}\nstatus: {observedGeneration: 1}",
                InProgress,
                "LatestGenerationNotObserved",
                message,
            ),
            (
                "metadata: {generation: 2}\nstatus: {observedGeneration: 2}",
                Current,
                "",
                "Resource is current",
            ),
            ("metadata: {generation: 2}\nstatus: {}", Current, "", "Resource is current"),
            ("status: {observedGeneration: 2}", Current, "", "Resource is current"),
        ],
    );
}

#[test]
fn reconciling_and_stalled_decide_in_the_order_they_are_listed() {
    let both = |first: &str, second: &str| {
        format!(
            "status: {{conditions: [{{type: {first}, status: 'True', reason: A, message: a}}, \
             {{type: {second}, status: 'True', reason: B, message: b}}]}}"
        )
    };
    check("v1", "ConfigMap", &[(&both("Reconciling", "Stalled"), InProgress, "A", "a")]);
    check("v1", "ConfigMap", &[(&both("Stalled", "Reconciling"), Failed, "A", "a")]);
    check("v1", "ConfigMap", &[(&both("Ready", "Stalled"), Failed, "B", "b")]);
    let untrue =
        "status: {conditions: [{type: Stalled, status: 'False'}, {type: Reconciling, status: Unknown}]}";
    check("v1", "ConfigMap", &[(untrue, Current, "", "Resource is always ready")]);
}

#[test]
fn without_a_rule_of_its_own_a_kind_is_what_its_ready_condition_says() {
    let ready = |status: &str| {
        format!("status: {{conditions: [{{type: Ready, status: {status}, reason: R, message: m}}]}}")
    };
    check(
        "example.com/v1",
        "Widget",
        &[
            (&ready("'True'"), Current, "", "Resource is Ready"),
            (&ready("'False'"), InProgress, "R", "m"),
            (&ready("Unknown"), InProgress, "R", "m"),
            (&ready("Maybe"), Current, "", "Resource is current"),
            ("status: {}", Current, "", "Resource is current"),
            ("", Current, "", "Resource is current"),
        ],
    );
}

#[test]
fn rules_are_found_by_group_and_kind_and_never_by_version() {
    let rest = "status: {replicas: 0}";
    let waiting = (rest, InProgress, "LessReplicas", "Replicas: 0/1");
    for api_version in ["apps/v1", "apps/v9", "extensions/v1beta1"] {
        check(api_version, "Deployment", &[waiting]);
    }
    for api_version in ["v1", "example.com/v1", "apps/v1/extra"] {
        check(api_version, "Deployment", &[(rest, Current, "", "Resource is current")]);
    }
    check(
        "serving.example.com/v1",
        "Service",
        &[("spec: {type: LoadBalancer}", Current, "", "Resource is current")],
    );
}

/// A Deployment of two with these numbers, and conditions that let it be ready.
fn deployment(replicas: i64, updated: i64, available: i64, ready: i64) -> String {
    format!(
        "spec: {{replicas: 2, progressDeadlineSeconds: 600}}\nstatus: {{replicas: {replicas}, \
         updatedReplicas: {updated}, availableReplicas: {available}, readyReplicas: {ready}, conditions: \
         [{{type: Progressing, status: 'True', reason: NewReplicaSetAvailable}}, \
         {{type: Available, status: 'True'}}]}}"
    )
}

#[test]
fn a_deployment_compares_its_numbers_in_a_fixed_order() {
    check(
        "apps/v1",
        "Deployment",
        &[
            (&deployment(1, 1, 1, 1), InProgress, "LessReplicas", "Replicas: 1/2"),
            (&deployment(2, 1, 1, 1), InProgress, "LessUpdated", "Updated: 1/2"),
            (&deployment(3, 2, 1, 1), InProgress, "ExtraPods", "Pending termination: 1"),
            (&deployment(2, 2, 1, 1), InProgress, "LessAvailable", "Available: 1/2"),
            (&deployment(2, 2, 2, 1), InProgress, "LessReady", "Ready: 1/2"),
            (&deployment(2, 2, 2, 2), Current, "", "Deployment is available. Replicas: 2"),
        ],
    );
}

#[test]
fn a_deployment_that_exceeded_its_deadline_has_failed() {
    let rest = "status: {conditions: [{type: Progressing, status: 'False', reason: ProgressDeadlineExceeded, \
                message: long}]}";
    check(
        "apps/v1",
        "Deployment",
        &[(rest, Failed, "ProgressDeadlineExceeded", "Progress deadline exceeded")],
    );
}

#[test]
fn a_deployment_with_a_deadline_must_say_that_it_progresses() {
    let rest = |spec: &str, conditions: &str| {
        format!(
            "spec: {{{spec}}}\nstatus: {{replicas: 1, updatedReplicas: 1, availableReplicas: 1, \
             readyReplicas: 1, conditions: [{conditions}]}}"
        )
    };
    let available = "{type: Available, status: 'True'}";
    let not_progressing = (InProgress, "ReplicaSetNotAvailable", "ReplicaSet not Available");
    let not_available = (InProgress, "DeploymentNotAvailable", "Deployment not Available");
    let done = (Current, "", "Deployment is available. Replicas: 1");
    for (spec, conditions, (status, reason, message)) in [
        ("progressDeadlineSeconds: 600", available, not_progressing),
        ("progressDeadlineSeconds: 2147483647", available, done),
        ("", available, done),
        ("", "", not_available),
        ("", "{type: Available, status: 'False'}", not_available),
        (
            "progressDeadlineSeconds: 600",
            "{type: Progressing, status: 'True', reason: ReplicaSetUpdated}, {type: Available, status: 'True'}",
            not_progressing,
        ),
    ] {
        check("apps/v1", "Deployment", &[(&rest(spec, conditions), status, reason, message)]);
    }
}

#[test]
fn a_replica_set_counts_labelled_available_and_ready_pods() {
    let rest = |labelled: i64, available: i64, ready: i64, replicas: i64| {
        format!(
            "spec: {{replicas: 2}}\nstatus: {{fullyLabeledReplicas: {labelled}, availableReplicas: {available}, \
             readyReplicas: {ready}, replicas: {replicas}}}"
        )
    };
    let failing = "status: {conditions: [{type: ReplicaFailure, status: 'True', reason: Quota}]}";
    check(
        "apps/v1",
        "ReplicaSet",
        &[
            (failing, InProgress, "ReplicaFailure", "Replica Failure condition. Check Pods"),
            (&rest(1, 1, 1, 1), InProgress, "LessLabelled", "Labelled: 1/2"),
            (&rest(2, 1, 1, 1), InProgress, "LessAvailable", "Available: 1/2"),
            (&rest(2, 2, 1, 1), InProgress, "LessReady", "Ready: 1/2"),
            (&rest(2, 2, 2, 3), InProgress, "ExtraPods", "Pending termination: 1"),
            (&rest(2, 2, 2, 2), Current, "", "ReplicaSet is available. Replicas: 2"),
        ],
    );
}

#[test]
fn a_stateful_set_with_a_partition_counts_updated_pods_and_else_compares_revisions() {
    let rest = |strategy: &str, numbers: [i64; 4], revisions: &str| {
        let [replicas, ready, current, updated] = numbers;
        format!(
            "spec: {{replicas: 2, updateStrategy: {{{strategy}}}}}\nstatus: {{replicas: {replicas}, \
             readyReplicas: {ready}, currentReplicas: {current}, updatedReplicas: {updated}, {revisions}}}"
        )
    };
    let (same, other) = ("currentRevision: a, updateRevision: a", "currentRevision: a, updateRevision: b");
    let partition = |number: i64| format!("type: RollingUpdate, rollingUpdate: {{partition: {number}}}");
    check(
        "apps/v1",
        "StatefulSet",
        &[
            (
                &rest("type: OnDelete", [0, 0, 0, 0], other),
                Current,
                "",
                "StatefulSet is using the ondelete update strategy",
            ),
            (&rest("", [1, 1, 1, 1], same), InProgress, "LessReplicas", "Replicas: 1/2"),
            (&rest("", [2, 1, 2, 2], same), InProgress, "LessReady", "Ready: 1/2"),
            (&rest("", [3, 2, 2, 2], same), InProgress, "ExtraPods", "Pending termination: 1"),
            (&rest(&partition(1), [2, 2, 0, 0], other), InProgress, "PartitionRollout", "updated: 0/1"),
            (
                &rest(&partition(1), [2, 2, 0, 1], other),
                Current,
                "",
                "Partition rollout complete. updated: 1",
            ),
            // A partition of zero, the API server's default, skips the comparison of revisions.
            (
                &rest(&partition(0), [2, 2, 0, 2], other),
                Current,
                "",
                "Partition rollout complete. updated: 2",
            ),
            (&rest(&partition(-1), [2, 2, 1, 2], same), InProgress, "LessCurrent", "current: 1/2"),
            (
                &rest("", [2, 2, 2, 2], other),
                InProgress,
                "RevisionMismatch",
                "Waiting for updated revision to match current",
            ),
            (&rest("", [2, 2, 2, 2], same), Current, "", "All replicas scheduled as expected. Replicas: 2"),
        ],
    );
}

#[test]
fn a_daemon_set_needs_both_generations_and_its_numbers() {
    let rest =
        |numbers: &str| format!("metadata: {{generation: 1}}\nstatus: {{observedGeneration: 1, {numbers}}}");
    let of = |current: i64, updated: i64, available: i64, ready: i64| {
        rest(&format!(
            "desiredNumberScheduled: 2, currentNumberScheduled: {current}, updatedNumberScheduled: {updated}, \
             numberAvailable: {available}, numberReady: {ready}"
        ))
    };
    for api_version in ["apps/v1", "extensions/v1beta1"] {
        check(
            api_version,
            "DaemonSet",
            &[
                ("metadata: {}", InProgress, "NoGeneration", "DaemonSet metadata.generation not found"),
                (
                    "metadata: {generation: 1}",
                    InProgress,
                    "NoObservedGeneration",
                    "DaemonSet status.observedGeneration not found",
                ),
                (&rest(""), InProgress, "NoDesiredNumber", "Missing .status.desiredNumberScheduled"),
                (&of(1, 1, 1, 1), InProgress, "LessCurrent", "Current: 1/2"),
                (&of(2, 1, 1, 1), InProgress, "LessUpdated", "Updated: 1/2"),
                (&of(2, 2, 1, 1), InProgress, "LessAvailable", "Available: 1/2"),
                (&of(2, 2, 2, 1), InProgress, "LessReady", "Ready: 1/2"),
                (&of(2, 2, 2, 2), Current, "", "All replicas scheduled as expected. Replicas: 2"),
                (
                    &rest("desiredNumberScheduled: 0"),
                    Current,
                    "",
                    "All replicas scheduled as expected. Replicas: 0",
                ),
            ],
        );
    }
}

#[test]
fn a_job_is_current_as_soon_as_it_runs() {
    let with = |conditions: &str| format!("spec: {{suspend: true}}\nstatus: {{conditions: [{conditions}]}}");
    check(
        "batch/v1",
        "Job",
        &[
            ("spec: {}", InProgress, "JobNotStarted", "Job not started"),
            (
                "status: {startTime: now, active: 2, failed: 1}",
                Current,
                "",
                "Job in progress. success:0, active: 2, failed: 1",
            ),
            (
                "spec: {completions: 3}\nstatus: {succeeded: 3, conditions: [{type: Complete, status: 'True'}]}",
                Current,
                "",
                "Job Completed. succeeded: 3/3",
            ),
            (
                "spec: {parallelism: 2}\nstatus: {failed: 1, conditions: [{type: Failed, status: 'True'}]}",
                Failed,
                "JobFailed",
                "Job Failed. failed: 1/2",
            ),
            (&with("{type: Suspended, status: 'True'}"), Current, "", "Job is suspended"),
            (&with("{type: Suspended, status: 'False'}"), InProgress, "JobNotStarted", "Job not started"),
            (
                "status: {conditions: [{type: Suspended, status: 'True'}]}",
                InProgress,
                "JobNotStarted",
                "Job not started",
            ),
        ],
    );
}

#[test]
fn a_pod_that_has_ended_is_current_however_it_ended() {
    check(
        "v1",
        "Pod",
        &[
            ("status: {phase: Succeeded}", Current, "", "Pod has completed successfully"),
            ("status: {phase: Failed}", Current, "", "Pod has completed, but not successfully"),
        ],
    );
}

#[test]
fn a_running_pod_is_ready_looping_or_not_there_yet() {
    let containers = |reason: &str| {
        format!(
            "status: {{phase: Running, containerStatuses: [{{name: a, state: {{waiting: {{reason: {reason}}}}}}}, \
             {{name: b, state: {{running: {{}}}}}}, {{state: {{waiting: {{reason: CrashLoopBackOff}}}}}}, \
             {{name: c, state: {{waiting: {{reason: {reason}}}}}}}]}}"
        )
    };
    check(
        "v1",
        "Pod",
        &[
            (
                "status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}",
                Current,
                "",
                "Pod is Ready",
            ),
            (
                &containers("CrashLoopBackOff"),
                Failed,
                "ContainerCrashLooping",
                "Containers in CrashLoop state: a,c",
            ),
            (
                &containers("ImagePullBackOff"),
                InProgress,
                "PodRunningNotReady",
                "Pod is running but is not Ready",
            ),
        ],
    );
}

#[test]
fn a_pod_without_a_node_fails_after_fifteen_seconds() {
    let pod = |created: &str, reason: &str| {
        format!(
            "metadata: {{creationTimestamp: {created}}}\nstatus: {{phase: Pending, conditions: \
             [{{type: PodScheduled, status: 'False', reason: {reason}}}]}}"
        )
    };
    let waiting = (InProgress, "PodNotScheduled", "Pod has not been scheduled");
    let lost = (Failed, "PodUnschedulable", "Pod could not be scheduled");
    let pending = (InProgress, "PodPending", "Pod is in the Pending phase");
    for (created, reason, (status, word, message)) in [
        ("'2026-03-01T00:00:00Z'", "Unschedulable", waiting),
        ("'2026-02-28T23:59:57Z'", "Unschedulable", waiting),
        ("'2026-02-28T23:59:56Z'", "Unschedulable", lost),
        ("null", "Unschedulable", lost),
        ("'2026-02-28T23:59:56Z'", "SchedulerError", pending),
    ] {
        check("v1", "Pod", &[(&pod(created, reason), status, word, message)]);
    }
    check("v1", "Pod", &[("status: {phase: Pending}", pending.0, pending.1, pending.2)]);
}

#[test]
fn a_pod_of_no_phase_is_not_observed_and_of_an_unknown_one_not_judged() {
    check(
        "v1",
        "Pod",
        &[
            ("status: {}", InProgress, "PodNotObserved", "Pod phase not available"),
            ("status: {phase: Paused}", Unknown, "", "unknown phase Paused"),
        ],
    );
}

#[test]
fn a_claim_is_current_when_it_is_bound() {
    check(
        "v1",
        "PersistentVolumeClaim",
        &[
            ("status: {phase: Bound}", Current, "", "PVC is Bound"),
            ("status: {phase: Pending}", InProgress, "NotBound", "PVC is not Bound. phase: Pending"),
            ("", InProgress, "NotBound", "PVC is not Bound. phase: unknown"),
        ],
    );
}

#[test]
fn a_service_waits_for_its_own_address_and_not_for_the_load_balancers() {
    check(
        "v1",
        "Service",
        &[
            ("spec: {}", Current, "", "Service is ready"),
            (
                "spec: {type: LoadBalancer}",
                InProgress,
                "NoIPAssigned",
                "ClusterIP not set. Service type: LoadBalancer",
            ),
            ("spec: {type: LoadBalancer, clusterIP: 10.0.0.1}", Current, "", "Service is ready"),
        ],
    );
}

#[test]
fn a_definition_is_current_when_it_is_established() {
    let with = |conditions: &str| format!("status: {{conditions: [{conditions}]}}");
    check(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        &[
            ("", InProgress, "Installing", "Install in progress"),
            (
                &with("{type: NamesAccepted, status: 'False', reason: Conflict, message: taken}"),
                Failed,
                "Conflict",
                "taken",
            ),
            (
                &with("{type: Established, status: 'False', reason: NotAccepted, message: refused}"),
                Failed,
                "NotAccepted",
                "refused",
            ),
            (
                &with("{type: Established, status: 'False', reason: Installing}"),
                InProgress,
                "Installing",
                "Install in progress",
            ),
            (
                &with("{type: NamesAccepted, status: 'True'}, {type: Established, status: 'True'}"),
                Current,
                "",
                "CRD is established",
            ),
        ],
    );
}

#[test]
fn some_kinds_are_ready_as_soon_as_they_are_there() {
    check("v1", "ConfigMap", &[("", Current, "", "Resource is always ready")]);
    check("v1", "Secret", &[("", Current, "", "Resource is always ready")]);
    check("batch/v1", "CronJob", &[("", Current, "", "Resource is always ready")]);
    let message = "AllowedDisruptions has been computed.";
    check("policy/v1", "PodDisruptionBudget", &[("", Current, "", message)]);
}

#[test]
fn numbers_of_the_wrong_type_take_their_default() {
    let rest = "spec: {replicas: many}\nstatus: {replicas: '1'}";
    check("apps/v1", "Deployment", &[(rest, InProgress, "LessReplicas", "Replicas: 0/1")]);
}

#[test]
fn what_has_the_wrong_shape_is_unknown() {
    check(
        "example.com/v1",
        "Widget",
        &[
            (
                "metadata: {generation: one}",
                Unknown,
                "",
                "looking up metadata.generation from resource: .metadata.generation accessor error: \
                 one is of the type string, expected int64",
            ),
            ("status: done", Unknown, "", "cannot restore struct from: string"),
            ("status: {conditions: {}}", Unknown, "", "cannot restore slice from map"),
            // Without quotes, YAML makes a boolean of it.
            ("status: {conditions: [{type: Ready, status: True}]}", Unknown, "", "unrecognized type: string"),
            (
                "status: {conditions: [{type: Ready, status: 1}]}",
                Unknown,
                "",
                "cannot convert int64 to v1.ConditionStatus",
            ),
        ],
    );
}

#[test]
fn failed_pods_fail_a_set_that_is_in_progress() {
    let pod = |rest: &str| yaml(&format!("apiVersion: v1\nkind: Pod\n{rest}\n"));
    let looping = pod("status: {phase: Running, containerStatuses: \
                       [{name: a, state: {waiting: {reason: CrashLoopBackOff}}}]}");
    let homeless = pod("status: {phase: Pending, conditions: \
                        [{type: PodScheduled, status: 'False', reason: Unschedulable}]}");
    let leaving = pod("metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}\nstatus: {phase: Running}");
    let waiting = || Verdict::in_progress("LessReady", "Ready: 0/2");
    let judged = |pods: &[&Value]| with_pods(waiting(), pods.iter().copied(), now());
    assert_eq!(judged(&[&looping, &looping, &homeless]).message, "2 pods have failed");
    assert_eq!(judged(&[&looping]).status, Failed);
    assert_eq!(judged(&[&homeless, &leaving]), waiting());
    let done = Verdict::current("done");
    assert_eq!(with_pods(done.clone(), [&looping], now()), done);
}
