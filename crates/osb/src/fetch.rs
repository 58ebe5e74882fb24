//! What a broker has, where it says that it can be asked.

use crate::body::{Body, Complaint};
use crate::verdict::{failure, unanswered};
use crate::{Failure, FailureKind, Reply};

/// What is there.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Fetched {
    /// It is there.
    There(Box<Body>),
    /// It is not there, or not yet.
    Absent,
    /// It is being changed.
    Busy(Failure),
    /// Nobody knows.
    Failed(Failure),
}

/// What a reply to a fetch says.
pub fn interpret_fetch(reply: &Reply) -> Fetched {
    let answer = match reply {
        Reply::Answered(answer) => answer,
        Reply::TimedOut { cause } | Reply::Unreachable { cause } => {
            return Fetched::Failed(unanswered(FailureKind::Unsettled, cause));
        }
    };
    match answer.status {
        200 => match Body::read(answer) {
            Ok(body) => Fetched::There(Box::new(body)),
            Err(wrong) => Fetched::Failed(Failure {
                description: format!("the answer is malformed: {wrong}"),
                ..failure(answer, FailureKind::Unsettled)
            }),
        },
        404 => Fetched::Absent,
        422 if Complaint::read(answer).error.as_deref() == Some("ConcurrencyError") => {
            Fetched::Busy(failure(answer, FailureKind::Postponed))
        }
        _ => Fetched::Failed(failure(answer, FailureKind::Unsettled)),
    }
}
