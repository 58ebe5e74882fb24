//! The head of a manifest whose lines can be understood one by one, as those of nearly all can: it is found without
//! taking the text apart into tokens.
//!
//! Only a small part of YAML is accepted, in which nothing is left to be interpreted: ASCII, block collections, keys
//! of letters, scalars that end with their line, literal blocks, short lists in brackets. What does not belong to it
//! may be in order all the same, and is left to the skimmer of events.

use std::borrow::Cow;

use super::Head;
use super::skim::Skimmer;
use crate::resolve::{Resolved, resolve};

/// Longer keys and deeper nesting are for others to judge.
const MAX_KEY: usize = 256;
const MAX_LEVELS: usize = 64;

/// An open collection, and the column in which its keys or dashes stand.
#[derive(Clone, Copy)]
struct Level {
    column: usize,
    is_sequence: bool,
    /// Whether the skimmer is told of it.
    is_watched: bool,
}

/// A value that has not come yet: that of a key or of a dash in some column, or the whole document.
#[derive(Clone, Copy)]
struct Awaited {
    column: Option<usize>,
    is_item: bool,
    is_watched: bool,
}

/// Lines on their way to a head.
struct Lines<'t> {
    text: &'t str,
    /// Where the next line begins.
    next: usize,
    levels: Vec<Level>,
    awaited: Option<Awaited>,
    skimmer: Skimmer,
}

/// The head, or `None` where only others can tell.
pub(super) fn skim(text: &str) -> Option<Head> {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n');
    if !text.as_bytes().chunks(128).all(|chunk| chunk.iter().fold(true, |all, byte| all & plain(byte))) {
        return None;
    }
    let document = Awaited { column: None, is_item: true, is_watched: true };
    let mut lines = Lines {
        text,
        next: 0,
        levels: Vec::with_capacity(16),
        awaited: Some(document),
        skimmer: Skimmer::default(),
    };
    while let Some(line) = lines.line() {
        lines.content(line)?;
    }
    if lines.levels.is_empty() {
        return None;
    }
    lines.nothing()?;
    Some(lines.skimmer.head)
}

