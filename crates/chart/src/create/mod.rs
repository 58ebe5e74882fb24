//! A new chart: a small web application that renders, lints and installs as it is.

use std::path::{Path, PathBuf};

use goyaml::strconv;

use crate::load::load;
use crate::path::io_message;
use crate::show::metadata_yaml;
use crate::{LoadError, Metadata, package};

/// Stands for the chart's name in the files of a starter.
const PLACEHOLDER: &str = "<CHARTNAME>";
const MAX_NAME: usize = 250;

/// The files of a new chart, in the order they are written.
const FILES: &[(&str, &str)] = &[
    ("Chart.yaml", include_str!("starter/Chart.yaml")),
    ("values.yaml", include_str!("starter/values.yaml")),
    (".helmignore", include_str!("starter/helmignore")),
    ("templates/ingress.yaml", include_str!("starter/templates/ingress.yaml")),
    ("templates/httproute.yaml", include_str!("starter/templates/httproute.yaml")),
    ("templates/deployment.yaml", include_str!("starter/templates/deployment.yaml")),
    ("templates/service.yaml", include_str!("starter/templates/service.yaml")),
    ("templates/serviceaccount.yaml", include_str!("starter/templates/serviceaccount.yaml")),
    ("templates/hpa.yaml", include_str!("starter/templates/hpa.yaml")),
    ("templates/NOTES.txt", include_str!("starter/templates/NOTES.txt")),
    ("templates/_helpers.tpl", include_str!("starter/templates/_helpers.tpl")),
    ("templates/tests/test-connection.yaml", include_str!("starter/templates/tests/test-connection.yaml")),
];

/// Why a chart cannot be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateError {
    /// Too short or too long.
    #[error("chart name must be between 1 and {MAX_NAME} characters")]
    NameLength,
    /// Characters that make trouble.
    #[error("chart name must match the regular expression \"^[a-zA-Z0-9._-]+$\"")]
    NameCharacters,
    /// A file is in the way.
    #[error("file {} already exists and is not a directory", .0.display())]
    InTheWay(PathBuf),
    /// The directory to create it in is none.
    #[error("stat {}: {}", path.display(), io_message(source))]
    Directory {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file cannot be written.
    #[error("open {}: {}", path.display(), io_message(source))]
    Write {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The starter cannot be loaded.
    #[error("could not load {}: {source}", path.display())]
    Starter {
        /// Where it is.
        path: PathBuf,
        /// What is wrong with it.
        source: LoadError,
    },
    /// The metadata cannot be written.
    #[error(transparent)]
    Yaml(#[from] goyaml::Error),
    /// A subchart of the starter cannot be packed.
    #[error(transparent)]
    Subchart(#[from] package::PackageError),
}

/// A chart that was created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// Where it is.
    pub path: PathBuf,
    /// Helm's words for files that were there already.
    pub warnings: Vec<String>,
}

/// Creates a chart called `name` in a directory that exists.
pub fn create(name: &str, directory: &Path) -> Result<Created, CreateError> {
    check_name(name)?;
    let parent = |source| CreateError::Directory { path: directory.to_owned(), source };
    let directory = std::path::absolute(directory).map_err(parent)?;
    std::fs::metadata(&directory).map_err(parent)?;
    let path = directory.join(name);
    if path.exists() && !path.is_dir() {
        return Err(CreateError::InTheWay(path));
    }
    let mut warnings = Vec::new();
    for (file, text) in FILES {
        let target = path.join(file);
        if target.exists() {
            let shown = strconv::quote(&target.to_string_lossy());
            warnings.push(format!("WARNING: File {shown} already exists. Overwriting."));
        }
        write(&target, text.replace(PLACEHOLDER, name).as_bytes())?;
    }
    let charts = path.join("charts");
    std::fs::create_dir_all(&charts).map_err(|source| CreateError::Write { path: charts, source })?;
    Ok(Created { path, warnings })
}

/// Creates a chart from a starter: another chart in whose files a placeholder stands for the name.
pub fn create_from(metadata: &Metadata, directory: &Path, starter: &Path) -> Result<Created, CreateError> {
    let loaded = load(starter).map_err(|source| CreateError::Starter { path: starter.to_owned(), source })?;
    let chart = loaded.chart;
    let path = directory.join(&metadata.name);
    if path.exists() && !path.is_dir() {
        return Err(CreateError::InTheWay(path));
    }
    let filled = |text: &str| text.replace(PLACEHOLDER, &metadata.name);
    write(&path.join("Chart.yaml"), metadata_yaml(metadata)?.as_bytes())?;
    if let Some(values) = chart.raw_file("values.yaml") {
        write(&path.join("values.yaml"), filled(&values.text()).as_bytes())?;
    }
    if let Some(schema) = &chart.schema {
        write(&path.join("values.schema.json"), schema)?;
    }
    for template in &chart.templates {
        write(&path.join(&template.name), filled(&template.text()).as_bytes())?;
    }
    for file in &chart.files {
        write(&path.join(&file.name), &file.data)?;
    }
    for subchart in &chart.dependencies {
        package::save(subchart, &path.join("charts"))?;
    }
    Ok(Created { path, warnings: Vec::new() })
}

fn check_name(name: &str) -> Result<(), CreateError> {
    if name.is_empty() || name.len() > MAX_NAME {
        return Err(CreateError::NameLength);
    }
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.chars().all(legal) { Ok(()) } else { Err(CreateError::NameCharacters) }
}

fn write(path: &Path, data: &[u8]) -> Result<(), CreateError> {
    let io = |source| CreateError::Write { path: path.to_owned(), source };
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(io)?;
    }
    std::fs::write(path, data).map_err(io)
}
