//! No `--set` string may crash its parser, whichever flag it follows.
//!
//! The first byte says which flag, the rest is its argument.
#![no_main]

use chart::values::set::{Reading, set};
use goyaml::Value;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((flag, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let mut read =
        |name: &str| if name.is_empty() { Err("no name".to_owned()) } else { Ok(name.to_uppercase()) };
    let reading = match flag % 5 {
        0 => Reading::Typed,
        1 => Reading::Text,
        2 => Reading::Json,
        3 => Reading::Literal,
        _ => Reading::File(&mut read),
    };
    let start = goyaml::from_str("a: {b: [1, {c: 2}]}\nd: text\n").expect("our own values are YAML");
    let mut values = start.into_mapping().expect("our own values are a map");
    if let Err(error) = set(text, &mut values, reading) {
        assert!(!error.to_string().is_empty());
    }
    assert!(!values.contains_key(""), "an empty key was set");
    goyaml::json::to_string(&Value::Mapping(values)).expect("what was set can be written");
});
