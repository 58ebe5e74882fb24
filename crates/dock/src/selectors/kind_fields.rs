//! Which fields of a kind can be selected by, and what their values are.

use std::borrow::Cow;

use serde_json::Value;

use super::SelectorError;

/// The fields of a kind that a field selector may name, and the words for the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selectable<'a> {
    fields: Cow<'a, [&'a str]>,
    refusal: Refusal,
    events: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    /// The words of kinds without fields of their own.
    OnlyNames,
    /// The words of kinds with a list.
    NotSupported,
    /// The words of jobs.
    NotForJob,
}

const NAMES: &[&str] = &["metadata.name", "metadata.namespace"];

impl<'a> Selectable<'a> {
    /// The fields of a built-in kind.
    pub fn of(group: &str, kind: &str) -> Self {
        let (fields, refusal): (&'static [&'static str], _) = match (group, kind) {
            ("", "Pod") => (
                &[
                    "metadata.name",
                    "metadata.namespace",
                    "spec.nodeName",
                    "spec.restartPolicy",
                    "spec.schedulerName",
                    "spec.serviceAccountName",
                    "spec.hostNetwork",
                    "status.phase",
                    "status.podIP",
                    "status.podIPs",
                    "status.nominatedNodeName",
                    "spec.host",
                ],
                Refusal::NotSupported,
            ),
            ("", "Node") => (&["metadata.name", "spec.unschedulable"], Refusal::NotSupported),
            ("", "ReplicationController") => {
                (&["metadata.name", "metadata.namespace", "status.replicas"], Refusal::NotSupported)
            }
            ("", "Namespace") => (&["status.phase", "metadata.name"], Refusal::NotSupported),
            ("", "Secret") => (&["type", "metadata.namespace", "metadata.name"], Refusal::NotSupported),
            ("", "Service") => (
                &["metadata.namespace", "metadata.name", "spec.clusterIP", "spec.type"],
                Refusal::NotSupported,
            ),
            ("", "Event") => (
                &[
                    "involvedObject.kind",
                    "involvedObject.namespace",
                    "involvedObject.name",
                    "involvedObject.uid",
                    "involvedObject.apiVersion",
                    "involvedObject.resourceVersion",
                    "involvedObject.fieldPath",
                    "reason",
                    "reportingComponent",
                    "source",
                    "type",
                    "metadata.namespace",
                    "metadata.name",
                ],
                Refusal::NotSupported,
            ),
            ("events.k8s.io", "Event") => (
                &[
                    "reason",
                    "regarding.kind",
                    "regarding.namespace",
                    "regarding.name",
                    "regarding.uid",
                    "regarding.apiVersion",
                    "regarding.resourceVersion",
                    "regarding.fieldPath",
                    "reportingController",
                    "type",
                    "metadata.namespace",
                    "metadata.name",
                ],
                Refusal::NotSupported,
            ),
            ("batch", "Job") => {
                (&["metadata.name", "metadata.namespace", "status.successful"], Refusal::NotForJob)
            }
            ("certificates.k8s.io", "CertificateSigningRequest" | "ClusterTrustBundle") => {
                (&["metadata.name", "spec.signerName"], Refusal::NotSupported)
            }
            _ => (NAMES, Refusal::OnlyNames),
        };
        Self { fields: Cow::Borrowed(fields), refusal, events: group == "events.k8s.io" }
    }

    /// The fields of a custom kind: `fields` are its selectable fields, as `spec.color`.
    pub fn custom(namespaced: bool, fields: impl IntoIterator<Item = &'a str>) -> Self {
        let names = if namespaced { NAMES } else { &NAMES[..1] };
        let fields = names.iter().copied().chain(fields).collect();
        Self { fields: Cow::Owned(fields), refusal: Refusal::NotSupported, events: false }
    }

    /// The name under which a field is compared.
    pub(super) fn resolve(&self, field: &str) -> Result<String, SelectorError> {
        if !self.fields.contains(&field) {
            let quoted = goyaml::strconv::quote(field);
            return Err(SelectorError(match self.refusal {
                Refusal::OnlyNames => format!(
                    "{quoted} is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
                ),
                Refusal::NotSupported => format!("field label not supported: {field}"),
                Refusal::NotForJob => format!("field label {quoted} not supported for Job"),
            }));
        }
        Ok(match field {
            "spec.host" => "spec.nodeName".to_owned(),
            "reportingController" if self.events => "reportingComponent".to_owned(),
            other if self.events => other.replacen("regarding.", "involvedObject.", 1),
            other => other.to_owned(),
        })
    }
}

