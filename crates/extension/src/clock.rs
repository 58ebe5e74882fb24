//! The time, which a test can be the master of.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use jiff::Timestamp;

type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Where the time comes from: every timer of a controller goes by it.
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    sleep_until: Arc<dyn Fn(Timestamp) -> Sleep + Send + Sync>,
}

impl Clock {
    /// The time of this machine.
    pub fn real() -> Self {
        Self::new(Timestamp::now, |instant| async move {
            let left = instant.duration_since(Timestamp::now());
            tokio::time::sleep(left.try_into().unwrap_or_default()).await;
        })
    }

    /// A time of one's own: what time it is, and how to wait for an instant.
    pub fn new<Until>(
        now: impl Fn() -> Timestamp + Send + Sync + 'static,
        sleep_until: impl Fn(Timestamp) -> Until + Send + Sync + 'static,
    ) -> Self
    where
        Until: Future<Output = ()> + Send + 'static,
    {
        Self { now: Arc::new(now), sleep_until: Arc::new(move |instant| Box::pin(sleep_until(instant))) }
    }

    /// What time it is.
    pub fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// Waits until it is that time.
    pub async fn sleep_until(&self, instant: Timestamp) {
        // A timer may end a little early by another clock.
        while self.now() < instant {
            (self.sleep_until)(instant).await;
        }
    }

    /// Waits that long.
    pub async fn sleep(&self, duration: std::time::Duration) {
        self.sleep_until(self.after(duration)).await;
    }

    /// The instant so long from now.
    pub fn after(&self, duration: std::time::Duration) -> Timestamp {
        let now = self.now();
        jiff::SignedDuration::try_from(duration)
            .ok()
            .and_then(|duration| now.checked_add(duration).ok())
            .unwrap_or(Timestamp::MAX)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.now()).finish()
    }
}
