//! How many requests are under way at once: more while the server answers as quickly as ever, fewer when it says that it
//! does not keep up.

use std::time::Duration;

use tokio::time::Instant;

/// So many at first.
const FIRST: f64 = 16.0;
/// Slow answers alone do not make it less: a few of them are slow by themselves.
const LEAST: f64 = 4.0;
/// Never more.
const MOST: f64 = 64.0;
/// An answer that takes so much longer than the quickest says that requests queue up.
const SLOW: u32 = 8;
/// A queue that is over sooner keeps the server busy and hurts nobody.
const SOON: Duration = Duration::from_millis(250);

/// The width of a run, which adapts.
#[derive(Debug)]
pub(crate) struct Width {
    now: f64,
    most: f64,
    /// Whether nothing has spoken against more yet.
    starting: bool,
    quickest: Duration,
    until: Option<Instant>,
}

impl Width {
    pub(crate) fn new(most: Option<usize>) -> Self {
        let most = most.map_or(MOST, |most| most.max(1) as f64);
        Self { now: FIRST.min(most), most, starting: true, quickest: Duration::MAX, until: None }
    }

    /// How many may be under way.
    pub(crate) fn get(&self) -> usize {
        self.now as usize
    }

    /// Until when nothing new may be sent.
    pub(crate) fn pause(&self, now: Instant) -> Option<Instant> {
        self.until.filter(|until| *until > now)
    }

    /// A request was answered in this time.
    pub(crate) fn answered(&mut self, took: Duration) {
        self.quickest = self.quickest.min(took.max(Duration::from_millis(1)));
        let queued = took > self.quickest * SLOW;
        if queued && took > SOON {
            self.starting = false;
            self.now = (self.now * 0.9).max(LEAST.min(self.most));
        } else if !queued {
            let more = if self.starting { 1.0 } else { 1.0 / self.now };
            self.now = (self.now + more).min(self.most);
        }
    }

    /// The server refused to take more. Returns whether the width has changed.
    pub(crate) fn refused(&mut self, pause: Option<Duration>, now: Instant) -> bool {
        let before = self.get();
        self.starting = false;
        self.now = (self.now / 2.0).max(1.0);
        if let Some(pause) = pause {
            self.until = Some(self.until.unwrap_or(now).max(now + pause));
        }
        self.get() != before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_by_answers_and_is_halved_by_refusals() {
        let mut width = Width::new(None);
        let now = Instant::now();
        for _ in 0..10_000 {
            width.answered(Duration::from_millis(2));
        }
        assert_eq!(width.get(), MOST as usize);
        assert!(width.refused(Some(Duration::from_secs(1)), now));
        assert_eq!(width.get(), MOST as usize / 2);
        assert_eq!(width.pause(now), Some(now + Duration::from_secs(1)));
        assert_eq!(width.pause(now + Duration::from_secs(2)), None);
        for _ in 0..20 {
            width.refused(None, now);
        }
        assert_eq!(width.get(), 1);
    }

    #[test]
    fn answers_that_queue_up_narrow_it() {
        let mut width = Width::new(Some(16));
        width.answered(Duration::from_millis(1));
        let before = width.get();
        for _ in 0..20 {
            width.answered(Duration::from_millis(50));
        }
        assert_eq!(width.get(), before);
        for _ in 0..20 {
            width.answered(Duration::from_millis(300));
        }
        assert!(width.get() < before);
    }

    #[test]
    fn a_server_that_is_busy_gets_no_more_at_once() {
        let mut width = Width::new(None);
        width.answered(Duration::from_millis(2));
        let before = width.get();
        for _ in 0..1000 {
            width.answered(Duration::from_millis(17));
        }
        assert_eq!(width.get(), before, "each further one would only wait, and want a connection of its own");
        for _ in 0..1000 {
            width.answered(Duration::from_millis(16));
        }
        assert_eq!(width.get(), MOST as usize);
    }
}
