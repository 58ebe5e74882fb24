//! Questions that are asked by creating an object: who am I, and may somebody do something.

use http::StatusCode;
use serde_json::{Value, json};

use super::call::Call;
use super::metadata;
use crate::field::{FieldError, Path};
use crate::http::answer::{Answer, Content};
use crate::meta;
use crate::server::Server;
use crate::status::Status;

impl Server {
    /// Answers a question about users and access. Access is not limited by roles: everything is allowed.
    pub(crate) async fn review(&self, call: &Call) -> Result<Answer, Status> {
        call.options.check_write("CreateOptions")?;
        let mut review = call.read_object()?;
        metadata::take_namespace(&mut review, call.resource.namespaced, &call.namespace)?;
        call.own_fields(&mut review);
        self.admit_part(call, &mut review).await?;
        match &*call.resource.kind {
            "SelfSubjectReview" => {
                review["metadata"] = json!({"creationTimestamp": meta::moment(call.now)});
                review["status"] = json!({"userInfo": call.user.to_value()});
            }
            "TokenReview" => review["status"] = self.review_token(&review)?,
            "SelfSubjectRulesReview" => {
                if review["spec"]["namespace"].as_str().is_none_or(str::is_empty) {
                    return Err(Status::bad_request("no namespace on request"));
                }
                review["metadata"] = json!({});
                review["spec"] = json!({});
                review["status"] = json!({
                    "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
                    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
                    "incomplete": false,
                });
            }
            kind => {
                let errors = problems(kind, &review);
                if !errors.is_empty() {
                    return Err(Status::invalid(&call.resource.key.group, "", "", &errors));
                }
                review["status"] = json!({"allowed": true});
            }
        }
        Ok(Answer::with(StatusCode::CREATED, Content::Object(review)))
    }

    fn review_token(&self, review: &Value) -> Result<Value, Status> {
        let token = review["spec"]["token"].as_str().filter(|token| !token.is_empty());
        let token = token
            .ok_or_else(|| Status::bad_request("token is required for TokenReview in authentication"))?;
        Ok(match self.tokens.user(Some(token)) {
            Some(user) => json!({"authenticated": true, "user": user.to_value()}),
            None => json!({"user": {}, "error": "invalid bearer token"}),
        })
    }
}

/// What is wrong with a question about access.
fn problems(kind: &str, review: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (spec, path) = (&review["spec"], Path::new("spec"));
    let (resource, other) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
    let local = kind == "LocalSubjectAccessReview";
    // The server shows this one in the words of its own structure.
    let shown = || json!({"Path": other["path"].as_str().unwrap_or_default(), "Verb": other["verb"].as_str().unwrap_or_default()});
    if resource.is_object() && other.is_object() {
        let words = "cannot be specified in combination with resourceAttributes";
        errors.push(FieldError::invalid(&path.child("nonResourceAttributes"), shown(), words));
    }
    if !resource.is_object() && !other.is_object() {
        let words = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
        errors.push(FieldError::invalid(&path.child("resourceAttributes"), Value::Null, words));
    }
    let nobody = spec["user"].as_str().is_none_or(str::is_empty)
        && spec["groups"].as_array().is_none_or(Vec::is_empty);
    if kind != "SelfSubjectAccessReview" && nobody {
        let words = "at least one of user or group must be specified";
        errors.push(FieldError::invalid(&path.child("user"), "", words));
    }
    let mut metadata = review["metadata"].as_object().cloned().unwrap_or_default();
    metadata.remove("managedFields");
    metadata.remove("namespace");
    if !metadata.is_empty() {
        let words = if local { "must be empty except for namespace" } else { "must be empty" };
        errors.push(FieldError::invalid(&Path::new("metadata"), review["metadata"].clone(), words));
    }
    if local {
        let namespace = resource["namespace"].as_str().unwrap_or_default();
        if resource.is_object() && namespace != metadata::text(review, "namespace") {
            let place = path.child("resourceAttributes").child("namespace");
            errors.push(FieldError::invalid(&place, namespace, "must match metadata.namespace"));
        }
        if other.is_object() {
            let place = path.child("nonResourceAttributes");
            errors.push(FieldError::invalid(&place, shown(), "disallowed on this kind of request"));
        }
    }
    errors
}
