//! Hexadecimal floating-point, `0x1.8p+01`.

use std::fmt::Write;

/// The integer mantissa and the power of two it is multiplied by.
pub(super) fn parts(value: f64) -> (u64, i32) {
    let raw = value.to_bits();
    let (fraction, biased) = (raw & 0xf_ffff_ffff_ffff, (raw >> 52) as i32 & 0x7ff);
    if biased == 0 { (fraction, 1 - 1023 - 52) } else { (fraction | 1 << 52, biased - 1023 - 52) }
}

/// Writes the absolute value as `strconv.FormatFloat` does with `x` or `X`.
pub(super) fn format(text: &mut String, value: f64, format: u8, precision: i32) {
    let (mut mantissa, mut exponent) = parts(value);
    exponent += 52;
    if mantissa == 0 {
        exponent = 0;
    }
    // The leading one to bit 60, so that each hexadecimal digit is one nibble.
    mantissa <<= 8;
    while mantissa != 0 && mantissa & (1 << 60) == 0 {
        mantissa <<= 1;
        exponent -= 1;
    }
    if (0..15).contains(&precision) {
        let shift = (precision * 4) as u32;
        let extra = (mantissa << shift) & ((1 << 60) - 1);
        mantissa >>= 60 - shift;
        if extra | (mantissa & 1) > 1 << 59 {
            mantissa += 1;
        }
        mantissa <<= 60 - shift;
        if mantissa & (1 << 61) != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    let upper = format == b'X';
    text.push_str(if upper { "0X" } else { "0x" });
    text.push(char::from(b'0' + ((mantissa >> 60) & 1) as u8));
    mantissa <<= 4;
    if precision < 0 && mantissa != 0 {
        text.push('.');
        while mantissa != 0 {
            push_digit(text, mantissa, upper);
            mantissa <<= 4;
        }
    } else if precision > 0 {
        text.push('.');
        for _ in 0..precision {
            push_digit(text, mantissa, upper);
            mantissa <<= 4;
        }
    }
    text.push(if upper { 'P' } else { 'p' });
    text.push(if exponent < 0 { '-' } else { '+' });
    // Writing to a String cannot fail.
    let _ = write!(text, "{:02}", exponent.unsigned_abs());
}

fn push_digit(text: &mut String, mantissa: u64, upper: bool) {
    let digit = char::from_digit((mantissa >> 60) as u32, 16).unwrap_or('0');
    text.push(if upper { digit.to_ascii_uppercase() } else { digit });
}

/// What a hexadecimal floating-point number is worth, rounded to even; infinite if out of range.
pub(super) fn value(written: &super::number::Written, bits: u32) -> f64 {
    if written.mantissa == 0 {
        return if written.negative { -0.0 } else { 0.0 };
    }
    let (fraction_bits, lowest) = if bits == 32 { (23, -126) } else { (52, -1022) };
    // The value is `mantissa × 2^exponent`; the leading one stands at 2^top.
    let mantissa = u128::from(written.mantissa) << 64 | u128::from(written.truncated);
    let exponent = written.exponent - 64;
    let top = exponent + i64::from(mantissa.ilog2());
    let unit = (top - fraction_bits).max(lowest - fraction_bits);
    let shift = unit - exponent;
    let rounded = if shift >= 128 {
        0
    } else {
        let whole = mantissa >> shift;
        let rest = mantissa - (whole << shift);
        let half = 1u128 << (shift - 1);
        whole + u128::from(rest > half || rest == half && whole & 1 == 1)
    };
    let size = scale(rounded as f64, unit);
    let size = if bits == 32 && size > f64::from(f32::MAX) { f64::INFINITY } else { size };
    if written.negative { -size } else { size }
}

/// `value × 2^exponent`, exact as long as the result is representable.
fn scale(mut value: f64, mut exponent: i64) -> f64 {
    while exponent > 1000 && value.is_finite() {
        value *= 2f64.powi(1000);
        exponent -= 1000;
    }
    while exponent < -1000 && value != 0.0 {
        // A mantissa of at most 53 bits keeps all its bits until the last step.
        let step = (-exponent - 1000).min(1000) as i32;
        if exponent + i64::from(step) >= -1000 {
            return value * 2f64.powi(-(step)) * 2f64.powi((exponent + i64::from(step)) as i32);
        }
        value *= 2f64.powi(-step);
        exponent += i64::from(step);
    }
    value * 2f64.powi(exponent as i32)
}
