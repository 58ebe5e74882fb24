//! Reads a format: directives, their flags, widths, precisions and argument indexes.

use super::printer::{Flags, Printer};
use crate::value::Value;

/// Go refuses widths and precisions beyond this.
const TOO_LARGE: i64 = 1_000_000;

/// `fmt.Fprintf`.
pub(super) fn run(out: &mut Vec<u8>, format: &[u8], arguments: &[Value]) {
    Format {
        printer: Printer::new(out),
        text: format,
        at: 0,
        arguments,
        next: 0,
        reordered: false,
        good: true,
    }
    .run();
}

struct Format<'a, 'o> {
    printer: Printer<'o>,
    text: &'a [u8],
    at: usize,
    arguments: &'a [Value],
    /// The argument that the next directive prints.
    next: usize,
    /// Whether an index like `[2]` was used.
    reordered: bool,
    /// Whether the indexes of the current directive make sense.
    good: bool,
}

impl Format<'_, '_> {
    fn run(&mut self) {
        while let Some(offset) = memchr::memchr(b'%', &self.text[self.at..]) {
            self.printer.out.extend_from_slice(&self.text[self.at..self.at + offset]);
            self.at += offset + 1;
            if self.printer.is_full() {
                super::room::cut();
                return;
            }
            if !self.directive() {
                break;
            }
        }
        self.printer.out.extend_from_slice(&self.text[self.at.min(self.text.len())..]);
        if !self.reordered && self.next < self.arguments.len() {
            self.extra();
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Handles what follows a `%`; false at the end of the format.
    fn directive(&mut self) -> bool {
        self.good = true;
        self.printer.flags = Flags::default();
        self.flags();
        let mut indexed = self.index();
        if self.peek() == Some(b'*') {
            self.at += 1;
            self.width_from_argument();
            indexed = false;
        } else {
            self.printer.flags.width = self.number().map(|width| width as usize);
            if indexed && self.printer.flags.width.is_some() {
                self.good = false;
            }
        }
        if self.peek() == Some(b'.') && self.at + 1 < self.text.len() {
            self.at += 1;
            if indexed {
                self.good = false;
            }
            indexed = self.index();
            if self.peek() == Some(b'*') {
                self.at += 1;
                self.precision_from_argument();
                indexed = false;
            } else {
                self.printer.flags.precision = Some(self.number().unwrap_or(0) as usize);
            }
        }
        if !indexed {
            self.index();
        }
        let Some(verb) = self.verb() else {
            self.printer.write("%!(NOVERB)");
            self.at = self.text.len();
            return false;
        };
        self.print(verb);
        true
    }

    fn flags(&mut self) {
        let flags = &mut self.printer.flags;
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'#' => flags.sharp = true,
                b'0' => flags.zero = true,
                b'+' => flags.plus = true,
                b'-' => flags.minus = true,
                b' ' => flags.space = true,
                _ => break,
            }
            self.at += 1;
        }
    }

    fn verb(&mut self) -> Option<char> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let chunk = rest.utf8_chunks().next()?;
        let verb = chunk.valid().chars().next();
        self.at += verb.map_or(1, char::len_utf8);
        Some(verb.unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn print(&mut self, verb: char) {
        let printer = &mut self.printer;
        if verb == '%' {
            printer.write("%");
            return;
        }
        let complaint = match self.arguments.get(self.next) {
            _ if !self.good => "(BADINDEX)",
            None => "(MISSING)",
            Some(argument) => {
                if matches!(verb, 'v' | 'w') {
                    let flags = &mut printer.flags;
                    flags.sharp_v = std::mem::take(&mut flags.sharp);
                    flags.plus_v = std::mem::take(&mut flags.plus);
                }
                printer.argument(argument, verb);
                self.next += 1;
                return;
            }
        };
        printer.write("%!");
        printer.write_char(verb);
        printer.write(complaint);
    }

    /// A decimal number, if there is one; an absurd one swallows the rest of the format as Go's does.
    fn number(&mut self) -> Option<i64> {
        let mut number = None;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            let so_far = number.unwrap_or(0);
            if so_far > TOO_LARGE {
                self.at = self.text.len();
                return None;
            }
            number = Some(so_far * 10 + i64::from(digit - b'0'));
            self.at += 1;
        }
        number
    }

    /// An argument index such as `[2]`; true if there was a well-formed one.
    fn index(&mut self) -> bool {
        if self.peek() != Some(b'[') {
            return false;
        }
        self.reordered = true;
        let rest = &self.text[self.at..];
        let close = if rest.len() < 3 { None } else { rest.iter().position(|byte| *byte == b']') };
        let Some(close) = close else {
            self.at += 1;
            self.good = false;
            return false;
        };
        let digits = &rest[1..close];
        let end = self.at + close + 1;
        let number = match digits {
            [] => None,
            _ if digits.iter().all(u8::is_ascii_digit) && digits.len() <= 7 => std::str::from_utf8(digits)
                .ok()
                .and_then(|digits| digits.parse::<i64>().ok())
                .filter(|number| *number < 10 * TOO_LARGE + 10),
            _ => None,
        };
        self.at = end;
        match number {
            Some(number) if number >= 1 && number as usize <= self.arguments.len() => {
                self.next = number as usize - 1;
                true
            }
            number => {
                self.good = false;
                number.is_some()
            }
        }
    }

    /// The integer that a `*` takes from the arguments.
    fn integer_argument(&mut self) -> Option<i64> {
        let argument = self.arguments.get(self.next)?;
        self.next += 1;
        let number = match argument {
            Value::Int(_, number) => *number,
            Value::Uint(_, number) => i64::try_from(*number).ok()?,
            _ => return None,
        };
        (-TOO_LARGE..=TOO_LARGE).contains(&number).then_some(number)
    }

    fn width_from_argument(&mut self) {
        match self.integer_argument() {
            Some(width) => {
                let flags = &mut self.printer.flags;
                if width < 0 {
                    flags.minus = true;
                    flags.zero = false;
                }
                flags.width = Some(width.unsigned_abs() as usize);
            }
            None => self.printer.write("%!(BADWIDTH)"),
        }
    }

    fn precision_from_argument(&mut self) {
        match self.integer_argument().and_then(|precision| usize::try_from(precision).ok()) {
            Some(precision) => self.printer.flags.precision = Some(precision),
            None => self.printer.write("%!(BADPREC)"),
        }
    }

    fn extra(&mut self) {
        self.printer.flags = Flags::default();
        self.printer.write("%!(EXTRA ");
        for (index, argument) in self.arguments[self.next..].iter().enumerate() {
            if index > 0 {
                self.printer.write(", ");
            }
            if !matches!(argument, Value::Nil) {
                self.printer.write(argument.type_name());
                self.printer.write("=");
            }
            self.printer.argument(argument, 'v');
        }
        self.printer.write(")");
    }
}
