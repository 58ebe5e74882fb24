//! Sequencing: layers, subcharts, hoisting, hooks, readiness.

use std::time::Duration;

use plan::input::{
    ChartFacts, ChartTree, Declared, Dependency, HookEvent, Hooks, Need, Order, Wanted, WantedBuilder,
    Written,
};
use plan::output::{Barrier, Change, Gate, Note, Reason, StepKind, Within};
use plan::{ChartIndex, Plan};

use crate::world::{World, add, definition, documents, find, object, single, titles, waits, waves};

const LAYER: &str = "helm.sh/layer";
const NEEDS: &str = "helm.sh/depends-on/layers";

fn declared(yaml: &str) -> Option<Declared> {
    (!yaml.is_empty()).then(|| Declared { value: goyaml::from_str(yaml).unwrap(), line: 4 })
}

/// A parent with subcharts: name, alias, tags, depends-on, enabled.
struct Family {
    tree: ChartTree,
}

impl Family {
    fn new(needs: &str) -> Self {
        let needs = declared(needs);
        Self { tree: ChartTree::new(ChartFacts { path: "top".into(), needs, ..ChartFacts::default() }) }
    }

    fn child(
        mut self,
        name: &str,
        alias: Option<&str>,
        tags: &[&str],
        depends_on: &str,
        enabled: bool,
    ) -> Self {
        let path = format!("top/charts/{}", alias.unwrap_or(name));
        let chart =
            enabled.then(|| self.tree.add(ChartIndex(0), ChartFacts { path, ..ChartFacts::default() }));
        self.tree.chart_mut(ChartIndex(0)).unwrap().dependencies.push(Dependency {
            name: name.into(),
            alias: alias.map(Into::into),
            tags: tags.iter().map(|tag| (*tag).into()).collect(),
            depends_on: declared(depends_on),
            chart,
        });
        self
    }

    /// One object for each chart, named after its directory.
    fn wanted(&self) -> Wanted {
        let mut builder = Wanted::builder(self.tree.clone(), "ns");
        for (number, chart) in self.tree.charts().iter().enumerate() {
            let name = chart.path.rsplit('/').next().unwrap();
            let path = format!("{}/templates/a.yaml", chart.path);
            add(&mut builder, ChartIndex::from(number), &path, &object("ConfigMap", name, &[]));
        }
        builder.finish()
    }

    fn world(&self) -> World {
        World::of(self.wanted(), Order::Ordered)
    }
}

#[test]
fn two_spellings_with_different_values_are_refused() {
    let refused =
        World::ordered(&object("ConfigMap", "a", &[(LAYER, "x"), ("slipway.dev/layer", "y")])).refused();
    assert_eq!(
        refused,
        "shop/templates/all.yaml:7: ConfigMap ns/a has helm.sh/layer and slipway.dev/layer with different values"
    );
    let needs = [(NEEDS, "x"), ("slipway.dev/depends-on-layers", "z")];
    assert!(World::ordered(&object("ConfigMap", "a", &needs)).refused().contains("different values"));
    let delays = [("smith.atlassian.com/deletionDelay", "1h"), ("slipway.dev/deletion-delay", "2h")];
    assert!(World::ordered(&object("ConfigMap", "a", &delays)).refused().contains("different values"));
}

#[test]
fn two_spellings_with_the_same_value_are_one() {
    let both = [
        (NEEDS, "[b, c]"),
        ("slipway.dev/depends-on-layers", "'c,b'"),
        (LAYER, "a"),
        ("helm.sh/resource-group", "a"),
    ];
    let documents = documents(&[
        object("ConfigMap", "a", &both),
        object("ConfigMap", "b", &[(LAYER, "b")]),
        object("ConfigMap", "c", &[("slipway.dev/layer", "c")]),
    ]);
    assert_eq!(waves(&World::ordered(&documents).planned()), [vec!["b", "c"], vec!["a"]]);
}

#[test]
fn a_layer_needs_what_any_of_its_members_needs() {
    let documents = documents(&[
        object("ConfigMap", "one", &[(LAYER, "app"), (NEEDS, "a")]),
        object("ConfigMap", "two", &[(LAYER, "app"), (NEEDS, "b")]),
        object("ConfigMap", "a", &[(LAYER, "a")]),
        object("ConfigMap", "b", &[(LAYER, "b")]),
    ]);
    let plan = World::ordered(&documents).planned();
    assert!(waits(&plan, "apply one", "await b") && waits(&plan, "apply two", "await a"));
}

