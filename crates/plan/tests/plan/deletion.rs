//! Deletion: ranks, rules, what is kept and why.

use objects::ObjectId;
use plan::input::{Cascade, ChartTree, HookEvent, Owner, Rules, Wanted, Written};
use plan::output::{Because, Forgotten, Kept, Note, RankBy, Reason, Recheck, StepKind};
use plan::{ChartIndex, Operation, Plan};

use crate::world::{World, definition, documents, find, object, single, titles, waits};

fn kept(plan: &Plan, name: &str) -> Kept {
    match &plan.step(find(plan, &format!("keep {name}"))).reason {
        Reason::Kept(kept) => kept.clone(),
        reason => panic!("{reason:?}"),
    }
}

fn id(group: &str, kind: &str, namespace: Option<&str>, name: &str) -> ObjectId {
    ObjectId {
        group: group.into(),
        kind: kind.into(),
        namespace: namespace.map(Into::into),
        name: name.into(),
    }
}

fn rules(yaml: &str) -> Rules {
    Rules::parse("rules.yaml", yaml).unwrap_or_else(|error| panic!("{error}"))
}

fn layered(layer: &str, needs: &str) -> Vec<(&'static str, String)> {
    let mut annotations = vec![("helm.sh/layer", layer.to_owned())];
    if !needs.is_empty() {
        annotations.push(("helm.sh/depends-on/layers", needs.to_owned()));
    }
    annotations
}

fn in_layer(kind: &str, name: &str, layer: &str, needs: &str) -> String {
    let annotations = layered(layer, needs);
    let annotations: Vec<(&str, &str)> =
        annotations.iter().map(|(key, value)| (*key, value.as_str())).collect();
    object(kind, name, &annotations)
}

#[test]
fn an_uninstall_reverses_the_layers() {
    let documents = documents(&[
        in_layer("StatefulSet", "db", "db", ""),
        in_layer("Deployment", "app", "app", "db"),
        in_layer("Deployment", "web", "web", "app"),
        object("ConfigMap", "rest", &[]),
    ]);
    let plan = World::ordered(&documents).installed().uninstall().planned();
    for (second, first) in [("app", "web"), ("db", "app"), ("web", "rest")] {
        assert!(waits(&plan, &format!("delete {second}"), &format!("gone {first}")), "{second} {first}");
    }
    assert!(plan.sequenced);
}

#[test]
fn the_stored_sequencing_decides_about_an_uninstall() {
    let documents =
        documents(&[in_layer("StatefulSet", "db", "db", ""), in_layer("Deployment", "app", "app", "db")]);
    let plan = World::unordered(&documents).installed().uninstall().planned();
    assert!(!waits(&plan, "delete db", "gone app"));
    assert!(!plan.sequenced);
}

#[test]
fn an_upgrade_deletes_by_the_edges_of_the_old_revision_after_everything_new_is_ready() {
    let old = documents(&[
        in_layer("ConfigMap", "db", "db", ""),
        in_layer("ConfigMap", "middle", "middle", "db"),
        in_layer("ConfigMap", "app", "app", "middle"),
    ]);
    let new = documents(&[in_layer("ConfigMap", "middle", "middle", ""), object("ConfigMap", "new", &[])]);
    let plan = World::ordered(&old).installed().wanting(&new).planned();
    assert!(waits(&plan, "delete app", "await new"));
    // `middle` stays, but app still goes before db.
    assert!(waits(&plan, "delete db", "gone app"));
}

#[test]
fn whether_an_upgrade_is_sequenced_is_its_own_word() {
    let documents =
        documents(&[in_layer("ConfigMap", "db", "db", ""), in_layer("ConfigMap", "app", "app", "db")]);
    let mut world = World::ordered(&documents).installed();
    world.policy.order = plan::input::Order::Kinds;
    assert!(!world.planned().sequenced);
    world.operation = Operation::Rollback { sequenced: true };
    assert!(world.planned().sequenced);
    world.policy.order = plan::input::Order::Ordered;
    world.operation = Operation::Rollback { sequenced: false };
    assert!(!world.planned().sequenced);
}

