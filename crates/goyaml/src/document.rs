//! A document with the places of its nodes, to point at the line a value comes from.

use std::collections::HashMap;

use crate::compose::float_key;
use crate::parse::{EventKind, Parser};
use crate::resolve::{Resolved, resolve};
use crate::scan::{Input, Mark};
use crate::{Error, Value, YamlError, from_str};

/// A place in a text, counted from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl From<Mark> for Position {
    fn from(mark: Mark) -> Self {
        Self { line: mark.line as usize + 1, column: mark.column as usize + 1 }
    }
}

/// A parsed document that can say where each of its values stands.
#[derive(Debug, Clone)]
pub struct Document {
    value: Value,
    root: Position,
    places: HashMap<Vec<String>, Places>,
}

#[derive(Debug, Clone, Copy)]
struct Places {
    key: Position,
    value: Position,
}

impl Document {
    /// Parses the first document of `text`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let value = from_str(text)?;
        let (root, places) = locate(text).map_err(Error::Yaml)?;
        Ok(Self { value, root, places })
    }

    /// The values.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Where the key of `path` stands; sequence items are named by their index. A path the text does
    /// not spell out (absent, or from an alias or a merge key) is answered with `None`.
    pub fn position(&self, path: &[&str]) -> Option<Position> {
        if path.is_empty() { Some(self.root) } else { self.places(path).map(|places| places.key) }
    }

    /// Where the value of `path` begins.
    pub fn value_position(&self, path: &[&str]) -> Option<Position> {
        if path.is_empty() { Some(self.root) } else { self.places(path).map(|places| places.value) }
    }

    /// Where the longest part of `path` stands that the text does spell out.
    pub fn nearest_position(&self, path: &[&str]) -> Position {
        (0..=path.len()).rev().find_map(|length| self.position(&path[..length])).unwrap_or(self.root)
    }

    fn places(&self, path: &[&str]) -> Option<&Places> {
        let path: Vec<String> = path.iter().map(|&name| name.to_owned()).collect();
        self.places.get(&path)
    }
}

/// A collection that is not finished.
enum Open {
    Sequence {
        next: usize,
    },
    Mapping {
        key: Option<(String, Position)>,
    },
    /// Something inside a key.
    Key,
}

fn locate(text: &str) -> Result<(Position, HashMap<Vec<String>, Places>), YamlError> {
    let mut parser = Parser::new(Input::new(text));
    let mut places = HashMap::new();
    let mut root = None;
    let mut open: Vec<Open> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    loop {
        let event = parser.next()?;
        let position = Position::from(event.mark);
        let opened = match event.kind {
            EventKind::StreamEnd | EventKind::DocumentEnd => break,
            EventKind::StreamStart | EventKind::DocumentStart => continue,
            EventKind::SequenceEnd | EventKind::MappingEnd => {
                if !matches!(open.pop(), Some(Open::Key)) && !open.is_empty() {
                    path.pop();
                }
                continue;
            }
            EventKind::Scalar { ref value, implicit, .. } => {
                if let Some(Open::Mapping { key: key @ None }) = open.last_mut() {
                    *key = Some((key_name(value, implicit), position));
                    continue;
                }
                None
            }
            EventKind::Alias(_) => None,
            EventKind::SequenceStart(_) => Some(Open::Sequence { next: 0 }),
            EventKind::MappingStart(_) => Some(Open::Mapping { key: None }),
        };
        root.get_or_insert(position);
        let (name, key) = match open.last_mut() {
            None => {
                open.extend(opened);
                continue;
            }
            Some(Open::Sequence { next }) => {
                *next += 1;
                ((*next - 1).to_string(), position)
            }
            Some(Open::Mapping { key: key @ None }) => {
                // A collection or an alias as the key: nothing can be found under it.
                *key = Some((String::new(), position));
                if opened.is_some() {
                    open.push(Open::Key);
                }
                continue;
            }
            Some(Open::Mapping { key }) => key.take().unwrap_or((String::new(), position)),
            Some(Open::Key) => {
                if opened.is_some() {
                    open.push(Open::Key);
                }
                continue;
            }
        };
        path.push(name);
        places.insert(path.clone(), Places { key, value: position });
        match opened {
            Some(opened) => open.push(opened),
            None => {
                path.pop();
            }
        }
    }
    Ok((root.unwrap_or(Position { line: 1, column: 1 }), places))
}

/// The name a key has in JSON.
fn key_name(text: &str, implicit: bool) -> String {
    match if implicit { resolve(text) } else { Resolved::Text } {
        Resolved::Bool(value) => value.to_string(),
        Resolved::Int(value) => value.to_string(),
        Resolved::Float(value) => float_key(value),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_values() {
        let text = "# head\na: 1\nb:\n  - x\n  - c: {d: [e, f]}\n    g: |\n      text\nyes: last\n? {k: v}\n: w\nz: 0\n";
        let document = Document::parse(text.replace("? {k: v}\n: w\n", "").as_str()).unwrap();
        let at = |path: &[&str]| document.position(path).map(|place| (place.line, place.column));
        let value_at = |path: &[&str]| document.value_position(path).map(|place| (place.line, place.column));
        assert_eq!(at(&[]), Some((2, 1)));
        assert_eq!(at(&["a"]), Some((2, 1)));
        assert_eq!(value_at(&["a"]), Some((2, 4)));
        assert_eq!(at(&["b", "0"]), Some((4, 5)));
        assert_eq!(at(&["b", "1", "c", "d", "1"]), Some((5, 16)));
        assert_eq!(value_at(&["b", "1", "g"]), Some((6, 8)));
        assert_eq!(at(&["true"]), Some((8, 1)));
        assert_eq!(at(&["z"]), Some((9, 1)));
        assert_eq!(at(&["b", "2"]), None);
        let nearest = document.nearest_position(&["b", "1", "missing", "deep"]);
        assert_eq!((nearest.line, nearest.column), (5, 5));
        assert_eq!(document.value().get("z"), Some(&Value::Int(0)));
        // A collection as a key is refused by the reader, but must not confuse the places.
        assert_eq!(locate(text).unwrap().1[&vec!["z".to_owned()]].key.line, 11);
    }
}
