//! Amounts such as `500m` and `1Gi`, read and written as `resource.Quantity` does.

use num_bigint::{BigInt, Sign};

/// An amount in the form in which Kubernetes writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    text: String,
}

/// Why a text is no amount, in Go's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// It does not look like one.
    #[error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")]
    Format,
    /// The number before the suffix is none.
    #[error("unable to parse numeric part of quantity")]
    Number,
    /// Nobody knows the suffix.
    #[error("unable to parse quantity's suffix")]
    Suffix,
}

/// How an amount was written, and will be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Decimal,
    Binary,
    Exponent,
}

/// The parts of an amount's text.
struct Parts<'a> {
    negative: bool,
    /// Sign, digits and point, as they stood.
    number: &'a str,
    whole: &'a str,
    fraction: &'a str,
    suffix: &'a str,
}

/// An exact decimal number: `digits` times ten to the power of `exponent`.
struct Decimal {
    digits: BigInt,
    exponent: i64,
}

const DECIMAL: [(&str, i64); 10] =
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];
const BINARY: [(&str, i64); 6] = [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40), ("Pi", 50), ("Ei", 60)];

impl Quantity {
    /// Reads an amount.
    pub fn parse(text: &str) -> Result<Self, QuantityError> {
        let text = text.trim_matches(|c: char| c.is_whitespace());
        if text.is_empty() {
            return Err(QuantityError::Format);
        }
        if text == "0" {
            return Ok(Self { text: "0".to_owned() });
        }
        let parts = split(text)?;
        let (exponent, format) = interpret(parts.suffix).ok_or(QuantityError::Suffix)?;
        if let Some(quick) = short(text, &parts, exponent, format)? {
            return Ok(quick);
        }
        let number = parts.number.trim_start_matches(['+', '-']);
        if !number.bytes().any(|byte| byte.is_ascii_digit()) {
            return Err(QuantityError::Number);
        }
        Ok(long(&parts, exponent, format))
    }

    /// The text in which Kubernetes writes it.
    pub fn into_text(self) -> String {
        self.text
    }
}

fn split(text: &str) -> Result<Parts<'_>, QuantityError> {
    let bytes = text.as_bytes();
    let digits_end = |start: usize| {
        bytes[start..].iter().position(|byte| !byte.is_ascii_digit()).map_or(bytes.len(), |end| start + end)
    };
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let zeros = bytes[start..].iter().take_while(|byte| **byte == b'0').count();
    let whole_start = start + zeros;
    if whole_start == bytes.len() {
        return Ok(Parts { negative, number: "0", whole: "0", fraction: "", suffix: "" });
    }
    let whole_end = digits_end(whole_start);
    let whole = &text[whole_start..whole_end];
    if whole_end == bytes.len() {
        return Ok(Parts { negative, number: text, whole, fraction: "", suffix: "" });
    }
    let whole = if whole.is_empty() { "0" } else { whole };
    let (mut at, mut fraction) = (whole_end, "");
    if bytes[at] == b'.' {
        let end = digits_end(at + 1);
        fraction = &text[at + 1..end];
        at = end;
    }
    let suffix_start = at;
    while at < bytes.len() && b"eEinumkKMGTP".contains(&bytes[at]) {
        at += 1;
    }
    if at < bytes.len() && matches!(bytes[at], b'-' | b'+') {
        at += 1;
    }
    if digits_end(at.min(bytes.len())) < bytes.len() {
        return Err(QuantityError::Format);
    }
    let (number, suffix) = text.split_at(suffix_start);
    Ok(Parts { negative, number, whole, fraction, suffix })
}

/// What a suffix multiplies by: a power of ten, or (binary) of two.
fn interpret(suffix: &str) -> Option<(i64, Format)> {
    let find =
        |table: &[(&str, i64)]| table.iter().find(|(known, _)| *known == suffix).map(|(_, power)| *power);
    if let Some(power) = find(&DECIMAL) {
        return Some((power, Format::Decimal));
    }
    if let Some(power) = find(&BINARY) {
        return Some((power, Format::Binary));
    }
    let exponent = suffix.strip_prefix(['e', 'E']).filter(|digits| !digits.is_empty())?;
    Some((i64::from(exponent.parse::<i64>().ok()? as i32), Format::Exponent))
}

/// Amounts that fit in 64 bits. Those already in their usual form keep their text, odd as it may be (`+1`, `01`).
fn short(
    text: &str,
    parts: &Parts<'_>,
    exponent: i64,
    format: Format,
) -> Result<Option<Quantity>, QuantityError> {
    let lengths = (parts.whole.len() + parts.fraction.len()) as i64;
    let (scale, precision, factor) = match format {
        Format::Binary if parts.fraction.is_empty() => {
            let precision = 15 - parts.whole.len() as i64 - (exponent * 3 / 10) - 1;
            (0, precision, 1_i64.checked_shl(exponent as u32).unwrap_or_default())
        }
        Format::Binary => return Ok(None),
        Format::Decimal | Format::Exponent => (exponent - parts.fraction.len() as i64, 18 - lengths, 1),
    };
    if precision < 0 || scale < -9 {
        return Ok(None);
    }
    let digits = format!("{}{}", parts.whole, parts.fraction);
    let value: i64 = digits.parse().map_err(|_| QuantityError::Number)?;
    let Some(product) = value.checked_mul(factor) else { return Ok(None) };
    let usual = match format {
        Format::Binary => exponent % 10 == 0 && value & 7 != 0,
        Format::Decimal | Format::Exponent => {
            scale % 3 == 0 && !digits.ends_with("000") && !digits.starts_with('0')
        }
    };
    if usual {
        return Ok(Some(Quantity { text: text.to_owned() }));
    }
    let signed = if parts.negative { -product } else { product };
    let number = Decimal { digits: BigInt::from(signed), exponent: scale };
    Ok(Some(Quantity { text: number.write(format) }))
}

