//! What became of a request that was to change something: the specification's two tables as one function.

use std::fmt;

use crate::body::{Body, Complaint};
use crate::{Answer, Operation, Reply, RetryAfter};

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// It is as was asked.
    Done(Box<Body>),
    /// The broker is at it; how far, [polling](crate::Client::poll_instance) tells.
    Accepted(Box<Body>),
    /// It is not.
    Failed(Failure),
}

/// Why something is not as was asked, and what that leaves behind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Failure {
    /// Whether to ask again, and what to expect when asking.
    pub kind: FailureKind,
    /// The code, if the broker answered.
    pub status: Option<u16>,
    /// The broker's word for it: `ConcurrencyError`.
    pub error: Option<String>,
    /// What the broker said, or what happened in its place.
    pub description: String,
    /// Whether the specification wants it taken back: something may be there that nobody asked for.
    pub orphan: bool,
    /// Whether the instance can be used all the same, after an update or a deprovision.
    pub instance_usable: bool,
    /// Whether the same update can be asked for again.
    pub update_repeatable: bool,
    /// How long the broker asks to be left alone.
    pub retry_after: Option<RetryAfter>,
}

/// What a failure means for what is done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// Nothing was changed, and the same request will be refused again.
    Refused,
    /// Nothing was changed, and the same request may do later.
    Postponed,
    /// Nobody knows what was changed.
    Unsettled,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(status) = self.status {
            write!(f, "Status: {status}; ")?;
        }
        if let Some(error) = &self.error {
            write!(f, "ErrorMessage: {error}; ")?;
        }
        write!(f, "Description: {}", self.description)
    }
}

/// What a reply says about a request.
pub fn interpret(operation: Operation, reply: &Reply) -> Verdict {
    let answer = match reply {
        Reply::Answered(answer) => answer,
        Reply::TimedOut { cause } => {
            return Verdict::Failed(Failure {
                orphan: operation.makes(),
                ..unanswered(FailureKind::Unsettled, cause)
            });
        }
        Reply::Unreachable { cause } => return Verdict::Failed(unanswered(FailureKind::Postponed, cause)),
    };
    let read = |ok: fn(Box<Body>) -> Verdict, orphan: bool| match Body::read(answer) {
        Ok(body) => ok(Box::new(body)),
        Err(wrong) => {
            let description = format!("the answer is malformed: {wrong}");
            Verdict::Failed(Failure { description, orphan, ..failure(answer, FailureKind::Unsettled) })
        }
    };
    match answer.status {
        200 => read(Verdict::Done, false),
        201 if operation.makes() => read(Verdict::Done, true),
        // In one table a success of everything, in the chapters of the others no answer that they know.
        201 => Verdict::Failed(failure(answer, FailureKind::Unsettled)),
        202 => read(Verdict::Accepted, operation.makes()),
        410 if operation.removes() => Verdict::Done(Box::default()),
        200..300 | 500..600 => Verdict::Failed(Failure {
            orphan: operation != Operation::Update,
            ..failure(answer, FailureKind::Unsettled)
        }),
        400..500 => Verdict::Failed(failure(answer, kind_of_4xx(answer))),
        _ => Verdict::Failed(failure(answer, FailureKind::Unsettled)),
    }
}

/// Of the codes that leave everything as it was, those after which the same request makes sense again.
fn kind_of_4xx(answer: &Answer) -> FailureKind {
    let busy = answer.status == 422 && Complaint::read(answer).error.as_deref() == Some("ConcurrencyError");
    if busy || matches!(answer.status, 408 | 429) { FailureKind::Postponed } else { FailureKind::Refused }
}

pub(crate) fn failure(answer: &Answer, kind: FailureKind) -> Failure {
    let complaint = Complaint::read(answer);
    Failure {
        kind,
        status: Some(answer.status),
        description: complaint
            .description
            .unwrap_or_else(|| format!("the broker answered {} and said nothing more", answer.status)),
        error: complaint.error,
        orphan: false,
        instance_usable: complaint.instance_usable.unwrap_or(true),
        update_repeatable: complaint.update_repeatable.unwrap_or(true),
        retry_after: answer.retry_after,
    }
}

pub(crate) fn unanswered(kind: FailureKind, cause: &str) -> Failure {
    Failure {
        kind,
        status: None,
        error: None,
        description: cause.to_owned(),
        orphan: false,
        instance_usable: true,
        update_repeatable: true,
        retry_after: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(operation: Operation, status: u16, body: &str) -> Failure {
        match interpret(operation, &Reply::answer(status, body)) {
            Verdict::Failed(failure) => failure,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn failures_read_as_service_catalog_writes_them() {
        let failure = failed(
            Operation::Deprovision,
            403,
            r#"{"error":"Forbidden","description":"bob may not delete"}"#,
        );
        assert_eq!(
            failure.to_string(),
            "Status: 403; ErrorMessage: Forbidden; Description: bob may not delete"
        );
        assert_eq!(failure.kind, FailureKind::Refused);
        let silent = failed(Operation::Provision, 500, "<html>");
        assert_eq!(
            silent.to_string(),
            "Status: 500; Description: the broker answered 500 and said nothing more"
        );
    }

    #[test]
    fn a_redirect_settles_nothing_and_leaves_no_orphan() {
        let failure = failed(Operation::Deprovision, 302, "");
        assert_eq!((failure.kind, failure.orphan), (FailureKind::Unsettled, false));
    }

    #[test]
    fn every_code_has_a_verdict_and_only_what_is_unsettled_leaves_orphans() {
        for operation in Operation::ALL {
            for status in 100..=999 {
                for body in ["", "{}", "[", r#"{"error":"ConcurrencyError"}"#] {
                    let Verdict::Failed(failure) = interpret(operation, &Reply::answer(status, body)) else {
                        continue;
                    };
                    assert!(
                        !failure.orphan || failure.kind == FailureKind::Unsettled,
                        "{operation} {status} {body}"
                    );
                    assert!(!failure.orphan || operation != Operation::Update, "{operation} {status}");
                    if (400..500).contains(&status) {
                        assert_ne!(failure.kind, FailureKind::Unsettled, "{operation} {status}");
                    }
                }
            }
        }
    }
}
