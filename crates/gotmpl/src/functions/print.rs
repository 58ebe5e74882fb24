//! Values as text, as sprig's functions see them.

use crate::value::{Text, Value};

/// sprig's `strval`: strings and bytes as they are, everything else as `%v` prints it.
pub(super) fn strval(value: &Value) -> Text {
    match value {
        Value::String(text) => text.clone(),
        Value::Bytes(bytes) => Text::from_bytes(bytes.to_vec()),
        other => crate::fmt::to_text(other),
    }
}

/// What `fmt.Sprint` makes of one value.
pub(super) fn sprint(value: &Value) -> String {
    crate::fmt::to_text(value).to_str().into_owned()
}

/// sprig's `strslice`: the elements of a list as text without the nils among them, or the value alone.
pub(super) fn strslice(value: &Value) -> Vec<Text> {
    match value {
        Value::Nil => Vec::new(),
        Value::List(list) => {
            list.borrow().iter().filter(|item| !matches!(item, Value::Nil)).map(strval).collect()
        }
        Value::Bytes(bytes) => bytes.iter().map(|byte| Text::from(byte.to_string())).collect(),
        other => vec![strval(other)],
    }
}

/// `strconv.Quote` of any bytes.
pub(super) fn quote(text: &Text) -> String {
    match text.as_str() {
        Some(text) => goyaml::strconv::quote(text),
        None => crate::fmt::quote_bytes(text.as_bytes(), false),
    }
}

/// Quotes with backticks if Go would write the text so, else as usual.
pub(super) fn quote_as_written(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if goyaml::strconv::can_backquote(text) => format!("`{text}`"),
        _ => goyaml::strconv::quote_bytes(bytes),
    }
}
