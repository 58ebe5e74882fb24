//! Counters, gauges and histograms in Prometheus' text form: what a controller needs of it, and no more.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The bounds of a histogram's buckets, in seconds.
const BOUNDS: [f64; 12] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0];

/// What is measured. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Metrics(Arc<Mutex<BTreeMap<&'static str, Family>>>);

#[derive(Debug)]
struct Family {
    help: &'static str,
    sort: &'static str,
    series: BTreeMap<String, Series>,
}

#[derive(Debug)]
enum Series {
    Number(f64),
    Histogram { buckets: [u64; BOUNDS.len()], sum: f64, count: u64 },
}

impl Metrics {
    /// Counts one more. By custom the name ends in `_total`.
    pub fn count(&self, name: &'static str, help: &'static str, labels: &[(&str, &str)]) {
        self.change(name, help, "counter", labels, |number| *number += 1.0);
    }

    /// Sets a gauge.
    pub fn gauge(&self, name: &'static str, help: &'static str, labels: &[(&str, &str)], value: f64) {
        self.change(name, help, "gauge", labels, |number| *number = value);
    }

    /// Adds to a gauge.
    pub fn shift(&self, name: &'static str, help: &'static str, labels: &[(&str, &str)], by: f64) {
        self.change(name, help, "gauge", labels, |number| *number += by);
    }

    /// Adds how long something took to a histogram. By custom the name ends in `_seconds`.
    pub fn observe(&self, name: &'static str, help: &'static str, labels: &[(&str, &str)], took: Duration) {
        let took = took.as_secs_f64();
        self.with(name, help, "histogram", labels, |series| {
            if let Series::Histogram { buckets, sum, count } = series {
                for (bucket, bound) in buckets.iter_mut().zip(BOUNDS) {
                    *bucket += u64::from(took <= bound);
                }
                *sum += took;
                *count += 1;
            }
        });
    }

    /// All of it in the text form that Prometheus reads.
    pub fn render(&self) -> String {
        let families = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        for (name, family) in families.iter() {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "# HELP {name} {}\n# TYPE {name} {}", family.help, family.sort);
            for (labels, series) in &family.series {
                match series {
                    Series::Number(number) => {
                        let _ = writeln!(text, "{name}{} {number}", braced(labels));
                    }
                    Series::Histogram { buckets, sum, count } => {
                        let comma = if labels.is_empty() { "" } else { "," };
                        for (bucket, bound) in buckets.iter().zip(BOUNDS) {
                            let _ = writeln!(text, "{name}_bucket{{{labels}{comma}le=\"{bound}\"}} {bucket}");
                        }
                        let _ = writeln!(text, "{name}_bucket{{{labels}{comma}le=\"+Inf\"}} {count}");
                        let _ = writeln!(text, "{name}_sum{} {sum}", braced(labels));
                        let _ = writeln!(text, "{name}_count{} {count}", braced(labels));
                    }
                }
            }
        }
        text
    }

    fn change(
        &self,
        name: &'static str,
        help: &'static str,
        sort: &'static str,
        labels: &[(&str, &str)],
        change: impl FnOnce(&mut f64),
    ) {
        self.with(name, help, sort, labels, |series| {
            if let Series::Number(number) = series {
                change(number);
            }
        });
    }

    fn with(
        &self,
        name: &'static str,
        help: &'static str,
        sort: &'static str,
        labels: &[(&str, &str)],
        change: impl FnOnce(&mut Series),
    ) {
        let mut families = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let family = families.entry(name).or_insert_with(|| Family { help, sort, series: BTreeMap::new() });
        let series = family.series.entry(written(labels)).or_insert_with(|| match sort {
            "histogram" => Series::Histogram { buckets: [0; BOUNDS.len()], sum: 0.0, count: 0 },
            _ => Series::Number(0.0),
        });
        change(series);
    }
}

fn braced(labels: &str) -> String {
    if labels.is_empty() { String::new() } else { format!("{{{labels}}}") }
}

fn written(labels: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (key, value) in labels {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let comma = if text.is_empty() { "" } else { "," };
        let _ = write!(text, "{comma}{key}=\"{value}\"");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_reads_as_prometheus_wants_it() {
        let metrics = Metrics::default();
        metrics.count("a_total", "How many.", &[("kind", "x\"y")]);
        metrics.count("a_total", "How many.", &[("kind", "x\"y")]);
        metrics.gauge("b", "How much.", &[], 1.5);
        metrics.observe("c_seconds", "How long.", &[("of", "it")], Duration::from_millis(30));
        let text = metrics.render();
        for line in [
            "# TYPE a_total counter",
            "a_total{kind=\"x\\\"y\"} 2",
            "b 1.5",
            "c_seconds_bucket{of=\"it\",le=\"0.025\"} 0",
            "c_seconds_bucket{of=\"it\",le=\"0.05\"} 1",
            "c_seconds_bucket{of=\"it\",le=\"+Inf\"} 1",
            "c_seconds_sum{of=\"it\"} 0.03",
            "c_seconds_count{of=\"it\"} 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }
}