/// Amounts of any size, rounded up to a billionth.
fn long(parts: &Parts<'_>, exponent: i64, format: Format) -> Quantity {
    let digits = format!("{}{}", parts.whole, parts.fraction);
    let mut digits = BigInt::parse_bytes(digits.as_bytes(), 10).unwrap_or_default();
    let mut scale = -(parts.fraction.len() as i64);
    if format == Format::Binary {
        digits <<= exponent;
    } else {
        scale += exponent;
    }
    if scale < -9 && digits.sign() != Sign::NoSign {
        let surplus = -9 - scale;
        // Beyond its digits a number is less than a billionth, which it is rounded up to.
        let divisor =
            if surplus > digits.bits() as i64 { None } else { Some(BigInt::from(10).pow(surplus as u32)) };
        digits = divisor.map_or_else(|| BigInt::from(1), |divisor| (&digits + &divisor - 1) / divisor);
        scale = -9;
    }
    let mut number = Decimal { digits, exponent: scale };
    let mut format = format;
    if format == Format::Binary {
        let most = Decimal { digits: BigInt::from(i64::MAX), exponent: 0 };
        if number.exceeds(&most) {
            number = most;
        }
        let one = Decimal { digits: BigInt::from(1), exponent: 0 };
        if number.digits.sign() == Sign::Plus && one.exceeds(&number) {
            format = Format::Decimal;
        }
    }
    if parts.negative {
        number.digits = -number.digits;
    }
    Quantity { text: number.write(format) }
}

impl Decimal {
    /// With the exponent brought to that of the other, if it is the larger.
    fn at(&self, exponent: i64) -> BigInt {
        let shift = u32::try_from((self.exponent - exponent).max(0)).unwrap_or_default();
        &self.digits * BigInt::from(10).pow(shift)
    }

    fn exceeds(&self, other: &Decimal) -> bool {
        let exponent = self.exponent.min(other.exponent);
        self.at(exponent) > other.at(exponent)
    }

    /// As an integer, if it is one.
    fn integer(&self) -> Option<BigInt> {
        if self.exponent >= 0 {
            return Some(self.at(0));
        }
        let divisor = BigInt::from(10).pow(u32::try_from(-self.exponent).ok()?);
        let whole = &self.digits / &divisor;
        (&whole * divisor == self.digits).then_some(whole)
    }

    fn write(&self, format: Format) -> String {
        if self.digits.sign() == Sign::NoSign {
            return "0".to_owned();
        }
        let limit = BigInt::from(1024);
        let whole = if format == Format::Binary { self.integer() } else { None };
        if let Some(mut whole) = whole.filter(|whole| whole >= &limit || whole <= &-&limit) {
            let mut power = 0;
            while (&whole % &limit).sign() == Sign::NoSign {
                whole /= &limit;
                power += 10;
            }
            let suffix = BINARY.iter().find(|(_, known)| *known == power).map_or("", |(suffix, _)| *suffix);
            return format!("{whole}{suffix}");
        }
        let ten = BigInt::from(10);
        let (mut digits, mut exponent) = (self.digits.clone(), self.exponent);
        while (&digits % &ten).sign() == Sign::NoSign {
            digits /= &ten;
            exponent += 1;
        }
        while exponent % 3 != 0 {
            digits *= &ten;
            exponent -= 1;
        }
        if format == Format::Exponent {
            return if exponent == 0 { digits.to_string() } else { format!("{digits}e{exponent}") };
        }
        // A power without a suffix is lost, in Kubernetes too.
        let suffix = DECIMAL.iter().find(|(_, known)| *known == exponent).map_or("", |(suffix, _)| *suffix);
        format!("{digits}{suffix}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_in_their_usual_form() {
        let cases = [
            ("1000m", "1"),
            ("0.5", "500m"),
            ("1024Mi", "1Gi"),
            ("1.5Gi", "1536Mi"),
            ("100m", "100m"),
            ("0", "0"),
            ("0m", "0"),
            ("-0", "0"),
            ("1e3", "1e3"),
            ("1000e3", "1e6"),
            ("12E", "12E"),
            ("1Ki", "1Ki"),
            ("1000Ki", "1000Ki"),
            ("2048Ki", "2Mi"),
            ("0.1n", "1n"),
            ("+1", "+1"),
            ("1.", "1."),
            (".5", "500m"),
            ("1.001m", "1.001m"),
            ("1.0010m", "1001u"),
            ("100000", "100k"),
            ("9223372036854775808Ki", "9223372036854775807"),
            ("-1.5Gi", "-1536Mi"),
            ("0.5Ki", "512"),
            ("0.0001Ki", "102400u"),
            (" 1 ", "1"),
        ];
        for (text, expected) in cases {
            assert_eq!(Quantity::parse(text).map(Quantity::into_text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn refusals_are_gos() {
        assert_eq!(Quantity::parse(""), Err(QuantityError::Format));
        assert_eq!(Quantity::parse("1 G"), Err(QuantityError::Format));
        assert_eq!(Quantity::parse("1Q"), Err(QuantityError::Format));
        assert_eq!(Quantity::parse("1KK"), Err(QuantityError::Suffix));
        assert_eq!(Quantity::parse("abc"), Err(QuantityError::Format));
        assert_eq!(Quantity::parse("e-10"), Err(QuantityError::Number));
    }
}