#[test]
fn a_rollback_applies_in_the_targets_order_and_deletes_leftovers_in_reverse() {
    let target =
        documents(&[in_layer("ConfigMap", "db", "db", ""), in_layer("ConfigMap", "app", "app", "db")]);
    let current = documents(&[
        in_layer("ConfigMap", "db", "db", ""),
        in_layer("ConfigMap", "cache", "cache", "db"),
        in_layer("ConfigMap", "web", "web", "cache"),
    ]);
    let mut world = World::ordered(&current).installed().wanting(&target);
    world.operation = Operation::Rollback { sequenced: true };
    let plan = world.planned();
    assert!(waits(&plan, "apply app", "await db"));
    for (second, first) in [("delete web", "await app"), ("delete cache", "gone web")] {
        assert!(waits(&plan, second, first), "{second} {first}");
    }
    // A target that was not installed in order is not ordered by what goes, which still goes in its own.
    world.operation = Operation::Rollback { sequenced: false };
    let plan = world.planned();
    assert!(!waits(&plan, "apply app", "leave db"));
    assert!(waits(&plan, "delete cache", "gone web"));
}

#[test]
fn the_deletions_of_an_upgrade_have_ranks_of_the_old_revision_and_rules_of_the_new() {
    let old = documents(&[
        object("ConfigMap", "plain", &[]),
        object("Secret", "ruled", &[]),
        object("ServiceAccount", "annotated", &[("slipway.dev/deletion-rank", "'120'")]),
    ]);
    let mut world = World::unordered(&old).installed().wanting(&object("ConfigMap", "new", &[]));
    world.policy.rules = rules("- deletionRank: 150\n  types: [v1/Secret]\n");
    let plan = world.planned();
    assert!(waits(&plan, "delete ruled", "gone annotated") && waits(&plan, "delete plain", "gone ruled"));
}

#[test]
fn hooks_of_an_upgrade_and_an_uninstall_enclose_the_deletions() {
    let source = objects::Source::new("shop/templates/hooks.yaml");
    let mut builder = Wanted::builder(ChartTree::single("shop"), "ns");
    let written = Written { chart: ChartIndex(0), source: &source, line: 1 };
    builder.manifest(written, &object("ConfigMap", "stays", &[])).unwrap();
    let events = [HookEvent::PreUpgrade, HookEvent::PostUpgrade, HookEvent::PreDelete, HookEvent::PostDelete];
    for event in events {
        builder.hook(written, &object("Job", event.name(), &[]), &[event], 0, &[]).unwrap();
    }
    let wanted = builder.finish();
    let installed = World::unordered(&object("ConfigMap", "goes", &[])).installed();
    let upgrade = World { wanted: wanted.clone(), ..installed.clone() };
    assert_eq!(
        titles(&upgrade.planned()),
        ["pre-upgrade pre-upgrade", "apply stays", "delete goes", "gone goes", "post-upgrade post-upgrade"]
    );
    let uninstall = World { wanted, ..installed.uninstall() };
    assert_eq!(
        titles(&uninstall.planned()),
        ["pre-delete pre-delete", "delete goes", "gone goes", "post-delete post-delete"]
    );
}

#[test]
fn finalizers_of_the_api_server_are_protected() {
    for finalizer in [
        "orphan",
        "kubernetes",
        "customresourcecleanup.apiextensions.k8s.io",
        "kubernetes.io/pvc-protection",
        "kubernetes.io/pv-protection",
    ] {
        assert!(plan::is_protected(finalizer), "{finalizer}");
    }
    // Whether this one may be removed depends on who set it.
    for finalizer in ["foregroundDeletion", "example.com/cleanup"] {
        assert!(!plan::is_protected(finalizer), "{finalizer}");
    }
}

#[test]
fn a_changed_version_is_the_same_object() {
    let old = "apiVersion: apps/v1beta1\nkind: Deployment\nmetadata:\n  name: web\n";
    let new = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n";
    let plan = World::unordered(old).installed().wanting(new).planned();
    assert_eq!(titles(&plan), ["apply web"]);
}

#[test]
fn an_object_is_not_deleted_whose_uid_is_that_of_a_wanted_one() {
    let old = "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata:\n  name: web\n";
    let new = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: web\n";
    let mut world = World::unordered(old).installed().wanting(new);
    let live = world.live("web").clone();
    world.live.objects.insert(id("networking.k8s.io", "Ingress", Some("ns"), "web"), live);
    let plan = world.planned();
    assert_eq!(plan.step(find(&plan, "forget web")).reason, Reason::Forgotten(Forgotten::Moved));
    assert!(!titles(&plan).contains(&"delete web".to_owned()));
}

