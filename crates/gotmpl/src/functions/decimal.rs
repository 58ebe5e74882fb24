//! Exact decimal arithmetic on floats, as the Go library `shopspring/decimal` does it for `addf` and its kin.

use num_bigint::{BigInt, Sign};

use super::FunctionError;

/// How many digits after the point a division gives.
const DIVISION_DIGITS: i64 = 16;

/// A number: a coefficient times a power of ten.
pub(super) struct Decimal {
    coefficient: BigInt,
    exponent: i64,
}

impl Decimal {
    /// The shortest decimal that reads back as this float.
    pub(super) fn from_float(value: f64) -> Result<Self, FunctionError> {
        if !value.is_finite() {
            let printed = goyaml::strconv::format_float(value, b'g', -1, 64);
            return Err(FunctionError::new(format!("Cannot create a Decimal from {printed}")));
        }
        // Rust writes a float in this form with the fewest digits that tell it from others.
        let scientific = format!("{value:e}");
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let coefficient = format!("{whole}{fraction}").parse().unwrap_or_default();
        let exponent: i64 = exponent.parse().unwrap_or_default();
        Ok(Self { coefficient, exponent: exponent - fraction.len() as i64 })
    }

    /// The nearest float.
    pub(super) fn to_float(&self) -> f64 {
        format!("{}e{}", self.coefficient, self.exponent).parse().unwrap_or(f64::NAN)
    }

    fn aligned(self, other: Self) -> (BigInt, BigInt, i64) {
        let exponent = self.exponent.min(other.exponent);
        let scale = |d: Self| d.coefficient * power_of_ten(d.exponent - exponent);
        (scale(self), scale(other), exponent)
    }

    pub(super) fn add(self, other: Self) -> Self {
        let (a, b, exponent) = self.aligned(other);
        Self { coefficient: a + b, exponent }
    }

    pub(super) fn subtract(self, other: Self) -> Self {
        let (a, b, exponent) = self.aligned(other);
        Self { coefficient: a - b, exponent }
    }

    pub(super) fn multiply(self, other: Self) -> Self {
        Self { coefficient: self.coefficient * other.coefficient, exponent: self.exponent + other.exponent }
    }

    /// Divides, rounding half away from zero.
    pub(super) fn divide(self, other: Self) -> Result<Self, FunctionError> {
        if other.coefficient.sign() == Sign::NoSign {
            return Err(FunctionError::new("decimal division by 0"));
        }
        let shift = self.exponent - other.exponent + DIVISION_DIGITS;
        let dividend = self.coefficient * power_of_ten(shift.max(0));
        let divisor = other.coefficient * power_of_ten((-shift).max(0));
        let quotient = &dividend / &divisor;
        let rest = dividend.clone() - &quotient * &divisor;
        let half_or_more = rest.magnitude() * 2u32 >= *divisor.magnitude();
        let away = if dividend.sign() == divisor.sign() { 1 } else { -1 };
        let coefficient =
            if half_or_more && dividend.sign() != Sign::NoSign { quotient + away } else { quotient };
        Ok(Self { coefficient, exponent: -DIVISION_DIGITS })
    }
}

fn power_of_ten(exponent: i64) -> BigInt {
    BigInt::from(10u32).pow(u32::try_from(exponent).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_do_not_drift() {
        let decimal = |value| Decimal::from_float(value).unwrap();
        assert_eq!(decimal(0.1).add(decimal(0.2)).to_float().to_string(), "0.3");
        assert_eq!(decimal(1.1).subtract(decimal(0.9)).to_float().to_string(), "0.2");
        assert_eq!(decimal(1.1).multiply(decimal(1.1)).to_float().to_string(), "1.21");
        assert_eq!(decimal(2.0).divide(decimal(3.0)).unwrap().to_float().to_string(), "0.6666666666666667");
        assert_eq!(decimal(-2.0).divide(decimal(3.0)).unwrap().to_float().to_string(), "-0.6666666666666667");
        assert!(decimal(1.0).divide(decimal(0.0)).is_err());
        assert!(Decimal::from_float(f64::INFINITY).is_err());
    }
}
