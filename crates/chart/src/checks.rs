//! What is checked before a chart is rendered: the release's name, the chart's type, its dependencies.

use goyaml::strconv;

use crate::Chart;

/// How long a release's name may be; the chart's own additions must fit behind it.
const MAX_NAME: usize = 53;

/// Why a release cannot be called that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("release name {}: {reason}", strconv::quote(name))]
pub struct NameError {
    /// The name that was given.
    pub name: String,
    /// Helm's words.
    pub reason: &'static str,
}

const INVALID_NAME: &str = r"invalid release name, must match regex ^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$ and the length must not be longer than 53";

/// Whether a release may have this name.
pub fn release_name(name: &str) -> Result<(), NameError> {
    let reason = if name.is_empty() {
        "no name provided"
    } else if name.len() > MAX_NAME || !is_dns_name(name) {
        INVALID_NAME
    } else {
        return Ok(());
    };
    Err(NameError { name: name.to_owned(), reason })
}

/// Labels of lower-case letters, digits and inner hyphens, with dots between them.
pub(crate) fn is_dns_name(name: &str) -> bool {
    let ends_well = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.split('.').all(|label| {
        let bytes = label.as_bytes();
        ends_well(bytes.first())
            && ends_well(bytes.last())
            && bytes.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
    })
}

/// A chart that is no application.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{chart_type} charts are not installable")]
pub struct NotInstallable {
    /// What it is.
    pub chart_type: String,
}

/// Whether the chart can be installed on its own.
pub fn installable(chart: &Chart) -> Result<(), NotInstallable> {
    match chart.metadata.chart_type.as_str() {
        "" | "application" => Ok(()),
        other => Err(NotInstallable { chart_type: other.to_owned() }),
    }
}

/// Dependencies that are declared but not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("found in Chart.yaml, but missing in charts/ directory: {}", names.join(", "))]
pub struct MissingDependencies {
    /// Their names, in the order of `Chart.yaml`.
    pub names: Vec<String>,
}

/// Whether every declared dependency lies in `charts/`.
pub fn dependencies_present(chart: &Chart) -> Result<(), MissingDependencies> {
    let present = |name: &str| chart.dependencies.iter().any(|subchart| subchart.name() == name);
    let missing = chart.declared().iter().filter(|dependency| !present(&dependency.name));
    let names: Vec<String> = missing.map(|dependency| dependency.name.clone()).collect();
    if names.is_empty() { Ok(()) } else { Err(MissingDependencies { names }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_dns_names_of_at_most_53_letters() {
        for name in ["a", "release-name", "a.b-c.d0", &"a".repeat(53)] {
            assert!(release_name(name).is_ok(), "{name}");
        }
        for name in ["A", "a_b", "-a", "a-", "a..b", ".a", &"a".repeat(54)] {
            assert_eq!(release_name(name).unwrap_err().reason, INVALID_NAME, "{name}");
        }
        assert_eq!(release_name("").unwrap_err().to_string(), "release name \"\": no name provided");
    }
}
