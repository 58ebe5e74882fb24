//! Logs with structure, on standard error: as text for people, or as JSON for programs.

use std::str::FromStr;

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::Identity;
use tracing_subscriber::prelude::*;
use tracing_subscriber::{Layer, Registry};

/// In which form logs are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object in each line.
    Json,
}

/// A word that names no level.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown level {0:?}; there are error, warn, info, debug and trace")]
pub struct UnknownLevel(String);

/// Begins to write logs of a level and all that is worse. Only the first call in a process counts.
pub fn begin(form: Form, level: &str) -> Result<(), UnknownLevel> {
    begin_beside(form, level, None::<Identity>)
}

/// The same beside something else that is to be told.
pub(crate) fn begin_beside(
    form: Form,
    level: &str,
    other: Option<impl Layer<Registry> + Send + Sync>,
) -> Result<(), UnknownLevel> {
    let level = LevelFilter::from_str(level).map_err(|_| UnknownLevel(level.to_owned()))?;
    let registry = tracing_subscriber::registry().with(other);
    let lines = fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    // That somebody else writes logs already is their choice.
    let _ = match form {
        Form::Text => registry.with(lines.with_filter(level)).try_init(),
        Form::Json => registry.with(lines.json().with_filter(level)).try_init(),
    };
    Ok(())
}
