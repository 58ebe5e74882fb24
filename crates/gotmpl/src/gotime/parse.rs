//! Reading a time by a layout.

use std::rc::Rc;

use goyaml::duration::quote;

use super::civil;
use super::layout::{Element, Offset, next_element};
use super::location::Location;
use super::time::Time;
use super::{MONTHS, WEEKDAYS};
use crate::functions::{Environment, Zone};

/// Why a text is not a time of the layout; prints as Go's `*time.ParseError`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Part of the text does not fit the layout.
    #[error(
        "parsing time {} as {}: cannot parse {} as {}",
        quote(text),
        quote(layout),
        quote(text_element),
        quote(layout_element)
    )]
    Mismatch {
        /// The layout.
        layout: String,
        /// The whole text.
        text: String,
        /// The rest of the text that does not fit.
        text_element: String,
        /// What the layout has there.
        layout_element: String,
    },
    /// The text fits but means no time.
    #[error("parsing time {}: {problem}", quote(text))]
    Meaning {
        /// The whole text.
        text: String,
        /// What is wrong.
        problem: String,
    },
}

/// Why one element could not be read.
enum ElementError {
    Mismatch,
    OutOfRange(&'static str),
}

type Read<T> = Result<T, ElementError>;

/// What has been read so far.
#[derive(Default)]
struct Fields {
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
    year_day: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    nanosecond: u32,
    am: bool,
    pm: bool,
    utc: bool,
    offset: Option<i32>,
    zone_name: String,
}

impl Time {
    /// `time.ParseInLocation` with `time.Local`.
    pub fn parse(layout: &str, text: &str, environment: &dyn Environment) -> Result<Self, ParseError> {
        Self::parse_in(layout, text, &Location::Local, environment)
    }

