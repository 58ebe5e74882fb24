//! Amounts such as `500m` and `1Gi`.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use num_bigint::{BigInt, Sign};

use super::{Library, failure, int, text};
use crate::error::{EvalError, Outcome};
use crate::value::Value;

/// An amount. Whether it fits an integer depends on how it was written, as in Kubernetes.
#[derive(Debug, Clone)]
pub struct Quantity {
    amount: Arc<Amount>,
    /// Whether it was computed, not written; cel-go does not find such a value equal to another on its right.
    pub(crate) computed: bool,
}

#[derive(Debug, Clone)]
enum Amount {
    /// `value × 10^scale`.
    Small { value: i64, scale: i32 },
    /// `value × 10^scale`, too large or too precise for the other.
    Large { value: BigInt, scale: i32 },
}

const FORMAT: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const NUMERIC: &str = "unable to parse numeric part of quantity";
const SUFFIX: &str = "unable to parse quantity's suffix";
/// Larger exponents would take longer to compute than anybody wants to wait.
const LARGEST_EXPONENT: i64 = 4096;

pub(super) fn add(library: &mut Library) {
    library.add(
        "quantity",
        &[("string_to_quantity", "string -> kubernetes.Quantity", |args| {
            match Quantity::parse(text(args, 0)?) {
                Ok(quantity) => Ok(Value::Quantity(quantity)),
                Err(problem) => failure(problem),
            }
        })],
    );
    library.add(
        "isQuantity",
        &[("is_quantity_string", "string -> bool", |args| {
            Ok(Value::Bool(Quantity::parse(text(args, 0)?).is_ok()))
        })],
    );
    library.add(
        "sign",
        &[("quantity_sign", "kubernetes.Quantity -> int", |args| {
            let (value, _) = quantity(args, 0)?.decimal();
            Ok(Value::Int(match value.sign() {
                Sign::Minus => -1,
                Sign::NoSign => 0,
                Sign::Plus => 1,
            }))
        })],
    );
    library.add(
        "isGreaterThan",
        &[("quantity_is_greater_than", "kubernetes.Quantity . kubernetes.Quantity -> bool", |args| {
            Ok(Value::Bool(compare(args)?.is_gt()))
        })],
    );
    library.add(
        "isLessThan",
        &[("quantity_is_less_than", "kubernetes.Quantity . kubernetes.Quantity -> bool", |args| {
            Ok(Value::Bool(compare(args)?.is_lt()))
        })],
    );
    library.add(
        "compareTo",
        &[("quantity_compare_to", "kubernetes.Quantity . kubernetes.Quantity -> int", |args| {
            Ok(Value::Int(compare(args)? as i64))
        })],
    );
    library.add(
        "asApproximateFloat",
        &[("quantity_get_float", "kubernetes.Quantity . -> double", |args| {
            Ok(Value::Double(quantity(args, 0)?.approximate()))
        })],
    );
    library.add(
        "asInteger",
        &[("quantity_get_int", "kubernetes.Quantity . -> int", |args| match quantity(args, 0)?.integer() {
            Some(number) => Ok(Value::Int(number)),
            None => failure("cannot convert value to integer"),
        })],
    );
    library.add(
        "isInteger",
        &[("quantity_is_integer", "kubernetes.Quantity . -> bool", |args| {
            Ok(Value::Bool(quantity(args, 0)?.integer().is_some()))
        })],
    );
    library.add(
        "add",
        &[
            ("quantity_add", "kubernetes.Quantity . kubernetes.Quantity -> kubernetes.Quantity", |args| {
                Ok(Value::Quantity(quantity(args, 0)?.plus(quantity(args, 1)?)))
            }),
            ("quantity_add_int", "kubernetes.Quantity . int -> kubernetes.Quantity", |args| {
                Ok(Value::Quantity(quantity(args, 0)?.plus(&Quantity::small(int(args, 1)?, 0))))
            }),
        ],
    );
    library.add(
        "sub",
        &[
            ("quantity_sub", "kubernetes.Quantity . kubernetes.Quantity -> kubernetes.Quantity", |args| {
                Ok(Value::Quantity(quantity(args, 0)?.plus(&quantity(args, 1)?.negated())))
            }),
            ("quantity_sub_int", "kubernetes.Quantity . int -> kubernetes.Quantity", |args| {
                Ok(Value::Quantity(quantity(args, 0)?.plus(&Quantity::small(int(args, 1)?, 0).negated())))
            }),
        ],
    );
}

