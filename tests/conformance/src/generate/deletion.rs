//! Sequences for servers with controllers: graphs of owners and dependents with finalizers, and what is deleted of them.
//!
//! After each step that lets controllers act, the sequence waits until nothing changes any more, and asks for all that
//! is there; then for the way that each object went. In the end everything goes.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::change::MERGE_PATCH;
use super::world::{Made, State, World};
use crate::dice::Dice;
use crate::kinds::{self, Kind};
use crate::sequence::{Action, Body, Call, Group, Settle, Step, Verb};

/// The plurals of the kinds that own and are owned: none of them has a controller of its own.
const PLURALS: [&str; 6] = ["configmaps", "secrets", "roles", "widgets", "looses", "racks"];

/// Calls on a server with controllers.
pub(super) fn deletion() -> impl Strategy<Value = Vec<Step>> {
    (3..=9usize, 1..=4usize)
        .prop_perturb(|(objects, rounds), source| script(objects, rounds, Dice::new(source)))
}

fn script(objects: usize, rounds: usize, dice: Dice) -> Vec<Step> {
    let mut world = World::new(dice, Group::Custom);
    world.open_namespace("⟨tag⟩-a");
    if world.dice.chance(40) {
        world.open_namespace("⟨tag⟩-b");
    }
    if world.dice.chance(25) {
        world.define();
    }
    let first = world.next();
    world.look();
    for _ in 0..objects {
        world.make_owned();
    }
    world.settle();
    for _ in 0..rounds {
        world.act();
        world.settle();
    }
    world.tell_history(first);
    world.end();
    world.steps
}

