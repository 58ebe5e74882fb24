//! Property names as identifiers: `a.b` is `a__dot__b`, `namespace` is `__namespace__`.

/// Words that are not identifiers.
const RESERVED: &[&str] = &[
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Whether a word of the language is no identifier for this reason.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// The identifier that stands for a property; nothing if none can.
pub fn escape(name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if is_reserved(name) {
        return Some(format!("__{name}__"));
    }
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(character) = rest.chars().next() {
        let length = match character {
            '_' if rest.starts_with("__") => {
                out.push_str("__underscores__");
                2
            }
            '.' => {
                out.push_str("__dot__");
                1
            }
            '-' => {
                out.push_str("__dash__");
                1
            }
            '/' => {
                out.push_str("__slash__");
                1
            }
            '_' | 'a'..='z' | 'A'..='Z' | '0'..='9' => {
                out.push(character);
                1
            }
            _ => return None,
        };
        rest = &rest[length..];
    }
    Some(out)
}

/// The property that an identifier stands for; nothing if none does.
pub fn unescape(identifier: &str) -> Option<String> {
    let mut out = String::with_capacity(identifier.len());
    let mut rest = identifier;
    while let Some(start) = rest.find("__") {
        let word = &rest[start + 2..];
        let length = word.find('_').unwrap_or(word.len());
        if length == 0 || !word[length..].starts_with("__") {
            // Not an escape: go on behind this underscore.
            out.push_str(&rest[..=start]);
            rest = &rest[start + 1..];
            continue;
        }
        out.push_str(&rest[..start]);
        let name = &word[..length];
        out.push_str(match name {
            "underscores" => "__",
            "dot" => ".",
            "dash" => "-",
            "slash" => "/",
            reserved if is_reserved(reserved) && identifier.len() == length + 4 => reserved,
            _ => return None,
        });
        rest = &word[length + 2..];
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        for (name, identifier) in [
            ("a", "a"),
            ("a.b-c/d", "a__dot__b__dash__c__slash__d"),
            ("a__b", "a__underscores__b"),
            ("namespace", "__namespace__"),
            ("_a_", "_a_"),
        ] {
            assert_eq!(escape(name).as_deref(), Some(identifier));
            assert_eq!(unescape(identifier).as_deref(), Some(name));
        }
        assert_eq!(escape("1a"), None);
        assert_eq!(escape("a b"), None);
        assert_eq!(unescape("a__namespace__"), None);
    }

    proptest::proptest! {
        #[test]
        fn what_is_escaped_comes_back(name in "[a-z_./-]{1,12}") {
            if let Some(identifier) = escape(&name) {
                proptest::prop_assert_eq!(unescape(&identifier), Some(name));
            }
        }
    }
}
