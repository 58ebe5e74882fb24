//! TOML, to and from, as the Go library `BurntSushi/toml` lays it out and reads it.

mod encode;

use super::Function;
use crate::value::types::{ANY, STRING};

pub(super) static TABLE: &[Function] = &[
    Function::new("toToml", &[ANY], STRING, |_, args| match encode::encode(args.value(0)) {
        Err(encode::Refusal::Error(message)) => Ok(message.into()),
        encoded => Ok(encoded?.into()),
    }),
    Function::new("mustToToml", &[ANY], STRING, |_, args| Ok(encode::encode(args.value(0))?.into())),
];
