//! Reads a pattern by Go's rules and writes it in the syntax of the crate `regex`.

use std::fmt::Write as _;

use super::class::{self, NOTHING};
use super::{Problem, SyntaxError};

/// How often a repetition, with those inside it, may be counted out.
const MAX_REPEAT: u32 = 1000;
/// How deep an expression may nest.
const MAX_HEIGHT: u32 = 1000;

/// A pattern in the other syntax, with the names that its groups have in Go.
pub(super) struct Translation {
    pub(super) pattern: String,
    pub(super) names: Vec<Option<Box<str>>>,
}

#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "the flags of a pattern are just that")]
struct Flags {
    fold_case: bool,
    multi_line: bool,
    dot_all: bool,
    swap_greed: bool,
}

/// What is known of an expression that was written: where, and what repeating it again would cost.
#[derive(Clone, Copy)]
struct Atom {
    start: usize,
    repeats: u32,
    height: u32,
    is_repetition: bool,
}

/// A group that is open.
struct Group {
    flags: Flags,
    start: usize,
    captures: bool,
    repeats: u32,
    height: u32,
}

struct Translator<'a> {
    whole: &'a str,
    output: String,
    names: Vec<Option<Box<str>>>,
    flags: Flags,
    groups: Vec<Group>,
    /// The expression a repetition would apply to.
    last: Option<Atom>,
    /// The most any expression in the current group repeats, and how deep it nests.
    repeats: u32,
    height: u32,
}

pub(super) fn translate(pattern: &str) -> Result<Translation, SyntaxError> {
    let flags = Flags { fold_case: false, multi_line: false, dot_all: false, swap_greed: false };
    let mut translator = Translator {
        whole: pattern,
        output: String::with_capacity(pattern.len() + 16),
        names: vec![None],
        flags,
        groups: Vec::new(),
        last: None,
        repeats: 1,
        height: 1,
    };
    let mut rest = pattern;
    let mut last_repeat = "";
    while !rest.is_empty() {
        let before = rest;
        let repeated;
        (rest, repeated) = translator.step(rest, last_repeat)?;
        last_repeat = if repeated { before } else { "" };
    }
    if translator.groups.is_empty() {
        Ok(Translation { pattern: translator.output, names: translator.names })
    } else {
        Err(SyntaxError::new(Problem::MissingParenthesis, pattern))
    }
}

impl<'a> Translator<'a> {
    /// Takes one token off the front; says whether it was a repetition.
    fn step(&mut self, text: &'a str, last_repeat: &'a str) -> Result<(&'a str, bool), SyntaxError> {
        let after = || &text[1..];
        match text.as_bytes()[0] {
            b'(' if text.starts_with("(?") => Ok((self.open_extended(text)?, false)),
            b'(' => {
                self.open(true);
                self.names.push(None);
                Ok((after(), false))
            }
            b'|' => {
                self.output.push('|');
                self.last = None;
                Ok((after(), false))
            }
            b')' => {
                self.close()?;
                Ok((after(), false))
            }
            b'^' => {
                self.atom(if self.flags.multi_line { "(?m:^)" } else { r"\A" });
                Ok((after(), false))
            }
            b'$' => {
                self.atom(if self.flags.multi_line { "(?m:$)" } else { r"\z" });
                Ok((after(), false))
            }
            b'.' => {
                self.atom(if self.flags.dot_all { "(?s:.)" } else { r"[^\n]" });
                Ok((after(), false))
            }
            b'[' => {
                let (class, rest) = class::take_class(text)?;
                self.class(&class);
                Ok((rest, false))
            }
            sign @ (b'*' | b'+' | b'?') => {
                let rest = self.repeat(text, after(), last_repeat, None, char::from(sign))?;
                Ok((rest, true))
            }
            b'{' => match take_counts(text) {
                None => {
                    self.literal(u32::from('{'));
                    Ok((after(), false))
                }
                Some((counts, rest)) => {
                    let counts = counts
                        .filter(|(min, max)| {
                            *min <= MAX_REPEAT && max.is_none_or(|max| max <= MAX_REPEAT && *min <= max)
                        })
                        .ok_or_else(|| {
                            SyntaxError::new(Problem::RepeatCount, &text[..text.len() - rest.len()])
                        })?;
                    Ok((self.repeat(text, rest, last_repeat, Some(counts), '{')?, true))
                }
            },
            b'\\' => Ok((self.escape(text)?, false)),
            _ => {
                let mut characters = text.chars();
                if let Some(character) = characters.next() {
                    self.literal(u32::from(character));
                }
                Ok((characters.as_str(), false))
            }
        }
    }

