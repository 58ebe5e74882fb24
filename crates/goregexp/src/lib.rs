//! Regular expressions as Go's package `regexp` reads and applies them, run by the crate `regex`.
//!
//! Both engines match leftmost-first in linear time, but their syntaxes differ in many small ways. So a pattern is
//! parsed by Go's rules, with Go's errors, and written anew with every shorthand spelled out (`translate`).
//! Compiled patterns are kept per thread: charts apply the same few patterns thousands of times.

mod apply;
mod class;
mod translate;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The most patterns a thread keeps compiled.
const CACHED: usize = 1024;

/// Why a pattern cannot be compiled: what is wrong, and the part of the pattern where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("error parsing regexp: {}: `{expression}`", .problem)]
pub struct SyntaxError {
    problem: Problem,
    expression: String,
}

impl SyntaxError {
    fn new(problem: Problem, expression: &str) -> Self {
        Self { problem, expression: expression.to_owned() }
    }
}

/// What can be wrong with a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum Problem {
    #[error("invalid character class range")]
    CharacterRange,
    #[error("invalid escape sequence")]
    Escape,
    #[error("invalid named capture")]
    NamedCapture,
    #[error("invalid or unsupported Perl syntax")]
    PerlSyntax,
    #[error("invalid nested repetition operator")]
    NestedRepetition,
    #[error("invalid repeat count")]
    RepeatCount,
    #[error("missing closing ]")]
    MissingBracket,
    #[error("missing closing )")]
    MissingParenthesis,
    #[error("missing argument to repetition operator")]
    MissingRepeatArgument,
    #[error("trailing backslash at end of expression")]
    TrailingBackslash,
    #[error("unexpected )")]
    UnexpectedParenthesis,
    #[error("expression nests too deeply")]
    TooDeep,
    #[error("expression too large")]
    TooLarge,
}

/// A compiled pattern.
#[derive(Debug)]
pub struct Regexp {
    source: Box<str>,
    compiled: regex::Regex,
    /// The names of the groups; the whole match is the first, without a name.
    names: Vec<Option<Box<str>>>,
}

impl Regexp {
    /// Compiles a pattern, or finds it among those compiled before.
    pub fn compile(pattern: &str) -> Result<Rc<Self>, SyntaxError> {
        thread_local! {
            static COMPILED: RefCell<HashMap<Box<str>, Rc<Regexp>>> = RefCell::new(HashMap::new());
        }
        COMPILED.with_borrow_mut(|compiled| {
            if let Some(regexp) = compiled.get(pattern) {
                return Ok(Rc::clone(regexp));
            }
            let regexp = Rc::new(Self::build(pattern)?);
            if compiled.len() >= CACHED {
                compiled.clear();
            }
            compiled.insert(pattern.into(), Rc::clone(&regexp));
            Ok(regexp)
        })
    }

    fn build(pattern: &str) -> Result<Self, SyntaxError> {
        let translation = translate::translate(pattern)?;
        let compiled = regex::RegexBuilder::new(&translation.pattern)
            .size_limit(256 << 20)
            .nest_limit(4096)
            .build()
            .map_err(|_| SyntaxError::new(Problem::TooLarge, pattern))?;
        Ok(Self { source: pattern.into(), compiled, names: translation.names })
    }
}

/// Escapes every character of a text that has a meaning in a pattern.
pub fn quote_meta(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for character in text.chars() {
        if r"\.+*?()|[]{}^$".contains(character) {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted
}
