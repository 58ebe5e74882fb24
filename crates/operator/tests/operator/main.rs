//! The operator as a process: who leads, what it answers, what admission refuses.

#![expect(clippy::unwrap_used, reason = "a test whose surroundings fail should fail")]

mod stage;

mod countdowns;
mod fixed;
mod identities;
mod leaders;
mod policies;
mod privileges;
mod probes;
