//! Words and letter case, as the Go libraries `xstrings` and `goutils` and package `strings` treat them.

use super::{Args, Context, Function, FunctionError};
use crate::value::types::{INT, STRING};
use crate::value::{Text, Value};

mod runes;
mod snake;

use runes::{to_lower, to_title, to_upper};

type Result = std::result::Result<Value, FunctionError>;

pub(super) static TABLE: &[Function] = &[
    Function::new("upper", &[STRING], STRING, |_, args| {
        Ok(mapped(args, |text| text.chars().map(to_upper).collect()))
    }),
    Function::new("lower", &[STRING], STRING, |_, args| {
        Ok(mapped(args, |text| text.chars().map(to_lower).collect()))
    }),
    Function::new("title", &[STRING], STRING, |_, args| Ok(mapped(args, title))),
    Function::new("untitle", &[STRING], STRING, |_, args| Ok(mapped(args, untitle))),
    Function::new("swapcase", &[STRING], STRING, |_, args| Ok(mapped(args, swap_case))),
    Function::new("snakecase", &[STRING], STRING, |_, args| {
        Ok(Text::landed(&snake::lower_words(&args.carried(0), '_')).into())
    }),
    Function::new("kebabcase", &[STRING], STRING, |_, args| {
        Ok(Text::landed(&snake::lower_words(&args.carried(0), '-')).into())
    }),
    Function::new("camelcase", &[STRING], STRING, |_, args| Ok(mapped(args, pascal_case))),
    Function::new("nospace", &[STRING], STRING, nospace),
    Function::new("initials", &[STRING], STRING, initials),
    Function::new("abbrev", &[INT, STRING], STRING, |_, args| {
        let (width, text) = (args.int(0), args.bytes(1));
        Ok(if width < 4 { args.value(1).clone() } else { abbreviated(text, 0, width) })
    }),
    Function::new("abbrevboth", &[INT, INT, STRING], STRING, |_, args| {
        let (left, right, text) = (args.int(0), args.int(1), args.bytes(2));
        Ok(if right < 4 || left > 0 && right < 7 {
            args.value(2).clone()
        } else {
            abbreviated(text, left, right)
        })
    }),
    Function::new("wrap", &[INT, STRING], STRING, |context, args| {
        wrapped(context, args.bytes(1), args.int(0), b"\n", false)
    }),
    Function::new("wrapWith", &[INT, STRING, STRING], STRING, |context, args| {
        let separator = if args.bytes(1).is_empty() { b"\n" } else { args.bytes(1) };
        wrapped(context, args.bytes(2), args.int(0), separator, true)
    }),
];

fn mapped(args: Args<'_>, convert: impl FnOnce(&str) -> String) -> Value {
    convert(&args.str(0)).into()
}

/// `strings.Title`: every letter that begins a word in title case.
fn title(text: &str) -> String {
    let mut previous = ' ';
    text.chars()
        .map(|character| {
            let begins = is_separator(previous);
            previous = character;
            if begins { to_title(character) } else { character }
        })
        .collect()
}

fn is_separator(character: char) -> bool {
    if character.is_ascii() {
        return !(character.is_ascii_alphanumeric() || character == '_');
    }
    !runes::is_letter(character) && !runes::is_digit(character) && character.is_whitespace()
}

/// The first letter of every word in lower case.
fn untitle(text: &str) -> String {
    let mut begins = true;
    text.chars()
        .map(|character| {
            if character.is_whitespace() {
                begins = true;
                character
            } else if begins {
                begins = false;
                to_lower(character)
            } else {
                character
            }
        })
        .collect()
}

/// Upper to lower and lower to upper, but lower case at the start of a word to title case.
fn swap_case(text: &str) -> String {
    let mut after_space = true;
    text.chars()
        .map(|character| {
            if runes::is_upper(character) || runes::is_title(character) {
                after_space = false;
                to_lower(character)
            } else if runes::is_lower(character) {
                let swapped = if after_space { to_title(character) } else { to_upper(character) };
                after_space = false;
                swapped
            } else {
                after_space = character.is_whitespace();
                character
            }
        })
        .collect()
}

