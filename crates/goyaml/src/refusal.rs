//! Why a document is refused, in Go's words.
//!
//! The composer knows that a document is refused, but not always what Go says of it: it has forgotten what the
//! keys were before they became text, and meets the mistakes in another order. So a refused document is read once
//! more, pass by pass as Go does it: nodes, then Go values, then what JSON cannot hold.

use std::collections::{HashMap, HashSet};

use crate::base64;
use crate::compose::too_many_aliases;
use crate::gosyntax::{self, GoValue};
use crate::parse::{EventKind, Parser};
use crate::resolve::{Resolved, resolve, resolve_tagged};
use crate::scan::Input;
use crate::value::MAX_DEPTH;

/// What Go says of a document that it does not turn into JSON. Nothing if it does, or if telling would take more
/// room than there is.
pub(crate) fn explain(input: Input<'_>) -> Option<String> {
    let nodes = Nodes::read(input)?;
    let mut decoder =
        Decoder { nodes: &nodes.all, within: HashSet::new(), decoded: 1, by_alias: 0, aliases: 0 };
    match decoder.value(nodes.root, 0) {
        Ok(value) => unsupported_key(&value),
        Err(Stop::Problem(problem)) => Some(problem),
        Err(Stop::TooDeep) => None,
    }
}

/// A node; collections and aliases refer to others by their place among all nodes.
enum Node {
    Scalar {
        tag: Option<Box<str>>,
        text: String,
        implicit: bool,
    },
    Sequence(Vec<usize>),
    /// Keys and values in turn.
    Mapping(Vec<usize>),
    Alias {
        name: String,
        target: usize,
    },
}

struct Nodes {
    all: Vec<Node>,
    root: usize,
}

impl Nodes {
    fn read(input: Input<'_>) -> Option<Self> {
        let mut parser = Parser::new(input);
        let mut all: Vec<Node> = Vec::new();
        let mut anchors: HashMap<&str, usize> = HashMap::new();
        let mut open: Vec<usize> = Vec::new();
        let mut root = None;
        loop {
            let (node, anchor) = match parser.next().ok()?.kind {
                EventKind::StreamStart | EventKind::DocumentStart => continue,
                EventKind::StreamEnd | EventKind::DocumentEnd => break,
                EventKind::SequenceEnd | EventKind::MappingEnd => {
                    open.pop();
                    continue;
                }
                EventKind::Alias(name) => {
                    (Node::Alias { name: name.to_owned(), target: *anchors.get(name)? }, None)
                }
                EventKind::Scalar { properties, value, implicit } => (
                    Node::Scalar { tag: properties.tag, text: value.into_owned(), implicit },
                    properties.anchor,
                ),
                EventKind::SequenceStart(properties) => (Node::Sequence(Vec::new()), properties.anchor),
                EventKind::MappingStart(properties) => (Node::Mapping(Vec::new()), properties.anchor),
            };
            let index = all.len();
            if let Some(anchor) = anchor {
                anchors.insert(anchor, index);
            }
            match open.last().map(|&parent| &mut all[parent]) {
                Some(Node::Sequence(children) | Node::Mapping(children)) => children.push(index),
                _ => root = root.or(Some(index)),
            }
            if matches!(node, Node::Sequence(_) | Node::Mapping(_)) {
                open.push(index);
            }
            all.push(node);
        }
        root.map(|root| Self { all, root })
    }
}

/// Why decoding ends early.
enum Stop {
    Problem(String),
    /// Aliases inside of aliases: deeper than this program reads, and told in other words.
    TooDeep,
}

fn problem(text: &str) -> Stop {
    Stop::Problem(format!("yaml: {text}"))
}

fn want_map() -> Stop {
    problem("map merge requires map or sequence of maps as the value")
}

/// The entries of a map in the making.
type Entries = Vec<(GoValue, GoValue)>;

struct Decoder<'a> {
    nodes: &'a [Node],
    /// The aliases that are being followed.
    within: HashSet<usize>,
    decoded: usize,
    by_alias: usize,
    aliases: usize,
}

