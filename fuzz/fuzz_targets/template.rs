//! No template may crash the lexer, the parser or the engine, nor outrun its limits.
#![no_main]

use std::rc::Rc;

use gotmpl::functions::Offline;
use gotmpl::helm::{Engine, EngineOptions};
use gotmpl::{Limits, Value};
use libfuzzer_sys::fuzz_target;

const VALUES: &str = "text: hello\nnumber: 3\nlist: [1, two, {three: 3}]\nmap: {a: {b: c}, d: null}\nflag: true\n";

fuzz_target!(|data: &[u8]| {
    let Ok(source) = std::str::from_utf8(data) else { return };
    let mut options = EngineOptions::new(Rc::new(Offline::default()));
    options.limits = Limits { steps: 20_000, output_bytes: 1 << 20, ..Limits::default() };
    let mut engine = Engine::new(options);
    if engine.add("c/templates/_partial.tpl", "{{ define \"echo\" }}{{ . }}{{ end }}").is_err() {
        return;
    }
    if engine.add("c/templates/t.yaml", source).is_err() {
        return;
    }
    let values = goyaml::from_str(VALUES).expect("values are YAML").numbers_as_float64();
    let scope = Value::map([("Values".into(), Value::from(values))].into());
    let _ = engine.render("c/templates/t.yaml", &scope);
});
