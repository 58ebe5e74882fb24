//! Kubernetes' dialect of JSONPath: templates such as `{.image.tag}` or `{range .items[*]}{.name} {end}`.
//!
//! It is what `kubectl -o jsonpath` speaks: text with actions in braces, paths with slices, unions, filters and
//! recursive descent, and loops.

mod compare;
mod evaluate;
mod parse;
mod print;
mod quoted;

use std::borrow::Cow;

use goyaml::Value;
use thiserror::Error;

use parse::{Piece, Step};

/// A parsed template.
#[derive(Debug, Clone)]
pub struct JsonPath {
    pieces: Vec<Piece>,
}

/// Why a template cannot be read, or has no result for some data.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct JsonPathError {
    message: String,
    at: Option<usize>,
}

impl JsonPathError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), at: None }
    }

    fn at(at: usize, message: impl Into<String>) -> Self {
        Self { message: message.into(), at: Some(at) }
    }

    /// Where in the template reading stopped, in bytes; inside of brackets, where these begin.
    pub fn position(&self) -> Option<usize> {
        self.at
    }
}

impl JsonPath {
    /// Reads a template.
    pub fn parse(template: &str) -> Result<Self, JsonPathError> {
        Ok(Self { pieces: parse::template(template)? })
    }

    /// Reads a template that is one path, and nothing else: no text around it, no loops, no bare words.
    pub fn parse_path(template: &str) -> Result<Self, JsonPathError> {
        let path = Self::parse(template)?;
        let [Piece::Action(steps)] = path.pieces.as_slice() else {
            return Err(JsonPathError::at(0, "this is not a single path"));
        };
        match bare_word(steps) {
            Some((name, at)) => Err(JsonPathError::at(at, format!("unrecognized identifier {name}"))),
            None => Ok(path),
        }
    }

    /// The text that the template makes of some data. A path that leads nowhere is an error.
    pub fn render(&self, data: &Value) -> Result<String, JsonPathError> {
        self.print(data, false)
    }

    /// The text that the template makes of some data. A name that is missing is no error, and leaves no trace; that
    /// is how `kubectl get` prints.
    pub fn render_leniently(&self, data: &Value) -> Result<String, JsonPathError> {
        self.print(data, true)
    }

    /// The values that the template finds in some data, in their order; none if something on the way is missing or
    /// of the wrong kind.
    pub fn find<'a>(&self, data: &'a Value) -> Vec<Cow<'a, Value>> {
        let found = evaluate::template(&self.pieces, data, true).unwrap_or_default();
        found.into_iter().flatten().flatten().collect()
    }

    fn print(&self, data: &Value, allow_missing: bool) -> Result<String, JsonPathError> {
        let mut text = String::new();
        for results in evaluate::template(&self.pieces, data, allow_missing)? {
            print::results(&results, &mut text)?;
        }
        Ok(text)
    }
}

/// The first word of a path that is neither a name nor a value, and where it stands.
fn bare_word(steps: &[Step]) -> Option<(&str, usize)> {
    steps.iter().find_map(|step| match step {
        Step::Keyword { name, at } => Some((name.as_str(), *at)),
        Step::Union(paths) => paths.iter().find_map(|steps| bare_word(steps)),
        Step::Filter { left, right, .. } => bare_word(left).or_else(|| bare_word(right)),
        Step::Exists(steps) => bare_word(steps),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data() -> Value {
        let item = |name: &str, v: f64| {
            Value::Mapping(
                [("name".to_owned(), Value::String(name.to_owned())), ("v".to_owned(), Value::Float(v))]
                    .into(),
            )
        };
        let numbers = [1.0, 2.0, 3.0].map(Value::Float).to_vec();
        Value::Mapping(
            [
                ("s", Value::String("text".to_owned())),
                ("b", Value::Bool(true)),
                ("big", Value::Float(1e6)),
                ("list", Value::Sequence(numbers)),
                ("empty", Value::Sequence(Vec::new())),
                ("items", Value::Sequence(vec![item("a", 1.0), item("b", 2.0)])),
                ("m", Value::Mapping([("x".to_owned(), item("deep", 9.0))].into())),
            ]
            .map(|(key, value)| (key.to_owned(), value))
            .into(),
        )
    }

    #[test]
    fn finds_what_kubectl_finds() {
        for (template, expected) in [
            ("{.s}", "text"),
            ("{$.s}", "text"),
            ("{ .s }", "text"),
            ("pre{.s}{\"\\n\"}post", "pretext\npost"),
            ("plain", "plain"),
            ("{.b}", "true"),
            ("{.list[*]}", "1 2 3"),
            ("{.list[0]}", "1"),
            ("{.list[-1]}", "3"),
            ("{.list[0:2]}", "1 2"),
            ("{.list[0:3:2]}", "1 3"),
            ("{.items[*].name}", "a b"),
            ("{.items[0,1].name}", "a b"),
            ("{.items[0].name}-{.items[1].name}", "a-b"),
            ("{.items[?(@.name==\"b\")].v}", "2"),
            ("{.items[?(@.name!='b')].v}", "1"),
            ("{.items[?(@.v>1.5)].name}", "b"),
            ("{range .items[*]}{.name}={.v},{end}!", "a=1,b=2,!"),
            ("{.m['x'].name}", "deep"),
            ("{.m.*.name}", "deep"),
            ("{.m..name}", "deep"),
            ("{true} {1}", "true 1"),
        ] {
            let found = JsonPath::parse(template).and_then(|path| path.render(&data()));
            assert_eq!(found, Ok(expected.to_owned()), "{template}");
        }
    }

    #[test]
    fn says_why_there_is_nothing() {
        for (template, message) in [
            ("{.nope}", "nope is not found"),
            ("{.s.deeper}", "deeper is not found"),
            ("{.list[7]}", "array index out of bounds: index 7, length 3"),
            ("{.items[?(@.v>1)].name}", "incompatible types for comparison"),
            ("{range .empty[*]}{.name}{end}", "name is not found"),
            ("{end}", "not in range, nothing to end"),
            ("{foo}", "unrecognized identifier foo"),
        ] {
            let path = JsonPath::parse(template).expect(template);
            assert_eq!(
                path.render(&data()).map_err(|error| error.to_string()),
                Err(message.to_owned()),
                "{template}"
            );
        }
    }

    #[test]
    fn refuses_what_cannot_be_read() {
        for (template, message) in [
            ("{.s", "unclosed action"),
            ("{.list[x]}", "invalid array index x"),
            ("{.list[0}", "unterminated array"),
            ("{#}", "unrecognized character in action: U+0023 '#'"),
            ("{.items[?(@.v]}", "unterminated filter"),
            ("{\"open}", "unterminated quoted string"),
            ("{....x}", "invalid multiple recursive descent"),
        ] {
            assert_eq!(
                JsonPath::parse(template).map(|_| ()).map_err(|error| error.to_string()),
                Err(message.to_owned()),
                "{template}"
            );
        }
    }
}
