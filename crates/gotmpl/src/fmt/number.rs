//! Prints numbers under a verb and its flags.

use goyaml::strconv;

use super::printer::Printer;
use crate::value::Value;

impl Printer<'_> {
    /// Prints an integer, given as its absolute value and sign.
    pub(super) fn integer(
        &mut self,
        magnitude: u64,
        negative: bool,
        signed: bool,
        verb: char,
        value: &Value,
    ) {
        match verb {
            'v' if self.flags.sharp_v && !signed => {
                let sharp = std::mem::replace(&mut self.flags.sharp, true);
                self.digits(magnitude, negative, 16, 'v');
                self.flags.sharp = sharp;
            }
            'v' | 'd' => self.decimal(magnitude, negative),
            'b' => self.digits(magnitude, negative, 2, verb),
            'o' | 'O' => self.digits(magnitude, negative, 8, verb),
            'x' | 'X' => self.digits(magnitude, negative, 16, verb),
            'c' => {
                let rune = rune_of(magnitude, negative);
                self.pad(rune.encode_utf8(&mut [0; 4]).as_bytes());
            }
            'q' => {
                let rune = rune_of(magnitude, negative);
                let quoted = if self.flags.plus {
                    strconv::quote_rune_to_ascii(rune)
                } else {
                    strconv::quote_rune(rune)
                };
                self.pad(quoted.as_bytes());
            }
            'U' => self.unicode(if negative { magnitude.wrapping_neg() } else { magnitude }),
            _ => self.bad_verb(Some(value), verb),
        }
    }

    /// Prints in base 10.
    pub(super) fn decimal(&mut self, magnitude: u64, negative: bool) {
        let flags = &self.flags;
        if flags.width.is_none() && flags.precision.is_none() && !flags.plus && !flags.space {
            let mut buffer = [0; 20];
            let mut start = buffer.len();
            let mut rest = magnitude;
            loop {
                start -= 1;
                buffer[start] = b'0' + (rest % 10) as u8;
                rest /= 10;
                if rest == 0 {
                    break;
                }
            }
            if negative {
                self.out.push(b'-');
            }
            self.out.extend_from_slice(&buffer[start..]);
            return;
        }
        self.digits(magnitude, negative, 10, 'd');
    }

    fn digits(&mut self, magnitude: u64, negative: bool, base: u32, verb: char) {
        let flags = self.flags;
        let signed = negative || flags.plus || flags.space;
        let least = match (flags.precision, flags.width) {
            (Some(0), width) if magnitude == 0 => {
                let zero = std::mem::replace(&mut self.flags.zero, false);
                self.padding(width.unwrap_or(0));
                self.flags.zero = zero;
                return;
            }
            (Some(precision), _) => precision,
            // Zeros fill the width, leaving room for the sign.
            (None, Some(width)) if flags.zero && !flags.minus => width.saturating_sub(usize::from(signed)),
            _ => 0,
        };
        let digits = match (base, verb) {
            (2, _) => format!("{magnitude:b}"),
            (8, _) => format!("{magnitude:o}"),
            (16, 'X') => format!("{magnitude:X}"),
            (16, _) => format!("{magnitude:x}"),
            _ => magnitude.to_string(),
        };
        let mut text = String::with_capacity(least + 3);
        text.push_str(match (negative, flags.plus, flags.space) {
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            _ => "",
        });
        if verb == 'O' {
            text.push_str("0o");
        }
        let zeros = least.saturating_sub(digits.len());
        if flags.sharp {
            text.push_str(match (base, verb) {
                (2, _) => "0b",
                (8, _) if zeros == 0 && !digits.starts_with('0') => "0",
                (16, 'X') => "0X",
                (16, _) => "0x",
                _ => "",
            });
        }
        text.extend(std::iter::repeat_n('0', zeros));
        text.push_str(&digits);
        self.pad_with_spaces(text.as_bytes());
    }

    fn unicode(&mut self, code: u64) {
        let precision = self.flags.precision.map_or(4, |precision| precision.max(4));
        let digits = format!("{code:X}");
        let mut text = format!("U+{}{digits}", "0".repeat(precision.saturating_sub(digits.len())));
        let rune = u32::try_from(code).ok().and_then(char::from_u32);
        if let Some(rune) = rune
            && self.flags.sharp
            && is_print(rune)
        {
            text.extend([' ', '\'', rune, '\'']);
        }
        self.pad_with_spaces(text.as_bytes());
    }

    pub(super) fn float(&mut self, number: f64, verb: char, value: &Value) {
        match verb {
            'v' => self.float_digits(number, b'g', -1),
            'b' | 'g' | 'G' | 'x' | 'X' => self.float_digits(number, verb as u8, -1),
            'f' | 'e' | 'E' => self.float_digits(number, verb as u8, 6),
            'F' => self.float_digits(number, b'f', 6),
            _ => self.bad_verb(Some(value), verb),
        }
    }

    pub(super) fn complex(&mut self, number: (f64, f64), verb: char, value: &Value) {
        if !matches!(verb, 'v' | 'b' | 'g' | 'G' | 'x' | 'X' | 'f' | 'F' | 'e' | 'E') {
            return self.bad_verb(Some(value), verb);
        }
        let plus = self.flags.plus;
        self.write("(");
        self.float(number.0, verb, value);
        self.flags.plus = true;
        self.float(number.1, verb, value);
        self.write("i)");
        self.flags.plus = plus;
    }

    fn float_digits(&mut self, number: f64, format: u8, default_precision: i32) {
        let flags = self.flags;
        let precision = flags.precision.map_or(default_precision, |precision| precision as i32);
        let mut text = strconv::format_float(number, format, precision, 64);
        if !text.starts_with(['-', '+']) {
            text.insert(0, '+');
        }
        if flags.space && text.starts_with('+') && !flags.plus {
            text.replace_range(..1, " ");
        }
        if text[1..].starts_with(['I', 'N']) {
            let bare = text[1..].starts_with('N') && !flags.space && !flags.plus;
            return self.pad_with_spaces(&text.as_bytes()[usize::from(bare)..]);
        }
        if flags.sharp && format != b'b' {
            text = with_decimal_point(&text, format, precision);
        }
        if !flags.plus && text.starts_with('+') {
            return self.pad(&text.as_bytes()[1..]);
        }
        match flags.width {
            Some(width) if flags.zero && !flags.minus && width > text.len() => {
                self.write(&text[..1]);
                self.padding(width - text.len());
                self.write(&text[1..]);
            }
            _ => self.pad(text.as_bytes()),
        }
    }
}

