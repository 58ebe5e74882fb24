//! Named formats: what names, labels and other texts of Kubernetes look like.

use base64::Engine;

use super::{Library, text, urls};
use crate::error::{EvalError, Outcome};
use crate::value::{Timestamp, Value};

/// A named format.
#[derive(Debug)]
pub struct NamedFormat {
    /// The name as cel-go prints it.
    pub(crate) name: &'static str,
    /// How long a regular expression that checks it would be, for its cost.
    pub(crate) pattern_size: u64,
    check: fn(&str) -> Vec<String>,
}

/// The formats, by the names they have in expressions.
static FORMATS: [(&str, NamedFormat); 13] = [
    ("format.dns1123Label", NamedFormat { name: "DNS1123Label", pattern_size: 30, check: dns1123_label }),
    (
        "format.dns1123Subdomain",
        NamedFormat { name: "DNS1123Subdomain", pattern_size: 60, check: dns1123_subdomain },
    ),
    ("format.dns1035Label", NamedFormat { name: "DNS1035Label", pattern_size: 30, check: dns1035_label }),
    ("format.qualifiedName", NamedFormat { name: "QualifiedName", pattern_size: 60, check: qualified_name }),
    (
        "format.dns1123LabelPrefix",
        NamedFormat {
            name: "DNS1123LabelPrefix",
            pattern_size: 30,
            check: |text| dns1123_label(&masked(text)),
        },
    ),
    (
        "format.dns1123SubdomainPrefix",
        NamedFormat {
            name: "DNS1123SubdomainPrefix",
            pattern_size: 60,
            check: |text| dns1123_subdomain(&masked(text)),
        },
    ),
    (
        "format.dns1035LabelPrefix",
        NamedFormat {
            name: "DNS1035LabelPrefix",
            pattern_size: 30,
            check: |text| dns1035_label(&masked(text)),
        },
    ),
    ("format.labelValue", NamedFormat { name: "LabelValue", pattern_size: 40, check: label_value }),
    (
        "format.uri",
        NamedFormat {
            name: "URI",
            pattern_size: 1103,
            check: |text| match urls::parse_request(text) {
                Ok(()) => Vec::new(),
                Err(problem) => vec![format!("parse {}: {problem}", super::strings::go_quote(text))],
            },
        },
    ),
    (
        "format.uuid",
        NamedFormat {
            name: "uuid",
            pattern_size: 70,
            check: |text| unless(is_uuid(text), "does not match the UUID format"),
        },
    ),
    (
        "format.byte",
        NamedFormat {
            name: "byte",
            pattern_size: 84,
            check: |text| unless(is_base64(text), "invalid base64"),
        },
    ),
    (
        "format.date",
        NamedFormat { name: "date", pattern_size: 71, check: |text| unless(is_date(text), "invalid date") },
    ),
    (
        "format.datetime",
        NamedFormat {
            name: "datetime",
            pattern_size: 71,
            check: |text| unless(is_date_time(text), "invalid datetime"),
        },
    ),
];

pub(super) fn add(library: &mut Library) {
    /// One function for each format: they have no arguments to tell them apart.
    macro_rules! constants {
        ($($index:literal)*) => {
            $(library.add(FORMATS[$index].0, &[(FORMATS[$index].0, "-> kubernetes.NamedFormat", |_| {
                Ok(Value::Format(&FORMATS[$index].1))
            })]);)*
        };
    }
    constants!(0 1 2 3 4 5 6 7 8 9 10 11 12);
    library.add(
        "format.named",
        &[("format-named", "string -> optional_type(kubernetes.NamedFormat)", |args| {
            let name = text(args, 0)?;
            let found = FORMATS.iter().find(|(known, _)| known.strip_prefix("format.") == Some(name));
            Ok(found.map_or(Value::Optional(None), |(_, format)| Value::some(Value::Format(format))))
        })],
    );
    library.add(
        "validate",
        &[("format-validate", "kubernetes.NamedFormat . string -> optional_type(list(string))", validate)],
    );
}

fn validate<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    let Value::Format(format) = &args[0] else { return Err(EvalError::no_overload()) };
    let problems = (format.check)(text(args, 1)?);
    if problems.is_empty() {
        return Ok(Value::Optional(None));
    }
    Ok(Value::some(Value::list(problems.into_iter().map(Value::string).collect())))
}

fn unless(fine: bool, problem: &str) -> Vec<String> {
    if fine { Vec::new() } else { vec![problem.to_owned()] }
}

const LABEL: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const SUBDOMAIN: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const NAME: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

/// What is said of a text that does not match.
fn mismatch(rule: &str, pattern: &str, examples: &[&str]) -> String {
    let examples: Vec<String> = examples.iter().map(|example| format!("'{example}', ")).collect();
    format!("{rule} (e.g. {}regex used for validation is '{pattern}')", examples.join(" or "))
}

