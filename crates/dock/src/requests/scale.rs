//! The `scale` subresource: the replicas of an object, whatever kind it is.

use http::StatusCode;
use serde_json::{Value, json};

use super::body::{ExpectedKind, read_typed};
use super::call::Call;
use super::metadata;
use super::patch::patch_refused;
use super::update::check_name;
use crate::http::answer::{Answer, Content};
use crate::server::Server;
use crate::status::Status;

impl Server {
    /// Answers a request for a `Scale`.
    pub(crate) async fn scale(&self, call: &Call, verb: &str) -> Result<Answer, Status> {
        if verb == "get" {
            let stored = self.store.get(&call.key()).ok_or_else(|| call.not_found())?;
            return Ok(Answer::object(scale_of(call, &stored.object)?));
        }
        call.options.check_write(if verb == "update" { "UpdateOptions" } else { "PatchOptions" })?;
        let written = self
            .change(call, false, "", |live| {
                let live = live.unwrap_or(&Value::Null);
                let scale = scale_of(call, live)?;
                let wanted = if verb == "update" { sent(call)? } else { patched(call, &scale)? };
                check_name(&wanted, &call.name)?;
                let mut object = live.clone();
                let revision = metadata::text(&wanted, "resourceVersion");
                if !revision.is_empty() {
                    metadata::fields(&mut object).insert("resourceVersion".into(), revision.into());
                }
                let replicas = wanted["spec"]["replicas"].as_i64().unwrap_or_default();
                call.resource.set_replicas(&call.version, &mut object, replicas).map_err(Status::internal)?;
                call.own_fields(Some(live), &mut object);
                Ok(object)
            })
            .await?;
        Ok(Answer::with(StatusCode::OK, Content::Object(scale_of(call, &written.object)?)))
    }
}

fn scale_of(call: &Call, object: &Value) -> Result<Value, Status> {
    call.resource.scale_of(&call.version, object).map_err(Status::internal)
}

fn sent(call: &Call) -> Result<Value, Status> {
    read_typed(call, ExpectedKind { group: "autoscaling", version: "v1", kind: "Scale" })
}

fn patched(call: &Call, scale: &Value) -> Result<Value, Status> {
    let text = std::str::from_utf8(&call.body).unwrap_or_default();
    let patched = match call.content_type.as_str() {
        "application/json-patch+json" => schema::json_patch(scale.clone(), text, false),
        "application/apply-patch+yaml" => {
            let wanted: Value = goyaml::from_str_as(text)
                .map_err(|error| Status::bad_request(format!("error decoding YAML: {error}")))?;
            return Ok(json!({"metadata": scale["metadata"], "spec": wanted["spec"]}));
        }
        _ => schema::merge_patch(scale.clone(), text, false),
    };
    patched.map(|patched| patched.object.into_value()).map_err(|error| patch_refused(&error))
}
