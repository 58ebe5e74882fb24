//! Ranges of versions: parsing, printing and checking a version against them.

use std::cmp::Ordering;
use std::fmt;

use super::version::{Version, compare_prerelease, split_identifiers};

/// The longest text that is read as a constraint, in bytes.
const MAX_LENGTH: usize = 512;
/// The most alternatives a constraint may have.
const MAX_GROUPS: usize = 32;

/// Why a text is not a constraint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConstraintError {
    /// A group does not have the shape of a constraint.
    #[error("improper constraint: {}", goyaml::strconv::quote(.0))]
    Improper(String),
    /// A group has the shape of a constraint, but its version cannot be read.
    #[error("constraint parser error")]
    Version,
    /// The text is longer than any constraint is allowed to be.
    #[error("constraint string is too long (max {MAX_LENGTH} bytes)")]
    TooLong,
    /// There are more alternatives than allowed.
    #[error("too many constraint groups (max {MAX_GROUPS})")]
    TooManyGroups,
}

/// Alternatives of conjunctions of comparisons, such as `>= 1.2, < 3 || ^4.0`.
#[derive(Debug, Clone)]
pub struct Constraint {
    groups: Vec<Group>,
}

/// Comparisons that must all hold.
#[derive(Debug, Clone)]
struct Group {
    comparisons: Vec<Comparison>,
    /// Whether one of the comparisons names a pre-release, which lets pre-releases in.
    names_prerelease: bool,
}

/// One operator with the version it compares to.
#[derive(Debug, Clone)]
struct Comparison {
    operator: Operator,
    version: Version,
    /// The operator and the version as they were written.
    written: (&'static str, String),
    wildcard: Wildcard,
}

/// The first number of a comparison's version that is missing or a wildcard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wildcard {
    None,
    Major,
    Minor,
    Patch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    Less,
    GreaterOrEqual,
    LessOrEqual,
    Tilde,
    Caret,
}

/// The operators; those that begin like another come before it.
const OPERATORS: [(&str, Operator); 11] = [
    ("!=", Operator::NotEqual),
    (">=", Operator::GreaterOrEqual),
    ("=>", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("=<", Operator::LessOrEqual),
    ("~>", Operator::Tilde),
    ("=", Operator::Equal),
    (">", Operator::Greater),
    ("<", Operator::Less),
    ("~", Operator::Tilde),
    ("^", Operator::Caret),
];

impl Constraint {
    /// Reads a constraint.
    pub fn parse(text: &str) -> Result<Self, ConstraintError> {
        if text.len() > MAX_LENGTH {
            return Err(ConstraintError::TooLong);
        }
        let text = rewrite_hyphen_ranges(text);
        let groups: Vec<&str> = text.split("||").collect();
        if groups.len() > MAX_GROUPS {
            return Err(ConstraintError::TooManyGroups);
        }
        let groups = groups.into_iter().map(Group::parse).collect::<Result<_, _>>()?;
        Ok(Self { groups })
    }

    /// Whether a version satisfies this constraint.
    pub fn check(&self, version: &Version) -> bool {
        self.failures(version).is_none()
    }

    /// Every reason why a version does not satisfy this constraint; none if it does.
    pub fn reasons(&self, version: &Version) -> Vec<String> {
        self.failures(version).unwrap_or_default()
    }

    fn failures(&self, version: &Version) -> Option<Vec<String>> {
        let mut reasons = Vec::new();
        let mut prerelease_told = false;
        for group in &self.groups {
            let mut satisfied = true;
            for comparison in &group.comparisons {
                if !group.names_prerelease && !version.prerelease().is_empty() {
                    satisfied = false;
                    if !prerelease_told {
                        prerelease_told = true;
                        reasons.push(format!(
                            "\"{version}\" is a prerelease version and the constraint is only looking for release versions"
                        ));
                    }
                } else if let Err(reason) = comparison.check(version) {
                    satisfied = false;
                    reasons.push(format!("\"{version}\" {reason}"));
                }
            }
            if satisfied {
                return None;
            }
        }
        Some(reasons)
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, group) in self.groups.iter().enumerate() {
            if index > 0 {
                f.write_str(" || ")?;
            }
            for (index, comparison) in group.comparisons.iter().enumerate() {
                let (operator, version) = &comparison.written;
                write!(f, "{}{operator}{version}", if index > 0 { " " } else { "" })?;
            }
        }
        Ok(())
    }
}

