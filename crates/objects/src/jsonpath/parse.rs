//! From the text of a template to its pieces.

use super::JsonPathError;

/// A part of a template: text, or what stands between braces.
#[derive(Debug, Clone)]
pub(super) enum Piece {
    /// Text that is printed as it is.
    Text(String),
    /// A path, evaluated and printed.
    Path(Vec<Step>),
    /// Everything up to the matching `{end}`, for each result of the path.
    Range(Vec<Step>, Vec<Piece>),
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
    Keyword(String),
}

/// `[from:to:by]`, or one element if there is no colon.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slice {
    pub(super) from: Option<i64>,
    pub(super) to: Option<i64>,
    pub(super) single: bool,
    pub(super) by: Option<i64>,
}

fn error<T>(message: impl Into<String>) -> Result<T, JsonPathError> {
    Err(JsonPathError(message.into()))
}

/// Reads a whole template.
pub(super) fn template(text: &str) -> Result<Vec<Piece>, JsonPathError> {
    let mut flat = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        if open > 0 {
            flat.push(Piece::Text(rest[..open].to_owned()));
        }
        let mut reader = Reader { rest: &rest[open + 1..] };
        flat.push(Piece::Path(reader.action()?));
        rest = reader.rest;
    }
    if !rest.is_empty() {
        flat.push(Piece::Text(rest.to_owned()));
    }
    Ok(nest(&mut flat.into_iter(), Nesting::Outermost))
}

/// Whether an `{end}` closes something here.
#[derive(Clone, Copy, PartialEq)]
enum Nesting {
    /// It does not: it stays in place, and fails when the template is used.
    Outermost,
    InRange,
}

/// Puts what stands between `{range}` and `{end}` into the range.
fn nest(pieces: &mut std::vec::IntoIter<Piece>, nesting: Nesting) -> Vec<Piece> {
    let mut block = Vec::new();
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Path(steps) if nesting == Nesting::InRange && is_keyword(&steps, "end") => break,
            Piece::Path(mut steps) if is_keyword(&steps, "range") => {
                steps.remove(0);
                block.push(Piece::Range(steps, nest(pieces, Nesting::InRange)));
            }
            other => block.push(other),
        }
    }
    block
}

fn is_keyword(steps: &[Step], keyword: &str) -> bool {
    matches!(steps.first(), Some(Step::Keyword(name)) if name == keyword)
}

