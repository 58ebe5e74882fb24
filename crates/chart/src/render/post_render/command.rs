//! An external program as post-renderer.

use std::io::Write;
use std::process::{Command, Stdio};

use super::PostRender;

/// A program that reads manifests from its standard input and writes them to its standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPostRender {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl PostRender for CommandPostRender {
    fn run(&mut self, manifests: &str) -> Result<String, String> {
        let Self { program, arguments } = self;
        let mut child = Command::new(&*program)
            .args(&*arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start {program}: {error}"))?;
        let mut stdin = child.stdin.take();
        let output = std::thread::scope(|scope| {
            scope.spawn(move || {
                // A program that stops reading early shows in its exit code, not here.
                let _ = stdin.as_mut().map(|stdin| stdin.write_all(manifests.as_bytes()));
            });
            child.wait_with_output()
        })
        .map_err(|error| format!("cannot run {program}: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!(
                "error while running command {program}. error output:\n{said}: {}",
                output.status
            ));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if text.trim().is_empty() {
            return Err(format!("post-renderer {} produced empty output", goyaml::strconv::quote(program)));
        }
        Ok(text)
    }
}