impl std::str::FromStr for Constraint {
    type Err = ConstraintError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl Group {
    fn parse(text: &str) -> Result<Self, ConstraintError> {
        let improper = || ConstraintError::Improper(text.to_owned());
        let mut rest = text;
        let mut read = Vec::new();
        loop {
            rest = skip_space(rest);
            let (operator, after) = OPERATORS
                .iter()
                .find_map(|(sign, operator)| Some(((*sign, *operator), rest.strip_prefix(sign)?)))
                .unwrap_or((("", Operator::Equal), rest));
            let (pattern, after) = Pattern::take(skip_space(after)).ok_or_else(improper)?;
            read.push((operator, pattern));
            rest = skip_space(after);
            if rest.is_empty() {
                break;
            }
            if let Some(after_comma) = rest.strip_prefix(',') {
                rest = after_comma;
            } else if rest.len() == after.len() {
                return Err(improper());
            }
        }
        let comparisons = read
            .into_iter()
            .map(|((sign, operator), pattern)| pattern.into_comparison(sign, operator))
            .collect::<Result<Vec<_>, _>>()?;
        let names_prerelease = comparisons.iter().any(|c| !c.version.prerelease().is_empty());
        Ok(Self { comparisons, names_prerelease })
    }
}

/// A version in a constraint, in which numbers may be missing or wildcards.
struct Pattern<'a> {
    text: &'a str,
    numbers: [&'a str; 3],
    /// The pre-release with its hyphen.
    pre: &'a str,
}

impl<'a> Pattern<'a> {
    /// Takes a pattern off the front of a text.
    fn take(text: &'a str) -> Option<(Self, &'a str)> {
        let mut rest = text.strip_prefix('v').unwrap_or(text);
        let mut numbers = [""; 3];
        for (index, number) in numbers.iter_mut().enumerate() {
            let digits = if index == 0 { Some(rest) } else { rest.strip_prefix('.') };
            let length =
                digits.map_or(0, |d| d.bytes().take_while(|b| b"0123456789|xX*".contains(b)).count());
            match digits {
                Some(digits) if length > 0 => (*number, rest) = digits.split_at(length),
                _ if index == 0 => return None,
                _ => break,
            }
        }
        let mut pre = "";
        if let Some((identifiers, after)) = rest.strip_prefix('-').and_then(split_identifiers) {
            pre = &rest[..=identifiers.len()];
            rest = after;
        }
        if let Some((_, after)) = rest.strip_prefix('+').and_then(split_identifiers) {
            rest = after;
        }
        Some((Self { text: &text[..text.len() - rest.len()], numbers, pre }, rest))
    }