fn too_long(most: usize) -> String {
    format!("must be no more than {most} bytes")
}

fn is_label(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    !bytes.is_empty()
        && bytes.iter().all(|byte| inner(*byte) || *byte == b'-')
        && inner(bytes[0])
        && inner(bytes[bytes.len() - 1])
}

fn is_subdomain(text: &str) -> bool {
    text.split('.').all(is_label)
}

pub(super) fn dns1123_label(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if text.len() > 63 {
        problems.push(too_long(63));
    }
    if !is_label(text) {
        problems.push(if is_subdomain(text) {
            "must not contain dots".to_owned()
        } else {
            let rule = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and \
                        must start and end with an alphanumeric character";
            mismatch(rule, LABEL, &["my-name", "123-abc"])
        });
    }
    problems
}

pub(super) fn dns1123_subdomain(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if text.len() > 253 {
        problems.push(too_long(253));
    }
    if !is_subdomain(text) {
        let rule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
                    and must start and end with an alphanumeric character";
        problems.push(mismatch(rule, SUBDOMAIN, &["example.com"]));
    }
    problems
}

fn dns1035_label(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if text.len() > 63 {
        problems.push(too_long(63));
    }
    if !is_label(text) || !text.starts_with(|c: char| c.is_ascii_lowercase()) {
        let rule = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an \
                    alphabetic character, and end with an alphanumeric character";
        problems.push(mismatch(rule, "[a-z]([-a-z0-9]*[a-z0-9])?", &["my-name", "abc-123"]));
    }
    problems
}

fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    !bytes.is_empty()
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
        && bytes[0].is_ascii_alphanumeric()
        && bytes[bytes.len() - 1].is_ascii_alphanumeric()
}

fn qualified_name(text: &str) -> Vec<String> {
    let rule = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an \
                alphanumeric character";
    let rule = mismatch(rule, NAME, &["MyName", "my.name", "123-abc"]);
    let mut problems = Vec::new();
    let parts: Vec<&str> = text.split('/').collect();
    let name = match parts.as_slice() {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                problems.push("prefix part must be non-empty".to_owned());
            } else {
                problems
                    .extend(dns1123_subdomain(prefix).iter().map(|problem| format!("prefix part {problem}")));
            }
            name
        }
        _ => {
            return vec![format!(
                "a valid label key {rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        problems.push("name part must be non-empty".to_owned());
    } else if name.len() > 63 {
        problems.push(format!("name part {}", too_long(63)));
    }
    if !is_name(name) {
        problems.push(format!("name part {rule}"));
    }
    problems
}

fn label_value(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if text.len() > 63 {
        problems.push(too_long(63));
    }
    if !text.is_empty() && !is_name(text) {
        let rule = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
                    and must start and end with an alphanumeric character";
        problems.push(mismatch(rule, &format!("({NAME})?"), &["MyValue", "my_value", "12345"]));
    }
    problems
}

/// A prefix may end with a dash: something will follow.
fn masked(text: &str) -> String {
    if text.len() > 1 && text.ends_with('-') && text.is_char_boundary(text.len() - 2) {
        format!("{}a", &text[..text.len() - 2])
    } else {
        text.to_owned()
    }
}

fn is_uuid(text: &str) -> bool {
    let mut rest = text;
    for (index, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        match rest.split_at_checked(length) {
            Some((part, behind)) if part.bytes().all(|byte| byte.is_ascii_hexdigit()) => rest = behind,
            _ => return false,
        }
    }
    rest.is_empty()
}

fn is_base64(text: &str) -> bool {
    !text.is_empty() && base64::engine::general_purpose::STANDARD.decode(text).is_ok()
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && Timestamp::parse(&format!("{text}T00:00:00Z")).is_ok()
}

/// A date, a `t`, and a time with an offset.
fn is_date_time(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let Some((date, time)) = lower.split_once('t') else { return false };
    let time = time.split('t').next().unwrap_or_default();
    if !is_date(date) || time.len() < 8 {
        return false;
    }
    let bytes = time.as_bytes();
    let shaped = bytes[..8].iter().enumerate().all(|(at, byte)| match at {
        2 | 5 => *byte == b':',
        _ => byte.is_ascii_digit(),
    });
    if !shaped || time[..2] > *"23" || time[3..5] > *"59" || time[6..8] > *"59" {
        return false;
    }
    let rest = &time[8..];
    let rest = match rest.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    match rest.as_bytes() {
        [] | [b'z'] => true,
        [b'+' | b'-', offset @ ..] => {
            offset.len() == 5
                && offset[2] == b':'
                && offset.iter().enumerate().all(|(at, byte)| at == 2 || byte.is_ascii_digit())
        }
        _ => false,
    }
}
