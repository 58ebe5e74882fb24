//! The command line from outside: whole transcripts, as a user sees them.

mod transcript;
mod usage;
