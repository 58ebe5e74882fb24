//! Numbers: arithmetic, rounding, ranges.

use super::cast::{nearest, to_float64, to_int64};
use super::decimal::Decimal;
use super::print::sprint;
use super::{Args, Context, Function, FunctionError};
use crate::value::types::{ANY, FLOAT64, INT, INT64, LIST_INT, STRING};
use crate::value::{List, Value};

type Result = std::result::Result<Value, FunctionError>;

pub(super) static TABLE: &[Function] = &[
    Function::new("atoi", &[STRING], INT, |_, args| {
        Ok(Value::int(goyaml::strconv::atoi(&args.str(0)).unwrap_or_else(|error| nearest(&error))))
    }),
    Function::new("int64", &[ANY], INT64, |_, args| Ok(Value::int64(to_int64(args.value(0))))),
    Function::new("int", &[ANY], INT, |_, args| Ok(Value::int(to_int64(args.value(0))))),
    Function::new("float64", &[ANY], FLOAT64, |_, args| Ok(to_float64(args.value(0)).into())),
    Function::new("toDecimal", &[ANY], INT64, to_decimal),
    Function::variadic("seq", &[INT], STRING, seq),
    Function::new("until", &[INT], LIST_INT, |context, args| {
        let count = args.int(0);
        Ok(int_list(range(context, 0, count, if count < 0 { -1 } else { 1 })?))
    }),
    Function::new("untilStep", &[INT, INT, INT], LIST_INT, |context, args| {
        Ok(int_list(range(context, args.int(0), args.int(1), args.int(2))?))
    }),
    Function::new("add1", &[ANY], INT64, |_, args| Ok(Value::int64(to_int64(args.value(0)).wrapping_add(1)))),
    Function::variadic("add", &[ANY], INT64, |_, args| {
        Ok(Value::int64(args.rest(0).iter().map(to_int64).fold(0, i64::wrapping_add)))
    }),
    Function::new("sub", &[ANY, ANY], INT64, |_, args| {
        Ok(Value::int64(to_int64(args.value(0)).wrapping_sub(to_int64(args.value(1)))))
    }),
    Function::new("div", &[ANY, ANY], INT64, |_, args| divided(args, i64::wrapping_div)),
    Function::new("mod", &[ANY, ANY], INT64, |_, args| divided(args, i64::wrapping_rem)),
    Function::variadic("mul", &[ANY, ANY], INT64, |_, args| {
        Ok(Value::int64(args.rest(0).iter().map(to_int64).fold(1, i64::wrapping_mul)))
    }),
    Function::new("add1f", &[ANY], FLOAT64, |_, args| {
        let one = Value::Float(1.0);
        decimal(args.value(0), &[one], |a, b| Ok(a.add(b)))
    }),
    Function::variadic("addf", &[ANY], FLOAT64, |_, args| {
        decimal(&Value::Float(0.0), args.rest(0), |a, b| Ok(a.add(b)))
    }),
    Function::variadic("subf", &[ANY, ANY], FLOAT64, |_, args| {
        decimal(args.value(0), args.rest(1), |a, b| Ok(a.subtract(b)))
    }),
    Function::variadic("divf", &[ANY, ANY], FLOAT64, |_, args| {
        decimal(args.value(0), args.rest(1), Decimal::divide)
    }),
    Function::variadic("mulf", &[ANY, ANY], FLOAT64, |_, args| {
        decimal(args.value(0), args.rest(1), |a, b| Ok(a.multiply(b)))
    }),
    Function::variadic("max", &[ANY, ANY], INT64, max),
    Function::variadic("biggest", &[ANY, ANY], INT64, max),
    Function::variadic("min", &[ANY, ANY], INT64, |_, args| {
        Ok(Value::int64(args.rest(0).iter().map(to_int64).min().unwrap_or(0)))
    }),
    Function::variadic("maxf", &[ANY, ANY], FLOAT64, |_, args| {
        Ok(args.rest(1).iter().map(to_float64).fold(to_float64(args.value(0)), go_max).into())
    }),
    Function::variadic("minf", &[ANY, ANY], FLOAT64, |_, args| {
        Ok(args.rest(1).iter().map(to_float64).fold(to_float64(args.value(0)), go_min).into())
    }),
    Function::new("ceil", &[ANY], FLOAT64, |_, args| Ok(to_float64(args.value(0)).ceil().into())),
    Function::new("floor", &[ANY], FLOAT64, |_, args| Ok(to_float64(args.value(0)).floor().into())),
    Function::variadic("round", &[ANY, INT, FLOAT64], FLOAT64, round),
];

