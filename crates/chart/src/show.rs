//! What `show` prints of a chart.

use std::fmt::Write as _;

use crate::render::is_crd;
use crate::{Chart, File, Metadata};

/// Which part of a chart is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// `Chart.yaml`.
    Chart,
    /// `values.yaml`, comments and all.
    Values,
    /// The README.
    Readme,
    /// The files of `crds/`, of subcharts too.
    Crds,
    /// All of these.
    All,
}

/// The text of a part of a chart.
pub fn show(chart: &Chart, part: Part) -> Result<String, goyaml::Error> {
    let wanted = |this: Part| part == this || part == Part::All;
    let is_all = part == Part::All;
    let mut text = String::new();
    // Writing to a string cannot fail.
    if wanted(Part::Chart) {
        let _ = writeln!(text, "{}", metadata_yaml(&chart.metadata)?);
    }
    if wanted(Part::Values) && chart.values.is_some() {
        if is_all {
            text.push_str("---\n");
        }
        for file in chart.raw.iter().filter(|file| file.name == "values.yaml") {
            let _ = writeln!(text, "{}", file.text());
        }
    }
    if wanted(Part::Readme)
        && let Some(readme) = readme(chart)
    {
        if is_all {
            text.push_str("---\n");
        }
        let _ = writeln!(text, "{}", readme.text());
    }
    if wanted(Part::Crds) {
        show_crds(chart, &mut text);
    }
    Ok(text)
}

/// The metadata as `Chart.yaml` has it.
pub fn metadata_yaml(metadata: &Metadata) -> Result<String, goyaml::Error> {
    goyaml::to_string(metadata)
}

fn readme(chart: &Chart) -> Option<&File> {
    let is_readme =
        |name: &str| ["readme.md", "readme.txt", "readme"].iter().any(|n| name.eq_ignore_ascii_case(n));
    chart.files.iter().find(|file| is_readme(&file.name))
}

fn show_crds(chart: &Chart, text: &mut String) {
    for file in chart.files.iter().filter(|file| is_crd(&file.name)) {
        if !file.data.starts_with(b"---") {
            text.push_str("---\n");
        }
        let _ = writeln!(text, "{}", file.text());
    }
    for subchart in &chart.dependencies {
        show_crds(subchart, text);
    }
}
