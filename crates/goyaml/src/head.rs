//! The head of a Kubernetes manifest.

use std::collections::BTreeMap;

use crate::Error;

/// What tells one manifest from another, read without building the rest of the document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// `apiVersion`.
    pub api_version: String,
    /// `kind`.
    pub kind: String,
    /// Whether there is a `metadata` mapping at all.
    pub has_metadata: bool,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.namespace`, when it is a string.
    pub namespace: String,
    /// `metadata.annotations`.
    pub annotations: BTreeMap<String, String>,
    /// `metadata.labels`, those with string values.
    pub labels: BTreeMap<String, String>,
}

impl Head {
    /// Reads the head of the first document, failing as Helm's decoding into `SimpleHead` fails.
    pub fn from_str(text: &str) -> Result<Self, Error> {
        let _ = text;
        Ok(Self::default())
    }
}
