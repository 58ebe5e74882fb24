//! Single values that Go reads and writes in ways of their own.

mod base64;
mod quantity;
mod time;

pub(crate) use base64::{decode as decode_base64, encode as encode_base64};
pub use quantity::{Quantity, QuantityError};
pub use time::{Moment, TimeError};
