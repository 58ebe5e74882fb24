//! Semantic versions, and the methods that templates call on them.

use std::any::Any;
use std::rc::Rc;

use super::{Args, Function, FunctionError};
use crate::semver::{Constraint, Version, VersionError};
use crate::value::types::{BOOL, GoType, INT, Kind, Method, STRING, UINT64};
use crate::value::{Object, Type, Value};

type Result = std::result::Result<Value, FunctionError>;

pub(super) static TABLE: &[Function] = &[
    Function::new("semver", &[STRING], &POINTER, |_, args| {
        Ok(value(Version::parse(&args.carried(0)).map_err(failed)?, true))
    }),
    Function::new("semverCompare", &[STRING, STRING], BOOL, |_, args| {
        let constraint = Constraint::parse(&args.carried(0)).map_err(failed)?;
        let version = Version::parse(&args.carried(1)).map_err(failed)?;
        Ok(constraint.check(&version).into())
    }),
];

/// `*semver.Version`
static POINTER: GoType =
    GoType::object("*semver.Version", Kind::Pointer).with_methods(METHODS).with_stringer(printed);

/// `semver.Version`, which increments return.
static STRUCT: GoType = GoType::object("semver.Version", Kind::Struct)
    .with_methods(METHODS.split_at(VALUE_METHODS).0)
    .with_stringer(printed);

/// How many of the methods belong to the version itself; the others need a pointer to it.
const VALUE_METHODS: usize = 11;

static METHODS: &[Method] = &[
    Method::new("Major", &[], UINT64, |_, version, _| Ok(Value::uint64(of(version)?.major()))),
    Method::new("Minor", &[], UINT64, |_, version, _| Ok(Value::uint64(of(version)?.minor()))),
    Method::new("Patch", &[], UINT64, |_, version, _| Ok(Value::uint64(of(version)?.patch()))),
    Method::new("Prerelease", &[], STRING, |_, version, _| Ok(of(version)?.prerelease().into())),
    Method::new("Metadata", &[], STRING, |_, version, _| Ok(of(version)?.metadata().into())),
    Method::new("String", &[], STRING, |_, version, _| Ok(of(version)?.to_string().into())),
    Method::new("IncMajor", &[], &STRUCT, |_, version, _| derived(of(version)?.next_major())),
    Method::new("IncMinor", &[], &STRUCT, |_, version, _| derived(of(version)?.next_minor())),
    Method::new("IncPatch", &[], &STRUCT, |_, version, _| derived(of(version)?.next_patch())),
    Method::new("SetPrerelease", &[STRING], &STRUCT, |_, version, args| {
        derived(of(version)?.with_prerelease(&Args::new(args).str(0)))
    }),
    Method::new("SetMetadata", &[STRING], &STRUCT, |_, version, args| {
        derived(of(version)?.with_metadata(&Args::new(args).str(0)))
    }),
    Method::new("Original", &[], STRING, |_, version, _| Ok(of(version)?.original().into())),
    Method::new("Compare", &[&POINTER], INT, |_, version, args| {
        Ok(Value::int(compared(version, args)? as i64))
    }),
    Method::new("LessThan", &[&POINTER], BOOL, |_, version, args| {
        Ok(compared(version, args)?.is_lt().into())
    }),
    Method::new("LessThanEqual", &[&POINTER], BOOL, |_, version, args| {
        Ok(compared(version, args)?.is_le().into())
    }),
    Method::new("GreaterThan", &[&POINTER], BOOL, |_, version, args| {
        Ok(compared(version, args)?.is_gt().into())
    }),
    Method::new("GreaterThanEqual", &[&POINTER], BOOL, |_, version, args| {
        Ok(compared(version, args)?.is_ge().into())
    }),
    Method::new("Equal", &[&POINTER], BOOL, |_, version, args| Ok(compared(version, args)?.is_eq().into())),
];

/// A version as Go holds it: behind a pointer, or by value.
struct Held {
    version: Version,
    pointer: bool,
}

impl Object for Held {
    fn go_type(&self) -> Type {
        if self.pointer { &POINTER } else { &STRUCT }
    }

    /// They are printed all the same.
    fn private_fields(&self) -> &'static [&'static str] {
        &["major", "minor", "patch", "pre", "metadata", "original"]
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        let version = &self.version;
        vec![
            ("major", Value::Uint(UINT64, version.major())),
            ("minor", Value::Uint(UINT64, version.minor())),
            ("patch", Value::Uint(UINT64, version.patch())),
            ("pre", version.prerelease().into()),
            ("metadata", version.metadata().into()),
            ("original", version.original().into()),
        ]
    }

    fn copied(&self) -> Option<Value> {
        Some(value(Version::default(), self.pointer))
    }

    fn json_text(&self) -> Option<String> {
        Some(self.version.to_string())
    }

    fn equals(&self, other: &dyn Object) -> bool {
        other.as_any().downcast_ref::<Self>().is_some_and(|other| self.version == other.version)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn value(version: Version, pointer: bool) -> Value {
    Value::Object(Rc::new(Held { version, pointer }))
}

fn printed(value: &Value) -> String {
    value.downcast::<Held>().map(|held| held.version.to_string()).unwrap_or_default()
}

fn of(value: &Value) -> std::result::Result<&Version, FunctionError> {
    value
        .downcast::<Held>()
        .map(|held| &held.version)
        .ok_or_else(|| FunctionError::new(super::lists::NIL_POINTER))
}

fn compared(version: &Value, args: &[Value]) -> std::result::Result<std::cmp::Ordering, FunctionError> {
    Ok(of(version)?.precedence(of(Args::new(args).value(0))?))
}

fn derived(version: std::result::Result<Version, VersionError>) -> Result {
    Ok(value(version.map_err(failed)?, false))
}

fn failed(error: impl std::fmt::Display) -> FunctionError {
    FunctionError::new(error.to_string())
}
