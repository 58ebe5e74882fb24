//! One file of a chart: a path relative to the chart's root, and its bytes.

use std::borrow::Cow;
use std::time::SystemTime;

use bytes::Bytes;

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
        goyaml::text_of(&self.data)
    }
}
