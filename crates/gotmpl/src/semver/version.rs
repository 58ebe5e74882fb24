//! A single version: parsing, printing, precedence and increments.

use std::cmp::Ordering;
use std::fmt;

/// The longest text that is read as a version, in bytes.
const MAX_LENGTH: usize = 256;

/// Why a text is not a version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VersionError {
    /// The text does not have the shape of a version.
    #[error("invalid semantic version")]
    Invalid,
    /// There is no text at all.
    #[error("version string empty")]
    Empty,
    /// A number holds something other than digits.
    #[error("invalid characters in version")]
    Characters,
    /// A number of more than one digit begins with zero.
    #[error("version segment starts with 0")]
    LeadingZero,
    /// The build metadata has an empty or malformed part.
    #[error("invalid metadata string")]
    Metadata,
    /// The pre-release has an empty or malformed part.
    #[error("invalid prerelease string")]
    Prerelease,
    /// The text is longer than any version is allowed to be.
    #[error("version string is too long (max {MAX_LENGTH} bytes)")]
    TooLong,
    /// A number does not fit 64 bits, met while coercing.
    #[error("error parsing version segment: strconv.ParseUint: parsing \"{0}\": value out of range")]
    Segment(String),
    /// A number is empty or does not fit 64 bits, met while parsing strictly.
    #[error("strconv.ParseUint: parsing \"{digits}\": {reason}")]
    Number {
        /// What was read as a number.
        digits: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The largest number cannot be incremented.
    #[error("{0} version increment would overflow uint64")]
    Overflow(&'static str),
}

/// One version: three numbers, a pre-release, build metadata, and the text it was read from.
#[derive(Default, Debug, Clone, PartialEq, Eq)]
pub struct Version {
    major: u64,
    minor: u64,
    patch: u64,
    pre: String,
    metadata: String,
    original: String,
}

/// The pieces of a text shaped like `v1.2.3-pre+meta`, not yet checked.
struct Pieces<'a> {
    numbers: [&'a str; 3],
    pre: &'a str,
    metadata: &'a str,
}

impl Version {
    /// Reads a version and fills in what is missing: `v1`, `1.2` and `01.2.3` are versions too.
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        if text.len() > MAX_LENGTH {
            return Err(VersionError::TooLong);
        }
        let pieces = split_loosely(text).ok_or(VersionError::Invalid)?;
        let mut numbers = [0; 3];
        for (number, digits) in numbers.iter_mut().zip(pieces.numbers) {
            if !digits.is_empty() {
                *number = digits.parse().map_err(|_| VersionError::Segment(digits.to_owned()))?;
            }
        }
        if !pieces.pre.is_empty() {
            check_prerelease(pieces.pre)?;
        }
        let [major, minor, patch] = numbers;
        Ok(Self {
            major,
            minor,
            patch,
            pre: pieces.pre.to_owned(),
            metadata: pieces.metadata.to_owned(),
            original: text.to_owned(),
        })
    }

    /// Reads a version that follows the specification to the letter.
    pub fn parse_strict(text: &str) -> Result<Self, VersionError> {
        if text.is_empty() {
            return Err(VersionError::Empty);
        }
        if text.len() > MAX_LENGTH {
            return Err(VersionError::TooLong);
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(VersionError::Invalid);
        };
        let (rest, metadata) = match rest.split_once('+') {
            Some((rest, metadata)) => {
                check_metadata(metadata)?;
                (rest, metadata)
            }
            None => (rest, ""),
        };
        let (patch, pre) = match rest.split_once('-') {
            Some((patch, pre)) => {
                check_prerelease(pre)?;
                (patch, pre)
            }
            None => (rest, ""),
        };
        for digits in [major, minor, patch] {
            if !only_digits(digits) {
                return Err(VersionError::Characters);
            }
            if digits.len() > 1 && digits.starts_with('0') {
                return Err(VersionError::LeadingZero);
            }
        }
        let number = |digits: &str| {
            digits.parse().map_err(|_| VersionError::Number {
                digits: digits.to_owned(),
                reason: if digits.is_empty() { "invalid syntax" } else { "value out of range" },
            })
        };
        Ok(Self {
            major: number(major)?,
            minor: number(minor)?,
            patch: number(patch)?,
            pre: pre.to_owned(),
            metadata: metadata.to_owned(),
            original: text.to_owned(),
        })
    }

    /// The first number.
    pub fn major(&self) -> u64 {
        self.major
    }

    /// The second number.
    pub fn minor(&self) -> u64 {
        self.minor
    }

    /// The third number.
    pub fn patch(&self) -> u64 {
        self.patch
    }

    /// What follows the hyphen, or nothing.
    pub fn prerelease(&self) -> &str {
        &self.pre
    }

    /// What follows the plus sign, or nothing.
    pub fn metadata(&self) -> &str {
        &self.metadata
    }

    /// The text this version was read from.
    pub fn original(&self) -> &str {
        &self.original
    }

    /// Compares by precedence: numbers first, then pre-release; metadata does not count.
    pub fn precedence(&self, other: &Self) -> Ordering {
        (self.major, self.minor, self.patch).cmp(&(other.major, other.minor, other.patch)).then_with(
            || match (self.pre.is_empty(), other.pre.is_empty()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => compare_prerelease(&self.pre, &other.pre),
            },
        )
    }

    /// The next patch version; of a pre-release, the version it leads to.
    pub fn next_patch(&self) -> Result<Self, VersionError> {
        let patch = if self.pre.is_empty() {
            self.patch.checked_add(1).ok_or(VersionError::Overflow("patch"))?
        } else {
            self.patch
        };
        Ok(self.derived(self.major, self.minor, patch))
    }

    /// The next minor version.
    pub fn next_minor(&self) -> Result<Self, VersionError> {
        let minor = self.minor.checked_add(1).ok_or(VersionError::Overflow("minor"))?;
        Ok(self.derived(self.major, minor, 0))
    }

    /// The next major version.
    pub fn next_major(&self) -> Result<Self, VersionError> {
        let major = self.major.checked_add(1).ok_or(VersionError::Overflow("major"))?;
        Ok(self.derived(major, 0, 0))
    }

    /// The same version with another pre-release.
    pub fn with_prerelease(&self, pre: &str) -> Result<Self, VersionError> {
        if !pre.is_empty() {
            check_prerelease(pre)?;
        }
        let mut next = self.clone();
        pre.clone_into(&mut next.pre);
        next.rewrite_original();
        Ok(next)
    }

    /// The same version with other build metadata.
    pub fn with_metadata(&self, metadata: &str) -> Result<Self, VersionError> {
        if !metadata.is_empty() {
            check_metadata(metadata)?;
        }
        let mut next = self.clone();
        metadata.clone_into(&mut next.metadata);
        next.rewrite_original();
        Ok(next)
    }

    fn derived(&self, major: u64, minor: u64, patch: u64) -> Self {
        let mut next = Self {
            major,
            minor,
            patch,
            pre: String::new(),
            metadata: String::new(),
            original: self.original.clone(),
        };
        next.rewrite_original();
        next
    }

    /// The text of a derived version keeps the `v` of the one it came from.
    fn rewrite_original(&mut self) {
        let prefix = if self.original.starts_with('v') { "v" } else { "" };
        self.original = format!("{prefix}{self}");
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if !self.pre.is_empty() {
            write!(f, "-{}", self.pre)?;
        }
        if !self.metadata.is_empty() {
            write!(f, "+{}", self.metadata)?;
        }
        Ok(())
    }
}

