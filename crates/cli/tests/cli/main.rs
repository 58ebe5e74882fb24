//! The command line from outside: whole transcripts, as a user sees them.

#![expect(clippy::unwrap_used, reason = "a test whose surroundings fail should fail")]

mod archives;
mod dock;
mod errors;
mod looking;
mod operator;
mod order;
mod ready;
mod releases;
mod repositories;
mod settings;
mod template;
mod transcript;
mod usage;
mod walk;
