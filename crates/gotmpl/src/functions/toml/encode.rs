//! Writing TOML: plain values first, then tables, each in the order of their keys.

use std::fmt::Write as _;
use std::rc::Rc;

use super::number::{DATE_LOCAL, DATETIME_LOCAL, TIME_LOCAL};
use crate::functions::FunctionError;
use crate::functions::dicts::nests_too_deeply;
use crate::functions::durations::DURATION;
use crate::gotime::{Time, duration};
use crate::value::Value;

/// Why a value cannot be written.
pub(super) enum Refusal {
    /// The library returns an error.
    Error(String),
    /// The library panics.
    Panic(&'static str),
}

impl From<Refusal> for FunctionError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Error(message) => Self::new(message),
            Refusal::Panic(message) => Self::new(message),
        }
    }
}

type Result<T> = std::result::Result<T, Refusal>;

pub(super) fn encode(value: &Value) -> Result<String> {
    if matches!(value, Value::Nil) {
        return Err(Refusal::Panic("reflect: call of reflect.Value.Type on zero Value"));
    }
    if nests_too_deeply(value, 0) {
        return Err(Refusal::Panic("value nests too deeply to be written"));
    }
    let mut encoder = Encoder { output: String::new() };
    encoder.entry(&[], value)?;
    Ok(encoder.output)
}

/// What a value is in TOML, as far as the layout depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Nothing,
    Plain,
    Table,
    TableArray,
}

fn shape(value: &Value) -> Result<Shape> {
    Ok(match value {
        value if value.is_nil() => Shape::Nothing,
        Value::Map(_) => Shape::Table,
        Value::List(list) => {
            let items = list.borrow();
            let mut tables = !items.is_empty();
            for item in items.iter() {
                match shape(item)? {
                    Shape::Nothing => {
                        return Err(Refusal::Error("toml: cannot encode array with nil element".to_owned()));
                    }
                    shape => tables &= shape == Shape::Table,
                }
            }
            if tables { Shape::TableArray } else { Shape::Plain }
        }
        Value::Object(_) if marshaled(value).is_none() => Shape::Table,
        Value::Func(_) | Value::Complex(_) => {
            return Err(Refusal::Error(format!("unsupported type: {}", value.kind().name())));
        }
        _ => Shape::Plain,
    })
}

/// The text of objects that write themselves, quoted unless it is a time.
fn marshaled(value: &Value) -> Option<String> {
    let Value::Object(object) = value else { return None };
    let text = object.json_text()?;
    Some(match value.downcast::<Time>() {
        Some(time) => time.format(layout_of(time)),
        None => quoted(&text),
    })
}

/// How a time is written: those that were read without an offset get none.
fn layout_of(time: &Time) -> &'static str {
    match &*time.zone().abbreviation {
        DATETIME_LOCAL => "2006-01-02T15:04:05.999999999",
        DATE_LOCAL => "2006-01-02",
        TIME_LOCAL => "15:04:05.999999999",
        _ => "2006-01-02T15:04:05.999999999Z07:00",
    }
}

/// The entries of a table, in the order in which they are written: those of a map, or the public fields of a struct.
fn entries(value: &Value) -> Vec<(Rc<str>, Value)> {
    match value {
        Value::Map(map) => map.borrow().iter().map(|(key, value)| (Rc::clone(key), value.clone())).collect(),
        Value::Object(object) => {
            let public = |name: &str| name.starts_with(|first: char| first.is_ascii_uppercase());
            let fields = object.fields().into_iter().filter(|(name, _)| public(name));
            fields.map(|(name, value)| (name.into(), value)).collect()
        }
        _ => Vec::new(),
    }
}

struct Encoder {
    output: String,
}

impl Encoder {
    fn newline(&mut self) {
        if !self.output.is_empty() {
            self.output.push('\n');
        }
    }

