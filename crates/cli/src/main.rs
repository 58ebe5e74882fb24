//! The binary `slipway`.
//!
//! A run goes through four stations, each a module of its own:
//!
//! 1. [`arguments`] is the whole command line as one tree of types: the global flags
//!    and one variant per command. Help, completions and man pages are drawn from it.
//!    [`go_flags`] lets that tree read what scripts written for Helm pass: `--flag=false`,
//!    a value that starts with a dash, the same flag twice.
//! 2. [`settings`] adds the environment (`HELM_*`, the kubeconfig) to the global flags.
//! 3. [`commands`] holds one file per command. A command gets its own flags and a
//!    [`Context`](context::Context), asks the library crates to do the work, and writes what
//!    they return to the one buffered standard output ([`output`]).
//! 4. [`report`] turns what went wrong into what a person reads: Helm's own first line,
//!    a piece of the file that is at fault, and a hint. It also decides the exit code.
//!
//! The commands that ask a cluster find it in [`cluster`]: that of a kubeconfig, or the embedded one.
//!
//! Where a command needs both a chart and an order, [`planning`] hands what `chart` rendered to `plan`; neither
//! of the two knows the other.
//!
//! The libraries never print, and nothing here computes: if a rule about charts is to be
//! found, it is in the `chart` crate. Groups of flags that several commands share are in
//! [`flags`]. The asynchronous runtime and TLS are only set up by commands that need the
//! network ([`network`]), so that the others start in about a millisecond.

#![expect(clippy::struct_excessive_bools, reason = "a flag of the command line is a bool")]
#![expect(
    clippy::doc_markdown,
    reason = "comments on flags are what --help prints, where backticks are noise"
)]

mod arguments;
mod cluster;
mod commands;
mod context;
mod flags;
mod go_flags;
mod loading;
mod network;
mod operation;
mod output;
mod outside;
mod planning;
mod prompt;
mod rehearsal;
mod report;
mod settings;

use std::process::ExitCode;

/// Rendering allocates small things by the million; this allocator takes half as long for each.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The stack of the whole run. How much of the first one may be used is not told by every system, and templates that
/// cannot know it take another at each step down.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    let arguments = match arguments::read(std::env::args_os()) {
        Ok(arguments) => arguments,
        Err(stop) => return stop.report(),
    };
    match stacker::grow(STACK, || commands::run(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
