//! The patterns of `.Files.Glob`: `*` and `?` within one part of a path, `**` across parts, `[a-z]`, `[!abc]`
//! and `{alternatives,of,patterns}`.

use std::collections::BTreeSet;

/// A pattern that could be read.
#[derive(Debug, Clone)]
pub(crate) struct Glob(Vec<Part>);

#[derive(Debug, Clone)]
enum Part {
    Text(String),
    /// `?`
    One,
    /// `*`
    Within,
    /// `**`
    Across,
    /// Any of these characters, or none of them.
    Chars {
        chars: Vec<char>,
        negated: bool,
    },
    Range {
        low: char,
        high: char,
        negated: bool,
    },
    Alternatives(Vec<Vec<Part>>),
}

impl Glob {
    /// Reads a pattern; `None` if it is broken.
    pub(crate) fn parse(pattern: &str) -> Option<Self> {
        let mut parser = Parser { chars: pattern.chars().collect(), at: 0 };
        // Outside of alternatives nothing ends a sequence but the end of the text.
        let (parts, _) = parser.sequence(false)?;
        Some(Self(parts))
    }

    pub(crate) fn matches(&self, path: &str) -> bool {
        ends(&self.0, path, BTreeSet::from([0])).contains(&path.len())
    }
}

struct Parser {
    chars: Vec<char>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    /// Parts up to the end, or within alternatives to `,` or `}`, which is returned.
    fn sequence(&mut self, in_alternatives: bool) -> Option<(Vec<Part>, Option<char>)> {
        let mut parts = Vec::new();
        while let Some(c) = self.next() {
            parts.push(match c {
                ',' | '}' if in_alternatives => return Some((parts, Some(c))),
                '{' => self.alternatives()?,
                '[' => self.class()?,
                '?' => Part::One,
                '*' if self.peek() == Some('*') => {
                    self.at += 1;
                    Part::Across
                }
                '*' => Part::Within,
                _ => {
                    self.at -= 1;
                    Part::Text(self.text(if in_alternatives { "?*[{},".as_bytes() } else { b"?*[{" }))
                }
            });
        }
        Some((parts, None))
    }

    fn alternatives(&mut self) -> Option<Part> {
        let mut alternatives = Vec::new();
        loop {
            let (parts, end) = self.sequence(true)?;
            alternatives.push(parts);
            if end != Some(',') {
                return Some(Part::Alternatives(alternatives));
            }
        }
    }

    fn class(&mut self) -> Option<Part> {
        let negated = self.peek() == Some('!');
        if negated {
            self.at += 1;
        }
        let low = self.peek()?;
        let part = if self.chars.get(self.at + 1) == Some(&'-') {
            self.at += 2;
            let high = self.next()?;
            (low <= high).then_some(Part::Range { low, high, negated })?
        } else {
            let chars: Vec<char> = self.text(b"]").chars().collect();
            (!chars.is_empty()).then_some(Part::Chars { chars, negated })?
        };
        (self.next() == Some(']')).then_some(part)
    }

    /// Plain text; a backslash takes away the next character's meaning.
    fn text(&mut self, stops: &[u8]) -> String {
        let mut text = String::new();
        while let Some(c) = self.peek() {
            if c.is_ascii() && stops.contains(&(c as u8)) {
                break;
            }
            self.at += 1;
            match c {
                '\\' => text.extend(self.next()),
                _ => text.push(c),
            }
        }
        text
    }
}

/// Where the parts can end when they start at one of `starts`.
fn ends(parts: &[Part], path: &str, starts: BTreeSet<usize>) -> BTreeSet<usize> {
    parts.iter().fold(starts, |starts, part| {
        let mut ends_here = BTreeSet::new();
        for start in starts {
            let rest = &path[start..];
            let one = |accepted: &dyn Fn(char) -> bool| {
                rest.chars().next().filter(|c| accepted(*c)).map(|c| start + c.len_utf8())
            };
            match part {
                Part::Text(text) => {
                    ends_here.extend(rest.starts_with(text.as_str()).then_some(start + text.len()));
                }
                Part::One => ends_here.extend(one(&|c| c != '/')),
                Part::Chars { chars, negated } => ends_here.extend(one(&|c| chars.contains(&c) != *negated)),
                Part::Range { low, high, negated } => {
                    ends_here.extend(one(&|c| (*low <= c && c <= *high) != *negated));
                }
                Part::Within => {
                    let length = rest.find('/').unwrap_or(rest.len());
                    ends_here.extend((0..=length).filter(|i| rest.is_char_boundary(*i)).map(|i| start + i));
                }
                Part::Across => {
                    ends_here
                        .extend((0..=rest.len()).filter(|i| rest.is_char_boundary(*i)).map(|i| start + i));
                }
                Part::Alternatives(alternatives) => {
                    for alternative in alternatives {
                        ends_here.extend(ends(alternative, path, BTreeSet::from([start])));
                    }
                }
            }
        }
        ends_here
    })
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn matches_as_gobwas_does() {
        for (pattern, path, expected) in [
            ("*.yaml", "a.yaml", true),
            ("*.yaml", "b/a.yaml", false),
            ("**.yaml", "b/a.yaml", true),
            ("config/**", "config/a/b.txt", true),
            ("config/*", "config/a/b.txt", false),
            ("config/**/x", "config/x", false),
            ("config/{a,b}.{toml,yaml}", "config/b.toml", true),
            ("config/{a,b*}", "config/bcd", true),
            ("{a/**,b}", "a/x/y", true),
            ("a?c", "a/c", false),
            ("a?c", "abc", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[abc]x", "cx", true),
            ("[!abc]x", "dx", true),
            ("a\\*b", "a*b", true),
            ("a\\*b", "axb", false),
            ("é*", "éa", true),
            ("", "", true),
            ("", "a", false),
            ("a}", "a}", true),
            ("a,b", "a,b", true),
            ("{a,b", "b", true),
        ] {
            assert_eq!(
                Glob::parse(pattern).is_some_and(|glob| glob.matches(path)),
                expected,
                "{pattern} {path}"
            );
        }
        for broken in ["[", "[]", "[a-", "[z-a]", "[a-c0-9]", "{[}"] {
            assert!(Glob::parse(broken).is_none(), "{broken}");
        }
    }

    #[test]
    fn many_stars_stay_quick() {
        let glob = Glob::parse(&format!("{}x", "{**,*}a".repeat(30))).unwrap();
        assert!(!glob.matches(&"a".repeat(200)));
    }
}
