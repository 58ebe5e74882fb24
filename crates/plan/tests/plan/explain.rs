//! What views of plans promise, tried on generated plans.

use std::collections::BTreeMap;

use plan::explain::{GroupKind, Verb, View, dot, mermaid, svg, text};
use plan::output::StepKind;
use plan::{Operation, Plan};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::scenario::scenario;
use crate::world::{World, documents, object};

/// Hands views of installs, upgrades and uninstalls to a law.
fn law(holds: impl Fn(&Plan, &View)) {
    let config = Config { failure_persistence: None, cases: 96, ..Config::default() };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, random);
    let mut seen = std::cell::Cell::new(0_usize);
    let outcome = runner.run(&scenario(), |scenario| {
        let install = scenario.install();
        let Ok(first) = install.plan() else { return Ok(()) };
        let installed = install.installed();
        let later = [scenario.upgrade(&installed).plan(), scenario.uninstall(&installed).plan()];
        for plan in [first].into_iter().chain(later.into_iter().flatten()) {
            holds(&plan, &View::new(&plan, "shop"));
            seen.set(seen.get() + 1);
        }
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    assert!(*seen.get_mut() > 100, "too few plans");
}

/// Fails if `Fold::place` skips a kind of step, or if a wait gets a row of its own.
#[test]
fn everything_that_is_done_is_shown_once() {
    law(|plan, view| {
        let mut done: BTreeMap<String, usize> = BTreeMap::new();
        for step in &plan.steps {
            let waits = matches!(
                step.kind,
                StepKind::AwaitReady { .. }
                    | StepKind::AwaitEstablished { .. }
                    | StepKind::AwaitGone { .. }
                    | StepKind::Barrier { .. }
                    | StepKind::AwaitRank { .. }
                    | StepKind::StripFinalizers { .. }
            );
            let id = match step.kind {
                StepKind::RunHook { hook, .. } => Some(plan.hooks[hook.at()].id.to_string()),
                kind => kind.object().map(|object| plan.object(object).id.to_string()),
            };
            if let (false, Some(id)) = (waits, id) {
                *done.entry(id).or_default() += 1;
            }
        }
        let mut shown: BTreeMap<String, usize> = BTreeMap::new();
        for row in view.groups.iter().flat_map(|group| &group.steps) {
            if let Some(object) = &row.object {
                *shown.entry(object.to_string()).or_default() += 1;
            }
        }
        assert_eq!(done, shown);
    });
}

/// Fails if `Fold::edges` loses what it passes through, or if `reduced` drops what nothing else implies.
#[test]
fn declared_needs_of_layers_are_ways_through_the_view() {
    law(|plan, view| {
        // An upgrade knows the layers of the old revision too, which say nothing about the new one.
        if plan.operation != Operation::Install {
            return;
        }
        let places = |layer: &plan::input::StoredLayer| -> Vec<usize> {
            let chart = plan::input::display_path(plan.chart_path(layer.chart));
            let is_it = |group: &plan::explain::Group| {
                group.kind == GroupKind::Layer
                    && group.layer == layer.name
                    && group.chart.as_deref().unwrap_or_default() == chart
            };
            (0..view.groups.len()).filter(|number| is_it(&view.groups[*number])).collect()
        };
        for layer in plan.sequencing.layers.iter().filter(|layer| layer.name.is_some()) {
            for need in &layer.needs {
                let needed = &plan.sequencing.layers[need.layer.at()];
                for after in places(layer) {
                    let reached = before(view, after);
                    for place in places(needed) {
                        assert!(
                            reached[place],
                            "{} does not wait for {}",
                            view.groups[after].title, view.groups[place].title
                        );
                    }
                }
            }
        }
    });
}

/// Which groups come before one.
fn before(view: &View, group: usize) -> Vec<bool> {
    let mut reached = vec![false; view.groups.len()];
    let mut stack = vec![group];
    while let Some(at) = stack.pop() {
        for after in &view.groups[at].after {
            if !std::mem::replace(&mut reached[after.group], true) {
                stack.push(after.group);
            }
        }
    }
    reached
}

/// Fails if groups are numbered in another order than that of waves.
#[test]
fn nothing_comes_after_a_later_wave() {
    law(|_, view| {
        for group in &view.groups {
            for after in &group.after {
                assert!(view.groups[after.group].wave <= group.wave);
            }
        }
    });
}

/// Fails if the lines of a summary are drawn that others imply, or if it has a column for each wave.
#[test]
fn a_picture_of_many_layers_stays_a_picture() {
    let layers: Vec<String> = (0..300)
        .map(|layer| {
            let needs: Vec<String> = (0..layer).map(|needed| format!("l{needed}")).collect();
            let (name, needs) = (format!("l{layer}"), needs.join(","));
            let annotations =
                [("helm.sh/layer", name.as_str()), ("helm.sh/depends-on/layers", needs.as_str())];
            object("ConfigMap", &format!("o{layer}"), &annotations[..if layer == 0 { 1 } else { 2 }])
        })
        .collect();
    let plan = World::ordered(&documents(&layers)).planned();
    let view = View::new(&plan, "shop");
    assert_eq!((view.waves, view.groups.len()), (300, 300));
    let picture = svg(&view, 3);
    assert_eq!(picture.matches("marker-end").count(), 24, "23 lines, and one in the legend");
    assert!(picture.contains("waves 1 to 13: 13 layers, 13 objects"), "{picture}");
}

#[test]
fn drawings_name_every_group_and_are_whole() {
    law(|_, view| {
        let (dot, mermaid, svg) = (dot(view, 3), mermaid(view, 3), svg(view, 3));
        for number in 0..view.groups.len() {
            assert!(dot.contains(&format!("  g{number} [")) && mermaid.contains(&format!("  g{number}")));
        }
        for tag in ["svg", "text", "g", "path", "defs", "marker"] {
            let opened = svg.matches(&format!("<{tag} ")).count() + svg.matches(&format!("<{tag}>")).count();
            let closed = svg.matches(&format!("</{tag}>")).count();
            assert!(closed <= opened && (tag == "path" || opened == closed), "{tag} {opened} {closed}");
        }
        let mut lines = String::new();
        text(view, None, &mut |_, piece| lines.push_str(piece));
        for row in view.groups.iter().flat_map(|group| &group.steps).filter(|row| row.verb != Verb::Wait) {
            assert!(row.object.as_ref().is_none_or(|object| lines.contains(&object.to_string())));
        }
        assert!(lines.lines().all(|line| line == line.trim_end()), "{lines}");
    });
}