#[test]
fn keep_is_honoured_on_every_path_that_deletes() {
    let documents = documents(&[
        object("ConfigMap", "precious", &[("helm.sh/resource-policy", "keep")]),
        object("ConfigMap", "other", &[]),
    ]);
    let world = World::unordered(&documents).installed();
    assert_eq!(kept(&world.uninstall().planned(), "precious"), Kept::Policy);
    assert_eq!(kept(&world.wanting(&object("ConfigMap", "other", &[])).planned(), "precious"), Kept::Policy);
    let mut prune = world.wanting(&object("ConfigMap", "other", &[]));
    prune.operation = Operation::Prune;
    assert_eq!(kept(&prune.planned(), "precious"), Kept::Policy);
    prune.operation = Operation::Rollback { sequenced: false };
    assert_eq!(kept(&prune.planned(), "precious"), Kept::Policy);
}

#[test]
fn what_is_not_ours_is_kept() {
    let mut world = World::unordered(&object("ConfigMap", "a", &[])).installed().uninstall();
    world.live("a").owner = Owner::Other("release b in ns".into());
    assert_eq!(kept(&world.planned(), "a"), Kept::NotOurs { owner: Some("release b in ns".into()) });
    world.live("a").owner = Owner::Nobody;
    assert_eq!(kept(&world.planned(), "a"), Kept::NotOurs { owner: None });
}

#[test]
fn what_is_gone_or_replaced_is_forgotten() {
    let mut world = World::unordered(&object("ConfigMap", "a", &[])).installed().uninstall();
    world.live("a").uid = "another".into();
    let plan = world.planned();
    assert_eq!(plan.step(find(&plan, "forget a")).reason, Reason::Forgotten(Forgotten::Replaced));
    world.live.objects.clear();
    let plan = world.planned();
    assert_eq!(plan.step(find(&plan, "forget a")).reason, Reason::Forgotten(Forgotten::Gone));
    assert!(plan.is_empty());
}

#[test]
fn a_delete_is_never_sent_to_what_is_already_terminating() {
    let mut world = World::unordered(&object("ConfigMap", "a", &[])).installed().uninstall();
    world.live("a").deleting = Some(world.now);
    assert_eq!(titles(&world.planned()), ["gone a"]);
}

#[test]
fn a_wanted_object_that_is_terminating_is_applied_when_it_is_gone() {
    let mut world = World::unordered(&object("ConfigMap", "a", &[])).installed();
    world.live("a").deleting = Some(world.now);
    assert_eq!(titles(&world.planned()), ["gone a", "apply a"]);
}

#[test]
fn workloads_are_deleted_in_the_foreground_and_cascade_overrides() {
    let documents = documents(&[object("Deployment", "web", &[]), object("ConfigMap", "config", &[])]);
    let mut world = World::unordered(&documents).installed().uninstall();
    let cascades = |plan: &Plan| -> Vec<Cascade> {
        let of = |step: &plan::output::Step| match step.kind {
            StepKind::Delete { cascade, .. } => Some(cascade),
            _ => None,
        };
        plan.steps.iter().filter_map(of).collect()
    };
    assert_eq!(cascades(&world.planned()), [Cascade::Foreground, Cascade::Background]);
    world.policy.cascade = Some(Cascade::Orphan);
    assert_eq!(cascades(&world.planned()), [Cascade::Orphan, Cascade::Orphan]);
}

#[test]
fn inside_a_rank_kinds_go_in_helms_order_without_waiting() {
    let documents = documents(&[
        object("ConfigMap", "config", &[]),
        object("Deployment", "web", &[]),
        object("Service", "service", &[]),
    ]);
    let plan = World::unordered(&documents).installed().uninstall().planned();
    let deletes: Vec<String> =
        titles(&plan).into_iter().filter(|title| title.starts_with("delete")).collect();
    assert_eq!(deletes, ["delete service", "delete web", "delete config"]);
    assert!(!waits(&plan, "delete config", "delete web"));
}

#[test]
fn definitions_and_namespaces_with_foreign_objects_are_kept() {
    let documents = documents(&[definition("Widget", "Namespaced"), object("Namespace", "space", &[])]);
    let mut world = World::unordered(&documents).installed().uninstall();
    let foreign = id("example.com", "Widget", Some("theirs"), "w");
    let crd = id("apiextensions.k8s.io", "CustomResourceDefinition", None, "widgets.example.com");
    world.live.foreign.insert(crd, vec![foreign.clone()]);
    world.live.foreign.insert(id("", "Namespace", None, "space"), vec![foreign.clone(); 9]);
    let plan = world.planned();
    assert_eq!(
        kept(&plan, "widgets.example.com"),
        Kept::Foreign { objects: vec![foreign.clone()], count: 1 }
    );
    assert!(matches!(kept(&plan, "space"), Kept::Foreign { count: 9, objects } if objects.len() == 5));
    world.policy.delete_foreign = true;
    let plan = world.planned();
    assert!(titles(&plan).contains(&"delete space".to_owned()));
}

