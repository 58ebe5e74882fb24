//! Runs one command in a process of its own and prints what it cost.
//!
//! The kernel tells the peak memory of all children of a process together, so each measured command gets a
//! parent that has no other child.

use std::io;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::run::Tool;

/// The command to run.
#[derive(Args)]
pub(crate) struct Arguments {
    #[arg(trailing_var_arg = true, required = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

/// What one run cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cost {
    /// From start to end.
    pub(crate) wall: Duration,
    /// In user and kernel mode.
    pub(crate) processor: Duration,
    /// Peak resident memory, in KiB.
    pub(crate) peak: u64,
}

/// Runs the command and prints its [`Cost`] in microseconds and KiB.
pub(crate) fn main(arguments: &Arguments) -> io::Result<ExitCode> {
    let [program, rest @ ..] = arguments.command.as_slice() else { return Ok(ExitCode::from(2)) };
    let mut command = Command::new(program);
    command.args(rest).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status()?;
    let wall = start.elapsed();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let processor = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    #[expect(clippy::print_stdout, reason = "the parent process reads this line")]
    {
        println!("{} {} {}", wall.as_micros(), processor, usage.max_rss());
    }
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Measures one run of `tool`; nothing if it fails.
pub(crate) fn cost(tool: &Tool, arguments: &[String]) -> io::Result<Option<Cost>> {
    let mut command = Command::new(std::env::current_exe()?);
    tool.isolate(&mut command);
    cost_of(command, tool.program(), arguments)
}

/// Measures one run of a program by `parent`, this program in an environment of its own; nothing if it fails.
pub(crate) fn cost_of(mut parent: Command, program: &Path, arguments: &[String]) -> io::Result<Option<Cost>> {
    let output = parent.arg("measure").arg("--").arg(program).args(arguments).output()?;
    if !output.status.success() {
        return Ok(None);
    }
    Ok(parse(&String::from_utf8_lossy(&output.stdout)))
}

fn parse(line: &str) -> Option<Cost> {
    let mut numbers = line.split_whitespace().map(|number| number.parse::<u64>().ok());
    Some(Cost {
        wall: Duration::from_micros(numbers.next()??),
        processor: Duration::from_micros(numbers.next()??),
        peak: numbers.next()??,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_read_back() {
        let cost = Cost { wall: Duration::from_millis(2), processor: Duration::from_micros(7), peak: 4096 };
        assert_eq!(parse("2000 7 4096\n"), Some(cost));
        assert_eq!(parse("2000 7"), None);
    }
}
