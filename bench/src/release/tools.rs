//! The programs that deploy, and what they are told.

use std::io;
use std::path::Path;
use std::process::Command;

use super::chart::Chart;
use crate::measure::{self, Cost};

/// A program.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    program: String,
    flags: &'static [&'static str],
    /// It is run in the first round only.
    pub(crate) is_slow: bool,
}

/// What it is told to do.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Operation {
    Install { version: u32 },
    Upgrade { version: u32 },
    Uninstall,
}

/// A program that works on a namespace.
pub(crate) struct Release<'a> {
    pub(crate) tool: &'a Tool,
    pub(crate) kubeconfig: &'a Path,
    pub(crate) namespace: &'a str,
}

impl Tool {
    pub(crate) fn new(name: &'static str, program: &str, flags: &'static [&'static str]) -> Self {
        Self { name, program: program.to_owned(), flags, is_slow: false }
    }

    /// One that takes minutes.
    pub(crate) fn once(name: &'static str, program: &str) -> Self {
        Self { is_slow: true, ..Self::new(name, program, &[]) }
    }

    /// Its name, as a namespace may have it.
    pub(crate) fn slug(&self) -> String {
        self.name.to_lowercase().replace(", ", "-").replace(' ', "-")
    }
}

impl Release<'_> {
    /// Runs it to its end.
    pub(crate) fn run(
        &self,
        name: &str,
        chart: &Chart,
        operation: Operation,
        more: &[&str],
    ) -> io::Result<Cost> {
        let mut arguments: Vec<String> = Vec::new();
        let chart = chart.path().display().to_string();
        match operation {
            Operation::Install { version } | Operation::Upgrade { version } => {
                let verb = if matches!(operation, Operation::Install { .. }) { "install" } else { "upgrade" };
                arguments.extend([verb.to_owned(), name.to_owned(), chart]);
                arguments.extend(["--set".to_owned(), format!("version={version}")]);
                arguments.extend(self.tool.flags.iter().map(ToString::to_string));
            }
            Operation::Uninstall => {
                arguments.extend(["uninstall", name].map(ToOwned::to_owned));
                // Slipway always waits.
                if self.tool.name != "Slipway" {
                    arguments.push("--wait".to_owned());
                }
            }
        }
        arguments.extend(more.iter().map(ToString::to_string));
        arguments.extend(["-n".to_owned(), self.namespace.to_owned()]);
        arguments.extend(["--kubeconfig".to_owned(), self.kubeconfig.display().to_string()]);
        let mut command = Command::new(std::env::current_exe()?);
        command.env_clear().env("HOME", std::env::temp_dir()).env("PATH", "/usr/bin:/bin");
        let cost = measure::cost_of(command, Path::new(&self.tool.program), &arguments)?;
        cost.ok_or_else(|| io::Error::other(format!("{} {} failed", self.tool.program, arguments.join(" "))))
    }
}
