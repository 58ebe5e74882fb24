//! Lists where a second Helm renders differently from the first.
#![expect(clippy::print_stdout, reason = "a report is printed")]

use std::path::Path;

use super::report::first_difference;
use super::{Judged, text};
use crate::run::Exit;

/// Prints every case in which the two Helms disagree, and how many agree.
pub(crate) fn print(judged: &[Judged], other: &Path) {
    println!("\nAgainst {}:", other.display());
    let (mut same, mut different) = (0, 0);
    for case in judged {
        let Some(outcome) = &case.other_helm else { continue };
        let words = match (case.helm.exit, outcome.exit) {
            (Exit::Accepted, Exit::Accepted) => {
                first_difference(&text(&case.helm.stdout), &text(&outcome.stdout))
                    .map(|(line, first, second)| format!("line {line}: {first} became {second}"))
            }
            (Exit::Accepted, _) => Some("only the first accepts".to_owned()),
            (_, Exit::Accepted) => Some("only the second accepts".to_owned()),
            _ => None,
        };
        match words {
            Some(words) => {
                different += 1;
                println!("{}: {words}", case.case.label());
            }
            None => same += 1,
        }
    }
    println!("{same} alike, {different} different");
}
