//! Cuts a template's source into tokens, on demand, without copying.

use super::tree::Span;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Error,
    Bool,
    /// A printable character that means nothing else, such as a comma.
    Char,
    CharConstant,
    Complex,
    Assign,
    Declare,
    Eof,
    Field,
    Identifier,
    LeftDelim,
    LeftParen,
    Number,
    Pipe,
    RawString,
    RightDelim,
    RightParen,
    Space,
    String,
    Text,
    Variable,
    Block,
    Break,
    Continue,
    Dot,
    Define,
    Else,
    End,
    If,
    Nil,
    Range,
    Template,
    With,
}

impl Kind {
    fn is_keyword(self) -> bool {
        matches!(
            self,
            Self::Block
                | Self::Break
                | Self::Continue
                | Self::Dot
                | Self::Define
                | Self::Else
                | Self::End
                | Self::If
                | Self::Nil
                | Self::Range
                | Self::Template
                | Self::With
        )
    }

    fn of_word(word: &str) -> Self {
        match word {
            "block" => Self::Block,
            "break" => Self::Break,
            "continue" => Self::Continue,
            "define" => Self::Define,
            "else" => Self::Else,
            "end" => Self::End,
            "if" => Self::If,
            "range" => Self::Range,
            "nil" => Self::Nil,
            "template" => Self::Template,
            "with" => Self::With,
            "true" | "false" => Self::Bool,
            _ => Self::Identifier,
        }
    }
}

/// A token: what it is and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

impl Token {
    fn new(kind: Kind, start: usize, end: usize) -> Self {
        Self { kind, span: Span { start: start as u32, end: end as u32 } }
    }

    /// What stands where no token has been read yet.
    pub(super) const NONE: Self = Self { kind: Kind::Eof, span: Span { start: 0, end: 0 } };
}

impl Lexer<'_> {
    /// A token as Go's parser names it in its errors.
    pub(super) fn describe(&self, token: Token) -> String {
        let text = &self.source[token.span.range()];
        match token.kind {
            Kind::Eof => "EOF".to_owned(),
            Kind::Error => self.complaint.to_string(),
            kind if kind.is_keyword() => format!("<{text}>"),
            _ if text.len() > 10 => {
                let start: String = text.chars().take(10).collect();
                format!("{}...", goyaml::strconv::quote(&start))
            }
            _ => goyaml::strconv::quote(text),
        }
    }
}

/// The scanner.
pub(super) struct Lexer<'s> {
    source: &'s str,
    start: usize,
    position: usize,
    inside_action: bool,
    paren_depth: usize,
    failed: bool,
    /// What is wrong, once there was an error token.
    complaint: Box<str>,
}

const SPACES: [char; 4] = [' ', '\t', '\r', '\n'];

