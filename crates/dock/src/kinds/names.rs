//! The forms that names, keys and ports must have, and the server's words for those that do not.

use super::report::Errors;
use crate::field::Path;
use crate::meta::{SUBDOMAIN, is_dns_subdomain, is_lower, too_many_characters as too_long};
pub(crate) use crate::meta::{
    config_key, dns_label, dns_subdomain, label_key, label_value, mask_trailing_dash as masked, path_segment,
    regex_words as form,
};

/// How a kind's names are checked. A prefix is checked as a name that something will be added to.
pub(crate) type NameRule = fn(&str) -> Vec<String>;

/// A DNS subdomain where labels may hold and begin with underscores.
pub(crate) fn dns_subdomain_with_underscore(value: &str) -> Vec<String> {
    let label = |text: &str| {
        let text = text.strip_prefix('_').unwrap_or(text);
        let bytes = text.as_bytes();
        let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
        is_lower(*first)
            && is_lower(*last)
            && bytes.iter().all(|&byte| is_lower(byte) || byte == b'-' || byte == b'_')
    };
    let mut wrong = Vec::new();
    if value.len() > 253 {
        wrong.push(too_long(253));
    }
    if !value.split('.').all(label) {
        wrong.push(form(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', \
             and must start and end with an alphanumeric character",
            r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*",
            &["example.com"],
        ));
    }
    wrong
}

/// A DNS subdomain after `*.`: hosts of ingresses.
pub(crate) fn wildcard_subdomain(value: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if value.len() > 253 {
        wrong.push(too_long(253));
    }
    if !value.strip_prefix("*.").is_some_and(is_dns_subdomain) {
        wrong.push(form(
            "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must \
             consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
            &format!(r"\*\.{SUBDOMAIN}"),
            &["*.example.com"],
        ));
    }
    wrong
}

/// A name of a port.
pub(crate) fn port_name(value: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if value.len() > 15 {
        wrong.push(too_long(15));
    }
    if value.is_empty() || !value.bytes().all(|byte| is_lower(byte) || byte == b'-') {
        wrong.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".into());
    }
    if !value.bytes().any(|byte| byte.is_ascii_lowercase()) {
        wrong.push("must contain at least one letter (a-z)".into());
    }
    if value.contains("--") {
        wrong.push("must not contain consecutive hyphens".into());
    }
    if value.starts_with('-') || value.ends_with('-') {
        wrong.push("must not begin or end with a hyphen".into());
    }
    wrong
}

/// A number of a port.
pub(crate) fn port_number(value: i64) -> Vec<String> {
    in_range(value, 1, 65535)
}

/// A number between two others.
pub(crate) fn in_range(value: i64, low: i64, high: i64) -> Vec<String> {
    if (low..=high).contains(&value) { Vec::new() } else { vec![range(low, high)] }
}

/// The words for a number that must be between two others.
pub(crate) fn range(low: i64, high: i64) -> String {
    format!("must be between {low} and {high}, inclusive")
}

/// A number of a user or a group.
pub(crate) fn user_id(value: i64) -> Vec<String> {
    in_range(value, 0, i64::from(i32::MAX))
}

/// A percentage.
pub(crate) fn percent(value: &str) -> Vec<String> {
    let digits = value.strip_suffix('%').unwrap_or_default();
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let words = "a valid percent string must be a numeric string followed by an ending '%'";
    vec![form(words, "[0-9]+%", &["1%", "93%"])]
}

/// A name of an HTTP header.
pub(crate) fn http_header(value: &str) -> Vec<String> {
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Vec::new();
    }
    let words = "a valid HTTP header must consist of alphanumeric characters or '-'";
    vec![form(words, "[-A-Za-z0-9]+", &["X-Header-Name"])]
}

/// A name of an environment variable.
pub(crate) fn env_var(value: &str) -> Vec<String> {
    if value.is_empty() {
        return vec!["environment variable name must be non-empty".into()];
    }
    if value.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=') {
        return Vec::new();
    }
    vec![
        "a valid environment variable name must consist only of printable ASCII characters other than '='"
            .into(),
    ]
}

/// A path after the name of a domain: who manages a job, which controller a class has.
pub(crate) fn domain_prefixed_path(value: &str, path: &Path, errors: &mut Errors) {
    match value.split_once('/') {
        _ if value.is_empty() => errors.required(path, ""),
        Some((host, rest)) if !host.is_empty() && !rest.is_empty() => {
            errors.invalid_each(path, host, dns_subdomain(host));
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte);
            if !rest.bytes().all(allowed) {
                let words = form("Invalid path", r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+", &[]);
                errors.invalid(path, rest, words);
            }
        }
        _ => errors.invalid(path, value, "must be a domain-prefixed path (such as \"acme.io/foo\")"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_their_forms() {
        let table: &[(NameRule, &[&str], &[&str])] = &[
            (dns_label, &["a", "0", "a-b", "a--b"], &["", "-", "a-", "-a", "A", "a.b", "a_b"]),
            (dns_subdomain, &["a", "a.b", "0.1", "a-b.c"], &["", ".", "a.", "a..b", "A.b", "a_b", "*.a"]),
            (dns_subdomain_with_underscore, &["_a.b", "a_b.c"], &["", "__a", "a_", "_"]),
            (wildcard_subdomain, &["*.a", "*.a.b"], &["*", "a", "*.", "*.*.a"]),
            (path_segment, &["a:b", "A B", ""], &[".", "..", "a/b", "%"]),
            (label_key, &["a", "A.b_c-d", "a.b/c"], &["", "/a", "a/", "a/b/c", "-a", "A.B/c"]),
            (label_value, &["", "a", "A_b"], &["-", "a-", "a b"]),
            (port_name, &["http", "a-1"], &["", "1", "a--b", "-a", "a-", "A", "abcdefghijklmnop"]),
            (percent, &["0%", "100%"], &["", "%", "1", "-1%", "1%%"]),
            (http_header, &["X-A"], &["", "X_A"]),
            (env_var, &["A", "a b", "1.2-3"], &["", "a=b", "ä", "\n"]),
            (config_key, &["a", ".a", "A-b_c.d"], &["", ".", "..", "..a", "a/b"]),
        ];
        for (rule, good, bad) in table {
            for name in *good {
                assert_eq!(rule(name), Vec::<String>::new(), "{name}");
            }
            for name in *bad {
                assert_ne!(rule(name), Vec::<String>::new(), "{name}");
            }
        }
    }
}
