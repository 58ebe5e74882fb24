//! Texts in quotes of either kind, with Go's escapes.

/// The text between two quotes; `None` if it has an escape that Go does not know.
///
/// Either quote may hold the other one as it is, but must escape its own.
pub(super) fn unquote(content: &str, quote: char) -> Option<String> {
    if !content.contains(['\\', quote]) {
        return Some(content.to_owned());
    }
    if quote == '"' {
        return goyaml::strconv::unquote(&format!("\"{content}\""));
    }
    let mut double = String::from("\"");
    let mut characters = content.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' => return None,
            '"' => double.push_str("\\\""),
            '\\' => match characters.next()? {
                '\'' => double.push('\''),
                '"' => return None,
                escaped => double.extend(['\\', escaped]),
            },
            other => double.push(other),
        }
    }
    double.push('"');
    goyaml::strconv::unquote(&double)
}

#[cfg(test)]
mod tests {
    use super::unquote;

    #[test]
    fn both_quotes_know_the_same_escapes() {
        for (content, expected) in [
            ("plain", Some("plain")),
            (r"a\tb\n", Some("a\tb\n")),
            (r"\x41\u00e9\101", Some("AéA")),
            (r"\\", Some("\\")),
            (r"\q", None),
            (r"\", None),
        ] {
            assert_eq!(unquote(content, '"').as_deref(), expected, "{content}");
            assert_eq!(unquote(content, '\'').as_deref(), expected, "{content}");
        }
    }

    #[test]
    fn each_holds_the_other_and_escapes_itself() {
        assert_eq!(unquote("it's", '"').as_deref(), Some("it's"));
        assert_eq!(unquote("say \"x\"\\n", '\'').as_deref(), Some("say \"x\"\n"));
        assert_eq!(unquote(r"it\'s", '\'').as_deref(), Some("it's"));
        assert_eq!(unquote(r"it\'s", '"'), None);
        assert_eq!(unquote("say \\\"x\\\"", '\''), None);
        assert_eq!(unquote("it's\\n", '\''), None);
    }
}
