//! The cache of archives and signatures, by the SHA-256 of the archive.

use std::path::{Path, PathBuf};

use crate::remote::files::{self, PathError};
use crate::remote::sha256_hex;

/// What is kept under a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentKind {
    /// The archive.
    Chart,
    /// Its provenance file.
    Provenance,
}

/// A directory of cached content, shared with Helm.
#[derive(Debug, Clone, Copy)]
pub struct ContentCache<'a> {
    root: &'a Path,
}

impl<'a> ContentCache<'a> {
    /// The cache in a directory.
    pub fn new(root: &'a Path) -> Self {
        Self { root }
    }

    /// Where something is kept, in a directory named after the first two digits.
    pub fn path(&self, digest: &str, kind: ContentKind) -> PathBuf {
        let extension = match kind {
            ContentKind::Chart => "chart",
            ContentKind::Provenance => "prov",
        };
        self.root.join(&digest[..2.min(digest.len())]).join(format!("{digest}.{extension}"))
    }

    /// What is kept under a digest. An archive that does not have the digest it is kept under is not there.
    pub fn get(&self, digest: &str, kind: ContentKind) -> Option<Vec<u8>> {
        let content = files::read(&self.path(digest, kind)).ok().filter(|content| !content.is_empty())?;
        (kind == ContentKind::Provenance || sha256_hex(&content) == digest).then_some(content)
    }

    /// Keeps something under a digest.
    pub fn put(&self, digest: &str, content: &[u8], kind: ContentKind) -> Result<PathBuf, PathError> {
        let path = self.path(digest, kind);
        if let Some(parent) = path.parent() {
            files::make_dirs(parent)?;
        }
        files::write(&path, content, 0o644)?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_kept_by_digest_and_checked() {
        let dir = tempfile::tempdir().unwrap();
        let cache = ContentCache::new(dir.path());
        let digest = sha256_hex(b"archive");
        assert_eq!(cache.get(&digest, ContentKind::Chart), None);
        let path = cache.put(&digest, b"archive", ContentKind::Chart).unwrap();
        assert_eq!(path, dir.path().join(&digest[..2]).join(format!("{digest}.chart")));
        assert_eq!(cache.get(&digest, ContentKind::Chart).as_deref(), Some(&b"archive"[..]));
        std::fs::write(&path, b"tampered").unwrap();
        assert_eq!(cache.get(&digest, ContentKind::Chart), None);
    }
}
