//! Numbers: limits and multiples, compared as Go compares them.

use goyaml::strconv::format_float;
use serde_json::Value;

use super::outcome::{Outcome, Problem};
use crate::crd::props::Props;

/// A number as unstructured data has it: an integer if it is written as one and fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Integer(i64),
    Float(f64),
}

impl Number {
    pub(super) fn of(number: &serde_json::Number) -> Self {
        match number.as_i64() {
            Some(integer) => Self::Integer(integer),
            None => Self::Float(number.as_f64().unwrap_or_default()),
        }
    }

    pub(super) fn as_float(self) -> f64 {
        match self {
            Self::Integer(integer) => integer as f64,
            Self::Float(float) => float,
        }
    }

    fn digits(self) -> String {
        match self {
            Self::Integer(integer) => integer.to_string(),
            Self::Float(float) => format_float(float, b'f', -1, 64),
        }
    }

    fn value(self) -> Value {
        match self {
            Self::Integer(integer) => integer.into(),
            Self::Float(float) => float.into(),
        }
    }
}

/// Whether a number is an integer, nearly enough.
pub(super) fn is_whole(number: f64) -> bool {
    const GREATEST: f64 = 9_007_199_254_740_991.0;
    const NEAR: f64 = 1e-9;
    if !number.is_finite() || !(-GREATEST..=GREATEST).contains(&number) {
        return false;
    }
    if number.fract().abs() <= 0.0 {
        return true;
    }
    if number < 0.0 {
        return false;
    }
    let whole = number.trunc();
    if whole < 1.0 {
        return false;
    }
    (number - whole).abs() / (number + whole) < NEAR
}

/// Go's conversion to an integer, with what the processor makes of numbers that do not fit.
pub(super) fn truncated(number: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&number) { number as i64 } else { i64::MIN }
}

/// `fmt.Sprint` of a float.
fn shown(number: f64) -> String {
    format_float(number, b'g', -1, 64)
}

/// What is wrong with a number.
pub(super) fn check(number: Number, schema: &Props, path: &str, kinds: &[&str]) -> Outcome {
    let range = Range::of(schema, kinds);
    let mut outcome = Outcome::of(range.problem(number, "Checked", path));
    if let Some(factor) = schema.multiple_of {
        outcome.merge(limited(range.problem(Number::Float(factor), "MultipleOf", path), number, |number| {
            multiple(number, factor, path)
        }));
    }
    let mut limit = |limit: Option<f64>, upper: bool, exclusive: bool, name: &str| {
        let Some(limit) = limit else { return };
        outcome.merge(limited(range.problem(Number::Float(limit), name, path), number, |number| {
            beyond(number, limit, upper, exclusive, path)
        }));
    };
    limit(schema.minimum, false, schema.exclusive_minimum, "Minimum boundary");
    limit(schema.maximum, true, schema.exclusive_maximum, "Maximum boundary");
    outcome.matches += 1;
    outcome
}

/// A limit that does not have the type itself is compared as a float.
fn limited(problem: Option<Problem>, number: Number, compare: impl Fn(Number) -> Option<Problem>) -> Outcome {
    let number = if problem.is_some() { Number::Float(number.as_float()) } else { number };
    let mut outcome = Outcome::of(problem);
    outcome.merge(Outcome::of(compare(number)));
    outcome
}

fn multiple(number: Number, factor: f64, path: &str) -> Option<Problem> {
    let not_positive = |factor: Value, shown: String| {
        let words = format!("factor MultipleOf declared for {path} must be positive: {shown}");
        Some(Problem::invalid(path, words, Some(factor)))
    };
    let (fits, shown) = match number {
        Number::Integer(integer) => {
            let factor = truncated(factor);
            if factor <= 0 {
                return not_positive(factor.into(), factor.to_string());
            }
            (integer % factor == 0, factor.to_string())
        }
        Number::Float(float) => {
            if factor <= 0.0 {
                return not_positive(factor.into(), shown(factor));
            }
            let quotient = if factor < 1.0 { 1.0 / factor * float } else { float / factor };
            (is_whole(quotient), shown(factor))
        }
    };
    (!fits).then(|| {
        Problem::invalid(
            path,
            format!("{path} in body should be a multiple of {shown}"),
            Some(number.value()),
        )
    })
}

fn beyond(number: Number, limit: f64, upper: bool, exclusive: bool, path: &str) -> Option<Problem> {
    let (order, shown) = match number {
        Number::Integer(integer) => {
            let limit = truncated(limit);
            (Some(integer.cmp(&limit)), limit.to_string())
        }
        Number::Float(float) => (float.partial_cmp(&limit), shown(limit)),
    };
    let order = order?;
    let wrong = (if upper { order.is_gt() } else { order.is_lt() }) || (exclusive && order.is_eq());
    let side = if upper { "less" } else { "greater" };
    let or_equal = if exclusive { "" } else { " or equal to" };
    let words = format!("{path} in body should be {side} than{or_equal} {shown}");
    wrong.then(|| Problem::invalid(path, words, Some(number.value())))
}

/// What the type and format of a schema allow.
struct Range<'s> {
    kind: &'s str,
    format: &'s str,
}

impl<'s> Range<'s> {
    fn of(schema: &'s Props, kinds: &[&str]) -> Self {
        let known = match kinds {
            ["integer"] => &["int32", "int64"][..],
            ["number"] => &["float", "double"][..],
            _ => return Self { kind: "", format: "" },
        };
        let format = if known.contains(&schema.format.as_str()) { schema.format.as_str() } else { "" };
        Self { kind: &schema.kind, format }
    }

    fn problem(&self, number: Number, name: &str, path: &str) -> Option<Problem> {
        let digits = number.digits();
        let fits = match (self.kind, self.format) {
            ("integer", "int32") => digits.parse::<i32>().is_ok(),
            ("integer", _) => digits.parse::<i64>().is_ok(),
            (_, "float") => number.as_float().abs() <= f64::from(f32::MAX),
            _ => true,
        };
        let kind = self.kind;
        (!fits).then(|| {
            Problem::whole(match self.format {
                "" => format!("{name} value must be of type {kind} (default format) in {path}"),
                format => format!("{name} value must be of type {kind} with format {format} in {path}"),
            })
        })
    }
}
