//! From events to values: anchors, merge keys, keys that become strings, and what goyaml refuses.
//!
//! Go does this in three passes (nodes, then Go values, then JSON), each over the whole document; here
//! it is one. What a later pass would object to is only noted while there may still be an error of an
//! earlier one, and what Go says of a document that is refused is left to `refusal`.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::gosyntax;
use crate::parse::{EventKind, Parser, Properties};
use crate::refusal;
use crate::resolve::{Resolved, resolve, resolve_tagged};
use crate::scan::Input;
use crate::strconv::format_float;
use crate::value::MAX_DEPTH;
use crate::{Mapping, Value, YamlError, base64};

/// Reads the first document; `strict` makes a key that is set twice an error.
pub(crate) fn compose(input: Input<'_>, strict: bool) -> Result<Value, YamlError> {
    let composed = Composer::new(input, strict).document()?;
    if composed.not_finite {
        check_finite(&composed.value)?;
    }
    Ok(composed.value)
}

/// A document that may still hold numbers which JSON does not have.
pub(crate) struct Composed {
    pub(crate) value: Value,
    /// Whether there may be such numbers.
    pub(crate) not_finite: bool,
}

/// Reads the first document, leaving infinities and NaN to the caller.
pub(crate) fn compose_unchecked(input: Input<'_>) -> Result<Composed, YamlError> {
    Composer::new(input, false).document()
}

/// Fails on the first number that JSON does not have, in the order in which JSON is written.
pub(crate) fn check_finite(value: &Value) -> Result<(), YamlError> {
    match value {
        Value::Float(float) if !float.is_finite() => {
            let text = format!("json: unsupported value: {}", format_float(*float, b'g', -1, 64));
            Err(YamlError::new(text, None))
        }
        Value::Sequence(items) => items.iter().try_for_each(check_finite),
        Value::Mapping(entries) => entries.values().try_for_each(check_finite),
        _ => Ok(()),
    }
}

/// A finished node.
#[derive(Clone)]
struct Node {
    value: Value,
    /// How many nodes goyaml visits to decode it, aliases followed.
    size: usize,
    /// In strict reading, the keys of a mapping in the order they were set.
    keys: Option<Keys>,
    /// Whether it cannot be converted to JSON, unless it is overwritten before that.
    problem: bool,
    /// Of a mapping, the name of its key that is a float of zero.
    zero: Option<&'static str>,
}

impl Node {
    fn new(value: Value, size: usize) -> Self {
        Self { value, size, keys: None, problem: false, zero: None }
    }
}

/// A key as Go's map holds it, apart from keys of another type that print the same.
#[derive(Clone, PartialEq, Eq, Hash)]
struct GoKey {
    text: String,
    float: bool,
}

impl GoKey {
    /// The key by which Go finds it: zero has one, whatever its sign.
    fn as_found(&self) -> Self {
        let text = if self.float && self.text == "-0" { "0" } else { &self.text };
        Self { text: text.to_owned(), float: self.float }
    }
}

#[derive(Clone)]
struct SetKey {
    key: GoKey,
    /// The line of the value, from 1.
    line: u32,
}

/// The keys of a mapping in the order they were set.
#[derive(Clone, Default)]
struct Keys {
    order: Vec<SetKey>,
    known: HashSet<GoKey>,
}

impl Keys {
    /// Notes a key, with a complaint if it is set already.
    fn set(&mut self, set: SetKey, complaints: &mut Vec<String>) {
        if self.known.insert(set.key.as_found()) {
            self.order.push(set);
        } else {
            complaints.push(format!("line {}: key {} already set in map", set.line, set.key.text));
        }
    }
}

/// What the next node of a mapping is for.
enum Slot {
    Key,
    Value {
        name: String,
        key: Option<GoKey>,
        /// Whether JSON cannot have the key.
        unsupported: bool,
        /// Its name, if it is a float of zero.
        zero: Option<&'static str>,
    },
    Merge,
}

/// A collection that is not finished.
enum Frame {
    Sequence { items: Vec<Value>, merged: Option<Vec<Node>> },
    Mapping { entries: Vec<(String, Value)>, slot: Slot, keys: Option<Keys>, zero: Option<Zero> },
}

/// Where among the entries of a mapping the key is that is a float of zero. Its sign shows in its name, but to Go
/// both are one key: the last one set stays.
#[derive(Clone, Copy)]
struct Zero {
    name: &'static str,
    place: usize,
}

impl Zero {
    /// Forgets the entry of another sign, which the entry of this name replaces.
    fn give_way(self, name: &str, entries: &mut Vec<(String, Value)>, problems: &mut Vec<Option<String>>) {
        if self.name != name {
            entries.remove(self.place);
            note_problem(problems, self.name, false);
        }
    }
}

