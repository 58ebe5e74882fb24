//! What one run cost, and how that is told.

use std::fmt::Write as _;
use std::time::Duration;

/// What one run cost, in the order in which it is handed from process to process.
pub(super) struct Cost {
    pub(super) declarations: u64,
    pub(super) steps: u64,
    pub(super) edges: u64,
    pub(super) read: Duration,
    pub(super) install: Duration,
    pub(super) uninstall: Duration,
    pub(super) text: Duration,
    pub(super) json: Duration,
    pub(super) save: Duration,
    /// Peak resident memory in KiB: with the set read, after planning, after printing.
    pub(super) read_peak: u64,
    pub(super) plan_peak: u64,
    pub(super) output_peak: u64,
}

/// What is timed, in the order of the columns.
pub(super) const TIMES: [&str; 6] = ["read", "install", "uninstall", "text", "json", "save"];

/// The names of the columns of [`Cost::row`].
pub(super) fn heading() -> String {
    let mut line = format!("{:>8} {:>9} {:>8} {:>9}", "objects", "declared", "steps", "edges");
    for column in TIMES.iter().chain(&["read+install", "plan MiB", "text+json MiB"]) {
        let _ = write!(line, " {column:>13}");
    }
    line
}

impl Cost {
    pub(super) fn times(&self) -> [Duration; 6] {
        [self.read, self.install, self.uninstall, self.text, self.json, self.save]
    }

    /// From texts to a plan.
    pub(super) fn total(&self) -> Duration {
        self.read + self.install
    }

    pub(super) fn row(&self, objects: u32) -> String {
        let milliseconds = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
        let mut line = format!("{objects:>8} {:>9} {:>8} {:>9}", self.declarations, self.steps, self.edges);
        for time in self.times().into_iter().chain([self.total()]) {
            let _ = write!(line, " {:>13}", milliseconds(time));
        }
        let _ = write!(line, " {:>13} {:>13}", self.plan_peak / 1024, self.output_peak / 1024);
        line
    }

    pub(super) fn line(&self) -> String {
        let times = self.times().map(|time| time.as_micros() as u64);
        let counts = [self.declarations, self.steps, self.edges];
        let peaks = [self.read_peak, self.plan_peak, self.output_peak];
        let numbers = counts.into_iter().chain(times).chain(peaks);
        numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn parse(line: &str) -> Option<Self> {
        let numbers: Vec<u64> = line.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        let [declarations, steps, edges, read, install, uninstall, text, json, save, peaks @ ..] =
            &numbers[..]
        else {
            return None;
        };
        let [read_peak, plan_peak, output_peak] = *peaks else { return None };
        let time = |micros: &u64| Duration::from_micros(*micros);
        Some(Self {
            declarations: *declarations,
            steps: *steps,
            edges: *edges,
            read: time(read),
            install: time(install),
            uninstall: time(uninstall),
            text: time(text),
            json: time(json),
            save: time(save),
            read_peak,
            plan_peak,
            output_peak,
        })
    }
}
