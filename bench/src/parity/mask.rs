//! Sets aside what Helm writes differently each time: passwords, certificates, dates, and hashes of them.

/// Whether `ours` agrees with two answers of Helm wherever these agree with each other.
///
/// Lines are compared in order. Where the two answers differ, our line must start as both do, up to the last
/// character that separates words; a varying value of several lines (a PEM block) may have another number of lines.
pub(crate) fn agree(first: &str, second: &str, ours: &str) -> bool {
    let first: Vec<_> = first.lines().collect();
    let second: Vec<_> = second.lines().collect();
    let ours: Vec<_> = ours.lines().collect();
    if first.len() == second.len() {
        if ours.len() == first.len() {
            return first.iter().zip(&second).zip(&ours).all(|((a, b), c)| line_agrees(a, b, c));
        }
        return false;
    }
    stable(&first, &second) == stable(&ours, &second) && stable(&second, &first) == stable(&ours, &first)
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
fn stable<'a>(text: &[&'a str], other: &[&str]) -> Vec<&'a str> {
    let other: std::collections::HashSet<_> = other.iter().copied().collect();
    text.iter().copied().filter(|line| other.contains(line)).collect()
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
}
