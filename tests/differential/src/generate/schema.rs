//! Values and JSON schemas, of all drafts that charts use.

use std::io;

use super::named;
use crate::choices::Choices;
use crate::oracle::{Oracle, Question};
use crate::suite::Generated;

/// What a run over all schemas must have asked for.
pub fn features(_: &mut Oracle) -> io::Result<Vec<String>> {
    let mut wanted = named(&["anyOf", "allOf", "oneOf", "not"]);
    wanted.extend(KEYWORDS.iter().map(|(keyword, _)| (*keyword).to_owned()));
    Ok(wanted)
}

/// A schema and values to be checked against it.
pub fn schema(choices: &mut Choices<'_>) -> Generated {
    let mut features = Vec::new();
    let draft = choices.pick(&[
        "",
        "\"$schema\":\"http://json-schema.org/draft-07/schema#\",",
        "\"$schema\":\"http://json-schema.org/draft-07/schema\",",
        "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",",
        "\"$schema\":\"https://json-schema.org/draft/2019-09/schema\",",
        "\"$schema\":\"http://json-schema.org/draft-06/schema#\",",
        "\"$schema\":\"http://json-schema.org/draft-04/schema#\",",
        "\"$schema\":\"http://json-schema.org/schema#\",",
    ]);
    let extra = choices.pick(&[
        "",
        ",\"required\":[\"a\"]",
        ",\"additionalProperties\":false",
        ",\"patternProperties\":{\"^x\":{\"type\":\"integer\"}}",
        ",\"minProperties\":2",
        ",\"dependentRequired\":{\"a\":[\"b\"]}",
        ",\"dependencies\":{\"a\":[\"b\"]}",
        ",\"if\":{\"required\":[\"a\"]},\"then\":{\"required\":[\"b\"]},\"else\":{\"required\":[\"x1\"]}",
        ",\"unevaluatedProperties\":false",
        ",\"propertyNames\":{\"maxLength\":1}",
        ",\"definitions\":{\"d\":{\"type\":\"string\"}},\"$defs\":{\"d\":{\"type\":\"number\"}}",
    ]);
    let (a, b) = (node(choices, &mut features, 0), node(choices, &mut features, 0));
    let schema = format!("{{{draft}\"type\":\"object\",\"properties\":{{\"a\":{a},\"b\":{b}}}{extra}}}");
    let mut values = String::new();
    for key in ["a", "b", "x1"] {
        if choices.chance(2, 3) {
            values.push_str(&format!("{key}: {}\n", choices.pick(VALUES)));
        }
    }
    Generated { question: Question::Schema { schema, values }, features }
}

const VALUES: &[&str] = &[
    "1",
    "text",
    "1.5",
    "1.0",
    "true",
    "null",
    "[]",
    "[1, 2]",
    "[1, 1]",
    "[a, b]",
    "{}",
    "{c: 1}",
    "{c: x}",
    "-1",
    "0",
    "100",
    "12345678901",
    "''",
    "abc@example.com",
    "2020-01-02",
    "'2020-01-02T03:04:05Z'",
    "http://x/y",
    "'/rel'",
    "10.0.0.1",
    "aé",
    "'1'",
    "[[1], {}]",
    "{c: {d: 1}}",
    "1e3",
    "'^('",
];

const KEYWORDS: &[(&str, &[&str])] = &[
    (
        "type",
        &[
            "\"string\"",
            "\"integer\"",
            "\"number\"",
            "\"boolean\"",
            "\"null\"",
            "\"array\"",
            "\"object\"",
            "[\"string\",\"null\"]",
            "[\"integer\",\"string\"]",
            "\"any\"",
        ],
    ),
    ("enum", &["[1,\"text\",null]", "[]", "[true]", "[[1,2],{\"c\":1}]", "[1.0]"]),
    ("const", &["1", "\"text\"", "null", "{\"c\":1}", "1.0"]),
    ("minimum", &["1", "0.5", "\"1\""]),
    ("maximum", &["1", "50"]),
    ("exclusiveMinimum", &["1", "true"]),
    ("multipleOf", &["2", "0.5", "0"]),
    ("minLength", &["1", "3", "-1"]),
    ("maxLength", &["0", "2"]),
    ("pattern", &["\"^[a-z]+$\"", "\"\\\\d\"", "\"(\"", "\"^(?!x)\""]),
    (
        "format",
        &[
            "\"email\"",
            "\"date\"",
            "\"date-time\"",
            "\"uri\"",
            "\"ipv4\"",
            "\"regex\"",
            "\"unknown\"",
            "\"hostname\"",
        ],
    ),
    ("minItems", &["1", "3"]),
    ("maxItems", &["1"]),
    ("uniqueItems", &["true", "false"]),
    ("required", &["[\"c\"]", "[]"]),
    ("additionalProperties", &["false", "{\"type\":\"string\"}"]),
    ("properties", &["{\"c\":{\"type\":\"integer\"}}", "{\"c\":false}"]),
    ("items", &["{\"type\":\"integer\"}", "[{\"type\":\"integer\"}]", "false"]),
    ("contains", &["{\"const\":1}"]),
    ("$ref", &["\"#/definitions/d\"", "\"#/$defs/d\"", "\"#\"", "\"#/none\""]),
    ("default", &["1"]),
    ("description", &["\"words\"", "1"]),
];

fn node(choices: &mut Choices<'_>, features: &mut Vec<&'static str>, depth: usize) -> String {
    if depth < 2 && choices.chance(1, 4) {
        let word = choices.pick(&["anyOf", "allOf", "oneOf"]);
        features.push(word);
        let (first, second) = (node(choices, features, depth + 1), node(choices, features, depth + 1));
        return format!("{{\"{word}\":[{first},{second}]}}");
    }
    if depth < 2 && choices.chance(1, 10) {
        features.push("not");
        return format!("{{\"not\":{}}}", node(choices, features, depth + 1));
    }
    let mut members: Vec<String> = Vec::new();
    for _ in 0..=choices.below(3) {
        let (keyword, alternatives) = choices.pick(KEYWORDS);
        if members.iter().any(|member| member.starts_with(&format!("\"{keyword}\""))) {
            continue;
        }
        features.push(keyword);
        members.push(format!("\"{keyword}\":{}", choices.pick(alternatives)));
    }
    format!("{{{}}}", members.join(","))
}
