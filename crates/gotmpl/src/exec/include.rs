//! Helm's `include` and `tpl`: templates run by functions, their output a string.

use std::borrow::Cow;
use std::rc::Rc;

use super::scope::Scope;
use super::slot::Slot;
use super::{Run, Trees};
use crate::error::{Cause, Error};
use crate::fmt;
use crate::functions::FunctionError;
use crate::parse::parse;
use crate::parse::tree::{Code, Source};
use crate::value::{Text, Value};

impl Run<'_> {
    /// `include`: the output of the template `name` for `data`.
    pub(super) fn include(&mut self, name: &Rc<str>, data: Value) -> Result<Text, FunctionError> {
        let printed = self.include_in_place(name, data)?;
        Ok(self.take_output(self.out.len() - printed))
    }

    /// The same, left where it was printed; the result is how many bytes it is.
    pub(super) fn include_in_place(&mut self, name: &Rc<str>, data: Value) -> Result<usize, FunctionError> {
        // Templates seldom nest deeper than ten, where looking through them all is quickest.
        if self.included.iter().filter(|other| *other == name).count() > self.limits.include_depth {
            let cause = Cause { text: "unable to execute template".into(), place: None, next: None };
            let message = format!("rendering template has a nested reference name: {name}: ");
            return Err(FunctionError::wrapping(message, cause));
        }
        self.check_depth()?;
        let start = self.out.len();
        self.included.push(name.clone());
        let result = self.execute(name, data);
        self.included.pop();
        match result {
            Ok(()) => Ok(self.out.len() - start),
            Err(error) => {
                self.out.truncate(start);
                Err(error.into())
            }
        }
    }

    /// `tpl`: the output of the template that `text` is, for `data`.
    pub(super) fn tpl(&mut self, text: &Text, data: Value) -> Result<Text, FunctionError> {
        if memchr::memmem::find(text.as_bytes(), b"{{").is_none() {
            return Ok(kept(text.clone()));
        }
        self.check_depth()?;
        let quoted = || fmt::quote(text);
        let source = text.to_shared();
        let trees = self.parse_cached(&source).map_err(|error| {
            let message = format!("cannot parse template {}: ", quoted());
            FunctionError::wrapping(message, error.into_cause())
        })?;
        let mut scope = Scope::within(&self.scope);
        let mut main = None;
        for tree in trees.iter() {
            if tree.name == *scope.name() {
                // The text itself always counts, even if empty.
                scope.replace(tree);
                main = Some(tree.clone());
            } else {
                scope.define(tree);
            }
        }
        let outer = std::mem::replace(&mut self.scope, Rc::new(scope));
        let start = self.out.len();
        let result = match main {
            Some(tree) => self.execute_first(&tree, Slot::plain(data)),
            None => Ok(()),
        };
        self.scope = outer;
        let output = self.take_output(start);
        match result {
            Ok(()) if text.as_str().is_some() => Ok(kept(output)),
            Ok(()) => Ok(kept(Text::landed(&output.carried()))),
            Err(error) => {
                let message = format!("error during tpl function execution for {}: ", quoted());
                Err(FunctionError::wrapping(message, error.into_cause()))
            }
        }
    }

    fn parse_cached(&mut self, source: &Rc<str>) -> Result<Trees, Error> {
        let texts = &mut *self.texts.borrow_mut();
        if let Some(trees) = texts.known.get(source) {
            return Ok(trees.clone());
        }
        let named = Rc::new(Source { name: self.scope.name().clone(), text: (&**source).into() });
        let parsed = parse(&named, self.functions, &mut texts.workspace)?;
        let trees: Trees = Rc::new(Code::new(parsed.into())).trees(&named)?.into();
        texts.known.insert(source.clone(), trees.clone());
        Ok(trees)
    }

    fn check_depth(&self) -> Result<(), FunctionError> {
        if self.depth >= self.limits.template_depth {
            let limit = self.limits.template_depth;
            return Err(FunctionError::new(format!(
                "exceeded the limit of {limit} templates within templates"
            )));
        }
        Ok(())
    }

    /// Takes back what was printed since `start`.
    fn take_output(&mut self, start: usize) -> Text {
        let text = Text::from(&self.out[start..]);
        self.out.truncate(start);
        text
    }
}

/// The same text if there is nothing to take out of it.
fn kept(text: Text) -> Text {
    match without_no_value(text.as_bytes()) {
        Cow::Borrowed(_) => text,
        Cow::Owned(kept) => Text::from_bytes(kept),
    }
}

/// Go prints `<no value>` for a missing key even where the zero value was asked for; Helm takes it out.
pub(crate) fn without_no_value(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memmem::find(text, NO_VALUE) else { return Cow::Borrowed(text) };
    let mut kept = Vec::with_capacity(text.len());
    kept.extend_from_slice(&text[..first]);
    let mut rest = &text[first + NO_VALUE.len()..];
    while let Some(found) = memchr::memmem::find(rest, NO_VALUE) {
        kept.extend_from_slice(&rest[..found]);
        rest = &rest[found + NO_VALUE.len()..];
    }
    kept.extend_from_slice(rest);
    Cow::Owned(kept)
}

const NO_VALUE: &[u8] = b"<no value>";
