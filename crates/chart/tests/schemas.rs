//! Which values a `values.schema.json` lets through.

use std::rc::Rc;
use std::sync::Arc;

use chart::load::load_files;
use chart::{File, RenderError, RenderOptions, render};
use gotmpl::functions::Offline;
use goyaml::Mapping;

fn verdict(schema: &str, values: &str) -> Result<(), String> {
    let files = vec![
        File::new("Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n"),
        File::new("values.yaml", values.to_owned()),
        File::new("values.schema.json", schema.to_owned()),
    ];
    let chart = load_files(files).expect("a chart that loads").chart;
    let mut options = RenderOptions::new(Rc::new(Offline::default()));
    options.fetch_schema = Some(Arc::new(|address| match address {
        "https://example.com/text.json" => Ok(br#"{"type": "string"}"#.to_vec()),
        other => Err(format!("nothing at {other}")),
    }));
    match render(&chart, &Mapping::new(), &mut options) {
        Ok(_) => Ok(()),
        Err(error @ RenderError::Schema(_)) => Err(error.to_string()),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn values_are_let_through_as_helm_lets_them() {
    let draft = |number: u32, rest: &str| {
        format!(
            r#"{{"$schema": "http://json-schema.org/draft-{number:02}/schema#", "properties": {{"a": {rest}}}}}"#
        )
    };
    for (schema, values, accepted) in [
        ("true".to_owned(), "a: 1", true),
        ("false".to_owned(), "a: 1", false),
        ("{nonsense".to_owned(), "a: 1", false),
        (r#"{"required": ["a"]}"#.to_owned(), "a: null", false),
        (draft(4, r#"{"type": "integer"}"#), "a: 5.0", true),
        (draft(7, r#"{"type": "integer"}"#), "a: 5.5", false),
        (draft(4, r#"{"minimum": 1, "exclusiveMinimum": true}"#), "a: 1", false),
        (draft(7, r#"{"minimum": 1, "exclusiveMinimum": true}"#), "a: 2", false),
        (draft(7, r#"{"format": "email"}"#), "a: nobody", false),
        (r#"{"properties": {"a": {"format": "email"}}}"#.to_owned(), "a: nobody", true),
        (draft(7, r#"{"format": "duration"}"#), "a: 5m", false),
        (draft(7, r#"{"enum": []}"#), "b: 1", false),
        (draft(7, r#"{"contentEncoding": "base64"}"#), "a: '!!'", true),
        (draft(7, r#"{"pattern": "^(?!x)"}"#), "a: y", false),
        (draft(7, r#"{"type": "nonsense"}"#), "b: 1", false),
        (draft(5, r#"{"type": "string"}"#), "a: x", false),
        (draft(7, r#"{"$ref": "urn:anything"}"#), "a: 1", true),
        (draft(7, r#"{"$ref": "https://example.com/text.json"}"#), "a: 1", false),
        (draft(7, r#"{"$ref": "https://example.com/text.json"}"#), "a: x", true),
        (draft(7, r#"{"$ref": "https://example.com/other.json"}"#), "a: x", false),
    ] {
        assert_eq!(verdict(&schema, values).is_ok(), accepted, "{schema} {values}");
    }
}

#[test]
fn violations_say_where_and_what() {
    let schema = r#"{
        "required": ["image"],
        "additionalProperties": false,
        "properties": {"replicas": {"type": "integer", "minimum": 1}, "image": {"type": "string"}, "global": {}}
    }"#;
    insta::assert_snapshot!(verdict(schema, "replicas: many\nextra: 1\n").unwrap_err());
}