impl<'t> Lines<'t> {
    /// The next line that says something.
    fn line(&mut self) -> Option<&'t str> {
        loop {
            let line = self.peek()?;
            self.next += line.len() + 1;
            let content = line.trim_start_matches(' ');
            if !content.is_empty() && !content.starts_with('#') {
                return Some(line.trim_end_matches(' '));
            }
        }
    }

    /// The next line, whatever it is.
    fn peek(&self) -> Option<&'t str> {
        let rest = self.text.get(self.next..).filter(|rest| !rest.is_empty())?;
        Some(memchr::memchr(b'\n', rest.as_bytes()).map_or(rest, |end| &rest[..end]))
    }

    fn content(&mut self, line: &'t str) -> Option<()> {
        let mut column = indent(line);
        if column == 0 && (line.starts_with("---") || line.starts_with("...")) {
            return None;
        }
        let mut rest = &line[column..];
        let mut item = None;
        while let Some(after) =
            rest.strip_prefix('-').filter(|after| after.is_empty() || after.starts_with(' '))
        {
            self.dash(column)?;
            item = Some(column);
            let content = after.trim_start_matches(' ');
            if content.is_empty() || content.starts_with('#') {
                return Some(());
            }
            column += rest.len() - content.len();
            rest = content;
        }
        if let Some((key, is_plain, value)) = key(rest) {
            return self.entry(column, key, is_plain, value);
        }
        // Anything else would go on from the line before.
        self.awaited = None;
        self.value(rest, item?, false)
    }

    /// A dash begins or continues a sequence, whose item is then awaited.
    fn dash(&mut self, column: usize) -> Option<()> {
        match self.awaited {
            Some(awaited)
                if awaited.column < Some(column) || !awaited.is_item && awaited.column == Some(column) =>
            {
                self.open(Level { column, is_sequence: true, is_watched: awaited.is_watched })?;
            }
            _ => {
                self.nothing()?;
                self.close(|level| level.column > column);
                self.levels.last().filter(|level| level.column == column && level.is_sequence)?;
            }
        }
        self.awaited = Some(Awaited { column: Some(column), is_item: true, is_watched: false });
        Some(())
    }

    /// A key begins or continues a mapping.
    fn entry(&mut self, column: usize, key: &'t str, is_plain: bool, value: &'t str) -> Option<()> {
        let is_watched = match self.awaited {
            Some(awaited) if awaited.column < Some(column) => {
                self.open(Level { column, is_sequence: false, is_watched: awaited.is_watched })?;
                awaited.is_watched
            }
            _ => {
                self.nothing()?;
                self.close(|level| level.column > column || level.column == column && level.is_sequence);
                self.levels.last().filter(|level| level.column == column)?.is_watched
            }
        };
        let is_watched = if is_watched {
            self.skimmer.scalar(Cow::Borrowed(key), is_plain).then_some(())?;
            !self.skimmer.passes_over()
        } else if key.eq_ignore_ascii_case("null") {
            return None;
        } else {
            false
        };
        let value = value.trim_start_matches(' ');
        if value.is_empty() || value.starts_with('#') {
            self.awaited = Some(Awaited { column: Some(column), is_item: false, is_watched });
            return Some(());
        }
        self.awaited = None;
        self.value(value, column, is_watched)
    }

    fn open(&mut self, level: Level) -> Option<()> {
        if self.levels.len() >= MAX_LEVELS || level.is_watched && !self.skimmer.start(!level.is_sequence) {
            return None;
        }
        self.levels.push(level);
        Some(())
    }

    fn close(&mut self, is_over: impl Fn(Level) -> bool) {
        while let Some(level) = self.levels.pop_if(|level| is_over(*level)) {
            if level.is_watched {
                self.skimmer.end();
            }
        }
    }

    /// What was awaited does not come.
    fn nothing(&mut self) -> Option<()> {
        match self.awaited.take() {
            Some(Awaited { column: None, .. }) => None,
            Some(Awaited { is_watched: true, .. }) => {
                self.skimmer.scalar(Cow::Borrowed(""), true).then_some(())
            }
            _ => Some(()),
        }
    }

    /// A value that begins and, unless it is a literal block, ends on its line.
    fn value(&mut self, text: &'t str, parent: usize, is_watched: bool) -> Option<()> {
        let (value, is_plain) = match text.as_bytes()[0] {
            b'"' | b'\'' => {
                let (value, after) = quoted(text)?;
                ends(after)?;
                (value, false)
            }
            b'|' | b'>' => return if is_watched { None } else { self.block(&text[1..], parent) },
            b'[' | b'{' => return if is_watched { None } else { flow(text) },
            first => {
                let after_dash = first == b'-' && text.len() > 1;
                let is_safe = matches!(first, b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'(' | b'$' | b'+');
                if !is_safe && !after_dash {
                    return None;
                }
                (plain(text)?, true)
            }
        };
        if is_watched {
            return self.skimmer.scalar(Cow::Borrowed(value), is_plain).then_some(());
        }
        let may_be_a_number = is_plain && !value.as_bytes()[0].is_ascii_alphabetic();
        let is_finite =
            !may_be_a_number || !matches!(resolve(value), Resolved::Float(value) if !value.is_finite());
        is_finite.then_some(())
    }

    /// Passes over the lines of a block whose header begins with `|` or `>`.
    fn block(&mut self, header: &str, parent: usize) -> Option<()> {
        ends(header.strip_prefix(['-', '+']).unwrap_or(header))?;
        let mut inside = None;
        while let Some(line) = self.peek() {
            let column = indent(line);
            if column == line.len() {
                // Space before the first line would count.
                if inside.is_none() && column > 0 {
                    return None;
                }
            } else if column <= parent {
                break;
            } else if column < *inside.get_or_insert(column) {
                return None;
            }
            self.next += line.len() + 1;
        }
        Some(())
    }
}

fn indent(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

/// A key with its colon, whether it is without quotes, and what comes after.
fn key(text: &str) -> Option<(&str, bool, &str)> {
    let (key, is_plain, after) = if text.starts_with(['"', '\'']) {
        let (key, after) = quoted(text)?;
        (key, false, after)
    } else {
        let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/');
        let length = text.bytes().take_while(part).count();
        (&text[..length], true, &text[length..])
    };
    let is_ordinary = key.len() <= MAX_KEY && key.starts_with(|first: char| first.is_ascii_alphabetic());
    let value = after.strip_prefix(':')?;
    (is_ordinary && (value.is_empty() || value.starts_with(' '))).then_some((key, is_plain, value))
}

/// What stands in quotes, if nothing is escaped in it, and what comes after.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.as_bytes()[0];
    let end = 1 + memchr::memchr(quote, &text.as_bytes()[1..])?;
    let (inside, after) = (&text[1..end], &text[end + 1..]);
    let is_simple = if quote == b'"' { !inside.contains('\\') } else { !after.starts_with('\'') };
    is_simple.then_some((inside, after))
}

/// Whether a line says nothing more.
fn ends(rest: &str) -> Option<()> {
    let content = rest.trim_start_matches(' ');
    (content.is_empty() || content.len() < rest.len() && content.starts_with('#')).then_some(())
}

/// A scalar without quotes, up to a comment; none if it holds what ends a key.
fn plain(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    for at in memchr::memchr2_iter(b':', b'#', bytes) {
        if bytes[at] == b':' {
            if bytes.get(at + 1).is_none_or(|next| *next == b' ') {
                return None;
            }
        } else if at > 0 && bytes[at - 1] == b' ' {
            return Some(text[..at].trim_end_matches(' '));
        }
    }
    // A dash by itself would be an item.
    (!text.starts_with("- ")).then_some(text)
}

