//! Runs one command by a process of its own, several times in a row, and prints what it cost.
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
    /// How often; the fastest run counts
    #[arg(long, default_value_t = 1)]
    runs: usize,
    #[arg(trailing_var_arg = true, required = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

/// What a run cost.
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
    let (mut wall, mut processor) = (Duration::MAX, i64::MAX);
    let mut before = processor_of_children()?;
    for _ in 0..arguments.runs {
        let start = Instant::now();
        let status = command.status()?;
        wall = wall.min(start.elapsed());
        if !status.success() {
            return Ok(ExitCode::FAILURE);
        }
        let after = processor_of_children()?;
        processor = processor.min(after - before);
        before = after;
    }
    #[expect(clippy::print_stdout, reason = "the parent process reads this line")]
    {
        println!("{} {} {}", wall.as_micros(), processor, getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss());
    }
    Ok(ExitCode::SUCCESS)
}

fn processor_of_children() -> io::Result<i64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    Ok(usage.user_time().num_microseconds() + usage.system_time().num_microseconds())
}

/// Measures the fastest of several runs of `tool` in a row; nothing if one fails.
pub(crate) fn cost(tool: &Tool, arguments: &[String], runs: usize) -> io::Result<Option<Cost>> {
    let mut command = Command::new(std::env::current_exe()?);
    tool.isolate(&mut command);
    command.arg("measure").arg("--runs").arg(runs.to_string());
    read_cost(command, tool.program(), arguments)
}

/// Measures one run of a program by `parent`, this program in an environment of its own; nothing if it fails.
pub(crate) fn cost_of(mut parent: Command, program: &Path, arguments: &[String]) -> io::Result<Option<Cost>> {
    parent.arg("measure");
    read_cost(parent, program, arguments)
}

fn read_cost(mut parent: Command, program: &Path, arguments: &[String]) -> io::Result<Option<Cost>> {
    let output = parent.arg("--").arg(program).args(arguments).output()?;
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
