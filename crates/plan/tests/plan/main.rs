//! What the planner promises, by subject.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::struct_excessive_bools,
    reason = "a test may fail loudly, laws show what they were tried on, and generated worlds have many switches"
)]

mod deletion;
mod explain;
mod family;
mod hoisting;
mod hooks;
mod laws;
mod layers;
mod refusals;
mod saved;
mod scenario;
mod seeds;
mod soft_deletes;
mod subcharts;
mod waiting;
mod world;
