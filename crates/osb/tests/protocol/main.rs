//! The client against brokers: every row of the specification's tables, and what is on the wire.

mod asked;
mod open;
mod rows;
mod scripted;
mod wire;
