//! The types while they are put together.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::facts::{self, Fact};
use crate::kinds::Kind;

/// One place, as `schema::Schema` will have it.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is one word of the facts' language")]
pub(crate) struct Node {
    pub(crate) shape: Shape,
    pub(crate) go: String,
    pub(crate) pointer: bool,
    pub(crate) always: bool,
    pub(crate) omit_zero: bool,
    pub(crate) inline: Option<String>,
    pub(crate) merge: bool,
    pub(crate) merge_key: Option<String>,
    pub(crate) retain_keys: bool,
    pub(crate) replace: bool,
    pub(crate) default: Option<Value>,
    pub(crate) description: Option<String>,
}

#[derive(Clone)]
pub(crate) enum Shape {
    /// The number of the variant of `schema::Scalar`.
    Scalar(u8),
    Object {
        fields: BTreeMap<String, Node>,
        required: Vec<String>,
        atomic: bool,
    },
    Map {
        values: Box<Node>,
        atomic: bool,
    },
    List {
        items: Box<Node>,
        kind: List,
    },
    Untyped,
    Named(String),
}

#[derive(Clone)]
pub(crate) enum List {
    Atomic,
    Set,
    Map(Vec<String>),
}

pub(crate) type Types = BTreeMap<String, Node>;

/// The scalars in the order of `schema::Scalar`, with Go's names.
const SCALARS: [(&str, &str); 10] = [
    ("string", "string"),
    ("bytes", "[]uint8"),
    ("time", "v1.Time"),
    ("microtime", "v1.MicroTime"),
    ("int32", "int32"),
    ("int64", "int64"),
    ("float", "float64"),
    ("boolean", "bool"),
    ("int-or-string", "intstr.IntOrString"),
    ("quantity", "resource.Quantity"),
];

fn scalar(name: &str) -> Shape {
    let index = SCALARS.iter().position(|(scalar, _)| *scalar == name);
    Shape::Scalar(u8::try_from(index.unwrap_or_default()).unwrap_or_default())
}

/// The types that read and write themselves in Go, and are no structures in JSON.
fn own_shape(name: &str) -> Option<Shape> {
    Some(match name.rsplit('.').next()? {
        "Time" => scalar("time"),
        "MicroTime" => scalar("microtime"),
        "IntOrString" => scalar("int-or-string"),
        "Quantity" => scalar("quantity"),
        "FieldsV1"
        | "JSON"
        | "JSONSchemaPropsOrArray"
        | "JSONSchemaPropsOrBool"
        | "JSONSchemaPropsOrStringArray"
        | "Patch"
        | "RawExtension" => Shape::Untyped,
        _ => return None,
    })
}

pub(crate) fn read(definitions: &Map<String, Value>) -> Result<Types, String> {
    let mut types = Types::new();
    for (name, schema) in definitions {
        let mut node = node(schema).map_err(|error| format!("{name}: {error}"))?;
        if let Some(shape) = own_shape(name) {
            node.shape = shape;
        }
        node.go = go_name(name);
        types.insert(name.clone(), node);
    }
    Ok(types)
}

fn go_name(type_name: &str) -> String {
    let start = type_name.rmatch_indices('.').nth(1).map_or(0, |(at, _)| at + 1);
    type_name[start..].to_owned()
}

fn node(schema: &Value) -> Result<Node, String> {
    let word = |key: &str| schema.get(key).and_then(Value::as_str);
    let shape = if let Some(reference) = word("$ref") {
        Shape::Named(reference.rsplit('/').next().unwrap_or_default().to_owned())
    } else {
        match (word("type"), word("format")) {
            (Some("string"), Some("byte")) => scalar("bytes"),
            (Some("string"), Some("date-time")) => scalar("time"),
            (Some("string"), _) => scalar("string"),
            (Some("integer"), Some("int32")) => scalar("int32"),
            (Some("integer"), _) => scalar("int64"),
            (Some("number"), _) => scalar("float"),
            (Some("boolean"), _) => scalar("boolean"),
            (Some("array"), _) => Shape::List {
                items: Box::new(node(schema.get("items").ok_or("an array without items")?)?),
                kind: List::Atomic,
            },
            (Some("object"), _) => match schema.get("additionalProperties") {
                Some(values) => Shape::Map { values: Box::new(node(values)?), atomic: false },
                None => object(schema)?,
            },
            _ => Shape::Untyped,
        }
    };
    let mut node = Node {
        shape,
        go: String::new(),
        pointer: false,
        always: false,
        omit_zero: false,
        inline: None,
        merge: false,
        merge_key: None,
        retain_keys: false,
        replace: false,
        default: None,
        description: word("description").map(str::to_owned),
    };
    node.go = derived_go(&node.shape);
    Ok(node)
}