impl World {
    fn owned_kind(&mut self) -> &'static Kind {
        if self.defined && self.dice.chance(30) {
            return &kinds::GADGET;
        }
        let plural = self.dice.pick(&PLURALS);
        let all = [Group::Config, Group::Rbac, Group::Custom].into_iter().flat_map(kinds::of);
        let found: Vec<_> =
            all.filter(|kind| kind.plural == plural && !kind.prefix.ends_with("v1beta1")).collect();
        found.first().copied().unwrap_or(&kinds::GADGET)
    }

    /// An object, owned by up to two others, or by something that was never there.
    fn make_owned(&mut self) {
        let kind = self.owned_kind();
        let namespace = if kind.namespaced { self.namespace() } else { String::new() };
        let number = self.objects.len();
        let name = if kind.namespaced { format!("o{number}") } else { format!("⟨tag⟩-o{number}") };
        let mut metadata = json!({"name": name, "labels": {"seq": "⟨tag⟩"}});
        let finalizers = self.dice.chance(25);
        if finalizers {
            metadata["finalizers"] = json!(["slipway.dev/hold"]);
        }
        let mut owners: Vec<Value> = Vec::new();
        // The collector learns of new definitions late: twice a minute, and later still while others come and go.
        let most = if kind.plural == "gadgets" { 0 } else { 2 };
        for _ in 0..self.dice.weighted(&[(35, 0), (45, 1), (20, 2)]).min(most) {
            let Some(owner) = self.owner_for(&namespace) else { continue };
            if owners.iter().any(|known| known["uid"] == format!("⟨uid {owner}⟩")) {
                continue;
            }
            let mut reference = self.reference(owner);
            if let Some(fields) = reference.as_object_mut() {
                fields.remove("controller");
            }
            owners.push(reference);
        }
        if self.dice.chance(10) && most > 0 {
            owners.push(json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "never", "uid": "11111111-2222-3333-4444-555555555555"}));
        }
        // What nobody that is there owns goes by itself.
        let orphan = owners.len() == 1 && owners[0]["name"] == "never";
        if !owners.is_empty() {
            metadata["ownerReferences"] = json!(owners);
        }
        let body = kind.object(&mut self.dice, metadata);
        let state = if orphan { State::Gone } else { State::There };
        self.objects.push(Made { kind, namespace: namespace.clone(), name, state, finalizers });
        self.call(Call {
            object: Some(number),
            body: Body::Json(body),
            ..World::request(Verb::Create, kind.group, "POST", kind.collection(&namespace))
        });
    }

    /// An owner in the same namespace, or in none.
    fn owner_for(&mut self, namespace: &str) -> Option<usize> {
        let possible: Vec<usize> = (0..self.objects.len())
            .filter(|&at| {
                let made = &self.objects[at];
                made.state == State::There
                    && made.kind.plural != "gadgets"
                    && made.kind.plural != "customresourcedefinitions"
                    && (made.namespace == namespace || made.namespace.is_empty())
            })
            .collect();
        (!possible.is_empty()).then(|| possible[self.dice.below(possible.len())])
    }

    /// One thing that controllers have to do with.
    fn act(&mut self) {
        let Some(object) = self.owned() else { return };
        match self.dice.weighted(&[(70, 0), (12, 1), (8, 2), (5, 3), (5, 4)]) {
            1 => self.patch_metadata(object, &json!({"finalizers": null})),
            2 => self.patch_metadata(object, &json!({"ownerReferences": null})),
            3 if self.defined => self.delete_one(
                "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.⟨tag⟩.example.com"
                    .to_owned(),
                Group::Definition,
            ),
            4 => {
                let namespace = self.namespace();
                self.delete_one(format!("/api/v1/namespaces/{namespace}"), Group::Namespace);
            }
            _ => self.delete_one(self.path(object), self.objects[object].kind.group),
        }
    }

    fn owned(&mut self) -> Option<usize> {
        let those: Vec<usize> = (0..self.objects.len())
            .filter(|&at| self.objects[at].kind.plural != "customresourcedefinitions")
            .collect();
        (!those.is_empty()).then(|| those[self.dice.below(those.len())])
    }

    fn delete_one(&mut self, path: String, group: Group) {
        let policy = self.dice.pick(&["", "Background", "Foreground", "Orphan"]);
        let body = if policy.is_empty() {
            Body::None
        } else {
            Body::Json(json!({"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": policy}))
        };
        self.step(Action::Call(Call { body, ..World::request(Verb::Delete, group, "DELETE", path) }));
    }

    fn patch_metadata(&mut self, object: usize, metadata: &Value) {
        let group = self.objects[object].kind.group;
        let body = Body::Json(json!({"metadata": metadata}));
        let request = World::request(Verb::PatchMerge, group, "PATCH", self.path(object));
        self.call(Call { content_type: MERGE_PATCH, body, ..request });
    }

    /// Every collection that something of the sequence may be in.
    fn collections(&self) -> Vec<String> {
        let mut paths = vec!["/api/v1/namespaces".to_owned()];
        for made in &self.objects {
            let path = made.kind.collection(&made.namespace);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    fn settle(&mut self) {
        let collections = self.collections();
        self.step(Action::Settle(Settle::Quiet(collections)));
        self.look();
    }

    /// Asks for all that is there.
    fn look(&mut self) {
        for path in self.collections() {
            let query = vec![("labelSelector", "seq=⟨tag⟩".to_owned())];
            self.step(Action::Call(Call {
                check: true,
                left: true,
                query,
                ..World::request(Verb::List, Group::Config, "GET", path)
            }));
        }
    }

    /// Everything goes at once, in an order that is not compared; in the end nothing is left.
    fn end(&mut self) {
        let all = |world: &Self, wanted: &dyn Fn(&Made) -> bool| -> Vec<String> {
            let those = (0..world.objects.len()).filter(|&object| wanted(&world.objects[object]));
            those.map(|object| world.path(object)).collect()
        };
        let mut gone = all(self, &|made| !made.kind.namespaced);
        gone.extend(self.namespaces.iter().map(|namespace| format!("/api/v1/namespaces/{namespace}")));
        let held = all(self, &|made| made.finalizers && made.kind.plural != "customresourcedefinitions");
        self.step(Action::Settle(Settle::Cleared(gone, held)));
        self.settle();
    }

    /// Asks for what has happened since the beginning, object by object.
    fn tell_history(&mut self, first: usize) {
        for path in self.collections() {
            // Definitions change by themselves as often as the server likes, and those that are gone tell nothing.
            if path.contains("customresourcedefinitions") || path.contains("gadgets") {
                continue;
            }
            let query = vec![
                ("watch", "true".to_owned()),
                ("labelSelector", "seq=⟨tag⟩".to_owned()),
                ("timeoutSeconds", "1200".to_owned()),
                ("resourceVersion", format!("⟨list-rv {first}⟩")),
            ];
            let request = World::request(Verb::Watch, Group::Config, "GET", path);
            self.step(Action::Call(Call { check: true, history: true, query, ..request }));
        }
    }
}
