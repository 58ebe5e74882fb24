//! Groups of the Kubernetes community need an approval in an annotation.

use serde_json::Value;

use crate::crd::formats;

/// The annotation that says where an API was approved.
pub(super) const ANNOTATION: &str = "api-approved.kubernetes.io";
const SEE: &str = "see https://github.com/kubernetes/enhancements/pull/1111";

/// What the annotation says, in the server's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approval {
    /// It says nothing that makes sense.
    Invalid(String),
    /// It says where.
    Approved(String),
    /// It says that nobody approved.
    Bypassed(String),
    /// It is not there.
    Missing(String),
}

/// Whether a group belongs to the Kubernetes community.
pub fn is_protected(group: &str) -> bool {
    ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|domain| group.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// What the annotations of a definition say.
pub fn approval(object: &Value) -> Approval {
    let annotations = object.get("metadata").and_then(|metadata| metadata.get("annotations"));
    let text = annotations
        .and_then(|annotations| annotations.get(ANNOTATION))
        .and_then(Value::as_str)
        .unwrap_or_default();
    if text.is_empty() {
        Approval::Missing(format!("protected groups must have approval annotation \"{ANNOTATION}\", {SEE}"))
    } else if text.starts_with("unapproved") {
        Approval::Bypassed(format!("not approved: {}", goyaml::strconv::quote(text)))
    } else if formats::has_scheme_and_host(text) {
        Approval::Approved(format!("approved in {text}"))
    } else {
        Approval::Invalid(format!(
            "protected groups must have approval annotation \"{ANNOTATION}\" with either a URL or a reason starting \
             with \"unapproved\", {SEE}"
        ))
    }
}

impl Approval {
    /// The same sort of answer, whatever the words.
    pub(super) fn is_like(&self, other: &Approval) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}
