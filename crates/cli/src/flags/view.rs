//! The flags that say how a plan is shown.

use std::str::FromStr;

use clap::Args;

use super::OutputFormat;

/// How a plan is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ViewFormat {
    /// For people at a terminal.
    #[default]
    Text,
    /// One line of JSON.
    Json,
    /// YAML.
    Yaml,
    /// For Graphviz.
    Dot,
    /// For Mermaid.
    Mermaid,
    /// A picture.
    Svg,
}

impl FromStr for ViewFormat {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            "yaml" => Ok(Self::Yaml),
            "dot" => Ok(Self::Dot),
            "mermaid" => Ok(Self::Mermaid),
            "svg" => Ok(Self::Svg),
            _ => Err("must be one of: text, json, yaml, dot, mermaid, svg"),
        }
    }
}

/// Format, file and size of what is shown.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "What is printed")]
pub(crate) struct ViewFlags {
    /// Print as text, json, yaml, dot, mermaid or svg
    #[arg(short = 'o', long = "output", value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ViewFormat,

    /// Write it to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output_file: Option<String>,

    /// Name at most so many objects of a group: 8 in pictures if not given, all otherwise
    #[arg(long, value_name = "COUNT")]
    pub(crate) limit: Option<usize>,
}

impl ViewFlags {
    /// Shows a plan as something else would be printed.
    pub(crate) fn of(format: OutputFormat) -> Self {
        let format = match format {
            OutputFormat::Table => ViewFormat::Text,
            OutputFormat::Json => ViewFormat::Json,
            OutputFormat::Yaml => ViewFormat::Yaml,
        };
        Self { format, ..Self::default() }
    }
}
