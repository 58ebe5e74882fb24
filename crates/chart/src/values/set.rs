//! The language of `--set` and its relatives: `a.b[0]=x,c={1,2}`.
//!
//! The grammar is Helm's to the letter, with its gaps: an expression that breaks off inside a path (`a.`, `a[0`) is
//! taken as having ended, and does nothing.

use goyaml::{Mapping, Value, strconv};

/// The highest index a list may be given.
pub const MAX_INDEX: i64 = 65536;
/// How deep a path may go.
pub const MAX_DEPTH: usize = 30;
/// How many indexes a path may have. Helm knows no bound; ours keeps a path from exhausting the stack.
pub const MAX_INDEXES: usize = 400;
/// How many nulls an expression may fill lists up with. Helm knows no bound; ours keeps a few characters from
/// exhausting the memory.
pub const MAX_FILLED: usize = 1 << 20;

/// What the text after `=` becomes.
pub enum Reading<'r> {
    /// `--set`: booleans, null and integers are recognised, everything else is text.
    Typed,
    /// `--set-string`: always text.
    Text,
    /// `--set-json`: any JSON value.
    Json,
    /// `--set-literal`: all that follows, commas and backslashes too.
    Literal,
    /// `--set-file`: the contents of the file named; the callback reads it.
    File(&'r mut dyn FnMut(&str) -> Result<String, String>),
}

/// Why an expression is refused; the words are Helm's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetError {
    /// A path without `=`.
    #[error("key {} has no value", strconv::quote(key))]
    NoValue {
        /// The path's last part.
        key: String,
    },
    /// A path that ends in a comma.
    #[error("key {} has no value (cannot end with ,)", strconv::quote(key))]
    EndsWithComma {
        /// The path's last part.
        key: String,
    },
    /// A table that would have nothing in it.
    #[error("key map {} has no value", strconv::quote(key))]
    EmptyTable {
        /// The table's name.
        key: String,
    },
    /// The path is too deep.
    #[error("value name nested level is greater than maximum supported nested level of {MAX_DEPTH}")]
    TooDeep,
    /// What stands between the brackets is no number.
    #[error("error parsing index: {0}")]
    Index(#[source] strconv::NumError),
    /// Lists start at zero.
    #[error("negative {0} index not allowed")]
    NegativeIndex(i64),
    /// Lists end somewhere.
    #[error("index of {0} is greater than maximum supported index of {MAX_INDEX}")]
    IndexTooLarge(i64),
    /// Lists in lists end somewhere.
    #[error("a path has more than {MAX_INDEXES} indexes")]
    TooManyIndexes,
    /// Lists would consist of nothing but nulls.
    #[error("lists would be filled up with more than {MAX_FILLED} nulls")]
    TooManyFilled,
    /// Something stands between `]` and `=`.
    #[error("unexpected data at end of array index: {0}")]
    AfterIndex(String),
    /// `{` without `}`.
    #[error("list must terminate with '}}'")]
    OpenList,
    /// The path goes through something that is neither a table nor a list.
    #[error("unable to parse key: interface conversion: interface {{}} is {found}, not {wanted}")]
    WrongSort {
        /// What is there, as Go names it.
        found: &'static str,
        /// What the path needs.
        wanted: &'static str,
    },
    /// The value is no JSON.
    #[error("{0}")]
    Json(String),
    /// The file cannot be read.
    #[error("{0}")]
    File(String),
}

/// Reads one expression into `values`, over what is there.
pub fn set(expression: &str, values: &mut Mapping, reading: Reading<'_>) -> Result<(), SetError> {
    let mut parser = Parser { rest: expression, reading, indexes: 0, filled: 0 };
    loop {
        parser.indexes = 0;
        match parser.key(values, 0) {
            Ok(()) => {}
            Err(Stop::End) => return Ok(()),
            Err(Stop::Error(error)) => return Err(error),
        }
    }
}

/// Why reading a path stopped: the text ended, or it is wrong.
enum Stop {
    End,
    Error(SetError),
}

impl From<SetError> for Stop {
    fn from(error: SetError) -> Self {
        Self::Error(error)
    }
}

struct Parser<'a, 'r> {
    rest: &'a str,
    reading: Reading<'r>,
    /// The indexes in the current path.
    indexes: usize,
    /// The nulls that lists have been filled up with.
    filled: usize,
}

