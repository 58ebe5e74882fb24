//! Go's string: any bytes, nearly always UTF-8, cheap to clone.

use std::borrow::Cow;
use std::rc::Rc;

use goyaml::carried::{bytes_of, carried};

/// A Go string. Go does not promise UTF-8 (`b64dec` of a keystore is a string too), so neither do we,
/// but text that is UTF-8 is known to be so and costs no check to read.
#[derive(Clone, PartialEq, Eq)]
pub struct Text(Repr);

#[derive(Clone, PartialEq, Eq)]
enum Repr {
    Utf8(Rc<str>),
    /// Only for what is not UTF-8, so that equality need not look across.
    Raw(Rc<[u8]>),
}

impl Text {
    /// The string that has these bytes.
    pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Self {
        match String::from_utf8(bytes.into()) {
            Ok(text) => Self::from(text),
            Err(error) => Self(Repr::Raw(Rc::from(error.into_bytes()))),
        }
    }

    /// The string that was carried as this text.
    pub(crate) fn landed(text: &str) -> Self {
        match bytes_of(text) {
            Cow::Borrowed(_) => Self::from(text),
            Cow::Owned(bytes) => Self::from_bytes(bytes),
        }
    }

    /// The key of a map.
    pub(crate) fn of_key(key: &Rc<str>) -> Self {
        match bytes_of(key) {
            Cow::Borrowed(_) => Self::from(Rc::clone(key)),
            Cow::Owned(bytes) => Self::from_bytes(bytes),
        }
    }

    /// The text to carry it as.
    pub(crate) fn carried(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Utf8(text) => Cow::Borrowed(text),
            Repr::Raw(bytes) => carried(bytes),
        }
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Utf8(text) => text.as_bytes(),
            Repr::Raw(bytes) => bytes,
        }
    }

    /// The text; every byte that is not UTF-8 shows as U+FFFD, which is what Go sees when it goes by characters.
    pub fn to_str(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Utf8(text) => Cow::Borrowed(text),
            Repr::Raw(bytes) => goyaml::text_of(bytes),
        }
    }

    /// The text, unless it is not UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Repr::Utf8(text) => Some(text),
            Repr::Raw(_) => None,
        }
    }

    /// The text as a shared string, for use as a map's key or the name of a template; without a copy when it is UTF-8,
    /// else carried.
    pub fn to_shared(&self) -> Rc<str> {
        match &self.0 {
            Repr::Utf8(text) => text.clone(),
            Repr::Raw(bytes) => Rc::from(carried(bytes)),
        }
    }

    /// The number of bytes, as Go's `len` counts.
    pub fn len(&self) -> usize {
        self.as_bytes().len()
    }

    /// Whether nobody else holds these bytes.
    pub(crate) fn is_alone(&self) -> bool {
        match &self.0 {
            Repr::Utf8(text) => Rc::strong_count(text) == 1,
            Repr::Raw(bytes) => Rc::strong_count(bytes) == 1,
        }
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.as_bytes().is_empty()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(Repr::Utf8(Rc::from(text)))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(Repr::Utf8(Rc::from(text)))
    }
}

impl From<Rc<str>> for Text {
    fn from(text: Rc<str>) -> Self {
        Self(Repr::Utf8(text))
    }
}

impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::from(text),
            Err(_) => Self(Repr::Raw(Rc::from(bytes))),
        }
    }
}

impl From<Cow<'_, str>> for Text {
    fn from(text: Cow<'_, str>) -> Self {
        Self(Repr::Utf8(Rc::from(text)))
    }
}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(&*self.to_str(), f)
    }
}

impl std::fmt::Display for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_str())
    }
}