#[test]
fn a_resource_with_needs_but_no_layer_is_a_layer_of_its_own() {
    let documents = documents(&[
        object("ConfigMap", "a", &[(LAYER, "a")]),
        object("ConfigMap", "x", &[(NEEDS, "a")]),
        object("ConfigMap", "z", &[(NEEDS, "a")]),
        object("ConfigMap", "rest", &[]),
    ]);
    let plan = World::ordered(&documents).planned();
    assert_eq!(waves(&plan), [vec!["a"], vec!["x", "z"], vec!["rest"]]);
    assert!(!waits(&plan, "apply z", "apply x"));
    assert!(matches!(plan.step(find(&plan, "apply x")).reason, Reason::Nameless(_)));
}

#[test]
fn it_is_a_true_graph_without_level_barriers() {
    let documents = documents(&[
        object("ConfigMap", "a", &[(LAYER, "a")]),
        object("ConfigMap", "slow", &[(LAYER, "slow")]),
        object("ConfigMap", "b", &[(LAYER, "b"), (NEEDS, "a")]),
        object("ConfigMap", "c", &[(LAYER, "c"), (NEEDS, "slow")]),
    ]);
    let plan = World::ordered(&documents).planned();
    assert!(!waits(&plan, "apply b", "await slow") && !waits(&plan, "apply c", "await a"));
}

#[test]
fn resources_without_annotations_start_when_all_layers_are_ready() {
    let documents = documents(&[
        object("Deployment", "rest", &[]),
        object("ConfigMap", "a", &[(LAYER, "a")]),
        object("ConfigMap", "lonely", &[(LAYER, "lonely")]),
    ]);
    let plan = World::ordered(&documents).planned();
    assert!(waits(&plan, "apply rest", "await a") && waits(&plan, "apply rest", "await lonely"));
    assert!(matches!(plan.step(find(&plan, "apply rest")).reason, Reason::Unlayered(_)));
}

#[test]
fn an_unknown_layer_is_warned_of_and_strict_refuses_it() {
    let mut world = World::ordered(&object("ConfigMap", "a", &[(LAYER, "a"), (NEEDS, "nowhere")]));
    assert_eq!(
        world.planned().notes.iter().map(Note::told).collect::<Vec<_>>(),
        [
            "shop/templates/all.yaml:7: ConfigMap ns/a needs the layer \"nowhere\", which chart shop does not have; this need is dropped"
        ]
    );
    world.policy.strict = true;
    assert!(world.refused().contains("\"nowhere\""));
}

