//! Regular expressions.

use std::rc::Rc;

use super::print::quote_as_written;
use super::{Args, Context, Function, FunctionError, too_large};
use crate::regexp::{Regexp, quote_meta};
use crate::value::types::{BOOL, INT, LIST_STRING, STRING};
use crate::value::{List, Value};

type Result = std::result::Result<Value, FunctionError>;

pub(super) static TABLE: &[Function] = &[
    Function::new("regexMatch", &[STRING, STRING], BOOL, |_, args| {
        Ok(returning(args).is_ok_and(|regexp| regexp.is_match(&args.str(1))).into())
    }),
    Function::new("mustRegexMatch", &[STRING, STRING], BOOL, |_, args| {
        Ok(returning(args)?.is_match(&args.str(1)).into())
    }),
    Function::new("regexFindAll", &[STRING, STRING, INT], LIST_STRING, |context, args| {
        find_all(context, &panicking(args)?, args)
    }),
    Function::new("mustRegexFindAll", &[STRING, STRING, INT], LIST_STRING, |context, args| {
        find_all(context, &returning(args)?, args)
    }),
    Function::new("regexFind", &[STRING, STRING], STRING, |_, args| find(&panicking(args)?, args)),
    Function::new("mustRegexFind", &[STRING, STRING], STRING, |_, args| find(&returning(args)?, args)),
    Function::new("regexReplaceAll", &[STRING, STRING, STRING], STRING, |context, args| {
        let replaced = panicking(args)?.replace_all(&args.str(1), &args.str(2), context.value_bytes);
        replaced.map(Value::from).ok_or_else(|| too_large(context.value_bytes))
    }),
    Function::new("mustRegexReplaceAll", &[STRING, STRING, STRING], STRING, |context, args| {
        let replaced = returning(args)?.replace_all(&args.str(1), &args.str(2), context.value_bytes);
        replaced.map(Value::from).ok_or_else(|| too_large(context.value_bytes))
    }),
    Function::new("regexReplaceAllLiteral", &[STRING, STRING, STRING], STRING, |context, args| {
        let replaced = panicking(args)?.replace_all_literal(&args.str(1), &args.str(2), context.value_bytes);
        replaced.map(Value::from).ok_or_else(|| too_large(context.value_bytes))
    }),
    Function::new("mustRegexReplaceAllLiteral", &[STRING, STRING, STRING], STRING, |context, args| {
        let replaced = returning(args)?.replace_all_literal(&args.str(1), &args.str(2), context.value_bytes);
        replaced.map(Value::from).ok_or_else(|| too_large(context.value_bytes))
    }),
    Function::new("regexSplit", &[STRING, STRING, INT], LIST_STRING, |context, args| {
        split(context, &panicking(args)?, args)
    }),
    Function::new("mustRegexSplit", &[STRING, STRING, INT], LIST_STRING, |context, args| {
        split(context, &returning(args)?, args)
    }),
    Function::new("regexQuoteMeta", &[STRING], STRING, |_, args| Ok(quote_meta(&args.str(0)).into())),
];

/// The pattern, as those variants compile it that return their errors.
fn returning(args: Args<'_>) -> std::result::Result<Rc<Regexp>, FunctionError> {
    Regexp::compile(&args.str(0)).map_err(|error| FunctionError::new(error.to_string()))
}

/// The pattern, as those variants compile it that panic.
fn panicking(args: Args<'_>) -> std::result::Result<Rc<Regexp>, FunctionError> {
    let pattern = args.str(0);
    Regexp::compile(&pattern).map_err(|error| {
        FunctionError::new(format!("regexp: Compile({}): {error}", quote_as_written(&pattern)))
    })
}

fn limit(args: Args<'_>) -> Option<usize> {
    usize::try_from(args.int(2)).ok()
}

fn find(regexp: &Rc<Regexp>, args: Args<'_>) -> Result {
    Ok(regexp.find(&args.str(1)).unwrap_or_default().into())
}

fn find_all(context: &Context, regexp: &Rc<Regexp>, args: Args<'_>) -> Result {
    let text = args.str(1);
    let found = regexp.find_all(&text, limit(args));
    context.room_for_items(found.len())?;
    Ok(if found.is_empty() { nil_strings() } else { Value::strings(found) })
}

fn split(context: &Context, regexp: &Rc<Regexp>, args: Args<'_>) -> Result {
    let text = args.str(1);
    let parts = regexp.split(&text, limit(args));
    context.room_for_items(parts.len())?;
    Ok(if limit(args) == Some(0) { nil_strings() } else { Value::strings(parts) })
}

fn nil_strings() -> Value {
    Value::List(Rc::new(List::nil(LIST_STRING)))
}
