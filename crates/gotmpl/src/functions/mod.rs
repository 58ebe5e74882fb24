//! The table of functions a template can call, and what a function is given when it is called.
#![expect(
    clippy::unnecessary_wraps,
    reason = "the functions of a table all have the signature that it asks for"
)]

use std::borrow::Cow;
use std::rc::Rc;

use crate::error::{Cause, Error};
use crate::parse;
use crate::value::{List, Map, Text, Type, Value};

mod bounds;
mod cases;
mod cast;
mod crypto;
pub mod dates;
mod decimal;
mod defaults;
mod dicts;
pub mod durations;
mod encoding;
mod environment;
mod json;
mod library;
mod lists;
mod merge;
mod network;
mod numeric;
mod paths;
mod print;
mod random;
mod reflection;
mod regex;
mod strings;
mod toml;
mod url;
mod versions;
mod yaml;

pub(crate) use bounds::too_large;
pub use environment::{Environment, Instant, Offline, Zone};

/// A function with its Go signature, by which the engine checks arguments before it runs.
///
/// A table is a static slice of these:
///
/// ```
/// use gotmpl::functions::{Args, Context, Function, FunctionError};
/// use gotmpl::value::Value;
/// use gotmpl::value::types::{INT, STRING};
///
/// static TABLE: &[Function] = &[Function::new("repeat", &[INT, STRING], STRING, repeat)];
///
/// fn repeat(_: &Context, args: Args<'_>) -> Result<Value, FunctionError> {
///     let count = usize::try_from(args.int(0))
///         .map_err(|_| FunctionError::new("strings: negative Repeat count"))?;
///     Ok(args.str(1).repeat(count).into())
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Function {
    /// The name in templates.
    pub name: &'static str,
    /// The types of the parameters; of a variadic one, the type of each element.
    pub params: &'static [Type],
    /// Whether the last parameter may be given any number of times.
    pub variadic: bool,
    /// The type of the first result.
    pub returns: Type,
    /// What runs.
    pub run: Run,
}

/// How a function runs.
#[derive(Clone, Copy)]
pub enum Run {
    /// An ordinary function.
    Native(Native),
    /// An ordinary function that goes as deep as its argument nests, and needs the stack for it.
    Deep(Native),
    /// One that needs the engine itself.
    Engine(EngineFunction),
}

/// An ordinary function: arguments have been counted and are of the types the table says.
pub type Native = fn(&Context, Args<'_>) -> Result<Value, FunctionError>;

/// The functions that are part of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineFunction {
    /// `and`
    And,
    /// `or`
    Or,
    /// `call`
    Call,
    /// One of the others that text/template has built in, which see whether a value is an interface.
    Builtin(crate::builtins::Builtin),
    /// Helm's `include`.
    Include,
    /// Helm's `tpl`.
    Tpl,
}

impl Function {
    /// A function with fixed parameters.
    pub const fn new(name: &'static str, params: &'static [Type], returns: Type, run: Native) -> Self {
        Self { name, params, variadic: false, returns, run: Run::Native(run) }
    }

    /// A function whose last parameter is `...T`; the table says `T`.
    pub const fn variadic(name: &'static str, params: &'static [Type], returns: Type, run: Native) -> Self {
        Self { name, params, variadic: true, returns, run: Run::Native(run) }
    }

    /// The same function, which goes as deep as its argument nests.
    #[must_use]
    pub const fn deep(self) -> Self {
        match self.run {
            Run::Native(run) => Self { run: Run::Deep(run), ..self },
            _ => self,
        }
    }
}

/// The functions by name.
#[derive(Clone)]
pub struct Functions {
    table: parse::Map<&'static str, &'static Function>,
}

impl Functions {
    /// Only what Go's text/template has built in.
    pub fn builtin() -> Self {
        // There are 240 in Helm.
        let mut functions = Self { table: parse::Map::default() };
        functions.table.reserve(256);
        functions.add(crate::builtins::TABLE);
        functions
    }

    /// Adds a table; a name that is there already is replaced.
    pub fn add(&mut self, table: &'static [Function]) {
        self.table.extend(table.iter().map(|function| (function.name, function)));
    }

    /// Takes a function out.
    pub fn remove(&mut self, name: &str) {
        self.table.remove(name);
    }

    /// The function of that name.
    pub fn get(&self, name: &str) -> Option<&'static Function> {
        self.table.get(name).copied()
    }

    /// All names, in no order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.table.keys().copied()
    }
}

