//! Readiness: what is awaited, for how long, and by which expressions.

use std::time::Duration;

use plan::input::{Order, Wanted};
use plan::output::{Gate, Note, StepKind, Within};
use plan::{ChartIndex, Plan};

use crate::family::Family;
use crate::world::{LAYER, NEEDS, World, add, documents, find, object, titles, waits};

/// How the object of that name is awaited.
fn awaited(plan: &Plan, name: &str) -> (Gate, Within) {
    match plan.step(find(plan, &format!("await {name}"))).kind {
        StepKind::AwaitReady { gate, within, .. } => (gate, within),
        kind => panic!("{kind:?}"),
    }
}

#[test]
fn the_readiness_timeout_is_for_what_something_comes_after() {
    let documents = documents(&[
        object("Deployment", "first", &[(LAYER, "first")]),
        object("Job", "migrate", &[(LAYER, "first")]),
        object("Deployment", "slow", &[(LAYER, "first"), ("helm.sh/readiness-timeout", "90s")]),
        object("Deployment", "leaf", &[(LAYER, "leaf"), (NEEDS, "first")]),
        object("Job", "last", &[(LAYER, "leaf")]),
    ]);
    let plan = World::ordered(&documents).planned();
    assert_eq!(awaited(&plan, "first"), (Gate::Ready, Within::Own(Duration::from_mins(1))));
    assert_eq!(awaited(&plan, "slow"), (Gate::Ready, Within::Own(Duration::from_secs(90))));
    assert_eq!(awaited(&plan, "leaf"), (Gate::Ready, Within::Operation));
    // A Job gates by completion when anything comes after it, and has all the time there is.
    assert_eq!(awaited(&plan, "migrate"), (Gate::Complete, Within::Operation));
    assert_eq!(awaited(&plan, "last"), (Gate::Ready, Within::Operation));
}

#[test]
fn a_job_gates_when_its_chart_has_an_unlayered_rest_or_another_chart_needs_it() {
    let rest = documents(&[object("Job", "job", &[(LAYER, "a")]), object("ConfigMap", "rest", &[])]);
    assert_eq!(awaited(&World::ordered(&rest).planned(), "job").0, Gate::Complete);
    let family = Family::new("sub").child("sub", None, &[], "", true);
    let mut builder = Wanted::builder(family.tree, "ns");
    add(&mut builder, ChartIndex(0), "top/templates/a.yaml", &object("ConfigMap", "top", &[]));
    add(&mut builder, ChartIndex(1), "top/charts/sub/templates/a.yaml", &object("Job", "job", &[]));
    assert_eq!(awaited(&World::of(builder.finish(), Order::Ordered).planned(), "job").0, Gate::Complete);
}

#[test]
fn ordered_awaits_leaves_too_and_an_annotation_exempts_one() {
    let documents = documents(&[
        object("ConfigMap", "a", &[(LAYER, "a")]),
        object("ConfigMap", "b", &[(LAYER, "a"), ("slipway.dev/wait", "\"false\"")]),
        object("ConfigMap", "c", &[]),
    ]);
    let plan = World::ordered(&documents).planned();
    let titles = titles(&plan);
    assert!(titles.contains(&"await c".to_owned()) && !titles.contains(&"await b".to_owned()));
    assert!(waits(&plan, "apply c", "apply b"));
    let plan = World::unordered(&documents).planned();
    assert!(!crate::world::titles(&plan).iter().any(|title| title.starts_with("await")));
}

#[test]
fn a_bad_readiness_timeout_is_refused_naming_object_file_and_line() {
    for value in ["soon", "-5s", "0s"] {
        assert_eq!(
            World::ordered(&object("ConfigMap", "a", &[("helm.sh/readiness-timeout", value)])).refused(),
            format!(
                "shop/templates/all.yaml:6: helm.sh/readiness-timeout of ConfigMap ns/a: expected a duration such as 90s, found \"{value}\""
            )
        );
    }
}

#[test]
fn an_expression_that_does_not_parse_is_refused_naming_object_file_and_line() {
    let refused =
        World::ordered(&object("Job", "a", &[("helm.sh/readiness-success", "'[\"succeeded=1\"]'")]))
            .refused();
    assert!(
        refused.starts_with("shop/templates/all.yaml:6: helm.sh/readiness-success of Job.batch ns/a: "),
        "{refused}"
    );
    assert!(refused.contains("succeeded=1"), "{refused}");
}

#[test]
fn readiness_expressions_travel_with_the_object() {
    let annotations = [
        ("helm.sh/readiness-success", r#"["succeeded==1"]"#),
        ("helm.sh/readiness-failure", r#"["failed==1"]"#),
    ];
    let plan = World::ordered(&object("Job", "barz", &annotations)).planned();
    let readiness = plan.objects[0].readiness.as_ref().unwrap();
    assert_eq!(
        (readiness.success.as_slice(), readiness.failure.as_slice()),
        (["succeeded==1".to_owned()].as_slice(), ["failed==1".to_owned()].as_slice())
    );
    let one_sided = World::ordered(&object("Job", "barz", &annotations[..1])).planned();
    assert!(one_sided.notes.iter().any(|note| matches!(note, Note::OneSidedReadiness { .. })));
}
