//! Expressions and what Kubernetes 1.36 answers to them: the value, or the words of the refusal.
//!
//! `answers.txt` has an expression in one line, and in the next at which stage it ends (`compile`, `program`, `eval`,
//! or with a `value`) and with what. The answers were recorded from the server's own libraries.

#![recursion_limit = "256"]

use cel::{Activation, CompileError, Env, Program, Schema, Type, Value};
use serde_json::{Value as Json, json};

fn schema() -> Json {
    let port = json!({"type": "object", "properties": {
        "port": {"type": "integer"}, "proto": {"type": "string"}, "name": {"type": "string"},
    }});
    let text = || json!({"type": "string"});
    json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {
            "replicas": {"type": "integer"}, "minReplicas": {"type": "integer"}, "name": text(),
            "ratio": {"type": "number"}, "on": {"type": "boolean"},
            "when": {"type": "string", "format": "date-time"}, "day": {"type": "string", "format": "date"},
            "wait": {"type": "string", "format": "duration"}, "data": {"type": "string", "format": "byte"},
            "port": {"x-kubernetes-int-or-string": true}, "maybe": {"type": "string", "nullable": true},
            "tags": {"type": "array", "items": text(), "x-kubernetes-list-type": "set"},
            "nums": {"type": "array", "items": {"type": "integer"}},
            "ports": {
                "type": "array", "items": port, "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["port", "proto"],
            },
            "others": {"type": "array", "items": port},
            "labels": {"type": "object", "additionalProperties": text()},
            "any": {"x-kubernetes-preserve-unknown-fields": true},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            "tmpl": {
                "type": "object", "x-kubernetes-embedded-resource": true,
                "x-kubernetes-preserve-unknown-fields": true,
            },
            "namespace": text(), "a.b": text(), "c-d": text(), "e/f": text(), "x__y": text(),
            "deep": {"type": "object", "additionalProperties": {"type": "array", "items": {
                "type": "object",
                "properties": {"k": text(), "v": {"type": "array", "items": {"type": "integer"}}},
            }}},
        }},
        "status": {"type": "object", "properties": {
            "ready": {"type": "boolean"}, "count": {"type": "integer"},
        }},
    }})
}

fn resource() -> Json {
    json!({
        "apiVersion": "v1", "kind": "Foo", "metadata": {"name": "n", "generateName": "g"},
        "spec": {
            "replicas": 3, "minReplicas": 1, "name": "hello", "ratio": 2.5, "on": true,
            "when": "2021-02-03T04:05:06Z", "day": "2021-02-03", "wait": "1h30m", "data": "aGVsbG8=", "port": 8080,
            "maybe": null, "tags": ["a", "b"], "nums": [3, 1, 2],
            "ports": [{"port": 80, "proto": "TCP", "name": "http"}, {"port": 53, "proto": "UDP"}],
            "others": [{"port": 53, "proto": "UDP"}, {"port": 80, "proto": "TCP", "name": "http"}],
            "labels": {"app": "x", "a.b/c": "y"}, "any": {"q": 1}, "free": {"z": [1, 2]},
            "tmpl": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "t"}, "spec": {}},
            "namespace": "ns", "a.b": "dot", "c-d": "dash", "e/f": "slash", "x__y": "under",
            "deep": {"one": [{"k": "a", "v": [1, 2]}, {"k": "b", "v": []}]},
        },
        "status": {"ready": true},
    })
}

fn untyped() -> Json {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {
            "name": "d", "namespace": "ns", "labels": {"app": "web"}, "annotations": {"k.io/x": "1"},
        },
        "spec": {"replicas": 5, "f": 1.5, "nil": null, "template": {"spec": {"containers": [
            {"name": "c1", "image": "nginx:1.2", "resources": {"limits": {"cpu": "500m", "memory": "1Gi"}}},
            {"name": "c2", "image": "busybox"},
        ]}}},
    })
}

/// A value with its type, so that no two values look alike.
fn shown(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(truth) => truth.to_string(),
        Value::Double(number) => format!("double:{}", Value::Double(*number)),
        Value::Bytes(bytes) => {
            let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("bytes:{}", hex.concat())
        }
        Value::Timestamp(moment) => format!("timestamp:{moment}"),
        Value::Duration(span) => format!("duration:{}", span.0),
        Value::Optional(Some(value)) => format!("optional({})", shown(value)),
        Value::Optional(None) => "none".into(),
        Value::Map(map) => {
            let entry = |key: &Value<'_>| match map.get(key) {
                Ok(Some(value)) => Some(format!("{}=>{}", shown(key), shown(&value))),
                Ok(None) => None,
                Err(error) => Some(format!("{}=>error:{error}", shown(key))),
            };
            let mut entries: Vec<String> = map.keys().iter().filter_map(entry).collect();
            entries.sort();
            format!("{{{}}}", entries.join(", "))
        }
        Value::List(list) => {
            let items: Vec<String> = list.iter().map(|item| shown(&item.expect("an item"))).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Ip(address) => format!("ip:{address}"),
        Value::Cidr(range) => format!("cidr:{range}"),
        Value::Url(url) => format!("url:{url}"),
        Value::Semver(version) => format!("semver:{version}"),
        Value::Int(_) | Value::Uint(_) | Value::String(_) | Value::Type(_) => {
            format!("{}:{value}", value.type_name())
        }
        other => other.type_name().to_owned(),
    }
}

#[test]
fn kubernetes_answers_the_same() {
    let schema = Schema::from_open_api(&schema()).into_resource();
    let mut env = Env::new().with_variable("object", Type::Dyn);
    let of = schema.declare(&mut env, "selfType").unwrap();
    let env = env.with_variable("self", of);
    let (resource, untyped) = (resource(), untyped());
    let mut activation = Activation::new();
    activation.bind_json("self", &resource, Some(&schema));
    activation.bind_json("object", &untyped, None);
    let mut lines = include_str!("answers.txt").lines();
    let mut wrong = Vec::new();
    while let (Some(expression), Some(answer)) = (lines.next(), lines.next()) {
        let (stage, text) = answer.trim_start().split_once(' ').unwrap();
        let text: String = serde_json::from_str(text).unwrap();
        let ours = match Program::compile(expression, &env) {
            Err(CompileError::Invalid(errors)) => ("compile", errors.to_string()),
            Err(error) => {
                ("program", error.to_string().trim_start_matches("program instantiation failed: ").to_owned())
            }
            Ok(program) => match program.evaluate(&activation) {
                Ok(value) => ("value", shown(&value)),
                Err(error) => ("eval", error.to_string()),
            },
        };
        if ours != (stage, text.clone()) {
            wrong.push(format!("{expression}\n  theirs: {stage} {text}\n  ours:   {} {}", ours.0, ours.1));
        }
    }
    assert!(wrong.is_empty(), "{} answers differ:\n{}", wrong.len(), wrong.join("\n"));
}
