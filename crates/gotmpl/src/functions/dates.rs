//! Dates: `now`, formatting and reading by layout, and the methods that templates call on a `time.Time`.

use std::any::Any;
use std::rc::Rc;

use super::durations::{DURATION, duration_value};
use super::{Args, Context, Function, FunctionError};
use crate::gotime::{self, Location, Time, duration};
use crate::value::types::{ANY, BOOL, GoType, INT, INT64, Kind, Method, STRING};
use crate::value::{Object, Text, Type, Value};

type Result = std::result::Result<Value, FunctionError>;

pub(super) static TABLE: &[Function] = &[
    Function::new("now", &[], &TIME, |context, _| Ok(value(Time::now(&*context.environment)))),
    Function::new("date", &[STRING, ANY], STRING, |context, args| {
        Ok(formatted(context, args.value(1), &args.carried(0), "Local"))
    }),
    Function::new("htmlDate", &[ANY], STRING, |context, args| {
        Ok(formatted(context, args.value(0), HTML, "Local"))
    }),
    Function::new("htmlDateInZone", &[ANY, STRING], STRING, |context, args| {
        Ok(formatted(context, args.value(0), HTML, &args.str(1)))
    }),
    Function::new("dateInZone", &[STRING, ANY, STRING], STRING, date_in_zone),
    Function::new("date_in_zone", &[STRING, ANY, STRING], STRING, date_in_zone),
    Function::new("dateModify", &[STRING, &TIME], &TIME, date_modify),
    Function::new("date_modify", &[STRING, &TIME], &TIME, date_modify),
    Function::new("mustDateModify", &[STRING, &TIME], &TIME, must_date_modify),
    Function::new("must_date_modify", &[STRING, &TIME], &TIME, must_date_modify),
    Function::new("ago", &[ANY], STRING, ago),
    Function::new("toDate", &[STRING, STRING], &TIME, |context, args| {
        let time = Time::parse(&args.carried(0), &args.carried(1), &*context.environment);
        Ok(value(time.unwrap_or_else(|_| Time::zero())))
    }),
    Function::new("mustToDate", &[STRING, STRING], &TIME, |context, args| {
        Time::parse(&args.carried(0), &args.carried(1), &*context.environment)
            .map(value)
            .map_err(|error| FunctionError::new(error.to_string()))
    }),
    Function::new("unixEpoch", &[&TIME], STRING, |_, args| {
        Ok(time_of(args.value(0)).unix().to_string().into())
    }),
];

/// The layout of a date in an HTML form.
const HTML: &str = "2006-01-02";

/// `time.Time`
pub static TIME: GoType = GoType::object("time.Time", Kind::Struct)
    .with_methods(METHODS)
    .with_stringer(|value| time_of(value).to_string());

/// `time.Month`
pub(super) const MONTH: Type = {
    static TYPE: GoType = GoType::named("time.Month", INT).with_stringer(|value| match value {
        Value::Int(_, month) => gotime::month_name(*month),
        _ => String::new(),
    });
    &TYPE
};

/// `time.Weekday`
pub(super) const WEEKDAY: Type = {
    static TYPE: GoType = GoType::named("time.Weekday", INT).with_stringer(|value| match value {
        Value::Int(_, weekday) => gotime::weekday_name(*weekday),
        _ => String::new(),
    });
    &TYPE
};

