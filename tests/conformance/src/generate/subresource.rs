//! Subresources: `status`, `scale`, `finalize`, `eviction` and `token`.

use serde_json::{Value, json};

use super::change::{APPLY, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, without_nulls};
use super::create::merge;
use super::world::{State, World};
use crate::sequence::{Body, Call, Group, Verb, Version};

impl World {
    pub(super) fn subresource(&mut self, verb: Verb) {
        let Some(object) = self.pick() else { return self.create() };
        let kind = self.objects[object].kind;
        match (kind.plural, verb) {
            ("namespaces", Verb::Update) => self.finalize(object),
            ("pods", Verb::PatchJson) => self.evict(object),
            ("serviceaccounts", _) if self.dice.chance(50) => self.token(object),
            _ if kind.subresources.contains(&"scale") && self.dice.chance(45) => self.scale(object, verb),
            _ if kind.subresources.contains(&"status") => self.status(object, verb),
            _ if verb == Verb::Update => self.update(),
            _ if verb == Verb::Apply => self.apply(),
            _ => self.patch(verb),
        }
    }

    fn finalize(&mut self, object: usize) {
        let keep = if self.dice.chance(60) { json!([]) } else { json!(["kubernetes", "slipway.dev/mine"]) };
        if keep == json!([])
            && self.objects[object].state == State::Leaving
            && !self.objects[object].finalizers
        {
            self.objects[object].state = State::Gone;
        }
        let body = Body::Changed {
            object,
            change: json!({"spec": {"finalizers": keep}}),
            version: Version::Newest,
            otherwise: self.naming(object),
        };
        let path = format!("{}/finalize", self.path(object));
        let request = World::request(Verb::Update, Group::Namespace, "PUT", path);
        self.call(Call { subresource: "finalize", object: Some(object), body, ..request });
    }

    fn evict(&mut self, object: usize) {
        let made = &mut self.objects[object];
        made.state = if made.finalizers { State::Leaving } else { State::Gone };
        let mut body = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": made.name, "namespace": made.namespace}});
        if self.dice.chance(30) {
            body["deleteOptions"] = json!({"gracePeriodSeconds": self.dice.pick(&[0, 10])});
        }
        let path = format!("{}/eviction", self.path(object));
        let request = World::request(Verb::Create, Group::Workload, "POST", path);
        self.call(Call { subresource: "eviction", body: Body::Json(body), ..request });
    }

    fn token(&mut self, object: usize) {
        let mut body = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
        match self.dice.below(7) {
            0 => body["spec"]["expirationSeconds"] = json!(self.dice.pick(&[600, 7200, 86_400])),
            1 => body["spec"]["audiences"] = json!(["api", "vault"]),
            2 => body["spec"]["expirationSeconds"] = json!(self.dice.pick(&[0, 30, 599])),
            3 => body["metadata"] = json!({"name": self.dice.pick(&["someone-else", "x"])}),
            4 => {
                let kind = self.dice.pick(&["Pod", "Secret", "Deployment"]);
                body["spec"]["boundObjectRef"] = json!({"apiVersion": "v1", "kind": kind, "name": "nobody"});
            }
            _ => {}
        }
        let path = format!("{}/token", self.path(object));
        let request = World::request(Verb::Create, Group::Config, "POST", path);
        self.call(Call { subresource: "token", body: Body::Json(body), ..request });
    }

    fn scale(&mut self, object: usize, verb: Verb) {
        let replicas = self.dice.weighted(&[(90, 0), (10, 1)]);
        let change = if replicas == 0 {
            json!({"spec": {"replicas": self.dice.below(6)}})
        } else {
            json!({"spec": {"replicas": -3}})
        };
        let path = format!("{}/scale", self.path(object));
        let group = self.objects[object].kind.group;
        if self.dice.chance(25) {
            let request = World::request(Verb::Get, group, "GET", path);
            return self.call(Call { subresource: "scale", ..request });
        }
        let naming = self.objects[object].name.clone();
        let mut whole =
            json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": naming}});
        if self.objects[object].kind.namespaced {
            whole["metadata"]["namespace"] = json!(self.objects[object].namespace);
        }
        merge(&mut whole, &change);
        self.write(object, "scale", path, verb, change, whole);
    }

    fn status(&mut self, object: usize, verb: Verb) {
        let kind = self.objects[object].kind;
        let mut change = (kind.status)(&mut self.dice);
        if self.dice.chance(15) {
            merge(&mut change, &(kind.change)(&mut self.dice));
        }
        let path = format!("{}/status", self.path(object));
        if self.dice.chance(15) {
            let request = World::request(Verb::Get, kind.group, "GET", path);
            return self.call(Call { subresource: "status", object: Some(object), ..request });
        }
        let mut whole = self.naming(object);
        merge(&mut whole, &without_nulls(&change));
        self.write(object, "status", path, verb, change, whole);
    }

    fn write(
        &mut self,
        object: usize,
        subresource: &'static str,
        path: String,
        verb: Verb,
        change: Value,
        whole: Value,
    ) {
        let (mut query, dry) = self.options(verb != Verb::Apply);
        let learns = subresource == "status" && !dry;
        let (method, content_type, body) = match verb {
            Verb::Update if subresource == "status" => {
                let version =
                    self.dice.weighted(&[(80, Version::Newest), (10, Version::None), (10, Version::Oldest)]);
                ("PUT", "application/json", Body::Changed { object, change, version, otherwise: whole })
            }
            Verb::Update => ("PUT", "application/json", Body::Json(whole)),
            Verb::PatchJson => ("PATCH", JSON_PATCH, Body::Json(self.operations(object, &change))),
            Verb::PatchMerge => ("PATCH", MERGE_PATCH, Body::Json(change)),
            Verb::PatchStrategic => ("PATCH", STRATEGIC_PATCH, Body::Json(change)),
            _ => {
                query.push(("fieldManager", self.dice.pick(&["alpha", "beta"]).to_owned()));
                if self.dice.chance(35) {
                    query.push(("force", "true".to_owned()));
                }
                ("PATCH", APPLY, Body::Json(whole))
            }
        };
        let group = self.objects[object].kind.group;
        let request = World::request(verb, group, method, path);
        self.call(Call {
            subresource,
            object: learns.then_some(object),
            query,
            content_type,
            body,
            ..request
        });
    }
}
