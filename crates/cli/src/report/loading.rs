//! Charts and values that cannot be read.

use std::path::Path;

use chart::DecodeError;
use chart::load::{ArchiveError, LoadError, ValuesFileError};
use chart::remote::RemoteError;
use chart::remote::dependency::DependencyError;
use chart::remote::repo::RepositoryError;
use chart::values::ValuesError;
use goyaml::Document;

use super::{Failure, Snippet};

/// A path as a user would write it: relative to the current directory if it is below it.
pub(crate) fn short(path: &Path) -> String {
    let current = std::env::current_dir().unwrap_or_default();
    match path.strip_prefix(&current) {
        Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
        Ok(inside) => inside.display().to_string(),
        Err(_) => path.display().to_string(),
    }
}

/// The failure that a chart which cannot be loaded means for a user.
pub(crate) fn loading(error: &LoadError, path: &Path) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        LoadError::NotDetected { .. } => {
            failure.hint("a chart is a directory with a Chart.yaml, or an archive made of one")
        }
        LoadError::Values(source) => failure.at(values_snippet(&path.join("values.yaml"), source)),
        LoadError::Yaml { file, source } => failure.at(decoding_snippet(&path.join(file), source)),
        LoadError::Metadata(refused) => failure.at(field_snippet(&path.join("Chart.yaml"), &refused.field)),
        // Helm keeps the cause to itself.
        LoadError::Archive(cause) => failure.hint(format!("{cause}: {}", archive_advice(cause))),
        LoadError::NoChartYaml => failure
            .hint("an archive holds one directory, with a Chart.yaml in it; 'slipway package' makes one"),
        LoadError::Subchart { source, .. } => match source.as_ref() {
            LoadError::PackedSubchart(cause) => failure.hint(archive_advice(cause)),
            _ => failure,
        },
        LoadError::NotGzip { .. }
        | LoadError::NotAChartFile { .. }
        | LoadError::YamlInsteadOfArchive { .. } => {
            failure.hint("charts are directories, or .tgz archives made by 'slipway package'")
        }
        _ => failure,
    }
}

/// What to do about an archive that cannot be unpacked.
fn archive_advice(cause: &ArchiveError) -> String {
    match cause {
        ArchiveError::AbsolutePath { path }
        | ArchiveError::ParentDirectory { path }
        | ArchiveError::IllegalName { path } => {
            format!("the archive has a file named {path:?}; do not trust it")
        }
        ArchiveError::OutsideBase { .. } | ArchiveError::NoBaseDirectory => {
            "an archive holds one directory, with everything in it; 'slipway package' makes one".to_owned()
        }
        ArchiveError::TooLarge { .. } | ArchiveError::TooManyFiles { .. } => {
            "leave out of it what is no part of the chart, with a .helmignore".to_owned()
        }
        _ => "the file is damaged or was not made by 'package': fetch it again".to_owned(),
    }
}

fn values_snippet(file: &Path, error: &ValuesFileError) -> Option<Snippet> {
    match error {
        ValuesFileError::Separator { line, .. } => snippet(file, *line),
        ValuesFileError::Document { source: DecodeError::Yaml(yaml), first_line } => {
            let line = yaml.line()?;
            snippet(file, first_line + line - 1)
        }
        ValuesFileError::Document { .. } => None,
    }
}

fn decoding_snippet(file: &Path, error: &DecodeError) -> Option<Snippet> {
    match error {
        DecodeError::Yaml(yaml) => snippet(file, yaml.line()?),
        DecodeError::Mismatch { field, .. } => field_snippet(file, field),
    }
}

fn field_snippet(file: &Path, field: &str) -> Option<Snippet> {
    let text = std::fs::read_to_string(file).ok()?;
    let path: Vec<&str> = field.split('.').collect();
    let position = Document::parse(&text).ok()?.value_position(&path)?;
    Snippet::new(&short(file), &text, position.line, Some(position.column))
}

/// The line of a file; the parser may name the one after the last.
fn snippet(file: &Path, line: usize) -> Option<Snippet> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = line.min(text.lines().count());
    Snippet::new(&short(file), &text, line, None)
}

impl From<ValuesError> for Failure {
    fn from(error: ValuesError) -> Self {
        let failure = Self::new(error.to_string());
        match &error {
            ValuesError::File { file, source } => failure.at(values_snippet(Path::new(file), source)),
            ValuesError::Set { flag: "set-file", .. } => failure.hint("--set-file takes key=path,key=path"),
            ValuesError::Set { .. } => {
                failure.hint("write key=value, with a backslash before commas in the value")
            }
            ValuesError::Json { .. } | ValuesError::JsonObject { .. } => {
                failure.hint("write key=json or one JSON object, in single quotes for the shell")
            }
            _ => failure,
        }
    }
}

impl From<RemoteError> for Failure {
    fn from(error: RemoteError) -> Self {
        // The libraries speak Helm's words; the commands to run are ours.
        let failure = Self::new(error.to_string().replace("'helm ", "'slipway "));
        match &error {
            RemoteError::NoRepositoryName { reference } => failure.hint(format!(
                "there is no file or directory {reference} here; a chart of a repository is written repo/name"
            )),
            RemoteError::UnknownRepository { name } => failure.hint(format!(
                "'slipway repo list' shows the repositories; 'slipway repo add {name} URL' adds one"
            )),
            RemoteError::NotCached(_) | RemoteError::NotInIndex { .. } => {
                failure.hint("'slipway repo update' fetches the newest index")
            }
            RemoteError::NoScheme | RemoteError::Scheme { .. } => failure.hint("write oci://host/path"),
            _ => failure,
        }
    }
}

impl From<RepositoryError> for Failure {
    fn from(error: RepositoryError) -> Self {
        RemoteError::from(error).into()
    }
}

impl From<DependencyError> for Failure {
    fn from(error: DependencyError) -> Self {
        let failure = Self::new(error.to_string().replace("'helm ", "'slipway "));
        match &error {
            DependencyError::Packed => failure.hint("unpack the chart first: 'slipway pull --untar' does so"),
            _ => failure,
        }
    }
}
