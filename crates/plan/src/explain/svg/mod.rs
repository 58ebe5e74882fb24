//! A view as a picture that needs nothing but itself: columns are depths, colours say what is done, and lines why.

mod boxes;
mod layout;
pub(super) mod palette;

use std::fmt::Write as _;

use super::view::{After, Cause, GroupKind, View};
use boxes::{Boxes, Drawn};
use layout::{Layout, Placed, Size, layout};

const SANS: &str = "ui-sans-serif, system-ui, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif";
const MONO: &str = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const MARGIN: f64 = 28.0;
const HEADER: f64 = 64.0;
const FOOTER: f64 = 56.0;
const LINE: f64 = 18.0;

/// A view as a picture, with at most `limit` objects named in a group.
pub fn svg(view: &View, limit: usize) -> String {
    let Boxes { drawn, of_group, is_summary } = Boxes::of(view, limit);
    let mut lines: Vec<Line<'_>> = Vec::new();
    for (to, group) in view.groups.iter().enumerate() {
        let of_one = group.after.iter().map(|after| (of_group[after.group], of_group[to], after));
        lines.extend(of_one.filter(|(from, to, _)| from != to));
    }
    lines.sort_by(|one, other| (one.0, one.1, other.2.cause).cmp(&(other.0, other.1, one.2.cause)));
    lines.dedup_by_key(|(from, to, _)| (*from, *to));
    if is_summary {
        lines = boxes::untangled(lines, drawn.len());
    }
    let sizes: Vec<Size> = drawn.iter().map(Drawn::size).collect();
    let pairs: Vec<(usize, usize)> = lines.iter().map(|(from, to, _)| (*from, *to)).collect();
    let placed = layout(&sizes, &pairs);
    paint(view, &drawn, &lines, &placed)
}

/// From which box to which, and why.
type Line<'a> = (usize, usize, &'a After);

fn paint(view: &View, boxes: &[Drawn], lines: &[Line<'_>], layout: &Layout) -> String {
    let headline = view.headline();
    let (name, rest) = headline.split_once(": ").unwrap_or((headline.as_str(), ""));
    let legend = legend(view, lines);
    let legend_width: f64 = legend.iter().map(|(_, text, _)| 40.0 + text.chars().count() as f64 * 6.6).sum();
    let title_width = (name.chars().count() as f64 * 11.5).max(rest.chars().count() as f64 * 7.6);
    let width = layout.width.max(legend_width).max(title_width) + 2.0 * MARGIN;
    let height = layout.height + HEADER + FOOTER + 2.0 * MARGIN;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" font-family=\"{SANS}\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"12\" fill=\"#ffffff\"/>\n",
        escaped(&headline)
    );
    out.push_str("<defs>\n");
    for (cause, colour) in CAUSES {
        let _ = writeln!(
            out,
            "<marker id=\"{}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" \
             orient=\"auto\"><path d=\"M0 1 L9 5 L0 9 z\" fill=\"{colour}\"/></marker>",
            marker(cause)
        );
    }
    out.push_str("</defs>\n");
    let _ = writeln!(
        out,
        "<text x=\"{MARGIN}\" y=\"{}\" font-size=\"20\" font-weight=\"700\" fill=\"#0f172a\">{}</text>\n\
         <text x=\"{MARGIN}\" y=\"{}\" font-size=\"13\" fill=\"#475569\">{}</text>",
        MARGIN + 14.0,
        escaped(name),
        MARGIN + 36.0,
        escaped(rest)
    );
    let _ = writeln!(out, "<g transform=\"translate({MARGIN} {})\">", MARGIN + HEADER);
    for ((from, to, after), points) in lines.iter().zip(&layout.lines) {
        let why = format!("{} → {}: {}", boxes[*from].what, boxes[*to].what, after.cause_in_words());
        paint_line(&mut out, after.cause, &why, points, boxes[*to].is_point);
    }
    for (drawn, placed) in boxes.iter().zip(&layout.boxes) {
        paint_box(&mut out, drawn, placed);
    }
    out.push_str("</g>\n");
    paint_legend(&mut out, &legend, height - MARGIN);
    out.push_str("</svg>\n");
    out
}

const CAUSES: [(Cause, &str); 4] = [
    (Cause::Declared, "#1e293b"),
    (Cause::Physical, "#7c3aed"),
    (Cause::Inferred, "#0f766e"),
    (Cause::Default, "#94a3b8"),
];

fn marker(cause: Cause) -> &'static str {
    match cause {
        Cause::Declared => "declared",
        Cause::Physical => "physical",
        Cause::Inferred => "inferred",
        Cause::Default => "default",
    }
}

fn stroke(cause: Cause) -> String {
    let colour = CAUSES.iter().find(|(of, _)| *of == cause).map_or("#000000", |(_, colour)| colour);
    let dashes = match cause {
        Cause::Declared | Cause::Physical => "",
        Cause::Inferred => " stroke-dasharray=\"6 3\"",
        Cause::Default => " stroke-dasharray=\"3 3\"",
    };
    format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"{dashes}")
}

