//! Writes the types as bytes: a table of all words, then the types and kinds as numbers of words and flags.

use std::collections::HashMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::kinds::Kind;
use crate::model::{List, Node, Shape, Types};

/// The two tables, before compression. Descriptions stand in the order of the places.
pub(crate) struct Packed {
    pub(crate) structure: Vec<u8>,
    pub(crate) descriptions: Vec<u8>,
}

#[derive(Default)]
struct Packer {
    numbers: HashMap<String, usize>,
    words: Vec<String>,
    body: Vec<u8>,
    descriptions: Vec<u8>,
}

pub(crate) fn compress(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

pub(crate) fn pack(types: &Types, kinds: &[Kind]) -> Packed {
    let mut packer = Packer::default();
    number(&mut packer.body, types.len());
    for (name, node) in types {
        packer.word(name);
        packer.node(node);
    }
    number(&mut packer.body, kinds.len());
    for kind in kinds {
        for word in [kind.group, kind.version, kind.kind, kind.resource, &kind.type_name] {
            packer.word(word);
        }
        packer.word(kind.list.unwrap_or_default());
        packer.body.push(kind.scope);
    }
    let mut structure = Vec::new();
    number(&mut structure, packer.words.len());
    for word in &packer.words {
        text(&mut structure, word);
    }
    structure.extend(packer.body);
    Packed { structure, descriptions: packer.descriptions }
}

fn number(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn text(bytes: &mut Vec<u8>, text: &str) {
    number(bytes, text.len());
    bytes.extend(text.as_bytes());
}

impl Packer {
    fn word(&mut self, word: &str) {
        let next = self.words.len();
        let index = *self.numbers.entry(word.to_owned()).or_insert(next);
        if index == next {
            self.words.push(word.to_owned());
        }
        number(&mut self.body, index);
    }

    fn words<'a>(&mut self, words: impl ExactSizeIterator<Item = &'a String>) {
        number(&mut self.body, words.len());
        words.for_each(|word| self.word(word));
    }

    fn node(&mut self, node: &Node) {
        text(&mut self.descriptions, node.description.as_deref().unwrap_or_default());
        let flags = [
            node.pointer,
            node.always,
            node.omit_zero,
            node.merge,
            node.merge_key.is_some(),
            node.retain_keys,
            node.default.is_some(),
            node.inline.is_some(),
            node.replace,
        ];
        number(&mut self.body, flags.iter().rev().fold(0, |bits, flag| bits << 1 | usize::from(*flag)));
        self.word(&node.go);
        if let Some(key) = &node.merge_key {
            self.word(key);
        }
        if let Some(default) = &node.default {
            self.word(&default.to_string());
        }
        if let Some(inline) = &node.inline {
            self.word(inline);
        }
        match &node.shape {
            Shape::Scalar(index) => self.body.extend([b's', *index]),
            Shape::Object { fields, required, atomic } => {
                self.body.extend([b'o', u8::from(*atomic)]);
                self.words(required.iter());
                number(&mut self.body, fields.len());
                for (name, field) in fields {
                    self.word(name);
                    self.node(field);
                }
            }
            Shape::Map { values, atomic } => {
                self.body.extend([b'm', u8::from(*atomic)]);
                self.node(values);
            }
            Shape::List { items, kind } => {
                self.body.push(b'l');
                match kind {
                    List::Atomic => self.body.push(0),
                    List::Set => self.body.push(1),
                    List::Map(keys) => {
                        self.body.push(2);
                        self.words(keys.iter());
                    }
                }
                self.node(items);
            }
            Shape::Untyped => self.body.push(b'u'),
            Shape::Named(name) => {
                self.body.push(b'n');
                self.word(name);
            }
        }
    }
}
