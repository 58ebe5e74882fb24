//! Why a chart could not be rendered.

use crate::checks::NameError;
use crate::prepare::CoalesceError;
use crate::schema::SchemaError;

/// Why a chart could not be rendered; the words are Helm's, but for schemas.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The release cannot be called that.
    #[error("release name check failed: {0}")]
    ReleaseName(#[source] NameError),
    /// Values and subcharts do not fit while dependencies are sorted out.
    #[error("chart dependencies processing failed: {0}")]
    Dependencies(#[source] CoalesceError),
    /// Values and subcharts do not fit.
    #[error(transparent)]
    Values(CoalesceError),
    /// A schema refuses the values.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The chart is not for this version of Kubernetes.
    #[error("chart requires kubeVersion: {required} which is incompatible with Kubernetes {found}")]
    KubeVersion {
        /// The range the chart asks for.
        required: String,
        /// The version there is.
        found: String,
    },
    /// A template cannot be parsed or executed.
    #[error(transparent)]
    Template(#[from] gotmpl::helm::RenderError),
    /// What a template wrote is no YAML.
    #[error("YAML parse error on {path}: {source}")]
    Yaml {
        /// The template.
        path: String,
        /// What the reader says.
        source: goyaml::Error,
        /// The document that was rendered.
        document: String,
        /// All that was rendered, for whoever wants to look.
        rendered: super::Files,
    },
    /// The post-renderer, or what came back from it, is at fault.
    #[error("{message}")]
    PostRender {
        /// Helm's words.
        message: String,
    },
}
