//! Semantic versions.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use super::{Library, failure, text};
use crate::error::{EvalError, Outcome};
use crate::value::Value;

/// A semantic version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    major: u64,
    minor: u64,
    patch: u64,
    prerelease: Vec<Identifier>,
    build: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Identifier {
    Number(u64),
    Text(String),
}

pub(super) fn add(library: &mut Library) {
    const OF: &str = "kubernetes.Semver";
    library.add(
        "semver",
        &[
            ("string_to_semver", "string -> kubernetes.Semver", parse),
            ("string_bool_to_semver", "string, bool -> kubernetes.Semver", parse),
        ],
    );
    library.add(
        "isSemver",
        &[
            ("is_semver_string", "string -> bool", |args| Ok(Value::Bool(read(args)?.is_ok()))),
            ("is_semver_string_bool", "string, bool -> bool", |args| Ok(Value::Bool(read(args)?.is_ok()))),
        ],
    );
    library.add(
        "isGreaterThan",
        &[("semver_is_greater_than", "kubernetes.Semver . kubernetes.Semver -> bool", |args| {
            Ok(Value::Bool(compare(args)?.is_gt()))
        })],
    );
    library.add(
        "isLessThan",
        &[("semver_is_less_than", "kubernetes.Semver . kubernetes.Semver -> bool", |args| {
            Ok(Value::Bool(compare(args)?.is_lt()))
        })],
    );
    library.add(
        "compareTo",
        &[("semver_compare_to", "kubernetes.Semver . kubernetes.Semver -> int", |args| {
            Ok(Value::Int(compare(args)? as i64))
        })],
    );
    let part = format!("{OF} . -> int");
    library.declare(
        "major",
        "semver_major",
        &part,
        Some(|args| Ok(Value::Int(version(args, 0)?.major as i64))),
    );
    library.declare(
        "minor",
        "semver_minor",
        &part,
        Some(|args| Ok(Value::Int(version(args, 0)?.minor as i64))),
    );
    library.declare(
        "patch",
        "semver_patch",
        &part,
        Some(|args| Ok(Value::Int(version(args, 0)?.patch as i64))),
    );
}

fn version<'v>(args: &'v [Value<'_>], index: usize) -> Outcome<&'v Version> {
    match args.get(index) {
        Some(Value::Semver(version)) => Ok(version),
        _ => Err(EvalError::no_overload()),
    }
}

fn compare(args: &[Value<'_>]) -> Outcome<Ordering> {
    Ok(version(args, 0)?.precedence(version(args, 1)?))
}

fn read(args: &[Value<'_>]) -> Outcome<Result<Version, String>> {
    let text = text(args, 0)?;
    Ok(match args.get(1) {
        Some(Value::Bool(true)) => normalized(text).and_then(|text| Version::parse(&text)),
        _ => Version::parse(text),
    })
}

fn parse<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    match read(args)? {
        Ok(version) => Ok(Value::Semver(Arc::new(version))),
        Err(problem) => failure(problem),
    }
}

/// Without a leading `v` and leading zeros, and with all three numbers.
fn normalized(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(ToOwned::to_owned).collect();
    for part in &mut parts {
        if part.len() > 1 {
            let trimmed = part.trim_start_matches('0');
            *part = if trimmed.starts_with(|c: char| c.is_ascii_digit()) {
                trimmed.to_owned()
            } else {
                format!("0{trimmed}")
            };
        }
    }
    if parts.len() < 3 {
        if parts.last().is_some_and(|part| part.contains(['+', '-'])) {
            return Err("short version cannot contain PreRelease/Build meta data".into());
        }
        parts.resize(3, "0".to_owned());
    }
    Ok(parts.join("."))
}

impl Version {
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("Version string empty".into());
        }
        let parts: Vec<&str> = text.splitn(3, '.').collect();
        let [major, minor, patch] = parts.as_slice() else {
            return Err("No Major.Minor.Patch elements found".into());
        };
        let major = number(major, "Major")?;
        let minor = number(minor, "Minor")?;
        let (patch, build) = match patch.split_once('+') {
            Some((patch, build)) => (patch, build.split('.').collect()),
            None => (*patch, Vec::new()),
        };
        let (patch, prerelease) = match patch.split_once('-') {
            Some((patch, prerelease)) => (patch, prerelease.split('.').collect()),
            None => (patch, Vec::new()),
        };
        let patch = number(patch, "Patch")?;
        let prerelease = prerelease.into_iter().map(identifier).collect::<Result<_, _>>()?;
        let build = build.into_iter().map(metadata).collect::<Result<_, _>>()?;
        Ok(Self { major, minor, patch, prerelease, build })
    }

    /// Which of two versions comes first; what stands behind a plus does not matter.
    pub(crate) fn precedence(&self, other: &Self) -> Ordering {
        let numbers = |version: &Self| (version.major, version.minor, version.patch);
        numbers(self).cmp(&numbers(other)).then_with(|| {
            match (self.prerelease.is_empty(), other.prerelease.is_empty()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => {
                    for (first, second) in self.prerelease.iter().zip(&other.prerelease) {
                        let order = match (first, second) {
                            (Identifier::Number(first), Identifier::Number(second)) => first.cmp(second),
                            (Identifier::Number(_), Identifier::Text(_)) => Ordering::Less,
                            (Identifier::Text(_), Identifier::Number(_)) => Ordering::Greater,
                            (Identifier::Text(first), Identifier::Text(second)) => first.cmp(second),
                        };
                        if order.is_ne() {
                            return order;
                        }
                    }
                    self.prerelease.len().cmp(&other.prerelease.len())
                }
            }
        })
    }
}

fn number(text: &str, name: &str) -> Result<u64, String> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!(
            "Invalid character(s) found in {} number {}",
            name.to_lowercase(),
            super::strings::go_quote(text)
        ));
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(format!(
            "{name} number must not contain leading zeroes {}",
            super::strings::go_quote(text)
        ));
    }
    goyaml::strconv::parse_uint(text, 10, 64).map_err(|error| error.to_string())
}

fn allowed(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn identifier(text: &str) -> Result<Identifier, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".into());
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        if text.len() > 1 && text.starts_with('0') {
            let text = super::strings::go_quote(text);
            return Err(format!("Numeric PreRelease version must not contain leading zeroes {text}"));
        }
        return goyaml::strconv::parse_uint(text, 10, 64)
            .map(Identifier::Number)
            .map_err(|error| error.to_string());
    }
    if allowed(text) {
        Ok(Identifier::Text(text.to_owned()))
    } else {
        Err(format!("Invalid character(s) found in prerelease {}", super::strings::go_quote(text)))
    }
}

fn metadata(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("Build meta data is empty".into());
    }
    if allowed(text) {
        Ok(text.to_owned())
    } else {
        Err(format!("Invalid character(s) found in build meta data {}", super::strings::go_quote(text)))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        let mut mark = '-';
        for part in &self.prerelease {
            match part {
                Identifier::Number(number) => write!(f, "{mark}{number}")?,
                Identifier::Text(text) => write!(f, "{mark}{text}")?,
            }
            mark = '.';
        }
        mark = '+';
        for part in &self.build {
            write!(f, "{mark}{part}")?;
            mark = '.';
        }
        Ok(())
    }
}
