//! The command line from outside: whole transcripts, as a user sees them.

#![expect(clippy::unwrap_used, reason = "a test whose surroundings fail should fail")]

mod archives;
mod catalog;
mod dock;
mod errors;
mod force;
mod kubeconfig;
mod leftovers;
mod looking;
mod operator;
mod order;
mod ready;
mod rehearse;
mod releases;
mod repositories;
mod sets;
mod settings;
mod stage;
mod template;
mod transcript;
mod usage;
mod walk;
