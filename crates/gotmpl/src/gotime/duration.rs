//! Durations: those of [`goyaml::duration`], and how templates round them.

pub use goyaml::duration::{DurationError, HOUR, MICROSECOND, MILLISECOND, MINUTE, SECOND, format, parse};

/// `Duration.Truncate`: towards zero, to a multiple of `unit`.
pub fn truncate(duration: i64, unit: i64) -> i64 {
    if unit <= 0 { duration } else { duration - duration % unit }
}

/// `Duration.Round`: to the nearest multiple of `unit`, halves away from zero.
pub fn round(duration: i64, unit: i64) -> i64 {
    if unit <= 0 {
        return duration;
    }
    let rest = (duration % unit).unsigned_abs();
    let towards_zero = duration - duration % unit;
    if rest * 2 < unit.unsigned_abs() {
        return towards_zero;
    }
    if duration < 0 { towards_zero.saturating_sub(unit) } else { towards_zero.saturating_add(unit) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_half_away_from_zero() {
        assert_eq!(round(1_500 * MILLISECOND, SECOND), 2 * SECOND);
        assert_eq!(round(-1_500 * MILLISECOND, SECOND), -2 * SECOND);
        assert_eq!(round(1_499 * MILLISECOND, SECOND), SECOND);
        assert_eq!(round(i64::MAX, HOUR), i64::MAX);
        assert_eq!(truncate(-1_999 * MILLISECOND, SECOND), -SECOND);
        assert_eq!(round(7, 0), 7);
    }
}
