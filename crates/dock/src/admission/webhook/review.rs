//! What is asked of a webhook, and what its answer says.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::StatusCode;
use serde_json::{Value, json};

use super::Webhook;
use crate::admission::attributes::{Attributes, Target};
use crate::meta;
use crate::status::{Cause, Details, Status};

/// A question to a webhook.
#[derive(Debug)]
pub(super) struct Review {
    uid: String,
    version: &'static str,
    /// The `AdmissionReview`.
    pub(super) body: Value,
}

/// What a webhook answered.
#[derive(Debug)]
pub(super) struct Verdict {
    /// Why it refuses, if it does.
    pub(super) refusal: Option<Status>,
    /// A JSON patch.
    pub(super) patch: Option<String>,
    /// What the client is told besides.
    pub(super) warnings: Vec<String>,
}

impl Review {
    /// What a webhook is asked; an error if it understands no version of reviews.
    pub(super) fn new(
        webhook: &Webhook,
        target: &Target<'_>,
        attributes: &Attributes<'_>,
    ) -> Result<Self, String> {
        let known = webhook.reviews.iter().find_map(|version| match version.as_str() {
            "v1" => Some("v1"),
            "v1beta1" => Some("v1beta1"),
            _ => None,
        });
        let version = known.ok_or(
            "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)",
        )?;
        let uid = meta::random_uid();
        let mut request = attributes.request(target);
        request["uid"] = uid.as_str().into();
        for (field, object) in [("object", attributes.object), ("oldObject", attributes.old_object)] {
            if let Some(object) = object {
                request[field] = attributes.in_version(object, target).into_owned();
            }
        }
        let body = json!({
            "kind": "AdmissionReview",
            "apiVersion": format!("admission.k8s.io/{version}"),
            "request": request,
        });
        Ok(Self { uid, version, body })
    }

    /// Reads the answer; an error if it is none to this question.
    pub(super) fn read(&self, webhook: &Webhook, answer: &Value, mutating: bool) -> Result<Verdict, String> {
        let invalid = |why: String| format!("received invalid webhook response: {why}");
        self.check_type(answer).map_err(|why| format!("failed to call webhook: {why}"))?;
        let response = &answer["response"];
        if !response.is_object() {
            return Err(invalid("webhook response was absent".into()));
        }
        let patch = match response["patch"].as_str().unwrap_or_default() {
            "" => None,
            encoded => {
                let bytes = BASE64_STANDARD
                    .decode(encoded)
                    .map_err(|error| format!("failed to call webhook: {error}"))?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            }
        };
        if self.version == "v1" {
            self.check(answer, patch.as_deref(), mutating).map_err(invalid)?;
            if let Some(other) = response["patchType"].as_str().filter(|kind| *kind != "JSONPatch") {
                return Err(format!("unsupported patch type {other:?}"));
            }
        }
        let texts = response["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let allowed = response["allowed"].as_bool().unwrap_or_default();
        Ok(Verdict {
            refusal: (!allowed).then(|| refusal(&webhook.name, &response["status"])),
            patch: patch.filter(|_| mutating),
            warnings: texts.map(ToOwned::to_owned).collect(),
        })
    }

    /// Whether the answer is a review of the version that was asked in. One that does not say so is taken for it.
    fn check_type(&self, answer: &Value) -> Result<(), String> {
        let text = |field: &str| answer[field].as_str().unwrap_or_default();
        let own = format!("admission.k8s.io/{}", self.version);
        match (text("apiVersion"), text("kind")) {
            ("", _) | (_, "") => Ok(()),
            (version, "AdmissionReview") if version == own => Ok(()),
            (version @ ("admission.k8s.io/v1" | "admission.k8s.io/v1beta1"), "AdmissionReview") => {
                let other = version.rsplit('/').next().unwrap_or_default();
                let wanted = self.version;
                Err(format!(
                    "converting ({other}.AdmissionReview) to ({wanted}.AdmissionReview): unknown conversion"
                ))
            }
            (version, kind) => Err(format!(
                "no kind {kind:?} is registered for version {version:?} in scheme \"pkg/runtime/scheme.go:111\""
            )),
        }
    }

    /// What only version 1 demands of an answer.
    fn check(&self, answer: &Value, patch: Option<&str>, mutating: bool) -> Result<(), String> {
        let response = &answer["response"];
        let uid = response["uid"].as_str().unwrap_or_default();
        if uid != self.uid {
            return Err(format!("expected response.uid={:?}, got {uid:?}", self.uid));
        }
        let (api_version, kind) = (answer["apiVersion"].as_str(), answer["kind"].as_str());
        if (api_version, kind) != (Some("admission.k8s.io/v1"), Some("AdmissionReview")) {
            let (api_version, kind) = (api_version.unwrap_or_default(), kind.unwrap_or_default());
            let slash = if api_version.contains('/') { "" } else { "/" };
            return Err(format!(
                "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got {slash}{api_version}, Kind={kind}"
            ));
        }
        let patch_type = response["patchType"].as_str();
        match (mutating, patch, patch_type) {
            (true, Some(_), None) => Err("webhook returned response.patch but not response.patchType".into()),
            (true, None, Some(_)) => Err("webhook returned response.patchType but not response.patch".into()),
            (true, Some(_), Some("")) => Err("webhook returned invalid response.patchType of \"\"".into()),
            (false, Some(_), _) => Err("validating webhook may not return response.patch".into()),
            (false, None, Some(_)) => Err("validating webhook may not return response.patchType".into()),
            _ => Ok(()),
        }
    }
}

/// The refusal that a webhook words itself.
fn refusal(webhook: &str, status: &Value) -> Status {
    let text = |field: &str| status[field].as_str().unwrap_or_default();
    let denied = format!("admission webhook {webhook:?} denied the request");
    let message = match (text("message"), text("reason")) {
        ("", "") => format!("{denied} without explanation"),
        ("", reason) => format!("{denied}: {reason}"),
        (message, _) => format!("{denied}: {message}"),
    };
    let code = status["code"].as_u64().filter(|code| *code >= 400).and_then(|code| u16::try_from(code).ok());
    let code = code.and_then(|code| StatusCode::from_u16(code).ok()).unwrap_or(StatusCode::BAD_REQUEST);
    let mut refusal = Status::new(code, text("reason").to_owned(), message);
    if status["details"].is_object() {
        refusal.details = Some(Box::new(details(&status["details"])));
    }
    refusal
}

fn details(details: &Value) -> Details {
    let text = |value: &Value, field: &str| value[field].as_str().unwrap_or_default().to_owned();
    Details {
        name: text(details, "name"),
        group: text(details, "group"),
        kind: text(details, "kind"),
        uid: text(details, "uid"),
        causes: details["causes"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|cause| Cause {
                reason: text(cause, "reason"),
                message: text(cause, "message"),
                field: text(cause, "field"),
            })
            .collect(),
        retry_after_seconds: details["retryAfterSeconds"].as_u64().unwrap_or_default(),
    }
}
