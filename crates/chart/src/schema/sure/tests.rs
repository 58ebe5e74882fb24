//! What is decided here is what the validator decides, for schemas and values of all kinds.

use std::cell::Cell;

use gotmpl::value::Entries;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use crate::schema::compiled_problems;

fn value_of(json: &Json) -> Value {
    match json {
        Json::Null => Value::Nil,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Value::int64(number),
            (_, Some(number)) => Value::uint64(number),
            _ => Value::Float(number.as_f64().unwrap()),
        },
        Json::String(text) => text.as_str().into(),
        Json::Array(items) => Value::list(items.iter().map(value_of).collect()),
        Json::Object(entries) => {
            let entries: Entries =
                entries.iter().map(|(key, value)| (key.as_str().into(), value_of(value))).collect();
            Value::map(entries)
        }
    }
}

fn table(json: &Json) -> Table {
    match value_of(json) {
        Value::Map(map) => map,
        other => panic!("{} is no table", other.type_name()),
    }
}

/// What is decided, which must be what the validator says.
fn decided(schema: &Json, values: &Json) -> Option<bool> {
    let text = schema.to_string();
    let decision = decide(text.as_bytes(), &Value::Map(table(values)));
    if let Some(accepts) = decision {
        let problems = compiled_problems(text.as_bytes(), &table(values), None);
        assert_eq!(problems.is_empty(), accepts, "{schema} on {values}: {problems:?}");
    }
    decision
}

#[test]
fn usual_schemas_are_decided() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Values",
        "type": "object",
        "required": ["image"],
        "additionalProperties": false,
        "patternProperties": {"^x-": {}},
        "definitions": {
            "port": {"type": "integer", "minimum": 1, "maximum": 65535},
            "tree": {"type": "object", "additionalProperties": {"$ref": "#/definitions/tree"}},
        },
        "properties": {
            "image": {"type": "string", "minLength": 1, "pattern": "^[a-z]+(:[\\w.]+)?$"},
            "port": {"$ref": "#/definitions/port", "type": "string"},
            "tree": {"$ref": "#/definitions/tree"},
            "kind": {"enum": ["a", "b", null, 1]},
            "list": {"type": ["array", "null"], "items": {"anyOf": [{"const": 1}, {"type": "string"}]}},
            "either": {"oneOf": [{"type": "integer"}, {"type": "number", "exclusiveMaximum": 0.5}]},
            "conditional": {"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"not": {"type": "null"}}},
            "global": {"type": "object", "default": {}, "form": true, "x": [{"y": 1}]},
        },
    });
    for (values, expected) in [
        (json!({"image": "nginx"}), true),
        (json!({"image": "nginx:1.2", "port": 80, "x-more": [1]}), true),
        (json!({}), false),
        (json!({"image": "nginx", "port": 0}), false),
        (json!({"image": "nginx", "port": "80"}), false),
        (json!({"image": "nginx", "port": 80.0}), true),
        (json!({"image": "nginx", "port": 80.5}), false),
        (json!({"image": "nginx", "other": 1}), false),
        (json!({"image": "nginx", "tree": {"a": {"b": {}}}}), true),
        (json!({"image": "nginx", "tree": {"a": {"b": 1}}}), false),
        (json!({"image": "nginx", "kind": null, "list": [1, "a"]}), true),
        (json!({"image": "nginx", "kind": "c"}), false),
        (json!({"image": "nginx", "list": [2]}), false),
        (json!({"image": "nginx", "either": 1}), true),
        (json!({"image": "nginx", "either": 0.25}), true),
        (json!({"image": "nginx", "either": -1}), false),
        (json!({"image": "nginx", "conditional": "a"}), false),
        (json!({"image": "nginx", "conditional": 1}), true),
        (json!({"image": "NGINX"}), false),
    ] {
        assert_eq!(decided(&schema, &values), Some(expected), "{values}");
    }
}

#[test]
fn a_schema_may_have_an_address() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://example.com/values.schema.json",
        "$defs": {"a": {"type": "string"}},
        "properties": {"a": {"$ref": "#/$defs/a"}},
    });
    assert_eq!(decided(&schema, &json!({"a": "x"})), Some(true));
    assert_eq!(decided(&schema, &json!({"a": 1})), Some(false));
}

