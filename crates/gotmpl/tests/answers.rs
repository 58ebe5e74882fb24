//! What Go answered: templates that call the functions, each with what Helm's own functions made of it.
//!
//! In the files, a template is followed by a line that begins with `=` for output or `!` for an error; both are
//! quoted as Go quotes.

use std::fmt::Write as _;
use std::rc::Rc;

use gotmpl::functions::Offline;
use gotmpl::{Functions, MissingKey, Options, TemplateSet, Value};

/// The data of all templates: once with `float64`, and under the key `N` with `json.Number`.
fn data() -> Value {
    let numbers = goyaml::json::from_str(include_str!("answers/data.json")).expect("data is JSON");
    let data = Value::from(numbers.clone().numbers_as_float64());
    data.as_map().expect("data is a map").insert("N", numbers.into());
    data
}

fn answer(template: &str) -> String {
    let mut functions = Functions::builtin();
    functions.add_library();
    let options = Options {
        name: "t".into(),
        missing_key: MissingKey::Zero,
        environment: Rc::new(Offline::default()),
        ..Options::default()
    };
    let mut set = TemplateSet::new(functions, options);
    let mut output = String::new();
    match set.add("t", template).and_then(|()| set.execute("t", &data(), &mut output)) {
        Ok(()) => format!("= {}", goyaml::strconv::quote_to_ascii(&output)),
        Err(error) => format!("! {}", goyaml::strconv::quote_to_ascii(&error.to_string())),
    }
}

fn check(answers: &str) {
    let mut differences = String::new();
    let mut lines = answers.lines();
    while let (Some(template), Some(expected)) = (lines.next(), lines.next()) {
        let answer = answer(template);
        if answer != expected {
            let _ = writeln!(differences, "{template}\n  Go:  {expected}\n  we:  {answer}");
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

macro_rules! families {
    ($($family:ident)*) => {
        $(#[test]
        fn $family() {
            check(include_str!(concat!("answers/", stringify!($family), ".txt")));
        })*
    };
}

families! {
    addresses bytes cases defaults dictionaries encodings lists numbers patterns strings times versions
}