fn object(schema: &Value) -> Result<Shape, String> {
    let mut fields = BTreeMap::new();
    for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        fields.insert(name.clone(), node(field).map_err(|error| format!("{name}: {error}"))?);
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let required = required.filter_map(Value::as_str).map(str::to_owned).collect();
    Ok(Shape::Object { fields, required, atomic: false })
}

fn derived_go(shape: &Shape) -> String {
    match shape {
        Shape::Scalar(index) => SCALARS[usize::from(*index)].1.to_owned(),
        Shape::Map { values, .. } => format!("map[string]{}", values.go),
        Shape::List { items, .. } => format!("[]{}", items.go),
        Shape::Named(name) => go_name(name),
        Shape::Object { .. } | Shape::Untyped => String::new(),
    }
}

/// Gives a place, and the places inside it, the names they have in Go.
fn rename(node: &mut Node, go: &str) {
    go.clone_into(&mut node.go);
    match &mut node.shape {
        Shape::List { items, .. } => {
            if let Some(inner) = go.strip_prefix("[]") {
                rename(items, inner);
            }
        }
        Shape::Map { values, .. } => {
            if let Some((_, inner)) = go.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
                rename(values, inner);
            }
        }
        _ => {}
    }
}

/// Adds a fact to the type it speaks of. A fact about nothing is an error, so the tables stay true.
pub(crate) fn tell(types: &mut Types, fact: Fact) -> Result<(), String> {
    let Fact { type_name, field, kind, merge_key, .. } = fact;
    let of_type = types.get_mut(&type_name).ok_or_else(|| format!("no type {type_name}"))?;
    let Shape::Object { fields, atomic, .. } = &mut of_type.shape else {
        return Err(format!("{type_name} has no fields"));
    };
    let Some(field) = field else {
        *atomic = matches!(kind, Some(facts::Kind::Atomic));
        return Ok(());
    };
    let place = fields.get_mut(&field).ok_or_else(|| format!("no field {type_name}.{field}"))?;
    if let Some(go) = &fact.go {
        rename(place, go);
    }
    place.pointer = fact.pointer;
    place.always = fact.always;
    place.omit_zero = fact.omit_zero;
    place.inline = fact.inline;
    place.merge = fact.merge;
    place.merge_key.clone_from(&merge_key);
    place.retain_keys = fact.retain_keys;
    place.replace = fact.replace;
    place.default = fact.default;
    let mut copy = None;
    match (&mut place.shape, kind) {
        (Shape::List { kind, .. }, said) => {
            *kind = match (said, fact.merge, merge_key) {
                (Some(facts::Kind::Set), ..) | (None, true, None) => List::Set,
                (Some(facts::Kind::Map(keys)), ..) => List::Map(keys),
                (None, true, Some(key)) => List::Map(vec![key]),
                (Some(facts::Kind::Atomic), ..) | (None, false, _) => List::Atomic,
                (Some(facts::Kind::Granular), ..) => return Err(format!("{type_name}.{field} is a list")),
            }
        }
        (Shape::Map { atomic, .. }, Some(said)) => *atomic = matches!(said, facts::Kind::Atomic),
        (Shape::Named(name), Some(facts::Kind::Granular)) => {
            let granular = format!("{name}/granular");
            copy = Some((std::mem::replace(name, granular.clone()), granular));
        }
        // Bytes are a list in Go, but text in JSON.
        (_, None) | (Shape::Scalar(_), Some(facts::Kind::Atomic)) => {}
        (_, Some(_)) => return Err(format!("{type_name}.{field} is neither list nor map")),
    }
    if let Some((original, granular)) = copy {
        let mut node = types.get(&original).ok_or_else(|| format!("no type {original}"))?.clone();
        if let Shape::Object { atomic, .. } = &mut node.shape {
            *atomic = false;
        }
        types.insert(granular, node);
    }
    Ok(())
}

