//! Types and kinds of values.

use super::Function;
use crate::value::types::{ANY, BOOL, STRING};

pub(super) static TABLE: &[Function] = &[
    Function::new("typeOf", &[ANY], STRING, |_, args| Ok(args.value(0).type_name().into())),
    Function::new("typeIs", &[STRING, ANY], BOOL, |_, args| {
        Ok((args.str(0) == args.value(1).type_name()).into())
    }),
    Function::new("typeIsLike", &[STRING, ANY], BOOL, |_, args| {
        let (wanted, name) = (args.str(0), args.value(1).type_name());
        Ok((wanted == name || name.strip_prefix('*') == Some(&wanted)).into())
    }),
    Function::new("kindOf", &[ANY], STRING, |_, args| Ok(args.value(0).kind().name().into())),
    Function::new("kindIs", &[STRING, ANY], BOOL, |_, args| {
        Ok((args.str(0) == args.value(1).kind().name()).into())
    }),
    Function::new("deepEqual", &[ANY, ANY], BOOL, |_, args| {
        Ok(args.value(0).deep_equal(args.value(1)).into())
    }),
];
