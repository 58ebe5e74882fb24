//! TOML, to and from, as the Go library `BurntSushi/toml` lays it out and reads it.

mod decode;
mod encode;
mod number;
mod scan;

use std::rc::Rc;

use super::Function;
use crate::value::types::{ANY, MAP_ANY, STRING};
use crate::value::{Entries, Text, Value};

pub(super) static TABLE: &[Function] = &[
    Function::new("toToml", &[ANY], STRING, |context, args| {
        context.room_for_all_of(args.value(0))?;
        match encode::encode(args.value(0)) {
            Err(encode::Refusal::Error(message)) => Ok(message.into()),
            encoded => Ok(Text::landed(&encoded?).into()),
        }
    })
    .deep(),
    Function::new("mustToToml", &[ANY], STRING, |context, args| {
        context.room_for_all_of(args.value(0))?;
        Ok(Text::landed(&encode::encode(args.value(0))?).into())
    })
    .deep(),
    Function::new("fromToml", &[STRING], MAP_ANY, |context, args| {
        Ok(utf8(args.bytes(0))
            .and_then(|text| decode::decode(text, context))
            .unwrap_or_else(|message| Value::map(Entries::from([(Rc::from("Error"), message.into())]))))
    })
    .deep(),
];

/// The text of a document; the library refuses the first byte that is no part of a character.
fn utf8(document: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(document).map_err(|error| {
        let (before, rest) = document.split_at(error.valid_up_to());
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        format!("toml: line {line}: invalid UTF-8 byte: {:#x}", rest[0])
    })
}
