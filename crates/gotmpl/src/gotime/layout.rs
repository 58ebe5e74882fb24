//! Layouts: the reference time `Mon Jan 2 15:04:05 MST 2006` in the shape the user wants.

/// An element of a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    LongMonth,
    Month,
    NumMonth,
    ZeroMonth,
    LongWeekday,
    Weekday,
    Day,
    UnderDay,
    ZeroDay,
    UnderYearDay,
    ZeroYearDay,
    Hour,
    Hour12,
    ZeroHour12,
    Minute,
    ZeroMinute,
    Second,
    ZeroSecond,
    LongYear,
    Year,
    UpperPm,
    LowerPm,
    ZoneName,
    /// A numeric offset.
    Offset(Offset),
    /// Fractional seconds: how many digits, and whether zeros at the end are kept.
    Fraction {
        digits: usize,
        keep_zeros: bool,
        separator: u8,
    },
}

/// How an offset is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "every combination of them is a layout")]
pub(super) struct Offset {
    /// Whether no offset is written `Z`.
    pub(super) zulu: bool,
    pub(super) colons: bool,
    pub(super) minutes: bool,
    pub(super) seconds: bool,
}

/// The elements that are recognised by their first letters, longest first.
const FIXED: [(&str, Element); 14] = [
    ("January", Element::LongMonth),
    ("Monday", Element::LongWeekday),
    ("2006", Element::LongYear),
    ("MST", Element::ZoneName),
    ("002", Element::ZeroYearDay),
    ("__2", Element::UnderYearDay),
    ("01", Element::ZeroMonth),
    ("02", Element::ZeroDay),
    ("03", Element::ZeroHour12),
    ("04", Element::ZeroMinute),
    ("05", Element::ZeroSecond),
    ("06", Element::Year),
    ("15", Element::Hour),
    ("_2", Element::UnderDay),
];

/// The elements of one or two letters that are recognised only when no longer one is there.
const SHORT: [(&str, Element); 7] = [
    ("PM", Element::UpperPm),
    ("pm", Element::LowerPm),
    ("1", Element::NumMonth),
    ("2", Element::Day),
    ("3", Element::Hour12),
    ("4", Element::Minute),
    ("5", Element::Second),
];

/// Splits a layout at its first element: what is before it, the element, its text, what is after it.
pub(super) fn next_element(layout: &str) -> (&str, Option<(Element, &str)>, &str) {
    for (index, byte) in layout.bytes().enumerate() {
        if !layout.is_char_boundary(index) {
            continue;
        }
        let rest = &layout[index..];
        // An underscore before the year is just that.
        if byte == b'_' && rest.starts_with("_2006") {
            return (&layout[..=index], Some((Element::LongYear, "2006")), &rest[5..]);
        }
        if let Some((element, length)) = element_at(rest) {
            return (&layout[..index], Some((element, &rest[..length])), &rest[length..]);
        }
    }
    (layout, None, "")
}

fn element_at(text: &str) -> Option<(Element, usize)> {
    match text.as_bytes()[0] {
        b'-' | b'Z' => return offset_at(text),
        b'.' | b',' => return fraction_at(text),
        _ => {}
    }
    if let Some((name, element)) = FIXED.iter().find(|(name, _)| text.starts_with(name)) {
        return Some((*element, name.len()));
    }
    for (name, element) in [("Jan", Element::Month), ("Mon", Element::Weekday)] {
        if let Some(after) = text.strip_prefix(name) {
            // "Month" and "Janet" are words, not elements.
            let is_word = after.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
            return (!is_word).then_some((element, name.len()));
        }
    }
    SHORT.iter().find(|(name, _)| text.starts_with(name)).map(|(name, element)| (*element, name.len()))
}

fn offset_at(text: &str) -> Option<(Element, usize)> {
    let zulu = text.starts_with('Z');
    let shapes = [
        ("070000", false, true, true),
        ("07:00:00", true, true, true),
        ("0700", false, true, false),
        ("07:00", true, true, false),
        ("07", false, false, false),
    ];
    shapes.into_iter().find(|(shape, ..)| text[1..].starts_with(shape)).map(
        |(shape, colons, minutes, seconds)| {
            (Element::Offset(Offset { zulu, colons, minutes, seconds }), shape.len() + 1)
        },
    )
}

fn fraction_at(text: &str) -> Option<(Element, usize)> {
    let bytes = text.as_bytes();
    let digit = *bytes.get(1).filter(|b| matches!(b, b'0' | b'9'))?;
    let digits = bytes[1..].iter().take_while(|b| **b == digit).count();
    if bytes.get(1 + digits).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let keep_zeros = digit == b'0';
    Some((Element::Fraction { digits, keep_zeros, separator: bytes[0] }, digits + 1))
}
