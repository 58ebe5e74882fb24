//! What a server's refusal means for a step: try again, look again, or give up.

use std::time::Duration;

use kube::Error;
use kube::core::Status;

/// What to do about an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It may pass: the server is busy, starting, or was not reached. It may have asked for a pause.
    Passing(Option<Duration>),
    /// There is no such object, or no such kind.
    NotFound,
    /// The object is not the one that was meant, or was changed meanwhile.
    Conflict,
    /// It will be refused again.
    Lasting,
}

/// Sorts an error.
pub(crate) fn sort(error: &Error) -> Trouble {
    match error {
        Error::Api(status) => sort_status(status),
        // Whatever happens below HTTP may pass: connections are made anew.
        Error::HyperError(_) | Error::Service(_) | Error::ReadEvents(_) => Trouble::Passing(None),
        _ => Trouble::Lasting,
    }
}

fn sort_status(status: &Status) -> Trouble {
    let asked = status.details.as_ref().map(|details| details.retry_after_seconds);
    let pause = asked.filter(|seconds| *seconds > 0).map(|seconds| Duration::from_secs(seconds.into()));
    match (status.code, status.reason.as_str()) {
        (404, _) => Trouble::NotFound,
        (409, "AlreadyExists") => Trouble::Lasting,
        (409, _) => Trouble::Conflict,
        (429 | 502 | 503 | 504, _) | (500, "InternalError" | "ServerTimeout") => Trouble::Passing(pause),
        _ => Trouble::Lasting,
    }
}

/// The words of a refusal: those of the server where it said any, or else of the error with all that caused it.
pub fn words(error: &Error) -> String {
    match error {
        Error::Api(status) => status.message.clone(),
        other => with_causes(other),
    }
}

/// What an error says with all that caused it.
pub fn with_causes(error: &dyn std::error::Error) -> String {
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
    fn what_may_pass_is_told_from_what_will_not() {
        let status = |code: u16, reason: &str, pause: u32| {
            let status = json!({"code": code, "reason": reason, "details": {"retryAfterSeconds": pause}});
            Error::Api(Box::new(serde_json::from_value(status).unwrap_or_default()))
        };
        for (error, expected) in [
            (status(429, "TooManyRequests", 3), Trouble::Passing(Some(Duration::from_secs(3)))),
            (status(503, "ServiceUnavailable", 0), Trouble::Passing(None)),
            (status(404, "NotFound", 0), Trouble::NotFound),
            (status(409, "Conflict", 0), Trouble::Conflict),
            (status(409, "AlreadyExists", 0), Trouble::Lasting),
            (status(403, "Forbidden", 0), Trouble::Lasting),
            (status(422, "Invalid", 0), Trouble::Lasting),
        ] {
            assert_eq!(sort(&error), expected, "{error}");
        }
    }
}
