//! The Go program that asks the real thing.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::{env, io, thread};

use serde_json::{Value, json};

/// A question to both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Read a YAML document, write it as JSON.
    YamlToJson(String),
    /// Read a YAML document, write it as YAML.
    YamlRoundtrip(String),
    /// Parse a `--set` string of some kind into values.
    Set {
        /// The flag without dashes.
        kind: &'static str,
        /// The values that are there already, as YAML.
        base: String,
        /// What follows the flag.
        text: String,
    },
    /// Render a chart.
    Chart {
        /// The files by path.
        files: Vec<(String, String)>,
        /// The user's values, as YAML.
        values: String,
    },
    /// Check values against a schema.
    Schema {
        /// The schema, as JSON.
        schema: String,
        /// The values, as YAML.
        values: String,
    },
}

impl Question {
    fn as_json(&self) -> Value {
        match self {
            Self::YamlToJson(text) => json!({ "op": "yaml-to-json", "text": text }),
            Self::YamlRoundtrip(text) => json!({ "op": "yaml-roundtrip", "text": text }),
            Self::Set { kind, base, text } => {
                json!({ "op": "set", "kind": kind, "base": base, "text": text })
            }
            Self::Schema { schema, values } => json!({ "op": "schema", "schema": schema, "text": values }),
            Self::Chart { files, values } => {
                let files: serde_json::Map<_, _> =
                    files.iter().map(|(path, text)| (path.clone(), text.clone().into())).collect();
                json!({ "op": "chart", "files": files, "text": values })
            }
        }
    }
}

/// Go prints where some values lie in memory; that says nothing, and both sides get the same place.
pub fn without_addresses(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        let digits = rest[at + 2..].bytes().take_while(u8::is_ascii_hexdigit).count();
        out.push_str(&rest[..at]);
        out.push_str(if digits >= 8 { "0xADDRESS" } else { &rest[at..at + 2 + digits] });
        rest = &rest[at + 2 + digits..];
    }
    out.push_str(rest);
    out
}

/// An answer: what came out, as text, or the error.
pub type Answer = Result<String, String>;

/// The running program.
#[derive(Debug)]
pub struct Oracle {
    child: Child,
    input: Option<BufWriter<ChildStdin>>,
    output: BufReader<ChildStdout>,
}

/// Why there is no oracle.
pub type Absent = String;

impl Oracle {
    /// Builds the program with Go and starts it.
    pub fn start() -> Result<Self, Absent> {
        let program = build()?;
        let mut child = Command::new(&program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .env("TZ", "UTC")
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the oracle has no pipes".into());
        };
        Ok(Self { child, input: Some(BufWriter::new(input)), output: BufReader::new(output) })
    }

    /// The names of all functions that sprig has.
    pub fn sprig_functions(&mut self) -> io::Result<Vec<String>> {
        let answers = self.exchange(&[json!({ "op": "functions" })])?;
        let names = answers[0]["ok"].as_array().cloned().unwrap_or_default();
        Ok(names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
    }

    /// Answers to a batch of questions.
    pub fn ask(&mut self, questions: &[Question]) -> io::Result<Vec<Answer>> {
        let requests: Vec<_> = questions.iter().map(Question::as_json).collect();
        let answers = self.exchange(&requests)?;
        Ok(answers.iter().map(answer).collect())
    }

    fn exchange(&mut self, requests: &[Value]) -> io::Result<Vec<Value>> {
        let Some(mut input) = self.input.take() else { return Err(io::Error::other("the oracle is gone")) };
        let output = &mut self.output;
        thread::scope(|scope| {
            // Written by a thread of its own: the answers are read while questions are still being asked.
            let writer = scope.spawn(move || {
                for request in requests {
                    writeln!(input, "{request}")?;
                }
                input.flush().map(|()| input)
            });
            let mut answers = Vec::with_capacity(requests.len());
            for _ in requests {
                let mut line = String::new();
                if output.read_line(&mut line)? == 0 {
                    return Err(io::Error::other("the oracle ended early"));
                }
                answers.push(serde_json::from_str(&line)?);
            }
            let input = writer.join().map_err(|_| io::Error::other("the questions were not written"))??;
            self.input = Some(input);
            Ok(answers)
        })
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // Without input the program ends by itself.
        self.input = None;
        let _ = self.child.wait();
    }
}

fn answer(line: &Value) -> Answer {
    if let Some(error) = line["error"].as_str() {
        return Err(error.to_owned());
    }
    Ok(match &line["ok"] {
        Value::String(text) => text.clone(),
        Value::Object(files) => files
            .iter()
            .map(|(path, text)| format!("# {path}\n{}", text.as_str().unwrap_or_default()))
            .collect(),
        other => other.to_string(),
    })
}

fn build() -> Result<PathBuf, Absent> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../oracle");
    let directory = env::var_os("CARGO_TARGET_TMPDIR").map_or_else(env::temp_dir, PathBuf::from);
    let program = directory.join(format!("slipway-oracle-{}", env!("CARGO_PKG_VERSION")));
    let output = Command::new("go")
        .args(["build", "-buildvcs=false", "-mod=readonly", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(&source)
        .output()
        .map_err(|error| format!("go cannot be run: {error}"))?;
    if output.status.success() {
        Ok(program)
    } else {
        Err(format!("go build failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
    }
}
