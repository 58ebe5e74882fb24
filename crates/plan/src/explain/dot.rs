//! A view in the language of Graphviz.

use std::fmt::Write as _;

use super::label::{lines, title};
use super::svg::palette;
use super::view::{Cause, GroupKind, View};

/// A view for Graphviz, with at most `limit` objects named in a group.
pub fn dot(view: &View, limit: usize) -> String {
    let mut text = format!(
        "digraph plan {{\n  label={};\n  labelloc=t;\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", \
         fillcolor=white, fontname=\"Helvetica\"];\n  edge [fontname=\"Helvetica\", fontsize=10];\n",
        quoted(&view.headline())
    );
    for (number, group) in view.groups.iter().enumerate() {
        if group.kind == GroupKind::Meeting {
            let _ = writeln!(text, "  g{number} [shape=point, width=0.12, xlabel={}];", quoted(&group.title));
            continue;
        }
        let (what, chart) = title(group);
        let mut label = what;
        if !chart.is_empty() {
            let _ = write!(label, "\n{chart}");
        }
        label.push('\n');
        let (shown, more) = lines(group, limit);
        for (verb, line) in &shown {
            let _ = write!(label, "\n{} {line}", verb.sign());
        }
        if more > 0 {
            let _ = write!(label, "\n… and {more} more");
        }
        let colour = palette::of_group(group);
        let _ = writeln!(text, "  g{number} [label={}, color=\"{colour}\"];", quoted(&label));
    }
    for (number, group) in view.groups.iter().enumerate() {
        for after in &group.after {
            let style = match after.cause {
                Cause::Declared => "color=\"#1e293b\"",
                Cause::Physical => "color=\"#7c3aed\"",
                Cause::Inferred => "color=\"#0f766e\", style=dashed",
                Cause::Default => "color=\"#94a3b8\", style=dashed",
            };
            let why = quoted(&after.cause_in_words());
            let _ = writeln!(text, "  g{} -> g{number} [{style}, tooltip={why}];", after.group);
        }
    }
    text.push_str("}\n");
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn texts_cannot_end_their_quotes() {
        assert_eq!(quoted("a \"b\"\n\\"), r#""a \"b\"\n\\""#);
    }
}
