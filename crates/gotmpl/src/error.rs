//! Errors with Go's texts, and where in a template they arose.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use crate::parse::tree::Source;

/// Why a template could not be parsed or executed. Prints what Go prints.
#[derive(Debug, Clone)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    /// The text; with a cause, the part before the cause's text. A template that includes itself a thousand
    /// times deep would else hold the innermost text as often.
    text: String,
    phase: Phase,
    place: Option<Place>,
    /// What the failing function returned, as Go's `Unwrap` finds it.
    cause: Option<Box<Cause>>,
}

/// What was being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// The source is not a template.
    Parse,
    /// The template is sound, but not with this data.
    Execute,
    /// There is no such template.
    Lookup,
}

/// Where it happened.
#[derive(Debug, Clone)]
pub struct Place {
    source: Rc<Source>,
    span: Range<usize>,
}

/// An error further down: a link of Go's chain of wrapped errors, whose text is its own and then that of the
/// next link.
#[derive(Debug, Clone)]
pub(crate) struct Cause {
    pub(crate) text: Cow<'static, str>,
    /// The place, where the link is a template's error.
    pub(crate) place: Option<Place>,
    pub(crate) next: Option<Box<Cause>>,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Source({})", self.name)
    }
}

impl Source {
    /// The line, from 1, of an offset.
    pub(crate) fn line(&self, position: usize) -> usize {
        1 + memchr::memchr_iter(b'\n', &self.text.as_bytes()[..position]).count()
    }

    /// Go's column, from 0, in bytes.
    pub(crate) fn column(&self, position: usize) -> usize {
        let before = &self.text.as_bytes()[..position];
        before.iter().rev().take_while(|byte| **byte != b'\n').count()
    }
}

impl Place {
    pub(crate) fn new(source: &Rc<Source>, span: Range<usize>) -> Self {
        Self { source: source.clone(), span }
    }

    /// The name of the file or text.
    pub fn name(&self) -> &str {
        &self.source.name
    }

    /// The line, counted from 1.
    pub fn line(&self) -> usize {
        self.source.line(self.span.start)
    }

    /// The column in bytes, counted from 0 as Go does.
    pub fn column(&self) -> usize {
        self.source.column(self.span.start)
    }

    /// The bytes of the source it spans.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// The line of source it starts in.
    pub fn snippet(&self) -> &str {
        let text = &self.source.text;
        let start = text[..self.span.start].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[start..].find('\n').map_or(text.len(), |length| start + length);
        text[start..end].trim_end_matches('\r')
    }
}

impl Error {
    /// A parse error at `span`.
    pub(crate) fn parse(source: &Rc<Source>, span: Range<usize>, message: &str) -> Self {
        let text = format!("template: {}:{}: {message}", source.name, source.line(span.start));
        Self(Box::new(Inner {
            text,
            phase: Phase::Parse,
            place: Some(Place::new(source, span)),
            cause: None,
        }))
    }

    /// An error in executing, whose text goes on with that of the cause.
    pub(crate) fn execute(text: String, place: Option<Place>, cause: Option<Cause>) -> Self {
        Self(Box::new(Inner { text, phase: Phase::Execute, place, cause: cause.map(Box::new) }))
    }

    /// An error for want of a template.
    pub(crate) fn lookup(text: String) -> Self {
        Self(Box::new(Inner { text, phase: Phase::Lookup, place: None, cause: None }))
    }

    /// What was being done.
    pub fn phase(&self) -> Phase {
        self.0.phase
    }

    /// Where it happened, in the template that was begun with.
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }

    /// Where it happened in the innermost template, which `include` or `tpl` may have led to.
    pub fn innermost_place(&self) -> Option<&Place> {
        let mut innermost = self.place();
        let mut cause = self.0.cause.as_deref();
        while let Some(link) = cause {
            innermost = link.place.as_ref().or(innermost);
            cause = link.next.as_deref();
        }
        innermost
    }

    /// Where in the text of this error the texts begin that it is made of, this one's first.
    pub(crate) fn chain(&self) -> impl Iterator<Item = usize> {
        let mut next = self.0.cause.as_deref();
        let mut at = self.0.text.len();
        let causes = std::iter::from_fn(move || {
            let link = next?;
            next = link.next.as_deref();
            let start = at;
            at += link.text.len();
            Some(start)
        });
        std::iter::once(0).chain(causes)
    }

    /// This error as the link of another's chain.
    pub(crate) fn into_cause(self) -> Cause {
        let Inner { text, place, cause, .. } = *self.0;
        Cause { text: text.into(), place, next: cause }
    }
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut next = Some(self);
        while let Some(link) = next {
            f.write_str(&link.text)?;
            next = link.next.as_deref();
        }
        Ok(())
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.text)?;
        self.0.cause.as_ref().map_or(Ok(()), |cause| cause.fmt(f))
    }
}

impl std::error::Error for Error {}
