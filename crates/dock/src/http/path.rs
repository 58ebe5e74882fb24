//! What a path means.

/// What a request is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Path<'a> {
    /// `/version`
    Version,
    /// `/healthz`, `/livez`, `/readyz`, with what may follow.
    Health,
    /// `/api`
    CoreVersions,
    /// `/apis`
    Groups,
    /// `/apis/GROUP`
    Group(&'a str),
    /// `/api/v1`, `/apis/GROUP/VERSION`
    Resources {
        /// The group, empty for the core.
        group: &'a str,
        /// The version.
        version: &'a str,
    },
    /// `/openapi/v2`
    OpenApi2,
    /// `/openapi/v3`
    OpenApi3,
    /// `/openapi/v3/api/v1`, `/openapi/v3/apis/GROUP/VERSION`
    OpenApi3Group {
        /// The group, empty for the core.
        group: &'a str,
        /// The version.
        version: &'a str,
    },
    /// A collection, an object, or a part of one.
    Resource(Target<'a>),
    /// Anything else.
    Unknown,
}

/// The address of a collection, an object, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target<'a> {
    /// The group, empty for the core.
    pub group: &'a str,
    /// The version.
    pub version: &'a str,
    /// The namespace, empty if the path has none.
    pub namespace: &'a str,
    /// The plural.
    pub resource: &'a str,
    /// The name, empty for a collection.
    pub name: &'a str,
    /// The part, empty for all of the object.
    pub subresource: &'a str,
}

impl<'a> Path<'a> {
    /// Reads a path that is already decoded.
    pub fn parse(path: &'a str) -> Self {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        match parts.as_slice() {
            ["version"] => Self::Version,
            ["healthz" | "livez" | "readyz", ..] => Self::Health,
            ["api"] => Self::CoreVersions,
            ["apis"] => Self::Groups,
            ["api", version] => Self::Resources { group: "", version },
            ["apis", group] => Self::Group(group),
            ["apis", group, version] => Self::Resources { group, version },
            ["openapi", "v2"] => Self::OpenApi2,
            ["openapi", "v3"] => Self::OpenApi3,
            ["openapi", "v3", "api", version] => Self::OpenApi3Group { group: "", version },
            ["openapi", "v3", "apis", group, version] => Self::OpenApi3Group { group, version },
            ["api", version, rest @ ..] => Self::resource("", version, rest),
            ["apis", group, version, rest @ ..] => Self::resource(group, version, rest),
            _ => Self::Unknown,
        }
    }

    fn resource(group: &'a str, version: &'a str, rest: &[&'a str]) -> Self {
        let target = |namespace, resource, name, subresource| {
            Self::Resource(Target { group, version, namespace, resource, name, subresource })
        };
        match *rest {
            // The parts of a Namespace look like resources in it.
            ["namespaces", name, part @ ("status" | "finalize")] if group.is_empty() => {
                target("", "namespaces", name, part)
            }
            ["namespaces", namespace, resource] => target(namespace, resource, "", ""),
            ["namespaces", namespace, resource, name] => target(namespace, resource, name, ""),
            ["namespaces", namespace, resource, name, part] => target(namespace, resource, name, part),
            [resource] => target("", resource, "", ""),
            [resource, name] => target("", resource, name, ""),
            [resource, name, part] => target("", resource, name, part),
            _ => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(path: &str) -> String {
        match Path::parse(path) {
            Path::Resource(at) => {
                format!(
                    "{}/{} {} {} {} {}",
                    at.group, at.version, at.namespace, at.resource, at.name, at.subresource
                )
            }
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn paths_are_addresses() {
        for (path, expected) in [
            ("/api/v1/pods", "/v1  pods  "),
            ("/api/v1/namespaces", "/v1  namespaces  "),
            ("/api/v1/namespaces/a", "/v1  namespaces a "),
            ("/api/v1/namespaces/a/status", "/v1  namespaces a status"),
            ("/api/v1/namespaces/a/finalize", "/v1  namespaces a finalize"),
            ("/api/v1/namespaces/a/pods", "/v1 a pods  "),
            ("/api/v1/namespaces/a/pods/b", "/v1 a pods b "),
            ("/api/v1/namespaces/a/pods/b/log", "/v1 a pods b log"),
            ("/apis/apps/v1/namespaces/a/deployments/b/scale", "apps/v1 a deployments b scale"),
            ("/apis/x.dev/v1/widgets/b/status", "x.dev/v1  widgets b status"),
            ("/apis/x.dev", "Group(\"x.dev\")"),
            ("/readyz/ping", "Health"),
            ("/nothing", "Unknown"),
        ] {
            assert_eq!(address(path), expected, "{path}");
        }
    }
}
