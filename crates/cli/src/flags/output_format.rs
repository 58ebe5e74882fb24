//! The `--output` flag.

use std::str::FromStr;

use clap::Args;

/// How a list is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    /// For people.
    #[default]
    Table,
    /// One line of JSON.
    Json,
    /// YAML.
    Yaml,
}

impl FromStr for OutputFormat {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "table" => Ok(Self::Table),
            "json" => Ok(Self::Json),
            "yaml" => Ok(Self::Yaml),
            _ => Err("invalid format type"),
        }
    }
}

/// The flag alone, for commands that list something.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct OutputFormatFlag {
    /// Print as table, json or yaml
    #[arg(short = 'o', long = "output", value_name = "FORMAT", default_value = "table")]
    pub(crate) format: OutputFormat,
}
