//! The flags that override a chart's values.

use clap::Args;

/// Values given on the command line.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Values")]
pub(crate) struct ValuesFlags {
    /// YAML file or URL with values, `-` for standard input (several: the last one wins)
    #[arg(short = 'f', long, value_name = "FILE")]
    pub(crate) values: Vec<String>,

    /// Set values: key=value,list[0].key=value
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// Set values that stay strings
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set_string: Vec<String>,

    /// Set values to the contents of files
    #[arg(long, value_name = "KEY=FILE")]
    pub(crate) set_file: Vec<String>,

    /// Set values from JSON: key=json, or one JSON object
    #[arg(long, value_name = "JSON")]
    pub(crate) set_json: Vec<String>,

    /// Set a string exactly as it is written, commas and all
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set_literal: Vec<String>,
}
