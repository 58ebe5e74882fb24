//! A Pod template written as Go's memory of it would be, since that is what the real hash is taken of.
//!
//! The types and their fields, in order, are in `types.txt`: first the types that have another beneath them
//! (`v1.Protocol = string`), then the structures with `Field:json:type` for each field. A field without a JSON name has
//! its fields in the JSON of the structure around it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::OnceLock;

use serde_json::Value;

/// A number of a quantity, its power of ten, and how it was written.
const ZERO_TIME: &str = "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}";

/// A field of a structure: its name in Go, in JSON, and its type.
type Field = (&'static str, &'static str, &'static str);

struct Types {
    beneath: HashMap<&'static str, &'static str>,
    structures: HashMap<&'static str, Vec<Field>>,
}

fn types() -> &'static Types {
    static TYPES: OnceLock<Types> = OnceLock::new();
    TYPES.get_or_init(|| {
        let mut types = Types { beneath: HashMap::new(), structures: HashMap::new() };
        for line in include_str!("types.txt").lines() {
            if let Some((name, beneath)) = line.split_once(" = ") {
                types.beneath.insert(name, beneath);
                continue;
            }
            let mut words = line.split(' ');
            let name = words.next().unwrap_or_default();
            let fields = words.filter_map(|word| {
                let mut parts = word.splitn(3, ':');
                Some((parts.next()?, parts.next()?, parts.next()?))
            });
            types.structures.insert(name, fields.collect());
        }
        types
    })
}

/// A Pod template as Go's memory of it is written.
pub(super) fn template(template: &Value) -> String {
    let mut written = String::from("(v1.PodTemplateSpec)");
    write(&mut written, "v1.PodTemplateSpec", template);
    written
}

fn write(to: &mut String, kind: &str, value: &Value) {
    if let Some(pointed) = kind.strip_prefix('*') {
        return if value.is_null() { to.push_str("<nil>") } else { write(to, pointed, value) };
    }
    if let Some(item) = kind.strip_prefix("[]") {
        return write_list(to, item, value);
    }
    if let Some((_, item)) = kind.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
        return write_map(to, item, value);
    }
    match kind {
        "string" => to.push_str(value.as_str().unwrap_or_default()),
        "bool" => to.push_str(if value == true { "true" } else { "false" }),
        "int32" | "int64" => push(to, format_args!("{}", value.as_i64().unwrap_or_default())),
        "resource.Quantity" => write_quantity(to, value),
        "intstr.IntOrString" => write_number_or_text(to, value),
        "v1.Time" => to.push_str(ZERO_TIME),
        _ => match (types().beneath.get(kind), types().structures.get(kind)) {
            (Some(beneath), _) => write(to, beneath, value),
            (None, Some(fields)) => write_structure(to, fields, value),
            (None, None) => to.push_str("<nil>"),
        },
    }
}

fn push(to: &mut String, words: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = to.write_fmt(words);
}

fn write_structure(to: &mut String, fields: &[Field], value: &Value) {
    to.push('{');
    for (place, (name, json, kind)) in fields.iter().enumerate() {
        let inner = if json.is_empty() { value } else { value.get(json).unwrap_or(&Value::Null) };
        let space = if place == 0 { "" } else { " " };
        push(to, format_args!("{space}{name}:({kind})"));
        write(to, kind, inner);
    }
    to.push('}');
}

fn write_list(to: &mut String, item: &str, value: &Value) {
    // An empty list is none, and these two are nobody's business in a template.
    let items = value.as_array().filter(|items| !items.is_empty());
    let Some(items) = items.filter(|_| !matches!(item, "v1.OwnerReference" | "v1.ManagedFieldsEntry")) else {
        return to.push_str("<nil>");
    };
    to.push('[');
    for (place, value) in items.iter().enumerate() {
        if place > 0 {
            to.push(' ');
        }
        write(to, item, value);
    }
    to.push(']');
}

fn write_map(to: &mut String, item: &str, value: &Value) {
    let Some(entries) = value.as_object().filter(|entries| !entries.is_empty()) else {
        return to.push_str("<nil>");
    };
    let mut keys: Vec<&String> = entries.keys().collect();
    keys.sort();
    to.push_str("map[");
    for (place, key) in keys.into_iter().enumerate() {
        let space = if place == 0 { "" } else { " " };
        push(to, format_args!("{space}{key}:"));
        write(to, item, &entries[key]);
    }
    to.push(']');
}

fn write_number_or_text(to: &mut String, value: &Value) {
    let (kind, number, text) = match value {
        Value::String(text) => (1, 0, text.as_str()),
        other => (0, other.as_i64().unwrap_or_default(), ""),
    };
    push(to, format_args!("{{Type:(intstr.Type){kind} IntVal:(int32){number} StrVal:(string){text}}}"));
}

fn write_quantity(to: &mut String, value: &Value) {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let (amount, scale, format) = if text.is_empty() { (0, 0, "") } else { quantity(&text) };
    push(
        to,
        format_args!(
            "{{i:(resource.int64Amount){{value:(int64){amount} scale:(resource.Scale){scale}}} \
             d:(resource.infDecAmount){{Dec:(*inf.Dec)<nil>}} s:(string){text} Format:(resource.Format){format}}}"
        ),
    );
}

/// The number of a quantity, its power of ten, and in which way it is written.
fn quantity(text: &str) -> (i64, i32, &'static str) {
    let end = text.find(|letter: char| !matches!(letter, '0'..='9' | '.' | '+' | '-')).unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits: i64 = format!("{whole}{part}").parse().unwrap_or_default();
    let shift = part.len() as i32;
    let binary = match suffix {
        "Ki" => 10,
        "Mi" => 20,
        "Gi" => 30,
        "Ti" => 40,
        "Pi" => 50,
        "Ei" => 60,
        _ => 0,
    };
    if binary > 0 {
        return (digits.checked_shl(binary).unwrap_or_default(), -shift, "BinarySI");
    }
    let (power, format) = match suffix {
        "" => (0, "DecimalSI"),
        "n" => (-9, "DecimalSI"),
        "u" => (-6, "DecimalSI"),
        "m" => (-3, "DecimalSI"),
        "k" => (3, "DecimalSI"),
        "M" => (6, "DecimalSI"),
        "G" => (9, "DecimalSI"),
        "T" => (12, "DecimalSI"),
        "P" => (15, "DecimalSI"),
        "E" => (18, "DecimalSI"),
        exponent => (exponent[1..].parse().unwrap_or_default(), "DecimalExponent"),
    };
    (digits, power - shift, format)
}
