//! Prints one value under one verb and its flags.

use std::collections::HashSet;
use std::fmt::Write as _;

use goyaml::strconv;

use super::room;
use crate::gotime::Time;
use crate::parse::with_room;
use crate::value::types::UINT8;
use crate::value::{ByteSlice, GoType, Kind, Object, Text, Value};

/// The flags, width and precision of a directive.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are Go's flags, each independent of the others")]
pub(super) struct Flags {
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
    pub(super) sharp: bool,
    pub(super) zero: bool,
    pub(super) plus: bool,
    pub(super) minus: bool,
    pub(super) space: bool,
    /// `%+v`
    pub(super) plus_v: bool,
    /// `%#v`
    pub(super) sharp_v: bool,
}

/// How deep values are followed.
const MAX_DEPTH: usize = 10_000;

pub(super) struct Printer<'o> {
    pub(super) out: &'o mut Vec<u8>,
    pub(super) flags: Flags,
    /// While printing the operand of a bad verb, `String()` is left alone.
    erroring: bool,
    /// The lists and maps that are being printed, by address. One that holds itself would never end; Go's
    /// process dies of it.
    within: HashSet<usize>,
    /// How long the output was, and may become.
    start: usize,
    most: usize,
}

impl Drop for Printer<'_> {
    fn drop(&mut self) {
        room::take(self.out.len() - self.start.min(self.out.len()));
    }
}

