//! Renders every case with both tools and says how the outputs compare.

mod against;
mod mask;
mod remember;
mod report;
mod verdict;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use clap::Args;

use crate::case::Case;
use crate::charts::{self, Charts};
use crate::fill::{self, Incomplete};
use crate::run::{Exit, Outcome, Tool};

use remember::Memory;
use verdict::Verdict;

pub(crate) use verdict::objects;

/// What to compare, and what to write down.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Directories that hold charts
    #[arg(required = true)]
    directories: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) tools: Tools,
    /// Cases rendered at the same time
    #[arg(long, default_value_t = 2)]
    workers: usize,
    /// Render only cases whose repository, chart or values file contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Write repository, commit, chart, arguments, verdict and hash of every case to this file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write the outputs of cases that differ to this directory
    #[arg(long, value_name = "DIR")]
    diff: Option<PathBuf>,
    /// A second Helm: list where it renders differently from the first
    #[arg(long, value_name = "HELM")]
    against: Option<PathBuf>,
    /// Fail if fewer charts than this render at least one object
    #[arg(long, value_name = "N", default_value_t = 0)]
    at_least: usize,
}

/// Where the tools are.
#[derive(Args)]
pub(crate) struct Tools {
    /// Helm, the reference
    #[arg(long, env = "HELM", value_name = "HELM")]
    helm: PathBuf,
    /// Slipway, the judged
    #[arg(long, env = "SLIPWAY", value_name = "SLIPWAY", default_value = "target/dist/slipway")]
    slipway: PathBuf,
    /// Filled charts and Helm's answers are kept here
    #[arg(long, env = "SLIPWAY_PARITY_CACHE", value_name = "DIR")]
    cache: Option<PathBuf>,
}

impl Tools {
    /// The directory for what is kept between runs.
    pub(crate) fn cache(&self) -> PathBuf {
        self.cache.clone().unwrap_or_else(|| std::env::temp_dir().join("slipway-parity"))
    }

    /// Helm, Slipway.
    pub(crate) fn open(&self) -> io::Result<(Tool, Tool)> {
        let home = self.cache().join("home");
        let open = |path: &Path| {
            Tool::new(path, &home).map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
        };
        Ok((open(&self.helm)?, open(&self.slipway)?))
    }
}

/// A case with what both tools made of it.
pub(crate) struct Judged {
    case: Case,
    verdict: Verdict,
    objects: usize,
    helm: Outcome,
    slipway: Outcome,
    other_helm: Option<Outcome>,
}

/// Charts that were not rendered, and why.
#[derive(Default)]
pub(crate) struct Skipped {
    /// A dependency that no neighbour has.
    pub(crate) incomplete: Vec<String>,
    /// Files that could not be read.
    pub(crate) unreadable: Vec<String>,
}

/// Completes the charts below `directories` and lists their cases.
pub(crate) fn cases(directories: &[PathBuf], cache: &Path) -> io::Result<(Vec<Case>, Skipped)> {
    let charts = Charts::below(directories)?;
    let mut cases = Vec::new();
    let mut skipped = Skipped::default();
    for chart in &charts.found {
        match fill::complete(chart, &charts, &cache.join("charts")) {
            Ok(complete) => cases.extend(Case::all(chart, &complete)),
            Err(Incomplete::Missing(name)) => {
                skipped.incomplete.push(format!("{} needs {name}", chart.path.display()));
            }
            Err(Incomplete::Unreadable(error)) => {
                skipped.unreadable.push(format!("{}: {error}", chart.path.display()));
            }
        }
    }
    Ok((cases, skipped))
}

