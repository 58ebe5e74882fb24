//! Numbers and quoted strings as Go's `strconv` formats and parses them.

mod float;
mod hex;
mod number;
mod quote;

pub use float::format_float;
pub use number::{NumError, NumErrorReason, atoi, parse_bool, parse_float, parse_int, parse_uint};
pub(crate) use number::{int_value, uint_value};
pub use quote::{
    can_backquote, is_print, quote, quote_bytes, quote_rune, quote_rune_to_ascii, quote_to_ascii, unquote,
    unquote_bytes,
};
