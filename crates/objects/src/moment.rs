//! Moments as the API writes them.

use jiff::Timestamp;

/// Reads a time of the API: RFC 3339, in the one form that Go's `time.Parse` takes.
///
/// Other spellings of ISO 8601 (a space for the `T`, no colon in the offset) are refused: what the API server
/// would not accept must not be understood here.
pub fn parse_time(text: &str) -> Option<Timestamp> {
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| {
        bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    let signs = |places: &[(usize, u8)]| places.iter().all(|(at, sign)| bytes.get(*at) == Some(sign));
    let is_date = digits(0..4) && digits(5..7) && digits(8..10) && signs(&[(4, b'-'), (7, b'-'), (10, b'T')]);
    let is_time = digits(11..13) && digits(14..16) && digits(17..19) && signs(&[(13, b':'), (16, b':')]);
    if !is_date || !is_time || &bytes[17..19] == b"60" {
        return None;
    }
    let mut rest = &text[19..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if length == 0 {
            return None;
        }
        rest = &fraction[length..];
    }
    let is_offset = rest == "Z" || (rest.len() == 6 && rest.starts_with(['+', '-']) && &rest[3..4] == ":");
    if is_offset { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_the_api_writes() {
        for (text, seconds) in [
            ("1970-01-01T00:00:10Z", 10),
            ("1970-01-01T01:00:10+01:00", 10),
            ("1970-01-01T00:00:10.000000Z", 10),
            ("2026-02-28T23:59:59Z", 1_772_323_199),
        ] {
            assert_eq!(parse_time(text).map(Timestamp::as_second), Some(seconds), "{text}");
        }
    }

    #[test]
    fn refuses_other_spellings() {
        for text in [
            "",
            "soon",
            "1970-01-01",
            "1970-01-01 00:00:10Z",
            "1970-01-01T00:00:10",
            "1970-01-01T00:00:10z",
            "1970-01-01T00:00:10+0100",
            "1970-02-30T00:00:10Z",
            "1970-01-01T00:00:60Z",
            "1970-01-01T00:00:10.Z",
            "1970-01-01T00:00:1éZ",
        ] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }
}
