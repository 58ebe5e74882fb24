//! Errors that are on record, and the codes by which they are told apart.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why an operation does not succeed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastError {
    /// What happened, for people.
    pub description: String,
    /// What sort of error it is, for programs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub codes: Vec<ErrorCode>,
    /// Which part of the operation it was, where there are several.
    #[serde(default, rename = "taskID", skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// When it was first seen in these words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_update_time: Option<Time>,
}

/// A sort of error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ErrorCode {
    /// Something that must go first does not go.
    #[serde(rename = "ERR_CLEANUP_RESOURCES")]
    CleanupResources,
    /// The user has asked for something that cannot be.
    #[serde(rename = "ERR_CONFIGURATION_PROBLEM")]
    ConfigurationProblem,
    /// Something outside still needs it.
    #[serde(rename = "ERR_DEPENDENCIES")]
    Dependencies,
    /// The credentials are not accepted.
    #[serde(rename = "ERR_UNAUTHENTICATED")]
    Unauthenticated,
    /// The credentials do not suffice.
    #[serde(rename = "ERR_UNAUTHORIZED")]
    Unauthorized,
    /// Something outside still needs it, which may pass.
    #[serde(rename = "ERR_RETRYABLE_DEPENDENCIES")]
    RetryableDependencies,
    /// The configuration is not right yet, which others may mend.
    #[serde(rename = "ERR_RETRYABLE_CONFIGURATION_PROBLEM")]
    RetryableConfigurationProblem,
    /// Too many requests.
    #[serde(rename = "ERR_RATE_LIMITS_EXCEEDED")]
    RateLimitsExceeded,
    /// A quota is used up.
    #[serde(rename = "ERR_QUOTA_EXCEEDED")]
    QuotaExceeded,
    /// There is no more of it.
    #[serde(rename = "ERR_RESOURCES_DEPLETED")]
    ResourcesDepleted,
    /// A webhook stands in the way.
    #[serde(rename = "ERR_PROBLEMATIC_WEBHOOK")]
    ProblematicWebhook,
    /// It took too long.
    #[serde(rename = "ERR_TIMEOUT")]
    Timeout,
    /// One that an extension has made up.
    #[serde(untagged)]
    Other(String),
}

impl ErrorCode {
    /// The codes of errors that people must act on, and for which force deletion is.
    pub const BLOCKING: [Self; 5] = [
        Self::CleanupResources,
        Self::ConfigurationProblem,
        Self::Dependencies,
        Self::Unauthenticated,
        Self::Unauthorized,
    ];

    /// Whether force deletion may end what such an error holds up.
    pub fn is_blocking(&self) -> bool {
        Self::BLOCKING.contains(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_written_as_they_are_known_and_read_whatever_they_are() -> Result<(), serde_json::Error> {
        let codes = r#"["ERR_CLEANUP_RESOURCES","ERR_TIMEOUT","ERR_OF_OURS"]"#;
        let read: Vec<ErrorCode> = serde_json::from_str(codes)?;
        assert_eq!(
            read,
            [ErrorCode::CleanupResources, ErrorCode::Timeout, ErrorCode::Other("ERR_OF_OURS".to_owned())]
        );
        assert_eq!(serde_json::to_string(&read)?, codes);
        assert_eq!(read.iter().map(ErrorCode::is_blocking).collect::<Vec<_>>(), [true, false, false]);
        Ok(())
    }
}
