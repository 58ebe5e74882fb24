//! No template may crash the lexer, the parser or the engine, nor outrun its limits.
//!
//! The input is the template, unless it starts with a zero byte: then what follows are decisions, from which the
//! generators of the differential tests make templates that parse, and calls of every function.
#![no_main]

use std::cell::OnceCell;
use std::rc::Rc;

use differential::choices::Choices;
use differential::generate::{expression, pool, template};
use differential::oracle::Question;
use gotmpl::functions::Offline;
use gotmpl::helm::{Engine, EngineOptions};
use gotmpl::{Limits, Value};
use libfuzzer_sys::fuzz_target;

const LIMITS: Limits = Limits {
    include_depth: 50,
    template_depth: 200,
    output_bytes: 1 << 20,
    steps: 100_000,
    value_bytes: 1 << 20,
};

/// Seconds of work by design: password hashes and keys. The differential tests call them.
const SLOW: &[&str] =
    &["bcrypt", "htpasswd", "derivePassword", "genPrivateKey", "genCA", "genSelfSignedCert", "genSignedCert"];

thread_local! {
    static VALUES: OnceCell<goyaml::Value> = const { OnceCell::new() };
}

fuzz_target!(|data: &[u8]| {
    let made;
    let source = match data {
        [0, kind, decisions @ ..] => {
            let numbers: Vec<u16> = decisions
                .chunks(2)
                .map(|pair| pair.iter().fold(0, |sum, byte| sum << 8 | u16::from(*byte)))
                .collect();
            let mut choices = Choices::new(&numbers);
            let generate = if kind % 2 == 0 { expression::call } else { template::template };
            let Question::Chart { mut files, .. } = generate(&mut choices).question else { return };
            made = files.pop().map(|(_, text)| text).unwrap_or_default();
            &made
        }
        text => {
            let Ok(text) = std::str::from_utf8(text) else { return };
            text
        }
    };
    if SLOW.iter().any(|name| source.contains(name)) {
        return;
    }
    let mut options = EngineOptions::new(Rc::new(Offline::default()));
    options.limits = LIMITS;
    let mut engine = Engine::new(options);
    engine.add("c/templates/_partial.tpl", pool::PARTIALS).expect("our own templates parse");
    if let Err(error) = engine.add("c/templates/t.yaml", source) {
        assert!(!error.to_string().is_empty());
        return;
    }
    // A template can change its values, so each run has its own.
    let values = VALUES.with(|values| {
        let read = || goyaml::from_str(pool::VALUES).expect("our own values are YAML").numbers_as_float64();
        values.get_or_init(read).clone()
    });
    let release = Value::map([("Name".into(), "fuzz".into())].into());
    let scope = Value::map([("Values".into(), Value::from(values)), ("Release".into(), release)].into());
    match engine.render("c/templates/t.yaml", &scope) {
        Ok(text) => assert!(text.len() <= LIMITS.output_bytes),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
