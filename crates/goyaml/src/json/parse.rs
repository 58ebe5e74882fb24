//! A JSON reader with the error messages of `encoding/json`.

use super::Error;
use crate::Value;
use crate::strconv::quote;
use crate::value::MAX_DEPTH;

/// What a text is read into: a value for each scalar, and for each collection of values.
pub trait Build<'t> {
    /// The values.
    type Value;

    /// `null`
    fn null(&mut self) -> Self::Value;
    /// `true` or `false`
    fn bool(&mut self, value: bool) -> Self::Value;
    /// A number, by its digits.
    fn number(&mut self, digits: &'t str) -> Self::Value;
    /// A string, and how it stands in the text, quotes included.
    fn string(&mut self, value: String, spelling: &'t str) -> Self::Value;
    /// An array.
    fn array(&mut self, items: Vec<Self::Value>) -> Self::Value;
    /// An object, its fields in the order of the text; a name may stand there twice.
    fn object(&mut self, entries: Vec<(String, Self::Value)>) -> Self::Value;
}

/// Reads one JSON text.
pub fn build<'t, B: Build<'t>>(text: &'t str, builder: &mut B) -> Result<B::Value, Error> {
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0 };
    let value = reader.value(builder)?;
    reader.skip_space();
    if reader.at < reader.bytes.len() {
        return Err(reader.unexpected("after top-level value"));
    }
    Ok(value)
}

/// Reads one JSON text as Go reads it into an `interface{}`.
pub(super) fn parse(text: &str) -> Result<Value, Error> {
    let mut values = Values { too_large: None };
    let value = build(text, &mut values)?;
    match values.too_large {
        Some(number) => {
            Err(Error::new(format!("json: cannot unmarshal number {number} into Go value of type float64")))
        }
        None => Ok(value),
    }
}

struct Values<'t> {
    /// The first number beyond `float64`, which Go notices only when the syntax has been checked.
    too_large: Option<&'t str>,
}

impl<'t> Build<'t> for Values<'t> {
    type Value = Value;

    fn null(&mut self) -> Value {
        Value::Null
    }

    fn bool(&mut self, value: bool) -> Value {
        Value::Bool(value)
    }

    fn number(&mut self, digits: &'t str) -> Value {
        if self.too_large.is_none() && !digits.parse::<f64>().is_ok_and(f64::is_finite) {
            self.too_large = Some(digits);
        }
        Value::Number(digits.into())
    }

    fn string(&mut self, value: String, _: &'t str) -> Value {
        Value::String(value)
    }

    fn array(&mut self, items: Vec<Value>) -> Value {
        Value::Sequence(items)
    }

    fn object(&mut self, entries: Vec<(String, Value)>) -> Value {
        Value::Mapping(entries.into_iter().collect())
    }
}

/// Whether `text` is a JSON number.
pub(super) fn is_number(text: &str) -> bool {
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0 };
    matches!(reader.peek(), Some(b'-' | b'0'..=b'9')) && reader.number().is_ok() && reader.at == text.len()
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

/// An array or object that is not finished.
enum Frame<V> {
    Array(Vec<V>),
    Object(Vec<(String, V)>, String),
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// The error for the byte here; where the text ends, Go pretends that a space follows.
    fn unexpected(&self, context: &str) -> Error {
        match self.peek() {
            Some(byte) => invalid(byte, context),
            None => end_of_input(),
        }
    }

    /// Like `unexpected`, for places where the pretended space is an error of its own.
    fn unexpected_inside(&self, context: &str) -> Error {
        invalid(self.peek().unwrap_or(b' '), context)
    }