/// The path inside a filter, union or index, which has braces of its own only in thought.
fn path(text: &str) -> Result<Vec<Step>, JsonPathError> {
    Reader { rest: &format!("{text}}}") }.action()
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    /// Everything before the first character that satisfies the condition; `None` if there is none.
    fn until(&mut self, end: impl Fn(char) -> bool) -> Option<&'a str> {
        let length = self.rest.find(end)?;
        Some(self.take(length))
    }

    /// Reads up to and including the closing brace.
    fn action(&mut self) -> Result<Vec<Step>, JsonPathError> {
        let mut steps = Vec::new();
        loop {
            if self.rest.starts_with("[?(") {
                steps.push(self.filter()?);
                continue;
            }
            if self.rest.starts_with("..") {
                self.take(2);
                if matches!(steps.last(), Some(Step::Recursive)) {
                    return error("invalid multiple recursive descent");
                }
                steps.push(Step::Recursive);
                if self.rest.starts_with(is_word) {
                    steps.push(self.field());
                }
                continue;
            }
            let Some(character) = self.rest.chars().next() else { return error("unclosed action") };
            match character {
                '}' => {
                    self.take(1);
                    return Ok(steps);
                }
                '\n' | '\r' => return error("unclosed action"),
                ' ' | '@' | '$' => {
                    self.take(1);
                }
                '[' => self.brackets(&mut steps)?,
                '"' | '\'' => steps.push(self.quoted(character)?),
                '.' => {
                    self.take(1);
                    steps.push(self.field());
                }
                '+' | '-' | '0'..='9' => steps.push(self.number()?),
                _ if is_word(character) => {
                    let word = self.until(is_terminator).unwrap_or_else(|| self.rest_of());
                    steps.push(match word {
                        "true" => Step::Bool(true),
                        "false" => Step::Bool(false),
                        _ => Step::Keyword(word.to_owned()),
                    });
                }
                _ => {
                    return error(format!(
                        "unrecognized character in action: U+{:04X} '{character}'",
                        character as u32
                    ));
                }
            }
        }
    }

    fn rest_of(&mut self) -> &'a str {
        self.take(self.rest.len())
    }

    /// A name up to the next dot, bracket or space; a backslash keeps what follows in the name.
    fn field(&mut self) -> Step {
        let mut name = String::new();
        let mut characters = self.rest.char_indices();
        let mut length = self.rest.len();
        while let Some((at, character)) = characters.next() {
            if character == '\\' {
                name.extend(characters.next().map(|(_, escaped)| escaped));
            } else if is_terminator(character) {
                length = at;
                break;
            } else {
                name.push(character);
            }
        }
        self.take(length);
        if name == "*" { Step::Wildcard } else { Step::Field(name) }
    }

    fn number(&mut self) -> Result<Step, JsonPathError> {
        let signed = usize::from(self.rest.starts_with(['+', '-']));
        let length = self.rest[signed..]
            .find(|c: char| c != '.' && !c.is_ascii_digit())
            .map_or(self.rest.len(), |n| n + signed);
        let text = self.take(length);
        if let Ok(integer) = text.parse() {
            return Ok(Step::Integer(integer));
        }
        text.parse().map(Step::Float).or_else(|_| error(format!("cannot parse number {text}")))
    }

    fn quoted(&mut self, quote: char) -> Result<Step, JsonPathError> {
        let mut text = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '\n' => break,
                '\\' => match characters.next().map(|(_, escaped)| escaped) {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some(escaped @ ('\\' | '"' | '\'')) => text.push(escaped),
                    _ => return error(format!("unquote string {} error invalid syntax", self.rest)),
                },
                _ if character == quote => {
                    self.take(at + 1);
                    return Ok(Step::Text(text));
                }
                other => text.push(other),
            }
        }
        error("unterminated quoted string")
    }

    fn brackets(&mut self, steps: &mut Vec<Step>) -> Result<(), JsonPathError> {
        let Some(inside) = self.until(|c| c == ']' || c == '\n').filter(|_| self.rest.starts_with(']'))
        else {
            return error("unterminated array");
        };
        self.take(1);
        let inside = &inside[1..];
        if inside.contains(',') {
            let union = inside.split(',').map(|part| path(&format!("[{}]", part.trim_matches(' '))));
            steps.push(Step::Union(union.collect::<Result<_, _>>()?));
        } else if let Some(key) = inside.strip_prefix('\'').and_then(|key| key.strip_suffix('\'')) {
            steps.extend(path(&format!(".{key}"))?);
        } else {
            steps.push(Step::Slice(slice(if inside == "*" { ":" } else { inside })?));
        }
        Ok(())
    }

    fn filter(&mut self) -> Result<Step, JsonPathError> {
        let start = "[?(".len();
        let mut quote = None;
        let mut closed = None;
        for (at, character) in self.rest.char_indices().skip(start) {
            match character {
                '\n' => break,
                '"' | '\'' if quote.is_none() => quote = Some(character),
                _ if Some(character) == quote && !self.rest[..at].ends_with('\\') => quote = None,
                ')' if quote.is_none() => {
                    closed = Some(at);
                    break;
                }
                _ => {}
            }
        }
        let Some(closed) = closed else { return error("unterminated filter") };
        let inside = &self.take(closed)[start..];
        if !self.rest.starts_with(")]") {
            return error("unclosed array expect ]");
        }
        self.take(2);
        let comparison = |c: char| matches!(c, '!' | '<' | '>' | '=');
        let Some(at) = inside.find(comparison).filter(|at| *at > 0) else {
            return Ok(Step::Exists(path(inside)?));
        };
        let length = inside[at..].find(|c| !comparison(c)).unwrap_or(inside.len() - at);
        let (left, right) = (&inside[..at], &inside[at + length..]);
        Ok(Step::Filter {
            left: path(left)?,
            operator: inside[at..at + length].to_owned(),
            right: path(right)?,
        })
    }
}

fn slice(text: &str) -> Result<Slice, JsonPathError> {
    let parts: Vec<&str> = text.split(':').collect();
    let number = |part: Option<&&str>| match part {
        None | Some(&"") => Ok(None),
        Some(part) => part.parse().map(Some).or_else(|_| error(format!("invalid array index {text}"))),
    };
    if parts.len() > 3 {
        return error(format!("invalid array index {text}"));
    }
    Ok(Slice {
        from: number(parts.first())?,
        to: number(parts.get(1))?,
        single: parts.len() == 1,
        by: number(parts.get(2))?,
    })
}

fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

fn is_terminator(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}
