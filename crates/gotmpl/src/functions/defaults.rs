//! Defaults, emptiness and choice.

use super::Function;
use crate::value::Value;
use crate::value::types::{ANY, BOOL};

pub(super) static TABLE: &[Function] = &[
    Function::variadic("default", &[ANY, ANY], ANY, |_, args| {
        let given = args.value(1);
        Ok(if given.truth() { given.clone() } else { args.value(0).clone() })
    }),
    Function::new("empty", &[ANY], BOOL, |_, args| Ok((!args.value(0).truth()).into())),
    Function::variadic("coalesce", &[ANY], ANY, |_, args| {
        Ok(args.rest(0).iter().find(|value| value.truth()).cloned().unwrap_or_default())
    }),
    Function::variadic("all", &[ANY], BOOL, |_, args| Ok(args.rest(0).iter().all(Value::truth).into())),
    Function::variadic("any", &[ANY], BOOL, |_, args| Ok(args.rest(0).iter().any(Value::truth).into())),
    Function::new("ternary", &[ANY, ANY, BOOL], ANY, |_, args| {
        Ok(args.value(usize::from(!args.bool(2))).clone())
    }),
];
