//! Moments of records, by the layouts of Go that Helm prints them in.

use gotmpl::gotime::{Location, Time};

use crate::outside::Outside;

/// What people read: `Tue Nov 17 17:28:39 2026`.
pub(crate) const ANSIC: &str = "Mon Jan _2 15:04:05 2006";
/// What machines read, to the second.
pub(crate) const RFC3339: &str = "2006-01-02T15:04:05Z07:00";
/// How Go writes a moment if nobody says otherwise.
pub(crate) const PLAIN: &str = "2006-01-02 15:04:05.999999999 -0700 MST";

/// A moment of a record, here, in a layout of Go's; what is no moment stays as it is.
pub(crate) fn moment(text: &str, layout: &str) -> String {
    let here = Outside::default();
    match Time::parse(RFC3339, text, &here) {
        Ok(time) => time.at_location(Location::Local, &here).format(layout),
        Err(_) => text.to_owned(),
    }
}
