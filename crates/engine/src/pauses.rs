//! Pauses between attempts of a watch to begin again: each is twice as long as the one before, until one succeeds.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(5);

/// The pauses of one watch.
#[derive(Debug, Default)]
pub(crate) struct Pauses(u32);

impl Pauses {
    /// It was refused, or broke: the next attempt comes after a pause.
    pub(crate) async fn wait(&mut self) {
        tokio::time::sleep(self.next()).await;
    }

    fn next(&mut self) -> Duration {
        let pause = FIRST * 2_u32.saturating_pow(self.0.min(10));
        self.0 += 1;
        pause.min(LONGEST)
    }

    /// It tells something.
    pub(crate) fn end(&mut self) {
        self.0 = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_grow_until_something_is_told() {
        let mut pauses = Pauses::default();
        assert_eq!(pauses.next(), FIRST);
        assert_eq!(pauses.next(), FIRST * 2);
        for _ in 0..20 {
            pauses.next();
        }
        assert_eq!(pauses.next(), LONGEST);
        pauses.end();
        assert_eq!(pauses.next(), FIRST);
    }
}
