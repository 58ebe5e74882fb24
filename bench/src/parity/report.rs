//! Tells the result, and records it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a report is printed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use super::verdict::Verdict;
use super::{Judged, Skipped, seconds, text};
use crate::case::Case;
use crate::charts::sha256;
use crate::run::Exit;

/// The totals of a run.
pub(crate) struct Summary {
    counts: BTreeMap<Verdict, usize>,
    without_objects: usize,
    same_words: usize,
    /// Distinct charts that render at least one object.
    pub(crate) charts: usize,
    skipped_incomplete: usize,
    skipped_unreadable: usize,
    helm: Duration,
    slipway: Duration,
}

impl Summary {
    /// Cases that must be explained.
    pub(crate) fn failures(&self) -> usize {
        self.counts.iter().filter(|(verdict, _)| verdict.is_failure()).map(|(_, count)| count).sum()
    }
}

/// Whether the case counts as one that renders alike: Helm renders at least one object.
fn counts(judged: &Judged) -> bool {
    judged.helm.exit != Exit::Accepted || judged.objects > 0 || judged.verdict.is_failure()
}

/// Adds everything up.
pub(crate) fn summary(judged: &[Judged], skipped: &Skipped) -> Summary {
    let mut charts = BTreeSet::new();
    let mut summary = Summary {
        counts: BTreeMap::new(),
        without_objects: judged.iter().filter(|case| !counts(case)).count(),
        same_words: 0,
        charts: 0,
        skipped_incomplete: skipped.incomplete.len(),
        skipped_unreadable: skipped.unreadable.len(),
        helm: judged.iter().map(|case| case.helm.time).sum(),
        slipway: judged.iter().map(|case| case.slipway.time).sum(),
    };
    for case in judged.iter().filter(|case| counts(case)) {
        *summary.counts.entry(case.verdict).or_default() += 1;
        if case.objects > 0 {
            charts.insert((&case.case.chart.name, &case.case.complete.hash));
        }
        if case.verdict == Verdict::BothRefuse
            && first_line(&case.helm.stderr) == first_line(&case.slipway.stderr)
        {
            summary.same_words += 1;
        }
    }
    summary.charts = charts.len();
    summary
}

/// Prints the differing cases with the first lines that differ, then the totals.
pub(crate) fn print(judged: &[Judged], summary: &Summary, elapsed: Duration) {
    for case in judged.iter().filter(|case| case.verdict.is_failure()) {
        println!("{}: {}", case.verdict.words(), case.case.label());
        print!("{}", explanation(case));
    }
    println!();
    for verdict in Verdict::ALL {
        let count = summary.counts.get(&verdict).copied().unwrap_or_default();
        if count > 0 || verdict.is_failure() || verdict == Verdict::Identical {
            println!("{count:>6}  {}", verdict.words());
        }
    }
    println!("{:>6}  without objects", summary.without_objects);
    println!();
    println!("{:>6}  distinct charts that render objects", summary.charts);
    println!("{:>6}  charts skipped: a dependency that no neighbour has", summary.skipped_incomplete);
    println!("{:>6}  charts skipped: unreadable", summary.skipped_unreadable);
    println!("{:>6}  refused by both in the same words", summary.same_words);
    println!(
        "Helm {}, Slipway {}, in all {}",
        seconds(summary.helm),
        seconds(summary.slipway),
        seconds(elapsed)
    );
}

/// Says how far the run is.
pub(crate) fn progress(done: usize, all: usize) {
    eprintln!("{done} of {all}");
}

fn explanation(case: &Judged) -> String {
    let mut out = String::new();
    match case.verdict {
        Verdict::WronglyAccepted => {
            let _ = writeln!(out, "    Helm: {}", excerpt(&case.helm.stderr));
        }
        Verdict::WronglyRejected | Verdict::Crashed => {
            let _ = writeln!(out, "    Slipway: {}", excerpt(&case.slipway.stderr));
        }
        _ => {
            let (helm, slipway) = (text(&case.helm.stdout), text(&case.slipway.stdout));
            if let Some((line, helm, slipway)) = first_difference(&helm, &slipway) {
                let _ = writeln!(out, "    line {line}\n    Helm:    {helm}\n    Slipway: {slipway}");
            }
        }
    }
    out
}

