//! Subcharts: how they are referred to, and what comes before what.

use plan::ChartIndex;
use plan::input::ChartFacts;
use plan::output::Note;

use crate::family::Family;
use crate::world::{waits, waves};

#[test]
fn a_cycle_of_subcharts_is_shown_as_a_path() {
    let family = Family::new("").child("a", None, &[], "b", true).child("b", None, &[], "a", true);
    insta::assert_snapshot!(family.world().refused(), @r"
    subcharts of chart top need each other: a → b → a
      a → b: depends-on of a (top/Chart.yaml:4)
      b → a: depends-on of b (top/Chart.yaml:4)
    ");
}

#[test]
fn references_resolve_by_alias_then_name_then_tag() {
    // `b` is an alias of one, the name of another and the tag of a third.
    let family = Family::new("b")
        .child("a", Some("b"), &[], "", true)
        .child("b", Some("other"), &[], "", true)
        .child("c", None, &["b"], "", true);
    let plan = family.world().planned();
    assert!(waits(&plan, "apply top", "await b"));
    assert!(!waits(&plan, "apply top", "await other") && !waits(&plan, "apply top", "await c"));

    let family = Family::new("b").child("b", Some("other"), &[], "", true).child("c", None, &["b"], "", true);
    let plan = family.world().planned();
    assert!(waits(&plan, "apply top", "await other") && !waits(&plan, "apply top", "await c"));

    let family =
        Family::new("back").child("a", None, &["back"], "", true).child("c", None, &["back"], "", true);
    let plan = family.world().planned();
    assert!(waits(&plan, "apply top", "await a") && waits(&plan, "apply top", "await c"));
}

#[test]
fn an_ambiguous_name_says_to_use_the_alias() {
    let family =
        Family::new("db").child("db", Some("one"), &[], "", true).child("db", Some("two"), &[], "", true);
    assert_eq!(
        family.world().refused(),
        "top/Chart.yaml:4: the subchart \"db\" of top is ambiguous; use the alias: one, two"
    );
}

#[test]
fn a_disabled_subchart_counts_as_ready_with_a_note() {
    let plan = Family::new("absent").child("absent", None, &[], "", false).world().planned();
    let note =
        |note: &Note| matches!(note, Note::DisabledSubchart { reference, .. } if reference == "absent");
    assert!(plan.notes.iter().any(note));
    assert_eq!(waves(&plan), [vec!["top"]]);
}

#[test]
fn a_reference_to_nothing_declared_is_refused() {
    let refused = Family::new("").child("a", None, &[], "nothing", true).world().refused();
    assert_eq!(
        refused,
        "top/Chart.yaml:4: top declares no subchart with the alias, name or tag \"nothing\"; it has a"
    );
}

#[test]
fn a_parent_has_no_order_relative_to_subcharts_it_does_not_list() {
    let family = Family::new("a").child("a", None, &[], "", true).child("b", None, &[], "", true);
    let plan = family.world().planned();
    assert!(waits(&plan, "apply top", "await a"));
    assert!(!waits(&plan, "apply top", "apply b") && !waits(&plan, "apply b", "apply top"));
}

#[test]
fn nested_subcharts_are_part_of_the_subchart_they_are_in() {
    let mut family =
        Family::new("").child("first", None, &[], "", true).child("second", None, &[], "first", true);
    let (first, second) = (ChartIndex(1), ChartIndex(2));
    for (parent, path) in [(first, "top/charts/first/charts/deep"), (second, "top/charts/second/charts/low")]
    {
        family.tree.add(parent, ChartFacts { path: path.into(), ..ChartFacts::default() });
    }
    let plan = family.world().planned();
    for before in ["first", "deep"] {
        for after in ["second", "low"] {
            assert!(waits(&plan, &format!("apply {after}"), &format!("await {before}")), "{after} {before}");
        }
    }
}
