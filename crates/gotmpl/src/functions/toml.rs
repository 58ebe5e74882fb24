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
        Ok(decode::decode(args.bytes(0), context)
            .unwrap_or_else(|message| Value::map(Entries::from([(Rc::from("Error"), message.into())]))))
    })
    .deep(),
];
