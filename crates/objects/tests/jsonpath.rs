//! What kubectl's own JSONPath answered: templates over one document, each with the text, or the error while reading
//! or walking.

use std::fmt::Write as _;

use goyaml::Value;
use objects::jsonpath::JsonPath;

/// Numbers as Kubernetes reads them: integers apart from floats.
fn data() -> Value {
    goyaml::from_str(include_str!("answers/jsonpath_data.json")).expect("data is JSON")
}

fn answer(template: &str, lenient: bool, data: &Value) -> (&'static str, String) {
    match JsonPath::parse(template) {
        Err(error) => ("parse", error.to_string()),
        Ok(path) => match if lenient { path.render_leniently(data) } else { path.render(data) } {
            Ok(text) => ("text", text),
            Err(error) => ("error", error.to_string()),
        },
    }
}

#[test]
fn answers_as_kubectl_does() {
    let data = data();
    let mut differences = String::new();
    let mut count = 0;
    for line in include_str!("answers/jsonpath.jsonl").lines() {
        let expected = goyaml::json::from_str(line).expect("a line is JSON");
        let text = |key: &str| expected.get(key).and_then(Value::as_str);
        let template = text("template").expect("a line has a template");
        let lenient = expected.get("lenient").is_some();
        let (kind, found) = answer(template, lenient, &data);
        if text(kind) != Some(&found) {
            let _ = writeln!(differences, "{line}\n  we: {kind} {found:?}");
        }
        count += 1;
    }
    assert!(differences.is_empty(), "{differences}");
    assert_eq!(count, 559, "all answers are read");
}
