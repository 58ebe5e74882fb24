//! The network, as far as the environment allows.

use super::Function;
use crate::value::types::STRING;

pub(super) static TABLE: &[Function] =
    &[Function::new("getHostByName", &[STRING], STRING, |context, args| {
        Ok(context.environment.host_address(&args.str(0)).into())
    })];
