//! The functions that text/template has built in.

mod compare;
mod escape;
mod index;

use crate::fmt;
use crate::functions::{Context, EngineFunction, Function, FunctionError, Run};
use crate::value::types::{ANY, BOOL, INT, REFLECT, STRING, Type};
use crate::value::{Kind, Value};

/// A built-in function that is given its arguments as Go's reflection sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the function of that name")]
pub enum Builtin {
    Html,
    Index,
    Slice,
    Js,
    Len,
    Not,
    Print,
    Printf,
    Println,
    UrlQuery,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

const fn builtin(
    name: &'static str,
    params: &'static [Type],
    variadic: bool,
    returns: Type,
    run: Builtin,
) -> Function {
    Function { name, params, variadic, returns, run: Run::Engine(EngineFunction::Builtin(run)) }
}

const fn engine(name: &'static str, run: EngineFunction) -> Function {
    Function { name, params: &[REFLECT, REFLECT], variadic: true, returns: REFLECT, run: Run::Engine(run) }
}

/// The table of them.
pub(crate) static TABLE: &[Function] = &[
    engine("and", EngineFunction::And),
    engine("or", EngineFunction::Or),
    engine("call", EngineFunction::Call),
    builtin("html", &[ANY], true, STRING, Builtin::Html),
    builtin("index", &[REFLECT, REFLECT], true, REFLECT, Builtin::Index),
    builtin("slice", &[REFLECT, REFLECT], true, REFLECT, Builtin::Slice),
    builtin("js", &[ANY], true, STRING, Builtin::Js),
    builtin("len", &[REFLECT], false, INT, Builtin::Len),
    builtin("not", &[REFLECT], false, BOOL, Builtin::Not),
    builtin("print", &[ANY], true, STRING, Builtin::Print),
    builtin("printf", &[STRING, ANY], true, STRING, Builtin::Printf),
    builtin("println", &[ANY], true, STRING, Builtin::Println),
    builtin("urlquery", &[ANY], true, STRING, Builtin::UrlQuery),
    builtin("eq", &[REFLECT, REFLECT], true, BOOL, Builtin::Eq),
    builtin("ne", &[REFLECT, REFLECT], false, BOOL, Builtin::Ne),
    builtin("lt", &[REFLECT, REFLECT], false, BOOL, Builtin::Lt),
    builtin("le", &[REFLECT, REFLECT], false, BOOL, Builtin::Le),
    builtin("gt", &[REFLECT, REFLECT], false, BOOL, Builtin::Gt),
    builtin("ge", &[REFLECT, REFLECT], false, BOOL, Builtin::Ge),
];

/// Runs a built-in function; `boxed` has a bit for each argument that is in an interface.
pub(crate) fn run(builtin: Builtin, args: &[Value], boxed: u64) -> Result<Value, FunctionError> {
    match builtin {
        Builtin::Html => Ok(escape::html(&escape::joined(args)).into()),
        Builtin::Js => Ok(escape::js(&escape::joined(args)).into()),
        Builtin::UrlQuery => Ok(escape::url_query(&escape::joined(args)).into()),
        Builtin::Index => index::index(&args[0], &args[1..]),
        Builtin::Slice => index::slice(&args[0], &args[1..], boxed >> 1),
        Builtin::Len => index::len(&args[0], boxed & 1 == 1),
        Builtin::Not => Ok(Value::Bool(!args[0].truth())),
        Builtin::Print => Ok(fmt::sprint(args).into()),
        Builtin::Println => Ok(fmt::sprintln(args).into()),
        Builtin::Printf => match &args[0] {
            Value::String(format) => Ok(fmt::sprintf(format, &args[1..]).into()),
            _ => Ok(Value::Nil),
        },
        Builtin::Eq => compare::eq(&args[0], &args[1..]).map(Value::Bool),
        Builtin::Ne => compare::eq(&args[0], &args[1..]).map(|equal| Value::Bool(!equal)),
        Builtin::Lt => compare::lt(&args[0], &args[1]).map(Value::Bool),
        Builtin::Le => compare::le(&args[0], &args[1]).map(Value::Bool),
        Builtin::Gt => compare::le(&args[0], &args[1]).map(|le| Value::Bool(!le)),
        Builtin::Ge => compare::lt(&args[0], &args[1]).map(|lt| Value::Bool(!lt)),
    }
}

/// `call`: runs a function that is a value; `name` is how the template called it.
pub(crate) fn call(name: &str, context: &Context, args: &[Value]) -> Result<Value, FunctionError> {
    let function = match &args[0] {
        Value::Nil => return Err(FunctionError::new("call of nil")),
        Value::Func(function) => function,
        other => {
            let message = format!("non-function {name} of type {}", other.type_name());
            return Err(FunctionError::new(message));
        }
    };
    let (args, wanted) = (&args[1..], function.params.len());
    let wrong = |least: &str, wanted| {
        let given = args.len();
        let message = format!("wrong number of args for {name}: got {given} want {least}{wanted}");
        Err(FunctionError::new(message))
    };
    if function.variadic && args.len() < wanted - 1 {
        return wrong("at least ", wanted - 1);
    }
    if !function.variadic && args.len() != wanted {
        return wrong("", wanted);
    }
    let mut prepared = Vec::with_capacity(args.len());
    for (index, arg) in args.iter().enumerate() {
        let param = function.params.get(index).or(function.params.last()).copied().unwrap_or(ANY);
        prepared
            .push(prepare(arg, param).map_err(|text| FunctionError::new(format!("arg {index}: {text}")))?);
    }
    match function.run {
        Run::Native(native) | Run::Deep(native) => {
            crate::parse::with_much_room(|| native(context, crate::functions::Args::new(&prepared)))
        }
        Run::Engine(EngineFunction::Builtin(builtin)) => run(builtin, &prepared, 0),
        Run::Engine(_) => Err(FunctionError::new("unreachable")),
    }
}

/// The value as an argument of type `param`: integers convert, nothing else does.
fn prepare(value: &Value, param: Type) -> Result<Value, String> {
    let Some(ty) = value.ty() else {
        return if param.kind.can_be_nil() {
            Ok(param.zero())
        } else {
            Err(format!("value is nil; should be of type {param}"))
        };
    };
    if ty.assignable_to(param) || param == REFLECT {
        return Ok(value.clone());
    }
    let integer = |kind: Kind| kind.is_int() || kind.is_uint();
    match value {
        Value::Int(_, number) if param.kind.is_int() => Ok(Value::Int(param, *number)),
        Value::Uint(_, number) if param.kind.is_int() => Ok(Value::Int(param, *number as i64)),
        Value::Int(_, number) if integer(param.kind) => Ok(Value::Uint(param, *number as u64)),
        Value::Uint(_, number) if integer(param.kind) => Ok(Value::Uint(param, *number)),
        _ => Err(format!("value has type {ty}; should be {param}")),
    }
}
