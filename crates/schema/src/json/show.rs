//! Values as Go's `%v` prints them.

use std::fmt::Write;

use goyaml::strconv::format_float;
use serde_json::Value;

/// A value as `fmt.Sprint` prints what `encoding/json` made of it: `map[a:1 b:[x y]]`.
pub fn show(value: &Value) -> String {
    let mut text = String::new();
    push(&mut text, value);
    text
}

/// Several values in brackets, as Go prints a slice.
pub fn show_all<'a>(values: impl IntoIterator<Item = &'a Value>) -> String {
    let mut text = String::from("[");
    push_all(&mut text, values);
    text.push(']');
    text
}

fn push_all<'a>(text: &mut String, values: impl IntoIterator<Item = &'a Value>) {
    for (index, value) in values.into_iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        push(text, value);
    }
}

fn push(text: &mut String, value: &Value) {
    match value {
        Value::Null => text.push_str("<nil>"),
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => text.push_str(&format_float(float, b'g', -1, 64)),
            _ => {
                let _ = write!(text, "{number}");
            }
        },
        Value::String(value) => text.push_str(value),
        Value::Array(items) => {
            text.push('[');
            push_all(text, items);
            text.push(']');
        }
        Value::Object(fields) => {
            text.push_str("map[");
            let mut names: Vec<_> = fields.keys().collect();
            names.sort();
            for (index, name) in names.into_iter().enumerate() {
                if index > 0 {
                    text.push(' ');
                }
                text.push_str(name);
                text.push(':');
                push(text, &fields[name]);
            }
            text.push(']');
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn as_go_prints() {
        let value = json!({"b": [1, "x y", null], "a": {"c": 1.5, "d": true}, "e": {}, "f": 1e21});
        assert_eq!(show(&value), "map[a:map[c:1.5 d:true] b:[1 x y <nil>] e:map[] f:1e+21]");
        assert_eq!(show_all(&[json!("a"), json!([])]), "[a []]");
    }
}
