//! Strings: trimming, cutting, searching, quoting, indenting, joining and splitting.

use std::ops::Range;
use std::rc::Rc;

use goyaml::carried::byte_of;
use memchr::memmem::find;

use super::print::{quote, strslice, strval};
use super::{Args, Context, Function, FunctionError};
use crate::fmt::rune_length;
use crate::value::types::{ANY, BOOL, INT, LIST_STRING, MAP_STRING, STRING};
use crate::value::{Entries, List, Text, Value};

type Result = std::result::Result<Value, FunctionError>;

pub(super) static TABLE: &[Function] = &[
    Function::new("hello", &[], STRING, |_, _| Ok("Hello!".into())),
    Function::new("trunc", &[INT, STRING], STRING, trunc),
    Function::new("trim", &[STRING], STRING, |_, args| Ok(part(args, 0, args.carried(0).trim()))),
    Function::new("repeat", &[INT, STRING], STRING, repeat),
    Function::new("trimall", &[STRING, STRING], STRING, trim_all),
    Function::new("trimAll", &[STRING, STRING], STRING, trim_all),
    Function::new("trimSuffix", &[STRING, STRING], STRING, |_, args| {
        let (suffix, text) = (args.bytes(0), args.bytes(1));
        let kept = if text.ends_with(suffix) { text.len() - suffix.len() } else { text.len() };
        Ok(piece(args, 1, 0..kept))
    }),
    Function::new("trimPrefix", &[STRING, STRING], STRING, |_, args| {
        let (prefix, text) = (args.bytes(0), args.bytes(1));
        let start = if text.starts_with(prefix) { prefix.len() } else { 0 };
        Ok(piece(args, 1, start..text.len()))
    }),
    Function::new("substr", &[INT, INT, STRING], STRING, substr),
    Function::new("contains", &[STRING, STRING], BOOL, |_, args| {
        Ok(find(args.bytes(1), args.bytes(0)).is_some().into())
    }),
    Function::new("hasPrefix", &[STRING, STRING], BOOL, |_, args| {
        Ok(args.bytes(1).starts_with(args.bytes(0)).into())
    }),
    Function::new("hasSuffix", &[STRING, STRING], BOOL, |_, args| {
        Ok(args.bytes(1).ends_with(args.bytes(0)).into())
    }),
    Function::variadic("quote", &[ANY], STRING, |_, args| {
        Ok(joined(args.rest(0), |value| quote(&strval(value))))
    }),
    Function::variadic("squote", &[ANY], STRING, |_, args| {
        let mut out = Vec::new();
        for value in args.rest(0).iter().filter(|value| !matches!(value, Value::Nil)) {
            if !out.is_empty() {
                out.push(b' ');
            }
            out.push(b'\'');
            crate::fmt::append(&mut out, value);
            out.push(b'\'');
        }
        Ok(Text::from_bytes(out).into())
    }),
    Function::variadic("cat", &[ANY], STRING, |_, args| {
        let mut out = Vec::new();
        for (index, value) in args.rest(0).iter().filter(|v| !matches!(v, Value::Nil)).enumerate() {
            if index > 0 {
                out.push(b' ');
            }
            crate::fmt::append(&mut out, value);
        }
        Ok(Text::from_bytes(out).into())
    }),
    Function::new("indent", &[INT, STRING], STRING, |context, args| indented(context, args, "")),
    Function::new("nindent", &[INT, STRING], STRING, |context, args| indented(context, args, "\n")),
    Function::new("replace", &[STRING, STRING, STRING], STRING, replace),
    Function::new("plural", &[STRING, STRING, INT], STRING, |_, args| {
        Ok(args.value(usize::from(args.int(2) != 1)).clone())
    }),
    Function::new("toString", &[ANY], STRING, |_, args| Ok(strval(args.value(0)).into())),
    Function::new("toStrings", &[ANY], LIST_STRING, |_, args| Ok(string_list(args.value(0)))),
    Function::new("join", &[STRING, ANY], STRING, |context, args| {
        let items = strslice(args.value(1));
        let parts: Vec<&[u8]> = items.iter().map(Text::as_bytes).collect();
        let separators = parts.len().checked_mul(args.bytes(0).len());
        context.room_for(
            parts.iter().try_fold(separators.unwrap_or(usize::MAX), |sum, part| sum.checked_add(part.len())),
        )?;
        Ok(Text::from_bytes(parts.join(args.bytes(0))).into())
    }),
    Function::new("sortAlpha", &[ANY], LIST_STRING, sort_alpha),
    Function::new("split", &[STRING, STRING], MAP_STRING, |context, args| {
        numbered(context, split(args.bytes(1), args.bytes(0), None))
    }),
    Function::new("splitn", &[STRING, INT, STRING], MAP_STRING, |context, args| {
        numbered(context, split(args.bytes(2), args.bytes(0), usize::try_from(args.int(1)).ok()))
    }),
    Function::new("splitList", &[STRING, STRING], LIST_STRING, |context, args| {
        let parts = split(args.bytes(1), args.bytes(0), None);
        context.room_for_items(parts.len())?;
        Ok(Value::strings(parts.into_iter().map(Text::from)))
    }),
];