fn quantity<'v>(args: &'v [Value<'_>], index: usize) -> Outcome<&'v Quantity> {
    match args.get(index) {
        Some(Value::Quantity(quantity)) => Ok(quantity),
        _ => Err(EvalError::no_overload()),
    }
}

fn compare(args: &[Value<'_>]) -> Outcome<Ordering> {
    Ok(quantity(args, 0)?.order(quantity(args, 1)?))
}

/// What a suffix multiplies by: a base and an exponent.
fn suffix(text: &str) -> Option<(u32, i64)> {
    let decimal = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
    if let Some(place) = decimal.iter().position(|known| *known == text) {
        return Some((10, place as i64 * 3 - 9));
    }
    let binary = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    if let Some(place) = binary.iter().position(|known| *known == text) {
        return Some((2, (place as i64 + 1) * 10));
    }
    let exponent = text.strip_prefix(['e', 'E'])?;
    goyaml::strconv::parse_int(exponent, 10, 64).ok().map(|exponent| (10, exponent))
}

impl Quantity {
    fn small(value: i64, scale: i32) -> Self {
        Self { amount: Arc::new(Amount::Small { value, scale }), computed: false }
    }

    fn large(value: BigInt, scale: i32) -> Self {
        Self { amount: Arc::new(Amount::Large { value, scale }), computed: false }
    }

    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Err(FORMAT);
        }
        let (negative, unsigned) = match text.as_bytes()[0] {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let count = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let digits = unsigned.trim_start_matches('0');
        let whole = &digits[..count(digits)];
        let mut rest = &digits[whole.len()..];
        let mut fraction = "";
        if let Some(behind) = rest.strip_prefix('.') {
            fraction = &behind[..count(behind)];
            rest = &behind[fraction.len()..];
        }
        // Letters, a sign, digits: anything else is no amount at all.
        let letters = rest.bytes().take_while(|byte| b"eEinumkKMGTP".contains(byte)).count();
        let behind = rest[letters..].strip_prefix(['-', '+']).unwrap_or(&rest[letters..]);
        if count(behind) != behind.len() {
            return Err(FORMAT);
        }
        let (base, exponent) = suffix(rest).ok_or(SUFFIX)?;
        if exponent.abs() > LARGEST_EXPONENT {
            return Err(NUMERIC);
        }
        let whole = if whole.is_empty() { "0" } else { whole };
        let length = (whole.len() + fraction.len()) as i64;
        let (scale, fits, factor) = if base == 10 {
            (exponent - fraction.len() as i64, length <= 18, 1)
        } else {
            let precision = 15 - whole.len() as i64 - (exponent as f32 * 3.0 / 10.0) as i64 - 1;
            (0, fraction.is_empty() && precision >= 0, 1_i64 << exponent)
        };
        let shifted = format!("{whole}{fraction}");
        if fits && scale >= -9 {
            let value: i64 = shifted.parse().map_err(|_| NUMERIC)?;
            if let Some(value) = value.checked_mul(factor) {
                return Ok(Self::small(if negative { -value } else { value }, scale as i32));
            }
        }
        if unsigned.starts_with(|c: char| !c.is_ascii_digit() && c != '.') {
            return Err(NUMERIC);
        }
        let mut value: BigInt = shifted.parse().map_err(|_| NUMERIC)?;
        let mut scale = -(fraction.len() as i64);
        if base == 10 {
            scale += exponent;
        } else {
            value <<= exponent as usize;
        }
        // What is finer than a billionth is rounded up.
        if scale < -9 {
            let unit = BigInt::from(10).pow((-9 - scale) as u32);
            value = (value + &unit - 1) / unit;
            scale = -9;
        }
        if base == 2 {
            let most = BigInt::from(i64::MAX) * BigInt::from(10).pow((-scale) as u32);
            value = value.min(most);
        }
        Ok(Self::large(if negative { -value } else { value }, scale as i32))
    }

    fn decimal(&self) -> (BigInt, i32) {
        match &*self.amount {
            Amount::Small { value, scale } => (BigInt::from(*value), *scale),
            Amount::Large { value, scale } => (value.clone(), *scale),
        }
    }

    /// Both amounts at the finer of their scales.
    fn aligned(&self, other: &Self) -> (BigInt, BigInt, i32) {
        let ((first, first_scale), (second, second_scale)) = (self.decimal(), other.decimal());
        let scale = first_scale.min(second_scale);
        let raise = |value: BigInt, from: i32| value * BigInt::from(10).pow((from - scale) as u32);
        (raise(first, first_scale), raise(second, second_scale), scale)
    }

    fn order(&self, other: &Self) -> Ordering {
        let (first, second, _) = self.aligned(other);
        first.cmp(&second)
    }

    pub(crate) fn value_eq(&self, other: &Self) -> bool {
        self.order(other).is_eq()
    }

    fn integer(&self) -> Option<i64> {
        match &*self.amount {
            Amount::Small { value, scale } => scaled(*value, *scale),
            Amount::Large { .. } => None,
        }
    }

    fn approximate(&self) -> f64 {
        let (value, scale) = match &*self.amount {
            Amount::Small { value, scale } => (*value as f64, *scale),
            Amount::Large { value, scale } => (value.to_string().parse().unwrap_or(f64::NAN), *scale),
        };
        // Go multiplies by a power of ten that is itself rounded.
        if scale == 0 { value } else { value * format!("1e{scale}").parse::<f64>().unwrap_or(f64::NAN) }
    }

    fn negated(&self) -> Self {
        match &*self.amount {
            Amount::Small { value, scale } => match value.checked_neg() {
                Some(value) => Self::small(value, *scale),
                None => Self::large(-BigInt::from(*value), *scale),
            },
            Amount::Large { value, scale } => Self::large(-value, *scale),
        }
    }

    fn plus(&self, other: &Self) -> Self {
        let mut sum = self.sum(other);
        sum.computed = true;
        sum
    }

    fn sum(&self, other: &Self) -> Self {
        if let (Amount::Small { value: first, scale: one }, Amount::Small { value: second, scale: two }) =
            (&*self.amount, &*other.amount)
        {
            if *second == 0 {
                return self.clone();
            }
            if *first == 0 {
                return other.clone();
            }
            let scale = (*one).min(*two);
            let raise = |value: i64, from: i32| scaled(value, from - scale);
            if let Some(sum) =
                raise(*first, *one).zip(raise(*second, *two)).and_then(|(a, b)| a.checked_add(b))
            {
                return Self::small(sum, scale);
            }
        }
        let (first, second, scale) = self.aligned(other);
        Self::large(first + second, scale)
    }
}

/// `value × 10^scale` if it is an integer that fits.
fn scaled(value: i64, scale: i32) -> Option<i64> {
    10_i64.checked_pow(u32::try_from(scale).ok()?)?.checked_mul(value)
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, scale) = self.decimal();
        if scale == 0 { write!(f, "{value}") } else { write!(f, "{value}e{scale}") }
    }
}
