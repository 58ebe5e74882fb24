//! The `token` subresource of service accounts: a token is made, and nothing is stored.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http::StatusCode;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::body::ExpectedKind;
use super::call::Call;
use super::metadata;
use crate::field::{FieldError, Path};
use crate::http::answer::{Answer, Content};
use crate::meta;
use crate::server::Server;
use crate::status::{ResourceName, Status};

const TOKEN_REQUEST: ExpectedKind<'static> =
    ExpectedKind { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" };
/// Who makes the tokens, and whom they are for unless the request says so.
const ISSUER: &str = "https://kubernetes.default.svc";
/// How long a token is good for, unless the request says so; and the least and the most it may say.
const LIFE: i64 = 3600;
const SHORTEST: i64 = 600;
const LONGEST: i64 = 1 << 32;

impl Server {
    /// Answers a POST for a token of a service account.
    pub(crate) async fn token(&self, call: &Call) -> Result<Answer, Status> {
        call.options.check_write("CreateOptions")?;
        let mut request = call.read_object()?;
        let seconds = request["spec"]["expirationSeconds"].as_i64().unwrap_or(LIFE);
        request["spec"]["expirationSeconds"] = seconds.into();
        call.own_fields(&mut request);
        for (field, own) in [("name", &call.name), ("namespace", &call.namespace)] {
            let said = metadata::text(&request, field);
            if !said.is_empty() && said != &**own {
                let words = format!("must match the service account {field} if specified");
                let error = FieldError::invalid(&Path::new("metadata").child(field), said, words);
                return Err(invalid(&call.name, error));
            }
        }
        self.admit_part(call, &mut request).await?;
        let account = self.store.get(&call.key()).ok_or_else(|| call.not_found())?.object;
        let (wanted, uid) = (metadata::text(&request, "uid"), metadata::text(&account, "uid"));
        if !wanted.is_empty() && wanted != uid {
            let why = format!(
                "the UID in the token request ({wanted}) does not match the UID of the service account ({uid})"
            );
            let name = ResourceName { group: TOKEN_REQUEST.group, resource: TOKEN_REQUEST.kind };
            return Err(Status::conflict(name, &call.name, why));
        }
        let words = match seconds {
            ..SHORTEST => "may not specify a duration less than 10 minutes",
            SHORTEST..=LONGEST => "",
            _ => "may not specify a duration larger than 2^32 seconds",
        };
        if !words.is_empty() {
            let path = Path::new("spec").child("expirationSeconds");
            return Err(invalid("", FieldError::invalid(&path, seconds, words)));
        }
        self.check_bound(call, &request["spec"]["boundObjectRef"])?;
        let expires = call.now + SignedDuration::from_secs(seconds);
        if request["spec"]["audiences"].as_array().is_none_or(Vec::is_empty) {
            request["spec"]["audiences"] = json!([ISSUER]);
        }
        let fields = metadata::fields(&mut request);
        fields.insert("name".into(), (*call.name).into());
        fields.insert("namespace".into(), (*call.namespace).into());
        fields.insert("uid".into(), uid.into());
        fields.insert("creationTimestamp".into(), meta::moment(call.now).into());
        let part = |value: Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let header = part(json!({"alg": "none", "typ": "JWT"}));
        let claims = part(json!({
            "aud": request["spec"]["audiences"],
            "iss": ISSUER,
            "sub": format!("system:serviceaccount:{}:{}", call.namespace, call.name),
            "exp": expires.as_second(),
            "iat": call.now.as_second(),
            "kubernetes.io": {"namespace": &*call.namespace, "serviceaccount": {"name": &*call.name, "uid": uid}},
        }));
        request["status"] =
            json!({"token": format!("{header}.{claims}."), "expirationTimestamp": meta::moment(expires)});
        Ok(Answer::with(StatusCode::CREATED, Content::Object(request)))
    }

    /// A token may be bound to an object, which must be there.
    fn check_bound(&self, call: &Call, reference: &Value) -> Result<(), Status> {
        if !reference.is_object() {
            return Ok(());
        }
        let text = |field: &str| reference[field].as_str().unwrap_or_default();
        let (version, kind, name) = (text("apiVersion"), text("kind"), text("name"));
        let resource = Some(kind)
            .filter(|kind| !version.contains('/') && matches!(*kind, "Pod" | "Secret" | "Node"))
            .and_then(|kind| self.registry.by_kind("", kind));
        let Some(resource) = resource else {
            let (group, version) = version.split_once('/').unwrap_or(("", version));
            return Err(Status::bad_request(format!(
                "cannot bind token to object of type {group}/{version}, Kind={kind}"
            )));
        };
        let namespace = if resource.namespaced { &*call.namespace } else { "" };
        let found = self.store.get(&resource.object_key(namespace, name));
        let found = found.ok_or_else(|| Status::not_found(resource.name(), name))?.object;
        if kind == "Pod" && found["spec"]["serviceAccountName"].as_str() != Some(&*call.name) {
            return Err(Status::bad_request(format!(
                "cannot bind token for serviceaccount {:?} to pod running with different serviceaccount name.",
                call.name
            )));
        }
        let wanted = text("uid");
        if wanted.is_empty() || wanted == metadata::text(&found, "uid") {
            return Ok(());
        }
        let why = format!(
            "the UID in the bound object reference ({wanted}) does not match the UID in record. The object might have been deleted and then recreated"
        );
        Err(Status::conflict(ResourceName { group: "", resource: kind }, name, why))
    }
}

fn invalid(name: &str, error: FieldError) -> Status {
    Status::invalid(TOKEN_REQUEST.group, TOKEN_REQUEST.kind, name, &[error])
}