    fn value<B: Build<'a>>(&mut self, builder: &mut B) -> Result<B::Value, Error> {
        let mut stack: Vec<Frame<B::Value>> = Vec::new();
        loop {
            self.skip_space();
            let mut done = match self.peek() {
                Some(b'{') => {
                    self.open(stack.len())?;
                    self.skip_space();
                    if self.peek() == Some(b'}') {
                        self.at += 1;
                        builder.object(Vec::new())
                    } else {
                        let key = self.key()?;
                        stack.push(Frame::Object(Vec::new(), key));
                        continue;
                    }
                }
                Some(b'[') => {
                    self.open(stack.len())?;
                    self.skip_space();
                    if self.peek() == Some(b']') {
                        self.at += 1;
                        builder.array(Vec::new())
                    } else {
                        stack.push(Frame::Array(Vec::new()));
                        continue;
                    }
                }
                _ => self.scalar(builder)?,
            };
            // Everything that this value completes.
            loop {
                let Some(frame) = stack.last_mut() else { return Ok(done) };
                self.skip_space();
                match frame {
                    Frame::Array(items) => {
                        items.push(done);
                        match self.peek() {
                            Some(b',') => {
                                self.at += 1;
                                break;
                            }
                            Some(b']') => {
                                self.at += 1;
                                done = builder.array(std::mem::take(items));
                            }
                            _ => return Err(self.unexpected("after array element")),
                        }
                    }
                    Frame::Object(entries, key) => {
                        entries.push((std::mem::take(key), done));
                        match self.peek() {
                            Some(b',') => {
                                self.at += 1;
                                self.skip_space();
                                *key = self.key()?;
                                break;
                            }
                            Some(b'}') => {
                                self.at += 1;
                                done = builder.object(std::mem::take(entries));
                            }
                            _ => return Err(self.unexpected("after object key:value pair")),
                        }
                    }
                }
                stack.pop();
            }
        }
    }

    fn open(&mut self, depth: usize) -> Result<(), Error> {
        if depth >= MAX_DEPTH {
            return Err(self.unexpected("exceeded max depth"));
        }
        self.at += 1;
        Ok(())
    }

    /// A key and the colon after it.
    fn key(&mut self) -> Result<String, Error> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("looking for beginning of object key string"));
        }
        let key = self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected("after object key"));
        }
        self.at += 1;
        Ok(key)
    }

    fn scalar<B: Build<'a>>(&mut self, builder: &mut B) -> Result<B::Value, Error> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => {
                let value = self.string()?;
                Ok(builder.string(value, &self.text[start..self.at]))
            }
            Some(b't') => self.literal("true").map(|()| builder.bool(true)),
            Some(b'f') => self.literal("false").map(|()| builder.bool(false)),
            Some(b'n') => self.literal("null").map(|()| builder.null()),
            Some(b'-' | b'0'..=b'9') => self.number().map(|digits| builder.number(digits)),
            _ => Err(self.unexpected("looking for beginning of value")),
        }
    }

    fn literal(&mut self, word: &str) -> Result<(), Error> {
        for expected in word.bytes() {
            if self.peek() != Some(expected) {
                let context = format!("in literal {word} (expecting '{}')", char::from(expected));
                return Err(self.unexpected_inside(&context));
            }
            self.at += 1;
        }
        Ok(())
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
    }

    fn number(&mut self) -> Result<&'a str, Error> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.unexpected_inside("in numeric literal")),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if !matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.unexpected_inside("after decimal point in numeric literal"));
            }
            self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !matches!(self.peek(), Some(b'0'..=b'9')) {
                return Err(self.unexpected_inside("in exponent of numeric literal"));
            }
            self.digits();
        }
        Ok(&self.text[start..self.at])
    }

    fn string(&mut self) -> Result<String, Error> {
        self.at += 1;
        let mut text = String::new();
        let mut start = self.at;
        loop {
            match self.peek() {
                None => return Err(end_of_input()),
                Some(b'"') => {
                    text.push_str(&self.text[start..self.at]);
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    text.push_str(&self.text[start..self.at]);
                    self.at += 1;
                    text.push(self.escape()?);
                    start = self.at;
                }
                Some(0..0x20) => return Err(self.unexpected("in string literal")),
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<char, Error> {
        let c = match self.peek() {
            Some(b'b') => '\x08',
            Some(b'f') => '\x0c',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(byte @ (b'\\' | b'/' | b'"')) => char::from(byte),
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape();
            }
            _ => return Err(self.unexpected_inside("in string escape code")),
        };
        self.at += 1;
        Ok(c)
    }

    /// Four hexadecimal digits, or eight that spell a surrogate pair; half a pair reads as U+FFFD.
    fn unicode_escape(&mut self) -> Result<char, Error> {
        let first = self.hex()?;
        if let Some(c) = char::from_u32(first) {
            return Ok(c);
        }
        let resume = self.at;
        if first < 0xdc00 && self.bytes[self.at..].starts_with(b"\\u") {
            self.at += 2;
            let second = self.hex()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or('\u{fffd}'));
            }
            self.at = resume;
        }
        Ok('\u{fffd}')
    }

    fn hex(&mut self) -> Result<u32, Error> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.unexpected_inside("in \\u hexadecimal character escape"));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }
}

fn end_of_input() -> Error {
    Error::new("unexpected end of JSON input")
}

fn invalid(byte: u8, context: &str) -> Error {
    let shown = match byte {
        b'\'' => r"'\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        _ => {
            let quoted = quote(char::from(byte).encode_utf8(&mut [0; 4]));
            format!("'{}'", &quoted[1..quoted.len() - 1])
        }
    };
    Error::new(format!("invalid character {shown} {context}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_go_says() {
        let cases = [
            ("", "unexpected end of JSON input"),
            ("{", "unexpected end of JSON input"),
            ("{\"a\"", "unexpected end of JSON input"),
            ("\"a", "unexpected end of JSON input"),
            ("x", "invalid character 'x' looking for beginning of value"),
            ("'", r"invalid character '\'' looking for beginning of value"),
            ("\n\u{e9}", "invalid character 'Ã' looking for beginning of value"),
            ("{a", "invalid character 'a' looking for beginning of object key string"),
            ("{\"a\" 1", "invalid character '1' after object key"),
            ("{\"a\":1 2", "invalid character '2' after object key:value pair"),
            ("[1 2", "invalid character '2' after array element"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            ("{\"a\":1,}", "invalid character '}' looking for beginning of object key string"),
            ("1 2", "invalid character '2' after top-level value"),
            ("01", "invalid character '1' after top-level value"),
            ("-", "invalid character ' ' in numeric literal"),
            ("1.", "invalid character ' ' after decimal point in numeric literal"),
            ("1ex", "invalid character 'x' in exponent of numeric literal"),
            ("tru", "invalid character ' ' in literal true (expecting 'e')"),
            ("nil", "invalid character 'i' in literal null (expecting 'u')"),
            ("\"\n\"", r"invalid character '\n' in string literal"),
            (r#""\x""#, "invalid character 'x' in string escape code"),
            (r#""\u12g""#, r"invalid character 'g' in \u hexadecimal character escape"),
            ("1e999", "json: cannot unmarshal number 1e999 into Go value of type float64"),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text).unwrap_err().to_string(), expected, "{text:?}");
        }
    }

    #[test]
    fn strings() {
        let parsed = parse(r#""\ud83d\ude00\ud800x\ud800A\/""#).unwrap();
        assert_eq!(parsed, Value::from("😀\u{fffd}x\u{fffd}A/"));
    }
}