/// What a function can reach beyond its arguments.
pub struct Context {
    /// Clock, random bytes, cluster and network, as the caller of the engine allows them.
    pub environment: Rc<dyn Environment>,
    /// Helm's lint mode: `required` and `fail` warn but go on.
    pub lint: bool,
    /// How many bytes a value may hold that a function makes.
    pub value_bytes: usize,
}

/// The arguments of a call. Each accessor trusts the signature in the table: asked for another type than
/// the parameter has, it gives that type's zero value.
#[derive(Clone, Copy)]
pub struct Args<'a>(&'a [Value]);

impl<'a> Args<'a> {
    /// Arguments that match a function's parameters.
    pub fn new(values: &'a [Value]) -> Self {
        Self(values)
    }

    /// The argument at `index`; nil if there is none.
    pub fn value(self, index: usize) -> &'a Value {
        self.0.get(index).unwrap_or(&Value::Nil)
    }

    /// A `string` argument as text; what is not UTF-8 shows as U+FFFD.
    pub fn str(self, index: usize) -> Cow<'a, str> {
        self.value(index).as_text().map_or(Cow::Borrowed(""), Text::to_str)
    }

    /// A `string` argument as text, for functions that hand on pieces of it: [`Text::landed`] makes of those what
    /// they were.
    pub(crate) fn carried(self, index: usize) -> Cow<'a, str> {
        self.value(index).as_text().map_or(Cow::Borrowed(""), Text::carried)
    }

    /// A `string` argument as Go's bytes.
    pub fn bytes(self, index: usize) -> &'a [u8] {
        match self.value(index) {
            Value::String(text) => text.as_bytes(),
            Value::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    /// An argument of a signed integer type.
    pub fn int(self, index: usize) -> i64 {
        match self.value(index) {
            Value::Int(_, number) => *number,
            _ => 0,
        }
    }

    /// A `float64` argument.
    pub fn float(self, index: usize) -> f64 {
        match self.value(index) {
            Value::Float(number) => *number,
            _ => 0.0,
        }
    }

    /// A `bool` argument.
    pub fn bool(self, index: usize) -> bool {
        matches!(self.value(index), Value::Bool(true))
    }

    /// A map argument.
    pub fn map(self, index: usize) -> Rc<Map> {
        match self.value(index) {
            Value::Map(map) => map.clone(),
            _ => Rc::new(Map::nil(crate::value::types::MAP_ANY)),
        }
    }

    /// A slice argument.
    pub fn list(self, index: usize) -> Rc<List> {
        match self.value(index) {
            Value::List(list) => list.clone(),
            _ => Rc::new(List::nil(crate::value::types::LIST_ANY)),
        }
    }

    /// The arguments from `index` on: those of a variadic parameter.
    pub fn rest(self, index: usize) -> &'a [Value] {
        self.0.get(index..).unwrap_or(&[])
    }

    /// How many were given.
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Whether none were given.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

/// What a function returns as its error, or panics with: to a template both read
/// `error calling <name>: <message>`.
#[derive(Debug, Clone)]
pub struct FunctionError {
    /// The text; with a cause, the part before the cause's text.
    message: Cow<'static, str>,
    /// The error of a template that the function ran (`include`, `tpl`), as Go's `%w` keeps it.
    cause: Option<Box<Cause>>,
}

impl FunctionError {
    /// An error with Go's text.
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self { message: message.into(), cause: None }
    }

    /// An error that wraps another, as Go's `%w` does: the other's text follows the message.
    pub(crate) fn wrapping(message: String, cause: Cause) -> Self {
        Self { message: message.into(), cause: Some(Box::new(cause)) }
    }

    /// This error as the link of another's chain.
    pub(crate) fn into_cause(self) -> Cause {
        match self.cause {
            // A template's error that was handed on as it is.
            Some(cause) if self.message.is_empty() => *cause,
            cause => Cause { text: self.message, place: None, next: cause },
        }
    }

    /// The text.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl std::fmt::Display for FunctionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        self.cause.as_ref().map_or(Ok(()), |cause| cause.fmt(f))
    }
}

impl std::error::Error for FunctionError {}

impl From<Error> for FunctionError {
    /// The error of a template that the function ran, handed on as it is.
    fn from(error: Error) -> Self {
        Self { message: Cow::Borrowed(""), cause: Some(Box::new(error.into_cause())) }
    }
}
