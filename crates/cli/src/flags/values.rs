//! The flags that override a chart's values.

use std::io::Read as _;

use chart::values::{Source, ValueOptions};
use clap::Args;
use goyaml::Mapping;

use crate::context::Context;
use crate::go_flags::comma_separated;
use crate::network::wait;
use crate::report::Failure;

/// Values given on the command line.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Values")]
pub(crate) struct ValuesFlags {
    /// YAML file or URL with values, `-` for standard input (several: the last one wins)
    #[arg(short = 'f', long, value_name = "FILE")]
    pub(crate) values: Vec<String>,

    /// Set values: key=value,key.key=value; several are separated by commas
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

impl ValuesFlags {
    /// Reads the files and lays the flags over each other, in Helm's order.
    pub(crate) fn merge(&self, context: &Context) -> Result<Mapping, Failure> {
        let options = ValueOptions {
            files: comma_separated(&self.values),
            json: self.set_json.clone(),
            set: self.set.clone(),
            strings: self.set_string.clone(),
            from_files: self.set_file.clone(),
            literals: self.set_literal.clone(),
        };
        let mut read = |source: Source<'_>| match source {
            Source::Stdin => read_stdin().map_err(|error| error.to_string()),
            Source::Location(location) => read_location(location, context),
        };
        Ok(options.merge(&mut read)?)
    }
}

fn read_stdin() -> std::io::Result<Vec<u8>> {
    let mut contents = Vec::new();
    std::io::stdin().read_to_end(&mut contents)?;
    Ok(contents)
}

/// A file of this machine without further ado; for addresses, and for the words of an error, the library.
fn read_location(location: &str, context: &Context) -> Result<Vec<u8>, String> {
    if let Ok(contents) = std::fs::read(location) {
        return Ok(contents);
    }
    let remote = context.remote();
    let fetched = wait(remote.read_file(location)).map_err(|failure| failure.message().to_owned())?;
    fetched.map_err(|error| error.to_string())
}
