//! Regular expressions.

use std::rc::Rc;

use super::print::quote_as_written;
use super::{Args, Context, Function, FunctionError, too_large};
use crate::regexp::{Regexp, quote_meta};
use crate::value::types::{BOOL, INT, LIST_STRING, STRING};
use crate::value::{List, Text, Value};

type Result = std::result::Result<Value, FunctionError>;

pub(super) static TABLE: &[Function] = &[
    Function::new("regexMatch", &[STRING, STRING], BOOL, |_, args| {
        Ok(returning(args).is_ok_and(|regexp| regexp.is_match(&args.carried(1))).into())
    }),
    Function::new("mustRegexMatch", &[STRING, STRING], BOOL, |_, args| {
        Ok(returning(args)?.is_match(&args.carried(1)).into())
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
        let replaced = panicking(args)?.replace_all(&args.carried(1), &args.carried(2), context.value_bytes);
        replaced.map(|text| Text::landed(&text).into()).ok_or_else(|| too_large(context.value_bytes))
    }),
    Function::new("mustRegexReplaceAll", &[STRING, STRING, STRING], STRING, |context, args| {
        let replaced = returning(args)?.replace_all(&args.carried(1), &args.carried(2), context.value_bytes);
        replaced.map(|text| Text::landed(&text).into()).ok_or_else(|| too_large(context.value_bytes))
    }),
    Function::new("regexReplaceAllLiteral", &[STRING, STRING, STRING], STRING, |context, args| {
        let replaced =
            panicking(args)?.replace_all_literal(&args.carried(1), &args.carried(2), context.value_bytes);
        replaced.map(|text| Text::landed(&text).into()).ok_or_else(|| too_large(context.value_bytes))
    }),
    Function::new("mustRegexReplaceAllLiteral", &[STRING, STRING, STRING], STRING, |context, args| {
        let replaced =
            returning(args)?.replace_all_literal(&args.carried(1), &args.carried(2), context.value_bytes);
        replaced.map(|text| Text::landed(&text).into()).ok_or_else(|| too_large(context.value_bytes))
    }),
    Function::new("regexSplit", &[STRING, STRING, INT], LIST_STRING, |context, args| {
        split(context, &panicking(args)?, args)
    }),
    Function::new("mustRegexSplit", &[STRING, STRING, INT], LIST_STRING, |context, args| {
        split(context, &returning(args)?, args)
    }),
    Function::new("regexQuoteMeta", &[STRING], STRING, |_, args| {
        Ok(Text::landed(&quote_meta(&args.carried(0))).into())
    }),
];

/// The pattern, as those variants compile it that return their errors.
fn returning(args: Args<'_>) -> std::result::Result<Rc<Regexp>, FunctionError> {
    compiled(args).map_err(FunctionError::new)
}

/// The pattern, as those variants compile it that panic.
fn panicking(args: Args<'_>) -> std::result::Result<Rc<Regexp>, FunctionError> {
    compiled(args).map_err(|error| {
        FunctionError::new(format!("regexp: Compile({}): {error}", quote_as_written(args.bytes(0))))
    })
}

fn compiled(args: Args<'_>) -> std::result::Result<Rc<Regexp>, String> {
    let pattern = args.bytes(0);
    match std::str::from_utf8(pattern) {
        Ok(pattern) => Regexp::compile(pattern).map_err(|error| error.to_string()),
        Err(error) => {
            let rest = goyaml::text_of(&pattern[error.valid_up_to()..]);
            Err(format!("error parsing regexp: invalid UTF-8: `{rest}`"))
        }
    }
}

fn limit(args: Args<'_>) -> Option<usize> {
    usize::try_from(args.int(2)).ok()
}

fn find(regexp: &Rc<Regexp>, args: Args<'_>) -> Result {
    Ok(Text::landed(regexp.find(&args.carried(1)).unwrap_or_default()).into())
}

fn find_all(context: &Context, regexp: &Rc<Regexp>, args: Args<'_>) -> Result {
    let text = args.carried(1);
    let found = regexp.find_all(&text, limit(args));
    context.room_for_items(found.len())?;
    Ok(if found.is_empty() { nil_strings() } else { Value::strings(found.into_iter().map(Text::landed)) })
}

fn split(context: &Context, regexp: &Rc<Regexp>, args: Args<'_>) -> Result {
    let text = args.carried(1);
    let parts = regexp.split(&text, limit(args));
    context.room_for_items(parts.len())?;
    Ok(if limit(args) == Some(0) {
        nil_strings()
    } else {
        Value::strings(parts.into_iter().map(Text::landed))
    })
}

fn nil_strings() -> Value {
    Value::List(Rc::new(List::nil(LIST_STRING)))
}
