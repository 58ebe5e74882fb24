//! `.Files`: the chart's other files, as templates read them.
#![expect(clippy::unnecessary_wraps, reason = "the signature of a method")]

use std::collections::BTreeMap;
use std::rc::Rc;

use base64::Engine as _;
use bytes::Bytes;
use gotmpl::FunctionError;
use gotmpl::Value;
use gotmpl::functions::Context;
use gotmpl::value::types::{BYTES, LIST_STRING, MAP_BYTES, STRING};
use gotmpl::value::{Entries, GoType, Method, Text};

use crate::File;
use crate::glob::Glob;
use crate::path::base;

/// The Go type `engine.files`, a map from path to bytes.
static FILES: GoType = GoType::named("engine.files", MAP_BYTES).with_methods(&METHODS);

static METHODS: [Method; 6] = [
    Method::new("AsConfig", &[], STRING, as_config),
    Method::new("AsSecrets", &[], STRING, as_secrets),
    Method::new("Get", &[STRING], STRING, get),
    Method::new("GetBytes", &[STRING], BYTES, get_bytes),
    Method::new("Glob", &[STRING], &FILES, glob),
    Method::new("Lines", &[STRING], LIST_STRING, lines),
];

/// The files as a value.
pub(super) fn files(files: &[File]) -> Value {
    let entries = files
        .iter()
        .map(|file| (Rc::from(file.name.as_str()), Value::Bytes(Rc::new(file.data.clone().into()))));
    Value::map_of(&FILES, entries.collect())
}

type Answer = Result<Value, FunctionError>;

fn contents(files: &Value, args: &[Value]) -> Bytes {
    let file = match (files, args.first().and_then(Value::as_text)) {
        (Value::Map(files), Some(name)) => files.get(&name.to_str()),
        _ => None,
    };
    match file {
        Some(Value::Bytes(bytes)) => Bytes::clone(&bytes),
        _ => Bytes::new(),
    }
}

fn get(_: &Context, files: &Value, args: &[Value]) -> Answer {
    Ok(Value::String(Text::from_bytes(contents(files, args).to_vec())))
}

fn get_bytes(_: &Context, files: &Value, args: &[Value]) -> Answer {
    Ok(Value::Bytes(Rc::new(contents(files, args).into())))
}

fn lines(_: &Context, files: &Value, args: &[Value]) -> Answer {
    let bytes = contents(files, args);
    if bytes.is_empty() {
        return Ok(Value::strings::<&str>([]));
    }
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    Ok(Value::strings(bytes.split(|byte| *byte == b'\n').map(Text::from_bytes)))
}

/// A pattern that is broken matches everything.
fn glob(_: &Context, files: &Value, args: &[Value]) -> Answer {
    let pattern = args.first().and_then(Value::as_text).map(|pattern| pattern.to_str().into_owned());
    let pattern = Glob::parse(&pattern.unwrap_or_default());
    let mut matched = Entries::new();
    if let Value::Map(files) = files {
        for (name, contents) in files.borrow().iter() {
            if pattern.as_ref().is_none_or(|pattern| pattern.matches(name)) {
                matched.insert(Rc::clone(name), contents.clone());
            }
        }
    }
    Ok(Value::map_of(&FILES, matched))
}

fn as_config(_: &Context, files: &Value, _: &[Value]) -> Answer {
    Ok(by_base_name(files, |bytes| goyaml::text_of(bytes).into_owned()))
}

fn as_secrets(_: &Context, files: &Value, _: &[Value]) -> Answer {
    Ok(by_base_name(files, |bytes| base64::engine::general_purpose::STANDARD.encode(bytes)))
}

/// The files as YAML, each under the last part of its path.
fn by_base_name(files: &Value, text: impl Fn(&[u8]) -> String) -> Value {
    let mut named = BTreeMap::new();
    if let Value::Map(files) = files {
        for (name, contents) in files.borrow().iter() {
            if let Value::Bytes(bytes) = contents {
                named.insert(base(name).to_owned(), text(bytes));
            }
        }
    }
    let yaml = goyaml::to_string(&named).unwrap_or_default();
    yaml.strip_suffix('\n').unwrap_or(&yaml).into()
}
