//! What writes do to an object and its managers, seen through the doors a server uses.
#![expect(clippy::unwrap_used, reason = "a test fails where something is missing")]
#![expect(clippy::needless_pass_by_value, reason = "literals read better without a reference")]

mod apply;
mod kubectl;
mod laws;
mod object;
mod scale;
mod update;
