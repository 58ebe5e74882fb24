//! Reading a chart's directory: sorted, through symbolic links, without what `.helmignore` names.

use std::fs::{self, FileType};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use objects::read_in_halves;

use super::archive::{MAX_CHART_BYTES, without_mark};
use super::{LoadError, Warnings};
use crate::File;
use crate::ignore::{FILE_NAME, Rules};

/// Every file below `top`, named relative to it.
pub(super) fn read(top: &Path, warnings: &mut Warnings) -> Result<Vec<File>, LoadError> {
    let ignore_file = top.join(FILE_NAME);
    let mut rules = match fs::metadata(&ignore_file) {
        Ok(_) => {
            let data =
                fs::read(&ignore_file).map_err(|source| LoadError::io("open", &ignore_file, source))?;
            Rules::parse(&String::from_utf8_lossy(&data))?
        }
        Err(_) => Rules::default(),
    };
    rules.add_defaults();
    let mut walk = Walk { rules, found: Vec::new(), warnings };
    let walked = walk.directory(top, "");
    // What was found before the walk had to end comes first, and so do the errors in reading it.
    let files = read_all(&walk.found)?;
    walked.map(|()| files)
}

struct Walk<'w> {
    rules: Rules,
    found: Vec<Found>,
    warnings: &'w mut Warnings,
}

/// A file that belongs to the chart.
struct Found {
    path: PathBuf,
    name: String,
}

impl Walk<'_> {
    fn directory(&mut self, path: &Path, name: &str) -> Result<(), LoadError> {
        let entries = fs::read_dir(path).map_err(|source| LoadError::io("open", path, source))?;
        let mut children = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|source| LoadError::io("readdirent", path, source))?;
            let kind = entry.file_type().map_err(|source| LoadError::io("lstat", &entry.path(), source))?;
            children.push((entry.file_name(), kind));
        }
        children.sort_by(|a, b| a.0.cmp(&b.0));
        for (child, kind) in children {
            let child_path = path.join(&child);
            let child = child.to_string_lossy();
            let child_name = if name.is_empty() { child.into_owned() } else { format!("{name}/{child}") };
            self.entry(&child_path, &child_name, kind)?;
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path, name: &str, mut kind: FileType) -> Result<(), LoadError> {
        if kind.is_symlink() {
            let resolved = fs::canonicalize(path).map_err(|source| dead_link(path, source))?;
            self.warnings.push(format!(
                "found symbolic link in path. Contents of linked file included and used path={} resolved={}",
                path.display(),
                resolved.display()
            ));
            kind = fs::symlink_metadata(&resolved)
                .map_err(|source| LoadError::io("lstat", &resolved, source))?
                .file_type();
        }
        if self.rules.ignores(name, kind.is_dir()) {
            return Ok(());
        }
        if kind.is_dir() {
            return self.directory(path, name);
        }
        if !kind.is_file() {
            return Err(LoadError::Irregular { path: path.to_owned() });
        }
        self.found.push(Found { path: path.to_owned(), name: name.to_owned() });
        Ok(())
    }
}

/// With fewer files a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 64;

/// Reads files, the first half of them on this thread and the rest on another if they are many.
fn read_all(found: &[Found]) -> Result<Vec<File>, LoadError> {
    let remaining = AtomicU64::new(MAX_CHART_BYTES);
    let files = read_in_halves(found, WORTH_A_THREAD, |_| 1, |found| found.read(&remaining));
    if let Ok(files) = files.into_iter().collect() {
        return Ok(files);
    }
    // Which file is one too many depends on which are read first.
    let remaining = AtomicU64::new(MAX_CHART_BYTES);
    found.iter().map(|found| found.read(&remaining)).collect()
}

impl Found {
    /// Reads the file, unless it holds more than what remains.
    fn read(&self, remaining: &AtomicU64) -> Result<File, LoadError> {
        let too_large = || LoadError::TooLarge { file: self.name.clone(), limit: MAX_CHART_BYTES };
        let io = |source| LoadError::io("open", &self.path, source);
        let file = fs::File::open(&self.path).map_err(io)?;
        let about = file.metadata().map_err(io)?;
        let left = remaining.load(Ordering::Relaxed);
        if about.len() > left {
            return Err(too_large());
        }
        let mut data = Vec::with_capacity(usize::try_from(about.len()).unwrap_or(0) + 1);
        // Some files only tell how long they are by being read; one byte more than allowed is then too much.
        let length = if about.len() == 0 { left + 1 } else { about.len() };
        file.take(length).read_to_end(&mut data).map_err(io)?;
        let size = data.len() as u64;
        remaining
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(size))
            .map_err(|_| too_large())?;
        Ok(File { name: self.name.clone(), data: without_mark(data), modified: about.modified().ok() })
    }
}

/// What is wrong with a link: its target is not there, or it goes round in circles.
fn dead_link(path: &Path, source: std::io::Error) -> LoadError {
    if source.kind() != std::io::ErrorKind::NotFound {
        return LoadError::io("open", path, source);
    }
    let target = fs::read_link(path).unwrap_or_default();
    let target = path.parent().map_or_else(|| target.clone(), |parent| parent.join(&target));
    LoadError::Symlink { path: path.to_owned(), target, source }
}
