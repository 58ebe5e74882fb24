//! From the text of a template to its pieces.

use goyaml::strconv::{atoi, is_print, parse_float};

use super::JsonPathError;
use super::quoted::unquote;

/// A part of a template: text, or what stands between braces.
#[derive(Debug, Clone)]
pub(super) enum Piece {
    /// Text that is printed as it is.
    Text(String),
    /// A path, evaluated and printed. `range` and `end` among its steps open and close loops.
    Action(Vec<Step>),
}

/// One step of a path.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Text(String),
    Integer(i64),
    Float(f64),
    Bool(bool),
    Field(String),
    Wildcard,
    Recursive,
    Slice(Slice),
    Union(Vec<Vec<Step>>),
    Filter { left: Vec<Step>, operator: String, right: Vec<Step> },
    Exists(Vec<Step>),
    Keyword { name: String, at: usize },
}

/// `[from:to:by]`, or one element if there is no colon.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slice {
    pub(super) from: Option<i64>,
    pub(super) to: Option<i64>,
    pub(super) single: bool,
    pub(super) by: Option<i64>,
}

/// Reads a whole template.
pub(super) fn template(text: &str) -> Result<Vec<Piece>, JsonPathError> {
    let mut pieces = Vec::new();
    let mut reader = Reader { text, at: 0 };
    while let Some(length) = reader.rest().find('{') {
        if length > 0 {
            pieces.push(Piece::Text(reader.take(length).to_owned()));
        }
        reader.take(1);
        pieces.push(Piece::Action(reader.action()?));
    }
    if !reader.rest().is_empty() {
        pieces.push(Piece::Text(reader.rest().to_owned()));
    }
    Ok(pieces)
}

