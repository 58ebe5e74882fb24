//! The functions that Helm adds because they need the engine or change with its mode.

use crate::functions::{Args, Context, EngineFunction, Function, FunctionError, Functions, Run};
use crate::value::types::{ANY, MAP_ANY, STRING};
use crate::value::{Entries, Value};

static TABLE: &[Function] = &[
    Function {
        name: "include",
        params: &[STRING, ANY],
        variadic: false,
        returns: STRING,
        run: Run::Engine(EngineFunction::Include),
    },
    Function {
        name: "tpl",
        params: &[STRING, ANY],
        variadic: false,
        returns: STRING,
        run: Run::Engine(EngineFunction::Tpl),
    },
    Function::new("required", &[STRING, ANY], ANY, required),
    Function::new("fail", &[STRING], STRING, fail),
    Function::new("lookup", &[STRING, STRING, STRING, STRING], MAP_ANY, lookup),
];

/// All functions a Helm template can call.
pub fn functions() -> Functions {
    let mut functions = Functions::builtin();
    functions.add_library();
    functions.add(TABLE);
    functions
}

/// How Helm marks a message that is to be shown without the words around it.
fn marked(message: &str) -> FunctionError {
    FunctionError::new(format!("HELM_ERR_START{message}HELM_ERR_END"))
}

fn required(context: &Context, args: Args<'_>) -> Result<Value, FunctionError> {
    let value = args.value(1);
    let missing = match value {
        Value::Nil => true,
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    if !missing {
        return Ok(value.clone());
    }
    let message = args.str(0);
    if context.lint {
        context.environment.warn(&message);
        return Ok("".into());
    }
    Err(marked(&message))
}

fn fail(context: &Context, args: Args<'_>) -> Result<Value, FunctionError> {
    let message = args.str(0);
    if context.lint {
        context.environment.warn(&message);
        return Ok("".into());
    }
    Err(marked(&message))
}

fn lookup(context: &Context, args: Args<'_>) -> Result<Value, FunctionError> {
    if context.lint {
        return Ok(Value::map(Entries::new()));
    }
    context.environment.lookup(&args.str(0), &args.str(1), &args.str(2), &args.str(3))
}
