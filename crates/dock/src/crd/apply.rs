//! The structure of a custom resource, for server-side apply.

use std::collections::BTreeMap;
use std::sync::Arc;

use schema::{ListKind, MapKind, Scalar, Schema, Shape};

use super::props::Props;

/// The name under which the types of the server know metadata.
const METADATA: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/// The structure of the objects of a version. Without a schema, all is deduced from the values.
pub(super) fn structure(props: Option<&Props>, preserve_unknown_fields: bool) -> Schema {
    let Some(props) = props.filter(|_| !preserve_unknown_fields) else {
        return resource(&Props { preserve_unknown_fields: Some(true), ..Props::default() });
    };
    resource(props)
}

fn resource(props: &Props) -> Schema {
    let mut schema = object(props);
    if let Shape::Object { fields, .. } = &mut schema.shape {
        let fields = Arc::make_mut(fields);
        fields.insert("apiVersion".into(), Schema::string());
        fields.insert("kind".into(), Schema::string());
        fields.insert("metadata".into(), Schema::named(METADATA));
    }
    schema
}

fn place(props: &Props) -> Schema {
    let mut schema = if props.int_or_string {
        Schema::new(Shape::Scalar(Scalar::IntOrString))
    } else {
        match props.kind.as_str() {
            "object" if props.embedded_resource => resource(props),
            "object" => object(props),
            "array" => list(props),
            "string" => Schema::string(),
            "integer" => Schema::integer(),
            "number" => Schema::new(Shape::Scalar(Scalar::Float)),
            "boolean" => Schema::new(Shape::Scalar(Scalar::Boolean)),
            _ => Schema::untyped(),
        }
    };
    schema.default = props.default.clone().map(Arc::new);
    if !props.description.is_empty() {
        schema.description = Some(props.description.as_str().into());
    }
    schema
}

fn object(props: &Props) -> Schema {
    let kind = if props.map_type.as_deref() == Some("atomic") { MapKind::Atomic } else { MapKind::Granular };
    if props.properties.is_empty() && props.additional_properties.is_some() {
        let values = props.additional().map_or_else(Schema::untyped, place);
        return Schema::new(Shape::Map { values: Arc::new(values), kind });
    }
    let fields: BTreeMap<Arc<str>, Schema> =
        props.properties.iter().map(|(name, props)| (name.as_str().into(), place(props))).collect();
    Schema::new(Shape::Object {
        fields: Arc::new(fields),
        required: props.required.iter().map(|name| name.as_str().into()).collect(),
        open: props.preserves(),
        kind,
    })
}

fn list(props: &Props) -> Schema {
    let items = props.item().map_or_else(Schema::untyped, place);
    let kind = match props.list_type.as_deref() {
        Some("set") => ListKind::Set,
        Some("map") => ListKind::Map(props.list_map_keys.iter().map(|key| key.as_str().into()).collect()),
        _ => ListKind::Atomic,
    };
    Schema::list(items, kind)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_and_maps_keep_their_kinds() {
        let props = Props::read(
            &json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
                "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"],
                    "items": {"type": "object", "properties": {"port": {"type": "integer", "default": 80}}}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "atomic"},
                "any": {"x-kubernetes-preserve-unknown-fields": true},
            }}}}),
        );
        let types = schema::Types::default();
        let schema = structure(Some(&props), false);
        let view = types.view(&schema).field("spec").unwrap();
        let ports = view.field("ports").unwrap();
        assert!(
            matches!(ports.shape(), Shape::List { kind: ListKind::Map(keys), .. } if &*keys[0] == "port")
        );
        assert!(matches!(view.field("labels").unwrap().shape(), Shape::Map { kind: MapKind::Atomic, .. }));
        assert!(matches!(view.field("any").unwrap().shape(), Shape::Untyped));
        assert!(types.view(&structure(None, false)).field("anything").is_some());
    }
}