/// The number and both versions of the first line that differs.
pub(crate) fn first_difference(left: &str, right: &str) -> Option<(usize, String, String)> {
    let mut right_lines = right.lines();
    for (index, line) in left.lines().enumerate() {
        match right_lines.next() {
            Some(other) if other == line => {}
            other => return Some((index + 1, quoted(line), other.map_or("end of output".into(), quoted))),
        }
    }
    if let Some(line) = right_lines.next() {
        return Some((left.lines().count() + 1, "end of output".into(), quoted(line)));
    }
    (left != right).then(|| (left.lines().count(), "line ends differ".into(), "line ends differ".into()))
}

fn quoted(line: &str) -> String {
    let short: String = line.chars().take(160).collect();
    format!("{short:?}")
}

fn excerpt(stderr: &[u8]) -> String {
    let text = text(stderr);
    let lines: Vec<_> =
        text.lines().filter(|line| !line.starts_with("level=")).take(6).map(str::trim).collect();
    lines.join(" / ").chars().take(500).collect()
}

fn first_line(stderr: &[u8]) -> String {
    let text = text(stderr);
    let lines = text.lines().filter(|line| line.starts_with("Error: "));
    lines.map(str::to_owned).next().unwrap_or_default()
}

/// Writes one line for every case: where it comes from, how it was rendered, and the hash of the output.
pub(crate) fn record(judged: &[Judged], file: &Path) -> io::Result<()> {
    let common = Case::common_arguments().join(" ");
    let mut out = format!(
        "# template release-name . [--values VALUES] {common}\n\
         repository\tcommit\tchart\tversion\tvalues\tobjects\tverdict\tsha256\n"
    );
    for case in judged {
        let chart = &case.case.chart;
        let hash =
            if case.slipway.exit == Exit::Accepted { sha256(&case.slipway.stdout) } else { "-".into() };
        let verdict = if counts(case) { case.verdict.words() } else { "without objects" };
        let _ = writeln!(
            out,
            "{}\t{}\t{}\t{}\t{}\t{}\t{verdict}\t{hash}",
            chart.origin.repository,
            chart.origin.commit,
            chart.origin.inside,
            chart.version,
            case.case.recorded_values(),
            case.objects,
        );
    }
    fs::write(file, out)
}

/// Writes both outputs of every case that must be explained, and what each tool said.
pub(crate) fn write_outputs(judged: &[Judged], directory: &Path) -> io::Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    for case in judged.iter().filter(|case| case.verdict.is_failure()) {
        let name = case.case.label().replace(['/', ':', ' ', '[', ']'], "_");
        let directory = directory.join(name);
        fs::create_dir_all(&directory)?;
        fs::write(directory.join("helm.yaml"), &case.helm.stdout)?;
        fs::write(directory.join("slipway.yaml"), &case.slipway.stdout)?;
        fs::write(directory.join("helm.err"), &case.helm.stderr)?;
        fs::write(directory.join("slipway.err"), &case.slipway.stderr)?;
        fs::write(directory.join("arguments"), case.case.arguments().join(" "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_found() {
        assert_eq!(first_difference("a\nb", "a\nb"), None);
        assert_eq!(first_difference("a\nb", "a\nc"), Some((2, "\"b\"".into(), "\"c\"".into())));
        assert_eq!(first_difference("a", "a\nc"), Some((2, "end of output".into(), "\"c\"".into())));
        assert_eq!(first_difference("a\nb", "a"), Some((2, "\"b\"".into(), "end of output".into())));
        assert_eq!(first_difference("a\n", "a").unwrap().1, "line ends differ");
    }
}
