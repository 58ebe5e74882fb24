//! Go's package `time`: durations, moments in a time zone, layouts such as `2006-01-02T15:04:05Z07:00`.
//!
//! A [`Time`] knows the offset and the abbreviation of its zone at its moment, so printing needs nothing else;
//! moving it to another moment asks the [`Location`] again.

mod civil;
pub mod duration;
mod format;
mod layout;
mod location;
mod parse;
mod time;

pub use location::Location;
pub use parse::ParseError;
pub use time::Time;

/// The names of the months, January first.
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The names of the days of the week, Sunday first.
const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The name of a month, as `time.Month` prints it.
pub(crate) fn month_name(month: i64) -> String {
    usize::try_from(month - 1)
        .ok()
        .and_then(|index| MONTHS.get(index))
        .map_or_else(|| format!("%!Month({})", month as u64), ToString::to_string)
}

/// The name of a day of the week, as `time.Weekday` prints it.
pub(crate) fn weekday_name(weekday: i64) -> String {
    usize::try_from(weekday)
        .ok()
        .and_then(|index| WEEKDAYS.get(index))
        .map_or_else(|| format!("%!Weekday({})", weekday as u64), ToString::to_string)
}
