//! Files that others may read at any moment: written beside their place and renamed into it, and locks against
//! other Helms.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A system call on a path that went wrong, in Go's words: `open x: no such file or directory`.
#[derive(Debug, thiserror::Error)]
#[error("{operation} {}: {}", path.display(), system_words(source))]
pub struct PathError {
    /// What was tried: `open`, `mkdir`, `rename`, …
    pub operation: &'static str,
    /// On what.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

impl PathError {
    /// Makes one, for `map_err`.
    pub(crate) fn new(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self { operation, path, source }
    }

    /// Whether the path does not exist.
    pub fn is_not_found(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }
}

/// The system's message as Go writes it: lowercase, without the number.
pub(crate) fn system_words(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    if error.raw_os_error().is_none() {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// Reads a whole file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, PathError> {
    let directory = path.is_dir();
    std::fs::read(path).map_err(PathError::new(if directory { "read" } else { "open" }, path))
}

/// Makes a directory and those above it.
pub(crate) fn make_dirs(path: &Path) -> Result<(), PathError> {
    std::fs::create_dir_all(path).map_err(PathError::new("mkdir", path))
}

/// Makes a directory, and those above it, for the user's eyes only.
pub(crate) fn make_private_dirs(path: &Path) -> Result<(), PathError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(PathError::new("mkdir", path))
}

/// Writes a file so that a reader sees the old contents or the new ones, never a part.
pub(crate) fn write(path: &Path, contents: &[u8], mode: u32) -> Result<(), PathError> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut file = tempfile::NamedTempFile::new_in(directory).map_err(PathError::new("open", path))?;
    file.write_all(contents).map_err(PathError::new("write", path))?;
    set_mode(file.as_file(), mode).map_err(PathError::new("chmod", path))?;
    file.persist(path).map_err(|error| PathError::new("rename", path)(error.error))?;
    Ok(())
}

#[cfg(unix)]
fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

/// The lock that guards `repositories.yaml`; Helm takes the same one.
#[derive(Debug)]
pub(crate) struct FileLock {
    _file: File,
}

impl FileLock {
    /// Takes the lock that belongs to a file, waiting up to half a minute for another holder.
    pub(crate) async fn for_file(path: &Path) -> Result<Self, PathError> {
        let lock = path.with_extension("lock");
        if let Some(parent) = lock.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            make_dirs(parent)?;
        }
        let file = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&lock)
            .map_err(PathError::new("open", &lock))?;
        let patience = Instant::now() + Duration::from_secs(30);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(std::fs::TryLockError::WouldBlock) if Instant::now() < patience => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                Err(std::fs::TryLockError::WouldBlock) => {
                    return Err(PathError::new("lock", &lock)(io::ErrorKind::TimedOut.into()));
                }
                Err(std::fs::TryLockError::Error(error)) => return Err(PathError::new("lock", &lock)(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_errors_read_as_go_writes_them() {
        let error = read(Path::new("/no/such/file")).unwrap_err();
        assert_eq!(error.to_string(), "open /no/such/file: no such file or directory");
        assert!(error.is_not_found());
    }

    #[test]
    fn written_files_have_their_mode_and_leave_no_litter() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        write(&path, b"one", 0o600).unwrap();
        write(&path, b"two", 0o600).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[tokio::test]
    async fn a_lock_is_held_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/repositories.yaml");
        let lock = FileLock::for_file(&path).await.unwrap();
        let other = File::open(dir.path().join("deep/repositories.lock")).unwrap();
        assert!(matches!(other.try_lock(), Err(std::fs::TryLockError::WouldBlock)));
        drop(lock);
        other.try_lock().unwrap();
    }
}
