use goyaml::Value;
use jiff::Timestamp;

use super::*;

fn yaml(text: &str) -> Value {
    goyaml::from_str(text).unwrap()
}

fn circumstances() -> Circumstances {
    Circumstances::at(Timestamp::UNIX_EPOCH)
}

/// Status and the rule that decided.
fn assessed(object: &str, circumstances: &Circumstances) -> (Status, String) {
    let object = yaml(object);
    let overrides = Overrides::of(&object).unwrap();
    let readiness = assess(&object, &overrides, circumstances);
    (readiness.verdict.status, readiness.decided_by.to_string())
}

const RUNNING_JOB: &str = "{apiVersion: batch/v1, kind: Job, status: {active: 1, startTime: now}}";

#[test]
fn a_running_job_is_ready_only_when_nothing_comes_after_it() {
    let followed = Circumstances { gate: Gate::Followed, ..circumstances() };
    assert_eq!(assessed(RUNNING_JOB, &circumstances()), (Status::Current, "kstatus".into()));
    assert_eq!(assessed(RUNNING_JOB, &followed), (Status::InProgress, "completion".into()));
}

#[test]
fn a_job_that_is_followed_is_ready_when_it_has_completed_and_fails_when_it_has_failed() {
    let followed = Circumstances { gate: Gate::Followed, ..circumstances() };
    let job = |condition: &str| {
        format!(
            "{{apiVersion: batch/v1, kind: Job, spec: {{suspend: true}}, \
             status: {{startTime: now, conditions: [{{type: {condition}, status: 'True'}}]}}}}"
        )
    };
    for (condition, status) in [
        ("Complete", Status::Current),
        ("Failed", Status::Failed),
        ("Suspended", Status::InProgress),
        ("SuccessCriteriaMet", Status::InProgress),
    ] {
        assert_eq!(assessed(&job(condition), &followed).0, status, "{condition}");
    }
}

#[test]
fn only_jobs_are_gated_by_completion() {
    let followed = Circumstances { gate: Gate::Followed, ..circumstances() };
    let other = RUNNING_JOB.replace("batch/v1", "example.com/v1");
    assert_eq!(assessed(&other, &followed).0, Status::Current);
}

#[test]
fn a_status_of_an_older_generation_never_counts() {
    let applied = Circumstances { applied_generation: Some(3), ..circumstances() };
    for (object, status, rule) in [
        // The watch has not delivered what was applied.
        ("{metadata: {generation: 2}, status: {observedGeneration: 2}}", Status::InProgress, "generation"),
        // The controller has not seen it.
        ("{metadata: {generation: 3}, status: {observedGeneration: 2}}", Status::InProgress, "generation"),
        // A failure of the old generation is as old.
        (
            "{metadata: {generation: 2}, status: {conditions: [{type: Stalled, status: 'True'}]}}",
            Status::InProgress,
            "generation",
        ),
        // The one condition that would be believed is old.
        (
            "{metadata: {generation: 3}, status: {conditions: \
             [{type: Ready, status: 'True', observedGeneration: 2}]}}",
            Status::InProgress,
            "generation",
        ),
        ("{metadata: {generation: 3}, status: {observedGeneration: 3}}", Status::Current, "kstatus"),
        // Somebody else has changed it since.
        ("{metadata: {generation: 4}, status: {observedGeneration: 4}}", Status::Current, "kstatus"),
        // Most kinds have neither.
        ("{metadata: {}, status: {}}", Status::Current, "kstatus"),
        // Deleting is no question of generations.
        (
            "{metadata: {generation: 2, deletionTimestamp: '2026-01-01T00:00:00Z'}}",
            Status::Terminating,
            "kstatus",
        ),
    ] {
        assert_eq!(assessed(object, &applied), (status, rule.into()), "{object}");
    }
}

#[test]
fn an_expression_over_an_old_status_is_not_believed_either() {
    let object = |observed: i64| {
        format!(
            "{{metadata: {{generation: 2, annotations: {{helm.sh/readiness-success: phase==Done}}}}, \
             status: {{phase: Done, observedGeneration: {observed}}}}}"
        )
    };
    assert_eq!(assessed(&object(1), &circumstances()), (Status::InProgress, "generation".into()));
    assert_eq!(assessed(&object(2), &circumstances()).0, Status::Current);
}

#[test]
fn a_claim_that_waits_for_its_first_consumer_does_not_gate() {
    let waits = Circumstances { waits_for_consumer: true, ..circumstances() };
    let claim =
        |phase: &str| format!("{{apiVersion: v1, kind: PersistentVolumeClaim, status: {{phase: {phase}}}}}");
    assert_eq!(assessed(&claim("Pending"), &waits), (Status::Current, "first consumer".into()));
    assert_eq!(assessed(&claim("Pending"), &circumstances()), (Status::InProgress, "kstatus".into()));
    assert_eq!(assessed(&claim("Lost"), &waits), (Status::InProgress, "kstatus".into()));
    assert_eq!(assessed(&claim("Bound"), &waits), (Status::Current, "kstatus".into()));
}

