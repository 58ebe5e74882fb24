//! Measures planning over sets of growing size: time, memory, and how both grow.
#![expect(clippy::print_stdout, reason = "a report is printed")]

mod cost;
mod plot;
mod set;

use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use clap::Args;
use nix::sys::resource::{UsageWho, getrusage};
use objects::Source;
use plan::explain::{self, View};
use plan::input::{ChartTree, Inventory, Live, Order, Policy, Wanted, Written};
use plan::{ChartIndex, Operation, Plan, Request};

use cost::Cost;
use set::{PER_LAYER, Random, document};

/// Which sizes to measure.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Numbers of objects; a hundred share a layer, and each declares ten needs
    #[arg(default_values_t = [1_000, 10_000, 100_000])]
    objects: Vec<u32>,
    /// Runs of each size; the fastest counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Draw the times into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Plan one set in this process and print what it cost (used for each size)
    #[arg(long, hide = true)]
    once: bool,
}

/// Measures each size in processes of its own, so that one's memory is not another's.
pub(crate) fn main(arguments: &Arguments) -> io::Result<ExitCode> {
    if arguments.once {
        let objects = arguments.objects.first().copied().unwrap_or_default();
        println!("{}", run(objects).map_err(io::Error::other)?.line());
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}", cost::heading());
    let mut costs = Vec::new();
    for objects in &arguments.objects {
        let mut best: Option<Cost> = None;
        for _ in 0..arguments.runs.max(1) {
            let mut command = Command::new(std::env::current_exe()?);
            let output = command.args(["plan", "--once", &objects.to_string()]).output()?;
            let line = String::from_utf8_lossy(&output.stdout);
            let Some(cost) = Cost::parse(&line).filter(|_| output.status.success()) else {
                return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
            };
            best = Some(match best {
                Some(best) if best.total() <= cost.total() => best,
                _ => cost,
            });
        }
        if let Some(cost) = best {
            println!("{}", cost.row(*objects));
            costs.push(cost);
        }
    }
    println!("\n{}", plot::growth(&costs));
    if let Some(path) = &arguments.svg {
        std::fs::write(path, plot::svg(&costs))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn run(objects: u32) -> Result<Cost, Box<dyn std::error::Error + Send + Sync>> {
    let mut declarations = 0;
    let mut random = Random(u64::from(objects) + 1);
    let mut sources = Vec::new();
    let mut texts = Vec::new();
    for number in 0..objects {
        let mut text = String::new();
        declarations += document(number, &mut random, &mut text);
        sources.push(Source::new(format!("large/templates/{}.yaml", number / PER_LAYER)));
        texts.push(text);
    }
    let lines = (0..objects).map(|number| 1 + 20 * (number % PER_LAYER));
    let documents: Vec<_> = sources
        .iter()
        .zip(lines)
        .map(|(source, line)| Written { chart: ChartIndex(0), source, line })
        .zip(texts.iter().map(String::as_str))
        .collect();
    let start = Instant::now();
    let mut builder = Wanted::builder(ChartTree::single("large"), "default");
    builder.manifests(&documents)?;
    let wanted = builder.finish();
    let read = start.elapsed();
    drop(documents);
    drop((sources, texts));
    let read_peak = peak()?;
    let policy = Policy { order: Order::Ordered, ..Policy::default() };
    let (empty, unknown) = (Inventory::default(), Live::unknown());
    let mut request = Request {
        operation: Operation::Install,
        wanted: &wanted,
        stored: &empty,
        policy: &policy,
        live: &unknown,
        now: jiff::Timestamp::UNIX_EPOCH,
    };
    let (installed, install) = timed(&request)?;
    let plan_peak = peak()?;
    let (steps, edges) = (installed.steps.len() as u64, installed.edges.len() as u64);

    // What `dag` and `plan` print, from the plan to the last byte.
    let start = Instant::now();
    let mut bytes = 0;
    explain::text(&View::new(&installed, "large"), None, &mut |_, piece| bytes += piece.len());
    let text_time = start.elapsed();
    let start = Instant::now();
    let json = goyaml::json::to_string(&View::new(&installed, "large"))?;
    let json_time = start.elapsed();
    drop(json);
    let output_peak = peak()?;

    // What `--save` writes.
    let start = Instant::now();
    let saved = goyaml::json::to_string(&installed)?;
    let save = start.elapsed();
    drop(saved);

    let stored = installed.intent;
    request.operation = Operation::Uninstall;
    request.stored = &stored;
    let (_, uninstall) = timed(&request)?;
    Ok(Cost {
        declarations,
        steps,
        edges,
        read,
        install,
        uninstall,
        text: text_time,
        json: json_time,
        save,
        read_peak,
        plan_peak,
        output_peak,
    })
}

fn timed(request: &Request<'_>) -> Result<(Plan, Duration), plan::PlanErrors> {
    let start = Instant::now();
    let plan = plan::plan(request)?;
    Ok((plan, start.elapsed()))
}

/// The most memory this process ever had, in KiB.
fn peak() -> io::Result<u64> {
    Ok(getrusage(UsageWho::RUSAGE_SELF)?.max_rss() as u64)
}