#[test]
fn the_check_for_foreign_objects_is_repeated_directly_before_the_delete() {
    let mut world = World::unordered(&object("Namespace", "space", &[])).installed().uninstall();
    let recheck = |plan: &Plan| match plan.step(find(plan, "delete space")).kind {
        StepKind::Delete { recheck, because, .. } => (recheck, because),
        _ => panic!(),
    };
    let foreign = Recheck { foreign: true, owners: false, countdown: true };
    assert_eq!(recheck(&world.planned()), (foreign, Because::Uninstalled));
    world.policy.delete_foreign = true;
    assert_eq!(recheck(&world.planned()).0, Recheck { foreign: false, ..foreign });
}

#[test]
fn definitions_of_crds_are_kept_unless_asked_for() {
    let mut builder = plan::input::Wanted::builder(plan::input::ChartTree::single("shop"), "ns");
    let source = objects::Source::new("shop/crds/widgets.yaml");
    let written = plan::input::Written { chart: plan::ChartIndex(0), source: &source, line: 1 };
    builder.crd(written, &definition("Widget", "Namespaced")).unwrap();
    let mut world = World::of(builder.finish(), plan::input::Order::Kinds).installed().uninstall();
    assert_eq!(kept(&world.planned(), "widgets.example.com"), Kept::Definitions);
    world.policy.delete_crds = true;
    assert!(titles(&world.planned()).contains(&"delete widgets.example.com".to_owned()));
}

#[test]
fn what_is_kept_keeps_its_namespace_and_definition() {
    let documents = documents(&[
        object("Namespace", "ns", &[]),
        definition("Widget", "Namespaced"),
        object("Widget", "w", &[("helm.sh/resource-policy", "keep")]),
    ]);
    let plan = World::unordered(&documents).installed().uninstall().planned();
    for name in ["ns", "widgets.example.com"] {
        let Kept::Holds { object } = kept(&plan, name) else { panic!() };
        assert_eq!(plan.object(object).id.name, "w");
    }
}

#[test]
fn a_dropped_namespace_stays_while_wanted_objects_are_in_it() {
    let old = documents(&[object("Namespace", "ns", &[]), object("ConfigMap", "a", &[])]);
    let plan = World::unordered(&old).installed().wanting(&object("ConfigMap", "a", &[])).planned();
    assert!(matches!(kept(&plan, "ns"), Kept::Holds { .. }));
}

fn webhook() -> String {
    documents(&[
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata:\n  name: hook\nwebhooks:\n- name: a.b.c\n  clientConfig:\n    service: {namespace: ns, name: svc}\n".to_owned(),
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: svc\nspec:\n  selector: {app: hook, tier: x}\n".to_owned(),
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: server\nspec:\n  template:\n    metadata:\n      labels: {app: hook, tier: x, more: y}\n".to_owned(),
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: unrelated\nspec:\n  template:\n    metadata:\n      labels: {app: hook, tier: z}\n".to_owned(),
    ])
}

#[test]
fn a_webhook_goes_before_the_service_and_workload_that_serve_it() {
    let plan = World::unordered(&webhook()).installed().uninstall().planned();
    assert!(waits(&plan, "delete svc", "gone hook") && waits(&plan, "delete server", "gone hook"));
    assert!(!waits(&plan, "delete unrelated", "gone hook"));
    // A cluster-scoped object of rank 400 goes with those of rank 300 that must go after it.
    assert!(matches!(
        plan.step(find(&plan, "delete hook")).reason,
        Reason::Ranked { rank, by: RankBy::Before(_) } if rank.0 == 300
    ));
}

#[test]
fn a_rule_only_orders_unless_it_says_more() {
    let documents = documents(&[object("ConfigMap", "a", &[]), object("Secret", "b", &[])]);
    let mut world = World::unordered(&documents).installed().uninstall();
    world.policy.rules = rules("- deletionRank: 310\n  types: [v1/Secret]\n");
    let plan = world.planned();
    assert!(waits(&plan, "delete b", "gone a"));
    assert!(!titles(&plan).iter().any(|title| title.starts_with("strip")));
}