static METHODS: &[Method] = &[
    Method::new("Format", &[STRING], STRING, |_, time, args| {
        Ok(Text::landed(&time_of(time).format(&Args::new(args).carried(0))).into())
    }),
    Method::new("String", &[], STRING, |_, time, _| Ok(time_of(time).to_string().into())),
    Method::new("Unix", &[], INT64, |_, time, _| Ok(Value::int64(time_of(time).unix()))),
    Method::new("UnixMilli", &[], INT64, |_, time, _| Ok(Value::int64(since_epoch(time, 1_000_000)))),
    Method::new("UnixMicro", &[], INT64, |_, time, _| Ok(Value::int64(since_epoch(time, 1_000)))),
    Method::new("UnixNano", &[], INT64, |_, time, _| Ok(Value::int64(since_epoch(time, 1)))),
    Method::new("Year", &[], INT, |_, time, _| Ok(Value::int(time_of(time).year()))),
    Method::new("Month", &[], MONTH, |_, time, _| Ok(Value::Int(MONTH, time_of(time).month()))),
    Method::new("Day", &[], INT, |_, time, _| Ok(Value::int(time_of(time).day()))),
    Method::new("Weekday", &[], WEEKDAY, |_, time, _| Ok(Value::Int(WEEKDAY, time_of(time).weekday()))),
    Method::new("YearDay", &[], INT, |_, time, _| Ok(Value::int(time_of(time).year_day()))),
    Method::new("Hour", &[], INT, |_, time, _| Ok(Value::int(time_of(time).hour()))),
    Method::new("Minute", &[], INT, |_, time, _| Ok(Value::int(time_of(time).minute()))),
    Method::new("Second", &[], INT, |_, time, _| Ok(Value::int(time_of(time).second()))),
    Method::new("Nanosecond", &[], INT, |_, time, _| Ok(Value::int(time_of(time).nanosecond().into()))),
    Method::new("IsZero", &[], BOOL, |_, time, _| Ok(time_of(time).is_zero().into())),
    Method::new("UTC", &[], &TIME, |context, time, _| {
        Ok(value(time_of(time).at_location(Location::Utc, &*context.environment)))
    }),
    Method::new("Local", &[], &TIME, |context, time, _| {
        Ok(value(time_of(time).at_location(Location::Local, &*context.environment)))
    }),
    Method::new("Add", &[&DURATION], &TIME, |context, time, args| {
        Ok(value(time_of(time).add(Args::new(args).int(0), &*context.environment)))
    }),
    Method::new("AddDate", &[INT, INT, INT], &TIME, |context, time, args| {
        let args = Args::new(args);
        let (years, months, days) = (args.int(0), args.int(1), args.int(2));
        Ok(value(time_of(time).add_date(years, months, days, &*context.environment)))
    }),
    Method::new("Truncate", &[&DURATION], &TIME, |context, time, args| {
        Ok(value(time_of(time).to_multiple(Args::new(args).int(0), false, &*context.environment)))
    }),
    Method::new("Round", &[&DURATION], &TIME, |context, time, args| {
        Ok(value(time_of(time).to_multiple(Args::new(args).int(0), true, &*context.environment)))
    }),
    Method::new("Sub", &[&TIME], &DURATION, |_, time, args| {
        Ok(duration_value(time_of(time).since(&time_of(&args[0]))))
    }),
    Method::new("Before", &[&TIME], BOOL, |_, time, args| Ok(compared(time, args).is_lt().into())),
    Method::new("After", &[&TIME], BOOL, |_, time, args| Ok(compared(time, args).is_gt().into())),
    Method::new("Equal", &[&TIME], BOOL, |_, time, args| Ok(compared(time, args).is_eq().into())),
    Method::new("Compare", &[&TIME], INT, |_, time, args| Ok(Value::int(compared(time, args) as i64))),
];

impl Object for Time {
    fn go_type(&self) -> Type {
        &TIME
    }

    fn private_fields(&self) -> &'static [&'static str] {
        &["wall", "ext", "loc"]
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    fn json_text(&self) -> Option<String> {
        Some(self.format("2006-01-02T15:04:05.999999999Z07:00"))
    }

    fn equals(&self, other: &dyn Object) -> bool {
        let other = other.as_any().downcast_ref::<Self>();
        other.is_some_and(|other| self.compare(other).is_eq() && self.zone() == other.zone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A time as a value of templates.
pub fn value(time: Time) -> Value {
    Value::Object(Rc::new(time))
}

fn time_of(value: &Value) -> Time {
    value.downcast::<Time>().cloned().unwrap_or_else(Time::zero)
}

fn compared(time: &Value, args: &[Value]) -> std::cmp::Ordering {
    time_of(time).compare(&time_of(Args::new(args).value(0)))
}

/// Units of so many nanoseconds since 1970.
fn since_epoch(time: &Value, nanoseconds: i64) -> i64 {
    let time = time_of(time);
    let per_second = 1_000_000_000 / nanoseconds;
    time.unix().wrapping_mul(per_second).wrapping_add(i64::from(time.nanosecond()) / nanoseconds)
}

/// What sprig takes for a moment: a time, or seconds since 1970; anything else is now.
fn moment(context: &Context, value: &Value, kinds: &[Type]) -> Time {
    match value {
        Value::Int(ty, seconds) if kinds.contains(ty) => {
            Time::at(*seconds, 0, Location::Local, &*context.environment)
        }
        value => value.downcast::<Time>().cloned().unwrap_or_else(|| Time::now(&*context.environment)),
    }
}

fn formatted(context: &Context, date: &Value, layout: &str, zone: &str) -> Value {
    let kinds = [INT, INT64, crate::value::types::INT32];
    let location = Location::load(zone).unwrap_or(Location::Utc);
    let time = moment(context, date, &kinds).at_location(location, &*context.environment);
    Text::landed(&time.format(layout)).into()
}

fn date_in_zone(context: &Context, args: Args<'_>) -> Result {
    Ok(formatted(context, args.value(1), &args.carried(0), &args.str(2)))
}

fn date_modify(context: &Context, args: Args<'_>) -> Result {
    Ok(must_date_modify(context, args).unwrap_or_else(|_| args.value(1).clone()))
}

fn must_date_modify(context: &Context, args: Args<'_>) -> Result {
    let change = duration::parse(&args.carried(0)).map_err(|error| FunctionError::new(error.to_string()))?;
    Ok(value(time_of(args.value(1)).add(change, &*context.environment)))
}

fn ago(context: &Context, args: Args<'_>) -> Result {
    let then = moment(context, args.value(0), &[INT, INT64]);
    let passed = Time::now(&*context.environment).since(&then);
    Ok(duration::format(duration::round(passed, duration::SECOND)).into())
}
