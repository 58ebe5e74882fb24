//! Texts: parts, places, cases.

use goyaml::strconv;

use super::{LONGEST_TEXT, Library, failure, format_text, int, text};
use crate::error::{EvalError, Outcome};
use crate::value::{List, Value};

pub(super) fn add(library: &mut Library) {
    library.add("charAt", &[("string_char_at_int", "string . int -> string", char_at)]);
    library.add(
        "indexOf",
        &[
            ("string_index_of_string", "string . string -> int", index_of),
            ("string_index_of_string_int", "string . string, int -> int", index_of),
        ],
    );
    library.add(
        "lastIndexOf",
        &[
            ("string_last_index_of_string", "string . string -> int", last_index_of),
            ("string_last_index_of_string_int", "string . string, int -> int", last_index_of),
        ],
    );
    library.add(
        "lowerAscii",
        &[("string_lower_ascii", "string . -> string", |args| {
            Ok(Value::string(text(args, 0)?.to_ascii_lowercase()))
        })],
    );
    library.add(
        "upperAscii",
        &[("string_upper_ascii", "string . -> string", |args| {
            Ok(Value::string(text(args, 0)?.to_ascii_uppercase()))
        })],
    );
    library.add(
        "trim",
        &[("string_trim", "string . -> string", |args| {
            Ok(Value::string(text(args, 0)?.trim_matches(is_space)))
        })],
    );
    library.add(
        "replace",
        &[
            ("string_replace_string_string", "string . string, string -> string", replace),
            ("string_replace_string_string_int", "string . string, string, int -> string", replace),
        ],
    );
    library.add(
        "split",
        &[
            ("string_split_string", "string . string -> list(string)", split),
            ("string_split_string_int", "string . string, int -> list(string)", split),
        ],
    );
    library.add(
        "substring",
        &[
            ("string_substring_int", "string . int -> string", substring),
            ("string_substring_int_int", "string . int, int -> string", substring),
        ],
    );
    library.add(
        "join",
        &[
            ("list_join", "list(string) . -> string", join),
            ("list_join_string", "list(string) . string -> string", join),
        ],
    );
    library.add(
        "format",
        &[("string_format", "string . list(dyn) -> string", |args| match &args[1] {
            Value::List(values) => format_text::format(text(args, 0)?, values).map(Value::string),
            _ => Err(EvalError::no_overload()),
        })],
    );
    library.add(
        "strings.quote",
        &[("strings_quote", "string -> string", |args| Ok(Value::string(quote(text(args, 0)?))))],
    );
    for (name, id, implementation) in [
        ("contains", "contains_string", contains as super::Implementation),
        ("startsWith", "starts_with_string", starts_with),
        ("endsWith", "ends_with_string", ends_with),
    ] {
        library.declare(name, id, "string . string -> bool", Some(implementation)).unguarded = true;
    }
}

fn contains<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(Value::Bool(text(args, 0)?.contains(text(args, 1)?)))
}

fn starts_with<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(Value::Bool(text(args, 0)?.starts_with(text(args, 1)?)))
}

fn ends_with<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(Value::Bool(text(args, 0)?.ends_with(text(args, 1)?)))
}

/// What Go's `strings.TrimSpace` removes.
fn is_space(character: char) -> bool {
    character.is_whitespace() || character == '\u{85}'
}

fn out_of_range<T>(index: i64) -> Outcome<T> {
    failure(format!("index out of range: {index}"))
}

fn char_at<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let (subject, index) = (text(args, 0)?, int(args, 1)?);
    let Ok(place) = usize::try_from(index) else { return out_of_range(index) };
    match subject.chars().nth(place) {
        Some(character) => Ok(Value::string(character.to_string())),
        None if place == subject.chars().count() => Ok(Value::string("")),
        None => out_of_range(index),
    }
}

fn index_of<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let (subject, wanted) = (text(args, 0)?, text(args, 1)?);
    let offset = if args.len() > 2 { int(args, 2)? } else { 0 };
    if wanted.is_empty() {
        return Ok(Value::Int(offset));
    }
    let Ok(from) = usize::try_from(offset) else { return out_of_range(offset) };
    let Some((start, _)) = subject.char_indices().nth(from) else { return Ok(Value::Int(-1)) };
    Ok(Value::Int(match subject[start..].find(wanted) {
        Some(found) => (from + subject[start..start + found].chars().count()) as i64,
        None => -1,
    }))
}

