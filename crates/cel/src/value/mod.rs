//! Values: what expressions work on.

mod compare;
mod json;
mod key;
mod list;
mod map;
mod show;
mod text;
mod time;

use std::net::IpAddr;
use std::sync::Arc;

pub use self::key::Key;
pub use self::list::List;
pub use self::map::Map;
pub use self::text::Text;
pub(crate) use self::time::{NoMoment, zone_offset};
pub use self::time::{Span, Timestamp};
use crate::functions::authorizer::{Authorization, Checker, Decision};
use crate::functions::formats::NamedFormat;
use crate::functions::net::Cidr;
use crate::functions::quantity::Quantity;
use crate::functions::semver::Version;
use crate::functions::urls::Url;
use crate::types::Type;

/// A value. Texts, lists and maps that come from JSON are borrowed from it; items are looked at when they are asked
/// for. Cheap to clone.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// True or false.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    Uint(u64),
    /// A floating point number.
    Double(f64),
    /// Text.
    String(Text<'a>),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// A moment.
    Timestamp(Timestamp),
    /// A span of time.
    Duration(Span),
    /// A list.
    List(List<'a>),
    /// A map or object.
    Map(Map<'a>),
    /// A type.
    Type(Type),
    /// A value, or none.
    Optional(Option<Arc<Value<'a>>>),
    /// What a schema lets pass without saying what it is.
    Preserved(&'a serde_json::Value),
    /// A URL.
    Url(Arc<Url>),
    /// An amount.
    Quantity(Quantity),
    /// An address.
    Ip(IpAddr),
    /// A range of addresses.
    Cidr(Cidr),
    /// A version.
    Semver(Arc<Version>),
    /// A named format of texts.
    Format(&'static NamedFormat),
    /// Asks who may do what.
    Authorizer(Checker<'a>),
    /// A question to an authorizer that is not yet whole.
    Authorization(Arc<Authorization<'a>>),
    /// What an authorizer answered.
    Decision(Arc<Decision>),
}

impl<'a> Value<'a> {
    /// Text that is shared, not borrowed.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::String(Text::Shared(text.into()))
    }

    /// A list of these items.
    pub fn list(items: Vec<Value<'a>>) -> Self {
        Self::List(List::from(items))
    }

    pub(crate) fn some(value: Value<'a>) -> Self {
        Self::Optional(Some(Arc::new(value)))
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The truth, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The name of the type it has.
    pub fn type_name(&self) -> &str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Type(_) => "type",
            Self::Optional(_) => "optional_type",
            Self::Preserved(_) => "unknown",
            Self::Url(_) => "kubernetes.URL",
            Self::Quantity(_) => "kubernetes.Quantity",
            Self::Ip(_) => "net.IP",
            Self::Cidr(_) => "net.CIDR",
            Self::Semver(_) => "kubernetes.Semver",
            Self::Format(_) => "kubernetes.NamedFormat",
            Self::Authorizer(_) => "kubernetes.authorization.Authorizer",
            Self::Authorization(question) => question.type_name(),
            Self::Decision(_) => "kubernetes.authorization.Decision",
        }
    }

    /// The type as a value of its own, as `type(x)` gives it.
    pub(crate) fn type_value(&self) -> Type {
        match self {
            Self::Null => Type::Null,
            Self::Bool(_) => Type::Bool,
            Self::Int(_) => Type::Int,
            Self::Uint(_) => Type::Uint,
            Self::Double(_) => Type::Double,
            Self::String(_) => Type::String,
            Self::Bytes(_) => Type::Bytes,
            Self::Timestamp(_) => Type::Timestamp,
            Self::Duration(_) => Type::Duration,
            Self::List(_) => Type::list(Type::Dyn),
            Self::Map(_) => Type::map(Type::Dyn, Type::Dyn),
            Self::Type(_) => Type::Type(None),
            other => Type::opaque(other.type_name()),
        }
    }

    /// How many characters, bytes, items or entries it has, if that is a question.
    pub(crate) fn size(&self) -> Option<usize> {
        Some(match self {
            Self::String(text) => text.chars().count(),
            Self::Bytes(bytes) => bytes.len(),
            Self::List(list) => list.len(),
            Self::Map(map) => map.len(),
            Self::Ip(IpAddr::V4(_)) => 4,
            Self::Ip(IpAddr::V6(_)) => 16,
            Self::Cidr(cidr) => usize::from(cidr.bits()).div_ceil(8),
            _ => return None,
        })
    }

    /// Whether it says nothing: zero, empty, false.
    pub(crate) fn is_zero(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(truth) => !truth,
            Self::Int(number) => *number == 0,
            Self::Uint(number) => *number == 0,
            Self::Double(number) => *number == 0.0,
            Self::String(text) => text.is_empty(),
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::Timestamp(moment) => moment.is_zero(),
            Self::Duration(span) => span.0 == 0,
            // What a schema describes is never nothing, however empty.
            Self::List(list) => list.is_empty() && !list.has_schema(),
            Self::Map(map) => map.is_empty() && !map.has_schema(),
            _ => false,
        }
    }
}

impl From<bool> for Value<'_> {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::String(Text::Borrowed(text))
    }
}
