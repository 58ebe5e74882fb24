//! The head of a Kubernetes manifest, as Helm's `SimpleHead` reads it.
//!
//! Plain manifests are read line by line, ordinary ones from the events alone, without building the document. Whatever is not
//! ordinary (anchors, tags, merge keys, fields in another case, values of the wrong type) is left to
//! the full reader, so that both accept and refuse the same.

mod decode;
mod lines;
mod skim;

use std::collections::BTreeMap;

use crate::compose::compose_unchecked;
use crate::scan::Input;
use crate::{Error, Value};

/// What tells one manifest from another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// `apiVersion`.
    pub api_version: String,
    /// `kind`.
    pub kind: String,
    /// Whether there is a `metadata` that is not null.
    pub has_metadata: bool,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.namespace`, when it is a string.
    pub namespace: String,
    /// `metadata.annotations`.
    pub annotations: BTreeMap<String, String>,
    /// `metadata.labels`, those with string values.
    pub labels: BTreeMap<String, String>,
}

impl Head {
    /// Reads the head of the first document, failing as Helm's decoding into `SimpleHead` fails.
    ///
    /// # Errors
    /// The whole document is checked: what [`from_str`](crate::from_str) refuses is refused here.
    #[expect(clippy::should_implement_trait, reason = "named like the other readers of this crate")]
    pub fn from_str(text: &str) -> Result<Self, Error> {
        if let Some(head) = Self::from_lines(text) {
            return Ok(head);
        }
        let input = Input::new(text);
        if let Some(head) = skim::skim(input).map_err(Error::Yaml)? {
            return Ok(head);
        }
        decode::decode(compose_unchecked(input).map_err(Error::Yaml)?)
    }

    /// The head of a document that can be understood line by line, as most can; `None` says nothing about it.
    pub fn from_lines(text: &str) -> Option<Self> {
        lines::skim(text)
    }

    /// The head of a document that has been read already.
    pub fn from_value(value: Value) -> Result<Self, Error> {
        decode::decode(crate::compose::Composed { value, not_finite: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_give_the_same() {
        let manifests = [
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations: {x: \"1\"}\n  labels:\n    l: m\nspec: [1]\n",
            "kind: 12\nmetadata: {name: true, namespace: n, annotations: {a: 1.50, b: ~, c: 0x10}}\n",
            "kind: A\nkind: B\nmetadata: {name: x}\nmetadata: {annotations: {k: v}}\n",
            "metadata:\n",
            "",
            "- - - a\n",
        ];
        for text in manifests {
            let read = crate::from_str(text).unwrap();
            assert_eq!(Head::from_str(text), Head::from_value(read), "{text}");
        }
    }

    #[test]
    fn what_go_accepts_is_read() {
        let head =
            Head::from_str("Kind: X\napiversion: v1\nmetadata: {Name: m, annotations: {a: .inf, b: 1e21}}")
                .unwrap();
        assert_eq!((head.kind.as_str(), head.api_version.as_str(), head.name.as_str()), ("X", "v1", "m"));
        assert_eq!(head.annotations["a"], "+Inf");
        assert_eq!(head.annotations["b"], "1e+21");
        let anchored = "x: &n {name: a}\nmetadata:\n  <<: *n\n  annotations: !!map {a: !!str 1}\n";
        assert_eq!(Head::from_str(anchored).unwrap().name, "a");
    }

    #[test]
    fn what_go_refuses() {
        let wrong = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal";
        let metadata =
            r#"struct { Name string "json:\"name\""; Annotations map[string]string "json:\"annotations\"" }"#;
        let cases = [
            (
                "metadata: {annotations: {a: {b: 1}}}",
                format!("{wrong} object into Go struct field .metadata.annotations of type string"),
            ),
            (
                "metadata: {annotations: [a]}",
                format!("{wrong} array into Go struct field .metadata.annotations of type map[string]string"),
            ),
            (
                "metadata: x",
                format!("{wrong} string into Go struct field SimpleHead.metadata of type {metadata}"),
            ),
            ("kind: [1]", format!("{wrong} array into Go struct field SimpleHead.kind of type string")),
            (
                "metadata: {name: [1]}",
                format!("{wrong} array into Go struct field .metadata.name of type string"),
            ),
            ("- a", format!("{wrong} array into Go value of type util.SimpleHead")),
            ("a: .nan", "error converting YAML to JSON: json: unsupported value: NaN".to_owned()),
            (
                "a: b: c",
                "error converting YAML to JSON: yaml: mapping values are not allowed in this context"
                    .to_owned(),
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(Head::from_str(text).map_err(|error| error.to_string()), Err(expected), "{text}");
        }
    }
}
