//! What can go wrong, in Go's words.

/// Why a document could not be read or a value could not be written; prints as `sigs.k8s.io/yaml` does.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not YAML, or holds what JSON cannot hold.
    #[error("error converting YAML to JSON: {0}")]
    Yaml(YamlError),
    /// The document is well formed but does not fit the type that was asked for.
    #[error("error unmarshaling JSON: while decoding JSON: {0}")]
    Decode(crate::json::Error),
    /// The value turns into JSON that Go's YAML reader does not accept.
    #[error("{0}")]
    Reread(YamlError),
    /// The value cannot be written as JSON, which is the first step of writing it as YAML.
    #[error("error marshaling into JSON: {0}")]
    Encode(crate::json::Error),
}

impl Error {
    /// The same error from reading back what is being written, where Go adds no words of its own.
    pub(crate) fn unwrapped(self) -> Self {
        match self {
            Self::Yaml(error) => Self::Reread(error),
            other => other,
        }
    }

    /// The line (from 1) Go's message names, if it names one.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Yaml(error) | Self::Reread(error) => error.line(),
            Self::Decode(_) | Self::Encode(_) => None,
        }
    }
}

/// What the YAML reader itself objects to; prints as `go.yaml.in/yaml/v2` does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct YamlError {
    text: String,
    line: Option<usize>,
}

impl YamlError {
    /// An error with Go's whole text and the line it names.
    pub(crate) fn new(text: impl Into<String>, line: Option<usize>) -> Self {
        Self { text: text.into(), line }
    }

    /// Collections nested deeper than any chart has them.
    pub(crate) fn too_deep() -> Self {
        Self::new(format!("yaml: exceeded max depth of {}", crate::value::MAX_DEPTH), None)
    }

    /// A problem at a line counted from zero. Go names no line for the first one, and one less than
    /// the line's number where the parser, not the scanner, found the problem.
    pub(crate) fn at(line: u32, scanner: bool, problem: &str) -> Self {
        if line == 0 {
            return Self::new(format!("yaml: {problem}"), None);
        }
        let line = line as usize + usize::from(scanner);
        Self::new(format!("yaml: line {line}: {problem}"), Some(line))
    }

    /// The line (from 1) Go's message names, if it names one.
    pub fn line(&self) -> Option<usize> {
        self.line
    }
}
