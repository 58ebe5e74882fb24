//! What whoever runs the operator can choose.

use std::time::Duration;

/// What whoever runs the operator can choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The feature `DeclarativeDelete`: whether `existsExternally: false` means anything.
    pub declarative_delete: bool,
    /// What becomes of an object whose backing thing was taken down declaratively.
    pub after_deletion: AfterDeletion,
    /// How long a broker has for an answer.
    pub request_timeout: Duration,
    /// How long operations are polled at most, where the plan does not say less.
    pub longest_poll: Duration,
    /// The first pause between polls and between attempts; later ones are longer.
    pub first_pause: Duration,
    /// The longest pause between polls and between attempts.
    pub longest_pause: Duration,
    /// For how long something that does not succeed is tried again.
    pub retry_duration: Duration,
    /// After what time catalogs are read again, unless the broker's object says otherwise.
    pub relist: Duration,
}

/// What becomes of an object whose backing thing is gone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AfterDeletion {
    /// It is deleted.
    #[default]
    Delete,
    /// It stays, to be looked at.
    Retain,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            declarative_delete: false,
            after_deletion: AfterDeletion::Delete,
            request_timeout: osb::DEFAULT_TIMEOUT,
            longest_poll: Duration::from_hours(7 * 24),
            first_pause: Duration::from_secs(1),
            longest_pause: Duration::from_mins(20),
            retry_duration: Duration::from_hours(7 * 24),
            relist: Duration::from_hours(24),
        }
    }
}

impl Settings {
    /// The pause after so many attempts.
    pub fn pause(&self, attempts: u32) -> Duration {
        let doubled = self.first_pause.checked_mul(1_u32.checked_shl(attempts.min(20)).unwrap_or(u32::MAX));
        doubled.map_or(self.longest_pause, |pause| pause.min(self.longest_pause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let settings = Settings::default();
        let pauses: Vec<_> = [0, 1, 5, 10, 11, 40, u32::MAX].map(|n| settings.pause(n).as_secs()).into();
        assert_eq!(pauses, [1, 2, 32, 1024, 1200, 1200, 1200]);
    }
}
