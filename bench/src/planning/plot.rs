//! How times grow with what is declared: as text, and drawn on logarithmic axes, where a straight line of slope one is
//! linear growth.

use std::fmt::Write as _;
use std::time::Duration;

use super::cost::{Cost, TIMES};

const COLOURS: [&str; 6] = ["#475569", "#15803d", "#b91c1c", "#7c3aed", "#0f766e", "#b45309"];
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
/// Left, top, right and bottom of the plot inside of the picture.
const PLOT: (f64, f64, f64, f64) = (70.0, 40.0, 600.0, 370.0);

/// By which power of the declarations each time grows from size to size: one is linear, two is quadratic.
pub(super) fn growth(costs: &[Cost]) -> String {
    let mut text = String::from(
        "power of growth, where 1 is linear in the declarations (in large sets more of them differ: see the edges):\n",
    );
    for pair in costs.windows(2) {
        let (one, other) = (&pair[0], &pair[1]);
        let factor = other.declarations as f64 / one.declarations as f64;
        let _ = write!(text, "{:>9} to {:>9}:", one.declarations, other.declarations);
        for (name, (before, after)) in TIMES.iter().zip(one.times().into_iter().zip(other.times())) {
            let power = (after.as_secs_f64() / before.as_secs_f64()).ln() / factor.ln();
            let _ = write!(text, "  {name} {power:.2}");
        }
        text.push('\n');
    }
    text
}

/// The picture.
pub(super) fn svg(costs: &[Cost]) -> String {
    let axes = Axes::around(costs);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n<text x=\"{}\" y=\"22\" font-size=\"14\">Time over declarations; the dashed line is linear</text>\n",
        PLOT.0
    );
    axes.grid(&mut out);
    axes.linear(costs, &mut out);
    for (number, name) in TIMES.iter().enumerate() {
        let colour = COLOURS[number];
        let points: Vec<(f64, f64)> =
            costs.iter().map(|cost| axes.at(cost.declarations, cost.times()[number])).collect();
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        for (x, y) in &points {
            let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
        }
        let y = PLOT.1 + 18.0 * number as f64 + 10.0;
        let last = costs.last().map(|cost| cost.times()[number]).unwrap_or_default();
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{y}\" fill=\"{colour}\">{name}: {:.0} ms</text>",
            PLOT.2 + 16.0,
            last.as_secs_f64() * 1e3
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Powers of ten that hold all points.
struct Axes {
    declarations: (i32, i32),
    milliseconds: (i32, i32),
}

impl Axes {
    fn around(costs: &[Cost]) -> Self {
        let range = |values: Vec<f64>| {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min).log10().floor();
            let high = values.iter().copied().fold(1e-3, f64::max).log10().ceil();
            (low.clamp(-3.0, 9.0) as i32, (high as i32).max(low.clamp(-3.0, 9.0) as i32 + 1))
        };
        let times = costs.iter().flat_map(Cost::times).map(|time| time.as_secs_f64() * 1e3);
        Self {
            declarations: range(costs.iter().map(|cost| cost.declarations as f64).collect()),
            milliseconds: range(times.collect()),
        }
    }

    fn at(&self, declarations: u64, time: Duration) -> (f64, f64) {
        self.point((declarations as f64).log10(), (time.as_secs_f64() * 1e3).log10())
    }

    fn point(&self, declarations: f64, milliseconds: f64) -> (f64, f64) {
        let share = |value: f64, (low, high): (i32, i32)| (value - f64::from(low)) / f64::from(high - low);
        let (left, top, right, bottom) = PLOT;
        (
            left + share(declarations, self.declarations) * (right - left),
            bottom - share(milliseconds, self.milliseconds) * (bottom - top),
        )
    }

    fn grid(&self, out: &mut String) {
        let (left, top, right, bottom) = PLOT;
        for power in self.declarations.0..=self.declarations.1 {
            let (x, _) = self.point(f64::from(power), f64::from(self.milliseconds.0));
            let _ = writeln!(
                out,
                "<path d=\"M{x:.1},{top}V{bottom}\" stroke=\"#e2e8f0\"/><text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                bottom + 18.0,
                thousands(power)
            );
        }
        for power in self.milliseconds.0..=self.milliseconds.1 {
            let (_, y) = self.point(f64::from(self.declarations.0), f64::from(power));
            let _ = writeln!(
                out,
                "<path d=\"M{left},{y:.1}H{right}\" stroke=\"#e2e8f0\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{} ms</text>",
                left - 8.0,
                y + 4.0,
                10_f64.powi(power)
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">declarations</text>",
            f64::midpoint(left, right),
            bottom + 38.0
        );
    }

    /// What installing would take if it grew as the declarations do.
    fn linear(&self, costs: &[Cost], out: &mut String) {
        let (Some(first), Some(last)) = (costs.first(), costs.last()) else { return };
        let factor = last.declarations as f64 / first.declarations.max(1) as f64;
        let (x, y) = self.at(first.declarations, first.install);
        let (to_x, to_y) = self.at(last.declarations, first.install.mul_f64(factor));
        let _ = writeln!(
            out,
            "<path d=\"M{x:.1},{y:.1}L{to_x:.1},{to_y:.1}\" stroke=\"#94a3b8\" stroke-dasharray=\"5 4\"/>"
        );
    }
}

/// `10,000` for four.
fn thousands(power: i32) -> String {
    let digits = 10_u64.pow(power.max(0).unsigned_abs()).to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
