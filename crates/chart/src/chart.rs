//! A chart as loaded: its metadata, files and subcharts.

use std::sync::Arc;

use bytes::Bytes;
use goyaml::Mapping;

use crate::{Dependency, File, Lock, Metadata};

/// The generations of the chart format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ApiVersion {
    /// Helm 2's: dependencies live in `requirements.yaml`.
    V1,
    /// The format of Helm 3 and 4.
    V2,
    /// The next format.
    V3,
}

/// A chart and, inside it, the charts it depends on.
///
/// Cloning shares the bytes of the files and the default values.
#[derive(Debug, Clone, Default)]
pub struct Chart {
    /// What `Chart.yaml` says (and, for old charts, `requirements.yaml`).
    pub metadata: Metadata,
    /// `Chart.lock` or `requirements.lock`.
    pub lock: Option<Lock>,
    /// Everything that was in the directory or archive, for showing and packaging.
    pub raw: Vec<File>,
    /// The files under `templates/`.
    pub templates: Vec<File>,
    /// The default values; `None` when there is no `values.yaml`.
    pub values: Option<Arc<Mapping>>,
    /// `values.schema.json`.
    pub schema: Option<Bytes>,
    /// All other files, which templates reach by `.Files`.
    pub files: Vec<File>,
    /// The charts in `charts/`.
    pub dependencies: Vec<Chart>,
}

impl Chart {
    /// The name, which an alias may have replaced.
    pub fn name(&self) -> &str {
        &self.metadata.name
    }

    /// The generation of the format the chart is written in.
    pub fn api_version(&self) -> ApiVersion {
        match self.metadata.api_version.as_str() {
            "v3" => ApiVersion::V3,
            "v2" => ApiVersion::V2,
            _ => ApiVersion::V1,
        }
    }

    /// Whether it only lends named templates to other charts.
    pub fn is_library(&self) -> bool {
        self.metadata.chart_type.eq_ignore_ascii_case("library")
    }

    /// The dependencies that `Chart.yaml` declares.
    pub fn declared(&self) -> &[Dependency] {
        self.metadata.dependencies.as_deref().unwrap_or_default()
    }

    /// The file of this name among everything that was loaded.
    pub fn raw_file(&self, name: &str) -> Option<&File> {
        self.raw.iter().find(|file| file.name == name)
    }
}
