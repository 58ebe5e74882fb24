//! Measures wall time and peak memory of both tools over the same charts, start-up included.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a report is printed")]

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde_json::json;

use crate::case::Case;
use crate::measure::{self, Cost};
use crate::parity::{self, Tools};
use crate::run::{Exit, Tool};

/// What to measure, and how to tell it.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Directories that hold charts
    #[arg(required = true)]
    directories: Vec<PathBuf>,
    #[command(flatten)]
    tools: Tools,
    /// Runs of each tool on each chart; the fastest counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// The tools take turns, instead of one making its runs in a row: each begins with what the other has left in the
    /// caches of the processor
    #[arg(long)]
    in_turns: bool,
    /// Measure only charts whose repository or path contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

struct Measured {
    label: String,
    helm: Cost,
    slipway: Cost,
}

impl Measured {
    fn ratio(&self) -> f64 {
        ratio(self.helm.wall, self.slipway.wall)
    }

    fn memory(&self) -> f64 {
        self.slipway.peak as f64 / self.helm.peak as f64
    }
}

/// Charts on which Helm takes longer than this are the heavy ones.
const HEAVY: Duration = Duration::from_millis(200);

/// Measures every chart that both render with its default values.
pub(crate) fn main(arguments: &Arguments) -> io::Result<ExitCode> {
    let (helm, slipway) = arguments.tools.open()?;
    let (mut cases, _) = parity::cases(&arguments.directories, &arguments.tools.cache())?;
    cases.retain(|case| case.values.is_none());
    if let Some(text) = &arguments.only {
        cases.retain(|case| case.label().contains(text));
    }
    let runs = arguments.runs.max(1);
    let (turns, runs) = if arguments.in_turns { (runs, 1) } else { (1, runs) };
    let mut measured = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        measured.extend(one(case, &helm, &slipway, turns, runs)?);
        if (index + 1).is_multiple_of(50) {
            eprintln!("{} of {}", index + 1, cases.len());
        }
    }
    if measured.is_empty() {
        return Err(io::Error::other("no chart that both tools render"));
    }
    if arguments.json {
        println!("{:#}", as_json(&measured));
    } else {
        print(&measured);
    }
    Ok(ExitCode::SUCCESS)
}

/// Both tools follow each other on the same chart, so that a busy moment of the machine hits both.
fn one(case: &Case, helm: &Tool, slipway: &Tool, turns: usize, runs: usize) -> io::Result<Option<Measured>> {
    let arguments = case.arguments();
    let rendered = slipway.run(&arguments)?;
    if rendered.exit != Exit::Accepted || parity::objects(&rendered.stdout) == 0 {
        return Ok(None);
    }
    let mut best: Option<(Cost, Cost)> = None;
    for _ in 0..turns {
        let (Some(helm), Some(slipway)) =
            (measure::cost(helm, &arguments, runs)?, measure::cost(slipway, &arguments, runs)?)
        else {
            return Ok(None);
        };
        best = Some(best.map_or((helm, slipway), |(a, b)| (least(a, helm), least(b, slipway))));
    }
    Ok(best.map(|(helm, slipway)| Measured { label: case.label(), helm, slipway }))
}

fn least(a: Cost, b: Cost) -> Cost {
    Cost { wall: a.wall.min(b.wall), processor: a.processor.min(b.processor), peak: a.peak.min(b.peak) }
}

fn ratio(helm: Duration, slipway: Duration) -> f64 {
    helm.as_secs_f64() / slipway.as_secs_f64()
}

fn total(measured: &[Measured], of: impl Fn(&Measured) -> Duration) -> Duration {
    measured.iter().map(of).sum()
}

/// The heavy charts, the one with the least advantage first.
fn heavy(measured: &[Measured]) -> Vec<&Measured> {
    let mut heavy: Vec<_> = measured.iter().filter(|one| one.helm.wall > HEAVY).collect();
    heavy.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    heavy
}

/// Slipway's greatest share of Helm's peak memory on one chart.
fn worst_memory(measured: &[Measured]) -> f64 {
    measured.iter().map(Measured::memory).fold(0.0, f64::max)
}