impl<'s> Lexer<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self {
            source,
            start: 0,
            position: 0,
            inside_action: false,
            paren_depth: 0,
            failed: false,
            complaint: Box::default(),
        }
    }

    /// The next token; after the end, or after an error, always the end.
    pub(super) fn next(&mut self) -> Token {
        if self.failed {
            return Token::new(Kind::Eof, self.start, self.start);
        }
        if self.inside_action { self.inside_action() } else { self.text() }
    }

    fn bytes(&self) -> &'s [u8] {
        self.source.as_bytes()
    }

    fn rest(&self) -> &'s str {
        &self.source[self.position..]
    }

    fn peek_char(&self) -> Option<char> {
        match self.bytes().get(self.position) {
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            Some(_) => self.rest().chars().next(),
            None => None,
        }
    }

    fn next_char(&mut self) -> Option<char> {
        let next = self.peek_char()?;
        self.position += next.len_utf8();
        Some(next)
    }

    fn emit(&mut self, kind: Kind) -> Token {
        let token = Token::new(kind, self.start, self.position);
        self.start = self.position;
        token
    }

    fn error(&mut self, message: impl Into<Box<str>>) -> Token {
        self.failed = true;
        self.complaint = message.into();
        Token::new(Kind::Error, self.start, self.start)
    }

    /// Text up to the next `{{`. Comments vanish here.
    fn text(&mut self) -> Token {
        loop {
            let Some(offset) = find(self.rest().as_bytes(), *b"{{") else {
                self.position = self.source.len();
                return if self.position > self.start { self.emit(Kind::Text) } else { self.emit(Kind::Eof) };
            };
            let delim = self.position + offset;
            let trim = has_left_trim_marker(&self.bytes()[delim + 2..]);
            if offset > 0 {
                let text = &self.source[self.start..delim];
                let kept = if trim { text.trim_end_matches(SPACES).len() } else { text.len() };
                self.position = self.start + kept;
                let token = self.emit(Kind::Text);
                self.start = delim;
                self.position = delim;
                if kept > 0 {
                    return token;
                }
            }
            let after = delim + 2 + if trim { 2 } else { 0 };
            if !self.bytes()[after..].starts_with(b"/*") {
                self.position = delim + 2;
                let token = self.emit(Kind::LeftDelim);
                self.inside_action = true;
                self.position = after;
                self.start = after;
                self.paren_depth = 0;
                return token;
            }
            self.start = after;
            let Some(end) = find(&self.bytes()[after + 2..], *b"*/") else {
                return self.error("unclosed comment");
            };
            self.position = after + 2 + end + 2;
            let Some(trim) = self.at_right_delim() else {
                return self.error("comment ends before closing delimiter");
            };
            self.skip_right_delim(trim);
        }
    }

    /// Whether the position is at `}}` or ` -}}`, and if so whether it trims.
    fn at_right_delim(&self) -> Option<bool> {
        match &self.bytes()[self.position..] {
            [space, b'-', b'}', b'}', ..] if is_space_byte(*space) => Some(true),
            [b'}', b'}', ..] => Some(false),
            _ => None,
        }
    }

    fn skip_right_delim(&mut self, trim: bool) {
        if trim {
            self.position += 4;
            self.position += leading_spaces(&self.bytes()[self.position..]);
        } else {
            self.position += 2;
        }
        self.start = self.position;
    }

    fn right_delim(&mut self, trim: bool) -> Token {
        let start = if trim { self.position + 2 } else { self.position };
        let token = Token::new(Kind::RightDelim, start, start + 2);
        self.skip_right_delim(trim);
        self.inside_action = false;
        token
    }

    fn inside_action(&mut self) -> Token {
        if let Some(trim) = self.at_right_delim() {
            if self.paren_depth == 0 {
                return self.right_delim(trim);
            }
            return self.error("unclosed left paren");
        }
        let Some(next) = self.next_char() else {
            return self.error("unclosed action");
        };
        match next {
            ' ' | '\t' | '\r' | '\n' => self.space(),
            '=' => self.emit(Kind::Assign),
            ':' => {
                if self.next_char() == Some('=') {
                    self.emit(Kind::Declare)
                } else {
                    self.error("expected :=")
                }
            }
            '|' => self.emit(Kind::Pipe),
            '"' => self.quoted(b'"', Kind::String, "unterminated quoted string"),
            '\'' => self.quoted(b'\'', Kind::CharConstant, "unterminated character constant"),
            '`' => match memchr::memchr(b'`', self.rest().as_bytes()) {
                Some(end) => {
                    self.position += end + 1;
                    self.emit(Kind::RawString)
                }
                None => self.error("unterminated raw quoted string"),
            },
            '$' => self.field_or_variable(Kind::Variable),
            '.' if self.bytes().get(self.position).is_some_and(|byte| !byte.is_ascii_digit()) => {
                self.field_or_variable(Kind::Field)
            }
            '.' | '+' | '-' | '0'..='9' => {
                self.position = self.start;
                self.number()
            }
            '(' => {
                self.paren_depth += 1;
                self.emit(Kind::LeftParen)
            }
            ')' => {
                if self.paren_depth == 0 {
                    return self.error("unexpected right paren");
                }
                self.paren_depth -= 1;
                self.emit(Kind::RightParen)
            }
            next if is_alphanumeric(next) => self.identifier(),
            ' '..='~' => self.emit(Kind::Char),
            next => self.error(format!("unrecognized character in action: {}", unicode_name(next))),
        }
    }

    /// A run of spaces, of which the first is consumed. The last belongs to a ` -}}` that may follow.
    fn space(&mut self) -> Token {
        self.position += leading_spaces(&self.bytes()[self.position..]);
        let last = self.position - 1;
        if self.bytes()[last + 1..].starts_with(b"-}}") {
            self.position = last;
            if last == self.start {
                return self.right_delim(true);
            }
        }
        self.emit(Kind::Space)
    }

    fn quoted(&mut self, quote: u8, kind: Kind, unterminated: &str) -> Token {
        loop {
            let byte = self.bytes().get(self.position).copied();
            self.position += 1;
            match byte {
                Some(b'\\') => match self.next_char() {
                    None | Some('\n') => return self.error(unterminated),
                    Some(_) => {}
                },
                None | Some(b'\n') => return self.error(unterminated),
                Some(byte) if byte == quote => return self.emit(kind),
                Some(_) => {}
            }
        }
    }

    fn skip_alphanumerics(&mut self) {
        let bytes = self.bytes();
        loop {
            let ascii = bytes[self.position..].iter().take_while(|byte| is_word_byte(**byte)).count();
            self.position += ascii;
            match bytes.get(self.position) {
                Some(byte) if !byte.is_ascii() => match self.peek_char() {
                    Some(next) if is_alphanumeric(next) => self.position += next.len_utf8(),
                    _ => break,
                },
                _ => break,
            }
        }
    }

    fn bad_character(&mut self) -> Token {
        let found = match self.peek_char() {
            Some(next) => unicode_name(next),
            None => "U+FFFFFFFFFFFFFFFF".to_owned(),
        };
        self.error(format!("bad character {found}"))
    }

    fn identifier(&mut self) -> Token {
        self.skip_alphanumerics();
        if !self.at_terminator() {
            return self.bad_character();
        }
        let kind = Kind::of_word(&self.source[self.start..self.position]);
        self.emit(kind)
    }

    /// After a `.` or `$`.
    fn field_or_variable(&mut self, kind: Kind) -> Token {
        if self.at_terminator() {
            return self.emit(if kind == Kind::Variable { Kind::Variable } else { Kind::Dot });
        }
        self.skip_alphanumerics();
        if !self.at_terminator() {
            return self.bad_character();
        }
        self.emit(kind)
    }

    fn at_terminator(&self) -> bool {
        match self.bytes().get(self.position) {
            None | Some(b' ' | b'\t' | b'\r' | b'\n' | b'.' | b',' | b'|' | b':' | b')' | b'(') => true,
            Some(_) => self.bytes()[self.position..].starts_with(b"}}"),
        }
    }

    fn number(&mut self) -> Token {
        if !self.scan_number() {
            return self.bad_number();
        }
        if matches!(self.peek_char(), Some('+' | '-')) {
            if !self.scan_number() || self.bytes()[self.position - 1] != b'i' {
                return self.bad_number();
            }
            return self.emit(Kind::Complex);
        }
        self.emit(Kind::Number)
    }

    fn bad_number(&mut self) -> Token {
        let text = &self.source[self.start..self.position];
        self.error(format!("bad number syntax: {}", goyaml::strconv::quote(text)))
    }

    fn accept(&mut self, valid: &[u8]) -> bool {
        let accepted = self.bytes().get(self.position).is_some_and(|byte| valid.contains(byte));
        self.position += usize::from(accepted);
        accepted
    }

    fn accept_run(&mut self, valid: &[u8]) {
        while self.accept(valid) {}
    }

    fn scan_number(&mut self) -> bool {
        const DECIMAL: &[u8] = b"0123456789_";
        const HEXADECIMAL: &[u8] = b"0123456789abcdefABCDEF_";
        self.accept(b"+-");
        let mut digits = DECIMAL;
        if self.accept(b"0") {
            if self.accept(b"xX") {
                digits = HEXADECIMAL;
            } else if self.accept(b"oO") {
                digits = b"01234567_";
            } else if self.accept(b"bB") {
                digits = b"01_";
            }
        }
        self.accept_run(digits);
        if self.accept(b".") {
            self.accept_run(digits);
        }
        if digits == DECIMAL && self.accept(b"eE") || digits == HEXADECIMAL && self.accept(b"pP") {
            self.accept(b"+-");
            self.accept_run(DECIMAL);
        }
        self.accept(b"i");
        match self.peek_char() {
            Some(next) if is_alphanumeric(next) => {
                self.position += next.len_utf8();
                false
            }
            _ => true,
        }
    }
}

fn find(haystack: &[u8], needle: [u8; 2]) -> Option<usize> {
    let mut from = 0;
    while let Some(offset) = memchr::memchr(needle[0], &haystack[from..]) {
        let at = from + offset;
        if haystack.get(at + 1) == Some(&needle[1]) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

fn is_space_byte(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn leading_spaces(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| is_space_byte(**byte)).count()
}

fn has_left_trim_marker(bytes: &[u8]) -> bool {
    matches!(bytes, [b'-', space, ..] if is_space_byte(*space))
}

fn is_word_byte(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

fn is_alphanumeric(c: char) -> bool {
    if c.is_ascii() { is_word_byte(c as u8) } else { c.is_alphabetic() || c.is_numeric() }
}

/// Go's `%#U`.
fn unicode_name(c: char) -> String {
    let code = format!("U+{:04X}", u32::from(c));
    // What Go finds printable, strconv leaves as it is when quoting.
    let quoted = goyaml::strconv::quote_rune(c);
    let bare = quoted.len() == c.len_utf8() + 2 || matches!(c, '\'' | '\\');
    if bare { format!("{code} '{c}'") } else { code }
}
