//! A view as lines of text: waves, the groups in them, what each comes after, and what is done.

use std::fmt::Write as _;

use super::view::{GroupKind, Row, Verb, View};

/// What a piece of text is, so that whoever prints it may colour it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Nothing special.
    Plain,
    /// The first line, and the waves.
    Heading,
    /// The name of a group.
    Title,
    /// Causes and places.
    Faint,
    /// A warning.
    Warning,
    /// What is done, by what it is.
    Action(Verb),
}

/// Objects with longer names push what follows them to the right, instead of all others.
const MAX_WIDTH: usize = 64;

/// Writes a view, piece by piece. No more than `limit` objects of a group are named, if there is a limit.
pub fn text(view: &View, limit: Option<usize>, piece: &mut dyn FnMut(Tone, &str)) {
    let width = |of: &dyn Fn(&Row) -> usize, at_most: usize| {
        let rows = view.groups.iter().flat_map(|group| group.steps.iter().take(limit.unwrap_or(usize::MAX)));
        rows.map(of).filter(|width| *width <= at_most).max().unwrap_or(0)
    };
    let verbs = width(&|row| row.verb.word().len(), MAX_WIDTH);
    let names = width(&|row| name(row).chars().count(), MAX_WIDTH);
    let untils = width(&|row| until(row).chars().count(), MAX_WIDTH);
    piece(Tone::Heading, &view.headline());
    piece(Tone::Plain, "\n");
    let mut wave = 0;
    for (number, group) in view.groups.iter().enumerate() {
        // A meeting is a cause of what comes after it, and is told there.
        if group.kind == GroupKind::Meeting {
            continue;
        }
        if group.wave != wave {
            wave = group.wave;
            piece(Tone::Heading, &format!("\nwave {wave}"));
            piece(Tone::Plain, "\n");
        }
        piece(Tone::Plain, "  ");
        piece(Tone::Title, &group.title);
        piece(Tone::Plain, "\n");
        for line in causes(view, number) {
            piece(Tone::Faint, &format!("    after {line}"));
            piece(Tone::Plain, "\n");
        }
        for row in group.steps.iter().take(limit.unwrap_or(usize::MAX)) {
            let name = name(row);
            piece(Tone::Plain, "    ");
            piece(Tone::Action(row.verb), &format!("{} {:verbs$}", row.verb.sign(), row.verb.word()));
            let mut rest = format!("  {name:names$}");
            if untils > 0 {
                let _ = write!(rest, "  {:untils$}", until(row));
            }
            let why = reason(row, &group.title);
            if !why.is_empty() {
                let _ = write!(rest, "  {why}");
            }
            match &row.place {
                Some(place) => {
                    piece(Tone::Plain, &rest);
                    piece(Tone::Faint, &format!("  {place}"));
                }
                None => piece(Tone::Plain, rest.trim_end()),
            }
            piece(Tone::Plain, "\n");
        }
        let shown = limit.map_or(group.steps.len(), |limit| limit.min(group.steps.len()));
        if shown < group.steps.len() {
            piece(Tone::Faint, &format!("      … and {} more", group.steps.len() - shown));
            piece(Tone::Plain, "\n");
        }
    }
    for (number, note) in view.notes.iter().enumerate() {
        if number == 0 {
            piece(Tone::Plain, "\n");
        }
        let (tone, word) = if note.warning { (Tone::Warning, "warning") } else { (Tone::Faint, "note") };
        piece(tone, word);
        piece(Tone::Plain, &format!(": {}\n", note.message));
    }
}

/// What a group comes after, with meetings replaced by their names.
fn causes(view: &View, group: usize) -> Vec<String> {
    view.groups[group]
        .after
        .iter()
        .map(|after| format!("{}: {}", view.groups[after.group].title, after.cause_in_words()))
        .collect()
}

fn name(row: &Row) -> String {
    row.object.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// What is awaited of a row, and how long at most.
pub(super) fn until(row: &Row) -> String {
    match (row.until, row.at_most) {
        (Some(until), Some(span)) => format!("until {until}, at most {span}"),
        (Some(until), None) => format!("until {until}"),
        (None, _) => String::new(),
    }
}

/// The reason of a row, unless the title of its group has told it.
fn reason(row: &Row, title: &str) -> String {
    let told = row.why == title
        || (row.why.starts_with("not annotated: after all layers") && title.starts_with("objects without"))
        || (row.why == "definitions in crds/ come first" && title == "definitions in crds/")
        || (row.why == "the order of kinds" && title.ends_with("in the order of kinds"));
    if told { String::new() } else { row.why.clone() }
}