impl<'o> Printer<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>) -> Self {
        let start = out.len();
        let most = start.saturating_add(room::left());
        Self { out, flags: Flags::default(), erroring: false, within: HashSet::new(), start, most }
    }

    /// Whether as much is printed as may be.
    pub(super) fn is_full(&self) -> bool {
        self.out.len() > self.most
    }

    pub(super) fn write(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    pub(super) fn write_char(&mut self, c: char) {
        self.write(c.encode_utf8(&mut [0; 4]));
    }

    /// Prints an operand.
    pub(super) fn argument(&mut self, value: &Value, verb: char) {
        match (value, verb) {
            (Value::Nil, 'T' | 'v') => self.pad(b"<nil>"),
            (Value::Nil, _) => self.bad_verb(None, verb),
            (_, 'T') => self.string(value.type_name().as_bytes(), 's', value),
            (_, 'p') => self.bad_verb(Some(value), verb),
            (Value::Bytes(bytes), _) => self.bytes(bytes, verb, "[]byte"),
            _ => {
                if !self.methods(value, verb) {
                    self.value(value, verb, 0);
                }
            }
        }
    }

    /// Prints what a pointer points to.
    pub(super) fn pointed(&mut self, value: &Value) {
        let start = self.out.len();
        self.argument(value, 'v');
        if self.out.get(start) == Some(&b'&') && value.ty().is_some_and(|ty| ty.stringer.is_none()) {
            self.out.remove(start);
        }
    }

    /// Lets the value print itself, if it can and the verb allows.
    fn methods(&mut self, value: &Value, verb: char) -> bool {
        if self.erroring {
            return false;
        }
        if verb == 'w' {
            self.bad_verb(Some(value), verb);
            return true;
        }
        if self.flags.sharp_v {
            let Some(time) = value.downcast::<Time>() else { return false };
            let text = time.go_syntax();
            self.pad(text.as_bytes());
            return true;
        }
        if !matches!(verb, 'v' | 's' | 'x' | 'X' | 'q') {
            return false;
        }
        match value {
            Value::Number(digits) => {
                self.string(digits.as_bytes(), verb, value);
                true
            }
            Value::Int(GoType { stringer: Some(stringer), .. }, _)
            | Value::Uint(GoType { stringer: Some(stringer), .. }, _) => {
                self.string(stringer(value).as_bytes(), verb, value);
                true
            }
            Value::List(_) | Value::Map(_) | Value::Object(_) => {
                match value.ty().and_then(|ty| ty.stringer) {
                    Some(_) if value.is_nil() && value.kind() == Kind::Pointer => self.write("<nil>"),
                    Some(stringer) => self.string(stringer(value).as_bytes(), verb, value),
                    None => return false,
                }
                true
            }
            _ => false,
        }
    }

    /// Prints the contents of a value.
    fn value(&mut self, value: &Value, verb: char, depth: usize) {
        if self.is_full() || depth > MAX_DEPTH {
            room::cut();
            return;
        }
        if depth > 0 && self.methods(value, verb) {
            return;
        }
        match value {
            Value::Nil if self.flags.sharp_v => self.write("interface {}(nil)"),
            Value::Nil => self.write("<nil>"),
            Value::Bool(truth) => match verb {
                't' | 'v' => self.pad(if *truth { b"true" } else { b"false" }),
                _ => self.bad_verb(Some(value), verb),
            },
            Value::Int(_, number) => self.integer(number.unsigned_abs(), *number < 0, true, verb, value),
            Value::Uint(_, number) => self.integer(*number, false, false, verb, value),
            Value::Float(number) => self.float(*number, verb, value),
            Value::Complex(number) => self.complex(**number, verb, value),
            Value::String(text) => self.string(text.as_bytes(), verb, value),
            Value::Number(digits) => self.string(digits.as_bytes(), verb, value),
            Value::Bytes(bytes) => self.bytes(bytes, verb, "[]uint8"),
            Value::List(list) if self.within.contains(&list.address()) => self.write("..."),
            Value::Map(map) if self.within.contains(&map.address()) => self.write("..."),
            Value::List(list) => {
                let open = if self.flags.sharp_v { list.ty().name } else { "" };
                self.write(open);
                if self.flags.sharp_v && list.is_nil() {
                    return self.write("(nil)");
                }
                self.within.insert(list.address());
                self.open('[', '{');
                for (index, item) in list.borrow().iter().enumerate() {
                    self.separate(index);
                    with_room(|| self.value(item, verb, depth + 1));
                }
                self.within.remove(&list.address());
                self.close(']', '}');
            }
            Value::Map(map) => {
                if self.flags.sharp_v {
                    self.write(map.ty().name);
                    if map.is_nil() {
                        return self.write("(nil)");
                    }
                    self.write("{");
                } else {
                    self.write("map[");
                }
                self.within.insert(map.address());
                for (index, (key, item)) in map.borrow().iter().enumerate() {
                    self.separate(index);
                    let key = Text::of_key(key);
                    self.string(key.as_bytes(), verb, &Value::String(key.clone()));
                    self.write(":");
                    with_room(|| self.value(item, verb, depth + 1));
                }
                self.within.remove(&map.address());
                self.close(']', '}');
            }
            Value::Object(object) => self.object(object.as_ref(), value, verb, depth),
            Value::Func(_) => self.write("0x0"),
        }
    }

    fn object(&mut self, object: &dyn Object, value: &Value, verb: char, depth: usize) {
        let ty = object.go_type();
        if ty.kind == Kind::Pointer {
            if object.is_nil() {
                return match verb {
                    'v' => self.pad(b"<nil>"),
                    _ => self.bad_verb(Some(value), verb),
                };
            }
            // Inside of something else Go would print an address, which most verbs cannot.
            if depth > 0 && !matches!(verb, 'v' | 'b' | 'o' | 'd' | 'x' | 'X') {
                return self.bad_verb(Some(value), verb);
            }
            self.write("&");
        }
        if self.flags.sharp_v {
            self.write(ty.name.trim_start_matches('*'));
        }
        self.write("{");
        for (index, (name, field)) in object.fields().iter().enumerate() {
            self.separate(index);
            if self.flags.plus_v || self.flags.sharp_v {
                self.write(name);
                self.write(":");
            }
            with_room(|| self.value(field, verb, depth + 1));
        }
        self.write("}");
    }

    fn open(&mut self, plain: char, sharp: char) {
        self.write_char(if self.flags.sharp_v { sharp } else { plain });
    }

    fn close(&mut self, plain: char, sharp: char) {
        self.open(plain, sharp);
    }

    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.write(if self.flags.sharp_v { ", " } else { " " });
        }
    }

    pub(super) fn bad_verb(&mut self, value: Option<&Value>, verb: char) {
        let outer = std::mem::replace(&mut self.erroring, true);
        self.write("%!");
        self.write_char(verb);
        self.write("(");
        match value {
            Some(value) => {
                self.write(value.type_name());
                self.write("=");
                self.argument(value, 'v');
            }
            None => self.write("<nil>"),
        }
        self.write(")");
        self.erroring = outer;
    }

    /// Prints bytes as a string.
    pub(super) fn string(&mut self, text: &[u8], verb: char, value: &Value) {
        match verb {
            'v' if self.flags.sharp_v => self.quoted(text),
            'v' | 's' => {
                let text = self.truncate(text);
                self.pad(text);
            }
            'x' | 'X' => self.hex_string(text, verb),
            'q' => self.quoted(text),
            _ => self.bad_verb(Some(value), verb),
        }
    }

    fn bytes(&mut self, bytes: &ByteSlice, verb: char, type_name: &str) {
        match verb {
            'v' | 'd' => {
                if self.flags.sharp_v {
                    self.write(type_name);
                    if bytes.is_nil() {
                        return self.write("(nil)");
                    }
                }
                self.open('[', '{');
                for (index, byte) in bytes.iter().enumerate() {
                    self.separate(index);
                    let byte = u64::from(*byte);
                    self.integer(byte, false, false, 'v', &Value::Uint(UINT8, byte));
                }
                self.close(']', '}');
            }
            's' => {
                let bytes = self.truncate(bytes);
                self.pad(bytes);
            }
            'x' | 'X' => self.hex_string(bytes, verb),
            'q' => self.quoted(bytes),
            _ => {
                if self.flags.sharp_v {
                    self.write("[]uint8");
                }
                self.open('[', '{');
                for (index, byte) in bytes.iter().enumerate() {
                    self.separate(index);
                    let byte = u64::from(*byte);
                    self.integer(byte, false, false, verb, &Value::Uint(UINT8, byte));
                }
                self.close(']', '}');
            }
        }
    }

    /// The first runes, as many as the precision says.
    fn truncate<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let Some(precision) = self.flags.precision else { return text };
        let mut end = 0;
        for _ in 0..precision {
            if end >= text.len() {
                break;
            }
            end += rune_length(&text[end..]);
        }
        &text[..end]
    }

    fn quoted(&mut self, text: &[u8]) {
        let text = self.truncate(text);
        let quoted = match std::str::from_utf8(text) {
            Ok(text) if self.flags.sharp && can_backquote(text) => format!("`{text}`"),
            Ok(text) if self.flags.plus => strconv::quote_to_ascii(text),
            Ok(text) => strconv::quote(text),
            Err(_) => quote_bytes(text, self.flags.plus),
        };
        self.pad(quoted.as_bytes());
    }

    fn hex_string(&mut self, bytes: &[u8], verb: char) {
        const LOWER: &[u8; 17] = b"0123456789abcdefx";
        const UPPER: &[u8; 17] = b"0123456789ABCDEFX";
        let digits = if verb == 'x' { LOWER } else { UPPER };
        let length = self.flags.precision.map_or(bytes.len(), |precision| precision.min(bytes.len()));
        if length == 0 {
            self.padding(self.flags.width.unwrap_or(0));
            return;
        }
        let mut text = Vec::with_capacity(2 * length + 2);
        for (index, byte) in bytes[..length].iter().enumerate() {
            if self.flags.space && index > 0 {
                text.push(b' ');
            }
            if self.flags.sharp && (self.flags.space || index == 0) {
                text.extend_from_slice(&[b'0', digits[16]]);
            }
            text.extend_from_slice(&[digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]]);
        }
        self.pad(&text);
    }

    pub(super) fn padding(&mut self, count: usize) {
        let byte = if self.flags.zero && !self.flags.minus { b'0' } else { b' ' };
        self.out.resize(self.out.len() + count, byte);
    }

    /// Writes text within the width.
    pub(super) fn pad(&mut self, text: &[u8]) {
        let missing = match self.flags.width {
            None | Some(0) => 0,
            Some(width) => width.saturating_sub(rune_count(text)),
        };
        if !self.flags.minus {
            self.padding(missing);
        }
        self.out.extend_from_slice(text);
        if self.flags.minus {
            self.padding(missing);
        }
    }

    /// Like [`Printer::pad`], with spaces whatever the flags say.
    pub(super) fn pad_with_spaces(&mut self, text: &[u8]) {
        let zero = std::mem::replace(&mut self.flags.zero, false);
        self.pad(text);
        self.flags.zero = zero;
    }
}

