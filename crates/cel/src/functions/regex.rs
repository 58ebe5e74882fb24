//! `matches`, `find` and `findAll`, by Go's regular expressions.

use goregexp::Regexp;

use super::{Library, failure, int, text};
use crate::error::{EvalError, Outcome};
use crate::value::{List, Value};

pub(super) fn add(library: &mut Library) {
    library.share(
        "matches",
        |value| matches!(value, Value::String(_)),
        matches,
        &[("matches", "string, string -> bool"), ("matches_string", "string . string -> bool")],
    );
    library.add("find", &[("string_find_string", "string . string -> string", find)]);
    library.add(
        "findAll",
        &[
            ("string_find_all_string", "string . string -> list(string)", find_all),
            ("string_find_all_string_int", "string . string, int -> list(string)", find_all),
        ],
    );
}

fn matches<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let (subject, pattern) = (text(args, 0)?, text(args, 1)?);
    let regexp = Regexp::compile(pattern).map_err(|error| EvalError::Function(error.to_string()))?;
    Ok(Value::Bool(regexp.is_match(subject)))
}

fn find<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let (subject, pattern) = (text(args, 0)?, text(args, 1)?);
    match Regexp::compile(pattern) {
        Ok(regexp) => Ok(Value::string(regexp.find(subject).unwrap_or_default())),
        Err(error) => failure(format!("Illegal regex: {error}")),
    }
}

fn find_all<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let (subject, pattern) = (text(args, 0)?, text(args, 1)?);
    let limit = if args.len() > 2 { usize::try_from(int(args, 2)?).ok() } else { None };
    match Regexp::compile(pattern) {
        Ok(regexp) => {
            let found = if limit == Some(0) { Vec::new() } else { regexp.find_all(subject, limit) };
            let found: Vec<Value<'a>> = found.into_iter().map(Value::string).collect();
            Ok(Value::List(List::from(found)))
        }
        Err(error) => failure(format!("Illegal regex: {error}")),
    }
}
