//! No document may crash the YAML reader; what it reads it must be able to write and read again; and its shortcuts
//! must agree with it.
#![no_main]

use goyaml::{Document, Head, Value};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        let _ = goyaml::from_slice(data);
        return;
    };
    let _ = goyaml::from_str_strict(text);
    let read = goyaml::from_str(text);
    let head = Head::from_str(text);
    let Ok(value) = read else { return };

    let same = Head::from_value(value.clone());
    assert_eq!(head.is_ok(), same.is_ok(), "{head:?} {same:?}");
    assert!(head.is_err() || head == same, "{head:?} {same:?}");
    let document = Document::parse(text).expect("what can be read has positions");
    assert_eq!(document.value(), &value);

    // A float without a fraction comes back as an integer; values hold both as float64.
    let value = value.numbers_as_float64();
    let same = |written: &str, again: Value| assert_eq!(value, again.numbers_as_float64(), "{written}");
    for written in [goyaml::to_string(&value), goyaml::to_string_pretty(&value)] {
        // Go writes by way of JSON, which it then cannot read where there are control characters in it.
        let Ok(written) = written else {
            assert!(has_control(&value), "{value:?}");
            continue;
        };
        // Go writes this key without quotes, and then takes it for a merge, and it writes U+0085 as a space.
        if !has_merge(&value) && !has_next_line(&value) {
            same(&written, goyaml::from_str(&written).expect("what was written can be read"));
        }
    }
    let written = goyaml::json::to_string(&value).expect("what was read can be written");
    same(&written, goyaml::json::from_str(&written).expect("what was written can be read"));
    if !has_control(&value) {
        same(&written, goyaml::from_str(&written).expect("JSON is YAML"));
    }
});

/// Whether a text or a key has characters that YAML does not allow unescaped.
fn has_control(value: &Value) -> bool {
    let control = |text: &str| {
        text.contains(|c: char| c.is_control() || matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}'))
    };
    match value {
        Value::String(text) => control(text),
        Value::Sequence(items) => items.iter().any(has_control),
        Value::Mapping(entries) => entries.iter().any(|(key, value)| control(key) || has_control(value)),
        _ => false,
    }
}

fn has_merge(value: &Value) -> bool {
    match value {
        Value::Sequence(items) => items.iter().any(has_merge),
        Value::Mapping(entries) => entries.iter().any(|(key, value)| key == "<<" || has_merge(value)),
        _ => false,
    }
}

fn has_next_line(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\u{85}'),
        Value::Sequence(items) => items.iter().any(has_next_line),
        Value::Mapping(entries) => {
            entries.iter().any(|(key, value)| key.contains('\u{85}') || has_next_line(value))
        }
        _ => false,
    }
}
