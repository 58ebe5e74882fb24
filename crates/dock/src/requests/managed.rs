//! Who owns the fields of what is written.

use fields::{ApplyError, FieldSet, Request, Versions};
use http::StatusCode;
use schema::Tree;
use serde_json::Value;

use super::call::Call;
use crate::server::Server;
use crate::status::{Cause, Details, Status};

impl Server {
    /// Notes in a new or changed object who owns what.
    #[expect(clippy::unnecessary_wraps, reason = "custom kinds with unknown versions will refuse")]
    pub(super) fn own_fields(
        &self,
        call: &Call,
        live: Option<&Value>,
        object: &mut Value,
    ) -> Result<(), Status> {
        let manager = call.manager();
        self.with_request(call, &manager, |request| request.update(live, object));
        Ok(())
    }

    /// What an apply makes of the live object.
    pub(super) fn apply_fields(
        &self,
        call: &Call,
        live: Option<&Value>,
        wanted: &Value,
    ) -> Result<Value, Status> {
        let force = call.options.force.unwrap_or_default();
        let merged = self
            .with_request(call, &call.options.field_manager, |request| request.apply(live, wanted, force))
            .map_err(|error| refusal(call, &error))?;
        let decoded =
            call.resource.decode(Tree::from(merged), &call.version, false).map_err(Status::internal)?;
        Ok(self.defaulted(call, decoded.value))
    }

    fn with_request<T>(&self, call: &Call, manager: &str, write: impl FnOnce(Request<'_>) -> T) -> T {
        let api_version = call.resource.api_version(&call.version);
        let known = |version: &str| {
            call.resource.versions.iter().any(|served| call.resource.api_version(served) == version)
        };
        let versions =
            if call.resource.is_custom() { Versions::Custom(&known) } else { Versions::Builtin(&known) };
        let empty = call.resource.empty(&call.version);
        let reset = reset_fields(call);
        call.resource.with_structure(&call.version, |view| {
            write(Request {
                manager,
                api_version: &api_version,
                kind: &call.resource.kind,
                subresource: &call.subresource,
                view,
                reset: &reset,
                empty: &empty,
                versions,
                now: call.now,
            })
        })
    }
}

/// What this door does not write.
fn reset_fields(call: &Call) -> FieldSet<'static> {
    let rules = call.resource.rules();
    let names: &[&str] = match &*call.subresource {
        "" if rules.has_status() => &["status"],
        "status" => rules.status_resets(),
        _ => &[],
    };
    FieldSet::of_fields(names.iter().copied())
}

fn refusal(call: &Call, error: &ApplyError) -> Status {
    match error {
        ApplyError::Conflicts(conflicts) => {
            let causes = conflicts.all().iter().map(|conflict| Cause {
                reason: "FieldManagerConflict".into(),
                message: format!("conflict with {}", conflict.manager),
                field: conflict.field.clone(),
            });
            let mut status = Status::new(StatusCode::CONFLICT, "Conflict", conflicts.to_string());
            status.details = Some(Box::new(Details { causes: causes.collect(), ..Details::default() }));
            status
        }
        ApplyError::WrongType(_) | ApplyError::ManagedFieldsGiven => Status::bad_request(error.to_string()),
        _ => {
            let _ = call;
            // The server shows such an error as it is.
            Status {
                code: StatusCode::INTERNAL_SERVER_ERROR,
                reason: "",
                message: error.to_string(),
                details: None,
            }
        }
    }
}