    fn escape(&mut self, text: &'a str) -> Result<&'a str, SyntaxError> {
        let assertion = match text.as_bytes().get(1) {
            Some(b'A') => Some(r"\A"),
            Some(b'b') => Some(r"(?-u:\b)"),
            Some(b'B') => Some(r"(?-u:\B)"),
            Some(b'z') => Some(r"\z"),
            Some(b'C') => return Err(SyntaxError::new(Problem::Escape, &text[..2])),
            Some(b'Q') => {
                let (literal, rest) = text[2..].split_once(r"\E").unwrap_or((&text[2..], ""));
                literal.chars().for_each(|c| self.literal(u32::from(c)));
                return Ok(rest);
            }
            _ => None,
        };
        if let Some(assertion) = assertion {
            self.atom(assertion);
            return Ok(&text[2..]);
        }
        if let Some((class, rest)) = class::take_unicode(text)?.or_else(|| class::take_perl(text)) {
            self.class(&class);
            return Ok(rest);
        }
        let (character, rest) = take_escape(text)?;
        self.literal(character);
        Ok(rest)
    }

    fn atom(&mut self, written: &str) {
        let start = self.output.len();
        self.output.push_str(written);
        self.last = Some(Atom { start, repeats: 1, height: 1, is_repetition: false });
    }

    fn class(&mut self, class: &str) {
        if self.flags.fold_case {
            self.atom(&format!("(?i:{class})"));
        } else {
            self.atom(class);
        }
    }

    fn literal(&mut self, character: u32) {
        let start = self.output.len();
        match char::from_u32(character) {
            // A surrogate, which no text has.
            None => self.output.push_str(NOTHING),
            Some(c) if self.flags.fold_case && c.is_alphabetic() => {
                let _ = write!(self.output, "(?i:{c})");
            }
            Some(c) if c.is_ascii_alphanumeric() || !c.is_ascii() => self.output.push(c),
            Some(c) => {
                let _ = write!(self.output, r"\x{{{:x}}}", u32::from(c));
            }
        }
        self.last = Some(Atom { start, repeats: 1, height: 1, is_repetition: false });
    }

    fn open(&mut self, captures: bool) {
        self.groups.push(Group {
            flags: self.flags,
            start: self.output.len(),
            captures,
            repeats: self.repeats,
            height: self.height,
        });
        self.output.push_str(if captures { "(" } else { "(?:" });
        self.last = None;
        (self.repeats, self.height) = (1, 1);
    }

    fn close(&mut self) -> Result<(), SyntaxError> {
        let group =
            self.groups.pop().ok_or_else(|| SyntaxError::new(Problem::UnexpectedParenthesis, self.whole))?;
        self.output.push(')');
        self.flags = group.flags;
        let height = self.height + 1 + u32::from(group.captures);
        let atom = Atom { start: group.start, repeats: self.repeats, height, is_repetition: false };
        (self.repeats, self.height) = (group.repeats, group.height);
        self.settle(atom)
    }

    /// Takes a finished expression into the account of its group.
    fn settle(&mut self, atom: Atom) -> Result<(), SyntaxError> {
        if atom.height > MAX_HEIGHT {
            return Err(SyntaxError::new(Problem::TooDeep, self.whole));
        }
        self.repeats = self.repeats.max(atom.repeats);
        self.height = self.height.max(atom.height);
        self.last = Some(atom);
        Ok(())
    }

    /// Applies a repetition that stands at `before` and ends at `after` to the last expression.
    fn repeat(
        &mut self,
        before: &'a str,
        after: &'a str,
        last_repeat: &str,
        counts: Option<(u32, Option<u32>)>,
        sign: char,
    ) -> Result<&'a str, SyntaxError> {
        let mut lazy = self.flags.swap_greed;
        let mut rest = after;
        if let Some(after_mark) = rest.strip_prefix('?') {
            rest = after_mark;
            lazy = !lazy;
        }
        if !last_repeat.is_empty() {
            let operators = &last_repeat[..last_repeat.len() - rest.len()];
            return Err(SyntaxError::new(Problem::NestedRepetition, operators));
        }
        let operator = &before[..before.len() - rest.len()];
        let Some(mut atom) = self.last else {
            return Err(SyntaxError::new(Problem::MissingRepeatArgument, operator));
        };
        if atom.is_repetition {
            self.output.insert_str(atom.start, "(?:");
            self.output.push(')');
        }
        match counts {
            None => self.output.push(sign),
            Some((min, max)) => {
                let _ = match max {
                    Some(max) => write!(self.output, "{{{min},{max}}}"),
                    None => write!(self.output, "{{{min},}}"),
                };
                atom.repeats = match max.unwrap_or(min) {
                    0 if max.is_some() => 0,
                    0 => atom.repeats,
                    times => atom.repeats.saturating_mul(times),
                };
                if (min >= 2 || max.is_some_and(|max| max >= 2)) && atom.repeats > MAX_REPEAT {
                    return Err(SyntaxError::new(Problem::RepeatCount, operator));
                }
            }
        }
        if lazy {
            self.output.push('?');
        }
        atom.height += 1;
        atom.is_repetition = true;
        self.settle(atom)?;
        Ok(rest)
    }

