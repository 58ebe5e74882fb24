//! Notes that do not stop a run: on standard error, in the form Helm logs them.

use std::fmt::{Display, Write as _};
use std::io::Write as _;

/// Logs a warning, with details as `key=value`.
pub(crate) fn warn(message: &str, details: &[(&str, &dyn Display)]) {
    log("WARN", message, details);
}

/// Logs what `--debug` shows.
pub(crate) fn debug(message: &str, details: &[(&str, &dyn Display)]) {
    log("DEBUG", message, details);
}

/// Says that a flag still works but should not be used.
pub(crate) fn deprecated_flag(flag: &str, advice: &str) {
    plain(&format!("Flag --{flag} has been deprecated, {advice}"));
}

/// A line on standard error as it is.
pub(crate) fn plain(line: &str) {
    // A reader who closed standard error does not want to know.
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn log(level: &str, message: &str, details: &[(&str, &dyn Display)]) {
    let mut line = format!("level={level} msg={}", word(message));
    for (key, value) in details {
        let _ = write!(line, " {key}={}", word(&value.to_string()));
    }
    plain(&line);
}

/// Quotes a value when Go's text log would: if it is empty or has a space, `"`, `=` or
/// something unprintable in it.
fn word(value: &str) -> String {
    let is_plain = |c: char| !matches!(c, ' ' | '"' | '=') && !c.is_control();
    if !value.is_empty() && value.chars().all(is_plain) {
        value.to_owned()
    } else {
        goyaml::strconv::quote(value)
    }
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn quotes_only_what_needs_it() {
        for (value, expected) in [
            ("plain", "plain"),
            ("", r#""""#),
            ("two words", r#""two words""#),
            ("a=b", r#""a=b""#),
            ("say \"x\"\n", r#""say \"x\"\n""#),
        ] {
            assert_eq!(word(value), expected);
        }
    }
}
