//! Tells a difference to a person.

use std::fmt::Write as _;

use crate::compare::Difference;
use crate::sequence::Sequence;

/// The calls that lead to a difference, and what both servers said to the last of them.
pub fn report(sequence: &Sequence, difference: &Difference, names: (&str, &str)) -> String {
    let mut text = String::new();
    let (seed, index) = sequence.origin;
    let _ = writeln!(
        text,
        "## {}\n\nSLIPWAY_SEED={seed}, sequence {index}, step {}\n\n```",
        difference.signature, difference.step
    );
    for step in &sequence.steps {
        let _ = writeln!(text, "{step}");
    }
    let _ = writeln!(text, "```\n");
    for (path, one, other) in difference.places.iter().take(12) {
        let said = |value: &Option<serde_json::Value>| {
            value.as_ref().map_or("(nothing)".to_owned(), ToString::to_string)
        };
        let _ = writeln!(
            text,
            "- `{path}`\n  - {}: `{}`\n  - {}: `{}`",
            names.0,
            said(one),
            names.1,
            said(other)
        );
    }
    if difference.places.len() > 12 {
        let _ = writeln!(text, "- and {} more", difference.places.len() - 12);
    }
    let _ = writeln!(text);
    for (name, answer) in [(names.0, &difference.answers.0), (names.1, &difference.answers.1)] {
        let mut body = answer.body.to_string();
        if body.len() > 3000 {
            body.truncate(body.floor_char_boundary(3000));
            body.push('…');
        }
        let _ = writeln!(text, "{name}: {} {:?}\n```json\n{body}\n```", answer.code, answer.warnings);
    }
    text
}
