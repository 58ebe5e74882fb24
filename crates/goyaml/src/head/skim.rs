//! The head out of the events of an ordinary manifest.

use std::borrow::Cow;

use super::Head;
use crate::YamlError;
use crate::parse::{EventKind, Parser, Properties};
use crate::resolve::{Resolved, resolve};
use crate::scan::Input;
use crate::strconv::format_float;
use crate::value::MAX_DEPTH;

/// Which part of the manifest a value belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Root,
    ApiVersion,
    Kind,
    Metadata,
    Name,
    Namespace,
    Annotations,
    Labels,
    /// A value inside `Annotations` or `Labels`.
    Annotation,
    Label,
    Other,
}

/// An open collection; a mapping that waits for a value knows for what.
#[derive(Clone, Copy)]
enum Open {
    Sequence,
    Key(Field),
    Value(Field, Field),
}

/// The head, or `None` where only the full reader can tell.
pub(super) fn skim(input: Input<'_>) -> Result<Option<Head>, YamlError> {
    let mut parser = Parser::new(input);
    parser.next()?;
    if matches!(parser.next()?.kind, EventKind::StreamEnd) {
        return Ok(Some(Head::default()));
    }
    let mut skimmer = Skimmer::default();
    loop {
        let ordinary = match parser.next()?.kind {
            EventKind::Alias(_) => false,
            EventKind::Scalar { properties, value, implicit } => {
                is_bare(&properties) && skimmer.scalar(value, implicit)
            }
            EventKind::SequenceStart(_) | EventKind::MappingStart(_) if skimmer.open.len() >= MAX_DEPTH => {
                return Err(YamlError::too_deep());
            }
            EventKind::SequenceStart(properties) => is_bare(&properties) && skimmer.start(false),
            EventKind::MappingStart(properties) => is_bare(&properties) && skimmer.start(true),
            EventKind::SequenceEnd | EventKind::MappingEnd => {
                skimmer.end();
                true
            }
            EventKind::DocumentEnd => return Ok(Some(skimmer.head)),
            EventKind::StreamStart | EventKind::StreamEnd | EventKind::DocumentStart => true,
        };
        if !ordinary {
            return Ok(None);
        }
    }
}

fn is_bare(properties: &Properties<'_>) -> bool {
    properties.anchor.is_none() && properties.tag.is_none()
}

/// Nodes on their way to a head.
#[derive(Default)]
pub(super) struct Skimmer {
    pub(super) head: Head,
    open: Vec<Open>,
    /// The key of the annotation or label whose value comes next.
    entry: String,
}

impl Skimmer {
    /// What the node that comes next is, if it is not a key.
    fn take_field(&mut self) -> Option<Field> {
        match self.open.last_mut() {
            None => Some(Field::Root),
            Some(Open::Sequence) => Some(Field::Other),
            Some(Open::Key(_)) => None,
            Some(last) => {
                let Open::Value(within, field) = *last else { return None };
                *last = Open::Key(within);
                Some(field)
            }
        }
    }

    /// A collection begins; `false` if it has no business here.
    pub(super) fn start(&mut self, mapping: bool) -> bool {
        let Some(field) = self.take_field() else { return false };
        match (field, mapping) {
            (Field::Other, false) => self.open.push(Open::Sequence),
            (Field::Other, true) => self.open.push(Open::Key(Field::Other)),
            // What is not a string does not count as one.
            (Field::Namespace, _) => {
                self.head.namespace.clear();
                self.open.push(if mapping { Open::Key(Field::Other) } else { Open::Sequence });
            }
            (Field::Root, true) => self.open.push(Open::Key(Field::Root)),
            (Field::Metadata, true) => {
                self.forget_metadata();
                self.head.has_metadata = true;
                self.open.push(Open::Key(Field::Metadata));
            }
            (Field::Annotations, true) => {
                self.head.annotations.clear();
                self.open.push(Open::Key(Field::Annotations));
            }
            (Field::Labels, true) => {
                self.head.labels.clear();
                self.open.push(Open::Key(Field::Labels));
            }
            _ => return false,
        }
        true
    }

    /// The innermost collection ends.
    pub(super) fn end(&mut self) {
        self.open.pop();
    }

