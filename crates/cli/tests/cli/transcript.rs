//! Runs the binary in a clean environment and writes down what happened.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// The fixtures are the working directory, so that transcripts have short paths.
pub(crate) fn fixtures() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures"))
}

/// A place for one test: an empty home, so that nothing of the user's is read or written.
pub(crate) struct Session {
    pub(crate) home: TempDir,
}

impl Session {
    /// Starts with an empty home.
    pub(crate) fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    /// A command in the fixtures directory, with only the variables that are needed.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_slipway"));
        command.args(arguments).current_dir(fixtures()).env_clear().env("HOME", self.home.path());
        command
    }

    /// Runs it.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs it and writes down the command, the exit code and both outputs.
    pub(crate) fn transcript(&self, arguments: &[&str]) -> String {
        self.record(&mut self.command(arguments), arguments)
    }

    /// Runs a prepared command and writes it down.
    pub(crate) fn record(&self, command: &mut Command, arguments: &[&str]) -> String {
        let output = command.output().unwrap();
        let mut text = self.redact(&format!("$ slipway {}\n", arguments.join(" ")));
        let _ = writeln!(text, "exit code: {}", output.status.code().unwrap());
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            if !bytes.is_empty() {
                let _ = write!(text, "--- {name}\n{}", self.redact(&String::from_utf8_lossy(bytes)));
            }
        }
        text
    }

    /// Replaces what differs from machine to machine.
    fn redact(&self, text: &str) -> String {
        text.replace(self.home.path().to_str().unwrap(), "[HOME]")
            .replace(fixtures().to_str().unwrap(), "[FIXTURES]")
            .replace(env!("CARGO_BIN_EXE_slipway"), "slipway")
    }
}

/// A transcript in a fresh home.
pub(crate) fn transcript(arguments: &[&str]) -> String {
    Session::new().transcript(arguments)
}
