//! JSON's strings and numbers, escaped and formatted as Go does.

use crate::strconv::format_float;

/// A `float64` as `encoding/json` writes it: plain digits, but an exponent for the very small and large.
pub fn float_text(value: f64) -> String {
    sized_float_text(value, 64)
}

pub(super) fn sized_float_text(value: f64, bits: u32) -> String {
    let size = value.abs();
    let (small, large) = if bits == 32 {
        ((size as f32) < 1e-6_f32, (size as f32) >= 1e21_f32)
    } else {
        (size < 1e-6, size >= 1e21)
    };
    if size != 0.0 && (small || large) {
        let text = format_float(value, b'e', -1, bits);
        // `e-09` is shortened to `e-9`.
        return match text.split_once("e-0") {
            Some((mantissa, digit)) => format!("{mantissa}e-{digit}"),
            None => text,
        };
    }
    format_float(value, b'f', -1, bits)
}

/// Which bytes cannot stand for themselves; 2 marks those only HTML minds.
const ESCAPED: [u8; 256] = {
    let mut escaped = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        escaped[byte] = 1;
        byte += 1;
    }
    escaped[b'"' as usize] = 1;
    escaped[b'\\' as usize] = 1;
    escaped[b'<' as usize] = 2;
    escaped[b'>' as usize] = 2;
    escaped[b'&' as usize] = 2;
    // The first byte of the line and paragraph separators.
    escaped[0xe2] = 1;
    escaped
};

/// Writes `text` in quotes; `html` also escapes `<`, `>` and `&`, as `json.Marshal` does.
pub fn push_string(out: &mut String, text: &str, html: bool) {
    let limit = if html { 2 } else { 1 };
    out.push('"');
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = ESCAPED[usize::from(byte)];
        if escape == 0 || escape > limit {
            continue;
        }
        let width = if byte == 0xe2 { 3 } else { 1 };
        let replacement = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            0x08 => "\\b",
            0x0c => "\\f",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0xe2 => match &text.as_bytes()[at + 1..at + 3] {
                [0x80, 0xa8] => "\\u2028",
                [0x80, 0xa9] => "\\u2029",
                _ => continue,
            },
            other => {
                out.push_str(&text[start..at]);
                out.push_str("\\u00");
                out.push(char::from_digit(u32::from(other >> 4), 16).unwrap_or('0'));
                out.push(char::from_digit(u32::from(other & 15), 16).unwrap_or('0'));
                start = at + 1;
                continue;
            }
        };
        out.push_str(&text[start..at]);
        out.push_str(replacement);
        start = at + width;
    }
    out.push_str(&text[start..]);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (1.5, "1.5"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (1.25e-10, "1.25e-10"),
            (-123_456_789.125, "-123456789.125"),
        ];
        for (value, expected) in cases {
            assert_eq!(float_text(value), expected);
        }
    }

    #[test]
    fn strings() {
        let written = |text: &str, html| {
            let mut out = String::new();
            push_string(&mut out, text, html);
            out
        };
        assert_eq!(
            written("<a&b>\u{2028}€é\x01\n\x7f", true),
            "\"\\u003ca\\u0026b\\u003e\\u2028€é\\u0001\\n\x7f\""
        );
        assert_eq!(written("<\"\\>", false), r#""<\"\\>""#);
    }
}