struct Open<'a> {
    frame: Frame,
    size: usize,
    anchor: Option<&'a str>,
    line: u32,
    /// The keys of the values that cannot be converted to JSON; `None` for what no other value replaces.
    problems: Vec<Option<String>>,
}

/// What an anchor names.
enum Anchored {
    /// The node it stands on is not finished: an alias to it would contain itself.
    Open,
    Done(Node),
}

struct Composer<'a> {
    input: Input<'a>,
    parser: Parser<'a>,
    strict: bool,
    stack: Vec<Open<'a>>,
    anchors: HashMap<&'a str, Anchored>,
    decoded: usize,
    decoded_by_alias: usize,
    /// What decoding stops at.
    failure: Option<String>,
    /// What decoding complains about but goes on.
    complaints: Vec<String>,
    /// Whether some number has no JSON.
    not_finite: bool,
}

impl<'a> Composer<'a> {
    fn new(input: Input<'a>, strict: bool) -> Self {
        Self {
            input,
            parser: Parser::new(input),
            strict,
            stack: Vec::with_capacity(16),
            anchors: HashMap::new(),
            decoded: 1,
            decoded_by_alias: 0,
            failure: None,
            complaints: Vec::new(),
            not_finite: false,
        }
    }

    fn document(mut self) -> Result<Composed, YamlError> {
        self.parser.next()?;
        if matches!(self.parser.next()?.kind, EventKind::StreamEnd) {
            return Ok(Composed { value: Value::Null, not_finite: false });
        }
        let mut root = Node::new(Value::Null, 1);
        loop {
            let event = self.parser.next()?;
            let line = event.mark.line + 1;
            let done = match event.kind {
                EventKind::Scalar { properties, value, implicit } => {
                    self.scalar(&properties, value, implicit, line)
                }
                EventKind::Alias(name) => self.alias(name, line)?,
                EventKind::SequenceStart(_) | EventKind::MappingStart(_) if self.stack.len() >= MAX_DEPTH => {
                    return Err(YamlError::too_deep());
                }
                EventKind::SequenceStart(properties) => {
                    let merged = self.merging().then(Vec::new);
                    self.open(Frame::Sequence { items: Vec::new(), merged }, &properties, line);
                    None
                }
                EventKind::MappingStart(properties) => {
                    let keys = self.strict.then(Keys::default);
                    let frame = Frame::Mapping { entries: Vec::new(), slot: Slot::Key, keys, zero: None };
                    self.open(frame, &properties, line);
                    None
                }
                EventKind::SequenceEnd | EventKind::MappingEnd => self.close(),
                EventKind::DocumentEnd => break,
                EventKind::StreamStart | EventKind::StreamEnd | EventKind::DocumentStart => None,
            };
            if let Some(node) = done {
                root = node;
            }
        }
        self.verdict(root)
    }

    fn verdict(self, root: Node) -> Result<Composed, YamlError> {
        if let Some(failure) = self.failure {
            return Err(YamlError::new(refusal::explain(self.input).unwrap_or(failure), None));
        }
        if !self.complaints.is_empty() {
            let text = format!("yaml: unmarshal errors:\n  {}", self.complaints.join("\n  "));
            let line = self.complaints[0].strip_prefix("line ").and_then(|rest| rest.split(':').next());
            return Err(YamlError::new(text, line.and_then(|line| line.parse().ok())));
        }
        if root.problem {
            let explained = refusal::explain(self.input);
            return Err(YamlError::new(explained.unwrap_or_else(|| "unsupported map key".to_owned()), None));
        }
        Ok(Composed { value: root.value, not_finite: self.not_finite })
    }

    #[cold]
    fn fail(&mut self, problem: String) {
        self.failure.get_or_insert(problem);
    }

    /// Whether the node that comes next is the value of a merge key.
    fn merging(&self) -> bool {
        matches!(self.stack.last(), Some(Open { frame: Frame::Mapping { slot: Slot::Merge, .. }, .. }))
    }

    fn open(&mut self, frame: Frame, properties: &Properties<'a>, line: u32) {
        if let Some(anchor) = properties.anchor {
            self.anchors.insert(anchor, Anchored::Open);
        }
        // The sequence of a merge key is looked into, not decoded.
        let size = usize::from(!matches!(frame, Frame::Sequence { merged: Some(_), .. }));
        self.decoded += size;
        self.stack.push(Open { frame, size, anchor: properties.anchor, line, problems: Vec::new() });
    }

