//! Printing a time by a layout.

use std::fmt::{self, Write};

use goyaml::duration::quote;

use super::layout::{Element, Offset, next_element};
use super::location::Location;
use super::time::Time;
use super::{MONTHS, WEEKDAYS};

impl Time {
    /// `Time.Format`.
    pub fn format(&self, layout: &str) -> String {
        let mut output = String::with_capacity(layout.len() + 10);
        let mut rest = layout;
        while !rest.is_empty() {
            let (prefix, element, after) = next_element(rest);
            output.push_str(prefix);
            let Some((element, _)) = element else { break };
            let _ = self.write_element(&mut output, element);
            rest = after;
        }
        output
    }

    /// `Time.GoString`, which `%#v` prints.
    pub fn go_syntax(&self) -> String {
        let date = self.date();
        let (hour, minute, second) = self.clock();
        let location = match &self.location {
            Location::Utc => "time.UTC".to_owned(),
            Location::Local => "time.Local".to_owned(),
            Location::Fixed(zone) => format!("time.Location({})", quote(&zone.abbreviation)),
            Location::Named(zone) => {
                format!("time.Location({})", quote(zone.iana_name().unwrap_or_default()))
            }
        };
        format!(
            "time.Date({}, time.{}, {}, {hour}, {minute}, {second}, {}, {location})",
            date.year,
            MONTHS[(date.month - 1) as usize],
            date.day,
            self.nanoseconds,
        )
    }

    fn write_element(&self, output: &mut String, element: Element) -> fmt::Result {
        let date = self.date();
        let (hour, minute, second) = self.clock();
        let month_name = MONTHS[(date.month - 1) as usize];
        let weekday_name = WEEKDAYS[self.weekday() as usize];
        let hour12 = if hour % 12 == 0 { 12 } else { hour % 12 };
        match element {
            Element::Year => write!(output, "{:02}", date.year.abs() % 100),
            Element::LongYear if date.year < 0 => write!(output, "-{:04}", -date.year),
            Element::LongYear => write!(output, "{:04}", date.year),
            Element::Month => output.write_str(&month_name[..3]),
            Element::LongMonth => output.write_str(month_name),
            Element::NumMonth => write!(output, "{}", date.month),
            Element::ZeroMonth => write!(output, "{:02}", date.month),
            Element::Weekday => output.write_str(&weekday_name[..3]),
            Element::LongWeekday => output.write_str(weekday_name),
            Element::Day => write!(output, "{}", date.day),
            Element::UnderDay => write!(output, "{:2}", date.day),
            Element::ZeroDay => write!(output, "{:02}", date.day),
            Element::UnderYearDay => write!(output, "{:3}", self.year_day()),
            Element::ZeroYearDay => write!(output, "{:03}", self.year_day()),
            Element::Hour => write!(output, "{hour:02}"),
            Element::Hour12 => write!(output, "{hour12}"),
            Element::ZeroHour12 => write!(output, "{hour12:02}"),
            Element::Minute => write!(output, "{minute}"),
            Element::ZeroMinute => write!(output, "{minute:02}"),
            Element::Second => write!(output, "{second}"),
            Element::ZeroSecond => write!(output, "{second:02}"),
            Element::UpperPm => output.write_str(if hour >= 12 { "PM" } else { "AM" }),
            Element::LowerPm => output.write_str(if hour >= 12 { "pm" } else { "am" }),
            Element::Offset(shape) => write_offset(output, self.zone.offset, shape),
            Element::ZoneName if self.zone.abbreviation.is_empty() => {
                let shape = Offset { zulu: false, colons: false, minutes: true, seconds: false };
                write_offset(output, self.zone.offset, shape)
            }
            Element::ZoneName => output.write_str(&self.zone.abbreviation),
            Element::Fraction { digits, keep_zeros, separator } => {
                let mut fraction = format!("{:09}", self.nanoseconds);
                fraction.truncate(digits);
                if !keep_zeros {
                    fraction.truncate(fraction.trim_end_matches('0').len());
                    if fraction.is_empty() {
                        return Ok(());
                    }
                }
                write!(output, "{}{fraction}", char::from(separator))
            }
        }
    }
}

fn write_offset(output: &mut String, offset: i32, shape: Offset) -> fmt::Result {
    if shape.zulu && offset == 0 {
        return output.write_char('Z');
    }
    let minutes = offset / 60;
    let colon = if shape.colons { ":" } else { "" };
    output.write_char(if minutes < 0 { '-' } else { '+' })?;
    write!(output, "{:02}", minutes.abs() / 60)?;
    if shape.minutes {
        write!(output, "{colon}{:02}", minutes.abs() % 60)?;
    }
    if shape.seconds {
        let seconds = if minutes < 0 { -offset } else { offset };
        write!(output, "{colon}{:02}", seconds % 60)?;
    }
    Ok(())
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.format("2006-01-02 15:04:05.999999999 -0700 MST"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Location;
    use super::*;
    use crate::functions::Offline;

    #[test]
    fn layouts_print_as_in_go() {
        let offline = Offline::default();
        let time = Time::at(1_257_894_000, 12_300_000, Location::Utc, &offline);
        for (layout, text) in [
            ("Mon Jan _2 15:04:05 MST 2006", "Tue Nov 10 23:00:00 UTC 2009"),
            ("Monday, 02-Jan-06 3:4:5 PM pm", "Tuesday, 10-Nov-09 11:0:0 PM pm"),
            ("2006-01-02T15:04:05.999999999Z07:00", "2009-11-10T23:00:00.0123Z"),
            (".000 ,999 .00 .9", ".012 ,012 .01 "),
            ("002 __2 1/2 _2006", "314 314 11/10 _2009"),
            ("-0700 -07:00 -07 Z0700 -070000 -07:00:00", "+0000 +00:00 +00 Z +000000 +00:00:00"),
            ("Month Janet é", "Month Janet é"),
            ("20060102150405", "20091110230000"),
        ] {
            assert_eq!(time.format(layout), text, "{layout}");
        }
        assert_eq!(time.to_string(), "2009-11-10 23:00:00.0123 +0000 UTC");
        assert_eq!(Time::zero().to_string(), "0001-01-01 00:00:00 +0000 UTC");
        let india = Location::load("Asia/Kolkata").unwrap();
        assert_eq!(time.at_location(india, &offline).format("15:04 -07:00 MST"), "04:30 +05:30 IST");
        assert!(Location::load("asia/kolkata").is_none());
    }
}