impl Decoder<'_> {
    /// Counts a node that is decoded.
    fn visit(&mut self, depth: usize) -> Result<(), Stop> {
        self.decoded += 1;
        self.by_alias += usize::from(self.aliases > 0);
        if too_many_aliases(self.decoded, self.by_alias) {
            return Err(problem("document contains excessive aliasing"));
        }
        if depth > MAX_DEPTH { Err(Stop::TooDeep) } else { Ok(()) }
    }

    fn value(&mut self, index: usize, depth: usize) -> Result<GoValue, Stop> {
        self.visit(depth)?;
        let nodes = self.nodes;
        match &nodes[index] {
            Node::Scalar { tag, text, implicit } => scalar(tag.as_deref(), text, *implicit),
            Node::Alias { name, target } => {
                self.follow(index, name, |decoder| decoder.value(*target, depth + 1))
            }
            Node::Sequence(items) => {
                let items = items.iter().map(|&item| self.value(item, depth + 1));
                items.collect::<Result<_, _>>().map(GoValue::List)
            }
            Node::Mapping(children) => {
                let mut entries = Entries::new();
                self.mapping(children, &mut entries, depth)?;
                Ok(GoValue::map(entries))
            }
        }
    }

    fn follow<T>(
        &mut self,
        alias: usize,
        name: &str,
        decode: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        if !self.within.insert(alias) {
            return Err(problem(&format!("anchor '{name}' value contains itself")));
        }
        self.aliases += 1;
        let decoded = decode(self)?;
        self.aliases -= 1;
        self.within.remove(&alias);
        Ok(decoded)
    }

    fn mapping(&mut self, children: &[usize], entries: &mut Entries, depth: usize) -> Result<(), Stop> {
        for pair in children.chunks_exact(2) {
            if self.is_merge(pair[0]) {
                self.merge(pair[1], entries, depth)?;
                continue;
            }
            let key = self.value(pair[0], depth + 1)?;
            if matches!(key, GoValue::List(_) | GoValue::Map(_)) {
                return Err(problem(&format!("invalid map key: {}", gosyntax::print(&key))));
            }
            let value = self.value(pair[1], depth + 1)?;
            entries.push((key, value));
        }
        Ok(())
    }

    fn is_merge(&self, key: usize) -> bool {
        let Node::Scalar { tag, text, implicit } = &self.nodes[key] else { return false };
        text == "<<" && (*implicit || tag.as_deref() == Some("tag:yaml.org,2002:merge"))
    }

    fn merge(&mut self, index: usize, entries: &mut Entries, depth: usize) -> Result<(), Stop> {
        let nodes = self.nodes;
        match &nodes[index] {
            // Earlier mappings win, so they are set last.
            Node::Sequence(items) => {
                items.iter().rev().try_for_each(|&item| self.merge_one(item, entries, depth + 1))
            }
            _ => self.merge_one(index, entries, depth + 1),
        }
    }

    fn merge_one(&mut self, index: usize, entries: &mut Entries, depth: usize) -> Result<(), Stop> {
        let nodes = self.nodes;
        match &nodes[index] {
            Node::Mapping(children) => {
                self.visit(depth)?;
                self.mapping(children, entries, depth)
            }
            Node::Alias { name, target } => {
                let Node::Mapping(children) = &nodes[*target] else { return Err(want_map()) };
                self.visit(depth)?;
                self.follow(index, name, |decoder| {
                    decoder.visit(depth)?;
                    decoder.mapping(children, entries, depth + 1)
                })
            }
            Node::Scalar { .. } | Node::Sequence(_) => Err(want_map()),
        }
    }
}

fn scalar(tag: Option<&str>, text: &str, implicit: bool) -> Result<GoValue, Stop> {
    let resolved = match tag {
        None if implicit => resolve(text),
        None => Resolved::Text,
        Some(tag) => resolve_tagged(tag, text).map_err(Stop::Problem)?,
    };
    Ok(match resolved {
        Resolved::Null => GoValue::Nil,
        Resolved::Bool(value) => GoValue::Bool(value),
        Resolved::Int(value) => GoValue::Int(value),
        Resolved::Uint(value) => GoValue::Uint(value),
        Resolved::Float(value) => GoValue::Float(value),
        Resolved::Text | Resolved::Timestamp => GoValue::Text(text.as_bytes().to_vec()),
        Resolved::Binary => {
            let bytes =
                base64::decode(text).ok_or_else(|| problem("!!binary value contains invalid base64 data"))?;
            GoValue::Text(bytes)
        }
    })
}

/// The first key that JSON cannot have. Go walks its maps in random order, so of several it may name any.
fn unsupported_key(value: &GoValue) -> Option<String> {
    match value {
        GoValue::List(items) => items.iter().find_map(unsupported_key),
        GoValue::Map(entries) => entries.iter().find_map(|(key, value)| match key {
            GoValue::Nil | GoValue::Uint(_) => Some(gosyntax::print_key(key, value)),
            _ => unsupported_key(value),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_go_says() {
        let cases = [
            (
                "? {a: 1, 1: 2, true: 3, 1.5: 4, ~: 5, 18446744073709551615: 6, 0: 1, b: 2.0, c: .inf, .nan: 7}\n: x",
                r#"yaml: invalid map key: map[interface {}]interface {}{interface {}(nil):5, "a":1, "b":2, "c":+Inf, 0xffffffffffffffff:6, 0:1, 1:2, NaN:7, 1.5:4, true:3}"#,
            ),
            (
                "~: {1: a, 1: b, '1': c}",
                r#"unsupported map key of type: %!s(<nil>), key: <nil>, value: map[interface {}]interface {}{"1":"c", 1:"b"}"#,
            ),
            ("? [!!binary 18EA, é]\n: x", r#"yaml: invalid map key: []interface {}{"\xd7\xc1\x00", "é"}"#),
            ("a: &x\n  <<: *x", "yaml: anchor 'x' value contains itself"),
            ("a: &x\n- <<: *x", "yaml: map merge requires map or sequence of maps as the value"),
            ("a: &x [{<<: [*x]}]", "yaml: map merge requires map or sequence of maps as the value"),
            ("[a]: !!int x", r#"yaml: invalid map key: []interface {}{"a"}"#),
            ("a: !!int x\n[a]: 1", "yaml: cannot decode !!str `x` as a !!int"),
        ];
        for (text, expected) in cases {
            assert_eq!(explain(Input::new(text)).as_deref(), Some(expected), "{text:?}");
        }
        for fine in ["a: 1", "a: &x {b: 1}\nc: {<<: *x}", ""] {
            assert_eq!(explain(Input::new(fine)), None, "{fine:?}");
        }
    }
}
