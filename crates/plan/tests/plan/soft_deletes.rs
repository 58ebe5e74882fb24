//! Soft deletes: stamps, countdowns, trash.

use plan::output::{Because, Kept, Reason, Recheck, StepKind};
use plan::{Operation, Plan};

use crate::world::{World, documents, find, object, titles, waits};

const DELAY: &str = "smith.atlassian.com/deletionDelay";

fn kept(plan: &Plan, name: &str) -> Kept {
    match &plan.step(find(plan, &format!("keep {name}"))).reason {
        Reason::Kept(kept) => kept.clone(),
        reason => panic!("{reason:?}"),
    }
}

/// A database with a delay, and something else.
fn database(delay: &str) -> World {
    World::unordered(&documents(&[
        object("ConfigMap", "db", &[(DELAY, delay)]),
        object("Secret", "other", &[]),
    ]))
    .installed()
}

/// The database is no longer wanted.
fn dropped(delay: &str) -> World {
    database(delay).wanting(&object("Secret", "other", &[]))
}

#[test]
fn every_spelling_of_the_delay_stamps_instead_of_deleting() {
    for spelling in [DELAY, "smith.a.c/deletionDelay", "slipway.dev/deletion-delay"] {
        let documents = [object("ConfigMap", "db", &[(spelling, "24h")]), object("Secret", "other", &[])];
        let world = World::unordered(&self::documents(&documents)).installed().wanting(&documents[1]);
        let plan = world.planned();
        let StepKind::Stamp { due, .. } = plan.step(find(&plan, "stamp db")).kind else { panic!() };
        assert_eq!(due.unwrap().to_string(), "2026-01-02T00:00:00Z");
        assert!(!titles(&plan).contains(&"delete db".to_owned()));
    }
}

#[test]
fn bad_and_negative_delays_are_refused_naming_the_object_and_the_place() {
    for delay in ["soon", "-1h", "10", "''"] {
        let refused = World::unordered(&object("ConfigMap", "db", &[(DELAY, delay)])).refused();
        assert!(refused.starts_with("shop/templates/all.yaml:6: "), "{refused}");
        assert!(refused.contains("ConfigMap ns/db") && refused.contains(DELAY), "{refused}");
    }
}

#[test]
fn a_stamp_in_a_definition_is_refused() {
    for stamp in [
        "smith.atlassian.com/deletionTimestamp",
        "smith.a.c/deletionTimestamp",
        "slipway.dev/deletion-timestamp",
    ] {
        let refused =
            World::unordered(&object("ConfigMap", "db", &[(stamp, "'2026-01-01T00:00:00Z'")])).refused();
        assert!(refused.contains("only slipway may set"), "{refused}");
    }
}

#[test]
fn due_is_the_stamp_and_the_live_delay() {
    let mut world = dropped("24h");
    world.live("db").stamp = Some("2025-12-31T12:00:00Z".into());
    let Kept::Counting { due } = kept(&world.planned(), "db") else { panic!() };
    assert_eq!(due.to_string(), "2026-01-01T12:00:00Z");
    // Editing the delay moves the date, here into the past.
    world.live("db").delay = Some("1h".into());
    let plan = world.planned();
    let StepKind::Delete { because, recheck, .. } = plan.step(find(&plan, "delete db")).kind else {
        panic!()
    };
    assert_eq!(
        (because, recheck),
        (Because::Expired, Recheck { owners: true, foreign: false, countdown: true })
    );
    // The very instant counts as over.
    world.live("db").delay = Some("12h".into());
    assert!(titles(&world.planned()).contains(&"delete db".to_owned()));
}

#[test]
fn a_live_delay_or_stamp_that_does_not_parse_keeps_the_object() {
    let mut world = dropped("24h");
    world.live("db").delay = Some("tomorrow".into());
    assert!(matches!(kept(&world.planned(), "db"), Kept::Unreadable { value, .. } if value == "tomorrow"));
    world.live("db").delay = Some("1h".into());
    world.live("db").stamp = Some("yesterday".into());
    assert!(matches!(kept(&world.planned(), "db"), Kept::Unreadable { value, .. } if value == "yesterday"));
}

#[test]
fn a_live_object_without_a_delay_is_deleted_at_once() {
    let mut world = dropped("24h");
    world.live("db").delay = None;
    assert!(titles(&world.planned()).contains(&"delete db".to_owned()));
}

