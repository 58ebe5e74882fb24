//! The forms that names, label keys and label values must have, and the words that say so.

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
/// What a DNS name looks like.
pub(crate) const SUBDOMAIN: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const OLD_LABEL: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";
const KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const KEY_WORDS: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                         alphanumeric character";

/// The words for a text that does not match a pattern.
pub fn regex_words(words: &str, pattern: &str, examples: &[&str]) -> String {
    if examples.is_empty() {
        return format!("{words} (regex used for validation is '{pattern}')");
    }
    let examples: Vec<String> = examples.iter().map(|example| format!("'{example}', ")).collect();
    format!("{words} (e.g. {}regex used for validation is '{pattern}')", examples.join(" or "))
}

/// The words for a text of too many bytes.
pub fn too_long_words(max: usize) -> String {
    format!("must be no more than {max} bytes")
}

/// The words of older checks for the same.
pub(crate) fn too_many_characters(max: usize) -> String {
    format!("must be no more than {max} characters")
}

/// Whether a sign may begin and end a label of a DNS name.
pub(crate) fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

fn is_dns_label(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return false };
    is_lower(first) && is_lower(last) && bytes.iter().all(|&byte| is_lower(byte) || byte == b'-')
}

/// Whether a text is a DNS name (RFC 1123), however long.
pub(crate) fn is_dns_subdomain(text: &str) -> bool {
    text.split('.').all(is_dns_label)
}

fn is_key_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    first.is_ascii_alphanumeric()
        && last.is_ascii_alphanumeric()
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

/// What keeps a text from being a label of a DNS name (RFC 1123).
pub fn dns_label(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 63 {
        wrong.push(too_many_characters(63));
    }
    if !is_dns_label(text) {
        wrong.push(if is_dns_subdomain(text) {
            "must not contain dots".to_owned()
        } else {
            regex_words(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
                 start and end with an alphanumeric character",
                LABEL,
                &["my-name", "123-abc"],
            )
        });
    }
    wrong
}

/// What keeps a text from being a DNS name (RFC 1123).
pub fn dns_subdomain(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 253 {
        wrong.push(too_many_characters(253));
    }
    if !is_dns_subdomain(text) {
        wrong.push(not_a_subdomain());
    }
    wrong
}

fn not_a_subdomain() -> String {
    regex_words(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must \
         start and end with an alphanumeric character",
        SUBDOMAIN,
        &["example.com"],
    )
}

/// What keeps a text from being a label of a DNS name that begins with a letter (RFC 1035).
pub fn dns1035_label(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 63 {
        wrong.push(too_many_characters(63));
    }
    if !is_dns_label(text) || !text.starts_with(|first: char| first.is_ascii_lowercase()) {
        wrong.push(regex_words(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic \
             character, and end with an alphanumeric character",
            OLD_LABEL,
            &["my-name", "abc-123"],
        ));
    }
    wrong
}

/// What keeps a text from being one segment of a path.
pub fn path_segment(text: &str) -> Vec<String> {
    match text {
        "." | ".." => vec![format!("may not be '{text}'")],
        other => path_segment_prefix(other),
    }
}

/// What keeps a text from being the beginning of one segment of a path.
pub fn path_segment_prefix(text: &str) -> Vec<String> {
    ['/', '%']
        .iter()
        .filter(|sign| text.contains(**sign))
        .map(|sign| format!("may not contain '{sign}'"))
        .collect()
}

/// What keeps a text from being the key of a label, an annotation or the name of a finalizer.
pub fn label_key(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let words = || regex_words(KEY_WORDS, KEY, &["MyName", "my.name", "123-abc"]);
    let parts: Vec<&str> = text.split('/').collect();
    let name = match parts.as_slice() {
        [name] => *name,
        [prefix, name] => {
            if prefix.is_empty() {
                wrong.push("prefix part must be non-empty".to_owned());
            } else {
                if prefix.len() > 253 {
                    wrong.push(format!("prefix part {}", too_long_words(253)));
                }
                if !is_dns_subdomain(prefix) {
                    wrong.push(format!("prefix part {}", not_a_subdomain()));
                }
            }
            *name
        }
        _ => {
            wrong.push(format!(
                "a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
                words()
            ));
            return wrong;
        }
    };
    if name.is_empty() {
        wrong.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        wrong.push(format!("name part {}", too_long_words(63)));
    }
    if !is_key_name(name) {
        wrong.push(format!("name part {}", words()));
    }
    wrong
}

