//! Starts a tool apart from the user's configuration and the network, and bounds its time.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{env, thread};

/// Longer than any chart takes; what is slower counts as crashed.
pub(crate) const LIMIT: Duration = Duration::from_mins(1);

/// How a run ended.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    /// How it exited.
    pub(crate) exit: Exit,
    /// Standard output.
    pub(crate) stdout: Vec<u8>,
    /// Standard error.
    pub(crate) stderr: Vec<u8>,
    /// Wall time.
    pub(crate) time: Duration,
}

/// The ways to exit that the comparison tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Status zero.
    Accepted,
    /// A failure that was reported in words.
    Rejected,
    /// A signal, a panic, or no end in time.
    Crashed,
}

/// A program and the directory that stands in for the user's home.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    program: PathBuf,
    home: PathBuf,
}

impl Tool {
    /// A tool at `program`; `home` is created when needed and holds no configuration.
    pub(crate) fn new(program: &Path, home: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(home)?;
        Ok(Self { program: std::fs::canonicalize(program)?, home: home.to_owned() })
    }

    /// The command, cut off from the network by proxies that refuse.
    pub(crate) fn command(&self, arguments: &[String]) -> Command {
        let mut command = Command::new(&self.program);
        self.isolate(&mut command);
        command.args(arguments);
        command
    }

    /// Takes the user's configuration and the network away from `command`.
    pub(crate) fn isolate(&self, command: &mut Command) {
        for (name, _) in env::vars_os() {
            if name.to_string_lossy().starts_with("HELM_") {
                command.env_remove(name);
            }
        }
        let refusing = "http://127.0.0.1:9";
        command
            .env("HOME", &self.home)
            .env_remove("XDG_CACHE_HOME")
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_DATA_HOME")
            .env("KUBECONFIG", "/dev/null")
            .env("TZ", "UTC")
            .envs([("HTTP_PROXY", refusing), ("HTTPS_PROXY", refusing), ("NO_PROXY", "")])
            .stdin(Stdio::null());
    }

    /// Where the program lies.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// What the tool says when asked for its version.
    pub(crate) fn version(&self) -> io::Result<String> {
        let outcome = self.run(&["version".into(), "--short".into()])?;
        Ok(String::from_utf8_lossy(&outcome.stdout).trim().to_owned())
    }

    /// Runs to the end, or to [`LIMIT`].
    pub(crate) fn run(&self, arguments: &[String]) -> io::Result<Outcome> {
        let start = Instant::now();
        let mut child = self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let stdout = drain(child.stdout.take());
        let stderr = drain(child.stderr.take());
        let in_time = stdout.recv_timeout(LIMIT).and_then(|stdout| {
            stderr.recv_timeout(LIMIT.saturating_sub(start.elapsed())).map(|stderr| (stdout, stderr))
        });
        let Ok((stdout, stderr)) = in_time else {
            child.kill()?;
            child.wait()?;
            let stderr = b"no end in time".to_vec();
            return Ok(Outcome { exit: Exit::Crashed, stdout: Vec::new(), stderr, time: start.elapsed() });
        };
        let status = child.wait()?;
        Ok(Outcome { exit: exit(status, &stderr), stdout, stderr, time: start.elapsed() })
    }
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut pipe) = pipe {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let read = pipe.read_to_end(&mut bytes);
            // Nobody listens any more after the time limit.
            let _ = sender.send(if read.is_ok() { bytes } else { Vec::new() });
        });
    }
    receiver
}

fn exit(status: ExitStatus, stderr: &[u8]) -> Exit {
    let panicked = stderr.windows(12).any(|window| window == b"panicked at ");
    match status.code() {
        Some(0) => Exit::Accepted,
        Some(code) if code != 101 && !panicked => Exit::Rejected,
        _ => Exit::Crashed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Outcome {
        let home = tempfile::tempdir().unwrap();
        let tool = Tool::new(Path::new("/bin/sh"), home.path()).unwrap();
        tool.run(&["-c".into(), script.into()]).unwrap()
    }

    #[test]
    fn a_signal_or_a_panic_is_a_crash() {
        assert_eq!(shell("exit 0").exit, Exit::Accepted);
        assert_eq!(shell("exit 1").exit, Exit::Rejected);
        assert_eq!(shell("kill -9 $$").exit, Exit::Crashed);
        assert_eq!(shell("echo thread \\'main\\' panicked at src >&2; exit 1").exit, Exit::Crashed);
    }

    #[test]
    fn output_larger_than_a_pipe_is_read_whole() {
        let outcome = shell("head -c 300000 /dev/zero; head -c 200000 /dev/zero >&2");
        assert_eq!((outcome.stdout.len(), outcome.stderr.len()), (300_000, 200_000));
    }
}
