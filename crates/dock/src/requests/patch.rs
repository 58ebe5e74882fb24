//! PATCH: JSON, merge, strategic merge, and apply.

use http::StatusCode;
use serde_json::Value;

use super::body::{check_type, defaulted, expected_kind};
use super::call::Call;
use super::managed::unexplained;
use super::metadata;
use super::update::check_name;
use crate::field::{FieldError, Path};
use crate::http::accept::unsupported;
use crate::http::answer::Answer;
use crate::http::options::FieldValidation;
use crate::server::Server;
use crate::status::Status;

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
/// The content type of what is applied.
pub(super) const APPLY: &str = "application/apply-patch+yaml";

/// The content types of patches to the server's own kinds.
pub(crate) const PATCH_TYPES: [&str; 4] = [JSON, MERGE, STRATEGIC, APPLY];

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
        match call.content_type.as_str() {
            JSON => Ok(Self::Json),
            MERGE => Ok(Self::Merge),
            STRATEGIC if !call.resource.is_custom() => Ok(Self::Strategic),
            APPLY => Ok(Self::Apply),
            _ if call.resource.is_custom() => Err(unsupported(&[JSON, MERGE, APPLY])),
            _ => Err(unsupported(&PATCH_TYPES)),
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
        let allowed = kind == PatchType::Apply
            && (call.subresource.is_empty() || call.resource.traits.create_on_update);
        let written = self.change(call, allowed, "", |live| successor(call, kind, live)).await?;
        call.answer(&written)
    }
}

/// What a patch makes of the live object, or of nothing.
fn successor(call: &Call, kind: PatchType, live: Option<&Value>) -> Result<Value, Status> {
    let mut object = match kind {
        PatchType::Apply => applied(call, live)?,
        _ => patched(call, kind, live.unwrap_or(&Value::Null))?,
    };
    let uid = metadata::text(&object, "uid");
    if live.is_none() && !uid.is_empty() {
        let why = format!(
            "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
        );
        return Err(Status::conflict(call.resource.name(), &call.name, why));
    }
    metadata::take_namespace(&mut object, call.resource.namespaced, &call.namespace)?;
    check_name(&object, &call.name)?;
    Ok(object)
}

/// The live object with a patch that knows nothing of owners.
fn patched(call: &Call, kind: PatchType, live: &Value) -> Result<Value, Status> {
    let text = std::str::from_utf8(&call.body).unwrap_or_default();
    let strict = call.options.validation() != FieldValidation::Ignore;
    let refused = |error: schema::PatchError| patch_refused(&error);
    let (decoded, complaints, shown, rewritten) = match kind {
        PatchType::Json | PatchType::Merge => {
            let patch = if kind == PatchType::Json { schema::json_patch } else { schema::merge_patch };
            let patched = patch(live.clone(), text, strict).map_err(refused)?;
            // Go shows the fields in the order of the patched document.
            let shown = patched.object.clone().into_value().to_string();
            check_type(&patched.object, expected_kind(call))?;
            let rewritten = call.rewritten(&patched.object);
            (call.decode(patched.object, strict), patched.complaints, shown, rewritten)
        }
        PatchType::Strategic | PatchType::Apply => {
            let merge = |view: schema::View<'_>| -> Result<_, schema::PatchError> {
                let merged = schema::strategic_merge_patch(view, live.clone(), text, strict)?;
                let shown = schema::show(&merged.patch);
                let rewritten = call.rewritten(&merged.object.clone().into());
                let decoded = schema::convert(view, merged.object, strict).map_err(|error| error.to_string());
                Ok((decoded, merged.complaints, shown, rewritten))
            };
            call.with_structure(merge).map_err(refused)?
        }
    };
    let invalid = |words: String| {
        Status::invalid("", "", "", &[FieldError::invalid(&Path::new("patch"), shown.as_str(), words)])
    };
    let decoded = decoded.map_err(&invalid)?;
    let complaints: Vec<String> = complaints.into_iter().chain(decoded.complaints).collect();
    if !complaints.is_empty() {
        match call.options.validation() {
            FieldValidation::Ignore => {}
            FieldValidation::Warn => complaints.into_iter().for_each(|words| call.warn(words)),
            FieldValidation::Strict => return Err(invalid(schema::strict_error(&complaints))),
        }
    }
    let mut object = defaulted(call, decoded.value);
    call.own_changes(live, &rewritten, &mut object);
    Ok(object)
}

/// The live object with what the applier wants.
fn applied(call: &Call, live: Option<&Value>) -> Result<Value, Status> {
    let text = std::str::from_utf8(&call.body).unwrap_or_default();
    let wanted: Value = goyaml::from_str_as(text)
        .map_err(|error| Status::bad_request(format!("error decoding YAML: {error}")))?;
    let object = call.apply_fields(live, &wanted)?;
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

/// A patch that cannot be read is a bad request; one that does not fit is refused in general words.
pub(super) fn patch_refused(error: &schema::PatchError) -> Status {
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
        _ => unexplained(error.to_string()),
    }
}
