//! What `Chart.yaml` and `Chart.lock` hold.

use std::collections::BTreeMap;

use goyaml::Value;
use serde::Serialize;

/// The contents of `Chart.yaml`. Absent texts are empty, as Helm has them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// The chart's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The project's page.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub home: String,
    /// Where its sources are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// The chart's own version (semver).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// One sentence about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Who looks after it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub maintainers: Vec<Maintainer>,
    /// Address of its icon.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub icon: String,
    /// The format's generation: `v1`, `v2` or `v3`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    /// Unused by Helm, kept for faithfulness.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub condition: String,
    /// Unused by Helm, kept for faithfulness.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tags: String,
    /// The version of what the chart installs.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub app_version: String,
    /// Whether its authors have given it up.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deprecated: bool,
    /// Free notes for other programs.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// Which versions of Kubernetes it supports (semver range).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kube_version: String,
    /// The charts it needs; `None` when the key is absent.
    #[serde(skip_serializing_if = "no_dependencies")]
    pub dependencies: Option<Vec<Dependency>>,
    /// `application`, `library`, or empty for `application`.
    #[serde(rename = "type", skip_serializing_if = "String::is_empty")]
    pub chart_type: String,
}

#[expect(clippy::ref_option, reason = "the signature serde asks for")]
fn no_dependencies(dependencies: &Option<Vec<Dependency>>) -> bool {
    dependencies.as_ref().is_none_or(Vec::is_empty)
}

/// Somebody who looks after a chart.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Maintainer {
    /// Name of a person or organisation.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Address to write to.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub email: String,
    /// Page of theirs.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub url: String,
}

/// One chart that a chart needs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Dependency {
    /// The name in the dependency's own `Chart.yaml`; after aliases are applied, the alias.
    pub name: String,
    /// Version or range; in a lock, the exact version.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// Address of the repository; empty for a chart that lies in `charts/`.
    pub repository: String,
    /// Paths of booleans in the values, separated by commas; the first that exists decides.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub condition: String,
    /// Names in the value `tags` that switch it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Set while dependencies are processed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub enabled: bool,
    /// Which of the child's values become the parent's: texts or `{child, parent}`.
    #[serde(rename = "import-values", skip_serializing_if = "Vec::is_empty")]
    pub import_values: Vec<Value>,
    /// The name it goes by in this chart.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub alias: String,
}

/// The contents of `Chart.lock`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Lock {
    /// When it was made, in RFC 3339 as the file has it.
    pub generated: String,
    /// Digest of the dependencies it locks.
    pub digest: String,
    /// The dependencies with exact versions.
    pub dependencies: Vec<Dependency>,
}
