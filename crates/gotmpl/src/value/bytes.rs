//! Go's `[]byte`: possibly nil, which is not the same as empty.

use std::ops::Deref;

use bytes::Bytes;

/// The contents of a `[]byte`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByteSlice {
    nil: bool,
    bytes: Bytes,
}

impl ByteSlice {
    /// A nil `[]byte`, such as a map of files gives for a name that it has not.
    pub fn nil() -> Self {
        Self { nil: true, bytes: Bytes::new() }
    }

    /// Whether this is a nil slice.
    pub fn is_nil(&self) -> bool {
        self.nil
    }
}

impl<T: Into<Bytes>> From<T> for ByteSlice {
    fn from(bytes: T) -> Self {
        Self { nil: false, bytes: bytes.into() }
    }
}

impl Deref for ByteSlice {
    type Target = Bytes;

    fn deref(&self) -> &Bytes {
        &self.bytes
    }
}