impl std::str::FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

fn split_loosely(text: &str) -> Option<Pieces<'_>> {
    let mut rest = text.strip_prefix('v').unwrap_or(text);
    let mut numbers = [""; 3];
    for (index, number) in numbers.iter_mut().enumerate() {
        let digits = match (index, rest.strip_prefix('.')) {
            (0, _) => rest,
            (_, Some(after)) => after,
            (_, None) => break,
        };
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        if length == 0 {
            return None;
        }
        (*number, rest) = digits.split_at(length);
    }
    let mut pre = "";
    if let Some(after) = rest.strip_prefix('-') {
        (pre, rest) = split_identifiers(after)?;
    }
    let mut metadata = "";
    if let Some(after) = rest.strip_prefix('+') {
        (metadata, rest) = split_identifiers(after)?;
    }
    rest.is_empty().then_some(Pieces { numbers, pre, metadata })
}

/// Takes dot-separated, non-empty identifiers off the front of a text.
pub(super) fn split_identifiers(text: &str) -> Option<(&str, &str)> {
    let mut end = 0;
    let bytes = text.as_bytes();
    loop {
        let length = bytes[end..].iter().take_while(|b| is_identifier_byte(**b)).count();
        if length == 0 {
            // A dot with nothing after it is not part of the identifiers.
            return (end > 0).then(|| text.split_at(end - 1));
        }
        end += length;
        if bytes.get(end) == Some(&b'.') {
            end += 1;
        } else {
            return Some(text.split_at(end));
        }
    }
}

fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

fn only_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

fn check_prerelease(pre: &str) -> Result<(), VersionError> {
    for part in pre.split('.') {
        if part.is_empty() {
            return Err(VersionError::Prerelease);
        }
        if only_digits(part) {
            if part.len() > 1 && part.starts_with('0') {
                return Err(VersionError::LeadingZero);
            }
        } else if !part.bytes().all(is_identifier_byte) {
            return Err(VersionError::Prerelease);
        }
    }
    Ok(())
}

fn check_metadata(metadata: &str) -> Result<(), VersionError> {
    if metadata.split('.').all(|part| !part.is_empty() && part.bytes().all(is_identifier_byte)) {
        Ok(())
    } else {
        Err(VersionError::Metadata)
    }
}

