//! What objects need from each other, whatever was declared: hoisting, namespaces, definitions.

use plan::ChartIndex;
use plan::input::{Need, Order, Wanted, WantedBuilder};
use plan::output::{Note, Reason};

use crate::family::Family;
use crate::world::{LAYER, NEEDS, World, add, definition, documents, find, object, single, waits};

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

#[test]
fn an_upgrade_to_the_same_changes_nothing() {
    let world = World::ordered(&half_annotated()).installed();
    assert!(world.planned().is_empty());
}
