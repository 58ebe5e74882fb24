//! Objects from a text: YAML of several documents or JSON, with lists taken apart and every place remembered.

use goyaml::{Document, Position, Value};
use thiserror::Error;

/// An object, and where it stands.
#[derive(Debug, Clone)]
pub struct Located<'a> {
    /// The object.
    pub object: Value,
    document: &'a str,
    /// The line of the text on which its document begins, from zero.
    offset: usize,
    /// The way to it inside its document.
    way: Vec<String>,
}

/// Why a text is not a stream of objects.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{problem}")]
pub struct StreamError {
    /// Where it is wrong, as far as that is known.
    pub position: Option<Position>,
    /// What is wrong there.
    pub problem: StreamProblem,
}

/// What is wrong with a document.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StreamProblem {
    /// It is neither YAML nor JSON.
    #[error(transparent)]
    Syntax(#[from] goyaml::Error),
    /// It is something else than a mapping.
    #[error("an object is expected, but this is a {kind}")]
    NotAnObject {
        /// What it is.
        kind: &'static str,
    },
    /// A field without which it cannot be told what it is.
    #[error("the object has no {field}")]
    Missing {
        /// The field's path.
        field: &'static str,
    },
    /// A field that is not a text.
    #[error("{field} must be a text, but is a {kind}")]
    NotText {
        /// The field's path.
        field: &'static str,
        /// What stands there.
        kind: &'static str,
    },
}

/// Reads all objects of a text. Documents that are empty are skipped; a `List` (of whatever kind) stands for its
/// items.
pub fn read_objects(text: &str) -> Result<Vec<Located<'_>>, StreamError> {
    let mut objects = Vec::new();
    for (document, offset) in documents(text) {
        let value = parse(document).map_err(|error| {
            // Read again at its place, so that the message names the line of the whole text.
            let error = parse(&("\n".repeat(offset) + document)).err().unwrap_or(error);
            let position = error.line().map(|line| Position { line, column: 1 });
            StreamError { position, problem: error.into() }
        })?;
        if !value.is_null() {
            add(Located { object: value, document, offset, way: Vec::new() }, &mut objects)?;
        }
    }
    Ok(objects)
}

impl Located<'_> {
    /// Where a field of the object stands in the text, or the nearest thing above it that is spelled out.
    pub fn position(&self, path: &[&str]) -> Option<Position> {
        let whole: Vec<&str> = self.way.iter().map(String::as_str).chain(path.iter().copied()).collect();
        let position = Document::parse(self.document).ok()?.nearest_position(&whole);
        Some(Position { line: position.line + self.offset, ..position })
    }

    /// Where the value of a field begins in the text.
    pub fn value_position(&self, path: &[&str]) -> Option<Position> {
        let whole: Vec<&str> = self.way.iter().map(String::as_str).chain(path.iter().copied()).collect();
        let position = Document::parse(self.document).ok()?.value_position(&whole)?;
        Some(Position { line: position.line + self.offset, ..position })
    }

    fn error(&self, path: &[&str], problem: StreamProblem) -> StreamError {
        StreamError { position: self.position(path), problem }
    }

    /// A text that must be there.
    fn text(&self, field: &'static str) -> Result<&str, StreamError> {
        match self.object.get(field) {
            Some(Value::String(text)) if !text.is_empty() => Ok(text),
            None | Some(Value::Null | Value::String(_)) => {
                Err(self.error(&[], StreamProblem::Missing { field }))
            }
            Some(other) => Err(self.error(&[field], StreamProblem::NotText { field, kind: kind(other) })),
        }
    }
}

/// Adds an object, or the items of a list.
fn add<'a>(located: Located<'a>, objects: &mut Vec<Located<'a>>) -> Result<(), StreamError> {
    if located.object.as_mapping().is_none() {
        let problem = StreamProblem::NotAnObject { kind: kind(&located.object) };
        return Err(located.error(&[], problem));
    }
    let api_version = located.text("apiVersion")?.to_owned();
    let list_of = located.text("kind")?.strip_suffix("List").map(str::to_owned);
    let Some((kind, items)) = list_of.zip(located.object.get("items").and_then(Value::as_sequence)) else {
        objects.push(located);
        return Ok(());
    };
    for (index, item) in items.iter().enumerate() {
        let mut object = item.clone();
        // The API leaves these out of the items of a list of one kind.
        if let Some(entries) = object.as_mapping_mut().filter(|_| !kind.is_empty()) {
            entries.entry("kind".to_owned()).or_insert_with(|| Value::String(kind.clone()));
            entries.entry("apiVersion".to_owned()).or_insert_with(|| Value::String(api_version.clone()));
        }
        let mut way = located.way.clone();
        way.extend(["items".to_owned(), index.to_string()]);
        add(Located { object, way, ..located }, objects)?;
    }
    Ok(())
}