    /// Writes a value under a key, as a table of its own if it is one.
    fn entry(&mut self, key: &[&str], value: &Value) -> Result<()> {
        if matches!(value, Value::Func(_) | Value::Complex(_)) {
            let (key, kind) = (dotted(key), value.kind().name());
            return Err(Refusal::Error(format!("unsupported type for key '{key}': {kind}")));
        }
        match shape(value)? {
            Shape::Nothing if matches!(value, Value::List(_)) => self.key_value(key, value, false),
            Shape::Nothing => Ok(()),
            Shape::Plain => self.key_value(key, value, false),
            Shape::Table => {
                if key.len() == 1 {
                    self.newline();
                }
                if !key.is_empty() {
                    let _ = write!(self.output, "{}[{}]", indentation(key), dotted(key));
                    self.newline();
                }
                self.table(key, &entries(value))
            }
            Shape::TableArray if key.is_empty() => {
                Err(Refusal::Error("toml: top-level values must be Go maps or structs".to_owned()))
            }
            Shape::TableArray => {
                for item in value.to_items().unwrap_or_default() {
                    self.newline();
                    let _ = write!(self.output, "{}[[{}]]", indentation(key), dotted(key));
                    self.newline();
                    self.table(key, &entries(&item))?;
                }
                Ok(())
            }
        }
    }

    fn table(&mut self, key: &[&str], entries: &[(Rc<str>, Value)]) -> Result<()> {
        for (name, value) in plain_first(entries)?.into_iter().filter(|(_, value)| !value.is_nil()) {
            let mut key = key.to_vec();
            key.push(name);
            self.entry(&key, value)?;
        }
        Ok(())
    }

    fn key_value(&mut self, key: &[&str], value: &Value, inline: bool) -> Result<()> {
        let Some(name) = key.last() else {
            return self.element(value);
        };
        let _ = write!(self.output, "{}{} = ", indentation(key), key_part(name));
        self.element(value)?;
        if !inline {
            self.newline();
        }
        Ok(())
    }

    fn element(&mut self, value: &Value) -> Result<()> {
        match value {
            Value::String(text) => self.output.push_str(&quoted(&text.carried())),
            Value::Bool(value) => {
                let _ = write!(self.output, "{value}");
            }
            Value::Int(ty, number) if *ty == &DURATION => {
                self.output.push_str(&quoted(&duration::format(*number)));
            }
            Value::Int(_, number) => {
                let _ = write!(self.output, "{number}");
            }
            Value::Uint(_, number) => {
                let _ = write!(self.output, "{number}");
            }
            Value::Float(number) => self.output.push_str(&float(*number)),
            Value::Number(digits) => self.number(digits)?,
            Value::List(_) | Value::Bytes(_) => {
                self.output.push('[');
                for (index, item) in value.to_items().unwrap_or_default().iter().enumerate() {
                    if index > 0 {
                        self.output.push_str(", ");
                    }
                    self.element(item)?;
                }
                self.output.push(']');
            }
            Value::Map(_) => self.inline_table(&entries(value))?,
            Value::Object(_) => match marshaled(value) {
                Some(text) => self.output.push_str(&text),
                None => self.inline_table(&entries(value))?,
            },
            Value::Nil | Value::Func(_) | Value::Complex(_) => {
                return Err(Refusal::Error(format!("unexpected type: {}", value.type_name())));
            }
        }
        Ok(())
    }

    fn number(&mut self, digits: &str) -> Result<()> {
        if digits.is_empty() {
            self.output.push('0');
        } else if let Ok(number) = goyaml::strconv::parse_int(digits, 10, 64) {
            let _ = write!(self.output, "{number}");
        } else if let Ok(number) = goyaml::strconv::parse_float(digits, 64) {
            self.output.push_str(&float(number));
        } else {
            let quoted = goyaml::strconv::quote(digits);
            return Err(Refusal::Error(format!("unable to convert {quoted} to int64 or float64")));
        }
        Ok(())
    }

