//! The Go type `common.Values`, which `.Values` and `.` have in templates, with the methods that charts can call.

use std::borrow::Cow;
use std::rc::Rc;

use gotmpl::functions::Context;
use gotmpl::value::types::{ANY, MAP_ANY, STRING};
use gotmpl::value::{Entries, GoType, Kind, Map, Method, Text, Type};
use gotmpl::{FunctionError, Value};
use goyaml::strconv::quote;

/// The Go type `common.Values`.
pub(super) const VALUES: Type = &TYPE;

static TYPE: GoType = GoType::named("common.Values", MAP_ANY).with_methods(METHODS);

static METHODS: &[Method] = &[
    Method::new("AsMap", &[], MAP_ANY, as_map),
    Method::new("Encode", &[WRITER], ANY, encode),
    Method::new("PathValue", &[STRING], ANY, path_value),
    Method::new("Table", &[STRING], &TYPE, table),
    Method::new("YAML", &[], STRING, yaml),
];

/// `io.Writer`: no value of a template is one, but for nil.
const WRITER: Type = {
    static TYPE: GoType = GoType::basic("io.Writer", Kind::Interface);
    &TYPE
};

#[expect(clippy::unnecessary_wraps, reason = "the signature of a method")]
fn as_map(_: &Context, values: &Value, _: &[Value]) -> Result<Value, FunctionError> {
    Ok(match values {
        Value::Map(map) if !map.is_empty() => Value::Map(Rc::new(map.converted_to(MAP_ANY))),
        _ => Value::Map(Rc::new(Map::any(Entries::default()))),
    })
}

fn encode(_: &Context, _: &Value, _: &[Value]) -> Result<Value, FunctionError> {
    Err(FunctionError::new("runtime error: invalid memory address or nil pointer dereference"))
}

fn yaml(_: &Context, values: &Value, _: &[Value]) -> Result<Value, FunctionError> {
    goyaml::to_string(values)
        .map(|text| text.as_str().into())
        .map_err(|error| FunctionError::new(error.to_string()))
}

fn table(_: &Context, values: &Value, args: &[Value]) -> Result<Value, FunctionError> {
    let path = text(args);
    Ok(Value::Map(Rc::new(descend(values, path.split('.'))?)))
}

fn path_value(_: &Context, values: &Value, args: &[Value]) -> Result<Value, FunctionError> {
    let path = text(args);
    if path.is_empty() {
        return Err(FunctionError::new("YAML path cannot be empty"));
    }
    let (tables, key) = path.rsplit_once('.').map_or((None, &*path), |(tables, key)| (Some(tables), key));
    descend(values, tables.into_iter().flat_map(|tables| tables.split('.')))
        .ok()
        .and_then(|holder| holder.get(key))
        .filter(|value| !is_table(value))
        .ok_or_else(|| FunctionError::new(format!("{} is not a value", quote(key))))
}

fn descend<'p>(values: &Value, mut path: impl Iterator<Item = &'p str>) -> Result<Map, FunctionError> {
    let none = |key: &str| FunctionError::new(format!("{} is not a table", quote(key)));
    let Value::Map(map) = values else { return Err(none("")) };
    path.try_fold(map.converted_to(VALUES), |holder, key| match holder.get(key) {
        Some(Value::Map(inner)) if inner.ty() == MAP_ANY || inner.ty() == VALUES => {
            Ok(inner.converted_to(VALUES))
        }
        _ => Err(none(key)),
    })
}

fn is_table(value: &Value) -> bool {
    matches!(value, Value::Map(map) if map.ty() == MAP_ANY)
}

fn text(args: &[Value]) -> Cow<'_, str> {
    args.first().and_then(Value::as_text).map(Text::to_str).unwrap_or_default()
}