/// The length of the UTF-8 sequence that starts the bytes, 1 if it is broken.
pub(crate) fn rune_length(bytes: &[u8]) -> usize {
    let length = match bytes[0] {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    if bytes.get(..length).is_some_and(|sequence| std::str::from_utf8(sequence).is_ok()) { length } else { 1 }
}

fn rune_count(bytes: &[u8]) -> usize {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.chars().count();
    }
    let (mut count, mut rest) = (0, bytes);
    while !rest.is_empty() {
        rest = &rest[rune_length(rest)..];
        count += 1;
    }
    count
}

/// `strconv.CanBackquote`.
fn can_backquote(text: &str) -> bool {
    text.chars().all(|c| c == '\t' || c != '\u{feff}' && c != '`' && c != '\x7f' && c >= ' ')
}

/// Quotes a string that is not UTF-8: what is broken shows as `\xff`.
pub(crate) fn quote_bytes(bytes: &[u8], ascii: bool) -> String {
    let mut quoted = String::from('"');
    for chunk in bytes.utf8_chunks() {
        let valid =
            if ascii { strconv::quote_to_ascii(chunk.valid()) } else { strconv::quote(chunk.valid()) };
        quoted.push_str(&valid[1..valid.len() - 1]);
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(quoted, "\\x{byte:02x}");
        }
    }
    quoted.push('"');
    quoted
}
