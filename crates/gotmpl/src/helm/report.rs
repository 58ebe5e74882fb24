//! What Helm makes of the engine's errors before it shows them.

use crate::error::{Error, Phase};

/// Why a chart's templates could not be rendered. Prints what Helm prints after `Error: `.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct RenderError {
    text: String,
    /// The engine's error, with Go's text and the places.
    #[source]
    error: Error,
}

impl RenderError {
    pub(super) fn parse(name: &str, error: Error) -> Self {
        Self { text: parse_error_text(name, &error), error }
    }

    pub(super) fn execute(name: &str, error: Error) -> Self {
        Self { text: render_error_text(name, &error), error }
    }

    /// The engine's error.
    pub fn error(&self) -> &Error {
        &self.error
    }
}

/// Helm's words for a parse error in the template `name`.
pub fn parse_error_text(name: &str, error: &Error) -> String {
    let text = error.to_string();
    let mut tokens = text.split(": ");
    match (tokens.next(), tokens.next(), tokens.last()) {
        (_, None, _) => format!("parse error in ({name}): {text}"),
        (_, Some(location), last) => format!("parse error at ({location}): {}", last.unwrap_or(location)),
    }
}

/// Helm's words for an error in executing the template `name`: one step per line, unless the error is not one
/// of templates all the way down.
pub fn render_error_text(name: &str, error: &Error) -> String {
    let text = error.to_string();
    if error.phase() != Phase::Execute {
        return text;
    }
    let mut tokens = text.splitn(3, ": ");
    let (Some(_), Some(location), Some(message)) = (tokens.next(), tokens.next(), tokens.next()) else {
        return format!("execution error in ({name}): {text}");
    };
    if let Some(message) = marked_message(message) {
        return format!("execution error at ({location}): {message}");
    }
    let mut steps: Vec<Step<'_>> = Vec::new();
    for start in error.chain() {
        match Step::read(&text[start..]) {
            Some(step) if steps.last() == Some(&step) => {}
            Some(step) => steps.push(step),
            None => return text,
        }
    }
    let lines: String = steps.iter().map(ToString::to_string).collect();
    lines.trim().to_owned()
}

/// What `fail` or `required` say, from the first mark to the last.
fn marked_message(text: &str) -> Option<&str> {
    let start = text.find("HELM_ERR_START")? + "HELM_ERR_START".len();
    let end = text.rfind("HELM_ERR_END")?;
    text.get(start..end)
}

/// One template's part in an error.
#[derive(PartialEq, Eq)]
struct Step<'e> {
    location: &'e str,
    /// The template and the node: `executing "x" at <.y>:`.
    executing: Option<(&'e str, &'e str)>,
    message: &'e str,
}

impl<'e> Step<'e> {
    /// Reads a template's error as Helm does: from its text.
    fn read(text: &'e str) -> Option<Self> {
        let rest = text.strip_prefix("template: ")?;
        if rest.starts_with("no template ") {
            return Some(Self { location: "", executing: None, message: text });
        }
        if let Some((location, executing)) = rest.split_once(": executing ")
            && let Some((function, node, message)) = read_executing(executing)
        {
            return Some(Self { location, executing: Some((function, node)), message });
        }
        let (location, message) = rest.rsplit_once(": ")?;
        Some(Self { location, executing: None, message: before_next(message) })
    }
}

fn read_executing(text: &str) -> Option<(&str, &str, &str)> {
    let (function, rest) = text.strip_prefix('"')?.split_once('"')?;
    let (node, message) = rest.strip_prefix(" at <")?.split_once(">: ")?;
    Some((function, node, before_next(message)))
}

/// The message without the text of the error it wraps.
fn before_next(message: &str) -> &str {
    message.find(" template:").map_or(message, |next| &message[..next])
}

impl std::fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.location.is_empty() {
            write!(f, "{}\n  ", self.location)?;
        }
        if let Some((function, node)) = self.executing {
            write!(f, "executing \"{function}\" at <{node}>:\n    ")?;
        }
        if !self.message.is_empty() {
            writeln!(f, "{}", self.message)?;
        }
        Ok(())
    }
}
