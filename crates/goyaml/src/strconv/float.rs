//! `strconv.FormatFloat`.

use std::fmt::Write;

/// The decimal digits of a number and where its point stands: `0.d1d2d3… × 10^point`.
struct Decimal {
    digits: Vec<u8>,
    point: i32,
}

/// No float has more digits behind its point, in either notation: further ones are zeros.
const MAX_FRACTION: usize = 1100;

/// `strconv.FormatFloat`: `format` is one of `e E f g G x X b`, precision `-1` is the shortest exact one.
pub fn format_float(value: f64, format: u8, precision: i32, bits: u32) -> String {
    let value = if bits == 32 { f64::from(value as f32) } else { value };
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let mut text = String::new();
    if value.is_sign_negative() {
        text.push('-');
    }
    let value = value.abs();
    match format {
        b'b' => binary(&mut text, value, bits),
        b'x' | b'X' => super::hex::format(&mut text, value, format, precision),
        b'e' | b'E' => exponent(&mut text, &decimal(value, precision.max(-1), bits), precision, format),
        b'f' => fixed(&mut text, value, precision, bits),
        b'g' | b'G' => general(&mut text, value, precision, bits, format),
        other => {
            text.clear();
            text.push('%');
            text.push(char::from(other));
        }
    }
    text
}

/// The digits of `value`, `precision + 1` of them or the fewest that read back the same.
fn decimal(value: f64, precision: i32, bits: u32) -> Decimal {
    let text = match usize::try_from(precision) {
        Ok(precision) => format!("{value:.*e}", precision.min(MAX_FRACTION)),
        Err(_) if bits == 32 => format!("{:e}", value as f32),
        Err(_) => format!("{value:e}"),
    };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mut digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    if precision < 0 {
        prefer_even(&mut digits, exponent, value, bits);
    }
    let point = if value == 0.0 { 0 } else { exponent.parse::<i32>().unwrap_or(0) + 1 };
    Decimal { digits, point }
}

/// Where two shortest texts are equally near, Go takes the one that ends in an even digit, Rust the
/// greater one. It takes nearly all the digits a float has to get there.
fn prefer_even(digits: &mut [u8], exponent: &str, value: f64, bits: u32) {
    let count = digits.len();
    if count < if bits == 32 { 7 } else { 15 } || digits[count - 1].is_multiple_of(2) {
        return;
    }
    let exact = format!("{:.*e}", count + 30, value);
    let mut beyond = exact.bytes().filter(u8::is_ascii_digit).skip(count);
    if beyond.next() != Some(b'5') || beyond.by_ref().take(30).any(|digit| digit != b'0') {
        return;
    }
    digits[count - 1] -= 1;
    let shown = String::from_utf8_lossy(digits);
    let text = format!("{}.{}e{exponent}", &shown[..1], &shown[1..]);
    let same = if bits == 32 { text.parse() == Ok(value as f32) } else { text.parse() == Ok(value) };
    if !same {
        digits[count - 1] += 1;
    }
}

fn exponent(text: &mut String, decimal: &Decimal, precision: i32, format: u8) {
    let digits = &decimal.digits;
    text.push(char::from(digits[0]));
    let wanted = if precision < 0 { digits.len() - 1 } else { precision as usize };
    if wanted > 0 {
        text.push('.');
        text.extend(digits.iter().skip(1).take(wanted).map(|&digit| char::from(digit)));
        text.extend(std::iter::repeat_n('0', (wanted + 1).saturating_sub(digits.len().max(1))));
    }
    let exponent = if digits.iter().all(|&digit| digit == b'0') { 0 } else { decimal.point - 1 };
    push_exponent(text, exponent, format);
}

/// `e`, a sign and at least two digits.
fn push_exponent(text: &mut String, exponent: i32, format: u8) {
    text.push(char::from(format));
    text.push(if exponent < 0 { '-' } else { '+' });
    let size = exponent.unsigned_abs();
    if size < 10 {
        text.push('0');
    }
    text.push_str(&size.to_string());
}

fn fixed(text: &mut String, value: f64, precision: i32, bits: u32) {
    if let Ok(precision) = usize::try_from(precision) {
        let exact = precision.min(MAX_FRACTION);
        // Writing to a String cannot fail.
        let _ = write!(text, "{value:.exact$}");
        text.extend(std::iter::repeat_n('0', precision - exact));
        return;
    }
    let decimal = decimal(value, -1, bits);
    let significant = decimal.digits.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1);
    plain(text, &decimal.digits[..significant], decimal.point);
}

