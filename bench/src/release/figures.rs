//! What was measured, and how it compares.
#![expect(clippy::print_stdout, reason = "a report is printed")]

use std::collections::BTreeMap;
use std::time::Duration;

use crate::measure::Cost;

/// The column of the bare client.
pub(crate) const FLOOR: usize = 0;
/// The column of Slipway; its peers come after it.
pub(crate) const SLIPWAY: usize = 1;
const ROWS: [&str; 6] = ["install", "no-op upgrade", "changing upgrade", "uninstall", "layers", "finalizers"];
const INSTALL: usize = 0;
const NO_OP: usize = 1;
/// The row of the layers.
pub(crate) const LAYERS: usize = 4;
/// The row of the objects whose finalizers take a second.
pub(crate) const FINALIZERS: usize = 5;

/// Times by what was done and by whom.
#[derive(Default)]
pub(crate) struct Figures {
    times: BTreeMap<(usize, usize), Vec<Duration>>,
    processor: BTreeMap<(usize, usize), Vec<Duration>>,
    peak: BTreeMap<usize, u64>,
    /// From a layer that is ready to the next one.
    pub(crate) gaps: Vec<Duration>,
}

impl Figures {
    /// What the bare client took.
    pub(crate) fn add(&mut self, row: usize, column: usize, time: Duration) {
        self.times.entry((row, column)).or_default().push(time);
    }

    /// What a program took.
    pub(crate) fn add_cost(&mut self, row: usize, column: usize, cost: Cost) {
        self.add(row, column, cost.wall);
        self.processor.entry((row, column)).or_default().push(cost.processor);
        let peak = self.peak.entry(column).or_default();
        *peak = (*peak).max(cost.peak);
    }

    fn median(&self, row: usize, column: usize) -> Option<Duration> {
        median(self.times.get(&(row, column))?)
    }

    /// How many times longer another column took than Slipway.
    fn ratio(&self, row: usize, column: usize) -> String {
        let ours = self.median(row, SLIPWAY);
        let ratio = ours.zip(self.median(row, column)).map(|(ours, theirs)| theirs.div_duration_f64(ours));
        ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.1}×"))
    }

    /// Prints all of it, for programs of these names.
    pub(crate) fn print(&self, names: &[&str]) {
        let seconds = |time: Option<Duration>| {
            time.map_or_else(|| "–".to_owned(), |time| format!("{:.2}", time.as_secs_f64()))
        };
        print!("{:<20}{:>8}", "", "floor");
        for (number, name) in names.iter().enumerate() {
            print!("{:>10}", name.replace(", unchecked", "u"));
            print!("{:>8}", if number == 0 { "÷ floor" } else { "×" });
        }
        println!("{:>12}", "processor");
        for (row, title) in ROWS.iter().enumerate() {
            print!("{title:<20}{:>8}", seconds(self.median(row, FLOOR)));
            for column in SLIPWAY..=names.len() {
                print!("{:>10}", seconds(self.median(row, column)));
                if column > SLIPWAY {
                    print!("{:>8}", self.ratio(row, column));
                    continue;
                }
                // A no-op is measured against what installing costs.
                let floor = self.median(if row == NO_OP { INSTALL } else { row }, FLOOR);
                let ratio =
                    self.median(row, SLIPWAY).zip(floor).map(|(ours, floor)| ours.div_duration_f64(floor));
                print!("{:>8}", ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}")));
            }
            let processor = self.processor.get(&(row, SLIPWAY)).and_then(|times| median(times));
            println!("{:>12}", seconds(processor));
        }
        print!("{:<20}{:>8}", "peak memory, MiB", "");
        for column in SLIPWAY..=names.len() {
            print!("{:>10.1}{:>8}", *self.peak.get(&column).unwrap_or(&0) as f64 / 1024.0, "");
        }
        println!();
        if let Some(gap) = median(&self.gaps) {
            let gap = gap.as_secs_f64() * 1000.0;
            let count = self.gaps.len();
            println!(
                "from a ready Deployment to the next one on the server: {gap:.1} ms in the median of {count}"
            );
        }
    }
}

fn median(times: &[Duration]) -> Option<Duration> {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}