#[test]
fn what_is_not_known_for_sure_is_left_to_the_validator() {
    let values = json!({"a": "x", "b": 1, "c": [1, 1], "d": {"e": 1}});
    for schema in [
        json!({"type": "strin"}),
        json!({"properties": {"z": {"type": "strin"}}}),
        json!({"minimum": "1"}),
        json!({"required": "a"}),
        json!({"required": ["a", "a"]}),
        json!({"enum": []}),
        json!({"$schema": "http://json-schema.org/draft-04/schema#", "required": []}),
        json!({"$schema": "https://example.com/own"}),
        json!({"$id": "values.json", "type": "object"}),
        json!({"$id": "https://example.com/#", "type": "object"}),
        json!({"$id": "https://json-schema.org/draft/2020-12/schema", "type": "object"}),
        json!({"properties": {"a": {"$id": "https://example.com/a"}}}),
        json!({"$ref": "https://example.com/"}),
        json!({"$ref": "#/definitions/none"}),
        json!({"properties": {"z": {"$ref": "#/nowhere"}}}),
        json!({"$ref": "#"}),
        json!({"unevaluatedProperties": false}),
        json!({"properties": {"c": {"uniqueItems": true}}}),
        json!({"properties": {"a": {"pattern": "(?=x)"}}}),
        json!({"unknown": {"pattern": "("}}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"format": "uri"}}}),
        json!({"properties": {"c": {"items": [true]}}}),
        json!({"properties": {"b": {"multipleOf": 1}}}),
        json!([]),
        json!(1),
    ] {
        assert_eq!(decided(&schema, &values), None, "{schema}");
    }
    assert_eq!(decide(b"{\"type\": \"object\", \"type\": \"object\"}", &value_of(&values)), None);
    assert_eq!(decide(b"{", &value_of(&values)), None);
}

#[test]
fn numbers_that_are_not_exact_are_left_to_the_validator() {
    let schema = json!({"properties": {"a": {"maximum": 10}}}).to_string();
    let with = |value: Value| Value::map(Entries::from([("a".into(), value)]));
    for value in [Value::Float(1.0e300), Value::Float(f64::NAN), Value::Number("1".into())] {
        assert_eq!(decide(schema.as_bytes(), &with(value)), None);
    }
    assert_eq!(decide(schema.as_bytes(), &with(Value::uint64(u64::MAX))), Some(false));
    assert_eq!(decide(schema.as_bytes(), &with(Value::Float(9.5))), Some(true));
}

#[test]
fn alternatives_without_end_are_given_up() {
    let both = json!([{"$ref": "#/definitions/a"}, {"$ref": "#/definitions/a"}]);
    let schema = json!({"definitions": {"a": {"oneOf": both}}, "$ref": "#/definitions/a"}).to_string();
    assert_eq!(decide(schema.as_bytes(), &Value::map(Entries::new())), None);
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "pattern", "enum", "$ref", "é"]).prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Json> {
    prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (-2..4i64).prop_map(Json::from),
        prop::sample::select(vec![
            json!(0.5),
            json!(1.0),
            json!(2.5),
            json!(1e20),
            json!(u64::MAX),
            json!(-1e3)
        ]),
        prop::sample::select(vec!["", "a", "b", "ab", "1", "é", "a\nb", "string", "2000-01-01"])
            .prop_map(Json::from),
    ]
}

fn value() -> impl Strategy<Value = Json> {
    scalar().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::from),
            prop::collection::btree_map(name(), inner, 0..4)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

fn values() -> impl Strategy<Value = Json> {
    prop::collection::btree_map(name(), value(), 0..5).prop_map(|map| Json::Object(map.into_iter().collect()))
}

fn type_name() -> impl Strategy<Value = Json> {
    let names = vec!["array", "boolean", "integer", "null", "number", "object", "string", "object", "strin"];
    prop::sample::select(names).prop_map(Json::from)
}

fn pattern() -> impl Strategy<Value = Json> {
    let patterns = vec![
        "^a", "b$", "^[a-c]$", "^.$", r"^\w+$", r"\d", "a{1,2}", "(a|b)c?", "[^a]", "(?=a)", "(", r"\s",
        "^$", "", r"[\d-]", "a|", "^(a+)+$", "a{2", r"\.",
    ];
    prop::sample::select(patterns).prop_map(Json::from)
}

