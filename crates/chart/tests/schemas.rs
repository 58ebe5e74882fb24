//! Which values a `values.schema.json` lets through.

use std::rc::Rc;
use std::sync::Arc;

use chart::load::load_files;
use chart::schema::FetchSchema;
use chart::{File, RenderError, RenderOptions, render};
use gotmpl::functions::Offline;
use goyaml::Mapping;

fn verdict(schema: &str, values: &str) -> Result<(), String> {
    let fetch: FetchSchema = Arc::new(|address| match address {
        "https://example.com/text.json" => Ok(br#"{"type": "string"}"#.to_vec()),
        other => Err(format!("nothing at {other}")),
    });
    verdict_with(fetch, schema, values)
}

fn verdict_with(fetch: FetchSchema, schema: &str, values: &str) -> Result<(), String> {
    let files = vec![
        File::new("Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n"),
        File::new("values.yaml", values.to_owned()),
        File::new("values.schema.json", schema.to_owned()),
    ];
    let chart = load_files(files).expect("a chart that loads").chart;
    let mut options = RenderOptions::new(Rc::new(Offline::default()));
    options.fetch_schema = Some(fetch);
    match render(&chart, &Mapping::new(), &mut options) {
        Ok(_) => Ok(()),
        Err(error @ RenderError::Schema(_)) => Err(error.to_string()),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn known_drafts_are_not_loaded_from_their_addresses() {
    for name in [
        "http://json-schema.org/draft-04/schema#",
        "https://json-schema.org/draft-06/schema",
        "https://json-schema.org/draft-07/schema#",
        "http://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft/2020-12/schema#",
        "http://json-schema.org/schema#",
        "https://json-schema.org/schema",
    ] {
        let nobody: FetchSchema = Arc::new(|address| panic!("asked for {address}"));
        let schema = format!(
            r##"{{"$schema": "{name}", "definitions": {{"n": {{"$schema": "{name}", "type": "number"}}}},
                "properties": {{"a": {{"type": "string"}}, "b": {{"$ref": "#/definitions/n"}}}}}}"##
        );
        assert!(verdict_with(Arc::clone(&nobody), &schema, "a: x").is_ok(), "{name}");
        assert!(verdict_with(Arc::clone(&nobody), &schema, "a: 1").is_err(), "{name}");
        assert!(verdict_with(nobody, &schema, "b: x").is_err(), "{name}");
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
        (draft(7, r##"{"$ref": "#", "type": "string", "minProperties": 9}"##), "a: {}", true),
        (draft(7, r##"{"$ref": "#", "const": 1}"##), "a: {}", false),
        (draft(6, r##"{"$ref": "#", "propertyNames": {"maxLength": 1}}"##), "a: {bb: 1}", false),
        (draft(6, r##"{"$ref": "#", "if": true, "then": false}"##), "a: {}", true),
        (draft(7, r##"{"$ref": "#", "if": true, "then": false}"##), "a: {}", false),
        (draft(4, r##"{"$ref": "#", "const": 1}"##), "a: {}", true),
    ] {
        assert_eq!(verdict(&schema, values).is_ok(), accepted, "{schema} {values}");
    }
}

/// Asked of Helm 4.3.1: whether it lets the values through (y) or not (n) if the schema says that it is of draft 4,
/// 6, 7, 2019-09 or 2020-12, or says nothing.
#[test]
fn each_draft_has_its_own_rules() {
    const DRAFTS: [&str; 6] = [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
        "",
    ];
    for (verdicts, schema, values) in [
        ("yyyyyy", r#"{"properties": {"a": {"type": "integer"}}}"#, "a: 5.0"),
        ("nnnnnn", r#"{"properties": {"a": {"minimum": 1, "exclusiveMinimum": true}}}"#, "a: 1"),
        ("nnnnnn", r#"{"properties": {"a": {"exclusiveMinimum": 1}}}"#, "a: 1"),
        ("ynnnnn", r#"{"properties": {"a": {"const": 1}}}"#, "a: 2"),
        ("ynnnnn", r#"{"properties": {"a": {"contains": {"type": "string"}}}}"#, "a: [1]"),
        ("ynnnnn", r#"{"propertyNames": {"maxLength": 6}}"#, "toolong: 1"),
        ("yynnnn", r#"{"if": {"required": ["a"]}, "then": {"required": ["b"]}}"#, "a: 1"),
        ("nnnnnn", r#"{"dependencies": {"a": ["b"]}}"#, "a: 1"),
        ("yyynnn", r#"{"dependentRequired": {"a": ["b"]}}"#, "a: 1"),
        ("yyynnn", r#"{"dependentSchemas": {"a": {"required": ["b"]}}}"#, "a: 1"),
        ("yyynnn", r#"{"properties": {"a": {}}, "unevaluatedProperties": false}"#, "b: 1"),
        ("yyynnn", r#"{"properties": {"a": {"contains": {"type": "string"}, "minContains": 2}}}"#, "a: [x]"),
        ("yyyynn", r#"{"properties": {"a": {"prefixItems": [{"type": "string"}]}}}"#, "a: [1]"),
        ("nnnnnn", r#"{"properties": {"a": {"items": [{"type": "string"}]}}}"#, "a: [1]"),
        ("nnnnnn", r#"{"properties": {"a": {"items": [{}], "additionalItems": false}}}"#, "a: [1, 2]"),
        ("yyynnn", r#"{"properties": {"a": {"unevaluatedItems": false}}}"#, "a: [1]"),
        (
            "nnnnnn",
            r##"{"definitions": {"s": {"type": "string"}}, "properties": {"a": {"$ref": "#/definitions/s"}}}"##,
            "a: 1",
        ),
        (
            "nnnnnn",
            r##"{"$defs": {"s": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/s"}}}"##,
            "a: 1",
        ),
        (
            "yyynnn",
            r##"{"definitions": {"s": {}}, "properties": {"a": {"$ref": "#/definitions/s", "type": "string"}}}"##,
            "a: 1",
        ),
        (
            "nnnnnn",
            r##"{"definitions": {"s": {"$anchor": "x", "type": "string"}}, "properties": {"a": {"$ref": "#x"}}}"##,
            "a: 1",
        ),
        (
            "nnnnnn",
            r##"{"definitions": {"s": {"$id": "#x", "type": "string"}}, "properties": {"a": {"$ref": "#x"}}}"##,
            "a: 1",
        ),
        (
            "nnnnnn",
            r##"{"definitions": {"s": {"id": "#x", "type": "string"}}, "properties": {"a": {"$ref": "#x"}}}"##,
            "a: 1",
        ),
        ("nnnnnn", r#"{"properties": {"a": false}}"#, "a: 1"),
        ("nyyyyy", r#"{"properties": {"a": true}}"#, "a: 1"),
        ("nnnyyy", r#"{"properties": {"a": {"format": "email"}}}"#, "a: nobody"),
        ("nnnyyy", r#"{"properties": {"a": {"format": "ipv4"}}}"#, "a: 1.2.3.256"),
        ("nnnyyy", r#"{"properties": {"a": {"format": "uuid"}}}"#, "a: nobody"),
        ("nnnyyy", r#"{"properties": {"a": {"format": "uri"}}}"#, "a: nobody"),
        ("nnnyyy", r#"{"properties": {"a": {"format": "date-time"}}}"#, "a: nobody"),
        ("nnnyyy", r#"{"properties": {"a": {"format": "time"}}}"#, "a: nobody"),
        ("nnnyyy", r#"{"properties": {"a": {"format": "hostname"}}}"#, "a: \"-x\""),
        ("nnnyyy", r#"{"properties": {"a": {"format": "regex"}}}"#, "a: \"(\""),
        ("yyyyyy", r#"{"properties": {"a": {"format": "unheard"}}}"#, "a: x"),
        ("nnnnnn", r#"{"properties": {"a": {"pattern": "^\\d+$"}}}"#, "a: \"12x\""),
        ("nnnnnn", r#"{"properties": {"a": {"pattern": "("}}}"#, "b: 1"),
        ("yyyyyy", r#"{"properties": {"a": {"multipleOf": 0.01}}}"#, "a: 4.02"),
        ("nnnnnn", r#"{"properties": {"a": {"multipleOf": 0.1}}}"#, "a: 0.35"),
        ("yyyyyy", r#"{"properties": {"a": {"enum": [1]}}}"#, "a: 1.0"),
        ("nnnnnn", r#"{"properties": {"a": {"enum": ["1"]}}}"#, "a: 1"),
        ("yyyyyy", r#"{"properties": {"a": {"maxLength": 2}}}"#, "a: \"éé\""),
        ("nnnnnn", r#"{"properties": {"a": {"uniqueItems": true}}}"#, "a: [1, 1.0]"),
        ("yyyyyy", r#"{"properties": {"a": {"uniqueItems": true}}}"#, "a: [[1], [true]]"),
        (
            "nnnnnn",
            r#"{"patternProperties": {"^a": {"type": "string"}}, "additionalProperties": false}"#,
            "b: 1",
        ),
        ("nnnnnn", r#"{"minProperties": 2}"#, "a: 1"),
        ("nnnnnn", r#"{"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}"#, "a: 1\nb: 1"),
        ("yyyyyy", r#"{"anyOf": [{"required": ["c"]}, {"required": ["b"]}]}"#, "b: 1"),
        ("nnnnnn", r#"{"allOf": [{"required": ["c"]}, {"required": ["b"]}]}"#, "b: 1"),
        ("nnnnnn", r#"{"not": {"required": ["a"]}}"#, "a: 1"),
        ("nnnnnn", r#"{"properties": {"a": {"type": ["string", "null"]}}}"#, "a: 1"),
        ("nnnnnn", r#"{"required": ["a"]}"#, "a: null"),
        ("nyyyyy", r#"{"required": []}"#, "a: 1"),
        ("nnnnnn", r#"{"required": "a"}"#, "a: 1"),
        ("nnnnnn", r#"{"type": "nonsense"}"#, "a: 1"),
        ("nnnnnn", r##"{"properties": {"a": {"$ref": "#/definitions/none"}}}"##, "b: 1"),
        ("yyyyyy", r##"{"properties": {"a": {"$ref": "#"}}}"##, "a: {a: {b: 1}}"),
        (
            "yyynnn",
            r##"{"additionalProperties": {"$recursiveRef": "#"}, "$recursiveAnchor": true, "type": ["object", "string"]}"##,
            "a: {b: 1}",
        ),
        (
            "yyyynn",
            r##"{"$dynamicAnchor": "n", "additionalProperties": {"$dynamicRef": "#n"}, "type": ["object", "string"]}"##,
            "a: {b: 1}",
        ),
        ("nnnnnn", r#"{"properties": {"a": {"minLength": -1}}}"#, "b: 1"),
        ("yyyyyy", r#"{"properties": {"a": {"contentEncoding": "base64"}}}"#, "a: \"!!\""),
        ("nnnnnn", r#"{"properties": {"a": {"minimum": "1"}}}"#, "b: 1"),
    ] {
        let found: String = DRAFTS
            .iter()
            .map(|draft| {
                let schema = match draft {
                    &"" => schema.to_owned(),
                    draft => schema.replacen('{', &format!("{{\"$schema\": \"{draft}\", "), 1),
                };
                if verdict(&schema, values).is_ok() { 'y' } else { 'n' }
            })
            .collect();
        assert_eq!(found, verdicts, "{schema} {values}");
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
