//! URLs, taken apart into a dictionary and put together from one.

mod escape;
mod parse;

use std::rc::Rc;

use parse::Url;

use super::lists::NIL_POINTER;
use super::{Args, Context, Function, FunctionError};
use crate::value::types::{MAP_ANY, STRING};
use crate::value::{Entries, Map, Text, Value};

type Result = std::result::Result<Value, FunctionError>;

pub(super) static TABLE: &[Function] = &[
    Function::new("urlParse", &[STRING], MAP_ANY, url_parse),
    Function::new("urlJoin", &[MAP_ANY], STRING, url_join),
];

fn url_parse(_: &Context, args: Args<'_>) -> Result {
    let url = Url::parse(args.bytes(0))
        .map_err(|error| FunctionError::new(format!("unable to parse url: {error}")))?;
    let hostname = url.hostname().to_vec();
    let userinfo = url.user.as_ref().map(parse::User::printed).unwrap_or_default();
    let entries: Entries = [
        ("scheme", url.scheme),
        ("host", url.host),
        ("hostname", hostname),
        ("path", url.path),
        ("query", url.query),
        ("opaque", url.opaque),
        ("fragment", url.fragment),
        ("userinfo", userinfo),
    ]
    .into_iter()
    .map(|(key, bytes)| (Rc::from(key), Text::from_bytes(bytes).into()))
    .collect();
    Ok(entries.into())
}

/// A string in a dictionary; nothing if it is missing.
fn string_at(map: &Map, key: &str) -> std::result::Result<Vec<u8>, FunctionError> {
    match map.get(key) {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(text.as_bytes().to_vec()),
        Some(Value::Number(text)) => Ok(text.as_bytes().to_vec()),
        Some(Value::Nil) => Err(FunctionError::new(NIL_POINTER)),
        Some(other) => Err(FunctionError::new(format!(
            "unable to parse {key} key, must be of type string, but {} found",
            other.kind().name()
        ))),
    }
}

fn url_join(_: &Context, args: Args<'_>) -> Result {
    let map = args.map(0);
    let mut url = Url {
        scheme: string_at(&map, "scheme")?,
        host: string_at(&map, "host")?,
        path: string_at(&map, "path")?,
        query: string_at(&map, "query")?,
        opaque: string_at(&map, "opaque")?,
        fragment: string_at(&map, "fragment")?,
        user: None,
    };
    let userinfo = string_at(&map, "userinfo")?;
    if !userinfo.is_empty() {
        let proto = [b"proto://", userinfo.as_slice(), b"@host"].concat();
        let parsed = Url::parse(&proto)
            .map_err(|error| FunctionError::new(format!("unable to parse userinfo in dict: {error}")))?;
        url.user = parsed.user;
    }
    Ok(Text::from_bytes(url.printed()).into())
}
