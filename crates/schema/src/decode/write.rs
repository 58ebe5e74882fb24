//! What Go writes of an object that it has read.

use serde_json::{Map, Value};

use super::own::{Open, SCHEMA_TYPE, float_value, scalar};
use super::resolve;
use crate::json::Tree;
use crate::scalar::{decode_base64, encode_base64};
use crate::structure::{Omit, Scalar, Schema, Shape, Types, View};

struct Writer<'a> {
    types: &'a Types,
    /// Whether the store keeps empty lists apart from absent ones. It does where it holds JSON: definitions of custom
    /// kinds and API services. All else is stored as protobuf, which does not.
    keeps_empty: bool,
    /// Whether an empty list is shown as it was sent nevertheless: that of a role's rules or a slice's ports counts as
    /// written by whoever sent it. The rules of the kind make it none.
    shows_empty: bool,
    /// Whether the object is a claim. One with an empty list of access modes is always refused, and the refusal tells
    /// that from one without any.
    claim: bool,
}

/// The object as it comes back from the store. Its values have been checked.
pub(super) fn write(view: View<'_>, tree: Tree) -> Value {
    let package = view.schema().encoding.go_type.as_deref().unwrap_or_default();
    let keeps_empty = package.is_empty()
        || [
            "v1.CustomResourceDefinition",
            "v1.CustomResourceDefinitionList",
            "v1.APIService",
            "v1.APIServiceList",
        ]
        .contains(&package);
    let shows_empty = ["v1.Role", "v1.ClusterRole", "v1.EndpointSlice"].contains(&package);
    let claim = package == "v1.PersistentVolumeClaim";
    Writer { types: view.types(), keeps_empty, shows_empty, claim }.place(view.schema(), tree, false)
}

impl Writer<'_> {
    /// A value that is there; null is the zero value.
    fn value(&self, schema: &Schema, tree: Tree) -> Value {
        self.place(schema, tree, true)
    }

    fn place(&self, schema: &Schema, tree: Tree, inside: bool) -> Value {
        let target = resolve(self.types, schema);
        match (&target.shape, tree) {
            (Shape::Object { fields, open, .. }, tree) => {
                let entries = match tree {
                    Tree::Object(entries) => entries,
                    _ => Vec::new(),
                };
                let of_claim = target.encoding.go_type.as_deref() == Some("v1.PersistentVolumeClaimSpec");
                let emptied = self.claim && of_claim && entries.iter().any(is_no_mode);
                let mut object = self.structure(fields, *open, entries);
                if emptied {
                    object.insert("accessModes".into(), Value::Array(Vec::new()));
                }
                if inside && fields.get("kind").is_some_and(is_type_meta) {
                    name_inner(target, &mut object);
                }
                Value::Object(object)
            }
            (Shape::Map { values, .. }, Tree::Object(entries)) => Value::Object(
                entries
                    .into_iter()
                    .map(|(name, value)| (name, self.entry(values, value)))
                    .collect::<Map<_, _>>(),
            ),
            (Shape::List { items, .. }, Tree::List(list)) => {
                Value::Array(list.into_iter().map(|item| self.value(items, item)).collect())
            }
            (Shape::Map { .. } | Shape::List { .. }, _) => Value::Null,
            (Shape::Scalar(kind), tree) => write_scalar(*kind, tree),
            (Shape::Untyped, tree) => {
                let go_type = schema.encoding.go_type.as_deref().or(target.encoding.go_type.as_deref());
                self.open(Open::of(go_type), tree)
            }
            (Shape::Named(_), tree) => tree.into_value(),
        }
    }

    /// The value of a map's entry. Bytes and lists that are null come back empty.
    fn entry(&self, schema: &Schema, tree: Tree) -> Value {
        match (&schema.shape, tree) {
            (Shape::Scalar(Scalar::Bytes), Tree::Null) if !self.keeps_empty => Value::String(String::new()),
            (Shape::List { .. }, Tree::Null) if !self.keeps_empty => Value::Array(Vec::new()),
            (_, tree) => self.value(schema, tree),
        }
    }

    fn structure(
        &self,
        fields: &std::collections::BTreeMap<std::sync::Arc<str>, Schema>,
        open: bool,
        mut entries: Vec<(String, Tree)>,
    ) -> Map<String, Value> {
        // Stable, so that of doubled fields the last comes last.
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut entries = entries.into_iter().peekable();
        let mut written = Map::new();
        for (name, field) in fields {
            while let Some((unknown, value)) = entries.next_if(|(key, _)| key.as_str() < &**name) {
                if open {
                    written.insert(unknown, value.into_value());
                }
            }
            let mut value = None;
            while let Some((_, next)) = entries.next_if(|(key, _)| key.as_str() == &**name) {
                value = Some(match value {
                    Some(earlier) => self.merged(field, earlier, next),
                    None => next,
                });
            }
            if let Some(value) = self.field(field, value) {
                written.insert(name.to_string(), value);
            }
        }
        if open {
            written.extend(entries.map(|(name, value)| (name, value.into_value())));
        }
        written
    }

    /// What a field holds after it has been read twice.
    fn merged(&self, field: &Schema, earlier: Tree, next: Tree) -> Tree {
        let shape = &resolve(self.types, field).shape;
        match (shape, earlier, next) {
            (Shape::Object { .. } | Shape::Map { .. }, Tree::Object(mut entries), Tree::Object(more)) => {
                entries.extend(more);
                Tree::Object(entries)
            }
            (Shape::List { items, .. }, Tree::List(earlier), Tree::List(next)) => {
                let mut earlier = earlier.into_iter();
                let merge = |item| match earlier.next() {
                    Some(old) => self.merged(items, old, item),
                    None => item,
                };
                Tree::List(next.into_iter().map(merge).collect())
            }
            (Shape::Object { .. } | Shape::Scalar(_), earlier, Tree::Null) if !field.encoding.pointer => {
                earlier
            }
            (_, _, next) => next,
        }
    }

    /// A field of a structure, unless Go leaves it out.
    fn field(&self, field: &Schema, tree: Option<Tree>) -> Option<Value> {
        let never = field.encoding.omit == Omit::Never;
        let tree = tree.unwrap_or(Tree::Null);
        if field.encoding.pointer {
            return match tree {
                Tree::Null => never.then_some(Value::Null),
                tree => Some(self.value(field, tree)),
            };
        }
        let sent = matches!(&tree, Tree::List(_));
        let value = self.value(field, tree);
        let shape = &resolve(self.types, field).shape;
        if field.encoding.omit == Omit::Zero && (value.is_null() || is_empty(shape, &value)) {
            return None;
        }
        if !is_empty(shape, &value) {
            return Some(value);
        }
        if !never {
            return None;
        }
        let collection = matches!(shape, Shape::List { .. } | Shape::Map { .. });
        let kept = self.keeps_empty || self.shows_empty && sent;
        Some(if collection && !kept { Value::Null } else { value })
    }

    fn open(&self, open: Open, tree: Tree) -> Value {
        match (open, tree) {
            (Open::Raw | Open::Interface, tree) => tree.into_value(),
            (Open::SchemaOrBool, Tree::Bool(value)) => Value::Bool(value),
            (Open::SchemaOrBool | Open::SchemaOrSchemas | Open::SchemaOrNames, tree @ Tree::Object(_)) => {
                self.schema(tree)
            }
            (Open::SchemaOrSchemas, Tree::List(items)) if !items.is_empty() => {
                Value::Array(items.into_iter().map(|item| self.schema(item)).collect())
            }
            (Open::SchemaOrNames, Tree::List(items)) if !items.is_empty() => {
                Value::Array(items.into_iter().map(|item| write_scalar(Scalar::String, item)).collect())
            }
            (Open::SchemaOrBool, _) => Value::Bool(false),
            (Open::SchemaOrSchemas | Open::SchemaOrNames, _) => Value::Null,
        }
    }

    fn schema(&self, tree: Tree) -> Value {
        match self.types.get(SCHEMA_TYPE) {
            Some(schema) => self.value(schema, tree),
            None => tree.into_value(),
        }
    }
}

