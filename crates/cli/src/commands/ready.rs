//! `slipway ready`: whether objects are ready, and why.

use std::io::{Read as _, Write as _};

use anstyle::{AnsiColor, Style};
use clap::Args;
use goyaml::Value;
use jiff::Timestamp;
use objects::readiness::{
    self, Circumstances, Decision, Gate, OverrideProblem, Overrides, Readiness, Status, StorageClasses,
};
use objects::{Located, ObjectId, StreamProblem, parse_time, read_objects};
use serde::Serialize;

use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::output::{write_json, write_yaml};
use crate::report::{self, Failure, Snippet};

const USAGE: &str = "slipway ready -f FILE [flags]";

/// Tell whether objects are ready
///
/// Reads live objects, with their status, and says of each what kstatus says, unless the object's own
/// helm.sh/readiness-success and helm.sh/readiness-failure annotations decide. Nothing is asked of a cluster.
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  # What a namespace looks like
  kubectl get all -n shop -o yaml | slipway ready -f -

  # Jobs as they are judged when something comes after them: by completion
  slipway ready -f job.yaml --gate

  # Fail unless everything is ready: 3 while it is in progress, 4 if something has failed
  kubectl get deploy,job -n shop -o json | slipway ready -f - --exit-code

  # For a machine
  slipway ready -f objects.yaml -o json")]
pub(crate) struct Arguments {
    /// File with objects in YAML or JSON, or - for standard input (can be given several times)
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    files: Vec<String>,

    /// Judge as if something came after the objects: a Job must have completed
    #[arg(long)]
    gate: bool,

    /// Exit with 4 if an object has failed, else with 3 if one is not ready
    #[arg(long)]
    exit_code: bool,

    /// Judge as of this moment instead of now, written as 2006-01-02T15:04:05Z
    #[arg(long, value_name = "TIME")]
    now: Option<String>,

    #[command(flatten)]
    output: OutputFormatFlag,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    if arguments.files.is_empty() {
        return Err(Failure::usage("\"slipway ready\" needs a file")
            .hint("-f FILE names one, and -f - reads standard input"));
    }
    let gate = if arguments.gate { Gate::Followed } else { Gate::Last };
    let circumstances = Circumstances { gate, ..Circumstances::at(moment(arguments.now.as_deref())?) };
    let texts = arguments.files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    let mut sources = Vec::new();
    for (name, text) in &texts {
        let objects = read_objects(text).map_err(|error| {
            // The reader of YAML knows the line and not the column.
            let column = |column| (!matches!(error.problem, StreamProblem::Syntax(_))).then_some(column);
            let place =
                error.position.and_then(|place| snippet(name, text, place.line, column(place.column)));
            Failure::new(format!("{name}: {error}")).at(place)
        })?;
        sources.extend(objects.into_iter().map(|object| Source { name, text, object }));
    }
    let classes = storage_classes(&sources);
    let rows = sources
        .iter()
        .map(|source| source.assess(&classes, &circumstances))
        .collect::<Result<Vec<_>, _>>()?;
    for row in &rows {
        for warning in &row.warnings {
            report::warn(warning, &[("object", &row.id)]);
        }
    }
    match arguments.output.format {
        OutputFormat::Table => write_lines(&rows, context)?,
        OutputFormat::Json => write_json(&mut context.out, &rows)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &rows)?,
    }
    match worst(&rows) {
        Some(code) if arguments.exit_code => Err(Failure::told(code)),
        _ => Ok(()),
    }
}

fn moment(flag: Option<&str>) -> Result<Timestamp, Failure> {
    let Some(text) = flag else { return Ok(Timestamp::now()) };
    parse_time(text).ok_or_else(|| {
        Failure::usage(format!("invalid argument {text:?} for \"--now\" flag: not a time"))
            .hint("write 2006-01-02T15:04:05Z")
    })
}

/// The name that messages call a file by, and its contents.
pub(crate) fn read(file: &str) -> Result<(String, String), Failure> {
    let (name, bytes) = if file == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes)?;
        ("standard input".to_owned(), bytes)
    } else {
        let bytes = std::fs::read(file).map_err(|error| Failure::new(format!("{file}: {error}")))?;
        (file.to_owned(), bytes)
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok((name, text)),
        Err(_) => Err(Failure::new(format!("{name}: is not UTF-8"))
            .hint("objects are YAML or JSON; this looks like something else")),
    }
}

fn snippet(name: &str, text: &str, line: usize, column: Option<usize>) -> Option<Snippet> {
    Snippet::new(name, text, line.min(text.lines().count()), column)
}

/// An object and the file it is from.
struct Source<'a> {
    name: &'a str,
    text: &'a str,
    object: Located<'a>,
}