/// The value of a selectable field of an object of a built-in kind, in the name that
/// [`FieldSelector::resolve`](super::FieldSelector::resolve) gave it. Fields that are not there are empty, flags and
/// numbers that are not there are false and zero.
pub fn field_value<'v>(kind: &str, object: &'v Value, field: &str) -> Cow<'v, str> {
    let text = |pointer: &str| -> Cow<'v, str> {
        Cow::Borrowed(object.pointer(pointer).and_then(Value::as_str).unwrap_or_default())
    };
    let first = |pointers: [&str; 2]| {
        let value = text(pointers[0]);
        if value.is_empty() { text(pointers[1]) } else { value }
    };
    let flag = |pointer: &str| -> Cow<'v, str> {
        let set = object.pointer(pointer).and_then(Value::as_bool).unwrap_or_default();
        Cow::Borrowed(if set { "true" } else { "false" })
    };
    let number = |pointer: &str| -> Cow<'v, str> {
        Cow::Owned(object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default().to_string())
    };
    match (kind, field) {
        ("Pod", "spec.hostNetwork") => flag("/spec/hostNetwork"),
        ("Pod", "status.podIP") => first(["/status/podIPs/0/ip", "/status/podIP"]),
        ("Pod", "status.podIPs") => Cow::Borrowed(""),
        ("Node", "spec.unschedulable") => flag("/spec/unschedulable"),
        ("ReplicationController", "status.replicas") => number("/status/replicas"),
        ("Job", "status.successful") => number("/status/succeeded"),
        ("Event", "source") => match first(["/source/component", "/deprecatedSource/component"]) {
            empty if empty.is_empty() => first(["/reportingComponent", "/reportingController"]),
            source => source,
        },
        ("Event", "reportingComponent") => first(["/reportingComponent", "/reportingController"]),
        ("Event", other) if other.starts_with("involvedObject.") => {
            let name = &other["involvedObject.".len()..];
            first([&format!("/involvedObject/{name}"), &format!("/regarding/{name}")])
        }
        (_, other) => text(&format!("/{}", other.replace('.', "/"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::FieldSelector;
    use super::*;

    fn resolved(selectable: &Selectable<'_>, text: &str) -> Result<String, String> {
        let selector = FieldSelector::parse(text).unwrap().resolve(selectable);
        selector.map(|selector| selector.to_string()).map_err(|error| error.0)
    }

    #[test]
    fn kinds_say_what_they_can_be_selected_by() {
        let cases = [
            (Selectable::of("", "Pod"), "spec.host=n", Ok("spec.nodeName=n")),
            (Selectable::of("", "Pod"), "spec.x=n", Err("field label not supported: spec.x")),
            (
                Selectable::of("", "Node"),
                "metadata.namespace=n",
                Err("field label not supported: metadata.namespace"),
            ),
            (Selectable::of("batch", "Job"), "spec.x=n", Err("field label \"spec.x\" not supported for Job")),
            (
                Selectable::of("apps", "Deployment"),
                "spec.x=n",
                Err(
                    "\"spec.x\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
                ),
            ),
            (Selectable::of("events.k8s.io", "Event"), "regarding.kind=Pod", Ok("involvedObject.kind=Pod")),
            (Selectable::custom(false, ["spec.color"]), "spec.color=red", Ok("spec.color=red")),
            (
                Selectable::custom(false, []),
                "metadata.namespace=a",
                Err("field label not supported: metadata.namespace"),
            ),
        ];
        for (selectable, text, expected) in cases {
            assert_eq!(resolved(&selectable, text), expected.map(Into::into).map_err(Into::into), "{text}");
        }
    }

    #[test]
    fn values_are_those_that_are_compared() {
        let pod = json!({"metadata": {"name": "a"}, "spec": {}, "status": {"podIPs": [{"ip": "10.0.0.1"}]}});
        let cases = [
            ("metadata.name", "a"),
            ("spec.hostNetwork", "false"),
            ("status.podIP", "10.0.0.1"),
            ("status.phase", ""),
        ];
        for (field, expected) in cases {
            assert_eq!(field_value("Pod", &pod, field), expected, "{field}");
        }
        let event = json!({"involvedObject": {"kind": "Pod"}, "reportingComponent": "kubelet"});
        assert_eq!(field_value("Event", &event, "involvedObject.kind"), "Pod");
        assert_eq!(field_value("Event", &event, "source"), "kubelet");
    }
}
