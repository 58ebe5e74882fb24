//! Moments and spans of time as people read them.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

/// How long ago something was: `3m ago`.
pub(super) fn ago(moment: Option<&Time>, now: Timestamp) -> String {
    moment.map_or_else(
        || "-".to_owned(),
        |moment| format!("{} ago", span(now.duration_since(moment.0).as_secs())),
    )
}

/// How long it is until something: `in 2h5m`, or that it is due.
pub(super) fn until(moment: Timestamp, now: Timestamp) -> String {
    match moment.duration_since(now).as_secs() {
        ..=0 => "due".to_owned(),
        left => format!("in {}", span(left)),
    }
}

/// A span by its two greatest units.
pub(super) fn span(seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    let two = |first: i64, unit: &str, second: i64, below: &str| match second {
        0 => format!("{first}{unit}"),
        second => format!("{first}{unit}{second}{below}"),
    };
    match (days, hours, minutes) {
        (1.., hours, _) => two(days, "d", hours, "h"),
        (_, 1.., minutes) => two(hours, "h", minutes, "m"),
        (_, _, 1..) => two(minutes, "m", seconds % 60, "s"),
        _ => format!("{seconds}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_has_its_two_greatest_units() {
        for (seconds, expected) in [
            (-5, "0s"),
            (59, "59s"),
            (60, "1m"),
            (61, "1m1s"),
            (3600, "1h"),
            (3599 + 3600, "1h59m"),
            (86_400 * 2 + 3600 * 3 + 59, "2d3h"),
        ] {
            assert_eq!(span(seconds), expected);
        }
    }
}
