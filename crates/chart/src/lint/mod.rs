//! Examining a chart for what is wrong, or may go wrong, with it.
//!
//! The rules, their order and their words are Helm's: `Chart.yaml`, the values, the templates as they render in lint
//! mode, the dependencies, and the definitions in `crds/`.

mod chart_yaml;
mod crds;
mod dependencies;
mod deprecated;
mod document;
mod names;
mod templates;
mod url;
mod values;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use gotmpl::functions::Environment;
use goyaml::Mapping;

use crate::capabilities::KubeVersion;
use crate::path::io_message;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Against good practice, but likely to work.
    Warning,
    /// Not likely to work.
    Error,
}

impl std::fmt::Display for Severity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Info => "INFO",
            Self::Warning => "WARNING",
            Self::Error => "ERROR",
        })
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// The file, relative to the chart; for dependencies the chart's directory.
    pub path: String,
    /// What is wrong.
    pub text: String,
}

impl std::fmt::Display for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[{}] {}: {}", self.severity, self.path, self.text)
    }
}

/// How to lint.
pub struct LintOptions {
    /// The namespace that templates see.
    pub namespace: String,
    /// The version of Kubernetes for capabilities and deprecations; the default one if absent.
    pub kube_version: Option<KubeVersion>,
    /// Whether schemas are passed over.
    pub skip_schema_validation: bool,
    /// Clock, randomness and the rest for templates.
    pub environment: Rc<dyn Environment>,
}

/// What cannot be linted at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LintError {
    /// There is no chart there.
    #[error("unable to check Chart.yaml file in chart: stat {}: {}", path.display(), io_message(source))]
    NoChart {
        /// Where `Chart.yaml` should be.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The archive cannot be opened.
    #[error("unable to open tarball: open {}: {}", path.display(), io_message(source))]
    Open {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The archive cannot be unpacked.
    #[error("unable to extract tarball: {message}")]
    Extract {
        /// What is wrong with it.
        message: String,
    },
}

/// Lints a chart: a directory, or an archive that is unpacked for it.
pub fn lint(path: &Path, values: &Mapping, options: &LintOptions) -> Result<Vec<Message>, LintError> {
    let name = path.to_string_lossy();
    if name.ends_with(".tgz") || name.ends_with(".tar.gz") {
        let unpacked = unpack(path)?;
        let chart = first_directory(unpacked.path())?;
        return lint_directory(&chart, values, options);
    }
    lint_directory(path, values, options)
}

fn lint_directory(path: &Path, values: &Mapping, options: &LintOptions) -> Result<Vec<Message>, LintError> {
    let chart_yaml = path.join("Chart.yaml");
    if let Err(source) = std::fs::metadata(&chart_yaml) {
        return Err(LintError::NoChart { path: chart_yaml, source });
    }
    let directory = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut findings = Findings::default();
    chart_yaml::check(&directory, &mut findings);
    values::check(&directory, values, options, &mut findings);
    templates::check(&directory, values, options, &mut findings);
    dependencies::check(&directory, &mut findings);
    crds::check(&directory, &mut findings);
    Ok(findings.0)
}

fn unpack(path: &Path) -> Result<tempfile::TempDir, LintError> {
    let data = std::fs::read(path).map_err(|source| LintError::Open { path: path.to_owned(), source })?;
    let extract = |message: String| LintError::Extract { message };
    let directory = tempfile::tempdir().map_err(|error| extract(error.to_string()))?;
    let files = crate::load::read_archive(&data).map_err(|error| extract(error.to_string()))?;
    for file in files {
        let target = directory.path().join("chart").join(&file.name);
        let write = || -> std::io::Result<()> {
            target.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(&target, &file.data)
        };
        write().map_err(|error| extract(error.to_string()))?;
    }
    Ok(directory)
}

fn first_directory(path: &Path) -> Result<PathBuf, LintError> {
    let chart = path.join("chart");
    if chart.is_dir() { Ok(chart) } else { Err(LintError::Extract { message: "empty archive".to_owned() }) }
}

/// The findings so far.
#[derive(Default)]
struct Findings(Vec<Message>);

impl Findings {
    /// Notes a finding if there is one; true if there was none.
    fn check(&mut self, severity: Severity, path: &str, result: Result<(), String>) -> bool {
        match result {
            Ok(()) => true,
            Err(text) => {
                self.0.push(Message { severity, path: path.to_owned(), text });
                false
            }
        }
    }

    fn error(&mut self, path: &str, result: Result<(), String>) -> bool {
        self.check(Severity::Error, path, result)
    }

    fn warning(&mut self, path: &str, result: Result<(), String>) -> bool {
        self.check(Severity::Warning, path, result)
    }
}

/// An objection, if the condition holds.
fn refuse_if(condition: bool, text: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Err(text()) } else { Ok(()) }
}