#[test]
fn while_the_owner_is_not_ready_nothing_is_stamped_or_pruned_and_a_countdown_goes_on() {
    let mut world = dropped("24h");
    world.operation = Operation::Prune;
    world.policy.ready = false;
    assert_eq!(kept(&world.planned(), "db"), Kept::OwnerNotReady);
    world.live("db").stamp = Some("2025-12-31T12:00:00Z".into());
    assert!(matches!(kept(&world.planned(), "db"), Kept::Counting { .. }));
    world.live("db").stamp = Some("2025-12-01T12:00:00Z".into());
    assert_eq!(kept(&world.planned(), "db"), Kept::OwnerNotReady);
    world.live("db").delay = None;
    assert_eq!(kept(&world.planned(), "db"), Kept::OwnerNotReady);
    world.policy.ready = true;
    assert!(titles(&world.planned()).contains(&"delete db".to_owned()));
}

#[test]
fn purge_and_deleting_the_owner_do_not_wait_for_ready() {
    let mut world = dropped("24h");
    world.policy.ready = false;
    world.operation = Operation::Prune;
    world.policy.purge = true;
    assert!(titles(&world.planned()).contains(&"delete db".to_owned()));
    let mut world = database("24h").uninstall();
    world.policy.ready = false;
    let titles = titles(&world.planned());
    assert!(titles.contains(&"stamp db".to_owned()) && titles.contains(&"delete other".to_owned()));
}

#[test]
fn wanted_again_means_restored_and_updated() {
    let mut world = database("24h");
    world.live("db").stamp = Some("2025-12-31T12:00:00Z".into());
    let plan = world.planned();
    assert!(waits(&plan, "apply db", "restore db"));
    assert!(!titles(&plan).iter().any(|title| title.starts_with("delete")));
}

#[test]
fn deleting_the_whole_release_sends_delayed_objects_to_the_trash() {
    let plan = database("24h").uninstall().planned();
    assert_eq!(titles(&plan).iter().filter(|title| title.ends_with(" db")).collect::<Vec<_>>(), ["stamp db"]);
}

#[test]
fn a_stamped_object_counts_as_gone_for_layers_and_ranks() {
    let documents = documents(&[
        object(
            "ConfigMap",
            "app",
            &[("helm.sh/layer", "app"), ("helm.sh/depends-on/layers", "db"), (DELAY, "1h")],
        ),
        object("ConfigMap", "db", &[("helm.sh/layer", "db")]),
        object("ClusterRole", "role", &[]),
    ]);
    let plan = World::ordered(&documents).installed().uninstall().planned();
    assert!(waits(&plan, "delete db", "stamp app"));
    assert!(waits(&plan, "delete role", "stamp app") || !titles(&plan).contains(&"gone app".to_owned()));
    assert!(titles(&plan).contains(&"delete role".to_owned()));
}

#[test]
fn the_namespace_and_definition_of_a_stamped_object_stay_with_it() {
    let documents = documents(&[
        crate::world::definition("Widget", "Namespaced"),
        object("Namespace", "ns", &[]),
        object("Widget", "w", &[(DELAY, "1h")]),
    ]);
    let mut world = World::unordered(&documents).installed().uninstall();
    let plan = world.planned();
    assert!(matches!(kept(&plan, "ns"), Kept::Holds { .. }));
    assert!(matches!(kept(&plan, "widgets.example.com"), Kept::Holds { .. }));
    // When its time is over it goes, and they go after it.
    world.live("w").stamp = Some("2025-12-01T00:00:00Z".into());
    let plan = world.planned();
    assert!(waits(&plan, "delete ns", "gone w") && waits(&plan, "delete widgets.example.com", "gone w"));
}

#[test]
fn a_container_whose_time_is_over_stays_while_others_have_objects_in_it() {
    let mut world = World::unordered(&object("Namespace", "space", &[(DELAY, "1h")])).installed().uninstall();
    world.live("space").stamp = Some("2025-12-01T00:00:00Z".into());
    let id = world.stored.entries[0].id.clone();
    world.live.foreign.insert(id.clone(), vec![id]);
    assert!(matches!(kept(&world.planned(), "space"), Kept::Foreign { .. }));
}
