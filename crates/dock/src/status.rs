//! What the server answers when it does not answer with an object: the `Status` kind, with the codes, reasons and
//! words of the real server.

use std::borrow::Cow;
use std::fmt;

use http::StatusCode;
use serde_json::{Value, json};

use crate::field::FieldError;

/// A refusal, or the outcome of a deletion.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// The HTTP status code.
    pub code: StatusCode,
    /// One word for programs.
    pub reason: Cow<'static, str>,
    /// The sentence for people.
    pub message: String,
    /// What it is about.
    pub details: Option<Box<Details>>,
}

/// What a [`Status`] is about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Details {
    /// The name of the object.
    pub name: String,
    /// Its API group.
    pub group: String,
    /// Its resource (plural); its kind where fields are refused.
    pub kind: String,
    /// Its UID, after a deletion.
    pub uid: String,
    /// Each thing that is wrong.
    pub causes: Vec<Cause>,
    /// When to try again.
    pub retry_after_seconds: u64,
}

/// One thing that is wrong with a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Cause {
    /// One word for programs.
    pub reason: String,
    /// The sentence for people.
    pub message: String,
    /// The path of the field.
    pub field: String,
}

/// Group and plural name of a resource, as refusals name it: `deployments.apps`, `pods`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceName<'a> {
    /// The API group, empty for the core.
    pub group: &'a str,
    /// The plural.
    pub resource: &'a str,
}

impl fmt::Display for ResourceName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.resource)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        Ok(())
    }
}

impl Status {
    /// A refusal without details.
    pub fn new(code: StatusCode, reason: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { code, reason: reason.into(), message: message.into(), details: None }
    }

    fn about(mut self, resource: ResourceName<'_>, name: &str) -> Self {
        self.details = Some(Box::new(Details {
            name: name.into(),
            group: resource.group.into(),
            kind: resource.resource.into(),
            ..Details::default()
        }));
        self
    }

    /// 404: no such object.
    pub fn not_found(resource: ResourceName<'_>, name: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "NotFound", format!("{resource} {name:?} not found"))
            .about(resource, name)
    }

    /// 404: no such path.
    pub fn no_such_resource() -> Self {
        let mut status =
            Self::new(StatusCode::NOT_FOUND, "NotFound", "the server could not find the requested resource");
        status.details = Some(Box::default());
        status
    }

    /// 409: the name is taken.
    pub fn already_exists(resource: ResourceName<'_>, name: &str) -> Self {
        Self::new(StatusCode::CONFLICT, "AlreadyExists", format!("{resource} {name:?} already exists"))
            .about(resource, name)
    }

    /// 409: somebody else was quicker, or a precondition does not hold.
    pub fn conflict(resource: ResourceName<'_>, name: &str, why: impl fmt::Display) -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "Conflict",
            format!("Operation cannot be fulfilled on {resource} {name:?}: {why}"),
        )
        .about(resource, name)
    }

    /// 403: refused by admission or by a rule.
    pub fn forbidden(resource: ResourceName<'_>, name: &str, why: impl fmt::Display) -> Self {
        let message = match (resource.resource, name) {
            ("", "") => format!("forbidden: {why}"),
            (_, "") => format!("{resource} is forbidden: {why}"),
            _ => format!("{resource} {name:?} is forbidden: {why}"),
        };
        Self::new(StatusCode::FORBIDDEN, "Forbidden", message).about(resource, name)
    }

    /// 422: fields are wrong. `kind` is the kind, not the plural.
    pub fn invalid(group: &str, kind: &str, name: &str, errors: &[FieldError]) -> Self {
        let subject = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
        let words = match errors {
            [] => "<nil>".to_owned(),
            [one] => one.to_string(),
            many => {
                let mut seen: Vec<String> = Vec::new();
                for error in many {
                    let text = error.to_string();
                    if !seen.contains(&text) {
                        seen.push(text);
                    }
                }
                match seen.as_slice() {
                    [one] => one.clone(),
                    many => format!("[{}]", many.join(", ")),
                }
            }
        };
        let causes = errors.iter().map(FieldError::cause).collect();
        Self {
            code: StatusCode::UNPROCESSABLE_ENTITY,
            reason: "Invalid".into(),
            message: format!("{subject} {name:?} is invalid: {words}"),
            details: Some(Box::new(Details {
                name: name.into(),
                group: group.into(),
                kind: kind.into(),
                causes,
                ..Details::default()
            })),
        }
    }

    /// 400: the request makes no sense.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "BadRequest", message)
    }

    /// 410: the revision asked for is no longer kept.
    pub fn expired(message: impl Into<String>) -> Self {
        Self::new(StatusCode::GONE, "Expired", message)
    }

    /// 405: the resource has no such verb.
    pub fn method_not_allowed(resource: ResourceName<'_>, verb: &str) -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "MethodNotAllowed",
            format!("{verb} is not supported on resources of kind \"{resource}\""),
        )
        .about(resource, "")
    }

    /// 500: a defect of the server.
    pub fn internal(why: impl fmt::Display) -> Self {
        let mut status = Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "InternalError",
            format!("Internal error occurred: {why}"),
        );
        status.details = Some(Box::new(Details {
            causes: vec![Cause { reason: String::new(), message: why.to_string(), field: String::new() }],
            ..Details::default()
        }));
        status
    }

    /// 429: come back later.
    pub fn too_many_requests(message: impl Into<String>, seconds: u64) -> Self {
        let mut status = Self::new(StatusCode::TOO_MANY_REQUESTS, "TooManyRequests", message);
        status.details = Some(Box::new(Details { retry_after_seconds: seconds, ..Details::default() }));
        status
    }

    /// The `Status` object.
    pub fn to_value(&self) -> Value {
        let mut object = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": if self.code.is_success() { "Success" } else { "Failure" },
        });
        if !self.message.is_empty() {
            object["message"] = self.message.clone().into();
        }
        if !self.reason.is_empty() {
            object["reason"] = (*self.reason).into();
        }
        if let Some(details) = &self.details {
            object["details"] = details.to_value();
        }
        if !self.code.is_success() {
            object["code"] = self.code.as_u16().into();
        }
        object
    }
}

impl Details {
    fn to_value(&self) -> Value {
        let mut details = json!({});
        for (key, text) in
            [("name", &self.name), ("group", &self.group), ("kind", &self.kind), ("uid", &self.uid)]
        {
            if !text.is_empty() {
                details[key] = text.as_str().into();
            }
        }
        if !self.causes.is_empty() {
            details["causes"] = self.causes.iter().map(Cause::to_value).collect();
        }
        if self.retry_after_seconds > 0 {
            details["retryAfterSeconds"] = self.retry_after_seconds.into();
        }
        details
    }
}

impl Cause {
    fn to_value(&self) -> Value {
        let mut cause = json!({});
        for (key, text) in [("reason", &self.reason), ("message", &self.message), ("field", &self.field)] {
            if !text.is_empty() {
                cause[key] = text.as_str().into();
            }
        }
        cause
    }
}