/// Checks an empty collection, or a list of quoted texts, words and small numbers.
fn flow(text: &str) -> Option<()> {
    if let Some(after) = text.strip_prefix("{}").or_else(|| text.strip_prefix("[]")) {
        return ends(after);
    }
    let mut rest = text.strip_prefix('[')?;
    loop {
        rest = rest.trim_start_matches(' ');
        let after = if rest.starts_with(['"', '\'']) {
            quoted(rest)?.1
        } else {
            let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'/');
            let length = rest.bytes().take_while(part).count();
            let word = &rest[..length];
            let is_number = length < 16 && word.bytes().all(|byte| byte.is_ascii_digit());
            let is_word = word.starts_with(|first: char| first.is_ascii_alphabetic());
            (length > 0 && (is_number || is_word)).then_some(())?;
            &rest[length..]
        };
        let after = after.trim_start_matches(' ');
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => return ends(after.strip_prefix(']')?),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What the skimmer of events makes of it; `None` if it is in doubt, or refuses it.
    fn by_events(text: &str) -> Option<Head> {
        super::super::skim::skim(crate::scan::Input::new(text)).ok().flatten()
    }

    #[test]
    fn ordinary_manifests_are_understood() {
        for text in [
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels:\n    l: m\nspec: [1, \"a b\", c]\n",
            "# Source: x\nkind: A # of course\nmetadata:\n  name: \"b\"\n  annotations:\n    \"x/y\": 'z'\n    num: 1\n",
            "kind: A\nspec:\n- a: 1\n  b:\n  - c\n  -\n  - d: {}\nother:\n    - - e\n      - f\n    - --flag=a:b\n",
            "kind: A\ndata:\n  a: |-\n    {{ x }}: - &\n\n     y\n  b: >\n  c: \"#: \"\n  d:\n# end\nmetadata:\n  name:\n",
            "  kind: A\n  metadata:\n     name: b\n",
            "kind:\nmetadata:\n  namespace: n\n  creationTimestamp: null\nstatus: {} # none\n",
        ] {
            let head = skim(text);
            assert!(head.is_some(), "{text}");
            assert_eq!(head, by_events(text), "{text}");
        }
    }

    #[test]
    fn others_are_left_alone() {
        for text in [
            "",
            "# nothing",
            "---\nkind: A",
            "kind: A\n---\nkind: B",
            "- kind: A",
            "kind: a: b",
            "kind: A\n  B",
            "kind: A\n B: c",
            "kind: A\nspec:\n  - a\n  b: c",
            "kind: A\nspec:\n  - a\n - b",
            "kind: A\nspec: .inf",
            "kind: A\nspec: *a",
            "kind: A\nspec: - a",
            "kind: A\nspec: \"a\n  b\"",
            "kind: A\nspec: 'it''s'",
            "kind: A\nspec: [a,,b]",
            "kind: A\nspec: |2\n  a",
            "kind: A\nspec: |\n   a\n  b",
            "kind: A\nspec: |\n   \n  b",
            "kind: A\nnull: a",
            "kind: A\n? b",
            "kind: A\nb",
            "kind: A\nb:\n  c",
            "kind: A\nb:\tc",
            "kind: é",
            "Kind: A",
            "metadata:\n- a",
        ] {
            assert_eq!(skim(text), None, "{text}");
        }
    }

    /// Pieces of which lines consist.
    fn line() -> impl Strategy<Value = String> {
        let start = prop::sample::select(vec![
            "", " ", "  ", "   ", "    ", "- ", "  - ", "-", "- - ", "  -  ", "    - ", "\t",
        ]);
        let key = prop::sample::select(vec![
            "kind: ",
            "metadata:",
            "  name: ",
            "  annotations:",
            "    a/b: ",
            "\"k\": ",
            "'k':",
            "k:",
            "k: ",
            "null: ",
            "K : ",
            "",
            "? ",
            "1: ",
            "k:  ",
        ]);
        let value = prop::sample::select(vec![
            "",
            "a",
            "1",
            ".inf",
            "1e999",
            "-1",
            "-",
            "- a",
            "a: b",
            "a:",
            "a #c",
            "a#c",
            "# c",
            "\"a\"",
            "\"a\\n\"",
            "'a' # c",
            "'a'b",
            "'a''b'",
            "|",
            "|-",
            ">+ # c",
            "|2",
            "[]",
            "{}",
            "[a, 'b']",
            "[a, ]",
            "{a: b}",
            "&a b",
            "*a",
            "!a b",
            "~",
            "null",
            "%a",
            "@a",
            "---",
            "...",
            "é",
            "--x",
            "a ",
            "(a)",
            "$a",
            "+1",
            "0x1F",
            "2001-01-01",
        ]);
        (start, key, value).prop_map(|(start, key, value)| format!("{start}{key}{value}"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn whatever_is_understood_is_what_the_events_say(lines in prop::collection::vec(line(), 0..8)) {
            let text = lines.join("\n");
            if let Some(head) = skim(&text) {
                prop_assert_eq!(Some(head), by_events(&text), "{}", text);
            }
        }
    }
}
