//! Keeps Helm's answers on disk, so that a second run only costs Slipway's time.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use std::{fs, io, thread};

use crate::charts;
use crate::run::{Exit, Outcome, Tool};

/// A tool whose answers are kept.
#[derive(Debug)]
pub(crate) struct Memory {
    tool: Tool,
    directory: PathBuf,
}

impl Memory {
    /// Answers of another version or build of the tool are kept apart.
    pub(crate) fn of(tool: Tool, cache: &Path) -> io::Result<Self> {
        let build = charts::sha256(&fs::read(tool.program())?);
        let directory =
            cache.join("answers").join(format!("{}-{}", tool.version()?.replace('/', "_"), &build[..12]));
        fs::create_dir_all(&directory)?;
        Ok(Self { tool, directory })
    }

    /// The first answer.
    pub(crate) fn first(&self, key: &str, arguments: &[String]) -> io::Result<Outcome> {
        self.answer(&format!("{key}.1"), arguments)
    }

    /// An answer from at least a second later than the first.
    pub(crate) fn second(&self, key: &str, arguments: &[String]) -> io::Result<Outcome> {
        let name = format!("{key}.2");
        if let (false, Ok(first)) =
            (self.path(&name, "out").exists(), fs::metadata(self.path(&format!("{key}.1"), "out")))
        {
            let age = SystemTime::now().duration_since(first.modified()?).unwrap_or_default();
            thread::sleep(Duration::from_millis(1100).saturating_sub(age));
        }
        self.answer(&name, arguments)
    }

    /// An answer from now, which becomes the second one.
    pub(crate) fn fresh(&self, key: &str, arguments: &[String]) -> io::Result<Outcome> {
        let outcome = self.tool.run(arguments)?;
        self.keep(&format!("{key}.2"), &outcome)?;
        Ok(outcome)
    }

    fn answer(&self, name: &str, arguments: &[String]) -> io::Result<Outcome> {
        if let Some(outcome) = self.kept(name) {
            return Ok(outcome);
        }
        let start = Instant::now();
        let mut outcome = self.tool.run(arguments)?;
        outcome.time = outcome.time.min(start.elapsed());
        self.keep(name, &outcome)?;
        Ok(outcome)
    }

    fn path(&self, name: &str, extension: &str) -> PathBuf {
        self.directory.join(&name[..2]).join(format!("{name}.{extension}"))
    }

    fn keep(&self, name: &str, outcome: &Outcome) -> io::Result<()> {
        let exit = match outcome.exit {
            Exit::Accepted => "accepted",
            Exit::Rejected => "rejected",
            Exit::Crashed => "crashed",
        };
        fs::create_dir_all(self.directory.join(&name[..2]))?;
        fs::write(self.path(name, "out"), &outcome.stdout)?;
        fs::write(self.path(name, "err"), &outcome.stderr)?;
        // Written last: its presence says that the answer is whole.
        fs::write(self.path(name, "exit"), format!("{exit} {}", outcome.time.as_micros()))
    }

    fn kept(&self, name: &str) -> Option<Outcome> {
        let head = fs::read_to_string(self.path(name, "exit")).ok()?;
        let (exit, micros) = head.split_once(' ')?;
        Some(Outcome {
            exit: match exit {
                "accepted" => Exit::Accepted,
                "rejected" => Exit::Rejected,
                _ => Exit::Crashed,
            },
            stdout: fs::read(self.path(name, "out")).ok()?,
            stderr: fs::read(self.path(name, "err")).ok()?,
            time: Duration::from_micros(micros.parse().ok()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_answer_is_kept_and_a_fresh_one_replaces_the_second() {
        let cache = tempfile::tempdir().unwrap();
        let tool = Tool::new(Path::new("/bin/sh"), cache.path()).unwrap();
        let memory = Memory::of(tool, cache.path()).unwrap();
        let arguments = ["-c".to_owned(), "date +%N; exit 3".to_owned()];
        let first = memory.first("abc", &arguments).unwrap();
        assert_eq!(first.exit, Exit::Rejected);
        assert_eq!(memory.first("abc", &arguments).unwrap().stdout, first.stdout);
        let second = memory.second("abc", &arguments).unwrap();
        assert_ne!(second.stdout, first.stdout);
        let fresh = memory.fresh("abc", &arguments).unwrap();
        assert_ne!(fresh.stdout, second.stdout);
        assert_eq!(memory.second("abc", &arguments).unwrap().stdout, fresh.stdout);
    }
}
