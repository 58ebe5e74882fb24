//! Reads JSON, with the complaints of Go's `encoding/json`.

use goyaml::json::{Build, build};

use super::{Text, Tree};

/// Why a document is no JSON, in Go's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct SyntaxError(#[from] goyaml::json::Error);

pub(super) fn parse(text: &str) -> Result<Tree, SyntaxError> {
    Ok(build(text, &mut Trees)?)
}

struct Trees;

impl<'t> Build<'t> for Trees {
    type Value = Tree;

    fn null(&mut self) -> Tree {
        Tree::Null
    }

    fn bool(&mut self, value: bool) -> Tree {
        Tree::Bool(value)
    }

    fn number(&mut self, digits: &'t str) -> Tree {
        Tree::Number(digits.into())
    }

    fn string(&mut self, value: String, spelling: &'t str) -> Tree {
        Tree::String(Text::spelled(value, spelling))
    }

    fn array(&mut self, items: Vec<Tree>) -> Tree {
        Tree::List(items)
    }

    fn object(&mut self, entries: Vec<(String, Tree)>) -> Tree {
        Tree::Object(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_documents_are_refused() {
        assert!(parse(&"[".repeat(1001)).unwrap_err().to_string().contains("max depth"));
        let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
        assert!(parse(&deep).is_ok());
    }

    #[test]
    fn order_and_doubles_stay() {
        let tree = parse(r#"{"b": 1, "a": [true, null], "b": "\u00e9\ud83d\ude00\ud800"}"#).unwrap();
        let Tree::Object(entries) = &tree else { panic!() };
        assert_eq!(entries.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["b", "a", "b"]);
        assert_eq!(tree.get("b").unwrap().as_str(), Some("é😀\u{fffd}"));
    }
}
