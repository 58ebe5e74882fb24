//! A schema with every kind of place, for tests.

use std::sync::Arc;

use schema::{ListKind, MapKind, Scalar, Schema, Shape};
use serde_json::json;

fn atomic(schema: Schema) -> Schema {
    let shape = match schema.shape {
        Shape::Map { values, .. } => Shape::Map { values, kind: MapKind::Atomic },
        Shape::Object { fields, required, open, .. } => {
            Shape::Object { fields, required, open, kind: MapKind::Atomic }
        }
        other => other,
    };
    Schema { shape, ..schema }
}

fn keyed(items: Schema, keys: &[&str]) -> Schema {
    Schema::list(items, ListKind::Map(keys.iter().map(|key| (*key).into()).collect()))
}

/// Something like a workload.
pub(crate) fn schema() -> Schema {
    let text = Schema::string;
    let mut protocol = text();
    protocol.default = Some(Arc::new(json!("TCP")));
    let port = Schema::object([("port", Schema::integer()), ("protocol", protocol), ("name", text())]);
    let container = Schema::object([
        ("name", text()),
        ("image", text()),
        ("args", Schema::list(text(), ListKind::Atomic)),
        ("env", keyed(Schema::object([("name", text()), ("value", text())]), &["name"])),
        ("ports", keyed(port, &["port", "protocol"])),
    ]);
    let mut open = Schema::object([("known", text())]);
    if let Shape::Object { open, .. } = &mut open.shape {
        *open = true;
    }
    Schema::object([
        ("apiVersion", text()),
        ("kind", text()),
        ("metadata", Schema::untyped()),
        ("replicas", Schema::integer()),
        ("paused", Schema::new(Shape::Scalar(Scalar::Boolean))),
        ("time", Schema::new(Shape::Scalar(Scalar::Time))),
        ("target", Schema::new(Shape::Scalar(Scalar::IntOrString))),
        ("labels", Schema::map(text())),
        ("selector", atomic(Schema::map(text()))),
        ("reference", atomic(Schema::object([("name", text()), ("uid", text())]))),
        ("finalizers", Schema::list(text(), ListKind::Set)),
        ("steps", Schema::list(Schema::object([("do", text())]), ListKind::Atomic)),
        ("containers", keyed(container, &["name"])),
        ("template", Schema::object([("spec", Schema::object([("node", text()), ("class", text())]))])),
        ("free", Schema::untyped()),
        ("open", open),
        ("status", Schema::object([("ready", Schema::integer())])),
    ])
}