    fn close(&mut self) -> Option<Node> {
        let Open { frame, size, anchor, line, problems } = self.stack.pop()?;
        let problem = !problems.is_empty();
        match frame {
            Frame::Sequence { items, merged: None } => {
                let node = Node { problem, ..Node::new(Value::Sequence(items), size) };
                self.finish(node, anchor, line)
            }
            Frame::Sequence { merged: Some(nodes), .. } => {
                if let Some(anchor) = anchor {
                    let value = Value::Sequence(nodes.iter().map(|node| node.value.clone()).collect());
                    let node = Node::new(value, size + 1);
                    self.anchors.insert(anchor, Anchored::Done(node));
                }
                // Earlier mappings win, so they are set last.
                for node in nodes.into_iter().rev() {
                    self.merge(node);
                }
                self.grow(size);
                self.set_slot(Slot::Key);
                None
            }
            Frame::Mapping { entries, keys, zero, .. } => {
                let value = Value::Mapping(entries.into_iter().collect::<Mapping>());
                let zero = zero.map(|zero| zero.name);
                self.finish(Node { value, size, keys, problem, zero }, anchor, line)
            }
        }
    }

    fn grow(&mut self, size: usize) {
        if let Some(parent) = self.stack.last_mut() {
            parent.size += size;
        }
    }

    fn scalar(
        &mut self,
        properties: &Properties<'a>,
        text: Cow<'a, str>,
        implicit: bool,
        line: u32,
    ) -> Option<Node> {
        let tag = properties.tag.as_deref();
        let in_key =
            matches!(self.stack.last(), Some(Open { frame: Frame::Mapping { slot: Slot::Key, .. }, .. }));
        if in_key && text == "<<" && (implicit || tag == Some("tag:yaml.org,2002:merge")) {
            if let Some(anchor) = properties.anchor {
                let node = Node::new(Value::String(text.into_owned()), 1);
                self.anchors.insert(anchor, Anchored::Done(node));
            }
            self.set_slot(Slot::Merge);
            return None;
        }
        if self.merging() {
            // Refused before anybody asks what it means.
            self.merge(Node::new(Value::Null, 0));
        }
        let resolved = match tag {
            None if implicit => resolve(&text),
            None => Resolved::Text,
            Some(tag) => resolve_tagged(tag, &text).unwrap_or_else(|problem| {
                self.fail(problem);
                Resolved::Text
            }),
        };
        self.decoded += 1;
        if in_key && properties.anchor.is_none() && matches!(resolved, Resolved::Text | Resolved::Timestamp) {
            // The common key: its text is its name.
            self.grow(1);
            let key = self.strict.then(|| GoKey { text: crate::strconv::quote(&text), float: false });
            self.set_slot(Slot::Value { name: text.into_owned(), key, unsupported: false, zero: None });
            return None;
        }
        let value = match resolved {
            Resolved::Null => Value::Null,
            Resolved::Bool(value) => Value::Bool(value),
            Resolved::Int(value) => Value::Int(value),
            Resolved::Uint(value) => Value::Uint(value),
            Resolved::Float(value) => {
                self.not_finite |= !value.is_finite();
                Value::Float(value)
            }
            Resolved::Text | Resolved::Timestamp => Value::String(text.into_owned()),
            Resolved::Binary => {
                let bytes = base64::decode(&text);
                if bytes.is_none() {
                    self.fail("yaml: !!binary value contains invalid base64 data".to_owned());
                }
                Value::String(crate::text_of(&bytes.unwrap_or_default()).into_owned())
            }
        };
        self.finish(Node::new(value, 1), properties.anchor, line)
    }

    fn alias(&mut self, name: &'a str, line: u32) -> Result<Option<Node>, YamlError> {
        let node = match self.anchors.get(name) {
            None => {
                return Err(YamlError::new(format!("yaml: unknown anchor '{name}' referenced"), None));
            }
            Some(_) if self.failure.is_some() => Node::new(Value::Null, 1),
            Some(Anchored::Open) => {
                self.fail(format!("yaml: anchor '{name}' value contains itself"));
                Node::new(Value::Null, 1)
            }
            Some(Anchored::Done(node)) => {
                self.decoded += 1 + node.size;
                self.decoded_by_alias += node.size;
                if too_many_aliases(self.decoded, self.decoded_by_alias) {
                    self.fail("yaml: document contains excessive aliasing".to_owned());
                    Node::new(Value::Null, 1)
                } else {
                    Node { size: node.size + 1, ..node.clone() }
                }
            }
        };
        Ok(self.finish(node, None, line))
    }

