//! The ordering examples of the documents Slipway was made for, in every spelling.

use plan::input::{ChartFacts, ChartTree, Declared, Dependency, Order, Wanted};
use plan::output::Note;
use plan::{ChartIndex, Plan};

use crate::world::{World, add, documents, object, waits, waves};

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
