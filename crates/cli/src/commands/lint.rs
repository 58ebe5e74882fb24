//! `slipway lint`: looks for what is wrong with a chart or unusual about it.

use std::io::Write as _;
use std::path::Path;
use std::rc::Rc;

use chart::Capabilities;
use chart::lint::{self, LintError, LintOptions, Message, Severity};
use chart::remote::url::clean_path;
use clap::Args;
use serde::Serialize;

use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag, ValuesFlags};
use crate::loading;
use crate::output::{write_json, write_yaml};
use crate::outside::Outside;
use crate::planning::{self, Found};
use crate::report::{Failure, needs_at_least};

const USAGE: &str = "slipway lint PATH [flags]";

/// Look for problems in charts
///
/// What is marked ERROR would make an installation fail; a WARNING breaks a convention; INFO is good advice.
/// The order that layers and subcharts declare is looked at too; lines are those of what a template rendered.
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  # One chart, with the values it will get
  slipway lint ./charts/shop -f production.yaml

  # It and its subcharts; warnings count as failures
  slipway lint ./charts/shop --with-subcharts --strict

  # For a machine
  slipway lint ./charts/* -o json")]
pub(crate) struct Arguments {
    /// Directories or packaged charts
    #[arg(value_name = "PATH")]
    positional: Vec<String>,

    /// Fail on warnings too
    #[arg(long)]
    strict: bool,

    /// Look at the subcharts too
    #[arg(long)]
    with_subcharts: bool,

    /// Print only warnings and errors
    #[arg(long)]
    quiet: bool,

    /// Do not check the values against the chart's schemas
    #[arg(long)]
    skip_schema_validation: bool,

    /// Version of Kubernetes that the chart is meant for
    #[arg(long, value_name = "VERSION")]
    kube_version: Option<String>,

    #[command(flatten)]
    output: OutputFormatFlag,

    #[command(flatten)]
    values: ValuesFlags,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    needs_at_least(1, &arguments.positional, USAGE)?;
    let options = LintOptions {
        namespace: context.settings.namespace(),
        kube_version: loading::kube_version(arguments.kube_version.as_deref())?,
        skip_schema_validation: arguments.skip_schema_validation,
        environment: Rc::new(Outside::default()),
    };
    let values = arguments.values.merge(context)?;
    let paths = paths(arguments);
    let reports: Vec<Report> = paths
        .iter()
        .map(|path| {
            let outcome = lint::lint(Path::new(path), &values, &options).map(|messages| {
                let skip_schema = arguments.skip_schema_validation;
                let capabilities = Capabilities::offline(options.kube_version.clone(), &[]);
                let order =
                    planning::lint(Path::new(path), &values, &options.namespace, capabilities, skip_schema);
                (messages, order)
            });
            Report::new(path, outcome, arguments.strict)
        })
        .collect();
    match arguments.output.format {
        OutputFormat::Table => write_text(&reports, arguments.quiet, context)?,
        OutputFormat::Json => write_json(&mut context.out, &reports)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &reports)?,
    }
    let failed = reports.iter().filter(|report| report.failed).count();
    let summary = format!("{} chart(s) linted, {failed} chart(s) failed", reports.len());
    if failed > 0 {
        return Err(Failure::new(summary));
    }
    let is_worth_it = !arguments.quiet || reports.iter().any(Report::has_problems);
    if is_worth_it && arguments.output.format == OutputFormat::Table {
        writeln!(context.out, "{summary}")?;
    }
    Ok(())
}

/// The charts that were named, then those below their `charts/` if these are wanted.
fn paths(arguments: &Arguments) -> Vec<String> {
    let mut paths = arguments.positional.clone();
    if arguments.with_subcharts {
        for chart in &arguments.positional {
            add_subcharts(&Path::new(chart).join("charts"), &mut paths);
        }
    }
    paths
}

fn add_subcharts(directory: &Path, paths: &mut Vec<String>) {
    let mut entries: Vec<_> = std::fs::read_dir(directory).into_iter().flatten().flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let name = path.to_string_lossy();
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if entry.file_name() == "Chart.yaml" {
            paths.push(clean_path(&directory.to_string_lossy()));
        } else if name.ends_with(".tgz") || name.ends_with(".tar.gz") {
            paths.push(clean_path(&name));
        }
        if is_directory {
            add_subcharts(&path, paths);
        }
    }
}

/// What was found in one chart.
#[derive(Serialize)]
struct Report {
    path: String,
    failed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    messages: Vec<Finding>,
}

#[derive(Serialize)]
struct Finding {
    severity: String,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    message: String,
    #[serde(skip)]
    is_problem: bool,
    #[serde(skip)]
    shown: String,
}

impl From<Message> for Finding {
    fn from(message: Message) -> Self {
        Self {
            severity: message.severity.to_string(),
            shown: message.to_string(),
            is_problem: message.severity > Severity::Info,
            line: None,
            path: message.path,
            message: message.text,
        }
    }
}

impl From<Found> for Finding {
    fn from(found: Found) -> Self {
        let Found { severity, path, line, text } = found;
        let place = match (path.as_str(), line) {
            ("", _) => String::new(),
            (path, 0) => format!("{path}: "),
            (path, line) => format!("{path}:{line}: "),
        };
        Self {
            severity: severity.to_string(),
            shown: format!("[{severity}] {place}{text}"),
            is_problem: severity > Severity::Info,
            line: (line > 0).then_some(line),
            path,
            message: text,
        }
    }
}

impl Report {
    fn new(path: &str, outcome: Result<(Vec<Message>, Vec<Found>), LintError>, strict: bool) -> Self {
        let tolerated = if strict { Severity::Warning } else { Severity::Error };
        let ((messages, order), error) = match outcome {
            Ok(found) => (found, None),
            Err(error) => (Default::default(), Some(error.to_string())),
        };
        let severities = messages.iter().map(|message| message.severity);
        let mut severities = severities.chain(order.iter().map(|found| found.severity));
        let failed = error.is_some() || severities.any(|severity| severity >= tolerated);
        let order = order.into_iter().map(Finding::from);
        let messages = messages.into_iter().map(Finding::from).chain(order).collect();
        Self { path: path.to_owned(), failed, error, messages }
    }

    fn has_problems(&self) -> bool {
        self.failed || self.messages.iter().any(|finding| finding.is_problem)
    }
}

fn write_text(reports: &[Report], quiet: bool, context: &mut Context) -> std::io::Result<()> {
    for report in reports.iter().filter(|report| !quiet || report.has_problems()) {
        writeln!(context.out, "==> Linting {}", report.path)?;
        if let Some(error) = &report.error {
            writeln!(context.out, "Error {error}")?;
        }
        for finding in report.messages.iter().filter(|finding| !quiet || finding.is_problem) {
            writeln!(context.out, "{}", finding.shown)?;
        }
        writeln!(context.out)?;
    }
    Ok(())
}
