//! How Go prints a value and names its type in messages: `%v` and `%T`.

use std::borrow::Cow;
use std::fmt::Write as _;

use goyaml::Value;
use goyaml::strconv::format_float;

/// A number as unstructured data has it: an `int64` if it is written as one and fits, else a `float64`.
pub(crate) fn plain(value: &Value) -> Cow<'_, Value> {
    let Value::Number(_) = value else { return Cow::Borrowed(value) };
    let number = value.as_i64().map(Value::Int).or_else(|| value.as_f64().map(Value::Float));
    number.map_or(Cow::Borrowed(value), Cow::Owned)
}

/// `fmt.Sprintf("%v")` of unstructured data.
pub(crate) fn text(value: &Value) -> String {
    let mut out = String::new();
    push(value, &mut out);
    out
}

/// `fmt.Sprintf("%T")` of unstructured data.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Sequence(_) => "[]interface {}",
        Value::Mapping(_) => "map[string]interface {}",
        other => kind(other),
    }
}

/// `reflect.Kind` of unstructured data.
pub(crate) fn kind(value: &Value) -> &'static str {
    match plain(value).as_ref() {
        Value::Null => "invalid",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Uint(_) => "uint8",
        Value::Float(_) | Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Sequence(_) => "slice",
        Value::Mapping(_) => "map",
    }
}

fn push(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("<nil>"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => {
            let _ = write!(out, "{value}");
        }
        Value::Uint(value) => {
            let _ = write!(out, "{value}");
        }
        Value::Float(value) => out.push_str(&format_float(*value, b'g', -1, 64)),
        Value::Number(digits) => match plain(value).as_ref() {
            Value::Number(_) => out.push_str(digits),
            number => push(number, out),
        },
        Value::String(text) => out.push_str(text),
        Value::Sequence(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(' ');
                }
                push(item, out);
            }
            out.push(']');
        }
        Value::Mapping(entries) => {
            out.push_str("map[");
            for (index, (key, item)) in entries.iter().enumerate() {
                if index > 0 {
                    out.push(' ');
                }
                out.push_str(key);
                out.push(':');
                push(item, out);
            }
            out.push(']');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_go_prints() {
        let value = goyaml::from_str("{b: [1, x, 2.5, null], a: true}").unwrap();
        assert_eq!(text(&value), "map[a:true b:[1 x 2.5 <nil>]]");
        assert_eq!((type_name(&value), kind(&value)), ("map[string]interface {}", "map"));
        let numbers = goyaml::json::from_str("[1, 1.0, 1e6, -0.5, 9223372036854775808]").unwrap();
        assert_eq!(text(&numbers), "[1 1 1e+06 -0.5 9.223372036854776e+18]");
        assert_eq!(
            numbers.as_sequence().unwrap().iter().map(kind).collect::<Vec<_>>()[..2],
            ["int64", "float64"]
        );
    }
}
