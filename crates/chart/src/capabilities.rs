//! What the cluster can do, as templates ask for it: `.Capabilities`.

use gotmpl::semver;

/// The version of Helm that templates see.
pub const HELM_VERSION: &str = "v4.3.1";
/// The Go it was built with.
pub const GO_VERSION: &str = "go1.26.8";
/// The Kubernetes client it was built with.
pub const KUBE_CLIENT_VERSION: &str = "v1.37";

/// The version of Kubernetes that is assumed without a cluster.
const DEFAULT_KUBE_VERSION: &str = "v1.37.0";

/// The API versions that Helm assumes without a cluster, as `group: version version`, in Helm's order.
const DEFAULT_API_VERSIONS: &str = "\
: v1
admissionregistration.k8s.io: v1 v1alpha1 v1beta1
internal.apiserver.k8s.io: v1alpha1
apps: v1 v1beta1 v1beta2
authentication.k8s.io: v1 v1alpha1 v1beta1
authorization.k8s.io: v1 v1beta1
autoscaling: v1 v2
batch: v1 v1beta1
certificates.k8s.io: v1 v1beta1 v1alpha1
coordination.k8s.io: v1alpha2 v1beta1 v1
discovery.k8s.io: v1 v1beta1
events.k8s.io: v1 v1beta1
extensions: v1beta1
flowcontrol.apiserver.k8s.io: v1 v1beta1 v1beta2 v1beta3
lifecycle.k8s.io: v1alpha1
networking.k8s.io: v1 v1beta1
node.k8s.io: v1 v1alpha1 v1beta1
policy: v1 v1beta1
rbac.authorization.k8s.io: v1 v1beta1 v1alpha1
resource.k8s.io: v1 v1beta2 v1beta1 v1alpha3
scheduling.k8s.io: v1alpha3 v1beta1 v1
storage.k8s.io: v1beta1 v1 v1alpha1
storagemigration.k8s.io: v1 v1beta1
apiextensions.k8s.io: v1beta1 v1";

/// A version of Kubernetes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KubeVersion {
    /// As given, with a leading `v`: `v1.33.4-gke.1245000`.
    pub version: String,
    /// Without what vendors add: `v1.33.4`. Constraints are checked against this.
    pub normalized: String,
    /// The major number.
    pub major: String,
    /// The minor number, digits only.
    pub minor: String,
}

/// Why a text is no version of Kubernetes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KubeVersionError {
    /// No number at all.
    #[error("could not parse \"{0}\" as version")]
    Malformed(String),
    /// Only one number.
    #[error("illegal version string \"{0}\"")]
    TooShort(String),
    /// A number with a leading zero.
    #[error("illegal zero-prefixed version component \"{component}\" in \"{version}\"")]
    ZeroPrefixed {
        /// The number.
        component: String,
        /// The whole text.
        version: String,
    },
    /// A number too large to hold.
    #[error(
        "illegal non-numeric version component \"{component}\" in \"{version}\": strconv.ParseUint: parsing \"{component}\": value out of range"
    )]
    TooLarge {
        /// The number.
        component: String,
        /// The whole text.
        version: String,
    },
}

impl Default for KubeVersion {
    fn default() -> Self {
        Self {
            version: DEFAULT_KUBE_VERSION.to_owned(),
            normalized: DEFAULT_KUBE_VERSION.to_owned(),
            major: "1".to_owned(),
            minor: "37".to_owned(),
        }
    }
}

impl std::str::FromStr for KubeVersion {
    type Err = KubeVersionError;

    /// Reads `1.30`, `v1.30.2` or `v1.30.2-vendor.3`: numbers, and anything after them.
    fn from_str(text: &str) -> Result<Self, KubeVersionError> {
        let trimmed = text.trim_start();
        let mut rest = trimmed.strip_prefix('v').unwrap_or(trimmed);
        let mut components = Vec::new();
        loop {
            let length = rest.bytes().take_while(u8::is_ascii_digit).count();
            if length == 0 {
                break;
            }
            let (component, after) = rest.split_at(length);
            if components.is_empty() && component.len() > 1 && component.starts_with('0') {
                return Err(KubeVersionError::ZeroPrefixed {
                    component: component.to_owned(),
                    version: text.to_owned(),
                });
            }
            let too_large =
                |_| KubeVersionError::TooLarge { component: component.to_owned(), version: text.to_owned() };
            components.push(component.parse::<u64>().map_err(too_large)?.to_string());
            let Some(after) = after.strip_prefix('.') else { break };
            rest = after;
        }
        match components.as_slice() {
            [] => Err(KubeVersionError::Malformed(text.to_owned())),
            [_] => Err(KubeVersionError::TooShort(text.to_owned())),
            [major, minor, ..] => Ok(Self {
                version: if text.starts_with('v') { text.to_owned() } else { format!("v{text}") },
                normalized: format!("v{}", components.join(".")),
                major: major.clone(),
                minor: minor.clone(),
            }),
        }
    }
}

