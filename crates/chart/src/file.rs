//! One file of a chart: a path relative to the chart's root, and its bytes.

use std::borrow::Cow;
use std::time::SystemTime;

use bytes::Bytes;
use bytestring::ByteString;

/// A file as the chart holds it. Cloning is cheap: the bytes are shared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Path within the chart, with `/` between its parts.
    pub name: String,
    /// The contents, without a leading byte order mark.
    pub data: Bytes,
    /// When the file was last changed, if its source said so.
    pub modified: Option<SystemTime>,
}

impl File {
    /// A file with no recorded time.
    pub fn new(name: impl Into<String>, data: impl Into<Bytes>) -> Self {
        Self { name: name.into(), data: data.into(), modified: None }
    }

    /// The last part of the path.
    pub fn base_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    /// The contents as text; bytes that are not UTF-8 become U+FFFD.
    pub fn text(&self) -> Cow<'_, str> {
        text(&self.data)
    }

    /// The same, sharing the contents where they are UTF-8.
    pub(crate) fn shared_text(&self) -> ByteString {
        ByteString::try_from(self.data.clone())
            .unwrap_or_else(|_| String::from_utf8_lossy(&self.data).into_owned().into())
    }
}

/// Bytes as text; those that are not UTF-8 become U+FFFD.
pub(crate) fn text(data: &[u8]) -> Cow<'_, str> {
    // Checking a whole text is several times quicker than walking through it for what is not UTF-8.
    match std::str::from_utf8(data) {
        Ok(text) => text.into(),
        Err(_) => String::from_utf8_lossy(data),
    }
}
