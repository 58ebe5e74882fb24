//! Objects that are wanted and cannot be had.

use plan::output::{Change, StepKind};

use crate::world::{World, documents, find, object};

#[test]
fn an_object_that_is_there_twice_is_refused() {
    let documents = documents(&[object("ConfigMap", "a", &[]), object("ConfigMap", "a", &[])]);
    assert_eq!(
        World::ordered(&documents).refused(),
        "shop/templates/all.yaml:6: ConfigMap ns/a is already defined at shop/templates/all.yaml:1"
    );
}

#[test]
fn a_wanted_object_of_somebody_else_is_refused_unless_taken_over() {
    let mut world = World::ordered(&object("ConfigMap", "a", &[])).installed();
    world.live("a").owner = plan::input::Owner::Other("release b".into());
    assert_eq!(world.refused(), "ConfigMap ns/a exists and belongs to release b; it is not taken over");
    world.policy.take_ownership = true;
    let plan = world.planned();
    assert!(matches!(plan.step(find(&plan, "apply a")).kind, StepKind::Apply { change: Change::Adopt, .. }));
}