/// The path inside a filter, union or index, read as if it stood in braces of its own. What would follow its closing
/// brace is read and forgotten, as `kubectl` does.
fn inner(text: &str) -> Result<Vec<Step>, JsonPathError> {
    match template(&format!("{{{text}}}"))?.into_iter().next() {
        Some(Piece::Action(steps)) => Ok(steps),
        _ => Ok(Vec::new()),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let taken = &self.rest()[..bytes];
        self.at += bytes;
        taken
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, JsonPathError> {
        Err(JsonPathError::at(self.at, message))
    }

    /// Reads up to and including the closing brace.
    fn action(&mut self) -> Result<Vec<Step>, JsonPathError> {
        let mut steps = Vec::new();
        loop {
            let rest = self.rest();
            if rest.starts_with("[?(") {
                steps.push(self.filter()?);
                continue;
            }
            if rest.starts_with("..") {
                if matches!(steps.last(), Some(Step::Recursive)) {
                    return self.error("invalid multiple recursive descent");
                }
                self.take(2);
                steps.push(Step::Recursive);
                if self.rest().starts_with(is_word) {
                    steps.push(self.field());
                }
                continue;
            }
            let Some(character) = rest.chars().next() else { return self.error("unclosed action") };
            match character {
                '}' => {
                    self.take(1);
                    return Ok(steps);
                }
                '\n' | '\r' => return self.error("unclosed action"),
                ' ' | '@' | '$' => {
                    self.take(1);
                }
                '[' => self.brackets(&mut steps)?,
                '"' | '\'' => steps.push(self.quoted(character)?),
                '.' => {
                    self.take(1);
                    steps.push(self.field());
                }
                '+' | '-' => steps.push(self.number()?),
                _ if is_digit(character) => steps.push(self.number()?),
                _ if is_word(character) => steps.push(self.word()),
                _ => {
                    let code = character as u32;
                    let shown = if is_print(character) { format!(" '{character}'") } else { String::new() };
                    return self.error(format!("unrecognized character in action: U+{code:04X}{shown}"));
                }
            }
        }
    }

    fn word(&mut self) -> Step {
        let at = self.at;
        let length = self.rest().find(is_terminator).unwrap_or(self.rest().len());
        match self.take(length) {
            "true" => Step::Bool(true),
            "false" => Step::Bool(false),
            name => Step::Keyword { name: name.to_owned(), at },
        }
    }

    /// A name up to the next dot, bracket or space. A backslash keeps what follows in the name, and is dropped
    /// wherever it stands.
    fn field(&mut self) -> Step {
        let mut characters = self.rest().char_indices();
        let mut length = self.rest().len();
        while let Some((at, character)) = characters.next() {
            if character == '\\' {
                characters.next();
            } else if is_terminator(character) {
                length = at;
                break;
            }
        }
        match self.take(length) {
            "*" => Step::Wildcard,
            name => Step::Field(name.replace('\\', "")),
        }
    }

    fn number(&mut self) -> Result<Step, JsonPathError> {
        let rest = self.rest();
        let signed = usize::from(rest.starts_with(['+', '-']));
        let length =
            rest[signed..].find(|c| c != '.' && !is_digit(c)).map_or(rest.len(), |length| length + signed);
        let text = &rest[..length];
        let step = match (atoi(text), parse_float(text, 64)) {
            (Ok(integer), _) => Step::Integer(integer),
            (_, Ok(float)) => Step::Float(float),
            _ => return self.error(format!("cannot parse number {text}")),
        };
        self.take(length);
        Ok(step)
    }

    /// A text in quotes. It ends at the first quote that no backslash precedes.
    fn quoted(&mut self, quote: char) -> Result<Step, JsonPathError> {
        let rest = self.rest();
        let line = rest.find('\n').unwrap_or(rest.len());
        let closing = rest[..line]
            .char_indices()
            .skip(1)
            .find(|(at, character)| *character == quote && !rest[..*at].ends_with('\\'));
        let Some((end, _)) = closing else { return self.error("unterminated quoted string") };
        let Some(text) = unquote(&rest[1..end], quote) else {
            return self.error(format!("unquote string {} error invalid syntax", &rest[..=end]));
        };
        self.take(end + 1);
        Ok(Step::Text(text))
    }

    /// `[…]` that is not a filter: several of them at once, a name in quotes, or a slice.
    fn brackets(&mut self, steps: &mut Vec<Step>) -> Result<(), JsonPathError> {
        let rest = self.rest();
        let end = rest.find([']', '\n']).filter(|end| rest[*end..].starts_with(']'));
        let Some(end) = end else { return self.error("unterminated array") };
        let inside = &rest[1..end];
        let here = |error: JsonPathError| JsonPathError { at: Some(self.at), ..error };
        if inside.contains(',') {
            let parts = inside.split(',').map(|part| inner(&format!("[{}]", part.trim_matches(' '))));
            steps.push(Step::Union(parts.collect::<Result<_, _>>().map_err(here)?));
        } else if let Some(key) = key(inside) {
            steps.extend(inner(&format!(".{key}")).map_err(here)?);
        } else {
            steps.push(Step::Slice(slice(if inside == "*" { ":" } else { inside }).map_err(here)?));
        }
        self.take(end + 1);
        Ok(())
    }

    /// `[?(…)]`. Only the first pair of quotes can hide a closing parenthesis, as `kubectl` has it.
    fn filter(&mut self) -> Result<Step, JsonPathError> {
        let start = "[?(".len();
        let rest = self.rest();
        let mut quote = None;
        let mut is_closed = false;
        let mut end = None;
        for (at, character) in rest.char_indices().skip(start) {
            match character {
                '\n' => break,
                '"' | '\'' if quote.is_none() => quote = Some(character),
                '"' | '\'' => is_closed |= quote == Some(character) && !rest[..at].ends_with('\\'),
                ')' if quote.is_some() == is_closed => {
                    end = Some(at);
                    break;
                }
                _ => {}
            }
        }
        let Some(end) = end else { return self.error("unterminated filter") };
        if !rest[end..].starts_with(")]") {
            return self.error("unclosed array expect ]");
        }
        let here = |error: JsonPathError| JsonPathError { at: Some(self.at), ..error };
        let inside = &rest[start..end];
        let step = match comparison(inside) {
            None => Step::Exists(inner(inside).map_err(here)?),
            Some((left, operator, right)) => Step::Filter {
                left: inner(left).map_err(here)?,
                operator: operator.to_owned(),
                right: inner(right).map_err(here)?,
            },
        };
        self.take(end + 2);
        Ok(step)
    }
}

/// Divides a filter at its operator. Both sides must be something: an operator at the end gives its last character
/// away.
fn comparison(text: &str) -> Option<(&str, &str, &str)> {
    let is_operator = |c: char| matches!(c, '!' | '<' | '>' | '=');
    let start = text.find(is_operator).filter(|start| *start > 0)?;
    let end = text[start..].find(|c| !is_operator(c)).map_or(text.len() - 1, |length| start + length);
    (end > start).then(|| (&text[..start], &text[start..end], &text[end..]))
}

/// What stands between single quotes, if that is all.
fn key(inside: &str) -> Option<&str> {
    inside.strip_prefix('\'')?.strip_suffix('\'').filter(|key| !key.contains('\''))
}

fn slice(text: &str) -> Result<Slice, JsonPathError> {
    let parts: Vec<&str> = text.split(':').collect();
    let is_number = |part: &&str| part.strip_prefix('-').unwrap_or(part).bytes().all(|b| b.is_ascii_digit());
    if parts.len() > 3 || !parts.iter().all(is_number) {
        return Err(JsonPathError::new(format!("invalid array index {text}")));
    }
    let number = |part: Option<&&str>| match part {
        None | Some(&"") => Ok(None),
        Some(part) => {
            let number = atoi(part).map(Some);
            number.map_err(|_| JsonPathError::new(format!("array index {part} is not a number")))
        }
    };
    Ok(Slice {
        from: number(parts.first())?,
        to: number(parts.get(1))?,
        single: parts.len() == 1,
        by: number(parts.get(2))?,
    })
}

fn is_digit(character: char) -> bool {
    character.is_ascii_digit() || (!character.is_ascii() && character.is_numeric())
}

fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

fn is_terminator(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}