fn divided(args: Args<'_>, operation: fn(i64, i64) -> i64) -> Result {
    match to_int64(args.value(1)) {
        0 => Err(FunctionError::new("runtime error: integer divide by zero")),
        divisor => Ok(Value::int64(operation(to_int64(args.value(0)), divisor))),
    }
}

fn max(_: &Context, args: Args<'_>) -> Result {
    Ok(Value::int64(args.rest(0).iter().map(to_int64).max().unwrap_or(0)))
}

/// `math.Max`: not a number wins over all but infinity, and zero over minus zero.
fn go_max(a: f64, b: f64) -> f64 {
    if a == f64::INFINITY || b == f64::INFINITY {
        f64::INFINITY
    } else if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a == 0.0 && b == 0.0 {
        if a.is_sign_negative() { b } else { a }
    } else if a > b {
        a
    } else {
        b
    }
}

fn go_min(a: f64, b: f64) -> f64 {
    -go_max(-a, -b)
}

fn decimal(
    first: &Value,
    rest: &[Value],
    operation: fn(Decimal, Decimal) -> std::result::Result<Decimal, FunctionError>,
) -> Result {
    let mut result = Decimal::from_float(to_float64(first))?;
    for value in rest {
        result = operation(result, Decimal::from_float(to_float64(value))?)?;
    }
    Ok(result.to_float().into())
}

fn round(_: &Context, args: Args<'_>) -> Result {
    let threshold = if args.len() > 2 { args.float(2) } else { 0.5 };
    let power = power_of_ten(args.int(1));
    let digit = power * to_float64(args.value(0));
    let rounded = if digit.fract() >= threshold { digit.ceil() } else { digit.floor() };
    Ok((rounded / power).into())
}

/// `math.Pow(10, exponent)` with Go's own rounding, which is not that of the C library.
fn power_of_ten(exponent: i64) -> f64 {
    let (mut result, mut result_exponent) = (1.0f64, 0i64);
    // Ten is 0.625 times two to the fourth.
    let (mut base, mut base_exponent) = (0.625f64, 4i64);
    let mut bits = exponent.unsigned_abs();
    while bits != 0 {
        if base_exponent > 1 << 12 {
            result_exponent += base_exponent;
            break;
        }
        if bits & 1 == 1 {
            result *= base;
            result_exponent += base_exponent;
        }
        base *= base;
        base_exponent <<= 1;
        if base < 0.5 {
            base += base;
            base_exponent -= 1;
        }
        bits >>= 1;
    }
    if exponent < 0 {
        result = 1.0 / result;
        result_exponent = -result_exponent;
    }
    // In two steps, so that results below the normal range do not vanish on the way.
    let half = (result_exponent / 2).clamp(-2000, 2000) as i32;
    let rest = (result_exponent - i64::from(half)).clamp(-2000, 2000) as i32;
    result * 2f64.powi(half) * 2f64.powi(rest)
}

/// Reads the printed value as an octal number.
fn to_decimal(_: &Context, args: Args<'_>) -> Result {
    let printed = sprint(args.value(0));
    Ok(Value::int64(goyaml::strconv::parse_int(&printed, 8, 64).unwrap_or(0)))
}

/// The numbers from a first one towards a limit without reaching it.
fn range(
    context: &Context,
    first: i64,
    limit: i64,
    step: i64,
) -> std::result::Result<Vec<i64>, FunctionError> {
    let mut numbers = Vec::new();
    let forward = limit >= first;
    if forward && step <= 0 || !forward && step >= 0 {
        return Ok(numbers);
    }
    let count = limit.abs_diff(first).div_ceil(step.unsigned_abs());
    context.room_for_items(usize::try_from(count).unwrap_or(usize::MAX))?;
    let mut number = first;
    for _ in 0..count {
        numbers.push(number);
        number = number.wrapping_add(step);
    }
    Ok(numbers)
}

fn int_list(numbers: Vec<i64>) -> Value {
    Value::List(List::new(LIST_INT, numbers.into_iter().map(Value::int).collect()).into())
}

fn seq(context: &Context, args: Args<'_>) -> Result {
    let numbers = match args.len() {
        1 => {
            let end = args.int(0);
            let step = if end < 1 { -1 } else { 1 };
            range(context, 1, end.wrapping_add(step), step)?
        }
        2 => {
            let (start, end) = (args.int(0), args.int(1));
            let step = if end < start { -1 } else { 1 };
            range(context, start, end.wrapping_add(step), step)?
        }
        3 => {
            let (first, step, last) = (args.int(0), args.int(1), args.int(2));
            if last < first && step > 0 {
                return Ok("".into());
            }
            let beyond = if last < first { -1 } else { 1 };
            range(context, first, last.wrapping_add(beyond), step)?
        }
        _ => Vec::new(),
    };
    let words: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    Ok(words.join(" ").into())
}
