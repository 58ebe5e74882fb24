//! Measures planning over sets of growing size: time, memory, and how both grow.
#![expect(clippy::print_stdout, reason = "a report is printed")]

use std::fmt::Write as _;
use std::io;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use clap::Args;
use nix::sys::resource::{UsageWho, getrusage};
use objects::Source;
use plan::input::{ChartTree, Inventory, Live, Order, Policy, Wanted, Written};
use plan::{ChartIndex, Operation, Plan, Request};

/// Which sizes to measure.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Numbers of objects; a hundred share a layer, and each declares ten needs
    #[arg(default_values_t = [1_000, 10_000, 100_000])]
    objects: Vec<u32>,
    /// Runs of each size; the fastest counts
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Plan one set in this process and print what it cost (used for each size)
    #[arg(long, hide = true)]
    once: bool,
}

/// How many objects share a layer.
const PER_LAYER: u32 = 100;

/// How many layers each object says it needs.
const NEEDS: u32 = 10;

/// What one run cost, in the order in which it is printed.
struct Cost {
    declarations: u64,
    steps: u64,
    edges: u64,
    read: Duration,
    install: Duration,
    uninstall: Duration,
    json: Duration,
    /// Peak resident memory in KiB: with the set read, after planning, and with the JSON text.
    read_peak: u64,
    plan_peak: u64,
    json_peak: u64,
}

/// Measures each size in processes of its own, so that one's memory is not another's.
pub(crate) fn main(arguments: &Arguments) -> io::Result<ExitCode> {
    if arguments.once {
        let cost = run(arguments.objects.first().copied().unwrap_or_default()).map_err(io::Error::other)?;
        println!("{}", cost.line());
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "{:>8} {:>9} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10} {:>9} {:>9} {:>9}",
        "objects",
        "declared",
        "steps",
        "edges",
        "read",
        "install",
        "uninstall",
        "json",
        "ns/declared",
        "read MiB",
        "plan MiB",
        "json MiB"
    );
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
                Some(best) if best.install <= cost.install => best,
                _ => cost,
            });
        }
        if let Some(cost) = best {
            println!("{}", cost.row(*objects));
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Cost {
    fn line(&self) -> String {
        [
            self.declarations,
            self.steps,
            self.edges,
            self.read.as_micros() as u64,
            self.install.as_micros() as u64,
            self.uninstall.as_micros() as u64,
            self.json.as_micros() as u64,
            self.read_peak,
            self.plan_peak,
            self.json_peak,
        ]
        .map(|number| number.to_string())
        .join(" ")
    }

    fn parse(line: &str) -> Option<Self> {
        let numbers: Vec<u64> = line.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        let [declarations, steps, edges, read, install, uninstall, json, read_peak, plan_peak, json_peak] =
            numbers[..]
        else {
            return None;
        };
        Some(Self {
            declarations,
            steps,
            edges,
            read: Duration::from_micros(read),
            install: Duration::from_micros(install),
            uninstall: Duration::from_micros(uninstall),
            json: Duration::from_micros(json),
            read_peak,
            plan_peak,
            json_peak,
        })
    }

    fn row(&self, objects: u32) -> String {
        let milliseconds = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
        let mebibytes = |peak: u64| peak / 1024;
        format!(
            "{objects:>8} {:>9} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10.0} {:>9} {:>9} {:>9}",
            self.declarations,
            self.steps,
            self.edges,
            milliseconds(self.read),
            milliseconds(self.install),
            milliseconds(self.uninstall),
            milliseconds(self.json),
            self.install.as_secs_f64() * 1e9 / self.declarations.max(1) as f64,
            mebibytes(self.read_peak),
            mebibytes(self.plan_peak),
            mebibytes(self.json_peak),
        )
    }
}

fn run(objects: u32) -> Result<Cost, Box<dyn std::error::Error + Send + Sync>> {
    let mut declarations = 0;
    let mut reading = Duration::ZERO;
    let mut builder = Wanted::builder(ChartTree::single("large"), "default");
    let mut text = String::new();
    let mut random = Random(u64::from(objects) + 1);
    for number in 0..objects {
        declarations += document(number, &mut random, &mut text);
        let source = Source::new(format!("large/templates/{}.yaml", number / PER_LAYER));
        let written = Written { chart: ChartIndex(0), source: &source, line: 1 + 20 * (number % PER_LAYER) };
        let start = Instant::now();
        builder.manifest(written, &text)?;
        reading += start.elapsed();
    }
    let wanted = builder.finish();
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
    let start = Instant::now();
    let json = goyaml::json::to_string(&installed)?;
    let json_time = start.elapsed();
    let json_peak = peak()?;
    drop(json);
    let (steps, edges) = (installed.steps.len() as u64, installed.edges.len() as u64);
    let stored = installed.intent;
    request.operation = Operation::Uninstall;
    request.stored = &stored;
    let (_, uninstall) = timed(&request)?;
    Ok(Cost {
        declarations,
        steps,
        edges,
        read: reading,
        install,
        uninstall,
        json: json_time,
        read_peak,
        plan_peak,
        json_peak,
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

/// Writes one object, and says how many layers it declares that it needs: all of them lower ones, so that there is a
/// plan, and drawn at random, so that edges go everywhere.
fn document(number: u32, random: &mut Random, text: &mut String) -> u64 {
    const KINDS: [(&str, &str); 5] = [
        ("v1", "ConfigMap"),
        ("v1", "Secret"),
        ("v1", "Service"),
        ("apps/v1", "Deployment"),
        ("example.com/v1", "Widget"),
    ];
    let (api_version, kind) = KINDS[number as usize % KINDS.len()];
    let layer = number / PER_LAYER;
    text.clear();
    let _ = write!(
        text,
        "apiVersion: {api_version}\nkind: {kind}\nmetadata:\n  name: object-{number}\n  labels:\n    app.kubernetes.io/name: large\n    app.kubernetes.io/instance: bench\n  annotations:\n    helm.sh/layer: layer-{layer}\n"
    );
    if layer > 0 {
        text.push_str("    helm.sh/depends-on/layers: ");
        for need in 0..NEEDS {
            let separator = if need == 0 { "" } else { ", " };
            let _ = write!(text, "{separator}layer-{}", random.next() % u64::from(layer));
        }
        text.push('\n');
    }
    text.push_str("spec:\n  replicas: 3\n  template:\n    spec:\n      containers:\n      - name: main\n        image: registry/app:1.0\n");
    if layer > 0 { u64::from(NEEDS) } else { 0 }
}

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }
}
