//! The shapes of objects, and the cursor that walks them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::Value;

/// The structure of one place of an object. Cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// What may stand here.
    pub shape: Shape,
    /// How a strategic merge patch treats this place.
    pub patching: Patching,
    /// What the documentation says of it.
    pub description: Option<Arc<str>>,
    /// What stands here when nothing is said: server-side apply completes the keys of list items with it.
    pub default: Option<Arc<Value>>,
    /// How Go reads and writes it; of custom kinds nothing is said.
    pub encoding: Encoding,
}

/// What may stand at one place of an object.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A single value.
    Scalar(Scalar),
    /// Named fields, known beforehand.
    Object {
        /// The fields by their JSON names.
        fields: Arc<BTreeMap<Arc<str>, Schema>>,
        /// The fields that must be there.
        required: Arc<[Arc<str>]>,
        /// Fields not named above are kept as they are, and not reported as unknown.
        open: bool,
        /// Whether fields have owners of their own.
        kind: MapKind,
    },
    /// Any keys, values of one kind.
    Map {
        /// The structure of every value.
        values: Arc<Schema>,
        /// Whether entries have owners of their own.
        kind: MapKind,
    },
    /// A sequence.
    List {
        /// The structure of every item.
        items: Arc<Schema>,
        /// What identifies an item.
        kind: ListKind,
    },
    /// Anything: maps are granular, lists are atomic, as deduced from the value itself.
    Untyped,
    /// The type of that name, to be looked up in [`Types`].
    Named(Arc<str>),
}

/// The kinds of single values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// Text.
    String,
    /// Text that holds base64.
    Bytes,
    /// A moment in RFC 3339 with seconds, or null.
    Time,
    /// A moment in RFC 3339 with microseconds, or null.
    MicroTime,
    /// An integer of 32 bits.
    Int32,
    /// An integer of 64 bits.
    Int64,
    /// A floating point number.
    Float,
    /// True or false.
    Boolean,
    /// A number or text: ports and percentages.
    IntOrString,
    /// An amount such as `500m`; numbers are accepted too.
    Quantity,
}

/// What identifies an item of a list, for server-side apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListKind {
    /// The list is one value with one owner.
    Atomic,
    /// Items are single values, each at most once.
    Set,
    /// Items are objects identified by these fields.
    Map(Vec<Arc<str>>),
}

/// Whether the entries of an object or map have owners of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapKind {
    /// Each entry has its owners.
    Granular,
    /// The whole is one value.
    Atomic,
}

/// How a strategic merge patch treats a place, as the Go types' `patchStrategy` and `patchMergeKey` say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patching {
    /// Lists are merged, by the key if there is one, else as sets; otherwise they are replaced.
    pub merge: bool,
    /// The field that identifies an item of a merged list.
    pub key: Option<Arc<str>>,
    /// Fields that the patch does not name are removed.
    pub retain_keys: bool,
    /// Objects are replaced rather than merged.
    pub replace: bool,
}

/// How the Go type of a place reads and writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Encoding {
    /// The type as Go's errors name it, such as `v1.PullPolicy` or `[]v1.Container`.
    pub go_type: Option<Arc<str>>,
    /// The type is a pointer, so that zero differs from absent.
    pub pointer: bool,
    /// When the place is left out.
    pub omit: Omit,
    /// The structures that Go embeds to have the field, from the outside in, joined by dots.
    pub embedded: Option<Arc<str>>,
}

/// When a field is left out of what Go writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Omit {
    /// When it is empty; structures never are.
    #[default]
    Empty,
    /// When it is its type's zero value, structures too.
    Zero,
    /// Never.
    Never,
}

/// Types that schemas refer to by name.
#[derive(Debug, Default)]
pub struct Types {
    named: HashMap<Arc<str>, Schema>,
}

/// A place in a schema: what the structure is there, with names resolved.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    types: &'a Types,
    schema: &'a Schema,
}

static UNTYPED: Schema = Schema {
    shape: Shape::Untyped,
    patching: Patching { merge: false, key: None, retain_keys: false, replace: false },
    description: None,
    default: None,
    encoding: Encoding { go_type: None, pointer: false, omit: Omit::Empty, embedded: None },
};

