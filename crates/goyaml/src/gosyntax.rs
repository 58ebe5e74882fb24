//! Values as Go's `%#v` prints them inside error messages.

use crate::Value;
use crate::strconv::{format_float, quote};

/// The value as decoded into `interface{}`, in Go's syntax.
pub(crate) fn print(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value, false);
    text
}

/// What `sigs.k8s.io/yaml` says of a key that JSON cannot have.
pub(crate) fn print_key(key: &Value, value: &Value) -> String {
    let kind = match key {
        Value::Uint(_) => "uint64",
        _ => "%!s(<nil>)",
    };
    format!("unsupported map key of type: {kind}, key: {}, value: {}", print(key), print(value))
}

fn write(text: &mut String, value: &Value, nested: bool) {
    match value {
        Value::Null if nested => text.push_str("interface {}(nil)"),
        Value::Null => text.push_str("<nil>"),
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => text.push_str(&value.to_string()),
        Value::Uint(value) => text.extend(["0x", &format!("{value:x}")]),
        Value::Float(value) => text.push_str(&format_float(*value, b'g', -1, 64)),
        Value::Number(digits) => text.push_str(&quote(digits)),
        Value::String(content) => text.push_str(&quote(content)),
        Value::Sequence(items) => {
            text.push_str("[]interface {}{");
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                write(text, item, true);
            }
            text.push('}');
        }
        Value::Mapping(entries) => {
            text.push_str("map[interface {}]interface {}{");
            for (index, (key, item)) in entries.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                text.push_str(&quote(key));
                text.push(':');
                write(text, item, true);
            }
            text.push('}');
        }
    }
}
