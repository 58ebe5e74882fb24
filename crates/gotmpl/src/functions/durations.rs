//! Durations: sprig's few functions and Helm's many.

use super::{Args, Context, Function, FunctionError};
use crate::gotime::Time;
use crate::gotime::duration::{self, HOUR, MICROSECOND, MILLISECOND, MINUTE, SECOND};
use crate::value::Value;
use crate::value::types::{ANY, FLOAT64, GoType, INT64, Method, STRING};

type Result = std::result::Result<Value, FunctionError>;

pub(super) static TABLE: &[Function] = &[
    Function::new("duration", &[ANY], STRING, |_, args| {
        let seconds = match args.value(0) {
            Value::String(text) => goyaml::strconv::parse_int(&text.to_str(), 10, 64)
                .unwrap_or_else(|error| super::cast::nearest(&error)),
            Value::Int(ty, seconds) if *ty == INT64 => *seconds,
            _ => 0,
        };
        Ok(duration::format(seconds.wrapping_mul(SECOND)).into())
    }),
    Function::new("durationRound", &[ANY], STRING, duration_round),
    Function::new("mustToDuration", &[ANY], &DURATION, |_, args| {
        Ok(duration_value(as_duration(args.value(0))?))
    }),
    Function::new("durationSeconds", &[ANY], FLOAT64, |_, args| Ok(in_units(args, SECOND).into())),
    Function::new("durationMinutes", &[ANY], FLOAT64, |_, args| Ok(in_units(args, MINUTE).into())),
    Function::new("durationHours", &[ANY], FLOAT64, |_, args| Ok(in_units(args, HOUR).into())),
    Function::new("durationDays", &[ANY], FLOAT64, |_, args| Ok((in_units(args, HOUR) / 24.0).into())),
    Function::new("durationWeeks", &[ANY], FLOAT64, |_, args| Ok((in_units(args, HOUR) / 24.0 / 7.0).into())),
    Function::new("durationMilliseconds", &[ANY], INT64, |_, args| {
        Ok(Value::int64(or_zero(args) / MILLISECOND))
    }),
    Function::new("durationMicroseconds", &[ANY], INT64, |_, args| {
        Ok(Value::int64(or_zero(args) / MICROSECOND))
    }),
    Function::new("durationNanoseconds", &[ANY], INT64, |_, args| Ok(Value::int64(or_zero(args)))),
    Function::new("durationRoundTo", &[ANY, ANY], &DURATION, |_, args| to_multiple(args, duration::round)),
    Function::new("durationTruncateTo", &[ANY, ANY], &DURATION, |_, args| {
        to_multiple(args, duration::truncate)
    }),
];

/// `time.Duration`
pub static DURATION: GoType = GoType::named("time.Duration", INT64)
    .with_methods(METHODS)
    .with_stringer(|value| duration::format(nanoseconds(value)));

static METHODS: &[Method] = &[
    Method::new("String", &[], STRING, |_, value, _| Ok(duration::format(nanoseconds(value)).into())),
    Method::new("Seconds", &[], FLOAT64, |_, value, _| Ok(units(nanoseconds(value), SECOND).into())),
    Method::new("Minutes", &[], FLOAT64, |_, value, _| Ok(units(nanoseconds(value), MINUTE).into())),
    Method::new("Hours", &[], FLOAT64, |_, value, _| Ok(units(nanoseconds(value), HOUR).into())),
    Method::new("Milliseconds", &[], INT64, |_, value, _| Ok(Value::int64(nanoseconds(value) / MILLISECOND))),
    Method::new("Microseconds", &[], INT64, |_, value, _| Ok(Value::int64(nanoseconds(value) / MICROSECOND))),
    Method::new("Nanoseconds", &[], INT64, |_, value, _| Ok(Value::int64(nanoseconds(value)))),
    Method::new("Abs", &[], &DURATION, |_, value, _| Ok(duration_value(nanoseconds(value).saturating_abs()))),
    Method::new("Round", &[&DURATION], &DURATION, |_, value, args| {
        Ok(duration_value(duration::round(nanoseconds(value), Args::new(args).int(0))))
    }),
    Method::new("Truncate", &[&DURATION], &DURATION, |_, value, args| {
        Ok(duration_value(duration::truncate(nanoseconds(value), Args::new(args).int(0))))
    }),
];

