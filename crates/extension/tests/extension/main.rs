//! What the reconciler does for an actuator, and what force deletion is: on the dock, and, but for what needs a clock
//! that can be turned, on a real control plane.

#![expect(clippy::unwrap_used, reason = "a test whose surroundings fail should fail")]

mod fountain;
mod stage;

mod force_deletion;
mod generic_actuators;
mod hand_over;
mod operations;
mod outside;
mod restraint;
mod third_party;
mod timers;
mod writes;
