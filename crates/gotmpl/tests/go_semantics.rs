//! Templates of every kind against what Go's `text/template` prints and says for them. Each line of the table
//! is a template with its result, one for all or one for each way to treat missing keys.

use std::rc::Rc;

use gotmpl::functions::durations::duration_value;
use gotmpl::functions::{Args, Context, Function, Functions};
use gotmpl::value::types::{
    ANY, BOOL, BYTES, FLOAT64, INT, INT64, JSON_NUMBER, LIST_ANY, LIST_STRING, MAP_ANY, MAP_STRING, STRING,
    UINT8, UINT64,
};
use gotmpl::value::{List, Map};
use gotmpl::{FunctionError, MissingKey, Options, TemplateSet, Value, fmt};
use goyaml::{Mapping, Value as Tree};

type Outcome = Result<Value, FunctionError>;

/// Functions whose parameters are of all the types that Go checks.
static FUNCTIONS: &[Function] = &[
    Function::new("i64", &[INT], INT64, |_, args| -> Outcome { Ok(Value::int64(args.int(0))) }),
    Function::new("u8", &[INT], UINT8, |_, args| -> Outcome {
        Ok(Value::Uint(UINT8, u64::from(args.int(0) as u8)))
    }),
    Function::new("u64", &[INT], UINT64, |_, args| -> Outcome { Ok(Value::uint64(args.int(0) as u64)) }),
    Function::variadic("strs", &[STRING], LIST_STRING, |_, args| -> Outcome {
        Ok(Value::List(Rc::new(List::new(LIST_STRING, args.rest(0).to_vec()))))
    }),
    Function::new("smap", &[STRING, STRING], MAP_STRING, |_, args| -> Outcome {
        Ok(Value::Map(Rc::new(Map::strings([(Rc::from(args.str(0)), args.value(1).clone())].into()))))
    }),
    Function::new("num", &[STRING], JSON_NUMBER, |_, args| -> Outcome {
        Ok(Value::Number(Rc::from(args.str(0))))
    }),
    Function::new("bytes", &[STRING], BYTES, |_, args| -> Outcome {
        Ok(Value::Bytes(Rc::new(args.bytes(0).to_vec().into())))
    }),
    Function::new("dur", &[INT], INT64, |_, args| -> Outcome { Ok(duration_value(args.int(0))) }),
    Function::new("wantstr", &[STRING], STRING, |_, args| -> Outcome {
        Ok(format!("s:{}", args.str(0)).into())
    }),
    Function::new("wantint", &[INT], INT, |_, args| -> Outcome { Ok(Value::int(args.int(0) + 1)) }),
    Function::new("wantu8", &[UINT8], UINT8, want_u8),
    Function::new("wantfloat", &[FLOAT64], FLOAT64, |_, args| -> Outcome {
        Ok(Value::Float(args.float(0) + 0.5))
    }),
    Function::new("wantbool", &[BOOL], BOOL, |_, args| -> Outcome { Ok(Value::Bool(!args.bool(0))) }),
    Function::new("wantmap", &[MAP_ANY], INT, |_, args| -> Outcome {
        Ok(Value::int(args.map(0).len() as i64))
    }),
    Function::new("wantlist", &[LIST_ANY], INT, |_, args| -> Outcome {
        Ok(Value::int(args.list(0).len() as i64))
    }),
    Function::variadic("vstr", &[STRING], STRING, |_, args| -> Outcome { Ok(joined(args.rest(0)).into()) }),
    Function::variadic("fixvar", &[INT, STRING], STRING, |_, args| -> Outcome {
        Ok(fmt::sprint(&[args.value(0).clone(), joined(args.rest(1)).into()]).into())
    }),
    Function::new("anyval", &[ANY], ANY, |_, args| -> Outcome { Ok(args.value(0).clone()) }),
    Function::new("noargs", &[], ANY, |_, _| -> Outcome {
        let inner = Value::map([("b".into(), Value::int(1))].into());
        Ok(Value::map([("a".into(), inner)].into()))
    }),
    Function::new("boom", &[STRING], STRING, |_, args| -> Outcome {
        Err(FunctionError::new(format!("boom {}", args.str(0))))
    }),
    Function::new("nilmap", &[], MAP_ANY, |_, _| -> Outcome { Ok(MAP_ANY.zero()) }),
    Function::new("nillist", &[], LIST_ANY, |_, _| -> Outcome { Ok(LIST_ANY.zero()) }),
    Function::new("nilany", &[], ANY, |_, _| -> Outcome { Ok(Value::Nil) }),
    Function::new("typ", &[ANY], STRING, |_, args| -> Outcome { Ok(args.value(0).type_name().into()) }),
];

#[expect(clippy::unnecessary_wraps, reason = "the table asks for it")]
fn want_u8(_: &Context, args: Args<'_>) -> Outcome {
    Ok(match args.value(0) {
        Value::Uint(ty, number) => Value::Uint(ty, u64::from((*number as u8).wrapping_add(1))),
        _ => Value::Nil,
    })
}

fn joined(values: &[Value]) -> String {
    values.iter().map(|value| fmt::to_text(value).to_string()).collect::<Vec<_>>().join(",")
}

fn run(template: &str, data: &Value, missing_key: MissingKey) -> (String, String) {
    let mut functions = Functions::builtin();
    functions.add(FUNCTIONS);
    let mut set = TemplateSet::new(functions, Options { missing_key, ..Options::default() });
    let mut out = String::new();
    let result = set
        .add("d.tpl", r#"{{define "d"}}<{{.}}>{{end}}"#)
        .and_then(|()| set.add("main", template))
        .and_then(|()| set.execute("main", data, &mut out));
    (out, result.err().map(|error| error.to_string()).unwrap_or_default())
}

fn text(row: &Mapping, key: &str) -> String {
    match row.get(key) {
        Some(Tree::String(text)) => text.clone(),
        _ => String::new(),
    }
}

fn mapping(line: &str) -> Mapping {
    match goyaml::json::from_str(line) {
        Ok(Tree::Mapping(row)) => row,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn every_template_does_what_it_does_in_go() {
    let mut lines = include_str!("go_semantics.jsonl").lines();
    let data = Value::from(mapping(lines.next().unwrap())["data"].clone().numbers_as_float64());
    let mut wrong = Vec::new();
    for line in lines {
        let row = mapping(line);
        let template = text(&row, "template");
        for (name, mode) in
            [("default", MissingKey::Default), ("zero", MissingKey::Zero), ("error", MissingKey::Error)]
        {
            let Some(Tree::Mapping(expected)) = row.get(name).or(row.get("any")) else { panic!("{line}") };
            let expected = (text(expected, "prints"), text(expected, "fails"));
            let found = run(&template, &data, mode);
            if found != expected {
                wrong.push(format!("{template} ({name})\n  go   {expected:?}\n  here {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
