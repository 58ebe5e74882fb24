//! The time, which a test can turn.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use tokio::time::Instant;

/// Where the server takes the time from. Clones share one time.
#[derive(Debug, Clone)]
pub struct Clock(Source);

#[derive(Debug, Clone)]
enum Source {
    Real,
    Runtime { at: Timestamp, since: Instant },
    Turned { now: Arc<Mutex<Timestamp>>, turns: Arc<watch::Sender<Timestamp>> },
}

impl Clock {
    /// The time of this machine.
    pub fn real() -> Self {
        Self(Source::Real)
    }

    /// The time of the runtime that this is called in, from now on: where that is paused, hours pass in no time.
    pub fn of_runtime() -> Self {
        Self(Source::Runtime { at: Timestamp::now(), since: Instant::now() })
    }

    /// A clock that stands still until it is [turned](Clock::advance).
    pub fn standing(at: Timestamp) -> Self {
        Self(Source::Turned { now: Arc::new(Mutex::new(at)), turns: Arc::new(watch::Sender::new(at)) })
    }

    /// What time it is.
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            Source::Real => Timestamp::now(),
            Source::Runtime { at, since } => at.saturating_add(since.elapsed()).unwrap_or(Timestamp::MAX),
            Source::Turned { now, .. } => *now.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Turns a standing clock forward, and wakes who waits for the time that has come. The real time cannot be turned:
    /// it goes on as it does.
    pub fn advance(&self, by: SignedDuration) {
        if let Source::Turned { now, turns } = &self.0 {
            let mut now = now.lock().unwrap_or_else(PoisonError::into_inner);
            *now = now.saturating_add(by).unwrap_or(*now);
            turns.send_replace(*now);
        }
    }

    /// Waits until it is that time.
    pub async fn sleep_until(&self, moment: Timestamp) {
        match &self.0 {
            Source::Real | Source::Runtime { .. } => {
                let left = moment.duration_since(self.now());
                tokio::time::sleep(left.try_into().unwrap_or_default()).await;
            }
            Source::Turned { turns, .. } => {
                // The sender lives as long as the clock, so waiting can only end by the time coming.
                let _ = turns.subscribe().wait_for(|now| *now >= moment).await;
            }
        }
    }
}
