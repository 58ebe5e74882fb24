//! What a remote operation tells its user while it works. The library never prints.

use std::fmt;

/// Takes what a command would show: lines of progress, and warnings.
pub trait Notify: Send {
    /// Text for the user, in whole lines, each with its line end.
    fn say(&mut self, text: &str);

    /// Something that deserves attention but stops nothing.
    fn warn(&mut self, warning: Warning);
}

/// Listens to nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Notify for Silent {
    fn say(&mut self, _: &str) {}

    fn warn(&mut self, _: Warning) {}
}

/// Keeps everything, for a command that shows it at the end and for tests.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    /// What was said.
    pub said: String,
    /// What was warned of.
    pub warnings: Vec<Warning>,
}

impl Notify for Transcript {
    fn say(&mut self, text: &str) {
        self.said.push_str(text);
    }

    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
}

/// A warning; it prints as a line of Helm's log: `level=WARN msg="…" key=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What happened.
    pub message: String,
    /// The particulars.
    pub fields: Vec<(&'static str, String)>,
}

impl Warning {
    /// A warning without particulars yet.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), fields: Vec::new() }
    }

    /// With one more particular.
    #[must_use]
    pub fn with(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.fields.push((key, value.into()));
        self
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "level=WARN msg={}", field(&self.message))?;
        self.fields.iter().try_for_each(|(key, value)| write!(f, " {key}={}", field(value)))
    }
}

fn field(text: &str) -> String {
    let plain = |c: char| c.is_ascii_graphic() && c != '"' && c != '=';
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { super::url::quote(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_read_as_helms_log() {
        let warning =
            Warning::new("skipping entry").with("name", "app").with("error", "a \"b\"").with("x", "");
        assert_eq!(
            warning.to_string(),
            "level=WARN msg=\"skipping entry\" name=app error=\"a \\\"b\\\"\" x=\"\""
        );
    }
}
