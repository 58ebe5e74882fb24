//! The values a template works on, with Go's types kept apart.

use std::rc::Rc;

mod bytes;
mod convert;
mod dismantle;
mod equal;
mod list;
mod map;
mod object;
mod serialize;
mod text;
pub mod types;

pub use bytes::ByteSlice;
pub(crate) use convert::base64;
pub(crate) use equal::float_equal;
pub use list::List;
pub use map::{Entries, Map};
pub use object::Object;
pub use text::Text;
pub use types::{GoType, Kind, Method, Type};

use crate::functions::Function;

/// A Go value as a template sees it. Cloning is cheap, and lists and maps stay shared.
#[derive(Clone, Default)]
pub enum Value {
    /// Untyped nil: an `interface {}` that holds nothing.
    #[default]
    Nil,
    /// `bool`
    Bool(bool),
    /// A signed integer and its type: `int`, `int64`, `time.Duration` …
    Int(Type, i64),
    /// An unsigned integer and its type.
    Uint(Type, u64),
    /// `float64`
    Float(f64),
    /// `complex128`, which only constants such as `1i` can be.
    Complex(Rc<(f64, f64)>),
    /// `string`
    String(Text),
    /// `json.Number`, a string kind.
    Number(Rc<str>),
    /// `[]byte`
    Bytes(Rc<ByteSlice>),
    /// Any other slice.
    List(Rc<List>),
    /// A map with string keys.
    Map(Rc<Map>),
    /// A struct or a pointer to one.
    Object(Rc<dyn Object>),
    /// A function.
    Func(&'static Function),
}

impl Value {
    /// An `int`.
    pub fn int(number: i64) -> Self {
        Self::Int(types::INT, number)
    }

    /// An `int64`.
    pub fn int64(number: i64) -> Self {
        Self::Int(types::INT64, number)
    }

    /// A `uint64`.
    pub fn uint64(number: u64) -> Self {
        Self::Uint(types::UINT64, number)
    }

    /// A `[]interface {}`.
    pub fn list(items: Vec<Value>) -> Self {
        Self::List(Rc::new(List::any(items)))
    }

    /// A `[]string`.
    pub fn strings<T: Into<Value>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::List(Rc::new(List::strings(items)))
    }

    /// A `map[string]interface {}`.
    pub fn map(entries: Entries) -> Self {
        Self::Map(Rc::new(Map::any(entries)))
    }

    /// A map of another type.
    pub fn map_of(ty: Type, entries: Entries) -> Self {
        Self::Map(Rc::new(Map::new(ty, entries)))
    }

    /// The value's type, or `None` for untyped nil.
    pub fn ty(&self) -> Option<Type> {
        Some(match self {
            Self::Nil => return None,
            Self::Bool(_) => types::BOOL,
            Self::Int(ty, _) | Self::Uint(ty, _) => ty,
            Self::Float(_) => types::FLOAT64,
            Self::Complex(_) => types::COMPLEX128,
            Self::String(_) => types::STRING,
            Self::Number(_) => types::JSON_NUMBER,
            Self::Bytes(_) => types::BYTES,
            Self::List(list) => list.ty(),
            Self::Map(map) => map.ty(),
            Self::Object(object) => object.go_type(),
            Self::Func(_) => types::FUNC,
        })
    }

    /// What `%T` prints: `<nil>` for untyped nil.
    pub fn type_name(&self) -> &'static str {
        self.ty().map_or("<nil>", |ty| ty.name)
    }

    /// `reflect.ValueOf(v).Kind()`.
    pub fn kind(&self) -> Kind {
        self.ty().map_or(Kind::Invalid, |ty| ty.kind)
    }

    /// Whether this is nil: untyped, or a nil slice, map or pointer.
    pub fn is_nil(&self) -> bool {
        match self {
            Self::Nil => true,
            Self::Bytes(bytes) => bytes.is_nil(),
            Self::List(list) => list.is_nil(),
            Self::Map(map) => map.is_nil(),
            Self::Object(object) => object.is_nil(),
            _ => false,
        }
    }

    /// Whether `if` takes it as true: not the zero of its type, not empty. Structs are always true.
    pub fn truth(&self) -> bool {
        match self {
            Self::Nil => false,
            Self::Bool(value) => *value,
            Self::Int(_, number) => *number != 0,
            Self::Uint(_, number) => *number != 0,
            Self::Float(number) => *number != 0.0,
            Self::Complex(number) => number.0 != 0.0 || number.1 != 0.0,
            Self::String(text) => !text.is_empty(),
            Self::Number(text) => !text.is_empty(),
            Self::Bytes(bytes) => !bytes.is_empty(),
            Self::List(list) => !list.is_empty(),
            Self::Map(map) => !map.is_empty(),
            Self::Object(object) => !object.is_nil(),
            Self::Func(_) => true,
        }
    }

    /// The string, if the value is of Go's type `string`.
    pub fn as_text(&self) -> Option<&Text> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The map, if it is one of any map type.
    pub fn as_map(&self) -> Option<&Rc<Map>> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The elements of any slice (bytes become `uint8`), or `None` for other kinds.
    pub fn to_items(&self) -> Option<Vec<Value>> {
        match self {
            Self::List(list) => Some(list.to_vec()),
            Self::Bytes(bytes) => {
                Some(bytes.iter().map(|byte| Self::Uint(types::UINT8, u64::from(*byte))).collect())
            }
            _ => None,
        }
    }

    /// The object as the concrete type it was made of.
    pub fn downcast<T: 'static>(&self) -> Option<&T> {
        match self {
            Self::Object(object) => object.as_any().downcast_ref(),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::String(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::String(value.into())
    }
}

impl From<Rc<str>> for Value {
    fn from(value: Rc<str>) -> Self {
        Self::String(value.into())
    }
}

impl From<std::borrow::Cow<'_, str>> for Value {
    fn from(value: std::borrow::Cow<'_, str>) -> Self {
        Self::String(value.into())
    }
}

impl From<Text> for Value {
    fn from(value: Text) -> Self {
        Self::String(value)
    }
}

impl From<Entries> for Value {
    fn from(value: Entries) -> Self {
        Self::map(value)
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nil => f.write_str("nil"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(ty, number) => write!(f, "{ty}({number})"),
            Self::Uint(ty, number) => write!(f, "{ty}({number})"),
            Self::Float(number) => number.fmt(f),
            Self::Complex(number) => number.fmt(f),
            Self::String(text) => text.fmt(f),
            Self::Number(text) => write!(f, "json.Number({text})"),
            Self::Bytes(bytes) => write!(f, "[]byte({:?})", &**bytes),
            Self::List(list) => write!(f, "{}{:?}", list.ty(), list.borrow()),
            Self::Map(map) => write!(f, "{}{:?}", map.ty(), map.borrow()),
            Self::Object(object) => write!(f, "{}{:?}", object.go_type(), object.fields()),
            Self::Func(function) => write!(f, "func {}", function.name),
        }
    }
}