/// JSON is read as such where it can be: it may have tabs where YAML must not.
fn parse(document: &str) -> Result<Value, goyaml::Error> {
    if document.trim_start().starts_with('{')
        && let Ok(value) = goyaml::json::from_str(document)
    {
        return Ok(value);
    }
    goyaml::from_str(document)
}

/// The documents of a stream, each with the number of lines before it.
fn documents(text: &str) -> Vec<(&str, usize)> {
    let mut documents = Vec::new();
    let (mut start, mut offset, mut at) = (0, 0, 0);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        // What follows the marker on its line belongs to the document that it opens.
        let is_marker = |mark: &str| {
            line.strip_prefix(mark)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
        };
        if is_marker("---") || is_marker("...") {
            documents.push((&text[start..at], offset));
            start = at + 3;
            offset = number;
        }
        at += line.len();
    }
    documents.push((&text[start..], offset));
    documents
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Int(_) | Value::Uint(_) | Value::Float(_) | Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Sequence(_) => "list",
        Value::Mapping(_) => "mapping",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let name = |located: &Located<'_>| {
            let text = |path: &[&str]| located.object.get_path(path.iter().copied()).and_then(Value::as_str);
            let (version, kind) = (text(&["apiVersion"]).unwrap(), text(&["kind"]).unwrap());
            format!("{version} {kind} {}", text(&["metadata", "name"]).unwrap_or("-"))
        };
        read_objects(text).unwrap_or_else(|error| panic!("{text}: {error}")).iter().map(name).collect()
    }

    #[test]
    fn documents_are_divided_at_their_markers() {
        let text = "# first\n---\napiVersion: v1\nkind: A\n---   \n\n--- # nothing\n---\n{apiVersion: v1, kind: B}\n\
                    --- {apiVersion: v1, kind: C}\n...\napiVersion: v1\nkind: D\ndata:\n  x: |\n    a\n    ---\n";
        assert_eq!(names(text), ["v1 A -", "v1 B -", "v1 C -", "v1 D -"]);
        assert_eq!(names("---\r\napiVersion: v1\r\nkind: A\r\n---\r\n"), ["v1 A -"]);
        assert!(names("").is_empty() && names("---\n---\n# only comments\n").is_empty());
    }

    #[test]
    fn lists_of_every_kind_stand_for_their_items() {
        let text = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: one}}\n\
                    - apiVersion: v1\n  kind: List\n  items: [{apiVersion: v1, kind: B}]\n";
        assert_eq!(names(text), ["v1 A one", "v1 B -"]);
        assert_eq!(
            names("{apiVersion: apps/v1, kind: DeploymentList, items: [{}]}"),
            ["apps/v1 Deployment -"]
        );
        assert_eq!(names("{apiVersion: example.com/v1, kind: AllowList}"), ["example.com/v1 AllowList -"]);
        assert!(names("{apiVersion: v1, kind: List, items: []}").is_empty());
    }

    #[test]
    fn json_may_be_indented_with_tabs() {
        assert_eq!(names("{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"A\"\n}\n"), ["v1 A -"]);
    }

    #[test]
    fn places_are_those_of_the_whole_text() {
        let text = "---\n# comment\napiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: A\n  metadata:\n    \
                    name: x\n";
        let objects = read_objects(text).unwrap();
        let at = |path: &[&str]| objects[0].position(path).map(|place| (place.line, place.column));
        assert_eq!(at(&["metadata", "name"]), Some((9, 5)));
        assert_eq!(at(&["metadata", "namespace"]), Some((8, 3)));
        assert_eq!(
            objects[0].value_position(&["kind"]).map(|place| (place.line, place.column)),
            Some((7, 9))
        );
        assert_eq!(objects[0].value_position(&["spec"]), None);
    }

    #[test]
    fn what_is_no_object_says_where() {
        for (text, line, message) in [
            ("a: b\n---\nkind: A\n", 1, "the object has no apiVersion"),
            ("apiVersion: v1\nkind: A\n---\napiVersion: v1\n", 4, "the object has no kind"),
            ("apiVersion: v1\nkind: [A]\n", 2, "kind must be a text, but is a list"),
            ("---\n\n- a\n", 3, "an object is expected, but this is a list"),
            ("just words\n", 1, "an object is expected, but this is a text"),
            ("apiVersion: v1\nkind: List\nitems:\n- 7\n", 4, "an object is expected, but this is a number"),
            (
                "apiVersion: v1\nkind: A\n---\na: [\n",
                4,
                "error converting YAML to JSON: yaml: line 4: did not find expected node content",
            ),
        ] {
            let error = read_objects(text).expect_err(text);
            assert_eq!(error.position.map(|place| place.line), Some(line), "{text}");
            assert_eq!(error.to_string(), message, "{text}");
        }
    }
}
