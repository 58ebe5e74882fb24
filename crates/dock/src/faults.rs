//! Faults on demand: what a server does on a bad day, when a test wants it to.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::request;

use crate::requests::Call;
use crate::status::Status;

/// What is to go wrong.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Fault {
    /// The request is refused with this status.
    Refuse(Status),
    /// The request waits first.
    Delay(Duration),
}

/// Decides about a request: its method and path as `GET /api/v1/pods`, with its query.
type Decide = dyn Fn(&str, &Call) -> Option<Fault> + Send + Sync;

/// The faults of a server. None at first.
#[derive(Default)]
pub struct Faults {
    rules: Mutex<Vec<Arc<Decide>>>,
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faults")
    }
}

impl Faults {
    /// Adds a rule: it is asked about every request for a resource.
    pub fn add(&self, decide: impl Fn(&str, &Call) -> Option<Fault> + Send + Sync + 'static) {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(decide));
    }

    /// Everything is well again.
    pub fn clear(&self) {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(crate) async fn before(&self, parts: &request::Parts, call: &Call) -> Result<(), Status> {
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if rules.is_empty() {
            return Ok(());
        }
        let line = format!("{} {}", parts.method, parts.uri);
        for decide in rules {
            match decide(&line, call) {
                Some(Fault::Refuse(status)) => return Err(status),
                Some(Fault::Delay(time)) => tokio::time::sleep(time).await,
                None => {}
            }
        }
        Ok(())
    }
}
