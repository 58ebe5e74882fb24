//! The operator as a process, and what the kernel says about it.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running operator. It ends with this.
pub(super) struct Operator(Child);

impl Operator {
    pub(super) fn start(slipway: &str, home: &Path) -> io::Result<Self> {
        let log = std::fs::File::create(home.join("operator.log"))?;
        let child = Command::new(slipway)
            .args(["operator", "--install-crds", "--listen", "", "--log-level", "warn", "--kubeconfig"])
            .arg(home.join("config"))
            .env("HOME", home)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()?;
        Ok(Self(child))
    }

    /// The memory that it has now, in MiB.
    pub(super) fn memory(&self) -> io::Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        kibibytes.map(|kibibytes| kibibytes / 1024.0).ok_or_else(|| io::Error::other("no VmRSS"))
    }

    /// How much of a processor it has had so far.
    pub(super) fn processor(&self) -> io::Result<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id()))?;
        // The name of the program, in brackets, may have anything in it.
        let rest = stat.rsplit_once(')').map(|(_, rest)| rest).unwrap_or_default();
        let fields: Vec<u64> = rest.split_whitespace().filter_map(|field| field.parse().ok()).collect();
        // State is no number: user and system time are the 11th and 12th numbers after it.
        match fields.get(10..12) {
            Some([user, system]) => Ok(Duration::from_millis((user + system) * 10)),
            _ => Err(io::Error::other("no times")),
        }
    }
}

impl Drop for Operator {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
