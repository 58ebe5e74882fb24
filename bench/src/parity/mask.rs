//! Sets aside what Helm writes differently each time: passwords, certificates, dates, and hashes of them.

use std::borrow::Cow;
use std::collections::HashSet;

/// Whether `ours` agrees with two answers of Helm wherever these agree with each other.
///
/// Lines are compared in order. Where the two answers differ, our line must start as both do, up to the last
/// character that separates words; a varying value of several lines may have another number of lines. What a PEM block holds
/// is one line: where its lines break depends on the length of numbers in it.
pub(crate) fn agree(first: &str, second: &str, ours: &str) -> bool {
    let [first, second, ours] = [first, second, ours].map(lines);
    if first.len() == second.len() {
        if ours.len() == first.len() {
            return first.iter().zip(&second).zip(&ours).all(|((a, b), c)| line_agrees(a, b, c));
        }
        return false;
    }
    stable(&first, &second) == stable(&ours, &second) && stable(&second, &first) == stable(&ours, &first)
}

/// The lines of a text, with what is within a PEM block as one.
fn lines(text: &str) -> Vec<Cow<'_, str>> {
    let mut lines: Vec<Cow<'_, str>> = Vec::new();
    // Where the lines of the block begin that has begun.
    let mut block = None;
    for line in text.lines() {
        if line.contains("-----END ")
            && let Some(begin) = block.take()
            && lines.len() > begin
        {
            let inner: Vec<Cow<'_, str>> = lines.drain(begin..).collect();
            lines.push(inner.join("\n").into());
        }
        lines.push(line.into());
        if line.ends_with("-----") && line.contains("-----BEGIN ") {
            block = Some(lines.len());
        }
    }
    lines
}

fn line_agrees(first: &str, second: &str, ours: &str) -> bool {
    if first == second { ours == first } else { ours.starts_with(common_start(first, second)) }
}

/// What both lines start with, up to the last character that separates words.
fn common_start<'a>(first: &'a str, second: &str) -> &'a str {
    let common = first
        .char_indices()
        .zip(second.chars())
        .find(|((_, a), b)| a != b)
        .map_or(first.len().min(second.len()), |((at, _), _)| at);
    let end = first[..common]
        .char_indices()
        .rev()
        .find(|(_, c)| matches!(c, ' ' | '"' | '\'' | ':' | '=' | '/' | '@'))
        .map_or(0, |(at, c)| at + c.len_utf8());
    &first[..end]
}

/// The lines of `text` that also occur in `other`.
fn stable<'a>(text: &'a [Cow<'_, str>], other: &[Cow<'_, str>]) -> Vec<&'a str> {
    let other: HashSet<&str> = other.iter().map(AsRef::as_ref).collect();
    text.iter().map(AsRef::as_ref).filter(|line| other.contains(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_helm_varies_may_differ() {
        let (first, second) =
            ("kind: Secret\npassword: \"aXc\"\nuser: me\n", "kind: Secret\npassword: \"aYd\"\nuser: me\n");
        assert!(agree(first, second, "kind: Secret\npassword: \"b\"\nuser: me\n"));
        assert!(!agree(first, second, "kind: Secret\npassword: b\nuser: me\n"));
        assert!(!agree(first, second, "kind: Secret\npassword: \"b\"\nuser: you\n"));
        assert!(!agree(first, second, "kind: Secret\npassword: \"b\"\n"));
    }

    #[test]
    fn blocks_may_vary_in_length() {
        let (first, second) = ("a: |\n  x1\n  x2\nb: 1\n", "a: |\n  y1\nb: 1\n");
        assert!(agree(first, second, "a: |\n  z1\n  z2\n  z3\nb: 1\n"));
        assert!(!agree(first, second, "a: |\n  z1\nb: 2\n"));
    }
    #[test]
    fn lines_of_pem_blocks_may_break_elsewhere() {
        let pem =
            |a: &str, b: &str| format!("a: |\n  -----BEGIN X-----\n  {a}\n  {b}\n  -----END X-----\nb: 1\n");
        let (first, second) = (pem("Aq", "same"), pem("Ar", "same"));
        assert!(agree(&first, &second, &pem("Axs", "ame")));
        assert!(!agree(&first, &first, &pem("Aqs", "ame")), "Helm does not vary it");
        assert!(!agree(&first, &second, &pem("Ax", "same").replace("  ", "    ")));
    }
}
