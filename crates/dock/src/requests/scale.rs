//! The `scale` subresource: the replicas of an object, whatever kind it is.

use fields::scale::{ReplicasPath, from_scale, to_scale};
use http::StatusCode;
use serde_json::Value;

use super::call::Call;
use super::metadata;
use super::patch::APPLY;
use crate::field::{FieldError, Path};
use crate::http::answer::Answer;
use crate::meta;
use crate::server::Server;
use crate::status::{ResourceName, Status};

const NO_MANAGER: &str = "failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1";

/// What stands in a `Scale` for replicas that an object does not name.
const UNSAID: i64 = i32::MIN as i64;

impl Server {
    /// Answers a GET of a `Scale`.
    pub(crate) fn get_scale(&self, call: &Call) -> Result<Answer, Status> {
        let stored = self.store.get(&call.key()).ok_or_else(|| call.not_found())?;
        let object = call.resource.convert(&stored.object, &call.version);
        if let Some(path) = call.resource.missing_replicas(&call.version, &object) {
            let words = format!("the spec replicas field {path:?} does not exist");
            return Err(Status::internal(words));
        }
        Ok(Answer::object(scale_of(call, &object).map_err(unknown)?))
    }
}

/// The `Scale` of an object.
pub(super) fn scale_of(call: &Call, object: &Value) -> Result<Value, String> {
    call.resource.scale_of(&call.version, object)
}

/// What the live object becomes when its `Scale` becomes what `make` says.
pub(super) fn scaled(
    call: &Call,
    live: &Value,
    make: impl FnOnce(&Value) -> Result<Value, Status>,
) -> Result<Value, Status> {
    let paths = call.resource.replicas_paths();
    let paths: Vec<ReplicasPath<'_>> =
        paths.iter().map(|(api_version, path)| ReplicasPath { api_version, path: path.as_deref() }).collect();
    let mut scale = scale_of(call, live).map_err(unknown)?;
    let missing = call.resource.missing_replicas(&call.version, live);
    if missing.is_some() {
        scale["spec"]["replicas"] = UNSAID.into();
    }
    let applied = call.resource.is_custom() && call.content_type == APPLY;
    match to_scale(live, &paths).map_err(unknown)? {
        Some(managers) => scale["metadata"]["managedFields"] = managers,
        // The real server cannot note who owned the replicas before anybody applied them.
        None if applied => return Err(unknown(NO_MANAGER)),
        None => {}
    }
    // None at all is not written: to apply it is a change.
    if applied && scale["spec"]["replicas"] == 0 {
        scale["spec"] = serde_json::json!({});
    }
    let wanted = make(&scale)?;
    let replicas = wanted["spec"]["replicas"].as_i64().unwrap_or_default();
    if applied && wanted["spec"].get("replicas") != scale["spec"].get("replicas") {
        // Nor can it make use of what is applied.
        return Err(unknown(format!(
            "failed to convert new object ({}/{}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1",
            call.namespace, call.name
        )));
    }
    let mut object = live.clone();
    let revision = metadata::text(&wanted, "resourceVersion");
    if call.resource.is_custom() {
        if let Some(path) = missing.filter(|_| replicas == UNSAID) {
            return Err(Status::bad_request(format!("the spec replicas field {path:?} cannot be empty")));
        }
        if !revision.is_empty() {
            metadata::fields(&mut object).insert("resourceVersion".into(), revision.into());
        }
    } else {
        check(call, live, &wanted, replicas)?;
        metadata::fields(&mut object).insert("resourceVersion".into(), revision.into());
    }
    call.resource.set_replicas(&call.version, &mut object, replicas).map_err(unknown)?;
    let own = call.resource.api_version(&call.version);
    let managers = from_scale(live, &wanted, &own, &paths).map_err(unknown)?;
    let fields = metadata::fields(&mut object);
    match managers {
        Some(managers) => fields.insert("managedFields".into(), managers),
        None => fields.remove("managedFields"),
    };
    Ok(object)
}

/// What a `Scale` of a built-in kind must be.
fn check(call: &Call, live: &Value, scale: &Value, replicas: i64) -> Result<(), Status> {
    let mut errors = meta::validate(scale, true, meta::rules_of("autoscaling", "Scale"));
    if replicas < 0 {
        let path = Path::new("spec").child("replicas");
        errors.push(FieldError::invalid(&path, replicas, "must be greater than or equal to 0"));
    }
    if !errors.is_empty() {
        return Err(Status::invalid("autoscaling", "Scale", &call.name, &errors));
    }
    let (wanted, found) = (metadata::text(scale, "uid"), metadata::text(live, "uid"));
    if wanted.is_empty() || wanted == found {
        return Ok(());
    }
    let resource = format!("{}/scale", call.resource.key.resource);
    let name = ResourceName { group: &call.resource.key.group, resource: &resource };
    let why = format!("Precondition failed: UID in precondition: {wanted}, UID in object meta: {found}");
    Err(Status::conflict(name, &call.name, why))
}

/// The server shows an error that it does not expect as it is.
fn unknown(error: impl std::fmt::Display) -> Status {
    Status::new(StatusCode::INTERNAL_SERVER_ERROR, "", error.to_string())
}
