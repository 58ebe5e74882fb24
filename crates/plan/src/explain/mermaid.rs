//! A view as a Mermaid flowchart, which many places that show Markdown draw.

use std::fmt::Write as _;

use super::label::{lines, title};
use super::svg::palette;
use super::view::{Cause, GroupKind, View};

/// A view for Mermaid, with at most `limit` objects named in a group.
pub fn mermaid(view: &View, limit: usize) -> String {
    let mut text = format!("---\ntitle: {}\n---\nflowchart LR\n", quoted(&view.headline()));
    let mut colours: Vec<&str> = Vec::new();
    for (number, group) in view.groups.iter().enumerate() {
        if group.kind == GroupKind::Meeting {
            let _ = writeln!(text, "  g{number}(({}))", quoted(&group.title));
            continue;
        }
        let (what, chart) = title(group);
        let mut label = format!("<b>{}</b>", escaped(&what));
        if !chart.is_empty() {
            let _ = write!(label, "<br>{}", escaped(&chart));
        }
        let (shown, more) = lines(group, limit);
        for (verb, line) in &shown {
            let sign = if verb.sign() == ' ' { "…".to_owned() } else { verb.sign().to_string() };
            let _ = write!(label, "<br>{} {}", escaped(&sign), escaped(line));
        }
        if more > 0 {
            let _ = write!(label, "<br>… and {more} more");
        }
        let colour = palette::of_group(group);
        let class = colours.iter().position(|known| *known == colour).unwrap_or_else(|| {
            colours.push(colour);
            colours.len() - 1
        });
        let _ = writeln!(text, "  g{number}[\"{label}\"]:::c{class}");
    }
    for (number, group) in view.groups.iter().enumerate() {
        for after in &group.after {
            let arrow = match after.cause {
                Cause::Declared | Cause::Physical => "-->",
                Cause::Inferred | Cause::Default => "-.->",
            };
            let _ = writeln!(text, "  g{} {arrow} g{number}", after.group);
        }
    }
    for (class, colour) in colours.iter().enumerate() {
        let _ =
            writeln!(text, "  classDef c{class} fill:#ffffff,stroke:{colour},color:#0f172a,text-align:left");
    }
    text
}

/// Mermaid's labels are HTML, and its own escapes are numbers between `#` and `;`.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => escaped.push_str("#quot;"),
            '#' => escaped.push_str("#35;"),
            '<' => escaped.push_str("#lt;"),
            '>' => escaped.push_str("#gt;"),
            '&' => escaped.push_str("#amp;"),
            character => escaped.push(character),
        }
    }
    escaped
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}
