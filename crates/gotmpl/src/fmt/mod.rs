//! Go's package `fmt` for the values of this crate: every verb, flag and complaint.

mod directive;
mod number;
mod printer;
pub(crate) mod room;

pub(crate) use number::is_print;
use printer::Printer;
pub(crate) use printer::{quote_bytes, rune_length};

use crate::value::{Kind, Text, Value};

/// `fmt.Sprint`: a space between two operands when neither is a string.
pub fn sprint(values: &[Value]) -> Text {
    let mut out = Vec::new();
    append_sprint(&mut out, values, append);
    Text::from_bytes(out)
}

/// `fmt.Sprintln`: a space between all operands, a newline at the end.
pub fn sprintln(values: &[Value]) -> Text {
    let mut out = Vec::new();
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push(b' ');
        }
        append(&mut out, value);
    }
    out.push(b'\n');
    Text::from_bytes(out)
}

/// `fmt.Sprintf`.
pub fn sprintf(format: &Text, values: &[Value]) -> Text {
    let mut out = Vec::with_capacity(format.len() + 16 * values.len());
    directive::run(&mut out, format.as_bytes(), values);
    Text::from_bytes(out)
}

/// `fmt.Sprintf("%v", value)`, which is also what an action prints (untyped nil aside).
pub fn to_text(value: &Value) -> Text {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(digits) => Text::from(digits.clone()),
        _ => {
            let mut out = Vec::new();
            append(&mut out, value);
            Text::from_bytes(out)
        }
    }
}

/// `fmt.Sprint` of what actions would print: a pointer shows what it points to.
pub(crate) fn sprint_indirect(values: &[Value]) -> Text {
    let mut out = Vec::new();
    append_sprint(&mut out, values, append_indirect);
    Text::from_bytes(out)
}

/// Appends what `%v` prints.
pub(crate) fn append(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::String(text) => out.extend_from_slice(text.as_bytes()),
        Value::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        _ => Printer::new(out).argument(value, 'v'),
    }
}

/// Appends what an action prints: like `%v`, but a pointer shows what it points to.
pub(crate) fn append_indirect(out: &mut Vec<u8>, value: &Value) {
    if value.kind() == Kind::Pointer && !value.is_nil() {
        Printer::new(out).pointed(value);
    } else {
        append(out, value);
    }
}

/// `strconv.Quote` of a string that need not be UTF-8.
pub(crate) fn quote(text: &Text) -> String {
    match text.as_str() {
        Some(text) => goyaml::strconv::quote(text),
        None => printer::quote_bytes(text.as_bytes(), false),
    }
}

fn append_sprint(out: &mut Vec<u8>, values: &[Value], append: fn(&mut Vec<u8>, &Value)) {
    let mut after_string = false;
    for (index, value) in values.iter().enumerate() {
        let is_string = value.kind() == Kind::String;
        if index > 0 && !is_string && !after_string {
            out.push(b' ');
        }
        append(out, value);
        after_string = is_string;
    }
}

#[cfg(test)]
mod tests;