/// Words separated by space, underscore or hyphen, each begun in upper case and joined.
fn pascal_case(text: &str) -> String {
    let is_connector = |c: char| c == '-' || c == '_' || c.is_whitespace();
    let mut output = String::with_capacity(text.len());
    let mut characters = text.chars();
    // Connectors in front stay.
    let Some(first) = characters.by_ref().find(|c| {
        let connector = is_connector(*c);
        if connector {
            output.push(*c);
        }
        !connector
    }) else {
        // The last connector is written once more, as the library has it.
        output.extend(text.chars().next_back());
        return output;
    };
    let mut word_is_upper = runes::is_upper(first);
    let mut current = to_upper(first);
    for next in characters {
        let previous = current;
        current = next;
        if is_connector(current) && is_connector(previous) {
            output.push(previous);
            continue;
        }
        if is_connector(previous) {
            word_is_upper = runes::is_upper(current);
            current = to_upper(current);
        } else {
            if word_is_upper {
                if runes::is_upper(current) {
                    current = to_lower(current);
                } else {
                    word_is_upper = false;
                }
            }
            output.push(previous);
        }
    }
    output.push(current);
    output
}

/// Whether a byte, taken for a character of Latin-1, is white space.
fn is_latin1_space(byte: u8) -> bool {
    char::from(byte).is_whitespace()
}

/// Deletes white space. The library goes byte by byte, so other scripts come out as Latin-1 if it deletes any.
fn nospace(_: &Context, args: Args<'_>) -> Result {
    let bytes = args.bytes(0);
    if !bytes.iter().any(|byte| is_latin1_space(*byte)) {
        return Ok(args.value(0).clone());
    }
    let kept: String =
        bytes.iter().filter(|byte| !is_latin1_space(**byte)).map(|byte| char::from(*byte)).collect();
    Ok(kept.into())
}

/// The first byte of every word, as a character of Latin-1.
fn initials(_: &Context, args: Args<'_>) -> Result {
    let mut after_gap = true;
    let mut output = String::new();
    for byte in args.bytes(0) {
        if is_latin1_space(*byte) {
            after_gap = true;
        } else if after_gap {
            after_gap = false;
            output.push(char::from(*byte));
        }
    }
    Ok(output.into())
}

/// Cuts a text down to a width, with an ellipsis wherever something is cut off.
fn abbreviated(text: &[u8], offset: i64, width: i64) -> Value {
    Text::from_bytes(abbreviate(text, offset, width)).into()
}

fn abbreviate(text: &[u8], offset: i64, width: i64) -> Vec<u8> {
    let length = text.len() as i64;
    if length <= width {
        return text.to_vec();
    }
    let kept = width - 3;
    let mut offset = offset.min(length);
    if length - offset < kept {
        offset = length - kept;
    }
    if offset <= 4 {
        return [&text[..kept as usize], b"..."].concat();
    }
    if width < 7 {
        return Vec::new();
    }
    let tail = if offset + kept < length {
        abbreviate(&text[offset as usize..], 0, kept)
    } else {
        text[(length - kept) as usize..].to_vec()
    };
    [b"...".as_slice(), &tail].concat()
}

/// Breaks a text into lines of at most a width at its spaces; words longer than that too, if asked for.
fn wrapped(context: &Context, text: &[u8], width: i64, separator: &[u8], break_words: bool) -> Result {
    let width = usize::try_from(width).unwrap_or(1).max(1);
    let mut output = Vec::with_capacity(text.len());
    let mut offset = 0;
    while text.len() - offset > width {
        context.room_for(Some(output.len()))?;
        if text[offset] == b' ' {
            offset += 1;
            continue;
        }
        let line = &text[offset..=offset + width];
        if let Some(space) = line.iter().rposition(|byte| *byte == b' ') {
            output.extend_from_slice(&line[..space]);
            output.extend_from_slice(separator);
            offset += space + 1;
        } else if break_words {
            output.extend_from_slice(&line[..width]);
            output.extend_from_slice(separator);
            offset += width;
        } else {
            let rest = &text[offset..];
            match rest[width..].iter().position(|byte| *byte == b' ') {
                None => {
                    output.extend_from_slice(rest);
                    offset = text.len();
                }
                Some(space) => {
                    output.extend_from_slice(&rest[..width + space]);
                    output.extend_from_slice(separator);
                    offset += width + space + 1;
                }
            }
        }
    }
    output.extend_from_slice(&text[offset..]);
    Ok(Text::from_bytes(output).into())
}
