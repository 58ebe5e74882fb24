//! What holds for every plan. Each law names a change to the planner that makes it fail; each was tried.

use std::collections::{BTreeMap, BTreeSet};

use plan::input::{Moved, Owner, Wanted};
use plan::output::{Edge, Kept, Note, Origin, Reason, StepKind};
use plan::{ObjectIndex, Operation, Plan, StepIndex};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::scenario::{Distribution, Scenario, scenario};
use crate::world::{World, reaches};

/// Runs a law on many scenarios, and shows what they were like.
fn law(
    name: &str,
    expected: &[&'static str],
    holds: impl Fn(&Scenario, &Distribution) -> Result<(), TestCaseError>,
) {
    let distribution = Distribution::default();
    // The same cases every time, so that a failure is the fault of a change; PROPTEST_CASES asks for others.
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = if std::env::var_os("PROPTEST_CASES").is_some() {
        TestRunner::new(config)
    } else {
        let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        TestRunner::new_with_rng(Config { cases: 192, ..config }, random)
    };
    let result = runner.run(&scenario(), |scenario| holds(&scenario, &distribution));
    if let Err(error) = result {
        panic!("{name}: {error}");
    }
    distribution.report(name, expected);
}

/// The three plans of a scenario, where there are any.
fn plans(scenario: &Scenario, distribution: &Distribution) -> Vec<(World, Plan)> {
    let install = scenario.install();
    let Ok(plan) = install.plan() else {
        distribution.count("refused installs", 1);
        return Vec::new();
    };
    let installed = install.installed();
    let mut plans = vec![(install, plan)];
    for (what, world) in [
        ("refused upgrades", scenario.upgrade(&installed)),
        ("refused uninstalls", scenario.uninstall(&installed)),
    ] {
        match world.plan() {
            Ok(plan) => plans.push((world, plan)),
            Err(_) => distribution.count(what, 1),
        }
    }
    describe(&plans, distribution);
    plans
}

fn describe(plans: &[(World, Plan)], distribution: &Distribution) {
    distribution.count("plans", plans.len());
    for (world, plan) in plans {
        distribution.count("subcharts", world.wanted.tree.charts().len().saturating_sub(1));
        let nested =
            world.wanted.tree.charts().iter().filter(|chart| chart.parent.is_some_and(|parent| parent.0 > 0));
        distribution.count("nested subcharts", nested.count());
        distribution.count("layers", plan.sequencing.layers.len());
        let dependencies = world.wanted.tree.charts().iter().flat_map(|chart| &chart.dependencies);
        for dependency in dependencies {
            distribution.count("aliases", usize::from(dependency.alias.is_some()));
            distribution.count("tagged", usize::from(!dependency.tags.is_empty()));
        }
        for annotation in world.wanted.members.iter().flat_map(|member| &member.annotations) {
            let key = annotation.spelling.key();
            distribution.count(
                match key.contains("layer") {
                    true if key.starts_with("slipway.dev/") => "own spellings",
                    true => "first spellings",
                    false if key.contains("resource-group") => "merged spellings",
                    false => continue,
                },
                1,
            );
        }
        distribution.count("rules", world.policy.rules.iter().count());
        for edge in &plan.edges {
            match plan.origin(edge.origin) {
                Origin::Layer { .. } => distribution.count("declared by layers", 1),
                Origin::Parent { .. } => distribution.count("declared by parents", 1),
                Origin::Sibling { .. } => distribution.count("declared by siblings", 1),
                Origin::Needs { .. } => distribution.count("hoists", 1),
                Origin::Backend => distribution.count("backends", 1),
                Origin::Finalizer { .. } => distribution.count("finalizer owners", 1),
                _ => {}
            }
        }
        for step in &plan.steps {
            distribution.count(
                match (&step.kind, &step.reason) {
                    (StepKind::Stamp { .. }, _) => "stamps",
                    (StepKind::Delete { .. }, _) => "deletes",
                    (StepKind::StripFinalizers { .. }, _) => "forced ranks",
                    (StepKind::RunHook { .. }, _) => "hooks",
                    (StepKind::Restore { .. }, _) => "restores",
                    (_, Reason::Kept(Kept::Foreign { .. })) => "kept for foreign objects",
                    (_, Reason::Kept(Kept::Holds { .. })) => "kept for what stays",
                    (_, Reason::Kept(Kept::NotOurs { .. })) => "kept as not ours",
                    _ => continue,
                },
                1,
            );
        }
        let dropped = plan.notes.iter().filter(|note| matches!(note, Note::HoistDropped { .. })).count();
        distribution.count("dropped hoists", dropped);
        let freed = plan.intent.entries.iter().filter(|entry| entry.moved == Some(Moved::BeforeCharts));
        distribution.count("moved before charts", freed.count());
    }
}

/// The step that acts on each object, and the one after which it is done.
struct Steps {
    act: BTreeMap<ObjectIndex, StepIndex>,
    done: BTreeMap<ObjectIndex, StepIndex>,
}

fn steps(plan: &Plan) -> Steps {
    let (mut act, mut done) = (BTreeMap::new(), BTreeMap::new());
    for (number, step) in plan.numbered() {
        let Some(object) = step.kind.object() else { continue };
        match step.kind {
            StepKind::Apply { .. }
            | StepKind::Unchanged { .. }
            | StepKind::Delete { .. }
            | StepKind::Stamp { .. } => {
                act.insert(object, number);
                done.entry(object).or_insert(number);
            }
            StepKind::AwaitReady { .. } | StepKind::AwaitGone { .. } => {
                done.insert(object, number);
            }
            _ => {}
        }
    }
    Steps { act, done }
}

/// Edges that somebody declared, and those that hold groups together.
fn declared(plan: &Plan) -> impl Fn(&Edge) -> bool {
    |edge| {
        let origin = plan.origin(edge.origin);
        origin.is_declared() || matches!(origin, Origin::Own | Origin::Member)
    }
}

/// Pairs of objects of which the second waits for the first, by declaration alone.
fn declared_pairs(plan: &Plan, wanted: usize) -> Vec<(ObjectIndex, ObjectIndex)> {
    let steps = steps(plan);
    let mut pairs = Vec::new();
    for first in 0..wanted {
        for second in 0..wanted {
            let (first, second) = (ObjectIndex::from(first), ObjectIndex::from(second));
            let (Some(done), Some(act)) = (steps.done.get(&first), steps.act.get(&second)) else { continue };
            if first != second && reaches(plan, *done, *act, declared(plan)) {
                pairs.push((first, second));
            }
        }
    }
    pairs
}

/// Fails when `Draft::finish` numbers steps as they were drafted instead of in order.
#[test]
fn plans_are_free_of_cycles_and_listed_in_order() {
    law(
        "acyclic",
        &[
            "nested subcharts",
            "aliases",
            "tagged",
            "first spellings",
            "merged spellings",
            "own spellings",
            "hoists",
            "hooks",
            "rules",
            "forced ranks",
            "dropped hoists",
        ],
        |scenario, distribution| {
            for (_, plan) in plans(scenario, distribution) {
                for edge in &plan.edges {
                    prop_assert!(edge.from < edge.to, "{edge:?}");
                }
                for step in &plan.steps {
                    prop_assert!(step.wave as usize <= plan.steps.len());
                }
            }
            Ok(())
        },
    );
}

/// Fails when `Deleting::steps` adds no step for what is kept.
#[test]
fn every_object_is_in_the_plan_exactly_once() {
    law("complete", &["deletes", "stamps", "kept as not ours"], |scenario, distribution| {
        for (world, plan) in plans(scenario, distribution) {
            let mut main = vec![0; plan.objects.len()];
            let mut awaited = vec![0; plan.objects.len()];
            for step in &plan.steps {
                let Some(object) = step.kind.object() else { continue };
                match step.kind {
                    StepKind::AwaitGone { .. } => awaited[object.at()] += 1,
                    StepKind::AwaitReady { .. }
                    | StepKind::AwaitEstablished { .. }
                    | StepKind::Restore { .. } => {}
                    _ => main[object.at()] += 1,
                }
            }
            for (number, object) in plan.objects.iter().enumerate() {
                // What is terminating and not wanted is only awaited.
                let once = main[number] == 1 || (main[number] == 0 && awaited[number] == 1);
                prop_assert!(once, "{} {} {}", object.id, main[number], awaited[number]);
            }
            let ids: BTreeSet<_> = plan.objects.iter().map(|object| &object.id).collect();
            prop_assert_eq!(ids.len(), plan.objects.len());
            let all = world.stored.entries.iter().map(|entry| &entry.id);
            prop_assert!(
                all.chain(world.wanted.members.iter().map(|member| &member.id))
                    .all(|id| ids.contains(id) || (world.operation == Operation::Uninstall))
            );
            prop_assert_eq!(plan.intent.entries.len(), plan.objects.len());
        }
        Ok(())
    });
}

/// Fails when `layers::read` goes over a map of its members instead of their list.
#[test]
fn the_same_input_gives_the_same_plan_to_the_byte() {
    law("deterministic", &["layers", "hooks"], |scenario, distribution| {
        for (world, plan) in plans(scenario, distribution) {
            let text = |plan: &Plan| goyaml::json::to_string(plan).unwrap();
            prop_assert_eq!(text(&plan), text(&world.planned()));
        }
        Ok(())
    });
}

/// Fails when `deletion::declared` leaves out the edges of layers, those of parents, or those of siblings.
#[test]
fn an_uninstall_is_the_reverse_of_an_install_on_declared_edges() {
    let expected = ["declared by layers", "declared by parents", "declared by siblings", "declared pairs"];
    law("reverse", &expected, |scenario, distribution| {
        let install = scenario.install();
        let Ok(plan) = install.plan() else { return Ok(()) };
        let installed = install.installed();
        let Ok(uninstall) = installed.uninstall().plan() else { return Ok(()) };
        describe(&[(install.clone(), plan.clone())], distribution);
        let steps = steps(&uninstall);
        for (first, second) in declared_pairs(&plan, plan.objects.len()) {
            let (Some(act), Some(done)) = (steps.act.get(&first), steps.done.get(&second)) else { continue };
            distribution.count("declared pairs", 1);
            prop_assert!(
                reaches(&uninstall, *done, *act, declared(&uninstall)),
                "{} must go before {}",
                plan.object(second).id,
                plan.object(first).id
            );
        }
        Ok(())
    });
}

/// Fails when `apply_step` ignores whether an object is in sync.
#[test]
fn an_upgrade_to_the_same_changes_nothing() {
    law("empty", &["same"], |scenario, distribution| {
        let install = scenario.install();
        if install.plan().is_err() {
            return Ok(());
        }
        let Ok(plan) = install.installed().plan() else { return Ok(()) };
        distribution.count("same", 1);
        let writes = plan.steps.iter().filter(|step| step.kind.writes());
        let writes: Vec<_> = writes.filter(|step| !matches!(step.kind, StepKind::RunHook { .. })).collect();
        prop_assert!(writes.is_empty(), "{writes:?}");
        Ok(())
    });
}

/// Fails when a hoisted object does not wait for the begin of its chart's own objects.
#[test]
fn hoisting_never_breaks_a_declared_edge() {
    law("hoisting", &["hoists", "declared pairs"], |scenario, distribution| {
        let mut world = scenario.install();
        world.policy.hoist = false;
        let Ok(without) = world.plan() else { return Ok(()) };
        world.policy.hoist = true;
        let with = world.plan();
        prop_assert!(with.is_ok(), "hoisting made a plan impossible");
        let with = with.unwrap();
        describe(&[(world.clone(), with.clone())], distribution);
        let steps = steps(&with);
        for (first, second) in declared_pairs(&without, without.objects.len()) {
            distribution.count("declared pairs", 1);
            prop_assert!(
                reaches(&with, steps.done[&first], steps.act[&second], |_| true),
                "{} no longer waits for {}",
                with.object(second).id,
                with.object(first).id
            );
        }
        Ok(())
    });
}

/// Fails when `Applying::physical` or `Deleting::physical` is left out, or when `holds::propagate` is.
#[test]
fn physical_edges_always_hold() {
    law(
        "physical",
        &["in namespaces", "of definitions", "backends", "kept for what stays", "moved before charts"],
        |scenario, distribution| {
            for (_, plan) in plans(scenario, distribution) {
                physical(&plan, distribution)?;
            }
            Ok(())
        },
    );
}

fn physical(plan: &Plan, distribution: &Distribution) -> Result<(), TestCaseError> {
    let steps = steps(plan);
    let find = |kind: &str, name: &str| {
        let found = plan.objects.iter().position(|object| object.id.kind == kind && object.id.name == name);
        found.map(ObjectIndex::from)
    };
    let deleted = |object: ObjectIndex| {
        steps.act.get(&object).is_some_and(|act| matches!(plan.step(*act).kind, StepKind::Delete { .. }))
    };
    let forgotten = |object: ObjectIndex| {
        plan.steps
            .iter()
            .any(|step| matches!(step.kind, StepKind::Forget { object: found } if found == object))
    };
    for (number, object) in plan.objects.iter().enumerate() {
        let own = ObjectIndex::from(number);
        let namespace = object.id.namespace.as_deref().and_then(|name| find("Namespace", name));
        let definition = (object.id.kind == "Widget")
            .then(|| find("CustomResourceDefinition", "widgets.example.com"))
            .flatten();
        for (container, what) in [(namespace, "in namespaces"), (definition, "of definitions")] {
            let Some(container) = container else { continue };
            if deleted(container) {
                // What is inside goes before, or is not there at all.
                let before = steps
                    .done
                    .get(&own)
                    .is_some_and(|done| reaches(plan, *done, steps.act[&container], |_| true))
                    && !matches!(plan.step(steps.done[&own]).kind, StepKind::Stamp { .. });
                prop_assert!(before || forgotten(own), "{} outlives its container", object.id);
                distribution.count(what, 1);
            } else if let (Some(act), Some(applied)) = (steps.act.get(&own), steps.act.get(&container))
                && matches!(plan.step(*act).kind, StepKind::Apply { .. })
                && matches!(plan.step(*applied).kind, StepKind::Apply { .. } | StepKind::Unchanged { .. })
            {
                prop_assert!(reaches(plan, *applied, *act, |_| true), "{} before its container", object.id);
                distribution.count(what, 1);
            }
        }
        for backend in &plan.intent.entries[number].backends {
            if let (Some(act), true) = (steps.act.get(backend), deleted(*backend)) {
                let gone = steps.done.get(&own).is_some_and(|done| reaches(plan, *done, *act, |_| true));
                let wanted = plan.intent.entries[number].id == plan.objects[number].id
                    && plan.objects[number].document.is_some();
                prop_assert!(gone || wanted || forgotten(own), "{} without its backend", object.id);
            }
        }
    }
    Ok(())
}

/// Fails when `Judge::fate` skips any of its questions: owner, UID, `keep`, delay, foreign objects, whether it is
/// terminating.
#[test]
fn nothing_is_deleted_that_is_not_owned() {
    law(
        "ownership",
        &["deletes", "stamps", "kept as not ours", "kept for foreign objects"],
        |scenario, distribution| {
            for (world, plan) in plans(scenario, distribution) {
                let wanted: BTreeSet<_> = match world.operation {
                    Operation::Uninstall => BTreeSet::new(),
                    _ => wanted_ids(&world.wanted),
                };
                for step in &plan.steps {
                    let (StepKind::Delete { object, .. } | StepKind::Stamp { object, .. }) = step.kind else {
                        continue;
                    };
                    let planned = plan.object(object);
                    let stored = world.stored.entries.iter().find(|entry| entry.id == planned.id);
                    prop_assert!(stored.is_some(), "{} was never stored", planned.id);
                    prop_assert!(!wanted.contains(&planned.id), "{} is wanted", planned.id);
                    let live = world.live.get(&planned.id);
                    prop_assert!(live.is_some(), "{} is not there", planned.id);
                    let (stored, live) = (stored.unwrap(), live.unwrap());
                    prop_assert_eq!(&live.owner, &Owner::Ours);
                    prop_assert_eq!(Some(&live.uid), stored.uid.as_ref());
                    prop_assert_eq!(Some(&live.uid), planned.uid.as_ref());
                    prop_assert!(!live.keep && !stored.keep && live.deleting.is_none());
                    if !matches!(step.kind, StepKind::Delete { .. }) {
                        continue;
                    }
                    prop_assert!(world.live.foreign.get(&planned.id).is_none_or(Vec::is_empty));
                    if live.delay.is_some() {
                        let due = live.stamp.as_deref() == Some("2025-12-01T00:00:00Z");
                        prop_assert!(due, "{} has time left", planned.id);
                    }
                }
            }
            Ok(())
        },
    );
}

fn wanted_ids(wanted: &Wanted) -> BTreeSet<objects::ObjectId> {
    wanted.members.iter().chain(&wanted.crds).map(|member| member.id.clone()).collect()
}

/// Fails when `Ranks::draft` gives the next rank no gate, or lets the gate wait for deletes and not for their end.
#[test]
fn a_rank_starts_when_all_lower_ones_are_gone() {
    law("ranks", &["pairs of ranks"], |scenario, distribution| {
        for (world, plan) in plans(scenario, distribution) {
            if world.policy.rules.iter().any(|rule| rule.waits_at_most().is_some()) {
                continue;
            }
            let steps = steps(&plan);
            for (first, lower) in plan.objects.iter().enumerate() {
                for (second, higher) in plan.objects.iter().enumerate() {
                    let (first, second) = (ObjectIndex::from(first), ObjectIndex::from(second));
                    if lower.rank >= higher.rank || lower.rank.is_none() || !steps.act.contains_key(&second) {
                        continue;
                    }
                    distribution.count("pairs of ranks", 1);
                    prop_assert!(reaches(&plan, steps.done[&first], steps.act[&second], |_| true));
                }
            }
        }
        Ok(())
    });
}

/// Fails when `check_way_out` is left out, or when what was moved before charts waits for its own chart when it goes.
#[test]
fn what_can_be_installed_can_be_uninstalled() {
    law("way out", &["ways out", "refused installs", "backends"], |scenario, distribution| {
        let install = scenario.install();
        let Ok(plan) = install.plan() else {
            distribution.count("refused installs", 1);
            return Ok(());
        };
        distribution
            .count("backends", plan.intent.entries.iter().filter(|entry| !entry.backends.is_empty()).count());
        distribution.count("ways out", 1);
        let way_out = install.installed().uninstall().plan();
        prop_assert!(way_out.is_ok(), "{}", way_out.unwrap_err());
        Ok(())
    });
}