    /// Puts a finished node where it belongs; the root is handed back.
    fn finish(&mut self, node: Node, anchor: Option<&'a str>, line: u32) -> Option<Node> {
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, Anchored::Done(node.clone()));
        }
        let Some(parent) = self.stack.last_mut() else { return Some(node) };
        parent.size += node.size;
        match &mut parent.frame {
            Frame::Sequence { items, merged: None } => {
                if node.problem {
                    parent.problems.push(None);
                }
                items.push(node.value);
            }
            Frame::Sequence { merged: Some(nodes), .. } => nodes.push(node),
            Frame::Mapping { slot: Slot::Merge, .. } => {
                self.merge(node);
                self.set_slot(Slot::Key);
            }
            Frame::Mapping { slot: slot @ Slot::Value { .. }, entries, keys, zero: last } => {
                if let Slot::Value { name, key, unsupported, zero } = std::mem::replace(slot, Slot::Key) {
                    if let (Some(keys), Some(key)) = (keys, key) {
                        keys.set(SetKey { key, line }, &mut self.complaints);
                    }
                    if unsupported {
                        // No other key replaces it.
                        parent.problems.push(None);
                    } else {
                        note_problem(&mut parent.problems, &name, node.problem);
                    }
                    if let Some(name) = zero {
                        if let Some(last) = last {
                            last.give_way(name, entries, &mut parent.problems);
                        }
                        *last = Some(Zero { name, place: entries.len() });
                    }
                    entries.push((name, node.value));
                }
            }
            Frame::Mapping { slot: Slot::Key, .. } => self.key(node.value),
        }
        None
    }

    fn set_slot(&mut self, next: Slot) {
        if let Some(Open { frame: Frame::Mapping { slot, .. }, .. }) = self.stack.last_mut() {
            *slot = next;
        }
    }

    /// A key that is not plain text: JSON has only strings.
    fn key(&mut self, value: Value) {
        let key = self
            .strict
            .then(|| GoKey { text: gosyntax::print_scalar(&value), float: matches!(value, Value::Float(_)) });
        let mut unsupported = false;
        let zero = match value {
            Value::Float(float) if float == 0.0 => Some(if float.is_sign_negative() { "-0" } else { "0" }),
            _ => None,
        };
        let name = match value {
            Value::String(text) => text,
            Value::Int(value) => value.to_string(),
            Value::Bool(value) => value.to_string(),
            Value::Float(value) => float_key(value),
            Value::Sequence(_) | Value::Mapping(_) => {
                self.fail("yaml: invalid map key".to_owned());
                String::new()
            }
            Value::Null | Value::Uint(_) | Value::Number(_) => {
                unsupported = true;
                String::new()
            }
        };
        self.set_slot(Slot::Value { name, key, unsupported, zero });
    }

    /// Sets the keys of a mapping in the mapping it is merged into.
    fn merge(&mut self, node: Node) {
        let Value::Mapping(merged) = node.value else {
            self.fail("yaml: map merge requires map or sequence of maps as the value".to_owned());
            return;
        };
        if let Some(Open { frame: Frame::Mapping { entries, keys, zero, .. }, problems, .. }) =
            self.stack.last_mut()
        {
            if node.problem {
                problems.push(None);
            }
            if let (Some(keys), Some(merged_keys)) = (keys, node.keys) {
                for set in merged_keys.order {
                    keys.set(set, &mut self.complaints);
                }
            }
            if let (Some(last), Some(name)) = (*zero, node.zero) {
                last.give_way(name, entries, problems);
            }
            let before = entries.len();
            entries.extend(merged);
            if let Some(name) = node.zero {
                let place = entries[before..].iter().position(|(key, _)| key == name);
                *zero = place.map(|place| Zero { name, place: before + place });
            }
        }
    }
}

/// A float as the name of a key; goyaml's old way to print floats, as if they were of 32 bits.
pub(crate) fn float_key(value: f64) -> String {
    match format_float(value, b'g', -1, 32).as_str() {
        "+Inf" => ".inf".to_owned(),
        "-Inf" => "-.inf".to_owned(),
        "NaN" => ".nan".to_owned(),
        text => text.to_owned(),
    }
}

/// Notes whether something is wrong with the value of a key, whatever was wrong with its last value.
fn note_problem(problems: &mut Vec<Option<String>>, name: &str, problem: bool) {
    if !problems.is_empty() {
        problems.retain(|known| known.as_deref() != Some(name));
    }
    if problem {
        problems.push(Some(name.to_owned()));
    }
}

/// Small documents may consist almost wholly of what aliases repeat, very large ones hardly at all.
pub(crate) fn too_many_aliases(decoded: usize, by_alias: usize) -> bool {
    const LOW: usize = 400_000;
    const HIGH: usize = 4_000_000;
    let allowed = match decoded {
        ..=LOW => 0.99,
        HIGH.. => 0.10,
        _ => 0.99 - 0.89 * ((decoded - LOW) as f64 / (HIGH - LOW) as f64),
    };
    by_alias > 100 && decoded > 1000 && by_alias as f64 / decoded as f64 > allowed
}
