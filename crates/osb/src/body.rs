//! The bodies of answers: of those that succeed, and of those that do not.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Answer, Secret};

/// The longest identifier of an operation that a broker may give.
const LONGEST_OPERATION: usize = 10_000;

/// What the broker says with a success. Which fields are there depends on what was asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Where the instance can be managed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dashboard_url: Option<String>,
    /// What the broker calls the operation that goes on; given back when polling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The service of an instance that was fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_id: Option<String>,
    /// The plan of an instance that was fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// The parameters of what was fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Secret<Map<String, Value>>>,
    /// How to reach the instance: what a binding is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<Secret<Map<String, Value>>>,
    /// Where logs are to go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syslog_drain_url: Option<Secret<String>>,
    /// Where requests are to be sent through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route_service_url: Option<Secret<String>>,
    /// What is to be mounted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume_mounts: Option<Secret<Vec<Value>>>,
    /// Hosts and ports of the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoints: Option<Vec<Value>>,
    /// Labels and attributes of an instance, or the dates of a binding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// What the broker said beyond the specification.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Fields that nobody here knows; their names are shown, what they hold is not.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Extra(pub Map<String, Value>);

impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Body {
    /// Reads the body of a success; otherwise what is wrong with it.
    pub(crate) fn read(answer: &Answer) -> Result<Self, String> {
        let body = answer.body.as_deref().ok_or("it is too large")?;
        if body.first_non_space() != Some(b'{') {
            return Err("it is no JSON object".to_owned());
        }
        // The message of the parser may quote what it read.
        let body: Self = serde_json::from_slice(body)
            .map_err(|error| format!("line {}, column {}: {}", error.line(), error.column(), sort(&error)))?;
        let operation = body.operation.as_deref().unwrap_or_default();
        if operation.chars().nth(LONGEST_OPERATION).is_some() {
            return Err(format!("the operation has more than {LONGEST_OPERATION} characters"));
        }
        Ok(body)
    }

    /// What to poll with: an empty name of an operation is none.
    pub fn operation(&self) -> Option<&str> {
        self.operation.as_deref().filter(|operation| !operation.is_empty())
    }
}

trait FirstNonSpace {
    fn first_non_space(&self) -> Option<u8>;
}

impl FirstNonSpace for [u8] {
    fn first_non_space(&self) -> Option<u8> {
        self.iter().copied().find(|byte| !byte.is_ascii_whitespace())
    }
}

/// What a parser complains of, without the value that it complains of.
pub(crate) fn sort(error: &serde_json::Error) -> &'static str {
    match error.classify() {
        serde_json::error::Category::Data => "a field is not of the type that it should be",
        serde_json::error::Category::Eof => "it ends too early",
        _ => "it is no JSON",
    }
}

/// What the broker says with a failure, and of a failed operation when polled.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub(crate) struct Complaint {
    #[serde(default)]
    pub(crate) error: Option<String>,
    #[serde(default)]
    pub(crate) description: Option<String>,
    #[serde(default)]
    pub(crate) instance_usable: Option<bool>,
    #[serde(default)]
    pub(crate) update_repeatable: Option<bool>,
}

impl Complaint {
    /// Reads as much of it as can be read: a failure stays one whatever its body is.
    pub(crate) fn read(answer: &Answer) -> Self {
        let body = answer.body.as_deref().unwrap_or_default();
        let Ok(Value::Object(fields)) = serde_json::from_slice(body) else { return Self::default() };
        let text = |name: &str| {
            let text = fields.get(name)?.as_str()?.trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        let flag = |name: &str| fields.get(name)?.as_bool();
        Self {
            error: text("error"),
            description: text("description"),
            instance_usable: flag("instance_usable"),
            update_repeatable: flag("update_repeatable"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<Body, String> {
        Body::read(&Answer { status: 200, retry_after: None, body: Some(body.into()) })
    }

    #[test]
    fn unknown_fields_are_kept_and_secrets_are_not_shown() {
        let body = read(r#"{"credentials":{"password":"hunter2"},"acme_token":"hunter3"}"#).unwrap();
        assert_eq!(body.extra.0["acme_token"], "hunter3");
        assert_eq!(body.credentials.as_ref().unwrap().0["password"], "hunter2");
        let shown = format!("{body:?}");
        assert!(!shown.contains("hunter"), "{shown}");
        assert!(shown.contains("acme_token"), "{shown}");
        let again = serde_json::to_value(&body).unwrap();
        assert_eq!(
            again,
            serde_json::json!({"credentials": {"password": "hunter2"}, "acme_token": "hunter3"})
        );
    }

    #[test]
    fn what_is_wrong_is_said_without_what_was_read() {
        assert_eq!(read("").unwrap_err(), "it is no JSON object");
        assert_eq!(read("[]").unwrap_err(), "it is no JSON object");
        assert_eq!(read("{").unwrap_err(), "line 1, column 1: it ends too early");
        let wrong = read(r#"{"credentials":"hunter2"}"#).unwrap_err();
        assert!(wrong.contains("a field is not of the type that it should be"), "{wrong}");
        assert!(!wrong.contains("hunter2"));
        let long = format!(r#"{{"operation":"{}"}}"#, "x".repeat(10_001));
        assert_eq!(read(&long).unwrap_err(), "the operation has more than 10000 characters");
        assert_eq!(read(r#"{"operation":null,"dashboard_url":null}"#).unwrap(), Body::default());
        assert_eq!(read(r#"{"operation":""}"#).unwrap().operation(), None);
    }

    #[test]
    fn complaints_are_read_as_far_as_they_go() {
        let read = |body: &str| {
            Complaint::read(&Answer { status: 400, retry_after: None, body: Some(body.as_bytes().to_vec()) })
        };
        assert_eq!(read("<html>"), Complaint::default());
        assert_eq!(read(r#"{"error":7,"description":"no"}"#).description.as_deref(), Some("no"));
        assert_eq!(read(r#"{"instance_usable":false}"#).instance_usable, Some(false));
    }
}