#[test]
fn the_annotation_beats_the_rules() {
    let documents = documents(&[
        object("ConfigMap", "early", &[("slipway.dev/deletion-rank", "'50'")]),
        object("ConfigMap", "late", &[]),
        object("Secret", "between", &[]),
    ]);
    let mut world = World::unordered(&documents).installed().uninstall();
    world.policy.rules = rules("- deletionRank: 350\n  types: [v1/ConfigMap]\n");
    let plan = world.planned();
    assert!(waits(&plan, "delete between", "gone early") && waits(&plan, "delete late", "gone between"));
}

#[test]
fn versions_of_a_type_are_not_compared() {
    for pattern in ["example.com/v1/Widget", "example.com/v2beta1/Widget", "example.com/*/Widget"] {
        let documents = documents(&[object("Widget", "w", &[]), object("ConfigMap", "c", &[])]);
        let mut world = World::unordered(&documents).installed().uninstall();
        world.policy.rules = rules(&format!("- deletionRank: 310\n  types: ['{pattern}']\n"));
        assert!(waits(&world.planned(), "delete w", "gone c"), "{pattern}");
    }
}

#[test]
fn a_type_that_matches_nothing_is_warned_of() {
    let mut world = World::unordered(&object("ConfigMap", "a", &[])).installed().uninstall();
    world.policy.rules = rules("- deletionRank: 310\n  types: [apps/Deployment]\n");
    let plan = world.planned();
    assert!(plan.notes.contains(&Note::UnmatchedType { rule: 1, pattern: "apps/Deployment".into() }));
}

#[test]
fn rules_that_contradict_each_other_are_refused() {
    for (yaml, message) in [
        (
            "- deletionRank: 1\n  types: [v1/Secret]\n- deletionRank: 2\n  types: [v2/Secret]\n",
            "r.yaml:3: the type v2/Secret is in deletion rules 1 and 2",
        ),
        (
            "- deletionRank: 1\n  waitTimeout: 1m\n- deletionRank: 1\n  waitTimeout: 2m\n",
            "r.yaml:3: deletion rules 1 and 2 give rank 1 different times or force",
        ),
    ] {
        assert_eq!(Rules::parse("r.yaml", yaml).unwrap_err().to_string(), message);
    }
}

#[test]
fn a_rule_that_a_physical_edge_contradicts_is_refused_with_the_path() {
    let documents = documents(&[object("Namespace", "ns", &[]), object("ConfigMap", "a", &[])]);
    let mut world = World::unordered(&documents).installed().uninstall();
    world.policy.rules = rules("- deletionRank: 700\n  types: [v1/ConfigMap]\n");
    let refused = world.refused();
    assert!(refused.contains("ConfigMap ns/a cannot have the deletion rank 700"), "{refused}");
    assert!(refused.contains("ConfigMap ns/a → Namespace ns"), "{refused}");
}

#[test]
fn a_rule_that_a_layer_contradicts_is_refused_with_the_path() {
    let documents =
        documents(&[in_layer("ConfigMap", "app", "app", "db"), in_layer("Secret", "db", "db", "")]);
    let mut world = World::ordered(&documents).installed().uninstall();
    world.policy.rules = rules("- deletionRank: 350\n  types: [v1/ConfigMap]\n");
    let refused = world.refused();
    assert!(refused.contains("layer app of shop → layer db of shop"), "{refused}");
    assert!(refused.contains("shop/templates/all.yaml:7"), "{refused}");
}

#[test]
fn an_effective_rank_is_the_lowest_of_all_that_must_go_after() {
    let documents = documents(&[
        in_layer("ClusterRole", "app", "app", "db"),
        in_layer("Widget", "db", "db", ""),
        object("Secret", "other", &[]),
    ]);
    let plan = World::ordered(&documents).installed().uninstall().planned();
    let rank =
        |name: &str| plan.objects.iter().find(|object| object.id.name == name).unwrap().rank.unwrap().0;
    assert_eq!((rank("app"), rank("db")), (200, 200));
    assert!(waits(&plan, "delete db", "gone app"));
}

#[test]
fn a_rule_about_a_rank_without_objects_forces_what_is_left_of_lower_ones() {
    let documents = documents(&[object("Widget", "w", &[]), object("ConfigMap", "c", &[])]);
    let mut world = World::unordered(&documents).installed().uninstall();
    world.policy.rules = rules("- deletionRank: 250\n  waitTimeout: 1m\n  forceDeleteAfterWaitTimeout: {}\n");
    let plan = world.planned();
    assert!(waits(&plan, "delete c", "strip 250") && waits(&plan, "strip 250", "delete w"));
}