    fn into_comparison(self, sign: &'static str, operator: Operator) -> Result<Comparison, ConstraintError> {
        let [major, minor, patch] = self.numbers;
        let open = |number: &str| matches!(number, "" | "x" | "X" | "*");
        let (wildcard, version) = if open(major) {
            (Wildcard::Major, format!("0.0.0{}", self.pre))
        } else if open(minor) {
            (Wildcard::Minor, format!("{major}.0.0{}", self.pre))
        } else if open(patch) {
            (Wildcard::Patch, format!("{major}.{minor}.0{}", self.pre))
        } else {
            (Wildcard::None, self.text.to_owned())
        };
        let version = Version::parse(&version).map_err(|_| ConstraintError::Version)?;
        Ok(Comparison { operator, version, written: (sign, self.text.to_owned()), wildcard })
    }
}

impl Comparison {
    /// Checks a version, whose pre-release is already known to be wanted.
    fn check(&self, version: &Version) -> Result<(), String> {
        let written = &self.written.1;
        match self.operator {
            Operator::Equal if self.wildcard == Wildcard::None => {
                ensure(self.order(version).is_eq(), || format!("is not equal to \"{written}\""))
            }
            Operator::Equal | Operator::Tilde => self.check_tilde(version),
            Operator::NotEqual => ensure(self.differs(version), || format!("is equal to \"{written}\"")),
            Operator::Greater => {
                let greater = match self.wildcard {
                    Wildcard::Minor => version.major() > self.version.major(),
                    Wildcard::Patch => {
                        (version.major(), version.minor()) > (self.version.major(), self.version.minor())
                    }
                    Wildcard::Major if version.major() > self.version.major() => true,
                    Wildcard::None | Wildcard::Major => self.order(version).is_gt(),
                };
                ensure(greater, || format!("is less than or equal to \"{written}\""))
            }
            Operator::Less => {
                ensure(self.order(version).is_lt(), || format!("is greater than or equal to \"{written}\""))
            }
            Operator::GreaterOrEqual => {
                ensure(self.order(version).is_ge(), || format!("is less than \"{written}\""))
            }
            Operator::LessOrEqual => {
                let within = match self.wildcard {
                    Wildcard::None => self.order(version).is_le(),
                    Wildcard::Minor => version.major() <= self.version.major(),
                    Wildcard::Major | Wildcard::Patch => {
                        (version.major(), version.minor()) <= (self.version.major(), self.version.minor())
                    }
                };
                ensure(within, || format!("is greater than \"{written}\""))
            }
            Operator::Caret => self.check_caret(version),
        }
    }

    fn order(&self, version: &Version) -> Ordering {
        version.precedence(&self.version)
    }

    fn differs(&self, version: &Version) -> bool {
        let own = &self.version;
        match self.wildcard {
            Wildcard::None => self.order(version).is_ne(),
            _ if own.major() != version.major() => true,
            Wildcard::Minor => false,
            _ if own.minor() != version.minor() => true,
            Wildcard::Patch => compare_prerelease(version.prerelease(), own.prerelease()).is_ne(),
            Wildcard::Major => own.patch() != version.patch() || self.order(version).is_ne(),
        }
    }

    fn check_tilde(&self, version: &Version) -> Result<(), String> {
        let (own, written) = (&self.version, &self.written.1);
        ensure(self.order(version).is_ge(), || format!("is less than \"{written}\""))?;
        let zero = (own.major(), own.minor(), own.patch()) == (0, 0, 0);
        if zero && matches!(self.wildcard, Wildcard::None | Wildcard::Major) {
            return Ok(());
        }
        ensure(version.major() == own.major(), || {
            format!("does not have same major version as \"{written}\"")
        })?;
        ensure(version.minor() == own.minor() || self.wildcard == Wildcard::Minor, || {
            format!("does not have same major and minor version as \"{written}\"")
        })
    }

    fn check_caret(&self, version: &Version) -> Result<(), String> {
        let (own, written) = (&self.version, &self.written.1);
        ensure(self.order(version).is_ge(), || format!("is less than \"{written}\""))?;
        let same_major = || format!("does not have same major version as \"{written}\"");
        if own.major() > 0 || self.wildcard == Wildcard::Minor {
            return ensure(version.major() == own.major(), same_major);
        }
        ensure(version.major() == 0, same_major)?;
        if own.minor() > 0 || self.wildcard == Wildcard::Patch {
            return ensure(version.minor() == own.minor(), || {
                format!(
                    "does not have same minor version as \"{written}\". Expected minor versions to match when constraint major version is 0"
                )
            });
        }
        ensure(version.minor() == 0, || format!("does not have same minor version as \"{written}\""))?;
        ensure(version.patch() == own.patch(), || {
            format!(
                "does not equal \"{written}\". Expect version and constraint to equal when major and minor versions are 0"
            )
        })
    }
}

fn ensure(condition: bool, reason: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(reason()) }
}

/// Skips what a regular expression of Go calls `\s`.
fn skip_space(text: &str) -> &str {
    text.trim_start_matches(['\t', '\n', '\u{c}', '\r', ' '])
}

