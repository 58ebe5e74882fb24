//! Requests that nobody means to send: bodies that are none, kinds that do not fit, options that do not exist.

use serde_json::json;

use super::change::{APPLY, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH};
use super::world::World;
use crate::sequence::{Body, Call, Verb};

impl World {
    pub(super) fn odd(&mut self) {
        let Some(object) = self.pick() else { return self.create() };
        let kind = self.objects[object].kind;
        let (path, collection) = (self.path(object), self.collection(object));
        let named = self.naming(object);
        let request = |verb, method, path: &str| World::request(verb, kind.group, method, path.to_owned());
        let text = |words: &str| Body::Text(words.to_owned());
        let call = match self.dice.below(30) {
            0 => Call { body: text("{\"kind\": "), ..request(Verb::Create, "POST", &collection) },
            1 => Call { body: text(""), ..request(Verb::Create, "POST", &collection) },
            2 => Call { body: text("[]"), ..request(Verb::Create, "POST", &collection) },
            3 => {
                let body = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}});
                let mut body = if kind.kind == "Pod" {
                    json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}})
                } else {
                    body
                };
                if self.dice.chance(50) {
                    body["kind"] = json!("Nonsense");
                }
                Call { body: Body::Json(body), ..request(Verb::Create, "POST", &collection) }
            }
            4 => {
                let mut body = named;
                body["apiVersion"] = json!("v9");
                Call { body: Body::Json(body), ..request(Verb::Create, "POST", &collection) }
            }
            5 => {
                let mut body =
                    kind.object(&mut self.dice, json!({"name": "Not_A_Name", "labels": {"seq": "⟨tag⟩"}}));
                let mut query = Vec::new();
                if self.dice.chance(30) {
                    body["metadata"] = json!({"labels": {"seq": "⟨tag⟩"}});
                    // The server makes a name of its own for these alone, and lists them wherever that name happens to
                    // stand among the others.
                    if kind.kind == "LimitRange" {
                        query.push(("dryRun", "All".to_owned()));
                    }
                }
                Call { query, body: Body::Json(body), ..request(Verb::Create, "POST", &collection) }
            }
            6 => {
                let body = kind.object(&mut self.dice, json!({"name": "elsewhere", "namespace": "other"}));
                Call { body: Body::Json(body), ..request(Verb::Create, "POST", &collection) }
            }
            7 => {
                let mut body = named;
                body["metadata"]["name"] = json!("another-name");
                Call { body: Body::Json(body), ..request(Verb::Update, "PUT", &path) }
            }
            8 => Call {
                content_type: "text/plain",
                body: text("hello"),
                ..request(Verb::Create, "POST", &collection)
            },
            9 => Call {
                content_type: "application/json",
                body: text("{}"),
                ..request(Verb::PatchMerge, "PATCH", &path)
            },
            10 => Call {
                content_type: JSON_PATCH,
                body: text("{}"),
                ..request(Verb::PatchJson, "PATCH", &path)
            },
            11 => Call {
                content_type: MERGE_PATCH,
                body: text("[]"),
                ..request(Verb::PatchMerge, "PATCH", &path)
            },
            12 => Call {
                content_type: STRATEGIC_PATCH,
                body: text("nothing"),
                ..request(Verb::PatchStrategic, "PATCH", &path)
            },
            13 => Call {
                content_type: APPLY,
                query: vec![("fieldManager", "alpha".to_owned())],
                body: text("a: [b"),
                ..request(Verb::Apply, "PATCH", &path)
            },
            14 => Call {
                query: vec![("labelSelector", "app in web".to_owned())],
                ..request(Verb::List, "GET", &collection)
            },
            15 => Call {
                query: vec![("fieldSelector", "spec.nothing=1".to_owned())],
                ..request(Verb::List, "GET", &collection)
            },
            16 => {
                Call { query: vec![("limit", "abc".to_owned())], ..request(Verb::List, "GET", &collection) }
            }
            17 => Call {
                query: vec![("continue", "bm90aGluZw".to_owned())],
                ..request(Verb::List, "GET", &collection)
            },
            18 => Call {
                query: vec![("resourceVersion", "abc".to_owned())],
                ..request(Verb::List, "GET", &collection)
            },
            19 => Call {
                query: vec![("resourceVersionMatch", "Exact".to_owned())],
                ..request(Verb::List, "GET", &collection)
            },
            20 => {
                Call { query: vec![("dryRun", "Some".to_owned())], ..request(Verb::Delete, "DELETE", &path) }
            }
            21 => Call {
                query: vec![("fieldValidation", "Perhaps".to_owned())],
                body: Body::Json(named),
                ..request(Verb::Update, "PUT", &path)
            },
            22 => Call { ..request(Verb::Get, "GET", &format!("{path}/nothing")) },
            23 => Call { body: Body::Json(named), ..request(Verb::Update, "PUT", &collection) },
            24 => Call { body: Body::Json(named), ..request(Verb::Create, "POST", &path) },
            25 => Call { accept: "text/html", ..request(Verb::Get, "GET", &path) },
            26 => Call {
                query: vec![("resourceVersion", "1".to_owned()), ("sendInitialEvents", "true".to_owned())],
                ..request(Verb::List, "GET", &collection)
            },
            27 => Call {
                query: vec![("force", "true".to_owned()), ("fieldManager", "alpha".to_owned())],
                content_type: MERGE_PATCH,
                body: text("{}"),
                ..request(Verb::PatchMerge, "PATCH", &path)
            },
            28 => {
                let mut body = named;
                body["metadata"]["managedFields"] =
                    json!([{"manager": "x", "operation": "Apply", "apiVersion": "v1"}]);
                Call {
                    content_type: APPLY,
                    query: vec![("fieldManager", "alpha".to_owned())],
                    body: Body::Json(body),
                    ..request(Verb::Apply, "PATCH", &path)
                }
            }
            _ => Call { ..request(Verb::Get, "GET", &format!("{}/nothings", kind.prefix)) },
        };
        self.call(call);
    }
}
