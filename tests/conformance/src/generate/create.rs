//! Creating, by `POST`.

use serde_json::{Value, json};

use super::world::{Made, State, World};
use crate::kinds::{DEFINITION, Kind};
use crate::sequence::{Body, Call, Verb};

impl World {
    pub(super) fn create(&mut self) {
        let kind = self.kind();
        let namespace = if kind.namespaced { self.namespace() } else { String::new() };
        let number = self.objects.len();
        let (metadata, name, finalizers) = self.metadata(kind, &namespace, number);
        let mut body = kind.object(&mut self.dice, metadata);
        let (query, dry) = self.options(true);
        let mut refused = false;
        if self.dice.chance(5) {
            merge(&mut body, &(kind.wrong)(&mut self.dice));
            refused = true;
        }
        if self.dice.chance(5) {
            self.unknown_field(&mut body);
        }
        let text = if self.dice.chance(3) { Some(twice(&body)) } else { None };
        let state = if dry || refused { State::Gone } else { State::There };
        self.objects.push(Made { kind, namespace: namespace.clone(), name, state, finalizers });
        let accept = self.reduced();
        self.call(Call {
            object: (!dry).then_some(number),
            query,
            accept,
            body: text.map_or(Body::Json(body), Body::Text),
            ..World::request(Verb::Create, kind.group, "POST", kind.collection(&namespace))
        });
    }

    /// Mostly nothing, now and then a form with less in it.
    pub(super) fn reduced(&mut self) -> &'static str {
        if self.dice.chance(94) {
            return "";
        }
        self.dice.pick(&[
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
            "application/json;as=Table;g=meta.k8s.io;v=v1",
            "application/json;as=Table;g=meta.k8s.io;v=v1,application/json",
        ])
    }

    fn metadata(&mut self, kind: &'static Kind, namespace: &str, number: usize) -> (Value, String, bool) {
        let mut metadata = json!({"labels": {"seq": "⟨tag⟩", "app": self.dice.pick(&["web", "db"])}});
        let letter = char::from(b'a' + (number % 26) as u8);
        let short = format!("{letter}{number}");
        let own = if kind.namespaced { short } else { format!("⟨tag⟩-{short}") };
        let name = if std::ptr::eq(kind, &raw const DEFINITION) {
            "gadgets.⟨tag⟩".to_owned()
        } else if self.dice.chance(7) {
            metadata["generateName"] = json!(format!("{own}-"));
            format!("⟨name {number}⟩")
        } else if let Some(taken) = self.taken(kind, namespace) {
            taken
        } else {
            own
        };
        if metadata["generateName"].is_null() {
            metadata["name"] = json!(name);
        }
        if kind.namespaced && self.dice.chance(30) {
            metadata["namespace"] = json!(namespace);
        }
        if self.dice.chance(20) {
            metadata["annotations"] = json!({"note": self.dice.pick(&["x", "long words\nin lines"])});
        }
        let finalizers = self.dice.chance(12);
        if finalizers {
            metadata["finalizers"] = match self.dice.below(3) {
                0 => json!(["slipway.dev/one", "slipway.dev/two"]),
                _ => json!(["slipway.dev/hold"]),
            };
        }
        if self.dice.chance(12)
            && let Some(owner) = self.pick()
        {
            metadata["ownerReferences"] = json!([self.reference(owner)]);
        }
        (metadata, name, finalizers)
    }

    /// The name of an object of the kind that is already there, now and then.
    fn taken(&mut self, kind: &'static Kind, namespace: &str) -> Option<String> {
        let made = self
            .objects
            .iter()
            .rev()
            .find(|made| made.kind.plural == kind.plural && made.namespace == namespace)?;
        let name = made.name.clone();
        (!name.contains("⟨name") && self.dice.chance(6)).then_some(name)
    }

    /// A reference to an owner.
    pub(super) fn reference(&mut self, owner: usize) -> Value {
        let made = &self.objects[owner];
        let mut reference = json!({
            "apiVersion": made.kind.api_version,
            "kind": made.kind.kind,
            "name": made.name,
            "uid": format!("⟨uid {owner}⟩"),
        });
        if self.dice.chance(30) {
            reference["controller"] = json!(true);
        }
        if self.dice.chance(30) {
            reference["blockOwnerDeletion"] = json!(true);
        }
        reference
    }

    /// Adds a field that the kind does not have.
    pub(super) fn unknown_field(&mut self, body: &mut Value) {
        match self.dice.below(3) {
            0 => body["unheardOf"] = json!({"a": 1}),
            1 => body["metadata"]["unheardOf"] = json!("x"),
            _ if body["spec"].is_object() => body["spec"]["unheardOf"] = json!(["y"]),
            _ => body["second"] = json!(2),
        }
    }
}

/// The object as text in which a key stands twice.
fn twice(body: &Value) -> String {
    let text = body.to_string();
    text.replacen("\"metadata\":{", "\"metadata\":{\"annotations\":{\"k\":\"1\",\"k\":\"2\"},", 1)
}

/// Lays a change over a value as a merge patch does.
pub(crate) fn merge(target: &mut Value, change: &Value) {
    let Value::Object(change) = change else {
        *target = change.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (key, value) in change {
        if value.is_null() {
            if let Some(map) = target.as_object_mut() {
                map.remove(key);
            }
        } else {
            merge(&mut target[key], value);
        }
    }
}
