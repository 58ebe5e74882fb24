//! A moment with nanoseconds, shown by the clocks of a place.

use super::civil::{self, Date};
use super::duration::SECOND;
use super::location::{Location, utc};
use crate::functions::{Environment, Instant, Zone};

/// Go's `time.Time`.
#[derive(Debug, Clone)]
pub struct Time {
    /// Seconds since 1970.
    pub(super) seconds: i64,
    pub(super) nanoseconds: u32,
    pub(super) location: Location,
    /// What the location's clocks show at this moment.
    pub(super) zone: Zone,
}

/// The seconds from 1970 to the first day of year 1, where Go's times begin.
const ZERO_SECONDS: i64 = -62_135_596_800;

const SECONDS_PER_DAY: i64 = 86_400;

/// The seconds from the first of March of year -292277022400 to 1970.
const UNIX_TO_ABSOLUTE: i64 = 9_223_372_028_741_760_000;

impl Time {
    /// The zero time, 1 January of year 1 in UTC.
    pub fn zero() -> Self {
        Self { seconds: ZERO_SECONDS, nanoseconds: 0, location: Location::Utc, zone: utc() }
    }

    /// A moment, shown at a place.
    pub fn at(seconds: i64, nanoseconds: u32, location: Location, environment: &dyn Environment) -> Self {
        let zone = location.zone_at(seconds, environment);
        Self { seconds, nanoseconds, location, zone }
    }

    /// Now, shown locally.
    pub fn now(environment: &dyn Environment) -> Self {
        let Instant { seconds, nanoseconds } = environment.now();
        Self::at(seconds, nanoseconds, Location::Local, environment)
    }

    /// What the clocks of a place show as this date and time of day, given in seconds as if it were UTC.
    pub(super) fn civil(
        seconds: i64,
        nanoseconds: u32,
        location: Location,
        environment: &dyn Environment,
    ) -> Self {
        // The offset is that of the moment found by the offset a first guess gives.
        let mut offset = i64::from(location.zone_at(seconds, environment).offset);
        if offset != 0 {
            offset = i64::from(location.zone_at(seconds - offset, environment).offset);
        }
        Self::at(seconds - offset, nanoseconds, location, environment)
    }

    /// The same moment, shown at another place.
    #[must_use]
    pub fn at_location(&self, location: Location, environment: &dyn Environment) -> Self {
        Self::at(self.seconds, self.nanoseconds, location, environment)
    }

    /// `Time.Add`.
    #[must_use]
    pub fn add(&self, duration: i64, environment: &dyn Environment) -> Self {
        let nanoseconds = i64::from(self.nanoseconds) + duration % SECOND;
        let seconds =
            self.seconds.wrapping_add(duration / SECOND).wrapping_add(nanoseconds.div_euclid(SECOND));
        Self::at(seconds, nanoseconds.rem_euclid(SECOND) as u32, self.location.clone(), environment)
    }

    /// `Time.AddDate`: by the calendar, days beyond the month's end run into the next.
    #[must_use]
    pub fn add_date(&self, years: i64, months: i64, days: i64, environment: &dyn Environment) -> Self {
        let Date { year, month, day } = self.date();
        let days = civil::days_since_epoch(year + years, month + months, day + days);
        let time_of_day = self.seconds_of_day();
        Self::civil(
            days * SECONDS_PER_DAY + time_of_day,
            self.nanoseconds,
            self.location.clone(),
            environment,
        )
    }

    /// `Time.Sub`: the duration from another time to this one, as far as it fits.
    pub fn since(&self, earlier: &Self) -> i64 {
        let nanoseconds = (i128::from(self.seconds) - i128::from(earlier.seconds)) * i128::from(SECOND)
            + i128::from(self.nanoseconds)
            - i128::from(earlier.nanoseconds);
        i64::try_from(nanoseconds).unwrap_or(if nanoseconds < 0 { i64::MIN } else { i64::MAX })
    }

    /// `Time.Truncate` and, if `round`, `Time.Round`: to a multiple of a duration since the zero time.
    #[must_use]
    pub fn to_multiple(&self, duration: i64, round: bool, environment: &dyn Environment) -> Self {
        if duration <= 0 {
            return self.clone();
        }
        let since_zero = (i128::from(self.seconds) - i128::from(ZERO_SECONDS)) * i128::from(SECOND)
            + i128::from(self.nanoseconds);
        let rest = since_zero.rem_euclid(i128::from(duration)) as i64;
        if round && rest >= duration - rest {
            self.add(duration - rest, environment)
        } else {
            self.add(-rest, environment)
        }
    }

    /// Seconds since 1970.
    pub fn unix(&self) -> i64 {
        self.seconds
    }

    /// Nanoseconds within the second.
    pub fn nanosecond(&self) -> u32 {
        self.nanoseconds
    }

    /// Whether this is the zero time.
    pub fn is_zero(&self) -> bool {
        self.seconds == ZERO_SECONDS && self.nanoseconds == 0
    }

    /// The order of the moments, wherever they are shown.
    pub fn compare(&self, other: &Self) -> std::cmp::Ordering {
        (self.seconds, self.nanoseconds).cmp(&(other.seconds, other.nanoseconds))
    }

    /// The zone at this moment.
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// Seconds since the year in which Go's calendar begins. Moments before it wrap around to the far future.
    fn absolute_seconds(&self) -> u64 {
        self.seconds.wrapping_add(i64::from(self.zone.offset)).wrapping_add(UNIX_TO_ABSOLUTE) as u64
    }

    fn seconds_of_day(&self) -> i64 {
        (self.absolute_seconds() % SECONDS_PER_DAY as u64) as i64
    }

    fn local_days(&self) -> i64 {
        (self.absolute_seconds() / SECONDS_PER_DAY as u64) as i64 - UNIX_TO_ABSOLUTE / SECONDS_PER_DAY
    }

    pub(super) fn date(&self) -> Date {
        civil::date_of(self.local_days())
    }

    /// Hour, minute and second.
    pub(super) fn clock(&self) -> (i64, i64, i64) {
        let seconds = self.seconds_of_day();
        (seconds / 3600, seconds / 60 % 60, seconds % 60)
    }

    /// The year.
    pub fn year(&self) -> i64 {
        self.date().year
    }

    /// The month, from 1.
    pub fn month(&self) -> i64 {
        self.date().month
    }

    /// The day of the month, from 1.
    pub fn day(&self) -> i64 {
        self.date().day
    }

    /// The hour of the day.
    pub fn hour(&self) -> i64 {
        self.clock().0
    }

    /// The minute of the hour.
    pub fn minute(&self) -> i64 {
        self.clock().1
    }

    /// The second of the minute.
    pub fn second(&self) -> i64 {
        self.clock().2
    }

    /// The day of the week, Sunday being 0.
    pub fn weekday(&self) -> i64 {
        (self.local_days() + 4).rem_euclid(7)
    }

    /// The day of the year, from 1.
    pub fn year_day(&self) -> i64 {
        self.local_days() - civil::days_since_epoch(self.year(), 1, 1) + 1
    }
}
