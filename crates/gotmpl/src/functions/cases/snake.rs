//! `snake_case` and `kebab-case`: finding the words in `HTTPServer2Go`.

use goyaml::carried::byte_of;

use super::runes::{is_letter, is_number, is_punct, is_upper, to_lower};

/// What a run of characters is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Nothing is left.
    End,
    Number,
    /// Upper case, perhaps with lower case after it.
    Upper,
    Letters,
    Connector,
    Punctuation,
    Other,
}

/// Writes a text in lower case, its words separated by a connector.
pub(super) fn lower_words(text: &str, connector: char) -> String {
    let mut output = String::with_capacity(text.len() + 8);
    let (mut kind, mut word, mut rest) = next_word(text);
    while !rest.is_empty() {
        if kind != Kind::Connector {
            write_word(&mut output, kind, word, connector);
        }
        let (previous, last) = (kind, word);
        (kind, word, rest) = next_word(rest);
        match previous {
            Kind::Number => {
                write_alphanumeric(&mut output, (&mut kind, &mut word, &mut rest), connector);
                separate(&mut output, kind, connector);
            }
            Kind::Connector => write_word(&mut output, previous, last, connector),
            Kind::Punctuation => {}
            _ if kind != Kind::Number => separate(&mut output, kind, connector),
            _ if rest.is_empty() => {}
            _ => {
                let number = word;
                (kind, word, rest) = next_word(rest);
                if kind == Kind::Letters {
                    // Letters after a number belong to it: "http_2xx".
                    output.push(connector);
                    output.push_str(number);
                    write_alphanumeric(&mut output, (&mut kind, &mut word, &mut rest), connector);
                    separate(&mut output, kind, connector);
                } else {
                    // A number otherwise belongs to the word before it: "bld4_floor".
                    output.push_str(number);
                    if kind != Kind::Connector && kind != Kind::Punctuation {
                        output.push(connector);
                    }
                }
            }
        }
    }
    write_word(&mut output, kind, word, connector);
    output
}

/// Writes letters and numbers as long as they come.
fn write_alphanumeric<'t>(
    output: &mut String,
    (kind, word, rest): (&mut Kind, &mut &'t str, &mut &'t str),
    connector: char,
) {
    while matches!(*kind, Kind::Letters | Kind::Number) {
        write_word(output, *kind, word, connector);
        (*kind, *word, *rest) = next_word(rest);
    }
}

/// Writes a connector, unless what follows separates already.
fn separate(output: &mut String, next: Kind, connector: char) {
    if !matches!(next, Kind::End | Kind::Connector | Kind::Punctuation) {
        output.push(connector);
    }
}

fn write_word(output: &mut String, kind: Kind, word: &str, connector: char) {
    if kind != Kind::Upper && kind != Kind::Connector {
        output.push_str(word);
        return;
    }
    for character in word.chars() {
        output.push(if is_connector(character) {
            connector
        } else if is_broken(character) {
            char::REPLACEMENT_CHARACTER
        } else if is_upper(character) {
            to_lower(character)
        } else {
            character
        });
    }
}

/// Whether Go finds no character there.
fn is_broken(character: char) -> bool {
    character == char::REPLACEMENT_CHARACTER || byte_of(character).is_some()
}

fn is_connector(character: char) -> bool {
    character == '-' || character == '_' || character.is_whitespace()
}

fn is_alphabet(character: char) -> bool {
    is_letter(character) && !is_caseless(character)
}

/// Chinese, Japanese and Korean characters are no part of words.
fn is_caseless(character: char) -> bool {
    matches!(character, '\u{4e00}'..='\u{9fcc}' | '\u{3400}'..='\u{4d85}' | '\u{20000}'..='\u{2b81d}')
}

/// The characters, each with the place where it begins or, before it, what is broken. What is broken at the end
/// counts as more of the last one.
fn characters(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut start = 0;
    text.char_indices()
        .filter(|(_, c)| !is_broken(*c))
        .map(move |(index, c)| (std::mem::replace(&mut start, index + c.len_utf8()), c))
}

/// Splits the first word off: its kind, itself, and what is left.
fn next_word(text: &str) -> (Kind, &str, &str) {
    let mut characters = characters(text);
    let Some((_, first)) = characters.next() else {
        return (Kind::End, text, "");
    };
    let while_holds = |holds: fn(char) -> bool| {
        self::characters(text).skip(1).find(|(_, c)| !holds(*c)).map_or(text.len(), |(index, _)| index)
    };
    let letters = |c: char| is_alphabet(c) && !is_upper(c);
    let (kind, end) = if is_connector(first) {
        (Kind::Connector, while_holds(is_connector))
    } else if is_punct(first) {
        (Kind::Punctuation, while_holds(is_punct))
    } else if is_upper(first) {
        let second = characters.next();
        let alone = second.map_or(text.len(), |(index, _)| index);
        let end = match second.map(|(_, second)| second) {
            Some(second) if is_upper(second) => {
                let end = while_holds(is_upper);
                // In "HTTPStatus" the S belongs to what follows.
                let next = self::characters(&text[end..]).next();
                let last = self::characters(&text[..end]).last().map_or(0, |(index, _)| index);
                if next.is_some_and(|(_, next)| is_alphabet(next)) { last } else { end }
            }
            Some(second) if is_alphabet(second) => while_holds(letters),
            _ => alone,
        };
        (Kind::Upper, end)
    } else if is_alphabet(first) {
        (Kind::Letters, while_holds(letters))
    } else if is_number(first) {
        (Kind::Number, while_holds(is_number))
    } else {
        let other = |c: char| !(is_connector(c) || is_alphabet(c) || is_number(c) || is_punct(c));
        (Kind::Other, while_holds(other))
    };
    (kind, &text[..end], &text[end..])
}
