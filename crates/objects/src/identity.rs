//! Which object is meant, whatever version of its API is spoken.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Names one object of a cluster. The API version is deliberately absent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ObjectId {
    /// The API group; empty for the core group.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The kind, such as `Deployment`.
    pub kind: String,
    /// The namespace; `None` for objects of the whole cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The name within its namespace.
    pub name: String,
}

impl ObjectId {
    /// The group part of an `apiVersion`: `apps` of `apps/v1`, nothing of `v1`.
    pub fn group_of(api_version: &str) -> &str {
        api_version.split_once('/').map_or("", |(group, _)| group)
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        match &self.namespace {
            Some(namespace) => write!(f, " {namespace}/{}", self.name),
            None => write!(f, " {}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ObjectId;

    #[test]
    fn group_is_what_stands_before_the_slash() {
        for (api_version, group) in [("v1", ""), ("apps/v1", "apps"), ("", ""), ("a.b/c/d", "a.b")] {
            assert_eq!(ObjectId::group_of(api_version), group, "{api_version}");
        }
    }

    #[test]
    fn reads_as_kind_group_namespace_name() {
        let id = |group: &str, namespace: Option<&str>| ObjectId {
            group: group.into(),
            kind: "Thing".into(),
            namespace: namespace.map(Into::into),
            name: "x".into(),
        };
        assert_eq!(id("", None).to_string(), "Thing x");
        assert_eq!(id("example.com", Some("ns")).to_string(), "Thing.example.com ns/x");
    }
}