fn paint_line(out: &mut String, cause: Cause, why: &str, points: &[(f64, f64)], to_point: bool) {
    let Some((first, rest)) = points.split_first() else { return };
    let _ = write!(out, "<path d=\"M{:.1} {:.1}", first.0, first.1);
    let mut at = *first;
    for (x, y) in rest {
        if (y - at.1).abs() < 0.05 {
            let _ = write!(out, " H{x:.1}");
        } else {
            let middle = f64::midpoint(at.0, *x);
            let _ = write!(out, " C{middle:.1} {:.1} {middle:.1} {y:.1} {x:.1} {y:.1}", at.1);
        }
        at = (*x, *y);
    }
    let end = if to_point { String::new() } else { format!(" marker-end=\"url(#{})\"", marker(cause)) };
    let _ = writeln!(out, "\" {}{end}><title>{}</title></path>", stroke(cause), escaped(why));
}

fn paint_box(out: &mut String, drawn: &Drawn, placed: &Placed) {
    let Placed { x, y, width, height } = *placed;
    if drawn.is_point {
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\" fill=\"#ffffff\" stroke=\"{}\" stroke-width=\"2\"><title>{}</title></circle>",
            x + width / 2.0,
            y + height / 2.0,
            height / 2.0,
            drawn.colour,
            escaped(&drawn.what)
        );
        return;
    }
    let _ = writeln!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"8\" fill=\"#ffffff\" stroke=\"{0}\" stroke-width=\"1.5\"/>\n\
         <path d=\"M{x:.1} {1:.1} v-{2:.1} a8 8 0 0 1 8 -8 h{3:.1} a8 8 0 0 1 8 8 v{2:.1} z\" fill=\"{0}\" fill-opacity=\"0.12\"/>",
        drawn.colour,
        y + drawn.head() - 6.0,
        drawn.head() - 14.0,
        width - 16.0,
    );
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"13\" font-weight=\"700\" fill=\"{}\">{}</text>",
        x + 12.0,
        y + 19.0,
        drawn.colour,
        escaped(&drawn.what)
    );
    if !drawn.chart.is_empty() {
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\" fill=\"#475569\">{}</text>",
            x + 12.0,
            y + 36.0,
            escaped(&drawn.chart)
        );
    }
    let mut line = y + drawn.head() + 12.0;
    for (verb, text) in &drawn.lines {
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{line:.1}\" font-size=\"12\" font-family=\"{MONO}\" fill=\"#0f172a\" xml:space=\"preserve\">\
             <tspan fill=\"{}\" font-weight=\"700\">{}</tspan> {}</text>",
            x + 12.0,
            palette::of_verb(*verb),
            escaped(&verb.sign().to_string()),
            escaped(text)
        );
        line += LINE;
    }
    if let Some(more) = &drawn.more {
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{line:.1}\" font-size=\"12\" font-family=\"{MONO}\" fill=\"#64748b\">{}</text>",
            x + 12.0,
            escaped(more)
        );
    }
}

/// What colours and lines mean, as far as they occur: colour, words, and the cause if it is a line.
fn legend(view: &View, lines: &[Line<'_>]) -> Vec<(&'static str, &'static str, Option<Cause>)> {
    let used: Vec<&str> =
        view.groups.iter().filter(|group| group.kind != GroupKind::Meeting).map(palette::of_group).collect();
    let colours = palette::LEGEND.iter().filter(|(colour, _)| used.contains(colour));
    let mut legend: Vec<_> = colours.map(|(colour, text)| (*colour, *text, None)).collect();
    for (cause, text) in [
        (Cause::Declared, "declared"),
        (Cause::Physical, "how clusters work"),
        (Cause::Inferred, "needed to exist"),
        (Cause::Default, "by default"),
    ] {
        if lines.iter().any(|(.., after)| after.cause == cause) {
            legend.push(("", text, Some(cause)));
        }
    }
    legend
}

fn paint_legend(out: &mut String, legend: &[(&'static str, &'static str, Option<Cause>)], y: f64) {
    let mut x = MARGIN;
    for (colour, text, cause) in legend {
        match cause {
            None => {
                let _ = writeln!(
                    out,
                    "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"14\" height=\"12\" rx=\"3\" fill=\"{colour}\" \
                     fill-opacity=\"0.25\" stroke=\"{colour}\"/>",
                    y - 10.0
                );
            }
            Some(cause) => {
                let _ = writeln!(
                    out,
                    "<path d=\"M{x:.1} {0:.1} h22\" {1} marker-end=\"url(#{2})\"/>",
                    y - 4.0,
                    stroke(*cause),
                    marker(*cause)
                );
            }
        }
        let text_x = x + if cause.is_some() { 28.0 } else { 20.0 };
        let _ = writeln!(
            out,
            "<text x=\"{text_x:.1}\" y=\"{y:.1}\" font-size=\"12\" fill=\"#475569\">{text}</text>"
        );
        x = text_x + text.chars().count() as f64 * 6.6 + 16.0;
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML has no place for other control characters.
            character if character.is_control() => escaped.push(' '),
            character => escaped.push(character),
        }
    }
    escaped
}
