//! What a group is called in a picture, and which of its objects are named there.

use super::text::until;
use super::view::{Group, Row, Verb};

/// The lines of a group: what is done, and with what. Beyond `limit` they are only counted.
pub(super) fn lines(group: &Group, limit: usize) -> (Vec<(Verb, String)>, usize) {
    // One line more costs no more than the line that counts it.
    let shown = if group.steps.len() <= limit + 1 { group.steps.len() } else { limit };
    let lines = group.steps[..shown].iter().map(|row| (row.verb, line(row))).collect();
    (lines, group.steps.len() - shown)
}

fn line(row: &Row) -> String {
    match (&row.object, row.verb) {
        (Some(object), _) => format!("{} {}", object.kind, object.name),
        (None, Verb::Wait) => until(row),
        (None, _) => row.why.clone(),
    }
}

/// Two lines of a title: what it is, and of which chart.
pub(super) fn title(group: &Group) -> (String, String) {
    match (&group.chart, group.title.split_once(" of ")) {
        (Some(chart), Some((what, _))) if group.title.ends_with(chart.as_str()) => {
            (what.to_owned(), chart.clone())
        }
        _ => (group.title.clone(), String::new()),
    }
}
