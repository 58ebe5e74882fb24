//! Names that someone may have meant.

/// The name that is nearest to what was written, if it is near enough to be what was meant.
pub(super) fn nearest<'n>(written: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let most = (written.chars().count() / 3).max(1);
    let known = names.map(|name| (distance(written, name), name));
    known.filter(|(distance, _)| *distance <= most).min().map(|(_, name)| name)
}

/// How many letters must be put in, left out or replaced to make one of the other, whatever their case.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().map(|letter| letter.to_ascii_lowercase()).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, wanted) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter.to_ascii_lowercase() != *wanted);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_is_found() {
        let names = || ["upper", "lower", "quote", "toYaml", "nindent", "b64enc"].into_iter();
        for (written, meant) in [
            ("toUpper", Some("upper")),
            ("toyaml", Some("toYaml")),
            ("qoute", None),
            ("quot", Some("quote")),
            ("nident", Some("nindent")),
            ("base64enc", Some("b64enc")),
            ("frobnicate", None),
            ("x", None),
        ] {
            assert_eq!(nearest(written, names()), meant, "{written}");
        }
    }
}
