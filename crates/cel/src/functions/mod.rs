//! The functions and operators, library by library.

pub(crate) mod authorizer;
mod conversions;
mod format_text;
pub(crate) mod formats;
mod lists;
pub(crate) mod net;
mod operators;
mod optionals;
pub(crate) mod quantity;
mod regex;
pub(crate) mod semver;
mod sets;
mod signature;
mod strings;
mod times;
pub(crate) mod urls;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

pub(crate) use self::conversions::convert;
pub(crate) use self::format_text::{Clause, Piece, pieces};
pub(crate) use self::operators::not_strictly_false;
use crate::error::{EvalError, Outcome};
use crate::types::Type;
use crate::value::Value;

/// What a function does with its arguments.
pub(crate) type Implementation = for<'a> fn(&[Value<'a>]) -> Outcome<Value<'a>>;

/// A function: one name, several ways to call it.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) overloads: Vec<Overload>,
    /// What all overloads share, if they do.
    singleton: Option<Singleton>,
}

/// One way to call a function.
#[derive(Debug)]
pub(crate) struct Overload {
    pub(crate) id: Arc<str>,
    /// Whether the first argument stands before the dot.
    pub(crate) member: bool,
    pub(crate) args: Vec<Type>,
    pub(crate) result: Type,
    implementation: Option<Implementation>,
    /// Whether the types of the arguments are left to the implementation.
    unguarded: bool,
}

#[derive(Debug, Clone, Copy)]
struct Singleton {
    /// Whether the first argument has what the function needs.
    accepts: fn(&Value<'_>) -> bool,
    implementation: Implementation,
}

impl Function {
    /// Calls the function with values. `chosen` is the overload that the types told, if they told one.
    pub(crate) fn call<'a>(&self, chosen: Option<&Overload>, args: &[Value<'a>]) -> Outcome<Value<'a>> {
        if let Some(singleton) = self.singleton {
            return match args.first() {
                Some(first) if (singleton.accepts)(first) => (singleton.implementation)(args),
                // These have methods of their own, and so another message.
                Some(Value::String(_) | Value::Duration(_) | Value::Timestamp(_)) => {
                    Err(EvalError::no_overload())
                }
                _ => Err(EvalError::NoSuchOverload(Some(self.name.to_owned()))),
            };
        }
        let candidates = match chosen {
            Some(overload) => std::slice::from_ref(overload),
            None => self.overloads.as_slice(),
        };
        for overload in candidates {
            if let Some(implementation) = overload.implementation
                && overload.accepts(args)
            {
                return implementation(args);
            }
        }
        let types: Vec<&str> = args.iter().map(Value::type_name).collect();
        Err(EvalError::NoSuchOverload(Some(format!("{}({})", self.name, types.join(", ")))))
    }
}

impl Function {
    /// Whether arguments are looked at one after the other, up to the first that has no value. Functions of one or
    /// two arguments that are bound to one implementation look at all of them.
    pub(crate) fn stops_early(&self, chosen: Option<&Overload>, args: usize) -> bool {
        let dispatched = chosen.is_none() && self.singleton.is_none() && self.overloads.len() > 1;
        args > 2 || dispatched || self.name == "format"
    }
}

impl Overload {
    fn accepts(&self, args: &[Value<'_>]) -> bool {
        self.args.len() == args.len()
            && (self.unguarded || self.args.iter().zip(args).all(|(of, value)| fits(of, value)))
    }
}

/// Whether a value looks like one of that type; of lists and maps only the beginning is looked at.
fn fits(of: &Type, value: &Value<'_>) -> bool {
    match of {
        Type::Dyn | Type::Param(_) => true,
        Type::List(item) => match value {
            Value::List(list) => match list.get(0) {
                Some(Ok(first)) => fits(item, &first),
                Some(Err(_)) => false,
                None => true,
            },
            _ => false,
        },
        Type::Map(key_type, value_type) => match value {
            Value::Map(map) => match map.keys().first() {
                Some(key) => {
                    fits(key_type, key) && matches!(map.get(key), Ok(Some(value)) if fits(value_type, &value))
                }
                None => true,
            },
            _ => false,
        },
        _ => of.name() == value.type_name(),
    }
}

/// The function of that name.
pub(crate) fn find(name: &str) -> Option<&'static Function> {
    static LIBRARY: LazyLock<Library> = LazyLock::new(library);
    LIBRARY.functions.get(name)
}