/// Runs the comparison; succeeds if nothing differs.
pub(crate) fn main(arguments: &Arguments) -> io::Result<ExitCode> {
    let cache = arguments.tools.cache();
    let (helm, slipway) = arguments.tools.open()?;
    let other = arguments.against.as_deref().map(|path| Tool::new(path, &cache.join("home"))).transpose()?;
    let start = Instant::now();
    let (mut cases, skipped) = cases(&arguments.directories, &cache)?;
    if let Some(text) = &arguments.only {
        cases.retain(|case| case.label().contains(text));
    }
    let judge = Judge {
        helm: Memory::of(helm, &cache)?,
        other: other.map(|other| Memory::of(other, &cache)).transpose()?,
        slipway,
    };
    let judged = judge.all(&cases, arguments.workers.max(1))?;
    if let Some(directory) = &arguments.diff {
        report::write_outputs(&judged, directory)?;
    }
    if let Some(file) = &arguments.record {
        report::record(&judged, file)?;
    }
    let summary = report::summary(&judged, &skipped);
    report::print(&judged, &summary, start.elapsed());
    if let Some(path) = &arguments.against {
        against::print(&judged, path);
    }
    let passed = summary.failures() == 0 && summary.charts >= arguments.at_least;
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Judge {
    helm: Memory,
    other: Option<Memory>,
    slipway: Tool,
}

impl Judge {
    fn all(&self, cases: &[Case], workers: usize) -> io::Result<Vec<Judged>> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(cases.len()));
        let failure = Mutex::new(None);
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(case) = cases.get(index) else { break };
                        match self.one(case) {
                            Ok(judged) => lock(&done).push((index, judged)),
                            Err(error) => {
                                *lock(&failure) =
                                    Some(io::Error::other(format!("{}: {error}", case.label())));
                                next.store(cases.len(), Ordering::Relaxed);
                            }
                        }
                        if (index + 1).is_multiple_of(200) {
                            report::progress(index + 1, cases.len());
                        }
                    }
                });
            }
        });
        if let Some(error) = lock(&failure).take() {
            return Err(error);
        }
        let mut done = std::mem::take(&mut *lock(&done));
        done.sort_by_key(|(index, _)| *index);
        Ok(done.into_iter().map(|(_, judged)| judged).collect())
    }

    fn one(&self, case: &Case) -> io::Result<Judged> {
        let key = key(case)?;
        let arguments = case.arguments();
        let helm = self.helm.first(&key, &arguments)?;
        let slipway = self.slipway.run(&arguments)?;
        let verdict = self.verdict(&key, &arguments, &helm, &slipway)?;
        let other_helm = self.other.as_ref().map(|other| other.first(&key, &arguments)).transpose()?;
        let objects = if helm.exit == Exit::Accepted { objects(&helm.stdout) } else { 0 };
        Ok(Judged { case: case.clone(), verdict, objects, helm, slipway, other_helm })
    }

    fn verdict(
        &self,
        key: &str,
        arguments: &[String],
        helm: &Outcome,
        slipway: &Outcome,
    ) -> io::Result<Verdict> {
        let verdict = Verdict::of(helm, slipway);
        if !matches!(verdict, Verdict::SameYaml | Verdict::Different) {
            return Ok(verdict);
        }
        // Helm's earlier answers may differ from each other; then only what they agree on is compared. If that
        // is not enough, it is asked again now: what follows the date is the same on the same day only.
        for again in [Memory::second, Memory::fresh] {
            let again = again(&self.helm, key, arguments)?;
            if again.stdout == slipway.stdout {
                return Ok(Verdict::IdenticalMasked);
            }
            if again.stdout != helm.stdout
                && mask::agree(&text(&helm.stdout), &text(&again.stdout), &text(&slipway.stdout))
            {
                return Ok(Verdict::IdenticalMasked);
            }
        }
        Ok(verdict)
    }
}

/// What Helm's answer depends on, apart from Helm.
fn key(case: &Case) -> io::Result<String> {
    let values = match &case.values {
        Some(path) => charts::sha256(&fs::read(path)?),
        None => String::new(),
    };
    let key = format!("{}\n{values}\n{}", case.complete.hash, case.recorded_arguments());
    Ok(charts::sha256(key.as_bytes()))
}

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Seconds with one decimal.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