fn mean_memory(measured: &[Measured]) -> f64 {
    let sum = |of: fn(&Measured) -> u64| measured.iter().map(of).sum::<u64>() as f64;
    sum(|one| one.slipway.peak) / sum(|one| one.helm.peak)
}

fn print(measured: &[Measured]) {
    println!(
        "{:>9} {:>9} {:>6} {:>8} {:>8} {:>6}  chart",
        "Helm", "Slipway", "ratio", "Helm", "Slipway", "share"
    );
    let mut by_ratio: Vec<_> = measured.iter().collect();
    by_ratio.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    for one in by_ratio {
        println!("{}", line(one));
    }
    println!("\n{} charts, the fastest of several runs each", measured.len());
    let (helm, slipway) = (total(measured, |one| one.helm.wall), total(measured, |one| one.slipway.wall));
    println!(
        "wall time  {:.2} s, {:.2} s: {:.1} times faster",
        helm.as_secs_f64(),
        slipway.as_secs_f64(),
        ratio(helm, slipway)
    );
    let (helm, slipway) =
        (total(measured, |one| one.helm.processor), total(measured, |one| one.slipway.processor));
    println!(
        "processor  {:.2} s, {:.2} s: {:.1} times less",
        helm.as_secs_f64(),
        slipway.as_secs_f64(),
        ratio(helm, slipway)
    );
    println!(
        "peak memory  {:.3} of Helm's in all, at worst {:.3}",
        mean_memory(measured),
        worst_memory(measured)
    );
    let heavy = heavy(measured);
    println!(
        "\nof {} charts on which Helm takes more than {} ms, the least advantage:",
        heavy.len(),
        HEAVY.as_millis()
    );
    for one in heavy.iter().take(10) {
        println!("{}", line(one));
    }
}

fn line(one: &Measured) -> String {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    format!(
        "{:>6.1} ms {:>6.1} ms {:>6.1} {:>5} MB {:>5} MB {:>6.3}  {}",
        milliseconds(one.helm.wall),
        milliseconds(one.slipway.wall),
        one.ratio(),
        one.helm.peak / 1024,
        one.slipway.peak / 1024,
        one.memory(),
        one.label
    )
}

fn as_json(measured: &[Measured]) -> serde_json::Value {
    let cost = |cost: &Cost| {
        json!({
            "wall_us": cost.wall.as_micros() as u64,
            "processor_us": cost.processor.as_micros() as u64,
            "peak_kib": cost.peak,
        })
    };
    json!({
        "charts": measured
            .iter()
            .map(|one| json!({ "chart": one.label, "helm": cost(&one.helm), "slipway": cost(&one.slipway) }))
            .collect::<Vec<_>>(),
        "total": {
            "charts": measured.len(),
            "wall_ratio": ratio(total(measured, |one| one.helm.wall), total(measured, |one| one.slipway.wall)),
            "processor_ratio":
                ratio(total(measured, |one| one.helm.processor), total(measured, |one| one.slipway.processor)),
            "memory_share": mean_memory(measured),
            "memory_share_worst": worst_memory(measured),
        },
        "heavy": {
            "charts": heavy(measured).len(),
            "least_ratio": heavy(measured).first().map(|one| one.ratio()),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(label: &str, helm: u64, slipway: u64) -> Measured {
        let cost = |wall, peak| Cost {
            wall: Duration::from_millis(wall),
            processor: Duration::from_millis(wall),
            peak,
        };
        Measured { label: label.into(), helm: cost(helm, 80_000), slipway: cost(slipway, 8_000) }
    }

    #[test]
    fn the_heavy_chart_with_the_least_advantage_comes_first() {
        let all = [measured("light", 100, 50), measured("heavy", 300, 10), measured("worst", 400, 40)];
        let json = as_json(&all);
        assert_eq!(json["heavy"], json!({ "charts": 2, "least_ratio": 10.0 }));
        assert_eq!(json["total"]["wall_ratio"], json!(8.0));
        assert_eq!(json["total"]["memory_share"], json!(0.1));
    }
}
