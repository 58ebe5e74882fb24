//! Time zones: UTC, the local one of the environment, fixed offsets, and those of the IANA database.

use std::rc::Rc;

use crate::functions::{Environment, Instant, Zone};

/// A place whose clocks a time is shown by.
#[derive(Debug, Clone)]
pub enum Location {
    /// Universal time.
    Utc,
    /// Where the program runs.
    Local,
    /// An offset that never changes, with a name that may be empty.
    Fixed(Zone),
    /// A zone of the IANA database.
    Named(Rc<jiff::tz::TimeZone>),
}

impl Location {
    /// `time.LoadLocation`: a zone by name, or `None` if there is no such zone.
    pub fn load(name: &str) -> Option<Self> {
        match name {
            "" | "UTC" => Some(Self::Utc),
            "Local" => Some(Self::Local),
            _ => {
                let zone = jiff::tz::TimeZone::get(name).ok()?;
                // Go's names are those of files, where upper and lower case differ.
                (zone.iana_name() == Some(name)).then(|| Self::Named(Rc::new(zone)))
            }
        }
    }

    /// What clocks show at a moment, in seconds since the epoch.
    pub fn zone_at(&self, seconds: i64, environment: &dyn Environment) -> Zone {
        match self {
            Self::Utc => utc(),
            Self::Local => environment.local_zone(Instant { seconds, nanoseconds: 0 }),
            Self::Fixed(zone) => zone.clone(),
            Self::Named(zone) => {
                // Beyond the years that have rules, the nearest year's rules hold.
                let moment = jiff::Timestamp::from_second(seconds).unwrap_or(if seconds < 0 {
                    jiff::Timestamp::MIN
                } else {
                    jiff::Timestamp::MAX
                });
                let info = zone.to_offset_info(moment);
                Zone { offset: info.offset().seconds(), abbreviation: Rc::from(info.abbreviation()) }
            }
        }
    }
}

/// Universal time.
pub(super) fn utc() -> Zone {
    Zone { offset: 0, abbreviation: Rc::from("UTC") }
}
