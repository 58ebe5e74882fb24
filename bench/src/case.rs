//! What is rendered: each chart with its default values, and once more for every file in its `ci/` directory.

use std::fs;
use std::path::{Path, PathBuf};

use crate::charts::Found;
use crate::fill::Complete;

/// The Kubernetes version that both tools are told.
const KUBE_VERSION: &str = "1.33.0";

/// API versions that many charts ask for, so that their optional templates are rendered too.
const API_VERSIONS: [&str; 8] = [
    "monitoring.coreos.com/v1",
    "monitoring.coreos.com/v1/ServiceMonitor",
    "cert-manager.io/v1",
    "networking.k8s.io/v1/Ingress",
    "policy/v1/PodDisruptionBudget",
    "autoscaling/v2/HorizontalPodAutoscaler",
    "gateway.networking.k8s.io/v1/HTTPRoute",
    "autoscaling.k8s.io/v1/VerticalPodAutoscaler",
];

/// One rendering of one chart.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// The chart, as found.
    pub(crate) chart: Found,
    /// What is rendered: the chart or its filled copy.
    pub(crate) complete: Complete,
    /// The file in `ci/`, if any.
    pub(crate) values: Option<PathBuf>,
}

impl Case {
    /// All cases of a chart.
    pub(crate) fn all(chart: &Found, complete: &Complete) -> Vec<Self> {
        let case = |values| Self { chart: chart.clone(), complete: complete.clone(), values };
        let mut files: Vec<PathBuf> = fs::read_dir(complete.path.join("ci"))
            .map(|entries| entries.filter_map(Result::ok).map(|entry| entry.path()).collect())
            .unwrap_or_default();
        files.retain(|file| {
            file.is_file()
                && file.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
        });
        files.sort();
        std::iter::once(case(None)).chain(files.into_iter().map(|file| case(Some(file)))).collect()
    }

    /// The arguments for either tool.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["template".into(), "release-name".into(), path(&self.complete.path)];
        if let Some(values) = &self.values {
            arguments.extend(["--values".into(), path(values)]);
        }
        arguments.extend(Self::common_arguments());
        arguments
    }

    /// The arguments that all cases have.
    pub(crate) fn common_arguments() -> Vec<String> {
        let fixed = ["--namespace", "slipway", "--include-crds", "--kube-version", KUBE_VERSION];
        let versions = API_VERSIONS.iter().flat_map(|version| ["--api-versions", version]);
        fixed.into_iter().chain(versions).map(ToOwned::to_owned).collect()
    }

    /// The arguments as they are recorded: paths relative to the chart.
    pub(crate) fn recorded_arguments(&self) -> String {
        let inside = path(&self.complete.path);
        let arguments: Vec<_> = self.arguments().iter().map(|one| one.replace(&inside, ".")).collect();
        arguments.join(" ")
    }

    /// The values file relative to the chart, or nothing for the default values.
    pub(crate) fn recorded_values(&self) -> String {
        let inside = format!("{}/", path(&self.complete.path));
        self.values.as_deref().map(|file| path(file).replace(&inside, "")).unwrap_or_default()
    }

    /// The name of the values file, or nothing for the default values.
    pub(crate) fn values_name(&self) -> String {
        self.values.as_deref().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
    }

    /// How the case is called in a report.
    pub(crate) fn label(&self) -> String {
        let origin = &self.chart.origin;
        let values = self.values_name();
        let values = if values.is_empty() { values } else { format!(" [{values}]") };
        format!("{}:{}{values}", origin.repository, origin.inside)
    }
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