    /// `time.ParseInLocation`: what names no zone is at the location.
    pub fn parse_in(
        layout: &str,
        text: &str,
        location: &Location,
        environment: &dyn Environment,
    ) -> Result<Self, ParseError> {
        let mut fields = Fields::default();
        let (mut layout_rest, mut rest) = (layout, text);
        let mismatch = |text_element: &str, layout_element: &str| ParseError::Mismatch {
            layout: layout.to_owned(),
            text: text.to_owned(),
            text_element: text_element.to_owned(),
            layout_element: layout_element.to_owned(),
        };
        let meaning = |problem: String| ParseError::Meaning { text: text.to_owned(), problem };
        loop {
            let (prefix, element, after) = next_element(layout_rest);
            rest = skip_literal(rest, prefix).map_err(|at| mismatch(at, prefix))?;
            let Some((element, written)) = element else { break };
            layout_rest = after;
            let before = rest;
            match fields.read(element, &mut rest, layout_rest) {
                Ok(()) => {}
                Err(ElementError::Mismatch) => return Err(mismatch(before, written)),
                Err(ElementError::OutOfRange(what)) => {
                    return Err(meaning(format!("{what} out of range")));
                }
            }
        }
        if !rest.is_empty() {
            return Err(meaning(format!("extra text: {}", quote(rest))));
        }
        fields.settle_date().map_err(|problem| meaning(problem.to_owned()))?;
        Ok(fields.into_time(location, environment))
    }
}

impl Fields {
    /// Takes one element off the front of the text.
    fn read(&mut self, element: Element, text: &mut &str, layout_rest: &str) -> Read<()> {
        match element {
            Element::Year => {
                let year = number_of(take(text, 2)?)?;
                self.year = if year >= 69 { year + 1900 } else { year + 2000 };
            }
            Element::LongYear => {
                if !text.starts_with(|c: char| c.is_ascii_digit()) {
                    return Err(ElementError::Mismatch);
                }
                self.year = number_of(take(text, 4)?)?;
            }
            Element::Month => self.month = Some(take_name(text, MONTHS.map(|name| &name[..3]))? + 1),
            Element::LongMonth => self.month = Some(take_name(text, MONTHS)? + 1),
            Element::NumMonth | Element::ZeroMonth => {
                let month = take_number(text, element == Element::ZeroMonth)?;
                if !(1..=12).contains(&month) {
                    return Err(ElementError::OutOfRange("month"));
                }
                self.month = Some(month);
            }
            Element::Weekday => {
                take_name(text, WEEKDAYS.map(|name| &name[..3]))?;
            }
            Element::LongWeekday => {
                take_name(text, WEEKDAYS)?;
            }
            Element::Day | Element::UnderDay | Element::ZeroDay => {
                if element == Element::UnderDay {
                    *text = text.strip_prefix(' ').unwrap_or(text);
                }
                self.day = Some(take_number(text, element == Element::ZeroDay)?);
            }
            Element::UnderYearDay | Element::ZeroYearDay => {
                if element == Element::UnderYearDay {
                    *text = text.strip_prefix(' ').unwrap_or(text);
                    *text = text.strip_prefix(' ').unwrap_or(text);
                }
                let digits = text.bytes().take(3).take_while(u8::is_ascii_digit).count();
                if digits == 0 || element == Element::ZeroYearDay && digits != 3 {
                    return Err(ElementError::Mismatch);
                }
                self.year_day = Some(number_of(take(text, digits)?)?);
            }
            Element::Hour => self.hour = take_within(text, false, 23, "hour")?,
            Element::Hour12 | Element::ZeroHour12 => {
                self.hour = take_within(text, element == Element::ZeroHour12, 12, "hour")?;
            }
            Element::Minute | Element::ZeroMinute => {
                self.minute = take_within(text, element == Element::ZeroMinute, 59, "minute")?;
            }
            Element::Second | Element::ZeroSecond => {
                self.second = take_within(text, element == Element::ZeroSecond, 59, "second")?;
                // A fraction is read even if the layout has none.
                let layout_has_one =
                    matches!(next_element(layout_rest).1, Some((Element::Fraction { .. }, _)));
                if !layout_has_one {
                    self.take_fraction(text)?;
                }
            }
            Element::UpperPm | Element::LowerPm => {
                let upper = element == Element::UpperPm;
                match take(text, 2)? {
                    "PM" if upper => self.pm = true,
                    "AM" if upper => self.am = true,
                    "pm" if !upper => self.pm = true,
                    "am" if !upper => self.am = true,
                    _ => return Err(ElementError::Mismatch),
                }
            }
            Element::Offset(shape) => self.take_offset(text, shape)?,
            Element::ZoneName => {
                if let Some(after) = text.strip_prefix("UTC") {
                    self.utc = true;
                    *text = after;
                } else {
                    let length = zone_name_length(text).ok_or(ElementError::Mismatch)?;
                    take(text, length)?.clone_into(&mut self.zone_name);
                }
            }
            Element::Fraction { digits, keep_zeros: true, .. } => {
                let fraction = take(text, digits + 1)?;
                self.nanosecond = fraction_of(fraction)?;
            }
            Element::Fraction { .. } => self.take_fraction(text)?,
        }
        Ok(())
    }

    /// Takes a fraction off the front if there is one.
    fn take_fraction(&mut self, text: &mut &str) -> Read<()> {
        if text.starts_with(['.', ',']) {
            let digits = text[1..].bytes().take_while(u8::is_ascii_digit).count();
            if digits > 0 {
                self.nanosecond = fraction_of(take(text, digits + 1)?)?;
            }
        }
        Ok(())
    }

    fn take_offset(&mut self, text: &mut &str, shape: Offset) -> Read<()> {
        if shape.zulu && text.starts_with('Z') {
            *text = &text[1..];
            self.utc = true;
            return Ok(());
        }
        let colon = usize::from(shape.colons);
        let length =
            3 + if shape.minutes { 2 + colon } else { 0 } + if shape.seconds { 2 + colon } else { 0 };
        let written = take(text, length)?.as_bytes();
        let mut parts = [0; 3];
        let mut position = 1;
        for (index, part) in parts.iter_mut().enumerate() {
            let present = index == 0 || index == 1 && shape.minutes || index == 2 && shape.seconds;
            if !present {
                continue;
            }
            if index > 0 && shape.colons {
                if written[position] != b':' {
                    return Err(ElementError::Mismatch);
                }
                position += 1;
            }
            let digits = &written[position..position + 2];
            if !digits.iter().all(u8::is_ascii_digit) {
                return Err(ElementError::Mismatch);
            }
            *part = i32::from(digits[0] - b'0') * 10 + i32::from(digits[1] - b'0');
            position += 2;
        }
        let [hours, minutes, seconds] = parts;
        for (value, limit, name) in [
            (seconds, 60, "time zone offset second"),
            (minutes, 60, "time zone offset minute"),
            (hours, 24, "time zone offset hour"),
        ] {
            if value > limit {
                return Err(ElementError::OutOfRange(name));
            }
        }
        let offset = (hours * 60 + minutes) * 60 + seconds;
        self.offset = Some(match written[0] {
            b'+' => offset,
            b'-' => -offset,
            _ => return Err(ElementError::Mismatch),
        });
        Ok(())
    }