/// A Job with these expressions and this status.
fn judged(success: Option<&str>, failure: Option<&str>, status: &str) -> (Status, String) {
    let mut annotations = String::new();
    for (key, value) in [(SUCCESS, success), (FAILURE, failure)] {
        annotations.extend(value.map(|value| format!("    {key}: {value}\n")));
    }
    let object = format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  annotations:\n    x: y\n{annotations}status: {status}\n"
    );
    assessed(&object, &circumstances())
}

#[test]
fn any_failure_fails_else_any_success_is_ready() {
    let (success, failure) = (Some("[succeeded==1, succeeded==2]"), Some("[failed==1]"));
    for (status, expected, rule) in [
        ("{succeeded: 1}", Status::Current, "readiness-success succeeded==1"),
        ("{succeeded: 2}", Status::Current, "readiness-success succeeded==2"),
        ("{succeeded: 1, failed: 1}", Status::Failed, "readiness-failure failed==1"),
        ("{failed: 1}", Status::Failed, "readiness-failure failed==1"),
        ("{active: 1, startTime: now}", Status::InProgress, "readiness expressions"),
        ("null", Status::InProgress, "readiness expressions"),
        // Both sides are the user's: what kstatus holds of it does not matter.
        ("{conditions: [{type: Failed, status: 'True'}]}", Status::InProgress, "readiness expressions"),
    ] {
        assert_eq!(judged(success, failure, status), (expected, rule.into()), "{status}");
    }
}

#[test]
fn with_success_alone_kstatus_says_what_failure_is() {
    let success = Some("succeeded==1");
    for (status, expected, rule) in [
        ("{succeeded: 1}", Status::Current, "readiness-success succeeded==1"),
        ("{active: 1, startTime: now}", Status::InProgress, "readiness expressions"),
        ("{conditions: [{type: Failed, status: 'True'}]}", Status::Failed, "kstatus"),
        ("{succeeded: 1, conditions: [{type: Failed, status: 'True'}]}", Status::Failed, "kstatus"),
    ] {
        assert_eq!(judged(success, None, status), (expected, rule.into()), "{status}");
    }
}

#[test]
fn with_failure_alone_kstatus_says_what_success_is() {
    let failure = Some("failed>=3");
    for (status, expected, rule) in [
        (
            "{failed: 3, conditions: [{type: Complete, status: 'True'}]}",
            Status::Failed,
            "readiness-failure failed>=3",
        ),
        ("{active: 1, startTime: now}", Status::Current, "kstatus"),
        ("{}", Status::InProgress, "kstatus"),
        (
            "{failed: 1, conditions: [{type: Failed, status: 'True'}]}",
            Status::InProgress,
            "readiness expressions",
        ),
    ] {
        assert_eq!(judged(None, failure, status), (expected, rule.into()), "{status}");
    }
}

#[test]
fn what_is_deleted_is_not_ready_whatever_its_expressions_say() {
    let object = "{metadata: {deletionTimestamp: '2026-01-01T00:00:00Z', annotations: \
                  {helm.sh/readiness-success: a==1}}, status: {a: 1}}";
    assert_eq!(assessed(object, &circumstances()), (Status::Terminating, "kstatus".into()));
}

#[test]
fn odd_comparisons_are_warned_of() {
    let object =
        yaml("{metadata: {annotations: {helm.sh/readiness-success: 'phase > 1'}}, status: {phase: x}}");
    let readiness = assess(&object, &Overrides::of(&object).unwrap(), &circumstances());
    assert_eq!(readiness.warnings, ["phase > 1: \"x\" has no order: only numbers do"]);
    assert_eq!(readiness.verdict.message, "readiness-success does not hold: phase > 1");
}

#[test]
fn an_object_of_our_own_kinds_is_ready_when_its_controller_says_so() {
    let instance = |status: &str| {
        let object = format!(
            "{{apiVersion: servicecatalog.slipway.dev/v1alpha1, kind: ServiceInstance, metadata: {{generation: 2}}, \
             status: {status}}}"
        );
        assessed(&object, &circumstances())
    };
    let condition = |kind: &str, status: &str| {
        format!("{{observedGeneration: 2, conditions: [{{type: {kind}, status: '{status}'}}]}}")
    };
    assert_eq!(instance("{}"), (Status::InProgress, "condition".into()));
    assert_eq!(instance(&condition("OrphanMitigation", "False")), (Status::InProgress, "condition".into()));
    assert_eq!(instance(&condition("Ready", "False")), (Status::InProgress, "kstatus".into()));
    assert_eq!(instance(&condition("Ready", "True")), (Status::Current, "kstatus".into()));
    assert_eq!(instance(&condition("Failed", "True")), (Status::Failed, "condition".into()));

    // What failed was another spec.
    let old = condition("Failed", "True").replace("Generation: 2", "Generation: 1");
    assert_eq!(instance(&old).0, Status::InProgress);
    let class = "{apiVersion: servicecatalog.slipway.dev/v1alpha1, kind: ClusterServiceClass}";
    assert_eq!(assessed(class, &circumstances()), (Status::Current, "kstatus".into()));
}