/// What a cluster can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// The version of Kubernetes.
    pub kube_version: KubeVersion,
    /// API versions (`apps/v1`) and, from a cluster, kinds (`apps/v1/Deployment`).
    pub api_versions: Vec<String>,
}

impl Default for Capabilities {
    /// What Helm assumes without a cluster.
    fn default() -> Self {
        let lines = DEFAULT_API_VERSIONS.lines().filter_map(|line| line.split_once(':'));
        let api_versions = lines.flat_map(|(group, versions)| {
            versions.split_whitespace().map(move |version| match group {
                "" => version.to_owned(),
                group => format!("{group}/{version}"),
            })
        });
        Self { kube_version: KubeVersion::default(), api_versions: api_versions.collect() }
    }
}

impl Capabilities {
    /// The defaults with another version of Kubernetes and more API versions, as `--kube-version` and
    /// `--api-versions` ask.
    pub fn offline(kube_version: Option<KubeVersion>, extra_api_versions: &[String]) -> Self {
        let mut capabilities = Self::default();
        if let Some(version) = kube_version {
            capabilities.kube_version = version;
        }
        capabilities.api_versions.extend_from_slice(extra_api_versions);
        capabilities
    }

    /// Whether a chart's `kubeVersion` range holds here. No range always does.
    pub fn satisfies(&self, range: &str) -> bool {
        if range.is_empty() {
            return true;
        }
        match (semver::Version::parse(&self.kube_version.normalized), semver::Constraint::parse(range)) {
            (Ok(version), Ok(range)) => range.check(&version),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_keep_what_vendors_add() {
        for (text, version, normalized, minor) in [
            ("1.30", "v1.30", "v1.30", "30"),
            ("v1.30.2", "v1.30.2", "v1.30.2", "30"),
            ("1.27.3-gke.100", "v1.27.3-gke.100", "v1.27.3", "27"),
            ("v1.33.4+k3s1", "v1.33.4+k3s1", "v1.33.4", "33"),
        ] {
            let parsed: KubeVersion = text.parse().unwrap();
            assert_eq!(
                (parsed.version.as_str(), parsed.normalized.as_str(), parsed.minor.as_str()),
                (version, normalized, minor),
                "{text}"
            );
        }
        assert_eq!(
            "abc".parse::<KubeVersion>().unwrap_err().to_string(),
            "could not parse \"abc\" as version"
        );
        assert_eq!(
            "01.2".parse::<KubeVersion>().unwrap_err().to_string(),
            "illegal zero-prefixed version component \"01\" in \"01.2\""
        );
        assert_eq!("1".parse::<KubeVersion>().unwrap_err().to_string(), "illegal version string \"1\"");
        assert_eq!("1.02.".parse::<KubeVersion>().unwrap().normalized, "v1.2");
    }

    #[test]
    fn offline_knows_the_built_in_apis_in_helms_order() {
        let capabilities = Capabilities::offline(None, &["example.com/v1".to_owned()]);
        assert_eq!(capabilities.api_versions.len(), 58);
        assert_eq!(capabilities.api_versions[0], "v1");
        assert_eq!(capabilities.api_versions[5], "apps/v1");
        assert_eq!(capabilities.api_versions.last().map(String::as_str), Some("example.com/v1"));
    }

    #[test]
    fn ranges_hold_or_not() {
        let capabilities = Capabilities::offline("v1.30.2-eks.4".parse().ok(), &[]);
        for (range, holds) in
            [("", true), (">=1.29.0", true), (">=1.29.0-0", true), ("<1.30", false), ("x y", false)]
        {
            assert_eq!(capabilities.satisfies(range), holds, "{range}");
        }
    }
}