    /// Works out month and day, and checks them.
    fn settle_date(&mut self) -> Result<(), &'static str> {
        if self.pm && self.hour < 12 {
            self.hour += 12;
        } else if self.am && self.hour == 12 {
            self.hour = 0;
        }
        if let Some(year_day) = self.year_day {
            if year_day < 1 || year_day > 365 + i64::from(civil::is_leap(self.year)) {
                return Err("day-of-year out of range");
            }
            let date = civil::date_of(civil::days_since_epoch(self.year, 1, year_day));
            if self.month.is_some_and(|month| month != date.month) {
                return Err("day-of-year does not match month");
            }
            if self.day.is_some_and(|day| day != date.day) {
                return Err("day-of-year does not match day");
            }
            (self.month, self.day) = (Some(date.month), Some(date.day));
        }
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        (self.month, self.day) = (Some(month), Some(day));
        if day < 1 || day > civil::days_in_month(self.year, month) {
            return Err("day out of range");
        }
        Ok(())
    }

    fn into_time(self, location: &Location, environment: &dyn Environment) -> Time {
        let days = civil::days_since_epoch(self.year, self.month.unwrap_or(1), self.day.unwrap_or(1));
        let seconds = days * 86_400 + self.hour * 3600 + self.minute * 60 + self.second;
        let local_at = |seconds: i64| location.zone_at(seconds, environment);
        let at = |seconds, location| Time::at(seconds, self.nanosecond, location, environment);
        if self.utc {
            return at(seconds, Location::Utc);
        }
        if let Some(offset) = self.offset.filter(|offset| *offset != -1) {
            let seconds = seconds - i64::from(offset);
            let local = local_at(seconds);
            if local.offset == offset && (self.zone_name.is_empty() || *local.abbreviation == *self.zone_name)
            {
                return at(seconds, location.clone());
            }
            return at(seconds, Location::Fixed(Zone { offset, abbreviation: self.zone_name.into() }));
        }
        if !self.zone_name.is_empty() {
            // The local zone has this name now or in the other half of the year.
            const HALF_YEAR: i64 = 182 * 86_400;
            for guess in [seconds, seconds + HALF_YEAR, seconds - HALF_YEAR] {
                let local = local_at(guess);
                if *local.abbreviation == *self.zone_name {
                    return at(seconds - i64::from(local.offset), location.clone());
                }
            }
            let hours: i32 =
                self.zone_name.strip_prefix("GMT").and_then(|hours| hours.parse().ok()).unwrap_or(0);
            let zone = Zone { offset: hours * 3600, abbreviation: Rc::from(self.zone_name.as_str()) };
            return at(seconds, Location::Fixed(zone));
        }
        Time::civil(seconds, self.nanosecond, location.clone(), environment)
    }
}

/// Takes a number of bytes off the front.
fn take<'a>(text: &mut &'a str, length: usize) -> Read<&'a str> {
    let taken = text.get(..length).ok_or(ElementError::Mismatch)?;
    *text = &text[length..];
    Ok(taken)
}

fn number_of(digits: &str) -> Read<i64> {
    digits.parse().map_err(|_| ElementError::Mismatch)
}

/// Takes a number of one or two digits off the front, or of exactly two.
fn take_number(text: &mut &str, two: bool) -> Read<i64> {
    let digits = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    if digits == 0 || two && digits != 2 {
        return Err(ElementError::Mismatch);
    }
    number_of(take(text, digits)?)
}

fn take_within(text: &mut &str, two: bool, limit: i64, what: &'static str) -> Read<i64> {
    let number = take_number(text, two)?;
    if number > limit { Err(ElementError::OutOfRange(what)) } else { Ok(number) }
}

