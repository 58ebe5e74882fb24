//! What a check found, and how the server tells it.

use serde_json::Value;

use crate::field::{FieldError, Path, Problem as Sort};

/// What a check found. How many things were right decides which of several alternatives is told about.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) problems: Vec<Problem>,
    pub(super) matches: usize,
}

/// One thing that is wrong.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    /// The whole sentence; the same sentence is told once.
    words: String,
    /// The path, as the validator writes it; nothing for problems of the whole.
    path: Option<String>,
    value: Option<Value>,
    tell: Tell,
}

#[derive(Debug, Clone)]
enum Tell {
    Invalid,
    Kind,
    Required,
    TooLong(i64),
    TooMany(i64),
    Choice(Vec<Value>),
}

impl Outcome {
    pub(super) fn of(problem: Option<Problem>) -> Self {
        Self { problems: problem.into_iter().collect(), matches: 0 }
    }

    pub(super) fn matched() -> Self {
        Self { problems: Vec::new(), matches: 1 }
    }

    pub(super) fn is_valid(&self) -> bool {
        self.problems.is_empty()
    }

    pub(super) fn add(&mut self, problem: Problem) {
        if !self.problems.iter().any(|known| known.words == problem.words) {
            self.problems.push(problem);
        }
    }

    pub(super) fn merge(&mut self, other: Outcome) {
        self.matches += other.matches;
        for problem in other.problems {
            self.add(problem);
        }
    }

    /// Merges the outcome of one of the validators of a value, which counts as a match whatever it found.
    pub(super) fn applied(&mut self, other: Outcome) {
        self.merge(other);
        self.matches += 1;
    }

    pub(super) fn field_errors(self, path: &Path) -> Vec<FieldError> {
        self.problems.into_iter().map(|problem| problem.field_error(path)).collect()
    }
}

impl Problem {
    fn new(path: &str, words: String, value: Option<Value>, tell: Tell) -> Self {
        Self { words, path: Some(path.to_owned()), value, tell }
    }

    /// Something is wrong with the whole, in words of its own.
    pub(super) fn whole(words: String) -> Self {
        Self { words, path: None, value: None, tell: Tell::Invalid }
    }

    pub(super) fn invalid(path: &str, words: String, value: Option<Value>) -> Self {
        Self::new(path, words, value, Tell::Invalid)
    }

    /// `found` is the type that was found, or the text that does not have the format.
    pub(super) fn kind(path: &str, wanted: &str, found: Value) -> Self {
        let shown = goyaml::strconv::quote(found.as_str().unwrap_or_default());
        let words = format!("{path} in body must be of type {wanted}: {shown}");
        Self::new(path, words, Some(found), Tell::Kind)
    }

    pub(super) fn required(path: &str) -> Self {
        Self::new(path, format!("{path} in body is required"), None, Tell::Required)
    }

    pub(super) fn too_long(path: &str, most: i64) -> Self {
        Self::new(
            path,
            format!("{path} in body should be at most {most} chars long"),
            None,
            Tell::TooLong(most),
        )
    }

    pub(super) fn too_many(path: &str, words: String, found: i64, most: i64) -> Self {
        Self::new(path, words, Some(found.into()), Tell::TooMany(most))
    }

    pub(super) fn choice(path: &str, value: Value, choices: Vec<Value>) -> Self {
        let words = format!("{path} in body should be one of {}", Value::from(choices.clone()));
        Self::new(path, words, Some(value), Tell::Choice(choices))
    }

    fn field_error(self, base: &Path) -> FieldError {
        let path = match self.path.as_deref() {
            None | Some("" | ".") => base.clone(),
            Some(path) => base.child(path.strip_prefix('.').unwrap_or(path)),
        };
        let value = self.value;
        match self.tell {
            Tell::Invalid => FieldError::invalid(&path, value.unwrap_or_else(|| "".into()), self.words),
            Tell::Kind => FieldError::type_invalid(&path, value.unwrap_or_else(|| "".into()), self.words),
            Tell::Required => FieldError::required(&path, ""),
            Tell::TooLong(most) => match usize::try_from(most) {
                Ok(most) => FieldError::too_long(&path, most),
                Err(_) => worded(FieldError::too_long(&path, 0), "value is too long"),
            },
            Tell::TooMany(most) => {
                let found = value.as_ref().and_then(Value::as_u64).unwrap_or_default() as usize;
                match usize::try_from(most) {
                    Ok(most) => FieldError::too_many(&path, found, most),
                    Err(_) => worded(FieldError::too_many(&path, found, 0), "has too many items"),
                }
            }
            Tell::Choice(choices) => {
                let texts: Vec<String> = choices
                    .iter()
                    .map(|choice| match choice {
                        Value::String(text) => text.clone(),
                        other => goyaml::json::to_string(other).unwrap_or_default(),
                    })
                    .collect();
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                FieldError::not_supported(&path, value.unwrap_or_default(), &texts)
            }
        }
    }
}

fn worded(mut error: FieldError, words: &str) -> FieldError {
    debug_assert!(matches!(error.problem, Sort::TooLong | Sort::TooMany));
    error.detail = words.into();
    error
}
