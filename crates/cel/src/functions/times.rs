//! The parts of moments and spans of time.

use jiff::civil::DateTime;

use super::{Library, text};
use crate::error::{EvalError, Outcome};
use crate::value::{Value, zone_offset};

pub(super) fn add(library: &mut Library) {
    part(library, "getFullYear", "timestamp_to_year", year);
    part(library, "getMonth", "timestamp_to_month", month);
    part(library, "getDayOfYear", "timestamp_to_day_of_year", day_of_year);
    part(library, "getDayOfMonth", "timestamp_to_day_of_month", day_of_month);
    part(library, "getDate", "timestamp_to_day_of_month_1_based", date);
    part(library, "getDayOfWeek", "timestamp_to_day_of_week", day_of_week);
    part(library, "getHours", "timestamp_to_hours_tz", hours);
    part(library, "getMinutes", "timestamp_to_minutes", minutes);
    part(library, "getSeconds", "timestamp_to_seconds", seconds);
    part(library, "getMilliseconds", "timestamp_to_milliseconds", milliseconds);
    library
        .add("getHours", &[("duration_to_hours", "duration . -> int", |args| span(args, 3_600_000_000_000))]);
    library.add(
        "getMinutes",
        &[("duration_to_minutes", "duration . -> int", |args| span(args, 60_000_000_000))],
    );
    library
        .add("getSeconds", &[("duration_to_seconds", "duration . -> int", |args| span(args, 1_000_000_000))]);
    library.add(
        "getMilliseconds",
        &[("duration_to_milliseconds", "duration . -> int", |args| span(args, 1_000_000))],
    );
}

fn part(library: &mut Library, name: &'static str, id: &str, implementation: super::Implementation) {
    library.declare(name, id, "timestamp . -> int", Some(implementation));
    library.declare(name, format!("{id}_with_tz"), "timestamp . string -> int", Some(implementation));
}

/// A moment on the calendar and clock of the zone that is named, else of UTC.
fn civil(args: &[Value<'_>]) -> Outcome<DateTime> {
    let Value::Timestamp(moment) = &args[0] else { return Err(EvalError::no_overload()) };
    let offset = if args.len() > 1 { zone_offset(text(args, 1)?, *moment)? } else { 0 };
    Ok(moment.civil(offset))
}

fn year<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(Value::Int(civil(args)?.year().into()))
}

fn month<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(Value::Int(i64::from(civil(args)?.month()) - 1))
}

fn day_of_year<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(Value::Int(i64::from(civil(args)?.day_of_year()) - 1))
}

fn day_of_month<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(Value::Int(i64::from(civil(args)?.day()) - 1))
}

fn date<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(Value::Int(civil(args)?.day().into()))
}

fn day_of_week<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(Value::Int(civil(args)?.weekday().to_sunday_zero_offset().into()))
}

fn hours<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(Value::Int(civil(args)?.hour().into()))
}

fn minutes<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(Value::Int(civil(args)?.minute().into()))
}

fn seconds<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(Value::Int(civil(args)?.second().into()))
}

fn milliseconds<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    Ok(Value::Int((civil(args)?.subsec_nanosecond() / 1_000_000).into()))
}

fn span<'a>(args: &[Value<'a>], unit: i64) -> Outcome<Value<'a>> {
    match &args[0] {
        Value::Duration(span) => Ok(Value::Int(span.0 / unit)),
        _ => Err(EvalError::no_overload()),
    }
}