fn general(text: &mut String, value: f64, precision: i32, bits: u32, format: u8) {
    let shortest = precision < 0;
    let precision = if precision == 0 { 1 } else { precision };
    let decimal = decimal(value, if shortest { -1 } else { precision - 1 }, bits);
    let significant = decimal.digits.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1);
    let mut limit = precision;
    if limit > significant as i32 && significant as i32 >= decimal.point {
        limit = significant as i32;
    }
    if shortest {
        limit = 6;
    }
    let exponent_of = decimal.point - 1;
    if exponent_of < -4 || exponent_of >= limit {
        let digits = decimal.digits[..significant.max(1)].to_vec();
        let shown = Decimal { digits, point: decimal.point };
        return exponent(text, &shown, -1, format + b'e' - b'g');
    }
    plain(text, &decimal.digits[..significant], decimal.point);
}

/// Digits and point without an exponent and without trailing zeros.
fn plain(text: &mut String, digits: &[u8], point: i32) {
    if point > 0 {
        let point = point as usize;
        let whole = &digits[..point.min(digits.len())];
        text.extend(whole.iter().map(|&digit| char::from(digit)));
        text.extend(std::iter::repeat_n('0', point - whole.len()));
    } else {
        text.push('0');
    }
    let fraction = &digits[(point.max(0) as usize).min(digits.len())..];
    if !fraction.is_empty() {
        text.push('.');
        text.extend(std::iter::repeat_n('0', point.min(0).unsigned_abs() as usize));
        text.extend(fraction.iter().map(|&digit| char::from(digit)));
    }
}

/// Mantissa and power of two, as `%b` prints them.
fn binary(text: &mut String, value: f64, bits: u32) {
    let (mantissa, exponent) = if bits == 32 {
        let raw = (value as f32).to_bits();
        let (fraction, biased) = (u64::from(raw & 0x7f_ffff), (raw >> 23) as i32 & 0xff);
        if biased == 0 { (fraction, 1 - 127 - 23) } else { (fraction | 1 << 23, biased - 127 - 23) }
    } else {
        super::hex::parts(value)
    };
    text.push_str(&mantissa.to_string());
    text.push('p');
    if exponent >= 0 {
        text.push('+');
    }
    text.push_str(&exponent.to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_digits_as_wanted() {
        for format in [b'f', b'e', b'E', b'x'] {
            for value in [0.1, 5e-324, f64::MAX, 0.0] {
                let long = format_float(value, format, 100_000, 64);
                let short = format_float(value, format, 1100, 64);
                let fraction = |text: &str| text.split_once('.').unwrap().1.to_owned();
                let digits = |text: &str| fraction(text).chars().take_while(char::is_ascii_hexdigit).count();
                assert!(digits(&long) >= 100_000, "{}", char::from(format));
                assert_eq!(fraction(&long)[..1100], fraction(&short)[..1100]);
            }
        }
        assert_eq!(format_float(0.1, b'g', 100_000, 64).len(), 57);
    }

    #[test]
    fn shortest() {
        let cases = [
            (0.0, "0", "0e+00", "0"),
            (1e6, "1e+06", "1e+06", "1000000"),
            (100_000.0, "100000", "1e+05", "100000"),
            (0.000_01, "1e-05", "1e-05", "0.00001"),
            (0.0001, "0.0001", "1e-04", "0.0001"),
            (123_456_789.5, "1.234567895e+08", "1.234567895e+08", "123456789.5"),
            // Ties go to the even digit.
            (
                1_564_335_190_411_574.2,
                "1.5643351904115742e+15",
                "1.5643351904115742e+15",
                "1564335190411574.2",
            ),
            (f64::MAX, "1.7976931348623157e+308", "1.7976931348623157e+308", ""),
            (5e-324, "5e-324", "5e-324", ""),
        ];
        for (value, general, exponent, fixed) in cases {
            assert_eq!(format_float(value, b'g', -1, 64), general);
            assert_eq!(format_float(value, b'e', -1, 64), exponent);
            if !fixed.is_empty() {
                assert_eq!(format_float(value, b'f', -1, 64), fixed);
            }
        }
        assert_eq!(format_float(-0.0, b'g', -1, 64), "-0");
        assert_eq!(format_float(f64::NEG_INFINITY, b'f', 2, 64), "-Inf");
        assert_eq!(format_float(0.1f32.into(), b'g', -1, 32), "0.1");
    }

    #[test]
    fn with_precision() {
        let cases = [
            (b'e', 3, 1234.5678, "1.235e+03"),
            (b'f', 2, 2.675, "2.67"),
            (b'f', 0, 2.5, "2"),
            (b'g', 3, 1234.5678, "1.23e+03"),
            (b'g', 6, 100_000.0, "100000"),
            (b'G', 2, 1e-7, "1E-07"),
            (b'x', -1, 1.5, "0x1.8p+00"),
            (b'X', 2, 10.0, "0X1.40P+03"),
            (b'b', -1, 1.0, "4503599627370496p-52"),
        ];
        for (format, precision, value, expected) in cases {
            assert_eq!(format_float(value, format, precision, 64), expected);
        }
    }
}
