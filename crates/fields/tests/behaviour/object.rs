//! One stored object, and the writes that are made to it.

use std::borrow::Cow;
use std::sync::Arc;

use fields::{ApplyError, FieldSet, Request, Versions, keep_times};
use schema::{ListKind, MapKind, Schema, Shape, Types, View};
use serde_json::{Value, json};

/// A stored object of a kind with all sorts of fields.
pub(crate) struct Object {
    types: Types,
    schema: Schema,
    others: Vec<(&'static str, Schema)>,
    pub(crate) live: Option<Value>,
    seconds: i64,
}

pub(crate) fn schema() -> Schema {
    let text = Schema::string;
    let mut protocol = text();
    protocol.default = Some(Arc::new(json!("TCP")));
    let keyed = |items, keys: &[&str]| {
        Schema::list(items, ListKind::Map(keys.iter().map(|key| (*key).into()).collect()))
    };
    let port = Schema::object([("port", Schema::integer()), ("protocol", protocol), ("name", text())]);
    let container = Schema::object([
        ("name", text()),
        ("image", text()),
        ("args", Schema::list(text(), ListKind::Atomic)),
        ("ports", keyed(port, &["port", "protocol"])),
    ]);
    let selector = Schema::new(Shape::Map { values: Arc::new(text()), kind: MapKind::Atomic });
    let spec = Schema::object([
        ("replicas", Schema::integer()),
        ("paused", text()),
        ("selector", selector),
        ("containers", keyed(container, &["name"])),
        ("tags", Schema::list(text(), ListKind::Set)),
        ("free", Schema::untyped()),
    ]);
    let metadata = Schema::object([
        ("name", text()),
        ("namespace", text()),
        ("uid", text()),
        ("labels", Schema::map(text())),
        ("annotations", Schema::map(text())),
        ("managedFields", Schema::list(Schema::untyped(), ListKind::Atomic)),
    ]);
    Schema::object([
        ("apiVersion", text()),
        ("kind", text()),
        ("metadata", metadata),
        ("spec", spec),
        ("status", Schema::object([("ready", Schema::integer()), ("phase", text())])),
    ])
}

/// An older version, which has only some of the fields.
fn smaller_schema() -> Schema {
    Schema::object([
        ("apiVersion", Schema::string()),
        ("kind", Schema::string()),
        ("metadata", Schema::untyped()),
        ("spec", Schema::object([("replicas", Schema::integer()), ("paused", Schema::string())])),
        ("status", Schema::untyped()),
    ])
}

/// The other versions of the kind, in which objects are what they are in the first.
struct Known<'a> {
    types: &'a Types,
    others: &'a [(&'static str, Schema)],
}

impl Versions for Known<'_> {
    fn structure(&self, version: &str) -> Option<View<'_>> {
        let found = self.others.iter().find(|(known, _)| *known == version);
        found.map(|(_, schema)| self.types.view(schema))
    }

    fn resets(&self, _version: &str) -> FieldSet<'static> {
        FieldSet::default()
    }

    fn convert<'v>(&self, object: &'v Value, _from: &str, _to: &str) -> Cow<'v, Value> {
        Cow::Borrowed(object)
    }

    fn is_custom(&self) -> bool {
        false
    }
}

impl Object {
    pub(crate) fn new() -> Self {
        let others = vec![("shop.io/v2", schema()), ("shop.io/v1beta1", smaller_schema())];
        Self { types: Types::default(), schema: schema(), others, live: None, seconds: 0 }
    }

    fn door<T>(
        &mut self,
        manager: &str,
        subresource: &str,
        write: impl FnOnce(&Request<'_>, Option<&Value>) -> T,
    ) -> T {
        self.seconds += 1;
        let reset = FieldSet::of_fields([if subresource == "status" { "spec" } else { "status" }]);
        let request = Request {
            manager,
            api_version: "shop.io/v1",
            kind: "Thing",
            subresource,
            view: self.types.view(&self.schema),
            reset: &reset,
            rewritten: &FieldSet::default(),
            empty: &json!({"apiVersion": "shop.io/v1", "kind": "Thing", "metadata": {}, "spec": {}}),
            versions: &Known { types: &self.types, others: &self.others },
            now: jiff::Timestamp::from_second(self.seconds).unwrap(),
        };
        write(&request, self.live.as_ref())
    }

    /// Creates or replaces the object, as the updater sends it.
    pub(crate) fn update(&mut self, manager: &str, object: &Value) -> &Value {
        self.update_by(manager, "", object)
    }

    pub(crate) fn update_by(&mut self, manager: &str, subresource: &str, object: &Value) -> &Value {
        let mut new = complete(object);
        if self.live.is_some() {
            new["metadata"]["uid"] = json!("u");
        }
        self.door(manager, subresource, |request, live| request.update(live, &mut new));
        self.store(new)
    }

    pub(crate) fn apply(&mut self, manager: &str, object: &Value) -> &Value {
        self.try_apply(manager, object, false).unwrap();
        self.live.as_ref().unwrap()
    }

    pub(crate) fn force(&mut self, manager: &str, object: &Value) -> &Value {
        self.try_apply(manager, object, true).unwrap();
        self.live.as_ref().unwrap()
    }

    pub(crate) fn try_apply(&mut self, manager: &str, object: &Value, force: bool) -> Result<(), ApplyError> {
        self.try_apply_by(manager, "", object, force)
    }

    pub(crate) fn try_apply_by(
        &mut self,
        manager: &str,
        subresource: &str,
        object: &Value,
        force: bool,
    ) -> Result<(), ApplyError> {
        let applied = complete(object);
        let new = self.door(manager, subresource, |request, live| request.apply(live, &applied, force))?;
        self.store(new);
        Ok(())
    }

    fn store(&mut self, mut new: Value) -> &Value {
        if let Some(live) = &self.live {
            keep_times(live, &mut new);
        }
        new["metadata"]["uid"] = json!("u");
        self.live.insert(new)
    }

    pub(crate) fn spec(&self) -> &Value {
        &self.live.as_ref().unwrap()["spec"]
    }

    pub(crate) fn entries(&self) -> &[Value] {
        self.live.as_ref().unwrap()["metadata"]["managedFields"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The managers in their order, each with what it owns: `alice/Apply/1 {…}`.
    pub(crate) fn managers(&self) -> Vec<String> {
        let text = |entry: &Value, name: &str| entry[name].as_str().unwrap_or("").to_owned();
        self.entries()
            .iter()
            .map(|entry| {
                let time = entry["time"].as_str().map_or("-".into(), |time| {
                    time.parse::<jiff::Timestamp>().unwrap().as_second().to_string()
                });
                let subresource = text(entry, "subresource");
                let slash = if subresource.is_empty() { "" } else { "/" };
                format!(
                    "{}/{}{slash}{subresource}/{time} {}",
                    text(entry, "manager"),
                    text(entry, "operation"),
                    entry["fieldsV1"]
                )
            })
            .collect()
    }
}

/// An object of the kind with these fields besides its name.
pub(crate) fn complete(object: &Value) -> Value {
    let mut whole =
        json!({"apiVersion": "shop.io/v1", "kind": "Thing", "metadata": {"name": "n", "namespace": "ns"}});
    for (name, value) in object.as_object().unwrap() {
        match whole.get_mut(name).and_then(Value::as_object_mut) {
            Some(known) => known.extend(value.as_object().unwrap().clone()),
            None => whole[name] = value.clone(),
        }
    }
    whole
}
