//! Layers: their spellings, what they need, and what cannot be.

use plan::output::{Barrier, Note, Reason, StepKind};

use crate::world::{LAYER, NEEDS, World, documents, find, object, waits, waves};

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