impl Parser<'_, '_> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn is_literal(&self) -> bool {
        matches!(self.reading, Reading::Literal)
    }

    /// Text up to one of the stops, and which it was; `None` at the end. A backslash takes away a meaning.
    fn until(&mut self, stops: &[char]) -> (String, Option<char>) {
        let mut text = String::new();
        while let Some(c) = self.next() {
            if stops.contains(&c) {
                return (text, Some(c));
            }
            match c {
                '\\' if !self.is_literal() => match self.next() {
                    Some(escaped) => text.push(escaped),
                    None => break,
                },
                _ => text.push(c),
            }
        }
        (text, None)
    }

    fn key(&mut self, data: &mut Mapping, depth: usize) -> Result<(), Stop> {
        let stops: &[char] = if self.is_literal() { &['=', '[', '.'] } else { &['=', '[', ',', '.'] };
        let (key, stop) = self.until(stops);
        match stop {
            None if key.is_empty() => Err(Stop::End),
            None => Err(SetError::NoValue { key }.into()),
            Some('[') => self.indexed(data, key, depth),
            Some('=') => self.assignment(data, key),
            Some('.') => self.nested(data, key, depth + 1),
            Some(_) => Err(SetError::EndsWithComma { key }.into()),
        }
    }

    fn indexed(&mut self, data: &mut Mapping, key: String, depth: usize) -> Result<(), Stop> {
        let index = self.index()?;
        let mut list = match data.get_mut(&key) {
            None => Vec::new(),
            Some(Value::Sequence(list)) => std::mem::take(list),
            Some(other) => return Err(wrong_sort(other, "[]interface {}").into()),
        };
        let result = self.item(&mut list, index, depth);
        put(data, key, Value::Sequence(list));
        result
    }

    fn nested(&mut self, data: &mut Mapping, key: String, depth: usize) -> Result<(), Stop> {
        if depth > MAX_DEPTH {
            return Err(SetError::TooDeep.into());
        }
        let mut inner = match data.get_mut(&key) {
            None => Mapping::new(),
            Some(Value::Mapping(inner)) => std::mem::take(inner),
            Some(other) => return Err(wrong_sort(other, "map[string]interface {}").into()),
        };
        let result = self.key(&mut inner, depth);
        if inner.is_empty() {
            return match result {
                Ok(()) => Err(SetError::EmptyTable { key }.into()),
                stopped => stopped,
            };
        }
        put(data, key, Value::Mapping(inner));
        result
    }

    fn assignment(&mut self, data: &mut Mapping, key: String) -> Result<(), Stop> {
        let at_end = self.rest.is_empty() && !matches!(self.reading, Reading::Json | Reading::Literal);
        let value = self.value()?;
        put(data, key, value);
        if at_end { Err(Stop::End) } else { Ok(()) }
    }

    /// What follows `=`.
    fn value(&mut self) -> Result<Value, Stop> {
        match self.reading {
            Reading::Json => return self.json(),
            Reading::Literal => return Ok(Value::String(std::mem::take(&mut self.rest).to_owned())),
            _ if self.rest.is_empty() => return Ok(Value::String(String::new())),
            _ => {}
        }
        if let Some(rest) = self.rest.strip_prefix('{') {
            self.rest = rest;
            return self.list();
        }
        let (text, _) = self.until(&[',']);
        self.scalar(text)
    }

    fn list(&mut self) -> Result<Value, Stop> {
        let mut items = Vec::new();
        loop {
            let (text, stop) = self.until(&[',', '}']);
            let Some(stop) = stop else { return Err(SetError::OpenList.into()) };
            items.push(self.scalar(text)?);
            if stop == '}' {
                self.rest = self.rest.strip_prefix(',').unwrap_or(self.rest);
                return Ok(Value::Sequence(items));
            }
        }
    }

    fn scalar(&mut self, text: String) -> Result<Value, Stop> {
        match &mut self.reading {
            Reading::Typed => Ok(typed(text)),
            Reading::File(read) => Ok(Value::String(read(&text).map_err(SetError::File)?)),
            Reading::Text | Reading::Json | Reading::Literal => Ok(Value::String(text)),
        }
    }

    fn json(&mut self) -> Result<Value, Stop> {
        if self.skip_blank() {
            return Ok(Value::Null);
        }
        let length = super::json_prefix::length(self.rest);
        let (text, rest) = self.rest.split_at(length);
        let value = goyaml::json::from_str(text).map_err(|error| {
            // Helm reads a stream here, which knows its end from a mistake: with more text the words would change.
            let words = |text: &str| {
                goyaml::json::from_str(text).map_or_else(|error| error.to_string(), |_| error.to_string())
            };
            // A number beyond all bounds is well written, and complained of only once it has been read.
            if error.to_string().starts_with("json: ") {
                return SetError::Json(error.to_string());
            }
            let (now, longer) = (words(self.rest), words(&format!("{}\u{1}", self.rest)));
            SetError::Json(if now == longer { now } else { "unexpected EOF".to_owned() })
        })?;
        self.rest = rest;
        self.skip_blank();
        Ok(value.numbers_as_float64())
    }

    /// Passes over blanks and at most one comma; true if nothing else stood there.
    fn skip_blank(&mut self) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(',') {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => self.rest.is_empty(),
        }
    }

    fn index(&mut self) -> Result<i64, Stop> {
        let (text, stop) = self.until(&[']']);
        if stop.is_none() {
            return Err(Stop::End);
        }
        self.indexes += 1;
        if self.indexes > MAX_INDEXES {
            return Err(SetError::TooManyIndexes.into());
        }
        strconv::atoi(&text).map_err(|error| SetError::Index(error).into())
    }

    /// What follows `]`: a value, another index, or a path into the item.
    fn item(&mut self, list: &mut Vec<Value>, index: i64, depth: usize) -> Result<(), Stop> {
        if index < 0 {
            return Err(SetError::NegativeIndex(index).into());
        }
        let position = usize::try_from(index).unwrap_or(usize::MAX);
        let (text, stop) = self.until(&['[', '.', '=']);
        if !text.is_empty() {
            let quoted: Vec<_> = text.chars().map(strconv::quote_rune).collect();
            return Err(SetError::AfterIndex(format!("[{}]", quoted.join(" "))).into());
        }
        match stop {
            None => Err(Stop::End),
            Some('=') => {
                let value = self.value()?;
                self.put_at(list, index, value)
            }
            Some('[') => {
                let next = self.index()?;
                let mut inner = match list.get_mut(position) {
                    None | Some(Value::Null) => Vec::new(),
                    Some(Value::Sequence(inner)) => std::mem::take(inner),
                    Some(other) => return Err(wrong_sort(other, "[]interface {}").into()),
                };
                let result = self.item(&mut inner, next, depth);
                match (result, list.get_mut(position)) {
                    (Ok(()), _) => self.put_at(list, index, Value::Sequence(inner)),
                    (stopped, Some(there @ Value::Sequence(_))) => {
                        *there = Value::Sequence(inner);
                        stopped
                    }
                    (stopped, _) => stopped,
                }
            }
            Some(_) => {
                let mut inner = match list.get_mut(position) {
                    Some(Value::Mapping(inner)) => std::mem::take(inner),
                    Some(other) => {
                        *other = Value::Mapping(Mapping::new());
                        Mapping::new()
                    }
                    None => Mapping::new(),
                };
                let result = self.key(&mut inner, depth);
                match (result, list.get_mut(position)) {
                    (Ok(()), _) => self.put_at(list, index, Value::Mapping(inner)),
                    (stopped, Some(there)) => {
                        *there = Value::Mapping(inner);
                        stopped
                    }
                    (stopped, None) => stopped,
                }
            }
        }
    }

    fn put_at(&mut self, list: &mut Vec<Value>, index: i64, value: Value) -> Result<(), Stop> {
        if index > MAX_INDEX {
            return Err(SetError::IndexTooLarge(index).into());
        }
        let position = usize::try_from(index).map_err(|_| SetError::NegativeIndex(index))?;
        if list.len() <= position {
            self.filled += position - list.len();
            if self.filled > MAX_FILLED {
                return Err(SetError::TooManyFilled.into());
            }
            list.resize(position + 1, Value::Null);
        }
        list[position] = value;
        Ok(())
    }
}

/// An empty key is passed over.
fn put(data: &mut Mapping, key: String, value: Value) {
    if !key.is_empty() {
        data.insert(key, value);
    }
}

/// What `--set` makes of a text. Numbers with a leading zero stay text.
fn typed(text: String) -> Value {
    match text.as_str() {
        _ if text.eq_ignore_ascii_case("true") => Value::Bool(true),
        _ if text.eq_ignore_ascii_case("false") => Value::Bool(false),
        _ if text.eq_ignore_ascii_case("null") => Value::Null,
        "0" => Value::Int(0),
        _ if text.starts_with('0') => Value::String(text),
        _ => strconv::parse_int(&text, 10, 64).map_or(Value::String(text), Value::Int),
    }
}

fn wrong_sort(found: &Value, wanted: &'static str) -> SetError {
    SetError::WrongSort { found: go_type(found), wanted }
}

/// The Go type that holds a value.
pub(crate) fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "nil",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Uint(_) => "uint64",
        Value::Float(_) => "float64",
        Value::Number(_) => "json.Number",
        Value::String(_) => "string",
        Value::Sequence(_) => "[]interface {}",
        Value::Mapping(_) => "map[string]interface {}",
    }
}

#[cfg(test)]
mod tests;