/// A duration as a value of templates.
pub fn duration_value(nanoseconds: i64) -> Value {
    Value::Int(&DURATION, nanoseconds)
}

fn nanoseconds(value: &Value) -> i64 {
    match value {
        Value::Int(_, number) => *number,
        _ => 0,
    }
}

/// `Duration.Hours` and its kin: whole units and the rest apart, so that nothing is lost.
fn units(duration: i64, unit: i64) -> f64 {
    (duration / unit) as f64 + (duration % unit) as f64 / unit as f64
}

fn or_zero(args: Args<'_>) -> i64 {
    as_duration(args.value(0)).unwrap_or(0)
}

fn in_units(args: Args<'_>, unit: i64) -> f64 {
    units(or_zero(args), unit)
}

fn to_multiple(args: Args<'_>, operation: fn(i64, i64) -> i64) -> Result {
    let Ok(duration) = as_duration(args.value(0)) else {
        return Ok(duration_value(0));
    };
    let unit = as_duration(args.value(1));
    Ok(duration_value(unit.map_or(duration, |unit| operation(duration, unit))))
}

fn duration_round(context: &Context, args: Args<'_>) -> Result {
    let duration = match args.value(0) {
        Value::String(text) => duration::parse(&text.to_str()).unwrap_or(0),
        Value::Int(ty, nanoseconds) if *ty == INT64 => *nanoseconds,
        value => value.downcast::<Time>().map_or(0, |time| Time::now(&*context.environment).since(time)),
    };
    let nanoseconds = duration.unsigned_abs();
    let hour = HOUR as u64;
    let rounded = [
        (hour * 24 * 365, "y"),
        (hour * 24 * 30, "mo"),
        (hour * 24, "d"),
        (hour, "h"),
        (MINUTE as u64, "m"),
        (SECOND as u64, "s"),
    ]
    .into_iter()
    .find(|(unit, _)| nanoseconds > *unit)
    .map_or_else(|| "0s".to_owned(), |(unit, name)| format!("{}{name}", nanoseconds / unit));
    Ok(rounded.into())
}

/// Helm's `asDuration`: durations, their texts, and numbers of seconds.
fn as_duration(value: &Value) -> std::result::Result<i64, FunctionError> {
    match value {
        Value::Int(ty, nanoseconds) if *ty == &DURATION => Ok(*nanoseconds),
        Value::String(text) => {
            let text = text.carried();
            let trimmed = text.trim();
            if trimmed.is_empty() {
                return Err(FunctionError::new("empty duration"));
            }
            if let Ok(duration) = duration::parse(trimmed) {
                return Ok(duration);
            }
            let Ok(seconds) = goyaml::strconv::parse_float(trimmed, 64) else {
                let quoted = goyaml::strconv::quote(&text);
                return Err(FunctionError::new(format!("could not parse duration {quoted}")));
            };
            from_seconds(seconds)
        }
        Value::Nil => Err(FunctionError::new("invalid duration")),
        Value::Int(_, seconds) => seconds.checked_mul(SECOND).ok_or_else(|| overflow(seconds)),
        Value::Uint(_, seconds) => i64::try_from(*seconds)
            .ok()
            .and_then(|seconds| seconds.checked_mul(SECOND))
            .ok_or_else(|| overflow(seconds)),
        Value::Float(seconds) => from_seconds(*seconds),
        other => Err(FunctionError::new(format!("unsupported duration type {}", other.type_name()))),
    }
}

fn overflow(seconds: &impl std::fmt::Display) -> FunctionError {
    FunctionError::new(format!("duration seconds overflow: {seconds}"))
}

fn from_seconds(seconds: f64) -> std::result::Result<i64, FunctionError> {
    const LIMIT: f64 = i64::MAX as f64 / SECOND as f64;
    let printed = || goyaml::strconv::format_float(seconds, b'g', -1, 64);
    if !seconds.is_finite() {
        return Err(FunctionError::new(format!("invalid duration seconds: {}", printed())));
    }
    if seconds.abs() > LIMIT {
        return Err(overflow(&printed()));
    }
    Ok(super::cast::truncate(seconds * SECOND as f64))
}
