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

/// An answer: what came out, as text, or the error.
pub type Answer = Result<String, String>;

/// The running program. Should it end, or be too late with an answer, it is started again.
#[derive(Debug)]
pub struct Oracle {
    program: PathBuf,
    running: Running,
}

/// Why there is no oracle.
pub type Absent = String;

/// What is said of a question after which there was no program any more: Go ends at once when its stack is full.
const ENDED: &str = "oracle: ended without an answer";

/// How the program's answer begins to a question that takes it too long.
pub const LATE: &str = "oracle: no answer within";

impl Oracle {
    /// Builds the program with Go and starts it.
    pub fn start() -> Result<Self, Absent> {
        let program = build()?;
        let running = Running::start(&program).map_err(|error| format!("{}: {error}", program.display()))?;
        Ok(Self { program, running })
    }

    /// The names of all functions that templates can call.
    pub fn functions(&mut self) -> io::Result<Vec<String>> {
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
        let mut answers = Vec::with_capacity(requests.len());
        while answers.len() < requests.len() {
            let before = answers.len();
            self.running.exchange(&requests[before..], &mut answers)?;
            if answers.len() < requests.len() {
                if answers.len() == before {
                    answers.push(json!({ "error": ENDED }));
                }
                self.running = Running::start(&self.program)?;
            }
        }
        Ok(answers)
    }
}

/// One run of the program.
#[derive(Debug)]
struct Running {
    child: Child,
    input: Option<BufWriter<ChildStdin>>,
    output: BufReader<ChildStdout>,
}

impl Running {
    fn start(program: &Path) -> io::Result<Self> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .env("TZ", "UTC")
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the oracle has no pipes"));
        };
        Ok(Self { child, input: Some(BufWriter::new(input)), output: BufReader::new(output) })
    }

    /// Answers, in order; fewer than there are requests if the program ends.
    fn exchange(&mut self, requests: &[Value], answers: &mut Vec<Value>) -> io::Result<()> {
        let Some(mut input) = self.input.take() else { return Ok(()) };
        let output = &mut self.output;
        thread::scope(|scope| {
            // Written by a thread of its own: the answers are read while questions are still being asked.
            let writer = scope.spawn(move || {
                for request in requests {
                    writeln!(input, "{request}")?;
                }
                input.flush().map(|()| input)
            });
            for _ in requests {
                let mut line = String::new();
                if output.read_line(&mut line)? == 0 {
                    break;
                }
                answers.push(serde_json::from_str(&line)?);
            }
            // A program that has ended takes no more questions: that shows in the answers.
            self.input = writer.join().ok().and_then(Result::ok);
            Ok(())
        })
    }
}

impl Drop for Running {
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
        .args(["build", "-buildvcs=false", "-mod=readonly"])
        // What a released Helm is told at its build.
        .args(["-ldflags", "-X helm.sh/helm/v4/internal/version.version=v4.3.1", "-o"])
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
