//! Paths with `/` between their parts, cleaned, joined and matched as Go's `path` package does.

use std::borrow::Cow;

/// The shortest path that means the same: no `.`, no inner `..`, no doubled `/`.
pub(crate) fn clean(path: &str) -> String {
    if path.is_empty() {
        return ".".to_owned();
    }
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&last) if last != ".." => {
                    parts.pop();
                }
                _ if rooted => {}
                _ => parts.push(".."),
            },
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

/// Joins the parts that are not empty, and cleans the result; nothing from nothing.
pub(crate) fn join(parts: &[&str]) -> String {
    let joined = parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("/");
    if joined.is_empty() { joined } else { clean(&joined) }
}

/// The last part of a path; `.` for an empty path and `/` for one of slashes only.
pub(crate) fn base(path: &str) -> &str {
    if path.is_empty() {
        return ".";
    }
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() { "/" } else { trimmed.rsplit('/').next().unwrap_or(trimmed) }
}

/// What follows the last dot of the last part, with the dot.
pub(crate) fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rfind('.').map_or("", |dot| &name[dot..])
}

/// A pattern that Go would refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("syntax error in pattern")]
pub struct BadPattern;

/// A shell pattern as Go's `filepath.Match` understands it: `*` and `?` stop at `/`.
#[derive(Debug, Clone)]
pub(crate) struct Pattern(Vec<Token>);

#[derive(Debug, Clone)]
enum Token {
    Literal(char),
    AnyChar,
    Star,
    Class { negated: bool, ranges: Vec<(char, char)> },
}

impl Pattern {
    pub(crate) fn parse(pattern: &str) -> Result<Self, BadPattern> {
        let mut chars = pattern.chars().peekable();
        let mut tokens = Vec::new();
        while let Some(c) = chars.next() {
            tokens.push(match c {
                '*' => Token::Star,
                '?' => Token::AnyChar,
                '\\' => Token::Literal(chars.next().ok_or(BadPattern)?),
                '[' => {
                    let negated = chars.next_if_eq(&'^').is_some();
                    let mut ranges = Vec::new();
                    while ranges.is_empty() || chars.next_if_eq(&']').is_none() {
                        let low = class_char(&mut chars)?;
                        let high =
                            if chars.next_if_eq(&'-').is_some() { class_char(&mut chars)? } else { low };
                        ranges.push((low, high));
                    }
                    Token::Class { negated, ranges }
                }
                _ => Token::Literal(c),
            });
        }
        Ok(Self(tokens))
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        if name.is_ascii() {
            let name = name.as_bytes();
            return matches_from(&self.0, name.len(), |index| char::from(name[index]));
        }
        let name: Vec<char> = name.chars().collect();
        matches_from(&self.0, name.len(), |index| name[index])
    }
}

/// One character of a class; a class must go on after it.
fn class_char(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<char, BadPattern> {
    let c = match chars.next() {
        None | Some('-' | ']') => return Err(BadPattern),
        Some('\\') => chars.next().ok_or(BadPattern)?,
        Some(c) => c,
    };
    if chars.peek().is_none() { Err(BadPattern) } else { Ok(c) }
}

/// Matches with at most one point of return per star: a later star makes the earlier ones final.
fn matches_from(tokens: &[Token], length: usize, at: impl Fn(usize) -> char) -> bool {
    let (mut t, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let stepped = match tokens.get(t) {
            None if n == length => return true,
            None => false,
            Some(Token::Star) => {
                t += 1;
                retry = Some((t, n));
                continue;
            }
            Some(token) => {
                n < length && {
                    let c = at(n);
                    match token {
                        Token::Literal(literal) => *literal == c,
                        Token::AnyChar => c != '/',
                        Token::Class { negated, ranges } => {
                            ranges.iter().any(|&(low, high)| low <= c && c <= high) != *negated
                        }
                        Token::Star => false,
                    }
                }
            }
        };
        if stepped {
            t += 1;
            n += 1;
            continue;
        }
        match retry {
            Some((after_star, from)) if from < length && at(from) != '/' => {
                retry = Some((after_star, from + 1));
                t = after_star;
                n = from + 1;
            }
            _ => return false,
        }
    }
}

/// Go's wording of what the operating system said.
pub(crate) fn io_message(error: &std::io::Error) -> Cow<'static, str> {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "no such file or directory".into(),
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::IsADirectory => "is a directory".into(),
        ErrorKind::NotADirectory => "not a directory".into(),
        ErrorKind::UnexpectedEof => "unexpected EOF".into(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or(&text).to_lowercase().into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cleans_as_go_does() {
        for (path, cleaned) in [
            ("", "."),
            ("a/b/../c", "a/c"),
            ("a//b/./c/", "a/b/c"),
            ("../../a", "../../a"),
            ("a/../..", ".."),
            ("/../a", "/a"),
            ("/", "/"),
        ] {
            assert_eq!(clean(path), cleaned, "{path}");
        }
        assert_eq!(join(&["a", "", "b/../c"]), "a/c");
        assert_eq!((base("a/b/"), base(""), base("//")), ("b", ".", "/"));
        assert_eq!((extension("a.b/c"), extension("x/.tgz"), extension("a.tar.gz")), ("", ".tgz", ".gz"));
    }

    #[test]
    fn matches_as_go_does() {
        for (pattern, name, expected) in [
            ("abc", "abc", true),
            ("*c", "abc", true),
            ("a*", "ab/c", false),
            ("a*/b", "abc/b", true),
            ("a*b*c*d*e*/f", "axbxcxdxexxx/f", true),
            ("a*b*c*d*e*/f", "axbxcxdxexxx/fff", false),
            ("a*b?c*x", "abxbbxdbxebxczzx", true),
            ("a*b?c*x", "abxbbxdbxebxczzy", false),
            ("ab[c]", "abc", true),
            ("ab[^e-g]", "abc", true),
            ("a[^a]b", "a☺b", true),
            ("a???b", "a☺b", false),
            ("a?b", "a/b", false),
            ("[a-ζ]*", "α", true),
            ("*[a-ζ]", "A", false),
            ("[\\]a]", "]", true),
            ("*x", "xxx", true),
            ("templates/.?*", "templates/.hidden", true),
            ("templates/.?*", "templates/.", false),
        ] {
            assert_eq!(Pattern::parse(pattern).map(|p| p.matches(name)), Ok(expected), "{pattern} {name}");
        }
        for bad in ["[]a]", "[-]", "[x-]", "[-x]", "[a-b-c]", "[", "[^", "[^bc", "a[", "\\"] {
            assert!(Pattern::parse(bad).is_err(), "{bad}");
        }
    }
}