    fn inline_table(&mut self, entries: &[(Rc<str>, Value)]) -> Result<()> {
        self.output.push('{');
        let ordered = plain_first(entries)?;
        for (index, (name, value)) in ordered.iter().enumerate() {
            // A value that is nothing leaves no trace, but the comma of the one before it stays.
            if value.is_nil() {
                continue;
            }
            self.key_value(&[name], value, true)?;
            if index + 1 < ordered.len() {
                self.output.push_str(", ");
            }
        }
        self.output.push('}');
        Ok(())
    }
}

/// The entries with tables after everything else.
fn plain_first(entries: &[(Rc<str>, Value)]) -> Result<Vec<(&str, &Value)>> {
    let mut plain = Vec::with_capacity(entries.len());
    let mut tables = Vec::new();
    for (name, value) in entries {
        match shape(value)? {
            Shape::Table | Shape::TableArray => tables.push((&**name, value)),
            Shape::Nothing | Shape::Plain => plain.push((&**name, value)),
        }
    }
    plain.append(&mut tables);
    Ok(plain)
}

fn indentation(key: &[&str]) -> String {
    "  ".repeat(key.len() - 1)
}

pub(super) fn dotted(key: &[&str]) -> String {
    key.iter().map(|part| key_part(part)).collect::<Vec<_>>().join(".")
}

fn key_part(part: &str) -> String {
    let bare = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if !part.is_empty() && part.bytes().all(bare) { part.to_owned() } else { quoted(part) }
}

fn quoted(text: &str) -> String {
    let mut output = String::with_capacity(text.len() + 2);
    output.push('"');
    for character in text.chars() {
        match character {
            '"' => output.push_str("\\\""),
            '\\' => output.push_str("\\\\"),
            '\t' => output.push_str("\\t"),
            '\n' => output.push_str("\\n"),
            '\r' => output.push_str("\\r"),
            '\x08' => output.push_str("\\b"),
            '\x0c' => output.push_str("\\f"),
            '\0'..='\x1f' | '\x7f' => {
                let _ = write!(output, "\\u{:04x}", u32::from(character));
            }
            _ => output.push(character),
        }
    }
    output.push('"');
    output
}

fn float(number: f64) -> String {
    if number.is_nan() {
        return if number.is_sign_negative() { "-nan" } else { "nan" }.to_owned();
    }
    if number.is_infinite() {
        return if number < 0.0 { "-inf" } else { "inf" }.to_owned();
    }
    let mut text = goyaml::strconv::format_float(number, b'g', -1, 64);
    if !text.contains(['e', '.']) {
        text.push_str(".0");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_come_after_plain_values() {
        let value: Value = goyaml::json::from_str(
            r#"{"z":{"b":1.5,"a":{"x y":"q\"\n"}},"a":[1,"2"],"n":null,"t":[{"k":1e21},{"k":[{"i":{}}]}],"e":[]}"#,
        )
        .unwrap()
        .numbers_as_float64()
        .into();
        let expected = r#"a = [1.0, "2"]
e = []

[[t]]
  k = 1e+21

[[t]]

  [[t.k]]
    [t.k.i]

[z]
  b = 1.5
  [z.a]
    "x y" = "q\"\n"
"#;
        assert_eq!(encode(&value).ok().as_deref(), Some(expected));
    }

    #[test]
    fn what_toml_does_not_have_is_refused() {
        let complex = || Value::Complex(Rc::new((0.0, 1.0)));
        for (value, expected) in [
            (complex(), "unsupported type for key '': complex128"),
            (Value::list(vec![complex()]), "unsupported type: complex128"),
            (Value::map([("a".into(), complex())].into_iter().collect()), "unsupported type: complex128"),
        ] {
            let refusal = encode(&value).err().map(|refusal| FunctionError::from(refusal).to_string());
            assert_eq!(refusal.as_deref(), Some(expected));
        }
    }
}
