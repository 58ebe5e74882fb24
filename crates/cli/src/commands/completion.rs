//! `slipway completion`: scripts that make shells complete commands and flags.

use std::io::Write as _;

use clap::{Args, CommandFactory, Subcommand};
use clap_complete::{Shell, generate};

use crate::arguments;
use crate::context::Context;
use crate::report::{Failure, accepts_none};

/// Print a completion script for a shell
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    shell: ShellCommand,
}

#[derive(Subcommand, Debug)]
enum ShellCommand {
    /// Print the completion script for bash
    #[command(after_help = "\
Examples:
  # Complete in this session
  source <(slipway completion bash)

  # Complete in every session
  slipway completion bash > /etc/bash_completion.d/slipway")]
    Bash(Options),
    /// Print the completion script for zsh
    #[command(after_help = "\
Examples:
  # Complete in this session
  source <(slipway completion zsh)

  # Complete in every session
  slipway completion zsh > \"${fpath[1]}/_slipway\"")]
    Zsh(Options),
    /// Print the completion script for fish
    #[command(after_help = "\
Examples:
  # Complete in every session
  slipway completion fish > ~/.config/fish/completions/slipway.fish")]
    Fish(Options),
    /// Print the completion script for PowerShell
    #[command(after_help = "\
Examples:
  # Complete in this session; add the line to your profile for every session
  slipway completion powershell | Out-String | Invoke-Expression")]
    Powershell(Options),
}

#[derive(Args, Debug)]
struct Options {
    /// Accepted as Helm does; whether descriptions are shown is the shell's choice
    #[arg(long, hide = true)]
    no_descriptions: bool,

    #[arg(hide = true)]
    unexpected: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    let (shell, options, usage) = match &arguments.shell {
        ShellCommand::Bash(options) => (Shell::Bash, options, "slipway completion bash [flags]"),
        ShellCommand::Zsh(options) => (Shell::Zsh, options, "slipway completion zsh [flags]"),
        ShellCommand::Fish(options) => (Shell::Fish, options, "slipway completion fish [flags]"),
        ShellCommand::Powershell(options) => {
            (Shell::PowerShell, options, "slipway completion powershell [flags]")
        }
    };
    accepts_none(&options.unexpected, usage)?;
    // The generator panics when its writer fails, so it writes to memory.
    let mut script = Vec::new();
    generate(shell, &mut arguments::Arguments::command(), "slipway", &mut script);
    context.out.write_all(&script)?;
    Ok(())
}
