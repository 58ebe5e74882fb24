//! Identifiers, numbers with check digits, colours and base64.

use std::sync::LazyLock;

use regex::Regex;

fn hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A UUID, with or without dashes, of a version, and of the usual variant if asked.
pub(super) fn is_uuid(text: &str, version: Option<char>, variant: bool) -> bool {
    let mut rest = text;
    let mut groups = Vec::new();
    for (index, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((group, after)) = rest.split_at_checked(length) else { return false };
        groups.push(group);
        rest = after;
    }
    rest.is_empty()
        && groups.iter().all(|group| hex(group))
        && version.is_none_or(|version| groups[2].starts_with(version))
        && (!variant || groups[3].starts_with(|sign: char| "89abAB".contains(sign)))
}

fn without_spaces_and_dashes(text: &str) -> Vec<u8> {
    text.bytes().filter(|byte| !b"\t\n\x0c\r -".contains(byte)).collect()
}

pub(super) fn is_isbn10(text: &str) -> bool {
    let digits = without_spaces_and_dashes(text);
    let [first @ .., last] = digits.as_slice() else { return false };
    if first.len() != 9 || !first.iter().all(u8::is_ascii_digit) || !(last.is_ascii_digit() || *last == b'X')
    {
        return false;
    }
    let weighted =
        first.iter().enumerate().map(|(index, digit)| (index as u32 + 1) * u32::from(digit - b'0'));
    let last = if *last == b'X' { 10 } else { u32::from(last - b'0') };
    (weighted.sum::<u32>() + 10 * last).is_multiple_of(11)
}

pub(super) fn is_isbn13(text: &str) -> bool {
    let digits = without_spaces_and_dashes(text);
    if digits.len() != 13 || !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let weighted =
        digits.iter().enumerate().map(|(index, digit)| [1, 3][index % 2] * u32::from(digit - b'0'));
    weighted.sum::<u32>().is_multiple_of(10)
}

pub(super) fn is_credit_card(text: &str) -> bool {
    #[expect(clippy::unwrap_used, reason = "a fixed pattern")]
    static CARD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}",
            "|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$"
        ))
        .unwrap()
    });
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(index, digit)| {
            let doubled = u32::from(digit - b'0') * if index % 2 == 1 { 2 } else { 1 };
            doubled / 10 + doubled % 10
        })
        .sum();
    CARD.is_match(&digits) && sum.is_multiple_of(10)
}

pub(super) fn is_ssn(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 11
        && bytes.iter().enumerate().all(|(index, byte)| match index {
            3 | 6 => b"- ".contains(byte),
            _ => byte.is_ascii_digit(),
        })
}

pub(super) fn is_hex_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && hex(digits)
}

pub(super) fn is_rgb_color(text: &str) -> bool {
    let Some(inner) = text.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')')) else { return false };
    let parts: Vec<&str> =
        inner.split(',').map(|part| part.trim_matches(|sign| " \t\n\x0c\r".contains(sign))).collect();
    parts.len() == 3
        && parts.iter().all(|part| {
            (*part == "0" || !part.starts_with('0'))
                && part.bytes().all(|byte| byte.is_ascii_digit())
                && part.parse::<u8>().is_ok()
        })
}

pub(super) fn is_base64(text: &str) -> bool {
    let unpadded = text.trim_end_matches('=');
    !text.is_empty()
        && text.len().is_multiple_of(4)
        && text.len() - unpadded.len() <= 2
        && unpadded.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(&byte))
}