/// A part of an argument; the argument itself, without a copy, if it is the whole.
fn part(args: Args<'_>, index: usize, part: &str) -> Value {
    if part.len() == args.bytes(index).len() { args.value(index).clone() } else { Text::landed(part).into() }
}

/// A range of bytes of an argument; the argument itself, without a copy, if it is all of them.
fn piece(args: Args<'_>, index: usize, range: Range<usize>) -> Value {
    let value = args.value(index);
    match value.as_text() {
        Some(text) if range != (0..text.len()) => {
            match text.as_str().and_then(|text| text.get(range.clone())) {
                Some(piece) => piece.into(),
                None => Text::from(&text.as_bytes()[range]).into(),
            }
        }
        _ => value.clone(),
    }
}

/// Panics as Go does when a slice's bounds are wrong.
fn slice_bounds(text: &[u8], start: i64, end: Option<i64>) -> std::result::Result<&[u8], FunctionError> {
    let length = text.len() as i64;
    let panic = |bounds: String| {
        Err(FunctionError::new(format!("runtime error: slice bounds out of range {bounds}")))
    };
    match end {
        Some(end) if end < 0 => return panic(format!("[:{end}]")),
        Some(end) if end > length => return panic(format!("[:{end}] with length {length}")),
        _ => {}
    }
    let end = end.unwrap_or(length);
    if start > end {
        return panic(format!("[{start}:{end}]"));
    }
    Ok(&text[start as usize..end as usize])
}

fn trunc(_: &Context, args: Args<'_>) -> Result {
    let (count, length) = (args.int(0), args.bytes(1).len());
    let kept = match usize::try_from(count) {
        Ok(count) => 0..count.min(length),
        // From the end, unless that is all of it.
        Err(_) => length.saturating_sub(count.unsigned_abs() as usize)..length,
    };
    Ok(piece(args, 1, kept))
}

fn substr(_: &Context, args: Args<'_>) -> Result {
    let (start, end, bytes) = (args.int(0), args.int(1), args.bytes(2));
    let kept = if start < 0 {
        slice_bounds(bytes, 0, Some(end))?
    } else if end < 0 || end > bytes.len() as i64 {
        slice_bounds(bytes, start, None)?
    } else {
        slice_bounds(bytes, start, Some(end))?
    };
    Ok(Text::from(kept).into())
}

fn repeat(context: &Context, args: Args<'_>) -> Result {
    Ok(Text::from_bytes(repeated(context, args.bytes(1), args.int(0))?).into())
}

/// `strings.Repeat`.
fn repeated(context: &Context, bytes: &[u8], count: i64) -> std::result::Result<Vec<u8>, FunctionError> {
    let count = usize::try_from(count).map_err(|_| FunctionError::new("strings: negative Repeat count"))?;
    match bytes.len().checked_mul(count) {
        Some(length) if i64::try_from(length).is_ok() => {
            context.room_for(Some(length))?;
            Ok(bytes.repeat(count))
        }
        _ => Err(FunctionError::new("strings: Repeat output length overflow")),
    }
}

fn trim_all(_: &Context, args: Args<'_>) -> Result {
    let (cutset, text) = (args.str(0), args.carried(1));
    // What is no character is one like the other.
    let seen = |c| if byte_of(c).is_some() { char::REPLACEMENT_CHARACTER } else { c };
    Ok(part(args, 1, text.trim_matches(|c| cutset.contains(seen(c)))))
}

fn joined(values: &[Value], mut print: impl FnMut(&Value) -> String) -> Value {
    let mut printed = values.iter().filter(|value| !matches!(value, Value::Nil)).map(&mut print);
    let mut out = printed.next().unwrap_or_default();
    for text in printed {
        out.push(' ');
        out.push_str(&text);
    }
    out.into()
}