/// Adds the type of lists of each kind that has one.
pub(crate) fn add_lists(types: &mut Types, kinds: &[Kind]) {
    const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
    for kind in kinds {
        let Some(list) = kind.list else { continue };
        let package = kind.type_name.rsplit_once('.').map_or("", |(package, _)| package);
        let item = types.get(&kind.type_name).cloned();
        let plain = |shape: Shape, description: &str| Node {
            go: derived_go(&shape),
            shape,
            pointer: false,
            always: false,
            omit_zero: false,
            inline: None,
            merge: false,
            merge_key: None,
            retain_keys: false,
            replace: false,
            default: None,
            description: Some(description.to_owned()),
        };
        let text = |field: &str| match item.as_ref().map(|node| &node.shape) {
            Some(Shape::Object { fields, .. }) => {
                fields.get(field).and_then(|node| node.description.clone()).unwrap_or_default()
            }
            _ => String::new(),
        };
        let mut items = plain(
            Shape::List {
                items: Box::new(Node {
                    description: None,
                    ..plain(Shape::Named(kind.type_name.clone()), "")
                }),
                kind: List::Atomic,
            },
            &format!("items is the list of {} objects.", kind.kind),
        );
        items.always = true;
        let fields = BTreeMap::from([
            ("apiVersion".to_owned(), plain(scalar("string"), &text("apiVersion"))),
            ("kind".to_owned(), plain(scalar("string"), &text("kind"))),
            ("items".to_owned(), items),
            ("metadata".to_owned(), plain(Shape::Named(META.to_owned()), "Standard list metadata.")),
        ]);
        let shape = Shape::Object { fields, required: vec!["items".to_owned()], atomic: false };
        let name = format!("{package}.{list}");
        let mut node = plain(shape, &format!("{list} is a list of {} objects.", kind.kind));
        node.go = go_name(&name);
        types.insert(name, node);
    }
}

/// Marks the fields that every kind has from Go's `TypeMeta`.
pub(crate) fn add_type_meta(types: &mut Types, kinds: &[Kind]) {
    const META: [&str; 6] =
        ["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "DeleteOptions", "Status"];
    let mut names: Vec<String> =
        META.iter().map(|name| format!("io.k8s.apimachinery.pkg.apis.meta.v1.{name}")).collect();
    for kind in kinds {
        let package = kind.type_name.rsplit_once('.').map_or("", |(package, _)| package);
        names.push(kind.type_name.clone());
        names.extend(kind.list.map(|list| format!("{package}.{list}")));
    }
    for name in names {
        let Some(Node { shape: Shape::Object { fields, .. }, .. }) = types.get_mut(&name) else { continue };
        for field in ["apiVersion", "kind"] {
            if let Some(place) = fields.get_mut(field) {
                place.inline = Some("TypeMeta".to_owned());
            }
        }
    }
}

/// Adds the defaults that follow from the Go types: structures that are no pointers are always there, and so are
/// single values that are written even when empty.
pub(crate) fn add_defaults(types: &mut Types) {
    let structures: Vec<String> = types
        .iter()
        .filter(|(_, node)| matches!(node.shape, Shape::Object { .. }))
        .map(|(name, _)| name.clone())
        .collect();
    for node in types.values_mut() {
        let Shape::Object { fields, .. } = &mut node.shape else { continue };
        for field in fields.values_mut() {
            if field.pointer || field.default.is_some() {
                continue;
            }
            field.default = match &field.shape {
                Shape::Named(name) if structures.binary_search(name).is_ok() => Some(json!({})),
                Shape::Scalar(index) if field.always => match SCALARS[usize::from(*index)].0 {
                    "string" => Some(json!("")),
                    "int32" | "int64" | "float" => Some(json!(0)),
                    "boolean" => Some(json!(false)),
                    _ => None,
                },
                _ => None,
            };
        }
    }
}