    /// Whether the value that comes next says nothing about the head. If so, it is as good as past.
    pub(super) fn passes_over(&mut self) -> bool {
        let is_other = matches!(self.open.last(), Some(Open::Value(_, Field::Other)));
        if is_other {
            self.take_field();
        }
        is_other
    }

    fn forget_metadata(&mut self) {
        self.head = Head {
            api_version: std::mem::take(&mut self.head.api_version),
            kind: std::mem::take(&mut self.head.kind),
            ..Head::default()
        };
    }

    /// A scalar, as a key or as a value; `false` if it is out of the ordinary.
    pub(super) fn scalar(&mut self, text: Cow<'_, str>, implicit: bool) -> bool {
        let resolved = if implicit { resolve(&text) } else { Resolved::Text };
        if let Some(Open::Key(within)) = self.open.last() {
            let within = *within;
            return self.key(within, text, resolved, implicit);
        }
        let Some(field) = self.take_field() else { return false };
        if matches!(resolved, Resolved::Float(value) if !value.is_finite()) {
            return false;
        }
        match field {
            Field::Other => {}
            Field::Root => return resolved == Resolved::Null,
            Field::ApiVersion => self.head.api_version = go_string(text, resolved),
            Field::Kind => self.head.kind = go_string(text, resolved),
            Field::Name => self.head.name = go_string(text, resolved),
            Field::Metadata if resolved == Resolved::Null => self.forget_metadata(),
            Field::Annotations if resolved == Resolved::Null => self.head.annotations.clear(),
            Field::Labels => self.head.labels.clear(),
            Field::Metadata | Field::Annotations => return false,
            Field::Namespace => self.head.namespace = string_only(text, resolved).unwrap_or_default(),
            Field::Annotation => {
                let entry = std::mem::take(&mut self.entry);
                self.head.annotations.insert(entry, go_string(text, resolved));
            }
            Field::Label => {
                let entry = std::mem::take(&mut self.entry);
                match string_only(text, resolved) {
                    Some(text) => self.head.labels.insert(entry, text),
                    None => self.head.labels.remove(&entry),
                };
            }
        }
        true
    }

    fn key(&mut self, within: Field, text: Cow<'_, str>, resolved: Resolved, implicit: bool) -> bool {
        if implicit && text == "<<" || matches!(resolved, Resolved::Null | Resolved::Uint(_)) {
            return false;
        }
        let field = match within {
            Field::Root => match &*text {
                "apiVersion" => Field::ApiVersion,
                "kind" => Field::Kind,
                "metadata" => Field::Metadata,
                other if is_variant(other, &["apiVersion", "kind", "metadata"]) => return false,
                _ => Field::Other,
            },
            Field::Metadata => match &*text {
                "name" => Field::Name,
                "namespace" => Field::Namespace,
                "annotations" => Field::Annotations,
                "labels" => Field::Labels,
                other if is_variant(other, &["name", "annotations"]) => return false,
                _ => Field::Other,
            },
            Field::Annotations | Field::Labels => {
                if !matches!(resolved, Resolved::Text | Resolved::Timestamp) {
                    return false;
                }
                self.entry = text.into_owned();
                if within == Field::Annotations { Field::Annotation } else { Field::Label }
            }
            _ => Field::Other,
        };
        if let Some(open) = self.open.last_mut() {
            *open = Open::Value(within, field);
        }
        true
    }
}

/// Whether Go would take `key` for one of `fields` although it is spelled otherwise.
fn is_variant(key: &str, fields: &[&str]) -> bool {
    !key.is_ascii() || fields.iter().any(|field| key.eq_ignore_ascii_case(field))
}

/// What a Go string field holds after decoding the scalar.
fn go_string(text: Cow<'_, str>, resolved: Resolved) -> String {
    match resolved {
        Resolved::Null => String::new(),
        Resolved::Bool(value) => value.to_string(),
        Resolved::Int(value) => value.to_string(),
        Resolved::Uint(value) => value.to_string(),
        Resolved::Float(value) => format_float(value, b'g', -1, 32),
        Resolved::Text | Resolved::Timestamp | Resolved::Binary => text.into_owned(),
    }
}

fn string_only(text: Cow<'_, str>, resolved: Resolved) -> Option<String> {
    matches!(resolved, Resolved::Text | Resolved::Timestamp).then(|| text.into_owned())
}