pub(super) fn compare_prerelease(left: &str, right: &str) -> Ordering {
    let (mut left, mut right) = (left.split('.'), right.split('.'));
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (l, r) => compare_identifier(l.unwrap_or(""), r.unwrap_or("")),
        };
        if order.is_ne() {
            return order;
        }
    }
}

/// Numbers come before words, words compare as text, nothing comes before anything.
fn compare_identifier(left: &str, right: &str) -> Ordering {
    if left == right {
        return Ordering::Equal;
    }
    if left.is_empty() {
        return Ordering::Less;
    }
    if right.is_empty() {
        return Ordering::Greater;
    }
    match (left.parse::<u64>(), right.parse::<u64>()) {
        (Ok(l), Ok(r)) if l > r => Ordering::Greater,
        (Ok(_), _) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => left.cmp(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coercion_fills_in_what_is_missing() {
        for (text, printed) in [
            ("1", "1.0.0"),
            ("v1.2", "1.2.0"),
            ("01.02.03", "1.2.3"),
            ("1.2.3-rc.1+b.01", "1.2.3-rc.1+b.01"),
            ("1-alpha", "1.0.0-alpha"),
            ("1.2+x", "1.2.0+x"),
            ("v1.37.0--", "1.37.0--"),
        ] {
            assert_eq!(Version::parse(text).unwrap().to_string(), printed, "{text}");
        }
    }

    #[test]
    fn what_is_not_a_version_says_why() {
        for (text, message) in [
            ("", "invalid semantic version"),
            ("x", "invalid semantic version"),
            ("1.2.3.4", "invalid semantic version"),
            ("1.2.3-", "invalid semantic version"),
            ("1.2.3-a.", "invalid semantic version"),
            ("1.2.3-01", "version segment starts with 0"),
            (
                "99999999999999999999",
                "error parsing version segment: strconv.ParseUint: parsing \"99999999999999999999\": value out of range",
            ),
        ] {
            assert_eq!(Version::parse(text).unwrap_err().to_string(), message, "{text}");
        }
        assert_eq!(Version::parse(&"1".repeat(257)).unwrap_err(), VersionError::TooLong);
    }

    #[test]
    fn strict_parsing_coerces_nothing() {
        for (text, message) in [
            ("", "version string empty"),
            ("1.2", "invalid semantic version"),
            ("v1.2.3", "invalid characters in version"),
            ("1.02.3", "version segment starts with 0"),
            ("1..3", "strconv.ParseUint: parsing \"\": invalid syntax"),
            ("1.2.3-a..b", "invalid prerelease string"),
            ("1.2.3+a_b", "invalid metadata string"),
        ] {
            assert_eq!(Version::parse_strict(text).unwrap_err().to_string(), message, "{text}");
        }
        assert_eq!(Version::parse_strict("1.2.3-a.b+c").unwrap().original(), "1.2.3-a.b+c");
    }

    #[test]
    fn precedence_follows_the_specification() {
        let ordered = [
            "1.0.0-1",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0",
            "1.0.1",
            "1.1",
            "2",
        ];
        let versions: Vec<_> = ordered.iter().map(|v| Version::parse(v).unwrap()).collect();
        for (i, left) in versions.iter().enumerate() {
            for (j, right) in versions.iter().enumerate() {
                assert_eq!(left.precedence(right), i.cmp(&j), "{left} and {right}");
            }
        }
    }

    #[test]
    fn increments_keep_the_v() {
        let version = Version::parse("v1.2.3-rc.1+b").unwrap();
        assert_eq!(version.next_patch().unwrap().original(), "v1.2.3");
        assert_eq!(version.next_minor().unwrap().original(), "v1.3.0");
        assert_eq!(version.next_major().unwrap().original(), "v2.0.0");
        assert_eq!(version.with_prerelease("x").unwrap().original(), "v1.2.3-x+b");
        assert_eq!(version.with_metadata("").unwrap().original(), "v1.2.3-rc.1");
    }

    proptest::proptest! {
        #[test]
        fn what_is_printed_is_read_back(major: u64, minor: u64, patch: u64, pre in "([a-z][a-z0-9-]{0,4}(\\.[1-9])?)?") {
            let hyphen = if pre.is_empty() { "" } else { "-" };
            let text = format!("{major}.{minor}.{patch}{hyphen}{pre}");
            proptest::prop_assert_eq!(Version::parse(&text).unwrap().to_string(), text.as_str());
            proptest::prop_assert_eq!(Version::parse_strict(&text), Version::parse(&text));
        }

        #[test]
        fn a_constraint_is_read_or_refused(text in "[0-9.xX*v<>=!~^ ,|-]{0,20}", version in "[0-9]\\.[0-9]\\.[0-9](-rc)?") {
            if let Ok(constraint) = crate::semver::Constraint::parse(&text) {
                let version = Version::parse(&version).unwrap();
                proptest::prop_assert_eq!(constraint.check(&version), constraint.reasons(&version).is_empty());
            }
        }
    }
}
