//! No `--set` string may crash its parser, whichever flag it follows.
#![no_main]

use chart::values::{Reading, set};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((flag, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let reading = match flag % 4 {
        0 => Reading::Typed,
        1 => Reading::Text,
        2 => Reading::Json,
        _ => Reading::Literal,
    };
    let goyaml::Value::Map(mut values) = goyaml::from_str("a: {b: [1, {c: 2}]}\nd: text\n").expect("values are YAML")
    else {
        return;
    };
    let _ = set(text, &mut values, reading);
});
