//! The ordering examples of the documents Slipway was made for, in every spelling.

use plan::input::{ChartFacts, ChartTree, Declared, Dependency, Order, Wanted};
use plan::output::Note;
use plan::{ChartIndex, Plan};

use crate::world::{World, add, definition, documents, object, single, waits, waves};

/// The spellings of a layer and of what it needs.
const SPELLINGS: [(&str, &str); 3] = [
    ("helm.sh/layer", "helm.sh/depends-on/layers"),
    ("helm.sh/resource-group", "helm.sh/depends-on/resource-groups"),
    ("slipway.dev/layer", "slipway.dev/depends-on-layers"),
];

/// The forms of the list of two layers.
const LISTS: [&str; 6] = [
    r#"["database, queue"]"#,
    r#"["database", "queue"]"#,
    r#"'["database", "queue"]'"#,
    r#"'["database, queue"]'"#,
    "database, queue",
    "[queue, database]",
];

fn template_example(layer: &str, needs: &str, list: &str) -> String {
    documents(&[
        object("Service", "db-service", &[(layer, "database")]),
        object("Deployment", "my-app", &[(layer, "app"), (needs, list)]),
        object("Deployment", "queue-processor", &[(layer, "queue"), (needs, r#"["another-layer"]"#)]),
    ])
}

#[test]
fn database_and_queue_start_together_and_app_waits_for_both() {
    for (layer, needs) in SPELLINGS {
        for list in LISTS {
            let plan = World::ordered(&template_example(layer, needs, list)).planned();
            assert_eq!(
                waves(&plan),
                [vec!["db-service", "queue-processor"], vec!["my-app"]],
                "{layer} {list}"
            );
            assert!(waits(&plan, "apply my-app", "await db-service"));
            assert!(waits(&plan, "apply my-app", "await queue-processor"));
            assert!(!waits(&plan, "apply queue-processor", "apply db-service"));
            let unknown =
                |note: &&Note| matches!(note, Note::UnknownLayer { layer, .. } if layer == "another-layer");
            assert_eq!(plan.notes.iter().filter(unknown).count(), 1);
        }
    }
}

#[test]
fn without_ordered_everything_is_applied_at_once_in_the_order_of_kinds() {
    let plan = World::unordered(&template_example("helm.sh/layer", "helm.sh/depends-on/layers", "database"))
        .planned();
    assert_eq!(waves(&plan), [vec!["db-service", "my-app", "queue-processor"]]);
    assert!(!plan.sequenced);
}

/// The chart `foo` with `nginx`, `rabbitmq` and `bar`; `needs` and `depends_on` in any form.
fn foo(needs: &str, depends_on: &str) -> Plan {
    let declared = |yaml: &str| Some(Declared { value: goyaml::from_str(yaml).unwrap(), line: 3 });
    let mut tree =
        ChartTree::new(ChartFacts { path: "foo".into(), needs: declared(needs), ..ChartFacts::default() });
    for (name, depends_on) in [("nginx", None), ("rabbitmq", None), ("bar", declared(depends_on))] {
        let path = format!("foo/charts/{name}");
        let chart = tree.add(ChartIndex(0), ChartFacts { path, ..ChartFacts::default() });
        tree.chart_mut(ChartIndex(0)).unwrap().dependencies.push(Dependency {
            name: name.into(),
            depends_on,
            chart: Some(chart),
            ..Dependency::default()
        });
    }
    let mut builder = Wanted::builder(tree, "ns");
    for (chart, name) in ["foo", "nginx", "rabbitmq", "bar"].into_iter().enumerate() {
        let path = if chart == 0 { "foo".to_owned() } else { format!("foo/charts/{name}") };
        let document = object("Deployment", name, &[]);
        add(&mut builder, ChartIndex(chart as u32), &format!("{path}/templates/a.yaml"), &document);
    }
    World::of(builder.finish(), Order::Ordered).planned()
}

#[test]
fn bar_waits_for_nginx_and_rabbitmq_and_foo_for_bar() {
    for (needs, depends_on) in [
        (r#"["bar", "rabbitmq"]"#, r#"["nginx", "rabbitmq"]"#),
        (r#"["bar, rabbitmq"]"#, "nginx, rabbitmq"),
        (r#"'["bar", "rabbitmq"]'"#, r#"["nginx, rabbitmq"]"#),
        ("bar,rabbitmq", "[rabbitmq, nginx]"),
    ] {
        let plan = foo(needs, depends_on);
        assert_eq!(waves(&plan), [vec!["nginx", "rabbitmq"], vec!["bar"], vec!["foo"]], "{needs}");
    }
}

#[test]
fn layers_of_one_name_in_two_charts_are_two_layers() {
    let mut tree = ChartTree::new(ChartFacts { path: "foo".into(), ..ChartFacts::default() });
    let bar = tree.add(ChartIndex(0), ChartFacts { path: "foo/charts/bar".into(), ..ChartFacts::default() });
    let mut builder = Wanted::builder(tree, "ns");
    let layer1 = documents(&[
        object("ConfigMap", "foo", &[("helm.sh/layer", "layer1")]),
        object("ConfigMap", "bar", &[("helm.sh/layer", "layer1")]),
    ]);
    add(&mut builder, ChartIndex(0), "foo/templates/a.yaml", &layer1);
    let fizz =
        object("ConfigMap", "fizz", &[("helm.sh/layer", "layer2"), ("helm.sh/depends-on/layers", "layer1")]);
    add(&mut builder, bar, "foo/charts/bar/templates/a.yaml", &fizz);
    let plan = World::of(builder.finish(), Order::Ordered).planned();
    assert_eq!(waves(&plan), [vec!["bar", "fizz", "foo"]]);
}

/// One object of each of the six groups.
fn six() -> String {
    documents(&[
        definition("Widget", "Namespaced"),
        object("Widget", "own-cr", &[]),
        "apiVersion: other.io/v1\nkind: Gadget\nmetadata:\n  name: other-cr\n".to_owned(),
        object("ConfigMap", "namespaced", &[]),
        object("ClusterRole", "cluster", &[]),
        object("Namespace", "space", &[]),
    ])
}

#[test]
fn plain_manifests_are_deployed_as_definitions_then_cluster_then_namespaced() {
    let plan = World::of(single(&six()), Order::Phases).planned();
    let order =
        ["apply widgets.example.com", "establish widgets.example.com", "apply cluster", "apply namespaced"];
    for pair in order.windows(2) {
        assert!(waits(&plan, pair[1], pair[0]), "{pair:?}");
    }
    assert!(waits(&plan, "apply own-cr", "apply space"));
    assert!(waits(&plan, "apply space", "establish widgets.example.com"));
}

#[test]
fn the_six_groups_go_one_after_the_other() {
    let plan = World::of(single(&six()), Order::Phases).installed().uninstall().planned();
    let order = ["own-cr", "other-cr", "namespaced", "cluster", "widgets.example.com", "space"];
    for pair in order.windows(2) {
        assert!(waits(&plan, &format!("delete {}", pair[1]), &format!("gone {}", pair[0])), "{pair:?}");
    }
    let ranks: Vec<i32> = order
        .iter()
        .filter_map(|name| plan.objects.iter().find(|object| object.id.name == *name)?.rank)
        .map(|rank| rank.0)
        .collect();
    assert_eq!(ranks, [100, 200, 300, 400, 500, 600]);
}

/// `deletionOrderRules` as the document writes them.
fn rules(yaml: &str) -> plan::input::Rules {
    plan::input::Rules::parse("rules.yaml", yaml).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_rule_moves_its_types_between_the_groups() {
    let mut world = World::of(single(&six()), Order::Phases).installed().uninstall();
    world.policy.rules = rules("- deletionRank: 250\n  types:\n  - example.com/v1/Widget\n");
    let plan = world.planned();
    assert!(waits(&plan, "delete own-cr", "gone other-cr"));
    assert!(waits(&plan, "delete namespaced", "gone own-cr"));
}

#[test]
fn wait_timeout_and_force_follow_the_rank() {
    for force in ["forceDeleteAfterWaitTimeout", "forceRemoveAfterWaitPeriod"] {
        let mut world = World::of(single(&six()), Order::Phases).installed().uninstall();
        world.policy.rules = rules(&format!(
            "deletionOrderRules:\n- deletionRank: 250\n  types: [example.com/v1/Widget]\n  waitTimeout: 2m\n  {force}:\n    enabled: true\n"
        ));
        let plan = world.planned();
        let titles = crate::world::titles(&plan);
        let at = |title: &str| titles.iter().position(|found| found == title).unwrap();
        assert!(at("delete own-cr") < at("rank 250") && at("rank 250") < at("strip 250"));
        assert!(waits(&plan, "delete namespaced", "strip 250"));
        // The next rank does not wait for the object itself any more.
        assert!(!waits(&plan, "delete namespaced", "gone own-cr"));
    }
}

#[test]
fn a_rule_without_types_is_about_its_rank() {
    let mut world = World::of(single(&six()), Order::Phases).installed().uninstall();
    world.policy.rules =
        rules("- deletionRank: 100\n  forceDeleteAfterWaitTimeout:\n    forceTimeout: 10s\n");
    let plan = world.planned();
    let waits_of: Vec<Option<std::time::Duration>> = plan
        .steps
        .iter()
        .filter_map(|step| match step.kind {
            plan::output::StepKind::AwaitRank { rank, at_most } if rank.0 == 100 => Some(at_most),
            _ => None,
        })
        .collect();
    let seconds = |seconds| Some(std::time::Duration::from_secs(seconds));
    assert_eq!(waits_of, [seconds(60), seconds(10)]);
}

#[test]
fn layers_are_printed_in_the_order_of_deployment_between_delimiters() {
    for ((layer, needs), word) in SPELLINGS.into_iter().zip(["layer", "resource-group", "layer"]) {
        let documents = documents(&[
            object("ConfigMap", "rest", &[]),
            object("ConfigMap", "fizz", &[(layer, "layer2"), (needs, "layer1")]),
            object("ConfigMap", "nameless", &[(needs, "layer1")]),
            object("ConfigMap", "foo", &[(layer, "layer1")]),
            object("ConfigMap", "bar", &[(layer, "layer1")]),
        ]);
        let plan = World::ordered(&documents).planned();
        let mut printed = Vec::new();
        for group in plan.deployment_order() {
            let delimiters = group.layer.and_then(|layer| plan.delimiters(layer));
            printed.extend(delimiters.clone().map(|(start, _)| start));
            printed.extend(group.objects.iter().map(|object| plan.object(*object).id.name.clone()));
            printed.extend(delimiters.map(|(_, end)| end));
        }
        assert_eq!(
            printed.join("\n"),
            format!(
                "## START {word}: shop layer1\nfoo\nbar\n## END {word}: shop layer1\n## START {word}: shop layer2\nfizz\n## END {word}: shop layer2\nnameless\nrest"
            )
        );
    }
}
