//! The types of expressions, and how they are written in messages.

use std::fmt;
use std::sync::Arc;

/// What is known of a value before it is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type {
    /// Anything; checked when it is used.
    Dyn,
    /// `null`.
    Null,
    /// True or false.
    Bool,
    /// A signed integer of 64 bits.
    Int,
    /// An unsigned integer of 64 bits.
    Uint,
    /// A floating point number.
    Double,
    /// Text.
    String,
    /// Bytes.
    Bytes,
    /// A moment.
    Timestamp,
    /// A span of time.
    Duration,
    /// A list of values of one type.
    List(Arc<Type>),
    /// A map from keys of one type to values of one type.
    Map(Arc<Type>, Arc<Type>),
    /// A type as a value, of which more may be known.
    Type(Option<Arc<Type>>),
    /// An object with named fields, declared in an [`Env`](crate::Env).
    Object(Arc<str>),
    /// A type of a library, such as `net.IP`, or an optional value.
    Opaque(Arc<str>, Arc<[Type]>),
    /// A type that is to be found out.
    Param(Arc<str>),
    /// What has no type because it is wrong.
    Error,
}

const OPTIONAL: &str = "optional_type";

impl Type {
    /// A list of that type.
    pub fn list(of: Self) -> Self {
        Self::List(Arc::new(of))
    }

    /// A map of these types.
    pub fn map(keys: Self, values: Self) -> Self {
        Self::Map(Arc::new(keys), Arc::new(values))
    }

    /// An object type by its name.
    pub fn object(name: &str) -> Self {
        Self::Object(name.into())
    }

    /// A value of that type, or nothing.
    pub fn optional(of: Self) -> Self {
        Self::Opaque(OPTIONAL.into(), Arc::new([of]))
    }

    pub(crate) fn opaque(name: &str) -> Self {
        Self::Opaque(name.into(), Arc::new([]))
    }

    /// What an optional type may hold.
    pub(crate) fn as_optional(&self) -> Option<&Self> {
        match self {
            Self::Opaque(name, params) if &**name == OPTIONAL => params.first(),
            _ => None,
        }
    }

    pub(crate) fn is_dyn(&self) -> bool {
        matches!(self, Self::Dyn)
    }

    pub(crate) fn is_dyn_or_error(&self) -> bool {
        matches!(self, Self::Dyn | Self::Error)
    }

    /// The types that this one is made of.
    pub(crate) fn params(&self) -> Vec<&Self> {
        match self {
            Self::List(item) => vec![item],
            Self::Map(key, value) => vec![key, value],
            Self::Type(Some(of)) => vec![of],
            Self::Opaque(_, params) => params.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The name of the type at run time, without what it is made of.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Dyn => "dyn",
            Self::Null => "null_type",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Timestamp => "google.protobuf.Timestamp",
            Self::Duration => "google.protobuf.Duration",
            Self::List(_) => "list",
            Self::Map(..) => "map",
            Self::Type(_) => "type",
            Self::Object(name) | Self::Opaque(name, _) | Self::Param(name) => name,
            Self::Error => "!error!",
        }
    }

    /// Whether both are the same kind of type, whatever they are made of.
    pub(crate) fn same_kind(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// As messages show it.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => return f.write_str("null"),
            Self::Timestamp => return f.write_str("timestamp"),
            Self::Duration => return f.write_str("duration"),
            _ => f.write_str(self.name())?,
        }
        let params = self.params();
        if params.is_empty() {
            return Ok(());
        }
        f.write_str("(")?;
        for (index, param) in params.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{param}")?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_written_with_what_they_are_made_of() {
        let of = Type::map(Type::String, Type::list(Type::optional(Type::Timestamp)));
        assert_eq!(of.to_string(), "map(string, list(optional_type(timestamp)))");
        assert_eq!(Type::Type(None).to_string(), "type");
    }
}
