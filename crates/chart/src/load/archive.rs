//! Unpacking a chart's archive in memory, with a bound on its size and no trust in its paths.

use std::path::Path;

use bytes::Bytes;

use super::tar::{Entry, TarReader};
use super::{ArchiveError, LoadError};
use crate::File;
use crate::path::clean;

/// How many bytes the files of a chart may hold together.
pub const MAX_CHART_BYTES: u64 = 100 * 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// How many files an archive may hold. Helm knows no bound; empty files take memory too.
const MAX_FILES: usize = 100_000;

/// Reads all files of a gzipped tar archive; their names lose the directory that all of them stand in.
pub fn read_archive(bytes: &[u8]) -> Result<Vec<File>, ArchiveError> {
    read_archive_within(bytes, MAX_CHART_BYTES)
}

/// Reads all files of an archive, unless together they hold more than `limit` bytes.
pub(super) fn read_archive_within(bytes: &[u8], limit: u64) -> Result<Vec<File>, ArchiveError> {
    if !bytes.starts_with(b"\x1f\x8b\x08") {
        return Err(ArchiveError::Header);
    }
    let mut tar = TarReader::new(flate2::read::MultiGzDecoder::new(bytes));
    let mut files = Vec::new();
    let mut remaining = limit;
    while let Some(entry) = tar.next_entry()? {
        if entry.is_directory || entry.is_global_header {
            continue;
        }
        let name = inner_path(&entry)?;
        if entry.size > remaining {
            return Err(ArchiveError::TooLarge { limit });
        }
        if files.len() == MAX_FILES {
            return Err(ArchiveError::TooManyFiles { limit: MAX_FILES });
        }
        let data = tar.read_contents()?;
        remaining -= entry.size;
        if remaining == 0 {
            return Err(ArchiveError::TooLarge { limit });
        }
        files.push(File { name, data: without_mark(data), modified: entry.modified });
    }
    if files.is_empty() { Err(ArchiveError::Empty) } else { Ok(files) }
}

/// The path within the chart, or why it must not be followed.
fn inner_path(entry: &Entry) -> Result<String, ArchiveError> {
    let path = &entry.name;
    let delimiter = if path.contains('\\') { '\\' } else { '/' };
    let (base, inner) = path.split_once(delimiter).unwrap_or((path, ""));
    let inner = inner.replace(delimiter, "/");
    if inner.starts_with('/') {
        return Err(ArchiveError::AbsolutePath { path: path.clone() });
    }
    let inner = clean(&inner);
    if inner == "." {
        return Err(ArchiveError::OutsideBase { path: path.clone() });
    }
    if inner.starts_with("..") {
        return Err(ArchiveError::ParentDirectory { path: path.clone() });
    }
    let mut start = inner.bytes();
    if start.next().is_some_and(|b| b.is_ascii_alphabetic())
        && start.next() == Some(b':')
        && start.next() == Some(b'/')
    {
        return Err(ArchiveError::IllegalName { path: path.clone() });
    }
    if base == "Chart.yaml" {
        return Err(ArchiveError::NoBaseDirectory);
    }
    Ok(inner)
}

/// Drops a leading byte order mark, without copying.
pub(super) fn without_mark(data: Vec<u8>) -> Bytes {
    let data = Bytes::from(data);
    if data.starts_with(BYTE_ORDER_MARK) { data.slice(BYTE_ORDER_MARK.len()..) } else { data }
}

/// Says early, and in words that help, that a file is no archive.
pub(super) fn ensure_archive(path: &Path, data: &[u8]) -> Result<(), LoadError> {
    if data.starts_with(b"\x1f\x8b\x08") {
        return Ok(());
    }
    if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
        return Err(LoadError::YamlInsteadOfArchive { path: path.to_owned() });
    }
    Err(LoadError::NotGzip { path: path.to_owned(), found: looks_like(data) })
}

/// A coarse guess at what a file is, after the sniffing rules browsers use.
fn looks_like(data: &[u8]) -> &'static str {
    let head = &data[..data.len().min(512)];
    let binary = |b: &u8| matches!(b, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    match head {
        _ if head.starts_with(b"PK\x03\x04") => "application/zip",
        _ if head.starts_with(b"%PDF-") => "application/pdf",
        _ if head.starts_with(b"<?xml") => "text/xml; charset=utf-8",
        _ if head.iter().any(binary) || head.len() < 512 => "application/octet-stream",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_chart_are_refused() {
        let inner = |name: &str| inner_path(&Entry { name: name.to_owned(), ..Entry::default() });
        assert_eq!(inner("a/templates/x.yaml").unwrap(), "templates/x.yaml");
        assert_eq!(inner("a\\templates\\x.yaml").unwrap(), "templates/x.yaml");
        assert_eq!(inner("a/./b/../c").unwrap(), "c");
        for (name, message) in [
            ("a//etc/passwd", "chart illegally contains absolute paths"),
            ("README", "chart illegally contains content outside the base directory: \"README\""),
            ("a/../../x", "chart illegally references parent directory"),
            ("a/..x", "chart illegally references parent directory"),
            ("a/c:/x", "chart contains illegally named files"),
            ("a\\c:\\x", "chart contains illegally named files"),
            ("Chart.yaml/x", "chart yaml not in base directory"),
        ] {
            assert_eq!(inner(name).unwrap_err().to_string(), message, "{name}");
        }
    }

    #[test]
    fn what_is_not_gzip_is_refused() {
        assert!(matches!(read_archive(b"hello"), Err(ArchiveError::Header)));
        assert!(matches!(read_archive(b"\x1f\x8b\x08\x00\x00"), Err(ArchiveError::Compression(_))));
    }
}
