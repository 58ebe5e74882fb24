//! Claims whose volume is made only when a Pod wants it.

use std::collections::HashMap;

use goyaml::Value;

/// What storage classes say about when they make volumes.
#[derive(Debug, Clone, Default)]
pub struct StorageClasses {
    waits: HashMap<String, bool>,
    /// The default class with the time of its creation: of several the newest counts.
    default: Option<(String, String)>,
}

impl StorageClasses {
    /// Adds a `StorageClass`.
    pub fn add(&mut self, class: &Value) {
        let text = |path: &[&str]| {
            class.get_path(path.iter().copied()).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let name = text(&["metadata", "name"]);
        let is_default = [
            "storageclass.kubernetes.io/is-default-class",
            "storageclass.beta.kubernetes.io/is-default-class",
        ]
        .iter()
        .any(|key| text(&["metadata", "annotations", key]) == "true");
        if is_default {
            let candidate = (text(&["metadata", "creationTimestamp"]), name.clone());
            self.default = self.default.take().max(Some(candidate));
        }
        self.waits.insert(name, text(&["volumeBindingMode"]) == "WaitForFirstConsumer");
    }

    /// Whether the class of a claim makes its volume only for the first consumer. A claim of a class that is not
    /// known does not wait.
    pub fn waits(&self, claim: &Value) -> bool {
        let named = claim.get_path(["spec", "storageClassName"]).and_then(Value::as_str);
        let class = named.or_else(|| self.default.as_ref().map(|(_, name)| name.as_str()));
        class.and_then(|name| self.waits.get(name)).copied().unwrap_or(false)
    }
}

/// Whether nobody has asked for the volume of a claim yet: it is pending, is not tied to a volume, and no node has
/// been chosen for it.
pub(super) fn is_waiting(claim: &Value) -> bool {
    let text = |path: &[&str]| {
        claim.get_path(path.iter().copied()).and_then(Value::as_str).filter(|text| !text.is_empty())
    };
    text(&["status", "phase"]) == Some("Pending")
        && text(&["spec", "volumeName"]).is_none()
        && text(&["metadata", "annotations", "volume.kubernetes.io/selected-node"]).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yaml(text: &str) -> Value {
        goyaml::from_str(text).unwrap()
    }

    #[test]
    fn the_class_of_a_claim_says_whether_it_waits() {
        let mut classes = StorageClasses::default();
        classes.add(&yaml("{metadata: {name: late}, volumeBindingMode: WaitForFirstConsumer}"));
        classes.add(&yaml("{metadata: {name: soon}, volumeBindingMode: Immediate}"));
        for (spec, waits) in [
            ("{storageClassName: late}", true),
            ("{storageClassName: soon}", false),
            ("{storageClassName: other}", false),
            ("{storageClassName: ''}", false),
            ("{}", false),
        ] {
            assert_eq!(classes.waits(&yaml(&format!("spec: {spec}"))), waits, "{spec}");
        }
    }

    #[test]
    fn a_claim_without_a_class_has_the_newest_default() {
        let class = |name: &str, created: &str, mode: &str| {
            yaml(&format!(
                "metadata: {{name: {name}, creationTimestamp: {created:?}, annotations: \
                 {{storageclass.kubernetes.io/is-default-class: \"true\"}}}}\nvolumeBindingMode: {mode}\n"
            ))
        };
        let mut classes = StorageClasses::default();
        classes.add(&class("new", "2026-01-02T00:00:00Z", "WaitForFirstConsumer"));
        classes.add(&class("old", "2026-01-01T00:00:00Z", "Immediate"));
        assert!(classes.waits(&yaml("spec: {}")));
        classes.add(&class("newest", "2026-01-03T00:00:00Z", "Immediate"));
        assert!(!classes.waits(&yaml("spec: {}")));
    }

    #[test]
    fn a_claim_waits_until_somebody_asks_for_it() {
        for (claim, waiting) in [
            ("{status: {phase: Pending}}", true),
            ("{status: {phase: Bound}}", false),
            ("{status: {phase: Lost}}", false),
            ("{}", false),
            ("{status: {phase: Pending}, spec: {volumeName: pv-1}}", false),
            (
                "{status: {phase: Pending}, metadata: {annotations: {volume.kubernetes.io/selected-node: node-1}}}",
                false,
            ),
        ] {
            assert_eq!(is_waiting(&yaml(claim)), waiting, "{claim}");
        }
    }
}
