//! Deleting, one object or many.

use serde_json::{Value, json};

use super::world::{State, World};
use crate::sequence::{Body, Call, Group, Verb};

impl World {
    pub(super) fn delete(&mut self) {
        let Some(object) = self.pick() else { return self.create() };
        let mut options = json!({"apiVersion": "v1", "kind": "DeleteOptions"});
        let mut query = Vec::new();
        let mut kept = false;
        let propagation = self.dice.weighted(&[
            (50, ""),
            (18, "Background"),
            (14, "Foreground"),
            (14, "Orphan"),
            (2, "Sideways"),
        ]);
        if !propagation.is_empty() {
            if self.dice.chance(30) {
                query.push(("propagationPolicy", propagation.to_owned()));
            } else {
                options["propagationPolicy"] = json!(propagation);
            }
        }
        if self.dice.chance(15) {
            let right = self.dice.chance(60);
            let (key, value) = match (self.dice.chance(50), right) {
                (true, true) => ("uid", format!("⟨uid {object}⟩")),
                (true, false) => ("uid", "11111111-2222-3333-4444-555555555555".to_owned()),
                (false, true) => ("resourceVersion", format!("⟨rv {object}⟩")),
                (false, false) => ("resourceVersion", format!("⟨old-rv {object}⟩")),
            };
            options["preconditions"] = json!({key: value});
            kept |= !right;
        }
        if self.dice.chance(10) {
            let grace = self.dice.pick(&["0", "1", "45", "-1"]);
            if self.dice.chance(50) {
                query.push(("gracePeriodSeconds", grace.to_owned()));
            } else {
                options["gracePeriodSeconds"] =
                    grace.parse::<i64>().map_or(Value::Null, |grace| json!(grace));
            }
        }
        if self.dice.chance(4) {
            options["dryRun"] = json!(["All"]);
            kept = true;
        }
        let empty = options.as_object().is_some_and(|options| options.len() == 2);
        let body = if empty
            || (!query.is_empty() && options["preconditions"].is_null() && options["dryRun"].is_null())
        {
            Body::None
        } else {
            Body::Json(options)
        };
        let made = &mut self.objects[object];
        if !kept && made.state == State::There {
            let lingers = made.finalizers
                || matches!(propagation, "Foreground" | "Orphan")
                || matches!(made.kind.group, Group::Namespace | Group::Claim | Group::Definition);
            made.state = if lingers { State::Leaving } else { State::Gone };
        }
        let request = World::request(Verb::Delete, made.kind.group, "DELETE", self.path(object));
        self.call(Call { object: (!kept).then_some(object), query, body, ..request });
    }

    pub(super) fn delete_collection(&mut self) {
        let Some(object) = self.pick() else { return self.create() };
        let kind = self.objects[object].kind;
        if kind.group == Group::Namespace {
            return self.delete();
        }
        let mut query = Vec::new();
        let mut selects = !kind.namespaced;
        let mut selector = if kind.namespaced { String::new() } else { "seq=⟨tag⟩".to_owned() };
        if self.dice.chance(60) {
            selects = true;
            selector.push_str(if selector.is_empty() { "" } else { "," });
            selector.push_str(self.dice.pick(&["app=web", "app=db", "app in (db,cache)", "extra"]));
        }
        if !selector.is_empty() {
            query.push(("labelSelector", selector));
        }
        let body = match self.dice.below(5) {
            0 => Body::Json(
                json!({"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background"}),
            ),
            1 => Body::Json(json!({"apiVersion": "v1", "kind": "DeleteOptions", "dryRun": ["All"]})),
            _ => Body::None,
        };
        if !selects && !matches!(&body, Body::Json(options) if options["dryRun"].is_array()) {
            let collection = self.collection(object);
            for at in 0..self.objects.len() {
                if self.collection(at) == collection && self.objects[at].state == State::There {
                    let lingers = self.objects[at].finalizers || self.objects[at].kind.group == Group::Claim;
                    self.objects[at].state = if lingers { State::Leaving } else { State::Gone };
                }
            }
        }
        let request = World::request(Verb::DeleteCollection, kind.group, "DELETE", self.collection(object));
        self.call(Call { query, body, ..request });
    }
}
