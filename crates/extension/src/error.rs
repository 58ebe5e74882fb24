//! Why an operation did not succeed, as an actuator says it.

use std::time::Duration;

use crate::status::ErrorCode;

/// An operation did not succeed.
///
/// It is tried again, later each time, unless it is [fatal](ActuatorError::fatal): then it rests until the spec changes
/// or somebody asks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{description}")]
pub struct ActuatorError {
    pub(crate) description: String,
    pub(crate) codes: Vec<ErrorCode>,
    pub(crate) task: Option<String>,
    pub(crate) fatal: bool,
    pub(crate) after: Option<Duration>,
    pub(crate) others: Vec<ActuatorError>,
}

impl ActuatorError {
    /// An error that may pass.
    pub fn new(description: impl Into<String>) -> Self {
        Self {
            description: description.into(),
            codes: Vec::new(),
            task: None,
            fatal: false,
            after: None,
            others: Vec::new(),
        }
    }

    /// What sort of error it is. Those of [`ErrorCode::BLOCKING`] make force deletion possible.
    #[must_use]
    pub fn code(mut self, code: ErrorCode) -> Self {
        if !self.codes.contains(&code) {
            self.codes.push(code);
        }
        self
    }

    /// Which part of the operation it was.
    #[must_use]
    pub fn task(mut self, task: impl Into<String>) -> Self {
        self.task = Some(task.into());
        self
    }

    /// It will not pass by itself: nothing is tried until somebody acts.
    #[must_use]
    pub fn fatal(mut self) -> Self {
        self.fatal = true;
        self
    }

    /// It is tried again after this time, and not by the usual pauses.
    #[must_use]
    pub fn retry_after(mut self, after: Duration) -> Self {
        self.after = Some(after);
        self
    }

    /// Something else went wrong as well. All are on record.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.others.push(other);
        self
    }

    /// The codes of all that went wrong.
    pub fn codes(&self) -> impl Iterator<Item = &ErrorCode> {
        self.codes.iter().chain(self.others.iter().flat_map(|other| &other.codes))
    }

    /// Whether it is tried again.
    pub fn is_retryable(&self) -> bool {
        !self.fatal
    }
}

impl From<kube::Error> for ActuatorError {
    /// What the server's answer means, and after which pause to ask again if it said so.
    fn from(error: kube::Error) -> Self {
        let kube::Error::Api(status) = &error else { return Self::new(with_causes(&error)) };
        let mut described = Self::new(status.message.clone());
        let pause = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
        if pause > 0 {
            described = described.retry_after(Duration::from_secs(pause.into()));
        }
        match status.code {
            401 => described.code(ErrorCode::Unauthenticated),
            403 if status.message.contains("exceeded quota") => described.code(ErrorCode::QuotaExceeded),
            403 => described.code(ErrorCode::Unauthorized),
            400 | 422 => described.code(ErrorCode::ConfigurationProblem),
            429 => described.code(ErrorCode::RateLimitsExceeded),
            500 if status.message.contains("webhook") => described.code(ErrorCode::ProblematicWebhook),
            _ => described,
        }
    }
}

/// What an error says with all that caused it.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_of_servers_get_the_codes_they_deserve() {
        let refused = |code: u16, message: &str, pause: u32| {
            let status = json!({"code": code, "message": message, "details": {"retryAfterSeconds": pause}});
            ActuatorError::from(kube::Error::Api(Box::new(
                serde_json::from_value(status).unwrap_or_default(),
            )))
        };
        for (error, expected) in [
            (refused(401, "who?", 0), vec![ErrorCode::Unauthenticated]),
            (refused(403, "no", 0), vec![ErrorCode::Unauthorized]),
            (refused(403, "exceeded quota: pods", 0), vec![ErrorCode::QuotaExceeded]),
            (refused(422, "wrong", 0), vec![ErrorCode::ConfigurationProblem]),
            (refused(500, "failed calling webhook \"x\"", 0), vec![ErrorCode::ProblematicWebhook]),
            (refused(409, "stale", 0), vec![]),
        ] {
            assert_eq!(error.codes, expected, "{error}");
            assert!(error.is_retryable());
        }
        assert_eq!(refused(429, "busy", 7).after, Some(Duration::from_secs(7)));
    }
}
