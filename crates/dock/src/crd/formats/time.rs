//! Dates, moments and durations.

pub(super) fn is_date(text: &str) -> bool {
    let shape = text.len() == 10
        && text.bytes().enumerate().all(|(index, byte)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if !shape {
        return false;
    }
    let number = |range: std::ops::Range<usize>| text[range].parse::<i8>().unwrap_or_default();
    let year = text[..4].parse::<i16>().unwrap_or_default();
    jiff::civil::Date::new(year, number(5..7), number(8..10)).is_ok()
}

pub(super) fn is_date_time(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut parts = text.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    is_date(date) && is_time(time)
}

/// `hh:mm:ss`, one sign and digits after it, and a zone.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    if !text.is_ascii() || bytes.len() < 9 {
        return is_time_with_odd_fraction(text);
    }
    clock(&text[..8]) && zone(fraction(&text[8..]))
}

/// The sign before the fraction may be any character.
fn is_time_with_odd_fraction(text: &str) -> bool {
    text.get(..8).is_some_and(clock) && text.get(8..).is_some_and(|rest| zone(fraction(rest)))
}

fn clock(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = [0, 1, 3, 4, 6, 7].iter().all(|&at| bytes.get(at).is_some_and(u8::is_ascii_digit));
    digits
        && bytes.get(2) == Some(&b':')
        && bytes.get(5) == Some(&b':')
        && &text[..2] <= "23"
        && &text[3..5] <= "59"
        && &text[6..] <= "59"
}

fn fraction(text: &str) -> &str {
    let mut signs = text.chars();
    signs.next();
    let after = signs.as_str().trim_start_matches(|sign: char| sign.is_ascii_digit());
    if after.len() < signs.as_str().len() && !zone(text) { after } else { text }
}

fn zone(text: &str) -> bool {
    let bytes = text.as_bytes();
    text == "z"
        || (bytes.len() == 6
            && b"+-".contains(&bytes[0])
            && bytes[3] == b':'
            && [1, 2, 4, 5].iter().all(|&at| bytes[at].is_ascii_digit()))
}

pub(super) fn is_duration(text: &str) -> bool {
    goyaml::duration::parse(text).is_ok() || has_amounts(text)
}

/// Amounts with units in words anywhere in the text: `3 weeks`.
fn has_amounts(text: &str) -> bool {
    let mut found = false;
    let mut rest = text;
    while let Some(start) = rest.find(|sign: char| sign.is_ascii_digit()) {
        let after = rest[start..].trim_start_matches(|sign: char| sign.is_ascii_digit());
        let digits = &rest[start..rest.len() - after.len()];
        let unit = after.trim_start_matches(|sign| "\t\n\x0c\r ".contains(sign));
        let end = unit.find(|sign: char| !(sign.is_ascii_alphabetic() || sign == 'µ')).unwrap_or(unit.len());
        if end > 0 {
            if digits.parse::<i64>().is_err() {
                return false;
            }
            found |= is_unit(&unit[..end].to_lowercase());
            rest = &unit[end..];
        } else {
            rest = after;
        }
    }
    found
}

fn is_unit(unit: &str) -> bool {
    const WORDS: [&str; 8] = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];
    const SHORT: [&str; 11] = ["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"];
    SHORT.contains(&unit) || WORDS.iter().any(|word| unit.starts_with(word))
}