    /// Reads `(?flags)`, `(?flags:`, `(?P<name>` or `(?<name>`.
    fn open_extended(&mut self, text: &'a str) -> Result<&'a str, SyntaxError> {
        let name_start = if text.len() > 4 && text.starts_with("(?P<") {
            4
        } else if text.len() > 3 && text.starts_with("(?<") {
            3
        } else {
            return self.set_flags(text);
        };
        let end = text.find('>').ok_or_else(|| SyntaxError::new(Problem::NamedCapture, text))?;
        let name = &text[name_start..end];
        if name.is_empty() || !name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric()) {
            return Err(SyntaxError::new(Problem::NamedCapture, &text[..=end]));
        }
        self.open(true);
        self.names.push(Some(name.into()));
        Ok(&text[end + 1..])
    }

    fn set_flags(&mut self, text: &'a str) -> Result<&'a str, SyntaxError> {
        let mut flags = self.flags;
        let mut on = true;
        let mut seen = false;
        let mut characters = text[2..].chars();
        while let Some(character) = characters.next() {
            match character {
                'i' => (flags.fold_case, seen) = (on, true),
                'm' => (flags.multi_line, seen) = (on, true),
                's' => (flags.dot_all, seen) = (on, true),
                'U' => (flags.swap_greed, seen) = (on, true),
                '-' if on => (on, seen) = (false, false),
                ':' | ')' if on || seen => {
                    if character == ':' {
                        self.open(false);
                    }
                    self.flags = flags;
                    return Ok(characters.as_str());
                }
                _ => break,
            }
        }
        let rest = characters.as_str();
        Err(SyntaxError::new(Problem::PerlSyntax, &text[..text.len() - rest.len()]))
    }
}

/// The bounds of a counted repetition.
type Counts = (u32, Option<u32>);

/// Takes `{n}`, `{n,}` or `{n,m}` off the front. Counts too big to be read are no counts.
fn take_counts(text: &str) -> Option<(Option<Counts>, &str)> {
    let (min, rest) = take_count(text.strip_prefix('{')?)?;
    let Some(rest) = rest.strip_prefix(',') else {
        return Some((min.map(|min| (min, Some(min))), rest.strip_prefix('}')?));
    };
    if let Some(rest) = rest.strip_prefix('}') {
        return Some((min.map(|min| (min, None)), rest));
    }
    let (max, rest) = take_count(rest)?;
    Some((min.and_then(|min| Some((min, Some(max?)))), rest.strip_prefix('}')?))
}

fn take_count(text: &str) -> Option<(Option<u32>, &str)> {
    let (digits, rest) = text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
    if digits.is_empty() || digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    Some((digits.parse().ok(), rest))
}

/// Takes an escaped character off the front.
pub(super) fn take_escape(text: &str) -> Result<(u32, &str), SyntaxError> {
    let mut characters = text[1..].chars();
    let Some(character) = characters.next() else {
        return Err(SyntaxError::new(Problem::TrailingBackslash, ""));
    };
    let rest = characters.as_str();
    let octal = |text: &str| text.bytes().next().is_some_and(|b| (b'0'..=b'7').contains(&b));
    let value = match character {
        '1'..='7' if !octal(rest) => None,
        '0'..='7' => {
            let length = rest.bytes().take(2).take_while(|b| (b'0'..=b'7').contains(b)).count();
            let digits = &text[1..2 + length];
            return Ok((u32::from_str_radix(digits, 8).unwrap_or(0), &rest[length..]));
        }
        'x' => return take_hexadecimal(text, rest),
        'a' => Some(0x07),
        'f' => Some(0x0c),
        'n' => Some(0x0a),
        'r' => Some(0x0d),
        't' => Some(0x09),
        'v' => Some(0x0b),
        c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(u32::from(c)),
        _ => None,
    };
    match value {
        Some(value) => Ok((value, rest)),
        None => Err(SyntaxError::new(Problem::Escape, &text[..text.len() - rest.len()])),
    }
}

/// Takes what follows `\x`: two digits, or any number of them in braces.
fn take_hexadecimal<'a>(text: &'a str, digits: &'a str) -> Result<(u32, &'a str), SyntaxError> {
    let invalid = |rest: &str| Err(SyntaxError::new(Problem::Escape, &text[..text.len() - rest.len()]));
    let mut characters = digits.chars();
    if !digits.starts_with('{') {
        let (high, low) = (characters.next(), characters.next());
        let rest = characters.as_str();
        return match (high.and_then(|c| c.to_digit(16)), low.and_then(|c| c.to_digit(16))) {
            (Some(high), Some(low)) => Ok((high * 16 + low, rest)),
            _ => invalid(rest),
        };
    }
    characters.next();
    let mut value = 0;
    let mut any = false;
    loop {
        match characters.next() {
            Some('}') if any => return Ok((value, characters.as_str())),
            Some(character) => {
                let digit = character.to_digit(16).map(|digit| value * 16 + digit);
                match digit.filter(|value| *value <= 0x10_ffff) {
                    Some(read) => (value, any) = (read, true),
                    None => return invalid(characters.as_str()),
                }
            }
            None => return invalid(""),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Regexp;

    fn matches(pattern: &str, text: &str) -> bool {
        Regexp::compile(pattern).unwrap_or_else(|e| panic!("{pattern}: {e}")).is_match(text)
    }

    #[test]
    fn errors_are_go_s() {
        for (pattern, message) in [
            ("a**", "invalid nested repetition operator: `**`"),
            ("a{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
            ("*a", "missing argument to repetition operator: `*`"),
            ("(|*)", "missing argument to repetition operator: `*`"),
            ("a{1001}", "invalid repeat count: `{1001}`"),
            ("a{2,1}", "invalid repeat count: `{2,1}`"),
            ("(a{100}){100}", "invalid repeat count: `{100}`"),
            ("(ab", "missing closing ): `(ab`"),
            ("ab)", "unexpected ): `ab)`"),
            ("[a", "missing closing ]: `[a`"),
            ("[z-a]", "invalid character class range: `z-a`"),
            ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
            (r"\p{Foo}", r"invalid character class range: `\p{Foo}`"),
            (r"\", "trailing backslash at end of expression: ``"),
            (r"\1", r"invalid escape sequence: `\1`"),
            (r"\C", r"invalid escape sequence: `\C`"),
            (r"\x{110000}", r"invalid escape sequence: `\x{110000`"),
            (r"\é", r"invalid escape sequence: `\é`"),
            ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
            ("(?i-)", "invalid or unsupported Perl syntax: `(?i-)`"),
            ("(?P<a", "invalid named capture: `(?P<a`"),
            ("(?P<a-b>x)", "invalid named capture: `(?P<a-b>`"),
        ] {
            let error = Regexp::compile(pattern).unwrap_err().to_string();
            assert_eq!(error, format!("error parsing regexp: {message}"), "{pattern}");
        }
    }

    #[test]
    fn what_the_engines_read_differently_means_what_it_means_in_go() {
        for (pattern, inside, outside) in [
            (r"^\d$", "7", "\u{661}"),
            (r"^\w$", "a", "é"),
            (r"^\s$", "\u{c}", "\u{b}"),
            (r"^[[]$", "[", "a"),
            (r"^[^[]$", "a", "["),
            (r"^\Qa.b\E*$", "a.bb", "axb"),
            (r"^[a&&b]$", "&", "c"),
            (r"^[+--]$", ",", "a"),
            (r"^[a~~b]$", "~", "c"),
            (r"^a{,2}$", "a{,2}", "aa"),
            (r"^[]a]$", "]", "b"),
            (r"^a$", "a", "a\n"),
            (r"(?m)^b$", "a\nb", "ab"),
            (r"^.$", "é", "\n"),
            (r"(?s)^.$", "\n", "ab"),
            (r"(?i)^K$", "\u{212a}", "l"),
            (r"(?i)^\W$", "-", "\u{212a}"),
            (r"a(?i)*b", "aaB", "c"),
            (r"^(?:a+(?i)?)b$", "b", "c"),
            (r"^\p{Greek}$", "α", "a"),
            (r"^\pN$", "٣", "a"),
            (r"^\P{^Lu}$", "A", "a"),
            (r"^[[:^digit:]\n]$", "a", "1"),
            (r"^[\x{d800}a]$", "a", "b"),
            (r"^\101$", "A", "1"),
            (r"^\b$|^x$", "x", ""),
        ] {
            assert!(matches(pattern, inside), "{pattern} should match {inside:?}");
            assert!(!matches(pattern, outside), "{pattern} should not match {outside:?}");
        }
    }
}
