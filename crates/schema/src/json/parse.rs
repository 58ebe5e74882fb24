//! Reads JSON, with the complaints of Go's `encoding/json`.

use goyaml::strconv::quote;

use super::{Text, Tree};

/// How deep collections may nest, so that no document can exhaust the stack.
const MAX_DEPTH: usize = 1000;

/// Why a document is no JSON, in Go's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SyntaxError(String);

type Result<T> = std::result::Result<T, SyntaxError>;

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

/// A collection that is not complete.
enum Open {
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>, String),
}

pub(super) fn parse(text: &str) -> Result<Tree> {
    let mut reader = Reader { text, at: 0 };
    let tree = reader.tree()?;
    reader.space();
    if reader.peek().is_some() { Err(reader.refuse("after top-level value")) } else { Ok(tree) }
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn refuse(&self, place: &str) -> SyntaxError {
        self.peek().map_or_else(
            || SyntaxError("unexpected end of JSON input".to_owned()),
            |byte| SyntaxError(format!("invalid character {} {place}", shown(byte))),
        )
    }

    /// Inside a word or number Go takes the end of the text for a space.
    fn refuse_inside(&self, place: &str) -> SyntaxError {
        SyntaxError(format!("invalid character {} {place}", shown(self.peek().unwrap_or(b' '))))
    }

    fn tree(&mut self) -> Result<Tree> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            self.space();
            let mut complete = match self.peek() {
                Some(b'{') => {
                    self.enter(open.len())?;
                    if self.peek() == Some(b'}') {
                        self.at += 1;
                        Tree::object()
                    } else {
                        open.push(Open::Object(Vec::new(), self.name()?));
                        continue;
                    }
                }
                Some(b'[') => {
                    self.enter(open.len())?;
                    if self.peek() == Some(b']') {
                        self.at += 1;
                        Tree::List(Vec::new())
                    } else {
                        open.push(Open::List(Vec::new()));
                        continue;
                    }
                }
                _ => self.scalar()?,
            };
            loop {
                let Some(innermost) = open.last_mut() else { return Ok(complete) };
                self.space();
                match innermost {
                    Open::List(items) => {
                        items.push(complete);
                        match self.peek() {
                            Some(b',') => {
                                self.at += 1;
                                break;
                            }
                            Some(b']') => complete = Tree::List(std::mem::take(items)),
                            _ => return Err(self.refuse("after array element")),
                        }
                    }
                    Open::Object(entries, name) => {
                        entries.push((std::mem::take(name), complete));
                        match self.peek() {
                            Some(b',') => {
                                self.at += 1;
                                self.space();
                                *name = self.name()?;
                                break;
                            }
                            Some(b'}') => complete = Tree::Object(std::mem::take(entries)),
                            _ => return Err(self.refuse("after object key:value pair")),
                        }
                    }
                }
                self.at += 1;
                open.pop();
            }
        }
    }

    fn enter(&mut self, depth: usize) -> Result<()> {
        if depth >= MAX_DEPTH {
            return Err(SyntaxError("exceeded max depth".to_owned()));
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    /// The name of a field, and the colon.
    fn name(&mut self) -> Result<String> {
        if self.peek() != Some(b'"') {
            return Err(self.refuse("looking for beginning of object key string"));
        }
        let name = self.string()?;
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.refuse("after object key"));
        }
        self.at += 1;
        Ok(name)
    }

    fn scalar(&mut self) -> Result<Tree> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => {
                let value = self.string()?;
                Ok(Tree::String(Text::spelled(value, &self.text[start..self.at])))
            }
            Some(b't') => self.word("true", Tree::Bool(true)),
            Some(b'f') => self.word("false", Tree::Bool(false)),
            Some(b'n') => self.word("null", Tree::Null),
            Some(b'-' | b'0'..=b'9') => {
                self.number()?;
                Ok(Tree::Number(self.text[start..self.at].into()))
            }
            _ => Err(self.refuse("looking for beginning of value")),
        }
    }

    fn word(&mut self, word: &str, tree: Tree) -> Result<Tree> {
        for expected in word.bytes() {
            if self.peek() != Some(expected) {
                let place = format!("in literal {word} (expecting '{}')", char::from(expected));
                return Err(self.refuse_inside(&place));
            }
            self.at += 1;
        }
        Ok(tree)
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at > start
    }

    fn number(&mut self) -> Result<()> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else if !self.digits() {
            return Err(self.refuse_inside("in numeric literal"));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if !self.digits() {
                return Err(self.refuse_inside("after decimal point in numeric literal"));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !self.digits() {
                return Err(self.refuse_inside("in exponent of numeric literal"));
            }
        }
        Ok(())
    }

    fn string(&mut self) -> Result<String> {
        self.at += 1;
        let mut value = String::new();
        let mut start = self.at;
        loop {
            match self.peek() {
                None => return Err(self.refuse("")),
                Some(b'"') => {
                    value.push_str(&self.text[start..self.at]);
                    self.at += 1;
                    return Ok(value);
                }
                Some(b'\\') => {
                    value.push_str(&self.text[start..self.at]);
                    self.at += 1;
                    value.push(self.escape()?);
                    start = self.at;
                }
                Some(0..0x20) => return Err(self.refuse("in string literal")),
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        let c = match self.peek() {
            Some(b'b') => '\x08',
            Some(b'f') => '\x0c',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(byte @ (b'\\' | b'/' | b'"')) => char::from(byte),
            Some(b'u') => {
                self.at += 1;
                return self.code_point();
            }
            _ => return Err(self.refuse_inside("in string escape code")),
        };
        self.at += 1;
        Ok(c)
    }

    /// Four digits, or two times four that make a pair; half a pair is U+FFFD.
    fn code_point(&mut self) -> Result<char> {
        let first = self.hexadecimal()?;
        if let Some(c) = char::from_u32(first) {
            return Ok(c);
        }
        let after = self.at;
        if first < 0xdc00 && self.text[after..].starts_with("\\u") {
            self.at += 2;
            let second = self.hexadecimal()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = after;
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hexadecimal(&mut self) -> Result<u32> {
        let mut code = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(16)) else {
                return Err(self.refuse_inside("in \\u hexadecimal character escape"));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }
}

/// A byte in Go's quotes.
fn shown(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".to_owned(),
        b'"' => "'\"'".to_owned(),
        _ => {
            let quoted = quote(char::from(byte).encode_utf8(&mut [0; 4]));
            format!("'{}'", &quoted[1..quoted.len() - 1])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_gos() {
        let cases = [
            ("", "unexpected end of JSON input"),
            ("  ", "unexpected end of JSON input"),
            (r#"{"a""#, "unexpected end of JSON input"),
            ("\"a", "unexpected end of JSON input"),
            ("tru", "invalid character ' ' in literal true (expecting 'e')"),
            ("-", "invalid character ' ' in numeric literal"),
            ("nul]", "invalid character ']' in literal null (expecting 'l')"),
            ("x", "invalid character 'x' looking for beginning of value"),
            ("{a", "invalid character 'a' looking for beginning of object key string"),
            (r#"{"a" 1}"#, "invalid character '1' after object key"),
            (r#"{"a": 1 "b""#, "invalid character '\"' after object key:value pair"),
            ("[1 2]", "invalid character '2' after array element"),
            ("[1,]", "invalid character ']' looking for beginning of value"),
            (r#"{"a": 1,}"#, "invalid character '}' looking for beginning of object key string"),
            ("{} x", "invalid character 'x' after top-level value"),
            ("01", "invalid character '1' after top-level value"),
            ("1.x", "invalid character 'x' after decimal point in numeric literal"),
            ("1ex", "invalid character 'x' in exponent of numeric literal"),
            ("-x", "invalid character 'x' in numeric literal"),
            (r#""\x""#, "invalid character 'x' in string escape code"),
            (r#""\u00g""#, "invalid character 'g' in \\u hexadecimal character escape"),
            ("\"\n\"", "invalid character '\\n' in string literal"),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text).unwrap_err().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn deep_documents_are_refused() {
        assert!(parse(&"[".repeat(1001)).unwrap_err().to_string().contains("max depth"));
        let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
        assert!(parse(&deep).is_ok());
    }

    #[test]
    fn order_and_doubles_stay() {
        let tree = parse(r#"{"b": 1, "a": [true, null], "b": "\u00e9\ud83d\ude00\ud800"}"#).unwrap();
        let Tree::Object(entries) = &tree else { panic!() };
        assert_eq!(entries.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["b", "a", "b"]);
        assert_eq!(tree.get("b").unwrap().as_str(), Some("é😀\u{fffd}"));
    }
}
