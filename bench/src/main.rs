//! Compares Slipway with its peers: output, time and memory.
//!
//! `bench parity DIR…` renders every chart below the directories with Helm and with Slipway and says
//! how the two outputs compare; `bench template DIR…` measures what the same renderings cost. `bench plan` measures
//! planning over generated sets, and needs neither charts nor Helm. `bench dock` puts the embedded cluster beside a real
//! control plane. `bench release` deploys on one, beside Helm and beside a bare client. `bench operator` gives the operator
//! thousands of Bundles.
//!
//! The first two start from the same list of cases. [`charts`] finds the charts of a tree, [`requirements`] and
//! [`fill`] complete the ones whose dependencies are not vendored from their neighbours in the tree, and
//! [`case`] pairs each chart with its default values and with every file in its `ci/` directory. [`run`]
//! starts a tool so that it can neither reach the network nor see the user's configuration, and bounds its time.
//!
//! The `parity` modules hold what is asked of the outputs: `parity::verdict` compares them,
//! `parity::mask` sets aside what Helm itself writes differently each time (passwords, certificates,
//! dates), `parity::remember` keeps Helm's answers on disk, so that a second run only costs Slipway's time, and
//! `parity::report` tells and records the result. Charts are found by scanning lines and never by Slipway's own
//! code: what is judged has no part in choosing the cases.

mod at_once;
mod case;
mod charts;
mod dock;
mod fill;
mod measure;
mod operator;
mod parity;
mod planning;
mod release;
mod requirements;
mod run;
mod template;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Renders every chart with Helm and Slipway and compares the outputs
    Parity(parity::Arguments),
    /// Measures wall time and peak memory of both over the same charts
    Template(template::Arguments),
    /// Measures planning over sets of growing size
    Plan(planning::Arguments),
    /// Measures the embedded cluster beside a real kube-apiserver
    Dock(dock::Arguments),
    /// Measures releases on a real control plane, beside Helm and a bare client
    Release(release::Arguments),
    /// Measures the operator with thousands of Bundles on the dock
    Operator(operator::Arguments),
    /// Runs one command and prints what it cost (used by `template`)
    #[command(hide = true)]
    Measure(measure::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Parity(arguments) => parity::main(&arguments),
        Command::Template(arguments) => template::main(&arguments),
        Command::Plan(arguments) => planning::main(&arguments),
        Command::Dock(arguments) => dock::main(&arguments),
        Command::Release(arguments) => release::main(&arguments),
        Command::Operator(arguments) => operator::main(&arguments),
        Command::Measure(arguments) => measure::main(&arguments),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "a command line tells its user why it failed")]
            {
                eprintln!("error: {error}");
            }
            ExitCode::from(2)
        }
    }
}