impl Schema {
    /// A place of the given shape, replaced by strategic merges, without documentation.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            patching: Patching::default(),
            description: None,
            default: None,
            encoding: Encoding::default(),
        }
    }

    /// Named fields, each owned on its own, none required, unknown ones refused.
    pub fn object<N: Into<Arc<str>>>(fields: impl IntoIterator<Item = (N, Schema)>) -> Self {
        let fields = fields.into_iter().map(|(name, schema)| (name.into(), schema)).collect();
        Self::new(Shape::Object {
            fields: Arc::new(fields),
            required: Arc::default(),
            open: false,
            kind: MapKind::Granular,
        })
    }

    /// Any keys, with values of the given structure, each owned on its own.
    pub fn map(values: Schema) -> Self {
        Self::new(Shape::Map { values: Arc::new(values), kind: MapKind::Granular })
    }

    /// A sequence.
    pub fn list(items: Schema, kind: ListKind) -> Self {
        Self::new(Shape::List { items: Arc::new(items), kind })
    }

    /// Text.
    pub fn string() -> Self {
        Self::new(Shape::Scalar(Scalar::String))
    }

    /// An integer of 64 bits.
    pub fn integer() -> Self {
        Self::new(Shape::Scalar(Scalar::Int64))
    }

    /// Anything at all.
    pub fn untyped() -> Self {
        UNTYPED.clone()
    }

    /// The type of that name.
    pub fn named(name: impl Into<Arc<str>>) -> Self {
        Self::new(Shape::Named(name.into()))
    }
}

impl Types {
    /// Adds a type, or replaces it.
    pub fn insert(&mut self, name: impl Into<Arc<str>>, schema: Schema) {
        self.named.insert(name.into(), schema);
    }

    /// The type of that name.
    pub fn get(&self, name: &str) -> Option<&Schema> {
        self.named.get(name)
    }

    /// All types with their names, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Schema)> {
        self.named.iter().map(|(name, schema)| (&**name, schema))
    }

    /// The place where the type of that name begins.
    pub fn named(&self, name: &str) -> Option<View<'_>> {
        Some(self.view(self.get(name)?))
    }

    /// The place where a schema begins.
    pub fn view<'a>(&'a self, schema: &'a Schema) -> View<'a> {
        View { types: self, schema }
    }
}

impl<'a> View<'a> {
    /// A place without a schema.
    #[must_use]
    pub fn untyped(self) -> Self {
        View { types: self.types, schema: &UNTYPED }
    }

    /// The shape, never [`Shape::Named`]. A name that nobody defined is untyped.
    pub fn shape(self) -> &'a Shape {
        let mut schema = self.schema;
        while let Shape::Named(name) = &schema.shape {
            schema = self.types.get(name).unwrap_or(&UNTYPED);
        }
        &schema.shape
    }

    /// How a strategic merge treats the place: said where the place is used, not by the type it has.
    pub fn patching(self) -> &'a Patching {
        &self.schema.patching
    }

    /// The value that stands for an absent one: said where the place is used, not by the type it has.
    pub fn default(self) -> Option<&'a Value> {
        self.schema.default.as_deref()
    }

    /// The schema of the place, as it stands.
    pub fn schema(self) -> &'a Schema {
        self.schema
    }

    /// Go's name of the type of the place, such as `v1.PodSpec`; empty if nobody said.
    pub fn go_name(self) -> &'a str {
        let mut schema = self.schema;
        while let Shape::Named(name) = &schema.shape {
            schema = self.types.get(name).unwrap_or(&UNTYPED);
        }
        schema.encoding.go_type.as_deref().unwrap_or_default()
    }

    /// The types that names refer to.
    pub fn types(self) -> &'a Types {
        self.types
    }

    /// The documentation of the place, or else of its type.
    pub fn description(self) -> Option<&'a str> {
        let mut schema = self.schema;
        loop {
            if let Some(text) = &schema.description {
                return Some(text);
            }
            let Shape::Named(name) = &schema.shape else { return None };
            schema = self.types.get(name)?;
        }
    }

    /// The structure of a field or map entry; nothing if the schema knows no such field.
    pub fn field(self, name: &str) -> Option<View<'a>> {
        let schema = match self.shape() {
            Shape::Object { fields, open, .. } => match fields.get(name) {
                Some(schema) => schema,
                None if *open => &UNTYPED,
                None => return None,
            },
            Shape::Map { values, .. } => values,
            Shape::Untyped => &UNTYPED,
            Shape::List { .. } | Shape::Scalar(_) | Shape::Named(_) => return None,
        };
        Some(View { types: self.types, schema })
    }

    /// The structure of the items of a list.
    pub fn items(self) -> Option<View<'a>> {
        let schema = match self.shape() {
            Shape::List { items, .. } => items,
            Shape::Untyped => &UNTYPED,
            _ => return None,
        };
        Some(View { types: self.types, schema })
    }
}
