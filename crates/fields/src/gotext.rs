//! Values as Go prints them: refusals and keys carry such text, and clients compare it.

use std::fmt::{self, Write};

use serde_json::{Number, Value};

/// A string in Go's `%q`.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

/// A value in Go's `%v`, as it stands within another value.
pub(crate) struct Plain<'a>(pub(crate) &'a Value);

/// A value in Go's `%#v`.
pub(crate) struct Sharp<'a>(pub(crate) &'a Value);

/// The name of the Go type that holds a decoded value, as `%T` prints it.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\x07' => f.write_str("\\a")?,
                '\x08' => f.write_str("\\b")?,
                '\x0c' => f.write_str("\\f")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                '\x0b' => f.write_str("\\v")?,
                c if printable(c) => f.write_char(c)?,
                c if c < ' ' || c == '\x7f' => write!(f, "\\x{:02x}", c as u32)?,
                c if (c as u32) < 0x1_0000 => write!(f, "\\u{:04x}", c as u32)?,
                c => write!(f, "\\U{:08x}", c as u32)?,
            }
        }
        f.write_char('"')
    }
}

/// Whether Go's `unicode.IsPrint` holds, but for code points that nobody has assigned.
pub(crate) fn printable(c: char) -> bool {
    if c == ' ' {
        return true;
    }
    let formatting = matches!(c,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}');
    !formatting && !c.is_control() && !c.is_whitespace()
}

impl fmt::Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("<nil>"),
            Value::Bool(flag) => write!(f, "{flag}"),
            Value::Number(number) => write_number(f, number),
            Value::String(text) => f.write_str(text),
            Value::Array(items) => {
                f.write_char('[')?;
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        f.write_char(' ')?;
                    }
                    Plain(item).fmt(f)?;
                }
                f.write_char(']')
            }
            Value::Object(entries) => {
                f.write_str("map[")?;
                for (at, (name, value)) in entries.iter().enumerate() {
                    if at > 0 {
                        f.write_char(' ')?;
                    }
                    write!(f, "{name}:{}", Plain(value))?;
                }
                f.write_char(']')
            }
        }
    }
}

impl fmt::Display for Sharp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("interface {}(nil)"),
            Value::Bool(flag) => write!(f, "{flag}"),
            Value::Number(number) => write_number(f, number),
            Value::String(text) => Quoted(text).fmt(f),
            Value::Array(items) => {
                f.write_str("[]interface {}{")?;
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        f.write_str(", ")?;
                    }
                    Sharp(item).fmt(f)?;
                }
                f.write_char('}')
            }
            Value::Object(entries) => {
                f.write_str("map[string]interface {}{")?;
                for (at, (name, value)) in entries.iter().enumerate() {
                    if at > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{}:{}", Quoted(name), Sharp(value))?;
                }
                f.write_char('}')
            }
        }
    }
}

/// A number in Go's `%v`: integers as they are, others with an exponent from a million on.
pub(crate) fn write_number(out: &mut impl Write, number: &Number) -> fmt::Result {
    if let Some(integer) = number.as_i64() {
        return write!(out, "{integer}");
    }
    let float = number.as_f64().unwrap_or_default();
    // Rust's `{:e}` has the shortest digits, as Go's `%g` has; only the layout differs.
    let scientific = format!("{float:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if float != 0.0 && !(-4..6).contains(&exponent) {
        return write_exponent(out, digits, exponent);
    }
    write!(out, "{float}")
}

fn write_exponent(out: &mut impl Write, digits: &str, exponent: i32) -> fmt::Result {
    let sign = if exponent < 0 { '-' } else { '+' };
    write!(out, "{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// A value as Go's JSON encoder writes it: names in order, no space, and `<`, `>` and `&` escaped.
pub(crate) fn write_json(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_json_number(out, number),
        Value::String(text) => write_json_string(out, text, true),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_json(out, item);
            }
            out.push(']');
        }
        Value::Object(entries) => {
            out.push('{');
            for (at, (name, value)) in entries.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_json_string(out, name, true);
                out.push(':');
                write_json(out, value);
            }
            out.push('}');
        }
    }
}

fn write_json_number(out: &mut String, number: &Number) {
    // Writing to a String cannot fail.
    if let Some(integer) = number.as_i64() {
        let _ = write!(out, "{integer}");
        return;
    }
    let float = number.as_f64().unwrap_or_default();
    let size = float.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let scientific = format!("{float:e}");
        let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let exponent: i32 = exponent.parse().unwrap_or_default();
        // Go's encoder drops the zero of a small negative exponent: 1e-07 becomes 1e-7.
        let _ = if (-9..0).contains(&exponent) {
            write!(out, "{digits}e{exponent}")
        } else {
            write_exponent(out, digits, exponent)
        };
        return;
    }
    let _ = write!(out, "{float}");
}

/// A JSON string, with HTML's characters escaped or not.
pub(crate) fn write_json_string(out: &mut String, text: &str, html: bool) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' if html => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn strings_are_quoted_as_go_does() {
        for (text, quoted) in [
            ("a", r#""a""#),
            ("a\"b\\", r#""a\"b\\""#),
            ("tab\tnul\0", r#""tab\tnul\x00""#),
            ("é日", "\"é日\""),
            ("\u{a0}\u{200b}", r#""\u00a0\u200b""#),
        ] {
            assert_eq!(Quoted(text).to_string(), quoted);
        }
    }

    #[test]
    fn numbers_have_gos_layout() {
        for (value, text) in [
            (json!(1_000_000), "1000000"),
            (json!(80.0), "80"),
            (json!(1.5), "1.5"),
            (json!(1e21), "1e+21"),
            (json!(1.25e-7), "1.25e-07"),
            (json!(0.0), "0"),
        ] {
            assert_eq!(Plain(&value).to_string(), text);
        }
    }

    #[test]
    fn nested_values_print_as_in_refusals() {
        let value = json!({"b": [1, "x", null], "a": {"c": true}});
        assert_eq!(Plain(&value).to_string(), "map[a:map[c:true] b:[1 x <nil>]]");
        assert_eq!(
            Sharp(&value).to_string(),
            r#"map[string]interface {}{"a":map[string]interface {}{"c":true}, "b":[]interface {}{1, "x", interface {}(nil)}}"#
        );
    }

    #[test]
    fn json_is_written_as_gos_encoder_writes_it() {
        let mut out = String::new();
        write_json(&mut out, &json!({"z": "<a&b>\u{2028}", "a": [1.0, 1e-7, 1e30, 2.5, "\u{8}"]}));
        assert_eq!(out, r#"{"a":[1,1e-7,1e+30,2.5,"\u0008"],"z":"\u003ca\u0026b\u003e\u2028"}"#);
    }
}