fn is_type_meta(field: &Schema) -> bool {
    field.encoding.embedded.as_deref() == Some("TypeMeta")
}

/// The store forgets version and kind of objects inside objects; those of claims in templates are put back.
fn name_inner(target: &Schema, object: &mut Map<String, Value>) {
    object.remove("apiVersion");
    object.remove("kind");
    if super::struct_name(target) == "PersistentVolumeClaim" {
        object.insert("apiVersion".to_owned(), "v1".into());
        object.insert("kind".to_owned(), "PersistentVolumeClaim".into());
    }
}

fn write_scalar(kind: Scalar, tree: Tree) -> Value {
    match (kind, tree) {
        (Scalar::String, Tree::Null) => Value::String(String::new()),
        (Scalar::Boolean, Tree::Null) => Value::Bool(false),
        (Scalar::Int32 | Scalar::Int64 | Scalar::Float, Tree::Null) => 0.into(),
        (Scalar::Int32, Tree::Number(digits)) => {
            whole(&digits).map_or(Value::Null, |number| (number as i32).into())
        }
        (Scalar::Int64, Tree::Number(digits)) => whole(&digits).map_or(Value::Null, Value::from),
        (Scalar::Float, Tree::Number(digits)) => float_value(&digits),
        (Scalar::Bytes, Tree::String(text)) => {
            Value::String(decode_base64(text.as_str()).map(|bytes| encode_base64(&bytes)).unwrap_or_default())
        }
        (Scalar::Bytes, Tree::List(items)) => {
            let byte = |item: &Tree| match item {
                Tree::Number(digits) => digits.parse().unwrap_or_default(),
                _ => 0,
            };
            Value::String(encode_base64(&items.iter().map(byte).collect::<Vec<u8>>()))
        }
        (Scalar::Time | Scalar::MicroTime | Scalar::Quantity | Scalar::IntOrString, tree) => {
            scalar(kind, tree).unwrap_or(Value::Null)
        }
        (_, tree) => tree.into_value(),
    }
}

/// An integer; conversion from maps also takes floating point numbers without a fraction, and those beyond all bounds
/// become what the processor makes of them.
fn whole(digits: &str) -> Option<i64> {
    let convert = |float: f64| if float.abs() < 9.223_372_036_854_775e18 { float as i64 } else { i64::MIN };
    digits.parse().ok().or_else(|| digits.parse().ok().map(convert))
}

fn is_no_mode((name, value): &(String, Tree)) -> bool {
    name == "accessModes" && matches!(value, Tree::List(modes) if modes.is_empty())
}

/// Whether Go's `omitempty` leaves it out. Structures never are, and times, amounts and the like are structures.
fn is_empty(shape: &Shape, value: &Value) -> bool {
    let structure = matches!(
        shape,
        Shape::Scalar(Scalar::Time | Scalar::MicroTime | Scalar::Quantity | Scalar::IntOrString)
            | Shape::Object { .. }
            | Shape::Untyped
            | Shape::Named(_)
    );
    !structure
        && match value {
            Value::Null => true,
            Value::Bool(value) => !value,
            Value::Number(number) => number.as_f64() == Some(0.0),
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(fields) => fields.is_empty(),
        }
}
