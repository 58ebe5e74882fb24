use serde_json::json;

use super::*;

fn said(schema: &Value, value: &Value) -> Vec<String> {
    check(value, &Props::read(schema), &Path::default()).iter().map(ToString::to_string).collect()
}

#[test]
fn values_are_checked() {
    let cases: [(Value, Value, &[&str]); 12] = [
        (
            json!({"properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}),
            json!({"spec": {"size": "x"}}),
            &["spec.size: Invalid value: \"string\": spec.size in body must be of type integer: \"string\""],
        ),
        (json!({"type": "object", "required": ["spec"]}), json!({}), &["spec: Required value"]),
        (
            json!({"properties": {"a": {"type": "string", "enum": ["x", "y"]}}}),
            json!({"a": "z"}),
            &["a: Unsupported value: \"z\": supported values: \"x\", \"y\""],
        ),
        (
            json!({"properties": {"a": {"type": "integer", "minimum": 2, "maximum": 5}}}),
            json!({"a": 1}),
            &["a: Invalid value: 1: a in body should be greater than or equal to 2"],
        ),
        (
            json!({"properties": {"a": {"type": "number", "maximum": 2.5, "exclusiveMaximum": true}}}),
            json!({"a": 2.5}),
            &["a: Invalid value: 2.5: a in body should be less than 2.5"],
        ),
        (
            json!({"properties": {"a": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 3}}}),
            json!({"a": "A"}),
            &["a: Invalid value: \"A\": a in body should match '^[a-z]+$'"],
        ),
        (
            json!({"properties": {"a": {"type": "string", "maxLength": 3}}}),
            json!({"a": "abcd"}),
            &["a: Too long: may not be more than 3 bytes"],
        ),
        (
            json!({"properties": {"a": {"type": "array", "items": {"type": "string"}, "maxItems": 1}}}),
            json!({"a": ["b", 1]}),
            &[
                "a[1]: Invalid value: \"integer\": a[1] in body must be of type string: \"integer\"",
                "a: Too many: 2: must have at most 1 item",
            ],
        ),
        (
            json!({"properties": {"a": {"x-kubernetes-int-or-string": true}}}),
            json!({"a": true}),
            &["a: Invalid value: \"boolean\": a in body must be of type integer,string: \"boolean\""],
        ),
        (
            json!({"properties": {"a": {"type": "integer", "oneOf": [{"minimum": 1}, {"maximum": 5}]}}}),
            json!({"a": 3}),
            &[
                "<nil>: Invalid value: \"\": \"a\" must validate one and only one schema (oneOf). Found 2 valid alternatives",
            ],
        ),
        (
            json!({"properties": {"a": {"type": "string", "format": "date"}}}),
            json!({"a": "2020-02-30"}),
            &["a: Invalid value: \"2020-02-30\": a in body must be of type date: \"2020-02-30\""],
        ),
        (
            json!({"properties": {"a": {"type": "integer"}}}),
            json!({"a": null}),
            &["a: Invalid value: \"null\": a in body must be of type integer: \"null\""],
        ),
    ];
    for (schema, value, expected) in cases {
        assert_eq!(said(&schema, &value), expected, "{schema} {value}");
    }
}

#[test]
fn what_did_not_change_is_tolerated() {
    let schema = Props::read(&json!({"type": "object", "properties": {
        "a": {"type": "integer", "maximum": 5}, "b": {"type": "integer", "maximum": 5},
        "c": {"type": "integer", "allOf": [{"maximum": 5}]}}}));
    let old = json!({"a": 9, "b": 1, "c": 9});
    let new = json!({"a": 9, "b": 9, "c": 9});
    let errors = check_update(&Correlated::new(&new, &old, &schema), &schema, &Path::default());
    assert_eq!(
        errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["b: Invalid value: 9: b in body should be less than or equal to 5"]
    );
}

#[test]
fn choices_are_compared_as_go_converts() {
    assert!(chosen(&json!(1), &json!(1.0)));
    assert!(chosen(&json!(1.5), &json!(1)));
    assert!(chosen(&json!(97), &json!("a")));
    assert!(!chosen(&json!("a"), &json!(97)));
    assert!(!chosen(&json!(null), &json!(null)));
}
