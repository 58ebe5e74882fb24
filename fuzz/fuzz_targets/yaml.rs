//! No document may crash the YAML reader, and what it reads it must be able to write and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(value) = goyaml::from_str(text) else { return };
    let written = goyaml::to_string(&value).expect("what was read can be written");
    let again = goyaml::from_str(&written).expect("what was written can be read");
    // A float without a fraction comes back as an integer; values hold both as float64.
    assert_eq!(value.numbers_as_float64(), again.numbers_as_float64(), "{written}");
});
