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
    let layouts = [(goyaml::to_string(&value), false), (goyaml::to_string_pretty(&value), true)];
    for (written, is_pretty) in layouts {
        // Go writes by way of JSON, which it then cannot read where there are control characters in it.
        let Ok(written) = written else {
            assert!(has_control(&value), "{value:?}");
            continue;
        };
        // Go writes the key of a merge without quotes, and then takes it for one; it writes U+0085 as a space, and in the
        // pretty layout a text of several lines that begins with a tab, which it does not read.
        let is_lost = |text: &str| text.contains('\u{85}') || is_pretty && begins_with_tab(text);
        if !has_key(&value, &|key| key == "<<") && !has_text(&value, &is_lost) {
            same(&written, goyaml::from_str(&written).expect("what was written can be read"));
        }
    }
    let written = goyaml::json::to_string(&value).expect("what was read can be written");
    same(&written, goyaml::json::from_str(&written).expect("what was written can be read"));
    // A key in braces may have no more than 1,024 characters, and JSON may need six of them for one.
    if !has_control(&value) && !has_key(&value, &|key| key.len() > 1024 / 6) {
        same(&written, goyaml::from_str(&written).expect("JSON is YAML"));
    }
});

/// Whether a text or a key has characters that YAML does not allow unescaped.
fn has_control(value: &Value) -> bool {
    has_text(value, &|text| {
        text.contains(|c: char| c.is_control() || matches!(c, '\u{feff}' | '\u{fffe}' | '\u{ffff}'))
    })
}

/// Whether a key is such a one.
fn has_key(value: &Value, is_one: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::Sequence(items) => items.iter().any(|item| has_key(item, is_one)),
        Value::Mapping(entries) => entries.iter().any(|(key, value)| is_one(key) || has_key(value, is_one)),
        _ => false,
    }
}

fn begins_with_tab(text: &str) -> bool {
    text.contains('\n') && text.trim_start_matches('\n').starts_with('\t')
}

/// Whether a text or a key is such a one.
fn has_text(value: &Value, is_one: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is_one(text),
        Value::Sequence(items) => items.iter().any(|item| has_text(item, is_one)),
        Value::Mapping(entries) => entries.iter().any(|(key, value)| is_one(key) || has_text(value, is_one)),
        _ => false,
    }
}
