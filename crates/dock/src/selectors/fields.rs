//! Field selectors: `metadata.name=x,spec.nodeName!=y`.

use std::borrow::Cow;
use std::fmt;

use super::SelectorError;
use super::kind_fields::Selectable;

/// Terms that the fields of an object must all meet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldSelector {
    /// The terms, in the order of their text.
    pub terms: Vec<FieldTerm>,
}

/// One comparison of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldTerm {
    /// The field.
    pub field: String,
    /// Whether the values must be equal, or else different.
    pub equal: bool,
    /// The value.
    pub value: String,
}

impl FieldSelector {
    /// Reads the selector of a query. Fields are not looked at yet.
    pub fn parse(selector: &str) -> Result<Self, SelectorError> {
        let mut parts = split_terms(selector);
        parts.sort_unstable();
        let mut terms = Vec::new();
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            let Some((field, equal, value)) = split_term(part) else {
                return Err(SelectorError(format!(
                    "invalid selector: '{selector}'; can't understand '{part}'"
                )));
            };
            terms.push(FieldTerm { field: field.to_owned(), equal, value: unescape(value)? });
        }
        Ok(Self { terms })
    }

    /// Checks that the fields can be selected by, and gives them the names that are compared.
    pub fn resolve(mut self, selectable: &Selectable<'_>) -> Result<Self, SelectorError> {
        for term in &mut self.terms {
            term.field = selectable.resolve(&term.field)?;
        }
        self.terms.retain(|term| !(term.field.is_empty() && term.value.is_empty()));
        Ok(self)
    }

    /// Whether it asks for nothing in particular.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The value that a field must have, if the selector names one.
    pub fn exact(&self, field: &str) -> Option<&str> {
        self.terms.iter().find(|term| term.equal && term.field == field).map(|term| term.value.as_str())
    }

    /// Whether fields meet all terms. A field that is not there is empty.
    pub fn matches<'v>(&self, value: impl Fn(&str) -> Cow<'v, str>) -> bool {
        self.terms.iter().all(|term| (value(&term.field) == term.value) == term.equal)
    }
}

impl fmt::Display for FieldSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, term) in self.terms.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            let value = term.value.replace('\\', "\\\\").replace(',', "\\,").replace('=', "\\=");
            write!(f, "{}{}{value}", term.field, if term.equal { "=" } else { "!=" })?;
        }
        Ok(())
    }
}

/// Commas after a backslash belong to the value.
fn split_terms(selector: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, sign) in selector.char_indices() {
        match sign {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ',' => {
                terms.push(&selector[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    terms.push(&selector[start..]);
    terms
}

fn split_term(term: &str) -> Option<(&str, bool, &str)> {
    for (at, _) in term.char_indices() {
        for (operator, equal) in [("!=", false), ("==", true), ("=", true)] {
            if let Some(value) = term[at..].strip_prefix(operator) {
                return Some((&term[..at], equal, value));
            }
        }
    }
    None
}

fn unescape(text: &str) -> Result<String, SelectorError> {
    let invalid = |sequence: &str| {
        SelectorError(format!("invalid field selector: invalid escape sequence: {sequence}"))
    };
    let mut plain = String::with_capacity(text.len());
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => match signs.next() {
                Some(escaped @ ('\\' | ',' | '=')) => plain.push(escaped),
                Some(other) => return Err(invalid(&format!("\\{other}"))),
                None => return Err(invalid("\\")),
            },
            ',' | '=' => {
                let code = u32::from(sign);
                let words = format!("invalid field selector: unescaped character in value: {code}");
                return Err(SelectorError(words));
            }
            other => plain.push(other),
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_read() {
        let cases = [
            ("", Ok("")),
            ("b!=y,a=x", Ok("a=x,b!=y")),
            ("a==x,,", Ok("a=x")),
            ("a=x\\,y\\=\\\\", Ok("a=x\\,y\\=\\\\")),
            ("a", Err("invalid selector: 'a'; can't understand 'a'")),
            ("a=b=c", Err("invalid field selector: unescaped character in value: 61")),
            ("a=\\x", Err("invalid field selector: invalid escape sequence: \\x")),
            ("a=\\", Err("invalid field selector: invalid escape sequence: \\")),
        ];
        for (text, expected) in cases {
            let read =
                FieldSelector::parse(text).map(|selector| selector.to_string()).map_err(|error| error.0);
            assert_eq!(read, expected.map(Into::into).map_err(Into::into), "{text}");
        }
    }

    #[test]
    fn fields_are_compared() {
        let selector = FieldSelector::parse("a=x,b!=y").unwrap();
        let value = |a: &'static str, b: &'static str| {
            move |field: &str| Cow::Borrowed(if field == "a" { a } else { b })
        };
        assert!(selector.matches(value("x", "")));
        assert!(!selector.matches(value("x", "y")));
        assert_eq!(selector.exact("a"), Some("x"));
        assert_eq!(selector.exact("b"), None);
    }
}