#[test]
fn a_cycle_of_layers_is_shown_as_a_path_with_every_declaration() {
    let documents = documents(&[
        object("ConfigMap", "x", &[(LAYER, "a"), (NEEDS, "b")]),
        object("ConfigMap", "w", &[(LAYER, "b"), (NEEDS, "c")]),
        object("ConfigMap", "z", &[(LAYER, "c"), (NEEDS, "a")]),
    ]);
    insta::assert_snapshot!(World::ordered(&documents).refused(), @r"
    layers of chart shop need each other: a → b → c → a
      a → b: helm.sh/depends-on/layers on ConfigMap ns/x (shop/templates/all.yaml:7)
      b → c: helm.sh/depends-on/layers on ConfigMap ns/w (shop/templates/all.yaml:15)
      c → a: helm.sh/depends-on/layers on ConfigMap ns/z (shop/templates/all.yaml:23)
    ");
}

#[test]
fn a_layer_that_needs_itself_is_a_cycle() {
    let refused = World::ordered(&object("ConfigMap", "x", &[(LAYER, "a"), (NEEDS, "a")])).refused();
    assert!(refused.contains("a → a"), "{refused}");
}

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

/// A chart with one layered Deployment that needs what is not annotated.
fn half_annotated() -> String {
    documents(&[
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: app\n  annotations:\n    helm.sh/layer: app\nspec:\n  template:\n    spec:\n      serviceAccountName: account\n      priorityClassName: high\n      volumes:\n      - configMap: {name: config}\n      - persistentVolumeClaim: {claimName: claim}\n      - configMap: {name: optional, optional: true}\n      containers:\n      - env:\n        - valueFrom: {secretKeyRef: {name: secret, key: k}}\n".to_owned(),
        object("ServiceAccount", "account", &[]),
        object("ConfigMap", "config", &[]),
        object("ConfigMap", "optional", &[]),
        object("Secret", "secret", &[]),
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: claim\nspec:\n  storageClassName: fast\n".to_owned(),
        "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata:\n  name: fast\n".to_owned(),
        "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata:\n  name: high\n".to_owned(),
        object("Namespace", "ns", &[]),
        object("ConfigMap", "unrelated", &[]),
    ])
}

#[test]
fn what_a_sequenced_object_needs_moves_before_it_and_says_why() {
    let plan = World::ordered(&half_annotated()).planned();
    let expected = [
        ("account", Need::ServiceAccount),
        ("config", Need::ConfigMap),
        ("secret", Need::Secret),
        ("claim", Need::PersistentVolumeClaim),
        ("high", Need::PriorityClass),
        ("ns", Need::Namespace),
    ];
    for (name, need) in expected {
        let apply = format!("apply {name}");
        assert!(waits(&plan, "apply app", &apply), "{name}");
        // It must exist, not be ready.
        assert!(!waits(&plan, "apply app", &format!("await {name}")), "{name}");
        let Reason::Hoisted { user, need: found } = plan.step(find(&plan, &apply)).reason else {
            panic!("{name}")
        };
        assert_eq!(found, need);
        // A namespace has many users, and the first of them is the reason.
        assert!(need == Need::Namespace || plan.object(user).id.name == "app", "{name}");
    }
    // Through the claim the storage class is needed too.
    assert!(waits(&plan, "apply claim", "apply fast"));
    for rest in ["unrelated", "optional"] {
        assert!(waits(&plan, &format!("apply {rest}"), "await app"), "{rest}");
    }
}

/// A chart that comes after its subcharts, or a subchart that comes after another, and has their namespace.
fn umbrella(family: &Family, holder: u32, annotations: &[(&str, &str)]) -> World {
    let mut builder = Wanted::builder(family.tree.clone(), "ns");
    for (number, chart) in family.tree.charts().iter().enumerate() {
        let name = chart.path.rsplit('/').next().unwrap();
        let path = format!("{}/templates/a.yaml", chart.path);
        add(&mut builder, ChartIndex::from(number), &path, &object("Widget", name, &[]));
        if number == holder as usize {
            let path = format!("{}/templates/b.yaml", chart.path);
            add(&mut builder, ChartIndex(holder), &path, &object("Namespace", "ns", annotations));
            add(&mut builder, ChartIndex(holder), &path, &definition("Widget", "Namespaced"));
        }
    }
    World::of(builder.finish(), Order::Ordered)
}

#[test]
fn a_namespace_that_nobody_gave_a_place_comes_before_what_its_chart_comes_after() {
    let parent = || Family::new("db").child("db", None, &[], "", true);
    let sibling = || Family::new("").child("app", None, &[], "db", true).child("db", None, &[], "", true);
    for (world, last) in [(umbrella(&parent(), 0, &[]), "top"), (umbrella(&sibling(), 1, &[]), "app")] {
        let plan = world.planned();
        let crd = "apply widgets.example.com";
        assert!(waits(&plan, "apply db", "apply ns") && waits(&plan, "apply db", crd), "{last}");
        assert!(waits(&plan, &format!("apply {last}"), "await db"), "{last}");
        let Reason::Hoisted { need, .. } = plan.step(find(&plan, "apply ns")).reason else {
            panic!("{last}")
        };
        assert_eq!(need, Need::Namespace);
        let uninstall = world.installed().uninstall().planned();
        assert!(waits(&uninstall, "delete db", &format!("gone {last}")), "{last}");
        assert!(waits(&uninstall, "delete ns", "gone db"), "{last}");
        assert!(waits(&uninstall, "delete widgets.example.com", "gone db"), "{last}");
    }
    // Somebody gave this one a place, which cannot be.
    let refused = umbrella(&parent(), 0, &[(LAYER, "first")]).refused();
    assert!(refused.contains("Namespace ns → Widget.example.com ns/db: a namespace holds"), "{refused}");
    assert!(refused.contains("helm.sh/depends-on/subcharts"), "{refused}");
}

#[test]
fn no_hoist_turns_it_off_but_for_namespaces_and_definitions() {
    let mut world = World::ordered(&half_annotated());
    world.policy.hoist = false;
    let plan = world.planned();
    assert!(waits(&plan, "apply config", "await app"));
    assert!(waits(&plan, "apply app", "apply ns"));
}

#[test]
fn bindings_need_their_role_and_accounts() {
    let documents = documents(&[
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata:\n  name: binding\n  annotations:\n    helm.sh/layer: a\nroleRef: {kind: Role, name: role}\nsubjects:\n- {kind: ServiceAccount, name: account}\n".to_owned(),
        object("Role", "role", &[]),
        object("ServiceAccount", "account", &[]),
    ]);
    let plan = World::ordered(&documents).planned();
    assert!(waits(&plan, "apply binding", "apply role") && waits(&plan, "apply binding", "apply account"));
}

#[test]
fn a_definition_is_established_before_its_objects_in_every_mode() {
    let documents = documents(&[object("Widget", "w", &[(LAYER, "a")]), definition("Widget", "Namespaced")]);
    for world in [
        World::ordered(&documents),
        World::unordered(&documents),
        World::of(single(&documents), Order::Phases),
    ] {
        assert!(waits(&world.planned(), "apply w", "establish widgets.example.com"));
    }
    // Inside of one layer as well.
    let one = crate::world::documents(&[
        object("Widget", "w", &[(LAYER, "a")]),
        definition("Widget", "Namespaced")
            .replace("  name: widgets", "  annotations: {helm.sh/layer: a}\n  name: widgets"),
    ]);
    assert!(waits(&World::ordered(&one).planned(), "apply w", "establish widgets.example.com"));
}

#[test]
fn a_namespace_comes_before_what_is_in_it_in_every_mode() {
    let documents =
        documents(&[object("ConfigMap", "a", &[(LAYER, "a")]), object("Namespace", "ns", &[(LAYER, "a")])]);
    for world in [
        World::ordered(&documents),
        World::unordered(&documents),
        World::of(single(&documents), Order::Phases),
    ] {
        assert!(waits(&world.planned(), "apply a", "apply ns"));
    }
}

#[test]
fn a_physical_contradiction_is_shown_as_a_path() {
    let documents = documents(&[
        object("ConfigMap", "a", &[(LAYER, "early")]),
        object("Namespace", "ns", &[(LAYER, "late"), (NEEDS, "early")]),
    ]);
    let refused = World::ordered(&documents).refused();
    assert!(refused.starts_with("the declared order cannot be kept: "), "{refused}");
    assert!(refused.contains("layer early of shop → layer late of shop: helm.sh/depends-on/layers on Namespace ns (shop/templates/all.yaml:14)"), "{refused}");
    assert!(refused.contains("Namespace ns → ConfigMap ns/a: a namespace holds what is in it"), "{refused}");
}

#[test]
fn a_hoist_that_would_close_a_cycle_is_dropped_with_a_note() {
    let mut family = Family::new("sub").child("sub", None, &[], "", true);
    family.tree.chart_mut(ChartIndex(0)).unwrap().path = "top".into();
    let mut builder: WantedBuilder = Wanted::builder(family.tree, "ns");
    add(&mut builder, ChartIndex(0), "top/templates/a.yaml", &object("ServiceAccount", "account", &[]));
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: pod\nspec:\n  serviceAccountName: account\n";
    add(&mut builder, ChartIndex(1), "top/charts/sub/templates/a.yaml", pod);
    let plan = World::of(builder.finish(), Order::Ordered).planned();
    assert!(waits(&plan, "apply account", "await pod"));
    let dropped = |note: &Note| matches!(note, Note::HoistDropped { object, user } if object.name == "account" && user.name == "pod");
    assert!(plan.notes.iter().any(dropped));
}

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

#[test]
fn edges_between_layers_run_from_barrier_to_barrier() {
    let mut all = Vec::new();
    for number in 0..20 {
        all.push(object("ConfigMap", &format!("a{number}"), &[(LAYER, "a")]));
        all.push(object("ConfigMap", &format!("b{number}"), &[(LAYER, "b"), (NEEDS, "a")]));
    }
    let plan = World::ordered(&documents(&all)).planned();
    let declared: Vec<_> = plan.edges.iter().filter(|edge| plan.origin(edge.origin).is_declared()).collect();
    assert_eq!(declared.len(), 1);
    assert!(matches!(plan.step(declared[0].from).kind, StepKind::Barrier { at: Barrier::LayerEnd(_) }));
    assert!(plan.edges.len() < 5 * plan.objects.len());
}

#[test]
fn an_upgrade_to_the_same_changes_nothing() {
    let world = World::ordered(&half_annotated()).installed();
    assert!(world.planned().is_empty());
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