/// Takes one of the names, in any case, off the front; gives its index.
fn take_name<const N: usize>(text: &mut &str, names: [&str; N]) -> Read<i64> {
    for (index, name) in names.iter().enumerate() {
        if text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)) {
            *text = &text[name.len()..];
            return Ok(index as i64);
        }
    }
    Err(ElementError::Mismatch)
}

/// The nanoseconds of a separator with digits; those beyond the ninth are dropped.
fn fraction_of(fraction: &str) -> Read<u32> {
    let digits = fraction.strip_prefix(['.', ',']).ok_or(ElementError::Mismatch)?;
    let digits = digits.get(..9).unwrap_or(digits);
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ElementError::Mismatch);
    }
    let value: u32 = digits.parse().map_err(|_| ElementError::Mismatch)?;
    Ok(value * 10u32.pow(9 - digits.len() as u32))
}

/// Takes the literal part of a layout off the front; a run of spaces fits any run of spaces.
fn skip_literal<'a>(mut text: &'a str, mut literal: &str) -> Result<&'a str, &'a str> {
    while let Some(first) = literal.chars().next() {
        if first == ' ' {
            if !text.is_empty() && !text.starts_with(' ') {
                return Err(text);
            }
            literal = literal.trim_start_matches(' ');
            text = text.trim_start_matches(' ');
        } else {
            text = text.strip_prefix(first).ok_or(text)?;
            literal = &literal[first.len_utf8()..];
        }
    }
    Ok(text)
}

/// How long the abbreviation of a time zone at the front is.
fn zone_name_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.len() < 3 {
        return None;
    }
    if text.starts_with("ChST") || text.starts_with("MeST") {
        return Some(4);
    }
    if let Some(after) = text.strip_prefix("GMT") {
        return Some(3 + signed_hours_length(after));
    }
    if matches!(bytes[0], b'+' | b'-') {
        return Some(signed_hours_length(text)).filter(|length| *length > 0);
    }
    match bytes.iter().take(6).take_while(|b| b.is_ascii_uppercase()).count() {
        5 if bytes[4] == b'T' => Some(5),
        4 if bytes[3] == b'T' || text.starts_with("WITA") => Some(4),
        3 => Some(3),
        _ => None,
    }
}

fn signed_hours_length(text: &str) -> usize {
    let Some(after) = text.strip_prefix(['+', '-']) else { return 0 };
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    match after[..digits].parse::<u64>() {
        Ok(hours) if hours <= 23 => 1 + digits,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::Offline;

    fn parse(layout: &str, text: &str) -> Result<String, String> {
        Time::parse(layout, text, &Offline::default())
            .map(|time| time.to_string())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn times_are_read_as_in_go() {
        for (layout, text, time) in [
            ("2006-01-02", "2017-12-31", "2017-12-31 00:00:00 +0000 UTC"),
            ("2006-01-02T15:04:05Z07:00", "2017-12-31T01:02:03.5+01:00", "2017-12-31 01:02:03.5 +0100 +0100"),
            ("Mon Jan _2 15:04:05 MST 2006", "tue feb  7 01:02:03 PST 2017", "2017-02-07 01:02:03 +0000 PST"),
            ("3:04PM MST", "12:30AM GMT+3", "0000-01-01 03:30:00 +0300 GMT+3"),
            ("2006-002", "2016-366", "2016-12-31 00:00:00 +0000 UTC"),
            ("06 January .000", "68 march .125", "2068-03-01 00:00:00.125 +0000 UTC"),
        ] {
            assert_eq!(parse(layout, text).as_deref(), Ok(time), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_time_says_why() {
        for (layout, text, message) in [
            (
                "2006-01-02",
                "31.12.2017",
                "parsing time \"31.12.2017\" as \"2006-01-02\": cannot parse \"31.12.2017\" as \"2006\"",
            ),
            ("2006-01-02", "2017-13-01", "parsing time \"2017-13-01\": month out of range"),
            ("2006-01-02", "2017-02-30", "parsing time \"2017-02-30\": day out of range"),
            ("2006-01-02", "2017-02-03x", "parsing time \"2017-02-03x\": extra text: \"x\""),
            ("2006-01", "2017/01", "parsing time \"2017/01\" as \"2006-01\": cannot parse \"/01\" as \"-\""),
        ] {
            assert_eq!(parse(layout, text).unwrap_err(), message);
        }
    }
}