fn last_index_of<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let (subject, wanted) = (text(args, 0)?, text(args, 1)?);
    let length = subject.chars().count() as i64;
    let offset = if args.len() > 2 {
        int(args, 2)?
    } else if wanted.is_empty() {
        length
    } else if subject.len() < wanted.len() {
        return Ok(Value::Int(-1));
    } else {
        length - 1
    };
    if wanted.is_empty() {
        return Ok(Value::Int(offset));
    }
    if offset < 0 {
        return out_of_range(offset);
    }
    if offset >= length {
        return Ok(Value::Int(-1));
    }
    let last = offset.min(length - wanted.chars().count() as i64);
    let Ok(last) = usize::try_from(last) else { return Ok(Value::Int(-1)) };
    let end = subject.char_indices().nth(last).map_or(subject.len(), |(at, _)| at) + wanted.len();
    let searched = subject.get(..end).unwrap_or(subject);
    Ok(Value::Int(match searched.rfind(wanted) {
        Some(found) => subject[..found].chars().count() as i64,
        None => -1,
    }))
}

fn replace<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let (subject, old, new) = (text(args, 0)?, text(args, 1)?, text(args, 2)?);
    let limit = if args.len() > 3 { int(args, 3)? } else { -1 };
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let times = if old.is_empty() { subject.chars().count() + 1 } else { subject.matches(old).count() };
    let times = times.min(most);
    if times == 0 {
        return Ok(args[0].clone());
    }
    if new.len().saturating_mul(times) > LONGEST_TEXT {
        return Err(EvalError::CostExceeded);
    }
    Ok(Value::string(subject.replacen(old, new, times)))
}

fn split<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let (subject, separator) = (text(args, 0)?, text(args, 1)?);
    let limit = if args.len() > 2 { int(args, 2)? } else { -1 };
    let parts: Vec<&str> = match usize::try_from(limit) {
        Ok(0) => Vec::new(),
        most if separator.is_empty() => {
            let most = most.unwrap_or(usize::MAX);
            let mut parts = Vec::new();
            let mut rest = subject;
            while let Some(character) = rest.chars().next() {
                let length = if parts.len() + 1 == most { rest.len() } else { character.len_utf8() };
                parts.push(&rest[..length]);
                rest = &rest[length..];
            }
            parts
        }
        Ok(most) => subject.splitn(most, separator).collect(),
        Err(_) => subject.split(separator).collect(),
    };
    Ok(Value::List(List::from(parts.into_iter().map(Value::string).collect::<Vec<_>>())))
}

fn substring<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let subject = text(args, 0)?;
    let length = subject.chars().count() as i64;
    let start = int(args, 1)?;
    let end = if args.len() > 2 { int(args, 2)? } else { length };
    if args.len() > 2 && start > end {
        return failure(format!("invalid substring range. start: {start}, end: {end}"));
    }
    if start < 0 || start > length {
        return out_of_range(start);
    }
    if end < 0 || end > length {
        return out_of_range(end);
    }
    let part: String = subject.chars().skip(start as usize).take((end - start) as usize).collect();
    Ok(Value::string(part))
}

fn join<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let Value::List(list) = &args[0] else { return Err(EvalError::no_overload()) };
    let separator = if args.len() > 1 { text(args, 1)? } else { "" };
    let mut joined = String::new();
    for (index, item) in list.iter().enumerate() {
        if index > 0 {
            joined.push_str(separator);
        }
        match item? {
            Value::String(part) => joined.push_str(&part),
            other => return failure(format!("join: invalid input: {other}")),
        }
        if joined.len() > LONGEST_TEXT {
            return Err(EvalError::CostExceeded);
        }
    }
    Ok(Value::string(joined))
}

/// The text as a literal of the language.
fn quote(subject: &str) -> String {
    let mut quoted = String::with_capacity(subject.len() + 2);
    quoted.push('"');
    for character in subject.chars() {
        match character {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// A text in quotes as Go's `%q` writes it.
pub(super) fn go_quote(subject: &str) -> String {
    strconv::quote(subject)
}