/// Writes `1.2 - 3` as `>= 1.2, <= 3`, wherever it stands in the text.
fn rewrite_hyphen_ranges(text: &str) -> String {
    let mut output = text.to_owned();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some((low, high, after)) = take_hyphen_range(rest) {
            let matched = &rest[..rest.len() - after.len()];
            output = output.replacen(matched, &format!(">= {low}, <= {high} "), 1);
            rest = after;
        } else {
            let mut characters = rest.chars();
            characters.next();
            rest = characters.as_str();
        }
    }
    output
}

fn take_hyphen_range(text: &str) -> Option<(&str, &str, &str)> {
    let (low, rest) = Pattern::take(skip_space(text))?;
    let hyphen = skip_space(rest);
    let after = hyphen.strip_prefix('-')?;
    let second = skip_space(after);
    if hyphen.len() == rest.len() || second.len() == after.len() {
        return None;
    }
    let (high, rest) = Pattern::take(second)?;
    Some((low.text, high.text, skip_space(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(constraint: &str, version: &str) -> bool {
        Constraint::parse(constraint).unwrap().check(&Version::parse(version).unwrap())
    }

    #[test]
    fn ranges_hold_what_they_should() {
        for (constraint, inside, outside) in [
            ("1.2.3", "1.2.3+b", "1.2.4"),
            ("=2.x", "2.7.1", "3.0.0"),
            ("!=4.x", "5.1.0", "4.1.0"),
            (">11", "12.1.0", "11.1.0"),
            (">11.1", "11.2.0", "11.1.9"),
            ("<=11", "11.9.9", "12.0.0"),
            ("~1.2.3", "1.2.9", "1.3.0"),
            ("~>1", "1.9.0", "2.0.0"),
            ("^0.2.3", "0.2.9", "0.3.0"),
            ("^0.0.3", "0.0.3", "0.0.4"),
            ("^0", "0.9.0", "1.0.0"),
            ("1.1 - 2", "2.9.9", "3.0.0"),
            (">=1.0, <2 || ^3", "3.4.0", "2.0.0"),
            (">=1.0 <2", "1.5.0", "2.0.0"),
            (">= 1.19-0", "1.20.0-gke.1", "1.18.9"),
            ("*", "7.0.0", "7.0.0-a"),
            (">=1.0.0-0 || *", "2.0.0-a", "0.9.0-a"),
        ] {
            assert!(check(constraint, inside), "{constraint} should hold {inside}");
            assert!(!check(constraint, outside), "{constraint} should not hold {outside}");
        }
    }

    #[test]
    fn what_is_not_a_constraint_says_why() {
        for (text, message) in [
            ("", "improper constraint: \"\""),
            (">= x y", "improper constraint: \">= x y\""),
            ("1.0 ||", "improper constraint: \"\""),
            ("1.0,", "improper constraint: \"1.0,\""),
            ("1.2.3.4", "improper constraint: \"1.2.3.4\""),
            ("1|2", "constraint parser error"),
            ("xx", "constraint parser error"),
        ] {
            assert_eq!(Constraint::parse(text).unwrap_err().to_string(), message, "{text}");
        }
        let many = vec!["1"; 33].join("||");
        assert_eq!(Constraint::parse(&many).unwrap_err(), ConstraintError::TooManyGroups);
    }

    #[test]
    fn reasons_name_version_and_constraint() {
        let constraint = Constraint::parse("^1.2, != 1.4.x || ~3").unwrap();
        assert_eq!(constraint.to_string(), "^1.2 !=1.4.x || ~3");
        assert_eq!(
            constraint.reasons(&Version::parse("1.4.2").unwrap()),
            ["\"1.4.2\" is equal to \"1.4.x\"", "\"1.4.2\" is less than \"3\""]
        );
        assert_eq!(
            constraint.reasons(&Version::parse("1.3.0-rc.1").unwrap()),
            [
                "\"1.3.0-rc.1\" is a prerelease version and the constraint is only looking for release versions"
            ]
        );
    }
}
