//! Changing: `PUT`, the three patches, and server-side apply.

use serde_json::{Map, Value, json};

use super::create::merge;
use super::world::{Made, State, World};
use crate::sequence::{Body, Call, Verb, Version};

pub(super) const JSON_PATCH: &str = "application/json-patch+json";
pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";
pub(super) const STRATEGIC_PATCH: &str = "application/strategic-merge-patch+json";
pub(super) const APPLY: &str = "application/apply-patch+yaml";

impl World {
    /// A change of an object: mostly of what its kind is about, else of its metadata.
    fn some_change(&mut self, object: usize, verb: Verb) -> Value {
        let kind = self.objects[object].kind;
        match self.dice.weighted(&[(62, 0), (28, 1), (7, 2), (3, 3)]) {
            0 if verb == Verb::PatchStrategic => (kind.strategic)(&mut self.dice),
            0 => (kind.change)(&mut self.dice),
            1 => self.metadata_change(object),
            2 => (kind.wrong)(&mut self.dice),
            _ => {
                let mut change = (kind.change)(&mut self.dice);
                self.unknown_field(&mut change);
                change
            }
        }
    }

    fn metadata_change(&mut self, object: usize) -> Value {
        let leaving = self.objects[object].state == State::Leaving;
        let choice = if leaving && self.dice.chance(60) { 4 } else { self.dice.below(10) };
        match choice {
            0 => json!({"metadata": {"labels": {"app": self.dice.pick(&["web", "db", "cache"])}}}),
            1 => json!({"metadata": {"labels": {"extra": self.dice.pick(&["1", "2"])}}}),
            2 => json!({"metadata": {"annotations": {"note": self.dice.pick(&["x", "y"]), "more/of": "it"}}}),
            3 => {
                self.objects[object].finalizers = true;
                json!({"metadata": {"finalizers": [self.dice.pick(&["slipway.dev/hold", "slipway.dev/other"])]}})
            }
            4 => {
                self.objects[object].finalizers = false;
                if leaving {
                    self.objects[object].state = State::Gone;
                }
                json!({"metadata": {"finalizers": null}})
            }
            5 => match self.pick() {
                Some(owner) if owner != object => {
                    json!({"metadata": {"ownerReferences": [self.reference(owner)]}})
                }
                _ => json!({"metadata": {"ownerReferences": null}}),
            },
            6 => json!({"metadata": {"annotations": {"note": null}, "labels": {"extra": null}}}),
            7 if self.dice.chance(30) => match self.dice.below(6) {
                0 => json!({"metadata": {"labels": {"bad": "not a value!"}}}),
                1 => json!({"metadata": {"finalizers": ["unqualified finalizer"]}}),
                2 => json!({"metadata": {"uid": "11111111-2222-3333-4444-555555555555"}}),
                3 => {
                    json!({"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "x"}]}})
                }
                4 => json!({"metadata": {"generation": 70, "creationTimestamp": "2020-01-01T00:00:00Z"}}),
                _ => json!({"metadata": {"annotations": {"bad key!": "x"}}}),
            },
            _ => json!({"metadata": {"annotations": {"note": self.dice.pick(&["p", "q", "r"])}}}),
        }
    }

    pub(super) fn update(&mut self) {
        let Some(object) = self.pick() else { return self.create() };
        let change = self.some_change(object, Verb::Update);
        let version =
            self.dice.weighted(&[(78, Version::Newest), (12, Version::None), (10, Version::Oldest)]);
        let (query, dry) = self.options(true);
        let mut otherwise = self.naming(object);
        merge(&mut otherwise, &(self.objects[object].kind.make)(&mut self.dice));
        let accept = self.reduced();
        self.call(Call {
            object: (!dry).then_some(object),
            query,
            accept,
            body: Body::Changed { object, change, version, otherwise },
            ..World::request(Verb::Update, self.objects[object].kind.group, "PUT", self.path(object))
        });
    }

    pub(super) fn patch(&mut self, verb: Verb) {
        let Some(object) = self.pick() else { return self.create() };
        let mut change = self.some_change(object, verb);
        let content_type = match verb {
            Verb::PatchJson => JSON_PATCH,
            Verb::PatchMerge => MERGE_PATCH,
            _ => STRATEGIC_PATCH,
        };
        if verb != Verb::PatchJson && self.dice.chance(8) {
            let version = if self.dice.chance(60) { "rv" } else { "old-rv" };
            change["metadata"]["resourceVersion"] = json!(format!("⟨{version} {object}⟩"));
        }
        let body = if verb == Verb::PatchJson { self.operations(object, &change) } else { change };
        let (query, dry) = self.options(true);
        let accept = self.reduced();
        self.call(Call {
            object: (!dry).then_some(object),
            query,
            accept,
            content_type,
            body: Body::Json(body),
            ..World::request(verb, self.objects[object].kind.group, "PATCH", self.path(object))
        });
    }

    /// The change as a list of operations.
    pub(super) fn operations(&mut self, object: usize, change: &Value) -> Value {
        let mut operations = Vec::new();
        if self.dice.chance(15) {
            let name = if self.dice.chance(80) {
                self.objects[object].name.clone()
            } else {
                "somebody-else".to_owned()
            };
            operations.push(json!({"op": "test", "path": "/metadata/name", "value": name}));
        }
        flatten(change, "", &mut operations);
        if self.dice.chance(8) {
            operations.push(match self.dice.below(4) {
                0 => json!({"op": "move", "from": "/metadata/labels/app", "path": "/metadata/labels/moved"}),
                1 => json!({"op": "copy", "from": "/metadata/labels/seq", "path": "/metadata/labels/copied"}),
                2 => json!({"op": "replace", "path": "/metadata/labels/none", "value": "x"}),
                _ => json!({"op": "twist", "path": "/metadata"}),
            });
        }
        json!(operations)
    }

    pub(super) fn apply(&mut self) {
        let existing = if self.dice.chance(75) { self.pick() } else { None };
        let (object, new) = match existing {
            Some(object) => (object, false),
            None => (self.imagine(), true),
        };
        let kind = self.objects[object].kind;
        let mut body = self.naming(object);
        // A blank for a generated name stays empty until the object is there.
        if new || self.dice.chance(30) {
            merge(&mut body, &(kind.make)(&mut self.dice));
            body["metadata"]["labels"] = json!({"seq": "⟨tag⟩", "app": self.dice.pick(&["web", "db"])});
        } else {
            let change = self.some_change(object, Verb::Apply);
            merge(&mut body, &change);
        }
        let (mut query, dry) = self.options(false);
        if !self.dice.chance(3) {
            query.push(("fieldManager", self.dice.pick(&["alpha", "beta", "gamma"]).to_owned()));
        }
        if self.dice.chance(35) {
            query.push(("force", "true".to_owned()));
        }
        if dry && new {
            self.objects[object].state = State::Gone;
        }
        self.call(Call {
            object: (!dry).then_some(object),
            query,
            content_type: APPLY,
            body: Body::Json(body),
            ..World::request(Verb::Apply, kind.group, "PATCH", self.path(object))
        });
    }

    /// An object that apply will make.
    fn imagine(&mut self) -> usize {
        let kind = self.kind();
        let number = self.objects.len();
        let namespace = if kind.namespaced { self.namespace() } else { String::new() };
        let letter = char::from(b'a' + (number % 26) as u8);
        let name =
            if kind.namespaced { format!("{letter}{number}") } else { format!("⟨tag⟩-{letter}{number}") };
        self.objects.push(Made { kind, namespace, name, state: State::There, finalizers: false });
        number
    }
}

/// One operation for each leaf of a merge patch.
fn flatten(change: &Value, path: &str, operations: &mut Vec<Value>) {
    match change {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                flatten(value, &format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")), operations);
            }
        }
        Value::Null => operations.push(json!({"op": "remove", "path": path})),
        value => operations.push(json!({"op": "add", "path": path, "value": value})),
    }
}

/// The change without what it removes, as apply has no word for that.
pub(super) fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept: Map<_, _> = map
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, value)| (key.clone(), without_nulls(value)))
                .collect();
            Value::Object(kept)
        }
        value => value.clone(),
    }
}
