//! Hooks, and definitions in `crds/`.

use plan::ChartIndex;
use plan::input::{ChartTree, HookEvent, Hooks, Order, Wanted, Written};
use plan::output::{Change, Note, StepKind};

use crate::world::{LAYER, World, add, definition, object, titles};

fn written(source: &objects::Source) -> Written<'_> {
    Written { chart: ChartIndex(0), source, line: 1 }
}

/// An object, a definition in `crds/`, and hooks of two weights.
fn with_hooks(order: Order) -> World {
    let source = objects::Source::new("shop/templates/hooks.yaml");
    let mut builder = Wanted::builder(ChartTree::single("shop"), "ns");
    add(&mut builder, ChartIndex(0), "shop/templates/a.yaml", &object("ConfigMap", "a", &[(LAYER, "a")]));
    builder.crd(written(&source), &definition("Widget", "Namespaced")).unwrap();
    for (name, events, weight) in [
        ("late", vec![HookEvent::PreInstall, HookEvent::PostInstall], 5),
        ("early", vec![HookEvent::PreInstall], -5),
        ("tests", vec![HookEvent::Test], 0),
        ("cleanup", vec![HookEvent::PostDelete], 0),
    ] {
        let job = object("Job", name, if name == "early" { &[(LAYER, "a")] } else { &[] });
        builder.hook(written(&source), &job, &events, weight, &[]).unwrap();
    }
    World::of(builder.finish(), order)
}

#[test]
fn crds_come_first_then_hooks_by_weight_then_objects_then_hooks() {
    for order in [Order::Ordered, Order::Kinds] {
        let mut world = with_hooks(order);
        world.policy.wait = true;
        assert_eq!(
            titles(&world.planned()),
            [
                "apply widgets.example.com",
                "establish widgets.example.com",
                "pre-install early",
                "pre-install late",
                "apply a",
                "await a",
                "post-install late",
            ],
            "{order:?}"
        );
    }
}

#[test]
fn hooks_are_outside_of_sequencing_with_a_note() {
    let plan = with_hooks(Order::Ordered).planned();
    let note = |note: &Note| matches!(note, Note::SequencedHook { hook, annotation, .. } if hook.name == "early" && annotation.key() == LAYER);
    assert!(plan.notes.iter().any(note));
}

#[test]
fn without_a_release_install_hooks_are_plain_objects_and_others_are_left_out() {
    let mut world = with_hooks(Order::Phases);
    world.policy.hooks = Hooks::Plain;
    let plan = world.planned();
    assert!(titles(&plan).contains(&"apply early".to_owned()) && plan.hooks.is_empty());
    let left: Vec<_> = plan.notes.iter().filter(|note| matches!(note, Note::HookLeftOut { .. })).collect();
    assert_eq!(left.len(), 2);
}

#[test]
fn definitions_in_crds_are_created_only_if_absent_unless_updates_are_asked_for() {
    let mut world = with_hooks(Order::Kinds);
    let change = |world: &World| match world.planned().steps[0].kind {
        StepKind::Apply { change, .. } => change,
        kind => panic!("{kind:?}"),
    };
    assert_eq!(change(&world), Change::CreateIfAbsent);
    world.policy.crds = plan::input::CrdsInstall::Update;
    assert_eq!(change(&world), Change::Update);
    world.policy.crds = plan::input::CrdsInstall::Skip;
    assert!(!titles(&world.planned()).contains(&"apply widgets.example.com".to_owned()));
}
