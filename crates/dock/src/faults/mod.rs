//! Faults on demand: what a server does on a bad day, when a test wants it to.
//!
//! [`Faults::inject`] says which requests ([`Which`]) meet what ([`Fault`]):
//!
//! ```
//! # use dock::Dock;
//! # use dock::faults::{Fault, Which};
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let dock = Dock::builder()
//!     // The first two patches of any Deployment whose name begins with `web-` come too fast.
//!     .fault(Which::verb("patch").resource("deployments.apps").name("web-*").times(2), Fault::too_many_requests(1))
//!     .start()
//!     .await;
//! // A tenth of all writes is done, but nobody learns of it.
//! let lost = dock.faults().inject(Which::write().probability(0.1, 42), Fault::LoseAnswer);
//! assert_eq!(lost.hits(), 0);
//! lost.remove();
//! # });
//! ```
//!
//! A connection that breaks is an error of the service ([`ConnectionLost`]) in this process, and a connection that is
//! closed without an answer on a socket. [`Faults::drop_watches`] and [`Faults::expire_revisions`] act at once, on
//! everybody. Requests of the simulated controllers meet no faults.

mod which;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::StatusCode;

pub use self::which::Which;
use crate::requests::Call;
use crate::status::Status;
use crate::store::Store;

/// What is to go wrong.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Fault {
    /// The request is refused with this status.
    Refuse(Status),
    /// The request waits first.
    Delay(Duration),
    /// The connection breaks before anything is done.
    Reset,
    /// The request is done, and the connection breaks before the answer.
    LoseAnswer,
    /// The connection of a watch breaks after so many events.
    CutWatch(usize),
    /// The revision that the request goes on from is no longer kept: 410. Requests that begin anew do not meet it.
    Expire,
}

impl Fault {
    /// 429: come back after so many seconds.
    pub fn too_many_requests(seconds: u64) -> Self {
        let words = "The server has received too many requests and has asked us to try again later";
        Self::Refuse(Status::too_many_requests(words, seconds))
    }

    /// 500.
    pub fn internal_error(why: &str) -> Self {
        Self::Refuse(Status::internal(why))
    }

    /// 503.
    pub fn unavailable() -> Self {
        let words = "the server is currently unable to handle the request";
        Self::Refuse(Status::new(StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable", words))
    }

    /// 403, in the words of a webhook that refuses.
    pub fn denied_by_webhook(webhook: &str, message: &str) -> Self {
        let words = format!("admission webhook {webhook:?} denied the request: {message}");
        Self::Refuse(Status::new(StatusCode::FORBIDDEN, "Forbidden", words))
    }
}

/// The connection broke: there is no answer, whatever became of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("connection reset by peer")]
pub struct ConnectionLost;

/// Decides about a request: its method and path as `GET /api/v1/pods?limit=5`.
type Decide = dyn Fn(&str, &Call) -> Option<Fault> + Send + Sync;

/// The faults of a server. None at first.
pub struct Faults {
    rules: Arc<Mutex<Vec<Rule>>>,
    store: Store,
}

#[derive(Clone)]
struct Rule {
    id: u64,
    decide: Arc<Decide>,
    hits: Arc<AtomicU64>,
}

/// A fault that was injected.
#[derive(Clone)]
pub struct Injected {
    rules: Arc<Mutex<Vec<Rule>>>,
    id: u64,
    hits: Arc<AtomicU64>,
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faults")
    }
}

impl fmt::Debug for Injected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Injected").field("hits", &self.hits()).finish_non_exhaustive()
    }
}

impl Injected {
    /// How many requests met it.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    /// No request meets it any more.
    pub fn remove(&self) {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner).retain(|rule| rule.id != self.id);
    }
}

impl Faults {
    pub(crate) fn new(store: Store) -> Self {
        Self { rules: Arc::default(), store }
    }

    /// Lets the requests that are meant meet a fault.
    pub fn inject(&self, which: Which, fault: Fault) -> Injected {
        let goes_on = |call: &Call| {
            !call.options.continue_token.is_empty() || !matches!(&*call.options.resource_version, "" | "0")
        };
        self.add(move |line, call| {
            let possible = match &fault {
                Fault::Expire => goes_on(call),
                Fault::CutWatch(_) => call.options.watch,
                _ => true,
            };
            (possible && which.matches(line, call)).then(|| fault.clone())
        })
    }

    /// Adds a rule of any sort: it is asked about every request for a resource, with its method and path as
    /// `GET /api/v1/pods?limit=5`.
    pub fn add(&self, decide: impl Fn(&str, &Call) -> Option<Fault> + Send + Sync + 'static) -> Injected {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let hits = Arc::new(AtomicU64::new(0));
        let rule = Rule { id, decide: Arc::new(decide), hits: hits.clone() };
        self.rules.lock().unwrap_or_else(PoisonError::into_inner).push(rule);
        Injected { rules: self.rules.clone(), id, hits }
    }

    /// Everything is well again.
    pub fn clear(&self) {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Ends every watch that is open.
    pub fn drop_watches(&self) {
        self.store.drop_followers();
    }

    /// Forgets everything but the present: who goes on from an older revision gets a 410.
    pub fn expire_revisions(&self) {
        self.store.compact();
    }

    /// What a request meets, after it has waited.
    pub(crate) async fn meet(&self, line: &str, call: &Call) -> Option<Fault> {
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for rule in rules {
            let Some(fault) = (rule.decide)(line, call) else { continue };
            rule.hits.fetch_add(1, Ordering::Relaxed);
            match fault {
                Fault::Delay(time) => tokio::time::sleep(time).await,
                fault => return Some(fault),
            }
        }
        None
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rules.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

/// The words in which a revision that is no longer kept is refused.
pub(crate) fn expired(call: &Call) -> Status {
    Status::expired(if call.options.continue_token.is_empty() {
        "The resourceVersion for the provided list is too old."
    } else {
        "The provided continue parameter is too old to display a consistent list result. You can start a new list \
         without the continue parameter."
    })
}
