//! Go's types, as far as a template can see them: their names, kinds, and which may be assigned to which.

use std::rc::Rc;

use super::Value;
use crate::functions::{Context, FunctionError};

/// Go's `reflect.Kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// No value at all.
    Invalid,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `int8`
    Int8,
    /// `int16`
    Int16,
    /// `int32`
    Int32,
    /// `int64`
    Int64,
    /// `uint`
    Uint,
    /// `uint8`
    Uint8,
    /// `uint16`
    Uint16,
    /// `uint32`
    Uint32,
    /// `uint64`
    Uint64,
    /// `float64`
    Float64,
    /// `complex128`
    Complex128,
    /// `string`
    String,
    /// A slice.
    Slice,
    /// A map.
    Map,
    /// A struct.
    Struct,
    /// A pointer.
    Pointer,
    /// A function.
    Func,
    /// An interface.
    Interface,
}

impl Kind {
    /// The name that `reflect.Kind.String` gives, which is what sprig's `kindOf` prints.
    pub fn name(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Uint => "uint",
            Self::Uint8 => "uint8",
            Self::Uint16 => "uint16",
            Self::Uint32 => "uint32",
            Self::Uint64 => "uint64",
            Self::Float64 => "float64",
            Self::Complex128 => "complex128",
            Self::String => "string",
            Self::Slice => "slice",
            Self::Map => "map",
            Self::Struct => "struct",
            Self::Pointer => "ptr",
            Self::Func => "func",
            Self::Interface => "interface",
        }
    }

    /// Whether this is one of the signed integer kinds.
    pub fn is_int(self) -> bool {
        matches!(self, Self::Int | Self::Int8 | Self::Int16 | Self::Int32 | Self::Int64)
    }

    /// Whether this is one of the unsigned integer kinds.
    pub fn is_uint(self) -> bool {
        matches!(self, Self::Uint | Self::Uint8 | Self::Uint16 | Self::Uint32 | Self::Uint64)
    }

    /// Whether `nil` can be given where this kind is expected.
    pub fn can_be_nil(self) -> bool {
        matches!(self, Self::Slice | Self::Map | Self::Pointer | Self::Func | Self::Interface)
    }
}

/// A Go type. Types are statics, and two types are the same when they are the same static.
pub struct GoType {
    /// The name as `%T` prints it.
    pub name: &'static str,
    /// The kind.
    pub kind: Kind,
    /// What a slice, map or pointer holds.
    pub elem: Option<Type>,
    /// For a named type (`common.Values`): the unnamed type it is made of.
    pub underlying: Option<Type>,
    /// The methods a template can call on a value of this type.
    pub methods: &'static [Method],
    /// `String()` or `Error()`, which printing prefers over the contents.
    pub stringer: Option<fn(&Value) -> String>,
}

/// A method of a Go type; the receiver is given apart from the arguments.
pub struct Method {
    /// The method's name.
    pub name: &'static str,
    /// The types of the parameters.
    pub params: &'static [Type],
    /// Whether the last parameter is `...T`.
    pub variadic: bool,
    /// The type of the (first) result.
    pub returns: Type,
    /// What to run: context, receiver, arguments.
    pub run: fn(&Context, &Value, &[Value]) -> Result<Value, FunctionError>,
}

impl Method {
    /// A method with fixed parameters.
    pub const fn new(
        name: &'static str,
        params: &'static [Type],
        returns: Type,
        run: fn(&Context, &Value, &[Value]) -> Result<Value, FunctionError>,
    ) -> Self {
        Self { name, params, variadic: false, returns, run }
    }
}

/// A reference to a Go type.
pub type Type = &'static GoType;

impl std::fmt::Debug for GoType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl std::fmt::Display for GoType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for GoType {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for GoType {}

impl GoType {
    /// An unnamed or predeclared type that holds no other.
    pub const fn basic(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, elem: None, underlying: None, methods: &[], stringer: None }
    }

    /// A slice, or a map with string keys, or a pointer, to `elem`.
    pub const fn of(name: &'static str, kind: Kind, elem: Type) -> Self {
        Self { name, kind, elem: Some(elem), underlying: None, methods: &[], stringer: None }
    }

    /// A named type with the contents of `underlying`.
    pub const fn named(name: &'static str, underlying: Type) -> Self {
        Self {
            name,
            kind: underlying.kind,
            elem: underlying.elem,
            underlying: Some(underlying),
            methods: &[],
            stringer: None,
        }
    }

    /// A struct type, or a pointer to one.
    pub const fn object(name: &'static str, kind: Kind) -> Self {
        Self::basic(name, kind)
    }

    /// The same type with methods.
    #[must_use]
    pub const fn with_methods(mut self, methods: &'static [Method]) -> Self {
        self.methods = methods;
        self
    }

    /// The same type with a `String()` method that printing uses.
    #[must_use]
    pub const fn with_stringer(mut self, stringer: fn(&Value) -> String) -> Self {
        self.stringer = Some(stringer);
        self
    }