fn indented(context: &Context, args: Args<'_>, before: &str) -> Result {
    let count = args.int(0);
    if count < 0 {
        return Err(FunctionError::new("strings: negative Repeat count"));
    }
    let bytes = args.bytes(1);
    let lines = 1 + memchr::memchr_iter(b'\n', bytes).count();
    let pad = repeated(context, b" ", count)?;
    let length = lines.checked_mul(pad.len()).and_then(|pads| pads.checked_add(before.len() + bytes.len()));
    context.room_for(length)?;
    let mut out = Vec::with_capacity(length.unwrap_or_default());
    out.extend_from_slice(before.as_bytes());
    let mut rest = bytes;
    loop {
        out.extend_from_slice(&pad);
        let Some(end) = memchr::memchr(b'\n', rest) else { break };
        out.extend_from_slice(&rest[..=end]);
        rest = &rest[end + 1..];
    }
    out.extend_from_slice(rest);
    Ok(Text::from_bytes(out).into())
}

fn replace(context: &Context, args: Args<'_>) -> Result {
    let (old, new, text) = (args.bytes(0).len(), args.bytes(1).len(), args.bytes(2).len());
    // At most so often it can stand there; most texts need no count.
    let most = text.checked_div(old).unwrap_or(text + 1);
    if most.checked_mul(new).is_none_or(|added| added > context.value_bytes / 16) {
        let count = args.str(2).matches(&*args.str(0)).count();
        context.room_for(count.checked_mul(new).and_then(|added| added.checked_add(text)))?;
    }
    if let (Some(old), Some(new), Some(text)) = (
        args.value(0).as_text().and_then(Text::as_str),
        args.value(1).as_text().and_then(Text::as_str),
        args.value(2).as_text().and_then(Text::as_str),
    ) {
        return Ok(if text.contains(old) { text.replace(old, new).into() } else { args.value(2).clone() });
    }
    let (old, new, mut rest) = (args.bytes(0), args.bytes(1), args.bytes(2));
    let mut out = Vec::with_capacity(rest.len());
    if old.is_empty() {
        for character in split(rest, old, None) {
            out.extend_from_slice(new);
            out.extend_from_slice(character);
        }
        out.extend_from_slice(new);
        return Ok(Text::from_bytes(out).into());
    }
    while let Some(position) = find(rest, old) {
        out.extend_from_slice(&rest[..position]);
        out.extend_from_slice(new);
        rest = &rest[position + old.len()..];
    }
    out.extend_from_slice(rest);
    Ok(Text::from_bytes(out).into())
}

/// The value as a `[]string`; one that is a `[]string` already stays the same, shared list.
fn string_list(value: &Value) -> Value {
    match value {
        Value::List(list) if list.ty() == LIST_STRING => value.clone(),
        _ => Value::strings(strslice(value)),
    }
}

fn sort_alpha(_: &Context, args: Args<'_>) -> Result {
    let value = args.value(0);
    if !matches!(value, Value::List(_) | Value::Bytes(_)) {
        return Ok(Value::strings([strval(value)]));
    }
    let list = string_list(value);
    if let Value::List(list) = &list {
        // A []string is sorted in place, which everyone who holds it sees.
        sort_strings(list);
    }
    Ok(list)
}

fn sort_strings(list: &Rc<List>) {
    list.borrow_mut().sort_by_cached_key(|value| value.as_text().cloned());
}

/// `strings.SplitN`; without a limit, `strings.Split`.
fn split<'t>(text: &'t [u8], separator: &[u8], limit: Option<usize>) -> Vec<&'t [u8]> {
    let limit = limit.unwrap_or(usize::MAX);
    let mut parts = Vec::new();
    let mut rest = text;
    while parts.len() + 1 < limit {
        // Without a separator every character is a part.
        let cut = match separator {
            [] if rest.is_empty() => return parts,
            [] => Some((rune_length(rest), 0)),
            _ => find(rest, separator).map(|at| (at, separator.len())),
        };
        let Some((length, gap)) = cut else { break };
        parts.push(&rest[..length]);
        rest = &rest[length + gap..];
    }
    if limit > 0 && !(separator.is_empty() && rest.is_empty()) {
        parts.push(rest);
    }
    parts
}

/// The parts as a map `_0`, `_1` and so on.
fn numbered(context: &Context, parts: Vec<&[u8]>) -> Result {
    context.room_for_items(parts.len())?;
    let entries: Entries = parts
        .into_iter()
        .enumerate()
        .map(|(index, part)| (Rc::from(format!("_{index}")), Text::from(part).into()))
        .collect();
    Ok(Value::map_of(MAP_STRING, entries))
}
