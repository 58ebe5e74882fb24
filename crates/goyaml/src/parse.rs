//! From tokens to events: the grammar of YAML 1.1 as `go.yaml.in/yaml/v2` has it.

use std::borrow::Cow;

use crate::YamlError;
use crate::scan::{Input, Mark, ScalarStyle, Scanner, TokenKind};

/// An event and where it starts.
pub(crate) struct Event<'a> {
    pub(crate) kind: EventKind<'a>,
    pub(crate) mark: Mark,
}

/// What a node may carry before its content.
#[derive(Default)]
pub(crate) struct Properties<'a> {
    pub(crate) anchor: Option<&'a str>,
    /// The full tag, its handle replaced by the prefix it stands for.
    pub(crate) tag: Option<Box<str>>,
}

/// The kinds of events and what they carry.
pub(crate) enum EventKind<'a> {
    StreamStart,
    StreamEnd,
    DocumentStart,
    DocumentEnd,
    Alias(&'a str),
    Scalar {
        properties: Properties<'a>,
        value: Cow<'a, str>,
        /// Plain without a tag, or with the tag `!`.
        implicit: bool,
    },
    SequenceStart(Properties<'a>),
    SequenceEnd,
    MappingStart(Properties<'a>),
    MappingEnd,
}

#[derive(Clone, Copy)]
enum State {
    StreamStart,
    ImplicitDocumentStart,
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceFirst,
    BlockSequence,
    IndentlessSequence,
    BlockMappingFirst,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirst,
    FlowSequence,
    FlowPairKey,
    FlowPairValue,
    FlowPairEnd,
    FlowMappingFirst,
    FlowMapping,
    FlowMappingValue,
    FlowMappingEmptyValue,
    End,
}

/// Which collections may begin where a node is expected.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Block,
    /// As the value of a mapping, where a sequence need not be indented.
    BlockOrIndentless,
    Flow,
}

type Step<'a> = Result<Event<'a>, YamlError>;

/// The parser's state between two events.
pub(crate) struct Parser<'a> {
    scanner: Scanner<'a>,
    state: State,
    states: Vec<State>,
    /// Handles and the prefixes they stand for, in this document.
    tag_prefixes: Vec<(String, String)>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(input: Input<'a>) -> Self {
        Self {
            scanner: Scanner::new(input),
            state: State::StreamStart,
            states: Vec::with_capacity(16),
            tag_prefixes: Vec::new(),
        }
    }

    /// The next event; after the end of the stream, its end again.
    pub(crate) fn next(&mut self) -> Step<'a> {
        match self.state {
            State::StreamStart => {
                let mark = self.scanner.peek()?.mark;
                self.state = State::ImplicitDocumentStart;
                self.scanner.take();
                Ok(Event { kind: EventKind::StreamStart, mark })
            }
            State::ImplicitDocumentStart => self.document_start(true),
            State::DocumentStart => self.document_start(false),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(Context::Block),
            State::BlockSequenceFirst => {
                self.open()?;
                self.block_sequence()
            }
            State::BlockSequence => self.block_sequence(),
            State::IndentlessSequence => self.indentless_sequence(),
            State::BlockMappingFirst => {
                self.open()?;
                self.block_mapping_key()
            }
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirst => {
                self.open()?;
                self.flow_sequence(true)
            }
            State::FlowSequence => self.flow_sequence(false),
            State::FlowPairKey => self.flow_pair_key(),
            State::FlowPairValue => self.flow_pair_value(),
            State::FlowPairEnd => {
                let mark = self.scanner.peek()?.mark;
                self.state = State::FlowSequence;
                Ok(Event { kind: EventKind::MappingEnd, mark })
            }
            State::FlowMappingFirst => {
                self.open()?;
                self.flow_mapping(true)
            }
            State::FlowMapping => self.flow_mapping(false),
            State::FlowMappingValue => self.flow_mapping_value(),
            State::FlowMappingEmptyValue => {
                let mark = self.scanner.peek()?.mark;
                Ok(self.empty(State::FlowMapping, mark))
            }
            State::End => Ok(Event { kind: EventKind::StreamEnd, mark: Mark::default() }),
        }
    }

    /// Takes the token that opens a collection.
    fn open(&mut self) -> Result<(), YamlError> {
        self.scanner.peek()?;
        self.scanner.take();
        Ok(())
    }

    fn pop_state(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    /// A node that is not there.
    fn empty(&mut self, next: State, mark: Mark) -> Event<'a> {
        self.state = next;
        empty_scalar(mark)
    }

    /// Takes the token that ends a collection and returns to the state around it.
    fn close(&mut self, kind: EventKind<'a>) -> Step<'a> {
        let mark = self.scanner.peek()?.mark;
        self.pop_state();
        self.scanner.take();
        Ok(Event { kind, mark })
    }

    #[cold]
    fn unexpected(&mut self, problem: &str) -> YamlError {
        match self.scanner.peek() {
            Ok(token) => YamlError::at(token.mark.line, false, problem),
            Err(error) => error,
        }
    }

    fn document_start(&mut self, implicit: bool) -> Step<'a> {
        if !implicit {
            while matches!(self.scanner.peek()?.kind, TokenKind::DocumentEnd) {
                self.scanner.take();
            }
        }
        let token = self.scanner.peek()?;
        let mark = token.mark;
        match token.kind {
            TokenKind::StreamEnd => {
                self.state = State::End;
                self.scanner.take();
                Ok(Event { kind: EventKind::StreamEnd, mark })
            }
            TokenKind::VersionDirective(..) | TokenKind::TagDirective(_) | TokenKind::DocumentStart => {
                self.explicit_document(mark)
            }
            _ if implicit => {
                self.directives()?;
                self.states.push(State::DocumentEnd);
                self.state = State::BlockNode;
                Ok(Event { kind: EventKind::DocumentStart, mark })
            }
            _ => self.explicit_document(mark),
        }
    }

    fn explicit_document(&mut self, mark: Mark) -> Step<'a> {
        self.directives()?;
        if !matches!(self.scanner.peek()?.kind, TokenKind::DocumentStart) {
            return Err(self.unexpected("did not find expected <document start>"));
        }
        self.states.push(State::DocumentEnd);
        self.state = State::DocumentContent;
        self.scanner.take();
        Ok(Event { kind: EventKind::DocumentStart, mark })
    }

    fn directives(&mut self) -> Result<(), YamlError> {
        let mut versioned = false;
        loop {
            match self.scanner.peek()?.kind {
                TokenKind::VersionDirective(..) if versioned => {
                    return Err(self.unexpected("found duplicate %YAML directive"));
                }
                TokenKind::VersionDirective(1, 1) => {
                    versioned = true;
                    self.scanner.take();
                }
                TokenKind::VersionDirective(..) => {
                    return Err(self.unexpected("found incompatible YAML document"));
                }
                TokenKind::TagDirective(ref directive) => {
                    if self.tag_prefixes.iter().any(|(handle, _)| *handle == directive.0) {
                        return Err(self.unexpected("found duplicate %TAG directive"));
                    }
                    self.tag_prefixes.push(directive.as_ref().clone());
                    self.scanner.take();
                }
                _ => break,
            }
        }
        for (handle, prefix) in [("!", "!"), ("!!", "tag:yaml.org,2002:")] {
            if !self.tag_prefixes.iter().any(|(known, _)| known == handle) {
                self.tag_prefixes.push((handle.to_owned(), prefix.to_owned()));
            }
        }
        Ok(())
    }

    fn document_content(&mut self) -> Step<'a> {
        let token = self.scanner.peek()?;
        match token.kind {
            TokenKind::VersionDirective(..)
            | TokenKind::TagDirective(_)
            | TokenKind::DocumentStart
            | TokenKind::DocumentEnd
            | TokenKind::StreamEnd => {
                let mark = token.mark;
                self.pop_state();
                Ok(empty_scalar(mark))
            }
            _ => self.node(Context::Block),
        }
    }

    fn document_end(&mut self) -> Step<'a> {
        let token = self.scanner.peek()?;
        let mark = token.mark;
        if matches!(token.kind, TokenKind::DocumentEnd) {
            self.scanner.take();
        }
        self.tag_prefixes.clear();
        self.state = State::DocumentStart;
        Ok(Event { kind: EventKind::DocumentEnd, mark })
    }

    fn node(&mut self, context: Context) -> Step<'a> {
        let token = self.scanner.peek()?;
        let mark = token.mark;
        let properties = match token.kind {
            TokenKind::Alias(name) => {
                self.pop_state();
                self.scanner.take();
                return Ok(Event { kind: EventKind::Alias(name), mark });
            }
            TokenKind::Anchor(_) | TokenKind::Tag(_) => self.properties()?,
            _ => Properties::default(),
        };
        let block = context != Context::Flow;
        let kind = match self.scanner.peek()?.kind {
            TokenKind::Scalar(..) => return Ok(self.scalar(properties, mark)),
            TokenKind::BlockEntry if context == Context::BlockOrIndentless => {
                self.state = State::IndentlessSequence;
                EventKind::SequenceStart(properties)
            }
            TokenKind::FlowSequenceStart => {
                self.state = State::FlowSequenceFirst;
                EventKind::SequenceStart(properties)
            }
            TokenKind::FlowMappingStart => {
                self.state = State::FlowMappingFirst;
                EventKind::MappingStart(properties)
            }
            TokenKind::BlockSequenceStart if block => {
                self.state = State::BlockSequenceFirst;
                EventKind::SequenceStart(properties)
            }
            TokenKind::BlockMappingStart if block => {
                self.state = State::BlockMappingFirst;
                EventKind::MappingStart(properties)
            }
            _ if properties.anchor.is_some() || properties.tag.is_some() => {
                self.pop_state();
                let implicit = properties.tag.is_none();
                EventKind::Scalar { properties, value: Cow::Borrowed(""), implicit }
            }
            _ => return Err(self.unexpected("did not find expected node content")),
        };
        Ok(Event { kind, mark })
    }

    /// Takes the scalar that was peeked at.
    fn scalar(&mut self, properties: Properties<'a>, mark: Mark) -> Event<'a> {
        self.pop_state();
        let Some(TokenKind::Scalar(value, style)) = self.scanner.take().map(|token| token.kind) else {
            return empty_scalar(mark);
        };
        let implicit = match properties.tag.as_deref() {
            None => style == ScalarStyle::Plain,
            Some(tag) => tag == "!",
        };
        Event { kind: EventKind::Scalar { properties, value, implicit }, mark }
    }

    /// An anchor and a tag, in either order.
    fn properties(&mut self) -> Result<Properties<'a>, YamlError> {
        let mut properties = Properties::default();
        let mut undefined = None;
        loop {
            let token = self.scanner.peek()?;
            let mark = token.mark;
            match token.kind {
                TokenKind::Anchor(name) if properties.anchor.is_none() => {
                    properties.anchor = Some(name);
                    self.scanner.take();
                }
                TokenKind::Tag(ref tag) if properties.tag.is_none() => {
                    let (handle, suffix) = tag.as_ref();
                    let prefix = self
                        .tag_prefixes
                        .iter()
                        .find(|(known, _)| known == handle)
                        .map_or("", |(_, prefix)| prefix.as_str());
                    let full = format!("{prefix}{suffix}");
                    if !handle.is_empty() && prefix.is_empty() {
                        undefined = Some(mark);
                    }
                    properties.tag = Some(full.into_boxed_str());
                    self.scanner.take();
                }
                // Only now, as in Go: what is wrong with the tokens in between comes first.
                _ => match undefined {
                    Some(mark) => return Err(YamlError::at(mark.line, false, "found undefined tag handle")),
                    None => return Ok(properties),
                },
            }
        }
    }

    fn block_sequence(&mut self) -> Step<'a> {
        let token = self.scanner.peek()?;
        let mark = token.mark;
        match token.kind {
            TokenKind::BlockEntry => {
                self.scanner.take();
                match self.scanner.peek()?.kind {
                    TokenKind::BlockEntry | TokenKind::BlockEnd => {
                        Ok(self.empty(State::BlockSequence, after(mark)))
                    }
                    _ => {
                        self.states.push(State::BlockSequence);
                        self.node(Context::Block)
                    }
                }
            }
            TokenKind::BlockEnd => self.close(EventKind::SequenceEnd),
            _ => Err(self.unexpected("did not find expected '-' indicator")),
        }
    }

    fn indentless_sequence(&mut self) -> Step<'a> {
        let token = self.scanner.peek()?;
        let mark = token.mark;
        if !matches!(token.kind, TokenKind::BlockEntry) {
            self.pop_state();
            return Ok(Event { kind: EventKind::SequenceEnd, mark });
        }
        self.scanner.take();
        match self.scanner.peek()?.kind {
            TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                Ok(self.empty(State::IndentlessSequence, after(mark)))
            }
            _ => {
                self.states.push(State::IndentlessSequence);
                self.node(Context::Block)
            }
        }
    }

    fn block_mapping_key(&mut self) -> Step<'a> {
        let token = self.scanner.peek()?;
        let mark = token.mark;
        match token.kind {
            TokenKind::Key => {
                self.scanner.take();
                self.block_mapping_node(State::BlockMappingValue, mark)
            }
            TokenKind::BlockEnd => self.close(EventKind::MappingEnd),
            _ => Err(self.unexpected("did not find expected key")),
        }
    }

    fn block_mapping_value(&mut self) -> Step<'a> {
        let token = self.scanner.peek()?;
        let mark = token.mark;
        if !matches!(token.kind, TokenKind::Value) {
            return Ok(self.empty(State::BlockMappingKey, mark));
        }
        self.scanner.take();
        self.block_mapping_node(State::BlockMappingKey, after(mark))
    }

    fn block_mapping_node(&mut self, next: State, mark: Mark) -> Step<'a> {
        match self.scanner.peek()?.kind {
            TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => Ok(self.empty(next, mark)),
            _ => {
                self.states.push(next);
                self.node(Context::BlockOrIndentless)
            }
        }
    }

    fn flow_sequence(&mut self, first: bool) -> Step<'a> {
        if !first {
            match self.scanner.peek()?.kind {
                TokenKind::FlowSequenceEnd => return self.close(EventKind::SequenceEnd),
                TokenKind::FlowEntry => self.scanner.take(),
                _ => return Err(self.unexpected("did not find expected ',' or ']'")),
            };
        }
        let token = self.scanner.peek()?;
        let mark = token.mark;
        match token.kind {
            TokenKind::FlowSequenceEnd => self.close(EventKind::SequenceEnd),
            TokenKind::Key => {
                self.state = State::FlowPairKey;
                self.scanner.take();
                Ok(Event { kind: EventKind::MappingStart(Properties::default()), mark })
            }
            _ => {
                self.states.push(State::FlowSequence);
                self.node(Context::Flow)
            }
        }
    }

    fn flow_pair_key(&mut self) -> Step<'a> {
        let token = self.scanner.peek()?;
        let mark = token.mark;
        match token.kind {
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd => {
                // Eaten, not left for the value: `[? : x]` is an error in Go.
                self.scanner.take();
                Ok(self.empty(State::FlowPairValue, after(mark)))
            }
            _ => {
                self.states.push(State::FlowPairValue);
                self.node(Context::Flow)
            }
        }
    }

    fn flow_pair_value(&mut self) -> Step<'a> {
        let token = self.scanner.peek()?;
        let mark = token.mark;
        if matches!(token.kind, TokenKind::Value) {
            self.scanner.take();
            if !matches!(self.scanner.peek()?.kind, TokenKind::FlowEntry | TokenKind::FlowSequenceEnd) {
                self.states.push(State::FlowPairEnd);
                return self.node(Context::Flow);
            }
        }
        Ok(self.empty(State::FlowPairEnd, mark))
    }

    fn flow_mapping(&mut self, first: bool) -> Step<'a> {
        if !first {
            match self.scanner.peek()?.kind {
                TokenKind::FlowMappingEnd => return self.close(EventKind::MappingEnd),
                TokenKind::FlowEntry => self.scanner.take(),
                _ => return Err(self.unexpected("did not find expected ',' or '}'")),
            };
        }
        match self.scanner.peek()?.kind {
            TokenKind::FlowMappingEnd => self.close(EventKind::MappingEnd),
            TokenKind::Key => {
                self.scanner.take();
                let token = self.scanner.peek()?;
                let mark = token.mark;
                match token.kind {
                    TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd => {
                        Ok(self.empty(State::FlowMappingValue, mark))
                    }
                    _ => {
                        self.states.push(State::FlowMappingValue);
                        self.node(Context::Flow)
                    }
                }
            }
            _ => {
                self.states.push(State::FlowMappingEmptyValue);
                self.node(Context::Flow)
            }
        }
    }

    fn flow_mapping_value(&mut self) -> Step<'a> {
        let token = self.scanner.peek()?;
        let mut mark = token.mark;
        if matches!(token.kind, TokenKind::Value) {
            self.scanner.take();
            let token = self.scanner.peek()?;
            mark = token.mark;
            if !matches!(token.kind, TokenKind::FlowEntry | TokenKind::FlowMappingEnd) {
                self.states.push(State::FlowMapping);
                return self.node(Context::Flow);
            }
        }
        Ok(self.empty(State::FlowMapping, mark))
    }
}

fn empty_scalar<'a>(mark: Mark) -> Event<'a> {
    let properties = Properties::default();
    Event { kind: EventKind::Scalar { properties, value: Cow::Borrowed(""), implicit: true }, mark }
}

/// The place after an indicator of one character.
fn after(mark: Mark) -> Mark {
    Mark { line: mark.line, column: mark.column + 1 }
}