/// What keeps a text from being the value of a label.
pub fn label_value(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 63 {
        wrong.push(too_long_words(63));
    }
    if !text.is_empty() && !is_key_name(text) {
        wrong.push(regex_words(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
             start and end with an alphanumeric character",
            "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
            &["MyValue", "my_value", "12345"],
        ));
    }
    wrong
}

/// What keeps a text from being an identifier of C.
pub fn c_identifier(text: &str) -> Vec<String> {
    let fits = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if fits {
        return Vec::new();
    }
    vec![regex_words(
        "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric \
         characters or '_'",
        "[A-Za-z_][A-Za-z0-9_]*",
        &["my_name", "MY_NAME", "MyName"],
    )]
}

/// A dash at the end is fine where something follows. The server overwrites the sign before it too.
pub(crate) fn mask_trailing_dash(name: &str) -> String {
    match name.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let mut kept = rest.to_owned();
            kept.pop();
            kept.push('a');
            kept
        }
        _ => name.to_owned(),
    }
}

/// What keeps a text from being a key of a `ConfigMap` or `Secret`.
pub(crate) fn config_key(text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if text.len() > 253 {
        wrong.push(too_many_characters(253));
    }
    let fits =
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    if !fits {
        wrong.push(regex_words(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
            "[-._a-zA-Z0-9]+",
            &["key.name", "KEY_NAME", "key-name"],
        ));
    }
    match text {
        "." => wrong.push("must not be '.'".to_owned()),
        ".." => wrong.push("must not be '..'".to_owned()),
        other if other.starts_with("..") => wrong.push("must not start with '..'".to_owned()),
        _ => {}
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_their_forms() {
        for good in ["a", "0", "a-b", "a0"] {
            assert_eq!(dns_label(good), Vec::<String>::new(), "{good}");
        }
        for bad in ["", "-a", "a-", "A", "a_b", "ä"] {
            assert!(dns_label(bad)[0].starts_with("a lowercase RFC 1123 label must"), "{bad}");
        }
        assert_eq!(dns_label("a.b"), ["must not contain dots"]);
        assert_eq!(dns_label(&"a".repeat(64)), ["must be no more than 63 characters"]);
        for bad in ["a..b", ".a", "a.", "a.-b"] {
            assert_eq!(dns_subdomain(bad).len(), 1, "{bad}");
        }
        assert_eq!(dns1035_label("0a").len(), 1);
        assert_eq!(path_segment(".."), ["may not be '..'"]);
        assert_eq!(path_segment("a/%"), ["may not contain '/'", "may not contain '%'"]);
        assert!(path_segment("system:node").is_empty());
    }

    #[test]
    fn prefixes_are_checked_as_beginnings() {
        assert_eq!(mask_trailing_dash("ab-"), "aa");
        assert_eq!(mask_trailing_dash("-"), "-");
        assert_eq!(mask_trailing_dash("ab"), "ab");
    }

    #[test]
    fn keys_have_a_prefix_and_a_name() {
        for good in ["a", "A.b_c-d", "example.com/Name", "9"] {
            assert!(label_key(good).is_empty(), "{good}");
        }
        assert_eq!(
            label_key("/"),
            [
                "prefix part must be non-empty",
                "name part must be non-empty",
                "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                 alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                 '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
            ]
        );
        assert!(label_key("a/b/c")[0].ends_with("and '/' (e.g. 'example.com/MyName')"));
        assert!(label_value("").is_empty());
        assert_eq!(label_value("-").len(), 1);
    }
}