#[test]
fn physical_edges_are_never_skipped() {
    let documents = documents(&[
        definition("Widget", "Namespaced"),
        object("Widget", "w", &[]),
        object("ConfigMap", "c", &[]),
    ]);
    let mut world = World::unordered(&documents).installed().uninstall();
    world.policy.rules = rules("- deletionRank: 100\n  waitTimeout: 1m\n");
    let plan = world.planned();
    assert!(!waits(&plan, "delete c", "gone w"));
    assert!(waits(&plan, "delete widgets.example.com", "gone w"));
}

/// An operator with its account, a role for widgets, and a widget with its finalizer.
fn operated(layers: [&str; 2]) -> World {
    let annotated = |document: &str, annotations: &str| {
        document.replace("metadata:\n", &format!("metadata:\n{annotations}"))
    };
    let documents = documents(&[
        definition("Widget", "Namespaced"),
        annotated("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: operator\nspec:\n  template:\n    spec:\n      serviceAccountName: op\n", layers[0]),
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: op\nrules:\n- apiGroups: [example.com]\n  resources: [widgets/finalizers]\n  verbs: [update]\n".to_owned(),
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata:\n  name: op\nroleRef: {kind: Role, name: op}\nsubjects:\n- {kind: ServiceAccount, name: op}\n".to_owned(),
        annotated("apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: w\n", layers[1]),
    ]);
    let mut world = World::of(single(&documents), plan::input::Order::Ordered).installed().uninstall();
    world.live("w").finalizers = vec!["example.com/cleanup".into()];
    world
}

#[test]
fn the_likely_owner_of_a_finalizer_goes_after_what_waits_for_it() {
    let mut world = operated(["", ""]);
    // Without the edge both would go in one rank.
    world.policy.rules = rules("- deletionRank: 300\n  types: [example.com/v1/Widget]\n");
    let plan = world.planned();
    assert!(waits(&plan, "delete operator", "gone w"), "{:?}", titles(&plan));
}

#[test]
fn where_declared_edges_remove_the_owner_first_planning_warns_and_strict_refuses() {
    let first = "  annotations:\n    helm.sh/layer: first\n";
    let second = "  annotations:\n    helm.sh/layer: second\n    helm.sh/depends-on/layers: first\n";
    let mut world = operated([second, first]);
    let plan = world.planned();
    let deadlock = |note: &&Note| matches!(note, Note::Deadlock { .. });
    let note = plan.notes.iter().find(deadlock).unwrap().to_string();
    assert!(
        note.contains("Widget.example.com ns/w waits for its finalizer \"example.com/cleanup\""),
        "{note}"
    );
    assert!(
        note.contains("Deployment.apps ns/operator → layer second of shop → layer first of shop"),
        "{note}"
    );
    world.policy.strict = true;
    assert!(world.refused().contains("example.com/cleanup"));
}

#[test]
fn a_contradiction_that_only_deleting_would_meet_is_refused_before_anything_is_there() {
    let annotated = |document: &str, annotations: &str| {
        document.replacen("metadata:\n", &format!("metadata:\n  annotations: {{{annotations}}}\n"), 1)
    };
    let webhook = webhook();
    let parts: Vec<&str> = webhook.split("---\n").collect();
    // Reversed, the service would go before the webhook that calls it.
    let documents = documents(&[
        annotated(parts[0], "helm.sh/layer: first"),
        annotated(parts[1], "helm.sh/layer: second, helm.sh/depends-on/layers: first"),
    ]);
    let refused = World::ordered(&documents).refused();
    assert!(refused.starts_with("the declared order cannot be kept: "), "{refused}");
    assert!(refused.contains("the API server calls the backend"), "{refused}");
}

#[test]
fn the_releases_own_namespace_goes_last() {
    let documents = documents(&["a", "ns", "z"].map(|name| object("Namespace", name, &[])));
    let mut world = World::unordered(&documents).installed().uninstall();
    world.wanted.namespace = "ns".into();
    let plan = world.planned();
    assert!(waits(&plan, "delete ns", "gone a") && waits(&plan, "delete ns", "gone z"));
    assert!(!waits(&plan, "delete z", "gone a"));
}