/// The classes among the objects themselves; they tell which claims wait for their first consumer.
fn storage_classes(sources: &[Source<'_>]) -> StorageClasses {
    let mut classes = StorageClasses::default();
    for object in sources.iter().map(|source| &source.object.object) {
        if object.get("kind").and_then(Value::as_str) == Some("StorageClass") {
            classes.add(object);
        }
    }
    classes
}

impl Source<'_> {
    fn assess(&self, classes: &StorageClasses, circumstances: &Circumstances) -> Result<Row, Failure> {
        let object = &self.object.object;
        let overrides = Overrides::of(object).map_err(|error| {
            let path = ["metadata", "annotations", error.annotation];
            let position = self.object.value_position(&path).or_else(|| self.object.position(&path));
            let place = position.and_then(|place| {
                let column = self.column_of(&error.problem, place.line).unwrap_or(place.column);
                snippet(self.name, self.text, place.line, Some(column))
            });
            Failure::new(format!("{}: {}: {error}", self.name, id(object)))
                .at(place)
                .hint(hint(&error.problem))
        })?;
        let circumstances =
            Circumstances { waits_for_consumer: classes.waits(object), ..circumstances.clone() };
        Ok(Row::new(object, readiness::assess(object, &overrides, &circumstances)))
    }
}

impl Source<'_> {
    /// The column of what is wrong in an expression, if the expression stands on the line as it is.
    fn column_of(&self, problem: &OverrideProblem, line: usize) -> Option<usize> {
        let OverrideProblem::Expression(error) = problem else { return None };
        let start = self.text.lines().nth(line - 1)?.find(&error.expression)?;
        Some(start + error.at + 1)
    }
}

fn hint(problem: &OverrideProblem) -> &'static str {
    match problem {
        OverrideProblem::Duration(_) | OverrideProblem::NotPositive(_) => "write 90s, 5m or 1h30m",
        OverrideProblem::List(_) => "write a list of expressions, as YAML, as a JSON array, or with commas",
        _ => "write {.path} == value, with one of == != < <= > >=; the path starts at the object's status",
    }
}

fn text<'a>(object: &'a Value, path: &[&str]) -> &'a str {
    object.get_path(path.iter().copied()).and_then(Value::as_str).unwrap_or_default()
}

fn id(object: &Value) -> ObjectId {
    let namespace = text(object, &["metadata", "namespace"]);
    ObjectId {
        group: ObjectId::group_of(text(object, &["apiVersion"])).to_owned(),
        kind: text(object, &["kind"]).to_owned(),
        namespace: (!namespace.is_empty()).then(|| namespace.to_owned()),
        name: text(object, &["metadata", "name"]).to_owned(),
    }
}

/// What is printed of an object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    api_version: String,
    kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    namespace: String,
    name: String,
    status: Status,
    reason: String,
    message: String,
    decided_by: Decision,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(skip)]
    id: ObjectId,
}

impl Row {
    fn new(object: &Value, readiness: Readiness) -> Self {
        let own = |path: &[&str]| text(object, path).to_owned();
        Self {
            api_version: own(&["apiVersion"]),
            kind: own(&["kind"]),
            namespace: own(&["metadata", "namespace"]),
            name: own(&["metadata", "name"]),
            status: readiness.verdict.status,
            reason: readiness.verdict.reason,
            message: readiness.verdict.message,
            decided_by: readiness.decided_by,
            warnings: readiness.warnings,
            id: id(object),
        }
    }
}

/// The exit code of the object that is worst off; none if all are ready.
fn worst(rows: &[Row]) -> Option<u8> {
    let codes = rows.iter().map(|row| match row.status {
        Status::Current => 0,
        Status::Failed => 4,
        _ => 3,
    });
    codes.max().filter(|code| *code > 0)
}

/// One line per object: status, object, message, and the rule if it was not kstatus.
fn write_lines(rows: &[Row], context: &mut Context) -> std::io::Result<()> {
    let colour = context.out.is_coloured();
    let styled = |style: Style| if colour { style } else { Style::new() };
    let ids: Vec<String> = rows.iter().map(|row| row.id.to_string().trim_end().to_owned()).collect();
    let width = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let status_width = width(&mut rows.iter().map(|row| row.status.as_str().len()));
    let id_width = width(&mut ids.iter().map(|id| id.chars().count()));
    for (row, id) in rows.iter().zip(&ids) {
        let status_style = styled(style(row.status));
        let message = match (row.message.trim(), row.reason.as_str()) {
            ("", "") => "-".to_owned(),
            ("", reason) => reason.to_owned(),
            (message, _) => message.lines().map(str::trim).collect::<Vec<_>>().join(" "),
        };
        write!(
            context.out,
            "{status_style}{:status_width$}{status_style:#}  {id:id_width$}  {message}",
            row.status
        )?;
        if is_worth_telling(&row.decided_by) {
            let dim = styled(Style::new().dimmed());
            write!(context.out, "  {dim}(by {}){dim:#}", row.decided_by)?;
        }
        writeln!(context.out)?;
    }
    Ok(())
}

/// Messages name the expressions themselves; that another rule than kstatus spoke is not to be seen otherwise.
fn is_worth_telling(decision: &Decision) -> bool {
    matches!(decision, Decision::Generation | Decision::Completion | Decision::FirstConsumer)
}

fn style(status: Status) -> Style {
    match status {
        Status::Current => AnsiColor::Green.on_default(),
        Status::Failed => AnsiColor::Red.on_default().bold(),
        Status::InProgress => AnsiColor::Yellow.on_default(),
        Status::Terminating => AnsiColor::Magenta.on_default(),
        Status::NotFound | Status::Unknown => AnsiColor::Cyan.on_default(),
    }
}