/// The type of that name, where types are used as values.
pub(crate) fn named_type(name: &str) -> Option<Type> {
    let param = |name: &str| Type::Param(name.into());
    Some(match name {
        "bool" => Type::Bool,
        "bytes" => Type::Bytes,
        "double" => Type::Double,
        "google.protobuf.Duration" => Type::Duration,
        "google.protobuf.Timestamp" => Type::Timestamp,
        "int" => Type::Int,
        "list" => Type::list(param("A")),
        "map" => Type::map(param("A"), param("B")),
        "null_type" => Type::Null,
        "string" => Type::String,
        "type" => Type::Type(None),
        "uint" => Type::Uint,
        "optional_type" | "net.IP" | "net.CIDR" => Type::opaque(name),
        _ => return None,
    })
}

/// The functions, as they are put together.
#[derive(Default)]
struct Library {
    functions: HashMap<&'static str, Function>,
}

impl Library {
    fn function(&mut self, name: &'static str) -> &mut Function {
        self.functions.entry(name).or_insert_with(|| Function {
            name,
            overloads: Vec::new(),
            singleton: None,
        })
    }

    fn declare(
        &mut self,
        name: &'static str,
        id: impl Into<Arc<str>>,
        signature: &str,
        implementation: Option<Implementation>,
    ) -> &mut Overload {
        let (member, args, result) = signature::parse(signature);
        let id = id.into();
        let overload = Overload { id, member, args, result, implementation, unguarded: false };
        let overloads = &mut self.function(name).overloads;
        overloads.push(overload);
        let last = overloads.len() - 1;
        &mut overloads[last]
    }

    /// Adds overloads: identity, signature, implementation.
    fn add(&mut self, name: &'static str, overloads: &[(&str, &str, Implementation)]) {
        for (id, signature, implementation) in overloads {
            self.declare(name, *id, signature, Some(*implementation));
        }
    }

    /// Adds overloads that share one implementation: identity, signature.
    fn share(
        &mut self,
        name: &'static str,
        accepts: fn(&Value<'_>) -> bool,
        implementation: Implementation,
        overloads: &[(&str, &str)],
    ) {
        for (id, signature) in overloads {
            self.declare(name, *id, signature, None);
        }
        self.function(name).singleton = Some(Singleton { accepts, implementation });
    }
}

fn library() -> Library {
    let mut library = Library::default();
    operators::add(&mut library);
    conversions::add(&mut library);
    times::add(&mut library);
    urls::add(&mut library);
    regex::add(&mut library);
    lists::add(&mut library);
    authorizer::add(&mut library);
    optionals::add(&mut library);
    quantity::add(&mut library);
    strings::add(&mut library);
    sets::add(&mut library);
    net::add(&mut library);
    formats::add(&mut library);
    semver::add(&mut library);
    library
}

/// The text at a place of the arguments.
fn text<'v>(args: &'v [Value<'_>], index: usize) -> Outcome<&'v str> {
    args.get(index).and_then(Value::as_str).ok_or_else(EvalError::no_overload)
}

/// The integer at a place of the arguments.
fn int(args: &[Value<'_>], index: usize) -> Outcome<i64> {
    match args.get(index) {
        Some(Value::Int(number)) => Ok(*number),
        _ => Err(EvalError::no_overload()),
    }
}

/// Texts longer than this are not made: their cost would be beyond every budget.
const LONGEST_TEXT: usize = 32 << 20;

fn failure<T>(message: impl Into<String>) -> Outcome<T> {
    Err(EvalError::Function(message.into()))
}
