//! PATCH: JSON, merge, strategic merge, and apply.

use http::StatusCode;
use serde_json::Value;

use super::body::{ExpectedKind, typed};
use super::call::Call;
use super::metadata;
use super::update::check_name;
use crate::field::{FieldError, Path};
use crate::http::accept::unsupported;
use crate::http::answer::{Answer, Content};
use crate::http::options::FieldValidation;
use crate::registry::Decoded;
use crate::server::Server;
use crate::status::Status;

/// How a patch is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PatchType {
    Json,
    Merge,
    Strategic,
    Apply,
}

impl PatchType {
    fn of(call: &Call) -> Result<Self, Status> {
        const JSON: &str = "application/json-patch+json";
        const MERGE: &str = "application/merge-patch+json";
        const STRATEGIC: &str = "application/strategic-merge-patch+json";
        const APPLY: &str = "application/apply-patch+yaml";
        match call.content_type.as_str() {
            JSON => Ok(Self::Json),
            MERGE => Ok(Self::Merge),
            STRATEGIC if !call.resource.is_custom() => Ok(Self::Strategic),
            APPLY => Ok(Self::Apply),
            _ if call.resource.is_custom() => Err(unsupported(&[JSON, MERGE, APPLY])),
            _ => Err(unsupported(&[JSON, MERGE, STRATEGIC, APPLY])),
        }
    }
}

impl Server {
    /// Answers a PATCH of an object or of its status.
    pub(crate) async fn patch(&self, call: &Call) -> Result<Answer, Status> {
        let kind = PatchType::of(call)?;
        let errors = call.options.patch_errors(kind == PatchType::Apply);
        if !errors.is_empty() {
            return Err(Status::invalid("meta.k8s.io", "PatchOptions", "", &errors));
        }
        call.options.check_write("PatchOptions")?;
        let allowed = kind == PatchType::Apply && call.subresource.is_empty();
        let written = self
            .change(call, allowed, "", |live| {
                let object = match kind {
                    PatchType::Apply => self.applied(call, live)?,
                    _ => self.patched(call, kind, live.unwrap_or(&Value::Null))?,
                };
                if live.is_none() && !metadata::text(&object, "uid").is_empty() {
                    let why = format!("uid mismatch: the provided object specified uid {}, and no existing object was found", metadata::text(&object, "uid"));
                    return Err(Status::conflict(call.resource.name(), &call.name, why));
                }
                let mut object = object;
                metadata::take_namespace(&mut object, call.resource.namespaced, &call.namespace)?;
                check_name(&object, &call.name)?;
                Ok(object)
            })
            .await?;
        let code = if written.created { StatusCode::CREATED } else { StatusCode::OK };
        Ok(Answer::with(code, Content::Object(self.shown(call, &written.object))))
    }

    /// The live object with a patch that knows nothing of owners.
    fn patched(&self, call: &Call, kind: PatchType, live: &Value) -> Result<Value, Status> {
        let text = std::str::from_utf8(&call.body).unwrap_or_default();
        let mut repeated = crate::shims::schema::duplicate_fields(text);
        let refused = |error: crate::shims::schema::PatchError| patch_refused(&error);
        let patched = match kind {
            PatchType::Json => {
                repeated.clear();
                crate::shims::schema::json_patch(live, text).map_err(refused)?
            }
            PatchType::Merge => crate::shims::schema::merge_patch(live, text).map_err(refused)?,
            PatchType::Strategic | PatchType::Apply => call
                .resource
                .with_structure(&call.version, |view| {
                    crate::shims::schema::strategic_merge_patch(view, live, text)
                })
                .map_err(refused)?,
        };
        let shown = patched.to_string();
        let invalid = |words: String| {
            Status::invalid("", "", "", &[FieldError::invalid(&Path::new("patch"), shown.as_str(), words)])
        };
        let expected = ExpectedKind {
            group: &call.resource.key.group,
            version: &call.version,
            kind: &call.resource.kind,
        };
        let (patched, _) = typed(patched, expected, &call.body)?;
        let Decoded { object, unknown } = call.resource.decode(patched, &call.version).map_err(&invalid)?;
        let strict: Vec<String> = repeated.into_iter().chain(unknown).collect();
        if !strict.is_empty() {
            match call.options.validation() {
                FieldValidation::Ignore => {}
                FieldValidation::Warn => strict.into_iter().for_each(|words| call.warn(words)),
                FieldValidation::Strict => {
                    return Err(invalid(format!("strict decoding error: {}", strict.join(", "))));
                }
            }
        }
        let mut object = self.defaulted(&call.resource, object)?;
        self.own_fields(call, Some(live), &mut object)?;
        Ok(object)
    }

    /// The live object with what the applier wants.
    fn applied(&self, call: &Call, live: Option<&Value>) -> Result<Value, Status> {
        let text = std::str::from_utf8(&call.body).unwrap_or_default();
        let wanted: Value = goyaml::from_str_as(text)
            .map_err(|error| Status::bad_request(format!("error decoding YAML: {error}")))?;
        let object = self.apply_fields(call, live, &wanted)?;
        let strict = match call.options.validation() {
            FieldValidation::Ignore => None,
            FieldValidation::Warn | FieldValidation::Strict => {
                goyaml::from_str_strict(text).err().map(|error| error.to_string())
            }
        };
        if let Some(words) = strict {
            if call.options.validation() == FieldValidation::Strict {
                return Err(Status::bad_request(format!("error strict decoding YAML: {words}")));
            }
            call.warn(words);
        }
        Ok(object)
    }
}

/// A patch that cannot be read is a bad request; one that does not fit is refused in general words.
fn patch_refused(error: &crate::shims::schema::PatchError) -> Status {
    match error.code() {
        400 => Status::bad_request(error.to_string()),
        413 => Status::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "RequestEntityTooLarge",
            format!("Request entity too large: {error}"),
        ),
        422 => {
            let words = "the server rejected our request due to an error in our request";
            let mut status = Status::new(StatusCode::UNPROCESSABLE_ENTITY, "Invalid", words);
            status.details = Some(Box::default());
            status
        }
        _ => Status::internal(error),
    }
}
