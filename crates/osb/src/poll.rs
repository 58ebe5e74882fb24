//! How far an asynchronous operation is.

use serde::Deserialize;

use crate::body::{Complaint, sort};
use crate::verdict::failure;
use crate::{Answer, Failure, FailureKind, Operation, Reply, RetryAfter};

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Poll {
    /// The broker is at it.
    InProgress {
        /// What it says about it.
        description: Option<String>,
        /// How long to wait before asking again.
        retry_after: Option<RetryAfter>,
    },
    /// It is done.
    Succeeded {
        /// What the broker says about it.
        description: Option<String>,
    },
    /// It has come to nothing.
    Failed(Failure),
    /// The answer says nothing: to be asked again, as long as the longest time for that is not over.
    Unclear {
        /// What was wrong.
        cause: String,
        /// How long to wait before asking again.
        retry_after: Option<RetryAfter>,
    },
}

#[derive(Deserialize)]
struct LastOperation {
    state: String,
    #[serde(default)]
    description: Option<String>,
}

/// What a reply to a poll says about the operation that is waited for.
///
/// Only a state that is one of the three ends or goes on; 410 ends what removes something. All other answers, 400 and
/// 404 among them, are asked for again: the specification gives them no meaning for who polls.
pub fn interpret_poll(operation: Operation, reply: &Reply) -> Poll {
    let answer = match reply {
        Reply::Answered(answer) => answer,
        Reply::TimedOut { cause } | Reply::Unreachable { cause } => {
            return Poll::Unclear { cause: cause.clone(), retry_after: None };
        }
    };
    match answer.status {
        200 => read(operation, answer),
        410 if operation.removes() => Poll::Succeeded { description: None },
        _ => unclear(answer, failure(answer, FailureKind::Unsettled).to_string()),
    }
}

fn read(operation: Operation, answer: &Answer) -> Poll {
    let Some(body) = &answer.body else { return unclear(answer, "the answer is too large".to_owned()) };
    let last: LastOperation = match serde_json::from_slice(body) {
        Ok(last) => last,
        Err(error) => return unclear(answer, format!("the answer is malformed: {}", sort(&error))),
    };
    let description = last.description.filter(|description| !description.trim().is_empty());
    match last.state.as_str() {
        "in progress" => Poll::InProgress { description, retry_after: answer.retry_after },
        "succeeded" => Poll::Succeeded { description },
        "failed" => Poll::Failed(Failure {
            // The broker has told the end of it: what it left behind is the question, not whether it ended.
            description: description
                .unwrap_or_else(|| format!("the {operation} failed, and the broker said nothing more")),
            error: Complaint::read(answer).error,
            orphan: operation != Operation::Update,
            status: None,
            ..failure(answer, FailureKind::Unsettled)
        }),
        _ => unclear(answer, "the state is none of \"in progress\", \"succeeded\" and \"failed\"".to_owned()),
    }
}

fn unclear(answer: &Answer, cause: String) -> Poll {
    Poll::Unclear { cause, retry_after: answer.retry_after }
}
