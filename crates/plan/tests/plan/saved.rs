//! Plans that are saved, and carried out later or not.

use plan::{Difference, Plan};

use crate::world::{World, documents, object};

fn world() -> World {
    let documents = documents(&[
        object("ConfigMap", "a", &[("helm.sh/layer", "a"), ("helm.sh/readiness-timeout", "90s")]),
        object("ConfigMap", "b", &[("helm.sh/depends-on/layers", "a"), ("slipway.dev/deletion-delay", "1d")]),
        object("Secret", "c", &[]),
    ]);
    World::ordered(&documents).installed()
}

fn differences(world: &World, plan: &Plan) -> Vec<Difference> {
    plan.check(&world.wanted, &world.stored, &world.live)
}

#[test]
fn a_plan_survives_being_written_and_read() {
    let mut world = world();
    world.policy.rules = plan::input::Rules::parse(
        "r",
        "- deletionRank: 300\n  waitTimeout: 1m\n  forceDeleteAfterWaitTimeout: {}\n",
    )
    .unwrap();
    for world in [world.wanting(&object("Secret", "d", &[])), world.uninstall()] {
        let plan = world.planned();
        let text = goyaml::json::to_string(&plan).unwrap();
        let read: Plan = serde_json::from_str(&text).unwrap();
        assert_eq!(read, plan);
        assert_eq!(goyaml::json::to_string(&world.planned()).unwrap(), text);
    }
}

#[test]
fn a_plan_fits_the_world_it_was_made_for() {
    let world = world();
    assert_eq!(differences(&world, &world.planned()), []);
}

#[test]
fn every_difference_is_named() {
    let before = world();
    let plan = before.planned();
    let object = |name: &str| plan.objects.iter().find(|object| object.id.name == name).unwrap().id.clone();

    let mut after = before.clone();
    after.live("a").uid = "other".into();
    let old = before.live.get(&object("a")).unwrap().uid.clone();
    assert_eq!(
        differences(&after, &plan),
        [Difference::Replaced { object: object("a"), old, new: "other".into() }]
    );

    let mut after = before.clone();
    after.live("a").generation = 7;
    assert_eq!(differences(&after, &plan), [Difference::Changed { object: object("a") }]);

    let mut after = before.clone();
    after.live.objects.remove(&object("c"));
    assert_eq!(differences(&after, &plan), [Difference::Disappeared { object: object("c") }]);
    assert_eq!(differences(&before, &after.planned()), [Difference::Appeared { object: object("c") }]);

    let after = before.wanting(&crate::world::object("Secret", "c", &[("a", "b")]));
    assert_eq!(differences(&after, &plan), [Difference::Wanted]);

    let mut after = before.clone();
    after.stored.entries.pop();
    assert_eq!(differences(&after, &plan), [Difference::Stored]);
}