    /// Whether a value of this type can be given where `target` is expected (`reflect.Type.AssignableTo`).
    pub fn assignable_to(&'static self, target: Type) -> bool {
        if self == target || target == ANY {
            return true;
        }
        match (self.underlying, target.underlying) {
            // A named and an unnamed type with the same contents; predeclared types count as named.
            (Some(own), None) => own == target && own.is_literal(),
            (None, Some(theirs)) => theirs == self && self.is_literal(),
            _ => false,
        }
    }

    /// Whether this is spelled out (`[]string`) and not a name (`string`).
    fn is_literal(&self) -> bool {
        matches!(self.kind, Kind::Slice | Kind::Map | Kind::Pointer | Kind::Func)
    }

    /// The method of that name.
    pub fn method(&self, name: &str) -> Option<&'static Method> {
        self.methods.iter().find(|method| method.name == name)
    }

    /// The zero value of this type (`reflect.Zero`).
    pub fn zero(&'static self) -> Value {
        match self.kind {
            Kind::Bool => Value::Bool(false),
            kind if kind.is_int() => Value::Int(self, 0),
            kind if kind.is_uint() => Value::Uint(self, 0),
            Kind::Float64 => Value::Float(0.0),
            Kind::String if self == JSON_NUMBER => Value::Number(Rc::from("")),
            Kind::String => Value::from(""),
            Kind::Slice if self == BYTES => Value::Bytes(Rc::new(super::ByteSlice::nil())),
            Kind::Slice => Value::List(Rc::new(super::List::nil(self))),
            Kind::Map => Value::Map(Rc::new(super::Map::nil(self))),
            _ => Value::Nil,
        }
    }
}

macro_rules! go_types {
    ($($(#[$doc:meta])* $name:ident = $value:expr;)*) => {
        $($(#[$doc])* pub const $name: Type = {
            static TYPE: GoType = $value;
            &TYPE
        };)*
    };
}

go_types! {
    /// `interface {}`
    ANY = GoType::basic("interface {}", Kind::Interface);
    /// `reflect.Value`: like [`ANY`], but taken as it is.
    REFLECT = GoType::basic("reflect.Value", Kind::Struct);
    /// `error`
    ERROR = GoType::basic("error", Kind::Interface);
    /// `bool`
    BOOL = GoType::basic("bool", Kind::Bool);
    /// `int`
    INT = GoType::basic("int", Kind::Int);
    /// `int8`
    INT8 = GoType::basic("int8", Kind::Int8);
    /// `int16`
    INT16 = GoType::basic("int16", Kind::Int16);
    /// `int32`, which is also `rune`
    INT32 = GoType::basic("int32", Kind::Int32);
    /// `int64`
    INT64 = GoType::basic("int64", Kind::Int64);
    /// `uint`
    UINT = GoType::basic("uint", Kind::Uint);
    /// `uint8`, which is also `byte`
    UINT8 = GoType::basic("uint8", Kind::Uint8);
    /// `uint16`
    UINT16 = GoType::basic("uint16", Kind::Uint16);
    /// `uint32`
    UINT32 = GoType::basic("uint32", Kind::Uint32);
    /// `uint64`
    UINT64 = GoType::basic("uint64", Kind::Uint64);
    /// `float64`
    FLOAT64 = GoType::basic("float64", Kind::Float64);
    /// `complex128`
    COMPLEX128 = GoType::basic("complex128", Kind::Complex128);
    /// `string`
    STRING = GoType::basic("string", Kind::String);
    /// `json.Number`
    JSON_NUMBER = GoType::named("json.Number", STRING);
    /// `[]interface {}`
    LIST_ANY = GoType::of("[]interface {}", Kind::Slice, ANY);
    /// `[]string`
    LIST_STRING = GoType::of("[]string", Kind::Slice, STRING);
    /// `[]int`
    LIST_INT = GoType::of("[]int", Kind::Slice, INT);
    /// `[]int64`
    LIST_INT64 = GoType::of("[]int64", Kind::Slice, INT64);
    /// `[]float64`
    LIST_FLOAT64 = GoType::of("[]float64", Kind::Slice, FLOAT64);
    /// `[][]interface {}`
    LIST_LIST_ANY = GoType::of("[][]interface {}", Kind::Slice, LIST_ANY);
    /// `[]map[string]interface {}`
    LIST_MAP_ANY = GoType::of("[]map[string]interface {}", Kind::Slice, MAP_ANY);
    /// `[]uint8`, which is also `[]byte`
    BYTES = GoType::of("[]uint8", Kind::Slice, UINT8);
    /// `map[string]interface {}`
    MAP_ANY = GoType::of("map[string]interface {}", Kind::Map, ANY);
    /// `map[string]string`
    MAP_STRING = GoType::of("map[string]string", Kind::Map, STRING);
    /// `map[string][]uint8`
    MAP_BYTES = GoType::of("map[string][]uint8", Kind::Map, BYTES);
    /// `func`, whatever its signature
    FUNC = GoType::basic("func", Kind::Func);
}
