//! Character classes: `[…]`, `\d`, `[:alpha:]`, `\p{Greek}`, written anew without shorthands.

use std::fmt::Write as _;

use super::translate::take_escape;
use super::{Problem, SyntaxError};

/// A class that holds no character.
pub(super) const NOTHING: &str = "[a&&b]";

/// The items of Go's `\d`, `\s` and `\w`, by letter.
fn perl_items(letter: u8) -> Option<&'static str> {
    Some(match letter.to_ascii_lowercase() {
        b'd' => "0-9",
        b's' => r"\t\n\x0c\r ",
        b'w' => "0-9A-Za-z_",
        _ => return None,
    })
}

/// The items of a class such as `[:alpha:]`, by name.
fn posix_items(name: &str) -> Option<&'static str> {
    Some(match name {
        "alnum" => "0-9A-Za-z",
        "alpha" => "A-Za-z",
        "ascii" => r"\x00-\x7f",
        "blank" => r"\t ",
        "cntrl" => r"\x00-\x1f\x7f",
        "digit" => "0-9",
        "graph" => "!-~",
        "lower" => "a-z",
        "print" => " -~",
        "punct" => r"!-/:-@\[-`\{-\~",
        "space" => r"\t-\r ",
        "upper" => "A-Z",
        "word" => "0-9A-Za-z_",
        "xdigit" => "0-9A-Fa-f",
        _ => return None,
    })
}

/// Takes `\d`, `\D`, `\s`, `\S`, `\w` or `\W` off the front, as a bracketed class.
pub(super) fn take_perl(text: &str) -> Option<(String, &str)> {
    let letter = *text.strip_prefix('\\')?.as_bytes().first()?;
    let items = perl_items(letter)?;
    let negation = if letter.is_ascii_uppercase() { "^" } else { "" };
    Some((format!("[{negation}{items}]"), &text[2..]))
}

/// Takes `\pL`, `\p{Greek}`, `\P{^Greek}` off the front, as a bracketed class.
pub(super) fn take_unicode(text: &str) -> Result<Option<(String, &str)>, SyntaxError> {
    let Some(after) = text.strip_prefix("\\p").or_else(|| text.strip_prefix("\\P")) else {
        return Ok(None);
    };
    let mut negated = text.starts_with("\\P");
    let (mut name, rest) = if after.starts_with('{') {
        match after.split_once('}') {
            Some((name, rest)) => (&name[1..], rest),
            None => return Err(SyntaxError::new(Problem::CharacterRange, text)),
        }
    } else {
        after.split_at(after.chars().next().map_or(0, char::len_utf8))
    };
    let sequence = &text[..text.len() - rest.len()];
    if let Some(positive) = name.strip_prefix('^') {
        negated = !negated;
        name = positive;
    }
    let items = unicode_items(name).ok_or_else(|| SyntaxError::new(Problem::CharacterRange, sequence))?;
    Ok(Some((format!("[{}{items}]", if negated { "^" } else { "" }), rest)))
}

fn unicode_items(name: &str) -> Option<String> {
    let canonical: String =
        name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).collect::<String>().to_ascii_lowercase();
    match canonical.as_str() {
        "any" => return Some(r"\x{0}-\x{10ffff}".to_owned()),
        "ascii" => return Some(r"\x00-\x7f".to_owned()),
        "assigned" => return Some(r"\P{Cn}".to_owned()),
        // Surrogates are characters for Go, but no text has them.
        "cs" | "surrogate" => return Some(NOTHING.to_owned()),
        _ => {}
    }
    if !canonical.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) || canonical.is_empty() {
        return None;
    }
    ["gc", "sc"].into_iter().find_map(|property| {
        let item = format!(r"\p{{{property}={canonical}}}");
        regex::Regex::new(&item).is_ok().then_some(item)
    })
}

/// Takes `[:alpha:]` or `[:^alpha:]` off the front, as a bracketed class.
fn take_posix(text: &str) -> Result<Option<(String, &str)>, SyntaxError> {
    let Some((name, rest)) = text.strip_prefix("[:").and_then(|after| after.split_once(":]")) else {
        return Ok(None);
    };
    let (negation, plain) = name.strip_prefix('^').map_or(("", name), |plain| ("^", plain));
    match posix_items(plain) {
        Some(items) => Ok(Some((format!("[{negation}{items}]"), rest))),
        None => Err(SyntaxError::new(Problem::CharacterRange, &text[..text.len() - rest.len()])),
    }
}

/// Takes a whole class `[…]` off the front.
pub(super) fn take_class(text: &str) -> Result<(String, &str), SyntaxError> {
    let mut class = String::from("[");
    let mut rest = &text[1..];
    if let Some(after) = rest.strip_prefix('^') {
        class.push('^');
        rest = after;
    }
    let items_start = class.len();
    let mut first = true;
    while first || !rest.starts_with(']') {
        first = false;
        let named = match take_posix(rest)? {
            Some(posix) => Some(posix),
            None => take_unicode(rest)?,
        };
        if let Some((items, after)) = named.or_else(|| take_perl(rest)) {
            class.push_str(&items);
            rest = after;
            continue;
        }
        let range = rest;
        let (low, after) = take_character(rest, text)?;
        rest = after;
        let mut high = low;
        if rest.len() >= 2 && rest.starts_with('-') && !rest[1..].starts_with(']') {
            (high, rest) = take_character(&rest[1..], text)?;
            if high < low {
                let range = &range[..range.len() - rest.len()];
                return Err(SyntaxError::new(Problem::CharacterRange, range));
            }
        }
        push_range(&mut class, low, high);
    }
    if class.len() == items_start {
        class.push_str(NOTHING);
    }
    class.push(']');
    Ok((class, &rest[1..]))
}

fn take_character<'a>(text: &'a str, class: &str) -> Result<(u32, &'a str), SyntaxError> {
    if text.starts_with('\\') {
        return take_escape(text);
    }
    let mut characters = text.chars();
    match characters.next() {
        Some(character) => Ok((u32::from(character), characters.as_str())),
        None => Err(SyntaxError::new(Problem::MissingBracket, class)),
    }
}

/// Appends a range without the surrogates in it, which no text has.
fn push_range(class: &mut String, low: u32, high: u32) {
    let low = if (0xd800..0xe000).contains(&low) { 0xe000 } else { low };
    let high = if (0xd800..0xe000).contains(&high) { 0xd7ff } else { high };
    if low <= high {
        let _ = write!(class, r"\x{{{low:x}}}-\x{{{high:x}}}");
    }
}
