//! How long to wait before something is tried again.

use std::time::Duration;

use crate::ObjectKey;

/// The longest pause after failures.
const LONGEST: Duration = Duration::from_mins(5);
/// The longest pause when something is merely not over yet.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The pause after so many failures in a row: one second, then twice as long each time. Objects differ by up to a
/// tenth, so that what failed together is not tried again together.
pub(crate) fn after_failure(key: &ObjectKey, attempts: u32) -> Duration {
    spread(key, doubled(attempts).min(LONGEST))
}

/// The pause before looking again whether it is over.
pub(crate) fn while_waiting(key: &ObjectKey, attempts: u32) -> Duration {
    spread(key, doubled(attempts).min(LONGEST_WAIT))
}

fn doubled(attempts: u32) -> Duration {
    Duration::from_secs(1 << attempts.min(12))
}

fn spread(key: &ObjectKey, pause: Duration) -> Duration {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    pause.mul_f64(1.0 - 0.1 * ((hasher.finish() % 1000) as f64 / 1000.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_bound_and_differ_a_little() {
        let key = ObjectKey::namespaced("a", "b");
        let pauses: Vec<_> = (0..40).map(|attempts| after_failure(&key, attempts)).collect();
        assert!(pauses.is_sorted() && pauses[0] <= Duration::from_secs(1) && pauses[39] <= LONGEST);
        assert!(pauses[0] >= Duration::from_millis(900) && pauses[39] >= LONGEST.mul_f64(0.9));
        assert!(while_waiting(&key, 40) <= LONGEST_WAIT);
    }
}
