//! A failed run: its kind, Helm's message, where in the user's files it happened, and a hint.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};

use super::Snippet;

/// What sort of failure this is; it alone decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The command did what it could and the outcome is bad.
    Operation,
    /// The command line itself cannot be understood.
    Usage,
    /// The output has told it already; only this exit code is left to say.
    Told(u8),
    /// Whoever was reading our output stopped: nothing to say, nothing wrong.
    ClosedPipe,
}

/// Everything there is to say about a run that did not succeed.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
    message: String,
    snippet: Option<Box<Snippet>>,
    hint: Option<String>,
}

const ERROR: Style = AnsiColor::Red.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();

impl Failure {
    /// The operation failed with this message, in Helm's words where Helm has words for it.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { kind: Kind::Operation, message: message.into(), snippet: None, hint: None }
    }

    /// The command line is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { kind: Kind::Usage, ..Self::new(message) }
    }

    /// The output says what there is to say; scripts get an exit code of their own.
    pub(crate) fn told(code: u8) -> Self {
        Self { kind: Kind::Told(code), ..Self::new(String::new()) }
    }

    /// Adds what the user can do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Points into a file of the user's.
    pub(crate) fn at(mut self, snippet: Option<Snippet>) -> Self {
        self.snippet = snippet.map(Box::new);
        self
    }

    /// The message without what surrounds it.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Prints the failure to standard error and gives the exit code that belongs to it.
    pub(crate) fn report(&self) -> ExitCode {
        match self.kind {
            Kind::ClosedPipe => return ExitCode::SUCCESS,
            Kind::Told(code) => return ExitCode::from(code),
            Kind::Operation | Kind::Usage => {}
        }
        let text = self.render();
        // Nothing is left to do when even standard error is gone.
        let _ = anstream::stderr().lock().write_all(text.as_bytes());
        if self.kind == Kind::Usage { ExitCode::from(2) } else { ExitCode::FAILURE }
    }

    fn render(&self) -> String {
        let mut text = format!("{ERROR}Error:{ERROR:#} {}\n", self.message);
        if let Some(snippet) = &self.snippet {
            let _ = write!(text, "\n{snippet}");
        }
        if let Some(hint) = &self.hint {
            let _ = write!(text, "\n{HINT}hint:{HINT:#} {hint}\n");
        }
        text
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self { kind: Kind::ClosedPipe, ..Self::new(String::new()) }
        } else {
            Self::new(error.to_string())
        }
    }
}
