//! The `scale` subresource: the replicas of an object, whatever kind it is.

use http::StatusCode;
use serde_json::{Value, json};

use super::call::Call;
use super::metadata;
use super::update::check_name;
use crate::http::answer::{Answer, Content};
use crate::server::Server;
use crate::status::Status;

impl Server {
    /// Answers a request for a `Scale`.
    pub(crate) async fn scale(&self, call: &Call, verb: &str) -> Result<Answer, Status> {
        if verb == "get" {
            let stored = self.store.get(&call.key()).ok_or_else(|| call.not_found())?;
            return Ok(Answer::object(call.resource.scale_of(&stored.object)));
        }
        call.options.check_write(if verb == "update" { "UpdateOptions" } else { "PatchOptions" })?;
        let written = self
            .change(call, false, "", |live| {
                let live = live.unwrap_or(&Value::Null);
                let scale = call.resource.scale_of(live);
                let wanted = if verb == "update" { sent(call)? } else { patched(call, &scale)? };
                check_name(&wanted, &call.name)?;
                let mut object = live.clone();
                let revision = metadata::text(&wanted, "resourceVersion");
                if !revision.is_empty() {
                    metadata::fields(&mut object).insert("resourceVersion".into(), revision.into());
                }
                let replicas = wanted["spec"]["replicas"].as_i64().unwrap_or_default();
                call.resource.set_replicas(&mut object, replicas);
                self.own_fields(call, Some(live), &mut object)?;
                Ok(object)
            })
            .await?;
        Ok(Answer::with(StatusCode::OK, Content::Object(call.resource.scale_of(&written.object))))
    }
}

fn sent(call: &Call) -> Result<Value, Status> {
    let expected = super::body::ExpectedKind { group: "autoscaling", version: "v1", kind: "Scale" };
    let (value, _) = super::body::parse(call, expected)?;
    super::body::typed(value, expected, &call.body).map(|(value, _)| value)
}

fn patched(call: &Call, scale: &Value) -> Result<Value, Status> {
    let text = std::str::from_utf8(&call.body).unwrap_or_default();
    let patched = match call.content_type.as_str() {
        "application/json-patch+json" => crate::shims::schema::json_patch(scale, text),
        "application/apply-patch+yaml" => {
            let wanted: Value = goyaml::from_str_as(text)
                .map_err(|error| Status::bad_request(format!("error decoding YAML: {error}")))?;
            return Ok(json!({"metadata": scale["metadata"], "spec": wanted["spec"]}));
        }
        _ => crate::shims::schema::merge_patch(scale, text),
    };
    patched.map_err(|error| Status::bad_request(error.to_string()))
}