/// A keyword with what it takes most often, or with anything at all.
fn keyword(schema: BoxedStrategy<Json>) -> impl Strategy<Value = (String, Json)> {
    let keyed = |keys: &[&'static str], value: BoxedStrategy<Json>| {
        (prop::sample::select(keys.to_vec()), value).prop_map(|(key, value)| (key.to_owned(), value)).boxed()
    };
    let list = prop::collection::vec(schema.clone(), 0..3).prop_map(Json::from).boxed();
    let named = prop::collection::btree_map(name(), schema.clone(), 0..4)
        .prop_map(|map| Json::Object(map.into_iter().collect()))
        .boxed();
    let by_pattern = prop::collection::btree_map(
        pattern().prop_map(|pattern| pattern.as_str().unwrap().to_owned()),
        schema.clone(),
        0..3,
    )
    .prop_map(|map| Json::Object(map.into_iter().collect()))
    .boxed();
    let limit =
        prop_oneof![(-2..4i64).prop_map(Json::from), Just(json!(0.5)), Just(json!(2.0)), Just(json!("1"))]
            .boxed();
    let reference = prop::sample::select(vec![
        "#",
        "#/definitions/a",
        "#/$defs/a",
        "#/properties/a",
        "#/definitions/b",
        "#/properties/pattern",
        "#/enum/0",
        "#/definitions",
        "#/x/a",
        "other.json",
        "#a",
        "#/definitions/%61",
    ])
    .prop_map(Json::from)
    .boxed();
    let all: Vec<&'static str> = ALL_KEYWORDS.to_vec();
    prop_oneof![
        6 => keyed(&["type"], type_name().boxed()),
        1 => keyed(&["type"], prop::collection::vec(type_name(), 0..3).prop_map(Json::from).boxed()),
        6 => keyed(&["properties", "definitions", "$defs"], named.clone()),
        2 => keyed(&["patternProperties"], by_pattern),
        4 => keyed(&["items", "additionalProperties", "not", "if", "then", "else"], schema.clone()),
        1 => keyed(&["contains", "propertyNames", "additionalItems", "unevaluatedProperties"], schema.clone()),
        3 => keyed(&["allOf", "anyOf", "oneOf", "items", "prefixItems"], list),
        2 => keyed(&["required", "enum", "examples"], prop::collection::vec(scalar(), 0..3).prop_map(Json::from).boxed()),
        2 => keyed(&["required"], prop::collection::vec(name(), 0..3).prop_map(Json::from).boxed()),
        2 => keyed(&["const", "default"], value().boxed()),
        1 => keyed(&["enum"], prop::collection::vec(value(), 0..3).prop_map(Json::from).boxed()),
        3 => keyed(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength",
            "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"], limit),
        2 => keyed(&["pattern"], pattern().boxed()),
        2 => keyed(&["$ref"], reference),
        1 => keyed(&["format"], prop::sample::select(vec!["date", "uri", "semver", "uuid", "int32"]).prop_map(Json::from).boxed()),
        1 => keyed(&["uniqueItems", "deprecated", "readOnly"], any::<bool>().prop_map(Json::from).boxed()),
        1 => keyed(&["title", "description", "$comment"], Just(json!("a")).boxed()),
        1 => keyed(&["x", "form", "nullable"], schema),
        1 => keyed(&all, value().boxed()),
    ]
}

const ALL_KEYWORDS: &[&str] = &[
    "title",
    "description",
    "$comment",
    "format",
    "type",
    "properties",
    "definitions",
    "$defs",
    "patternProperties",
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "allOf",
    "anyOf",
    "oneOf",
    "required",
    "enum",
    "const",
    "default",
    "examples",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "uniqueItems",
    "readOnly",
    "writeOnly",
    "deprecated",
    "pattern",
    "$ref",
    "$schema",
    "$id",
    "id",
    "$anchor",
    "additionalItems",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "maxContains",
    "minContains",
    "multipleOf",
    "prefixItems",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$recursiveRef",
    "$recursiveAnchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$vocabulary",
    "discriminator",
    "nullable",
];

fn schema() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Json::from),
        3 => type_name().prop_map(|name| json!({"type": name})),
        1 => Just(json!({})),
    ]
    .boxed();
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop::collection::vec(keyword(inner.boxed()), 1..4)
            .prop_map(|entries| Json::Object(entries.into_iter().collect()))
    })
}

fn root() -> impl Strategy<Value = Json> {
    let drafts = prop::sample::select(vec![
        None,
        Some("http://json-schema.org/draft-04/schema#"),
        Some("http://json-schema.org/draft-06/schema#"),
        Some("http://json-schema.org/draft-07/schema#"),
        Some("http://json-schema.org/draft-07/schema"),
        Some("https://json-schema.org/draft/2019-09/schema"),
        Some("https://json-schema.org/draft/2020-12/schema"),
        Some("http://json-schema.org/schema#"),
    ]);
    let names = prop::sample::select(vec![
        None,
        None,
        Some("https://example.com/values.schema.json"),
        Some("http://example.com"),
        Some("https://example.com/a/"),
        Some("values.schema.json"),
        Some("https://example.com/a#b"),
        Some("urn:a"),
    ]);
    (drafts, names, prop::collection::vec(keyword(schema().boxed()), 1..5)).prop_map(
        |(draft, name, entries)| {
            let mut schema: serde_json::Map<String, Json> = entries.into_iter().collect();
            schema.extend(draft.map(|draft| ("$schema".to_owned(), draft.into())));
            schema.extend(name.map(|name| ("$id".to_owned(), name.into())));
            Json::Object(schema)
        },
    )
}

#[test]
fn decisions_are_those_of_the_validator() {
    let cases: u32 =
        std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(3000);
    let (accepted, refused) = (Cell::new(0), Cell::new(0));
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(cases));
    runner
        .run(&(root(), prop::collection::vec(values(), 4)), |(schema, values)| {
            for values in values {
                match decided(&schema, &values) {
                    Some(true) => accepted.set(accepted.get() + 1),
                    Some(false) => refused.set(refused.get() + 1),
                    None => {}
                }
            }
            Ok(())
        })
        .unwrap();
    // Otherwise the cases would show nothing.
    assert!(accepted.get() > cases / 10, "{} accepted of {cases}", accepted.get());
    assert!(refused.get() > cases / 10, "{} refused of {cases}", refused.get());
}
