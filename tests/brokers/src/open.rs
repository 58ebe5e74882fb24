//! The broker made with `openbrokerapi`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A program in Python on a loopback port. It ends when it is dropped.
#[derive(Debug)]
pub struct OpenBroker {
    child: Child,
    port: u16,
}

impl OpenBroker {
    /// Starts one, with the arguments of `broker.py`. `Err` is why there is none: a test then skips, by name.
    ///
    /// # Panics
    /// When there is none although `SLIPWAY_REQUIRE_BROKER` is set.
    pub fn start(arguments: &[&str]) -> Result<Self, String> {
        let started = Self::try_start(arguments);
        if let Err(why) = &started {
            assert!(
                std::env::var_os("SLIPWAY_REQUIRE_BROKER").is_none(),
                "the broker made with openbrokerapi: {why}"
            );
        }
        started
    }

    fn try_start(arguments: &[&str]) -> Result<Self, String> {
        let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("run");
        let mut child = Command::new(run)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("it cannot be run: {error}"))?;
        let mut line = String::new();
        let out = child.stdout.take().ok_or("it has no output")?;
        let read = BufReader::new(out).read_line(&mut line);
        let port = line.trim().strip_prefix("listening on ").and_then(|port| port.parse().ok());
        if let (Ok(_), Some(port)) = (read, port) {
            return Ok(Self { child, port });
        }
        let _ = child.kill();
        let _ = child.wait();
        Err(format!("it did not start: {:?}", line.trim()))
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// All requests so far: `method`, `path`, `username` and `status`.
    pub fn seen(&self) -> Vec<Value> {
        self.ask("/seen").as_array().cloned().unwrap_or_default()
    }

    /// What it has: instances by their identifier.
    pub fn instances(&self) -> Value {
        self.ask("/instances")
    }

    fn ask(&self, path: &str) -> Value {
        let ask = || -> std::io::Result<String> {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
            write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        };
        let answer = ask().unwrap_or_default();
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        serde_json::from_str(body).unwrap_or_default()
    }
}

impl Drop for OpenBroker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