/// What `#` asks for: a decimal point always, and the zeros at the end kept. The text begins with its sign.
fn with_decimal_point(text: &str, format: u8, precision: i32) -> String {
    let mut missing = match format {
        b'g' | b'G' | b'x' => {
            if precision == -1 {
                6
            } else {
                precision
            }
        }
        _ => 0,
    };
    let exponent: &[char] = if matches!(format, b'x' | b'X') { &['p', 'P'] } else { &['e', 'E', 'p', 'P'] };
    let (number, tail) = text.split_at(text.find(exponent).unwrap_or(text.len()));
    let mut significant = false;
    for digit in number[1..].chars().filter(|c| *c != '.') {
        significant |= digit != '0';
        missing -= i32::from(significant);
    }
    let mut result = number.to_owned();
    if !number.contains('.') {
        if number.len() == 2 && number.ends_with('0') {
            missing -= 1;
        }
        result.push('.');
    }
    result.extend(std::iter::repeat_n('0', usize::try_from(missing).unwrap_or(0)));
    result + tail
}

fn rune_of(magnitude: u64, negative: bool) -> char {
    if negative {
        return char::REPLACEMENT_CHARACTER;
    }
    u32::try_from(magnitude).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// `strconv.IsPrint`: what quoting leaves as it is.
pub(crate) fn is_print(rune: char) -> bool {
    matches!(rune, '\'' | '\\') || strconv::quote_rune(rune).len() == rune.len_utf8() + 2
}
