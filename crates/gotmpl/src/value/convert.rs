//! To and from the plain trees of `goyaml`.

use std::rc::Rc;

use goyaml::carried::shown;

use super::{Kind, Text, Value};

impl From<&goyaml::Value> for Value {
    fn from(value: &goyaml::Value) -> Self {
        match value {
            goyaml::Value::Null => Self::Nil,
            goyaml::Value::Bool(value) => Self::Bool(*value),
            goyaml::Value::Int(number) => Self::int64(*number),
            goyaml::Value::Uint(number) => Self::uint64(*number),
            goyaml::Value::Float(number) => Self::Float(*number),
            goyaml::Value::Number(digits) => Self::Number(Rc::from(&**digits)),
            // A file that was set as a value need not be UTF-8.
            goyaml::Value::String(text) => Self::String(Text::landed(text)),
            goyaml::Value::Sequence(items) => Self::list(items.iter().map(Self::from).collect()),
            goyaml::Value::Mapping(entries) => {
                Self::map(entries.iter().map(|(key, value)| (Rc::from(key.as_str()), value.into())).collect())
            }
        }
    }
}

impl From<goyaml::Value> for Value {
    fn from(value: goyaml::Value) -> Self {
        match value {
            goyaml::Value::String(text) => Self::String(Text::landed(&text)),
            goyaml::Value::Sequence(items) => Self::list(items.into_iter().map(Self::from).collect()),
            goyaml::Value::Mapping(entries) => {
                Self::map(entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
            }
            scalar => Self::from(&scalar),
        }
    }
}

impl From<&Value> for goyaml::Value {
    /// The tree that `encoding/json` would write: bytes as base64, structs by their JSON form.
    fn from(value: &Value) -> Self {
        match value {
            Value::Nil | Value::Func(_) | Value::Complex(_) => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(_, number) => Self::Int(*number),
            Value::Uint(_, number) => i64::try_from(*number).map_or(Self::Uint(*number), Self::Int),
            Value::Float(number) => Self::Float(*number),
            Value::Number(digits) if digits.is_empty() => Self::Int(0),
            Value::Number(digits) => Self::Number(Box::from(&**digits)),
            Value::String(text) => Self::String(text.to_str().into_owned()),
            Value::Bytes(bytes) if bytes.is_nil() => Self::Null,
            Value::Bytes(bytes) => Self::String(base64(bytes)),
            Value::List(list) if list.is_nil() => Self::Null,
            Value::List(list) => Self::Sequence(list.borrow().iter().map(Self::from).collect()),
            Value::Map(map) if map.is_nil() => Self::Null,
            Value::Map(map) => Self::Mapping(
                map.borrow()
                    .iter()
                    .map(|(key, value)| (shown(key).into_owned(), Self::from(value)))
                    .collect(),
            ),
            Value::Object(object) if object.go_type().kind == Kind::Pointer && object.is_nil() => Self::Null,
            Value::Object(object) => {
                if let Some(text) = object.json_text() {
                    return Self::String(text);
                }
                let fields = object.json_fields();
                Self::Mapping(fields.iter().map(|(name, value)| ((*name).to_owned(), value.into())).collect())
            }
        }
    }
}

/// Standard base64 with padding, as `encoding/json` writes a `[]byte`.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |group, byte| group << 8 | u32::from(*byte));
        let group = group << (8 * (3 - chunk.len()));
        for position in 0..4 {
            if position <= chunk.len() {
                let index = group >> (18 - 6 * position) & 63;
                text.push(char::from(ALPHABET[index as usize]));
            } else {
                text.push('=');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_pads_to_four() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("\u{ff}", "w78="),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text, "{bytes:?}");
        }
    }

    #[test]
    fn what_was_carried_lands() {
        let tree = goyaml::Value::from(&*goyaml::carried::carried(b"\xfe\xed"));
        for value in [Value::from(&tree), Value::from(tree)] {
            assert_eq!(value.as_text().map(Text::as_bytes), Some(&b"\xfe\xed"[..]));
        }
    }

    #[test]
    fn trees_survive_the_round_trip() {
        let tree = goyaml::Value::Mapping(goyaml::Mapping::from([
            ("a".to_owned(), goyaml::Value::Sequence(vec![goyaml::Value::Int(1), goyaml::Value::Null])),
            ("b".to_owned(), goyaml::Value::Number("1e3".into())),
            ("c".to_owned(), goyaml::Value::Float(1.5)),
        ]));
        assert_eq!(goyaml::Value::from(&Value::from(&tree)), tree);
    }
}
