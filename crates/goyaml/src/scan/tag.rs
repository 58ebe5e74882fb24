//! Tags, and the `%YAML` and `%TAG` directives.

use super::{Scanner, TokenKind};
use crate::YamlError;

impl<'a> Scanner<'a> {
    pub(super) fn scan_directive(&mut self) -> Result<TokenKind<'a>, YamlError> {
        self.cursor.skip();
        let start = self.cursor.pos();
        self.skip_word()?;
        let name = self.cursor.slice(start, self.cursor.pos());
        if name.is_empty() {
            return Err(self.error("could not find expected directive name"));
        }
        if !self.cursor.is_space_at(self.cursor.pos()) {
            return Err(self.error("found unexpected non-alphabetical character"));
        }
        let kind = match name {
            "YAML" => self.version()?,
            "TAG" => self.tag_prefix()?,
            _ => return Err(self.error("found unknown directive name")),
        };
        self.end_of_line()?;
        Ok(kind)
    }

    fn version(&mut self) -> Result<TokenKind<'a>, YamlError> {
        self.cursor.skip_blanks();
        self.cursor.need(1)?;
        let major = self.version_number()?;
        if self.cursor.peek() != b'.' {
            return Err(self.error("did not find expected digit or '.' character"));
        }
        self.cursor.skip();
        let minor = self.version_number()?;
        Ok(TokenKind::VersionDirective(major, minor))
    }

    fn version_number(&mut self) -> Result<u8, YamlError> {
        self.cursor.need(1)?;
        let (mut value, mut length) = (0, 0);
        while let digit @ b'0'..=b'9' = self.cursor.peek() {
            length += 1;
            if length > 2 {
                return Err(self.error("found extremely long version number"));
            }
            value = value * 10 + (digit - b'0');
            self.cursor.skip();
            self.cursor.need(1)?;
        }
        if length == 0 {
            return Err(self.error("did not find expected version number"));
        }
        Ok(value)
    }

    fn tag_prefix(&mut self) -> Result<TokenKind<'a>, YamlError> {
        self.cursor.skip_blanks();
        self.cursor.need(1)?;
        let handle = self.tag_handle(true)?;
        self.cursor.need(1)?;
        if !self.cursor.is_blank() {
            return Err(self.error("did not find expected whitespace"));
        }
        self.cursor.skip_blanks();
        let prefix = self.tag_uri("")?;
        self.cursor.need(1)?;
        if !self.cursor.is_space_at(self.cursor.pos()) {
            return Err(self.error("did not find expected whitespace or line break"));
        }
        Ok(TokenKind::TagDirective(Box::new((handle, prefix))))
    }

    /// A tag as handle and suffix; `!<…>` and the lone `!` have no handle.
    pub(super) fn scan_tag(&mut self) -> Result<(String, String), YamlError> {
        self.cursor.need(2)?;
        let tag = if self.cursor.peek_at(1) == b'<' {
            self.cursor.move_to(self.cursor.pos() + 2);
            let suffix = self.tag_uri("")?;
            if self.cursor.peek() != b'>' {
                return Err(self.error("did not find the expected '>'"));
            }
            self.cursor.skip();
            (String::new(), suffix)
        } else {
            let handle = self.tag_handle(false)?;
            if handle.len() > 1 && handle.ends_with('!') {
                let suffix = self.tag_uri("")?;
                (handle, suffix)
            } else {
                let suffix = self.tag_uri(&handle)?;
                if suffix.is_empty() { (suffix, handle) } else { ("!".to_owned(), suffix) }
            }
        };
        self.cursor.need(1)?;
        if !self.cursor.is_space_at(self.cursor.pos()) {
            return Err(self.error("did not find expected whitespace or line break"));
        }
        Ok(tag)
    }

    fn tag_handle(&mut self, directive: bool) -> Result<String, YamlError> {
        self.cursor.need(1)?;
        if self.cursor.peek() != b'!' {
            return Err(self.error("did not find expected '!'"));
        }
        let start = self.cursor.pos();
        self.cursor.skip();
        self.skip_word()?;
        if self.cursor.peek() == b'!' {
            self.cursor.skip();
        } else if directive && self.cursor.pos() > start + 1 {
            return Err(self.error("did not find expected '!'"));
        }
        Ok(self.cursor.slice(start, self.cursor.pos()).to_owned())
    }

    /// The characters of a URI; `head` is what a failed attempt to read a handle has already eaten.
    fn tag_uri(&mut self, head: &str) -> Result<String, YamlError> {
        let mut uri = head.as_bytes().get(1..).unwrap_or_default().to_vec();
        let mut any = !head.is_empty();
        self.cursor.need(1)?;
        loop {
            match self.cursor.peek() {
                b'%' => self.uri_escape(&mut uri)?,
                byte @ (b'0'..=b'9'
                | b'A'..=b'Z'
                | b'a'..=b'z'
                | b'_'
                | b'-'
                | b';'
                | b'/'
                | b'?'
                | b':'
                | b'@'
                | b'&'
                | b'='
                | b'+'
                | b'$'
                | b','
                | b'.'
                | b'!'
                | b'~'
                | b'*'
                | b'\''
                | b'('
                | b')'
                | b'['
                | b']') => {
                    uri.push(byte);
                    self.cursor.skip();
                }
                _ => break,
            }
            self.cursor.need(1)?;
            any = true;
        }
        if !any {
            return Err(self.error("did not find expected tag URI"));
        }
        Ok(String::from_utf8(uri).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into()))
    }

    /// One character written as `%xx`, as many of them as its UTF-8 has bytes.
    fn uri_escape(&mut self, uri: &mut Vec<u8>) -> Result<(), YamlError> {
        let mut left = None;
        while left != Some(0) {
            self.cursor.need(3)?;
            let hex = |ahead| char::from(self.cursor.peek_at(ahead)).to_digit(16);
            let (b'%', Some(high), Some(low)) = (self.cursor.peek(), hex(1), hex(2)) else {
                return Err(self.error("did not find URI escaped octet"));
            };
            let octet = (high * 16 + low) as u8;
            left = Some(match left {
                None => match octet {
                    0..0x80 => 0,
                    0xc0..0xe0 => 1,
                    0xe0..0xf0 => 2,
                    0xf0..0xf8 => 3,
                    _ => return Err(self.error("found an incorrect leading UTF-8 octet")),
                },
                Some(_) if octet & 0xc0 != 0x80 => {
                    return Err(self.error("found an incorrect trailing UTF-8 octet"));
                }
                Some(left) => left - 1,
            });
            uri.push(octet);
            self.cursor.move_to(self.cursor.pos() + 3);
        }
        Ok(())
    }
}
