//! Amounts such as `500m` and `2Gi`: compared, added, and written as the server writes them.

use std::cmp::Ordering;
use std::fmt;

const NANO: i128 = 1_000_000_000;
const DECIMAL: [(&str, i128); 10] = [
    ("E", 1_000_000_000_000_000_000 * NANO),
    ("P", 1_000_000_000_000_000 * NANO),
    ("T", 1_000_000_000_000 * NANO),
    ("G", 1_000_000_000 * NANO),
    ("M", 1_000_000 * NANO),
    ("k", 1_000 * NANO),
    ("", NANO),
    ("m", 1_000_000),
    ("u", 1_000),
    ("n", 1),
];
const BINARY: [(&str, u32); 6] = [("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)];

/// An amount, exact to a billionth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quantity {
    nanos: i128,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Decimal,
    Binary,
    Exponent,
}

impl Quantity {
    /// Nothing at all.
    pub(crate) const ZERO: Self = Self { nanos: 0, form: Form::Decimal };

    /// One of something.
    pub(crate) const ONE: Self = Self { nanos: NANO, form: Form::Decimal };

    /// So many of something.
    pub(crate) fn whole(number: i128) -> Self {
        Self { nanos: number * NANO, form: Form::Decimal }
    }

    /// Rounded up to whole numbers.
    pub(crate) fn to_whole(self) -> Self {
        self.up_to(NANO)
    }

    /// What is left of it, at least nothing.
    pub(crate) fn less(self, other: Self) -> Self {
        Self { nanos: self.nanos.saturating_sub(other.nanos).max(0), form: self.form }
    }

    /// How many times the other it is.
    pub(crate) fn ratio(self, other: Self) -> f64 {
        self.nanos as f64 / other.nanos as f64
    }

    /// Reads an amount; nothing if it is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = text.trim_start_matches(['+', '-']);
        if text.len() - digits.len() > 1 {
            return None;
        }
        let end = digits.find(|char: char| !char.is_ascii_digit() && char != '.').unwrap_or(digits.len());
        let (number, suffix) = digits.split_at(end);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
            return None;
        }
        let (factor, form) = if let Some((_, shift)) = BINARY.iter().find(|(name, _)| *name == suffix) {
            (NANO << shift, Form::Binary)
        } else if let Some((_, factor)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
            (*factor, Form::Decimal)
        } else {
            let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
            (10_i128.checked_pow(u32::try_from(exponent + 9).ok()?)?, Form::Exponent)
        };
        let mut nanos = whole.parse::<i128>().unwrap_or_default().saturating_mul(factor);
        let mut part = factor;
        let mut rest = false;
        for digit in fraction.bytes() {
            rest |= part % 10 != 0 && digit != b'0';
            part /= 10;
            nanos = nanos.saturating_add(i128::from(digit - b'0') * part);
        }
        if rest {
            nanos = nanos.saturating_add(1);
        }
        Some(Self { nanos: if text.starts_with('-') { -nanos } else { nanos }, form })
    }

    /// The amount of a field; nothing if there is none.
    pub(crate) fn of(value: &serde_json::Value) -> Option<Self> {
        value.as_str().and_then(Self::parse)
    }

    /// Whether it is less than nothing.
    pub(crate) fn is_negative(self) -> bool {
        self.nanos < 0
    }

    /// Whether it is more than nothing.
    pub(crate) fn is_positive(self) -> bool {
        self.nanos > 0
    }

    /// Whether it is whole, when thousandths are rounded up.
    pub(crate) fn is_whole(self) -> bool {
        self.up_to(1_000_000).nanos % NANO == 0
    }

    /// The whole number at or above it.
    pub(crate) fn value(self) -> i128 {
        self.up_to(NANO).nanos / NANO
    }

    /// Rounded up (away from nothing) to thousandths.
    pub(crate) fn rounded(self) -> Self {
        self.up_to(1_000_000)
    }

    fn up_to(self, unit: i128) -> Self {
        let below = self.nanos / unit * unit;
        let nanos = match (self.nanos - below).cmp(&0) {
            Ordering::Greater => below + unit,
            Ordering::Less => below - unit,
            Ordering::Equal => below,
        };
        Self { nanos, form: self.form }
    }

    /// Both together, written as this one is unless it is nothing.
    pub(crate) fn plus(self, other: Self) -> Self {
        let form = if self.nanos == 0 { other.form } else { self.form };
        Self { nanos: self.nanos.saturating_add(other.nanos), form }
    }

    /// The greater of the two.
    pub(crate) fn or_greater(self, other: Self) -> Self {
        if other.nanos > self.nanos { other } else { self }
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nanos == 0 {
            return f.write_str("0");
        }
        match self.form {
            Form::Binary if self.nanos.abs() >= 1024 * NANO && self.nanos % NANO == 0 => {
                let value = self.value();
                for (suffix, shift) in BINARY {
                    if value % (1_i128 << shift) == 0 {
                        return write!(f, "{}{suffix}", value >> shift);
                    }
                }
                write!(f, "{value}")
            }
            Form::Exponent => {
                for (_, factor) in DECIMAL {
                    if self.nanos % factor == 0 {
                        let exponent = factor.ilog10().cast_signed() - 9;
                        let number = self.nanos / factor;
                        return if exponent == 0 {
                            write!(f, "{number}")
                        } else {
                            write!(f, "{number}e{exponent}")
                        };
                    }
                }
                write!(f, "{}", self.nanos)
            }
            Form::Decimal | Form::Binary => {
                for (suffix, factor) in DECIMAL {
                    if self.nanos % factor == 0 {
                        return write!(f, "{}{suffix}", self.nanos / factor);
                    }
                }
                write!(f, "{}n", self.nanos)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_and_written() {
        for (text, written) in [
            ("0", "0"),
            ("1", "1"),
            ("1000m", "1"),
            ("1500m", "1500m"),
            ("1.5", "1500m"),
            ("1024Mi", "1Gi"),
            ("1.5Gi", "1536Mi"),
            ("1000", "1k"),
            ("2000k", "2M"),
            ("512", "512"),
            ("-1Ki", "-1Ki"),
            ("1e3", "1e3"),
            ("0.1Ki", "102400m"),
            ("12345", "12345"),
        ] {
            assert_eq!(Quantity::parse(text).unwrap().to_string(), written, "{text}");
        }
        for text in ["", "-", "a", "1X", "1..2", "--1", "1ee"] {
            assert!(Quantity::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn amounts_are_compared_and_rounded() {
        let of = |text| Quantity::parse(text).unwrap();
        assert!(of("1Ki") > of("1k"));
        assert_eq!(of("1Gi"), of("1073741824"));
        assert_eq!(of("100u").rounded().to_string(), "1m");
        assert_eq!(of("-100u").rounded().to_string(), "-1m");
        assert_eq!(of("1100m").value(), 2);
        assert!(!of("1500m").is_whole());
        assert!(of("2k").is_whole());
        assert_eq!(of("1Gi").plus(of("1Gi")).to_string(), "2Gi");
    }
}
