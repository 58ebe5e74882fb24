//! Regular expressions that mean the same in Go and in JavaScript.

use std::collections::HashMap;
use std::rc::Rc;

use gotmpl::regexp::Regexp;

/// The expressions of a schema, compiled.
#[derive(Default)]
pub(super) struct Patterns<'s> {
    compiled: HashMap<&'s str, Rc<Regexp>>,
}

impl<'s> Patterns<'s> {
    /// Takes in an expression, if it is one whose meaning is beyond doubt.
    pub(super) fn add(&mut self, pattern: &'s str) -> Option<()> {
        if !self.compiled.contains_key(pattern) {
            if !is_plain(pattern) {
                return None;
            }
            self.compiled.insert(pattern, Regexp::compile(pattern).ok()?);
        }
        Some(())
    }

    /// Whether an expression that was taken in occurs in a text.
    pub(super) fn occurs(&self, pattern: &str, text: &str) -> Option<bool> {
        // A dot, a class or a word may differ on anything else.
        if !text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
            return None;
        }
        self.compiled.get(pattern).map(|compiled| compiled.is_match(text))
    }
}

/// Whether an expression consists of letters, anchors, classes, groups and repetitions only, each written in the way
/// that all engines read alike.
fn is_plain(pattern: &str) -> bool {
    let mut bytes = pattern.bytes().peekable();
    let mut in_class = false;
    while let Some(byte) = bytes.next() {
        let fine = match (byte, in_class) {
            (b'\\', _) => match bytes.next() {
                Some(b'd' | b'w') => true,
                Some(b'-') => in_class,
                Some(escaped) => b".\\/$^*+?()[]{}|".contains(&escaped),
                None => false,
            },
            (b'[', false) => {
                in_class = true;
                bytes.next_if_eq(&b'^');
                // A bracket in front belongs to the class in one engine, and ends it in another.
                bytes.peek() != Some(&b']')
            }
            (b']', true) => {
                in_class = false;
                true
            }
            (b'(', false) => {
                // Nothing but a group that is not captured may begin with a question mark.
                bytes.next_if_eq(&b'?').is_none() || bytes.next_if_eq(&b':').is_some()
            }
            (b'{', false) => is_repetition(&mut bytes),
            // Classes inside of classes and operations on them; what closes something that is not open.
            (b'[' | b'&' | b'~' | b'^', true) | (b'}' | b']', false) => false,
            (byte, _) => byte == b' ' || byte.is_ascii_graphic(),
        };
        if !fine {
            return false;
        }
    }
    !in_class
}

/// Whether `{2}`, `{2,}` or `{2,3}` follows, without its opening brace.
fn is_repetition(bytes: &mut std::iter::Peekable<std::str::Bytes<'_>>) -> bool {
    let mut digits = || std::iter::from_fn(|| bytes.next_if(u8::is_ascii_digit)).count();
    if !(1..=3).contains(&digits()) {
        return false;
    }
    if bytes.next_if_eq(&b',').is_some() {
        let mut digits = || std::iter::from_fn(|| bytes.next_if(u8::is_ascii_digit)).count();
        if digits() > 3 {
            return false;
        }
    }
    bytes.next_if_eq(&b'}').is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_expressions_are_told_from_others() {
        for pattern in [
            "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
            r"^\d{1,3}(\.\d{1,3}){3}$",
            "^(ClusterIP|NodePort)$",
            "^(?:a|b)+?$",
            r"^v[\d.\-]+$",
            "a{2,}",
        ] {
            assert!(is_plain(pattern), "{pattern}");
        }
        for pattern in [
            "(?i)x",
            "(?=x)",
            "(?P<n>x)",
            r"\s",
            r"\bx",
            r"\x41",
            "[[:alpha:]]",
            "[]a]",
            "[^]]",
            "a{",
            "a{,2}",
            "a}",
            "é",
            r"\-",
            "[a&&b]",
            "[a",
            "a\\",
            r"\pL",
            "\n",
            "a]",
        ] {
            assert!(!is_plain(pattern), "{pattern}");
        }
    }

    #[test]
    fn texts_beyond_doubt_are_matched() {
        let mut patterns = Patterns::default();
        patterns.add("^a.c$").unwrap();
        assert_eq!(patterns.add("("), None);
        assert_eq!(patterns.occurs("^a.c$", "abc"), Some(true));
        assert_eq!(patterns.occurs("^a.c$", "abbc"), Some(false));
        assert_eq!(patterns.occurs("^a.c$", "a\nc"), None);
        assert_eq!(patterns.occurs("^a.c$", "aéc"), None);
    }
}
