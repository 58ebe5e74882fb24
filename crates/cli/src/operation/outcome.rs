//! How an operation went, in words.

use std::io::Write as _;

use plan::Operation;
use release::{Deployed, HookRecord, Record, ReleaseError};

use crate::context::Context;
use crate::output::{ANSIC, moment};
use crate::report::Failure;

/// What could not even be begun.
pub(crate) fn failed(name: &str, error: &ReleaseError) -> Failure {
    let failure = Failure::new(format!("{name}: {error}"));
    match error {
        ReleaseError::Lock(_) => failure.hint(format!(
            "a holder that died lets go after 30 seconds; 'slipway unlock {name}' does at once"
        )),
        ReleaseError::NotFound => {
            failure.hint("'slipway list -A' shows what is there; -n names another namespace")
        }
        ReleaseError::Pending { .. } => failure.hint(format!(
            "if nobody is at work, 'slipway unlock {name}' or a shorter --pending-grace sets it free"
        )),
        _ => failure,
    }
}

/// Whether an operation that has run has succeeded.
pub(crate) fn judge(name: &str, deployed: &Deployed) -> Result<(), Failure> {
    if deployed.outcome.is_success() {
        return Ok(());
    }
    let told = deployed.outcome.failures.iter();
    let mut told: Vec<String> = told
        .map(|(object, why)| object.as_ref().map_or_else(|| why.clone(), |object| format!("{object}: {why}")))
        .collect();
    if told.is_empty() {
        told.push("it was stopped".to_owned());
    }
    let operation = deployed.plan.operation;
    let again = match operation {
        Operation::Install => format!("'slipway upgrade --install {name} CHART' goes on from here"),
        _ => "run the command again to go on from here".to_owned(),
    };
    Err(Failure::new(format!("{operation} of {name} failed:\n  {}", told.join("\n  ")))
        .hint(format!("'slipway why {name}' tells more; {again}")))
}

/// What of a release is told beside the lines that always are.
#[derive(Clone, Copy, Default)]
pub(crate) struct Beside<'a> {
    /// The chart and its versions.
    pub(crate) chart: bool,
    /// The objects, in tables.
    pub(crate) resources: &'a str,
}

/// What Helm prints after a release was deployed.
pub(crate) fn show_status(record: &Record, context: &mut Context) -> Result<(), Failure> {
    show_standing(record, Beside::default(), context)?;
    show_notes(record, context)
}

/// How a release stands, as Helm prints it, its notes apart.
pub(crate) fn show_standing(
    record: &Record,
    beside: Beside<'_>,
    context: &mut Context,
) -> Result<(), Failure> {
    let out = &mut context.out;
    writeln!(out, "NAME: {}", record.name)?;
    writeln!(out, "LAST DEPLOYED: {}", moment(&record.info.last_deployed, ANSIC))?;
    writeln!(out, "NAMESPACE: {}", record.namespace)?;
    writeln!(out, "STATUS: {}", record.info.status)?;
    writeln!(out, "REVISION: {}", record.version)?;
    if beside.chart {
        let metadata = |field: &str| record.chart["metadata"][field].as_str().unwrap_or_default();
        writeln!(out, "CHART: {}", metadata("name"))?;
        writeln!(out, "VERSION: {}", metadata("version"))?;
        writeln!(out, "APP_VERSION: {}", metadata("appVersion"))?;
    }
    writeln!(out, "DESCRIPTION: {}", record.info.description)?;
    if !beside.resources.is_empty() {
        writeln!(out, "RESOURCES:\n{}", beside.resources)?;
    }
    let is_test = |hook: &&HookRecord| hook.events.iter().any(|event| event == "test");
    if !record.hooks.iter().any(|hook| is_test(&hook)) {
        writeln!(out, "TEST SUITE: None")?;
    }
    for test in record.hooks.iter().filter(is_test).filter(|test| !last_run(test, "started_at").is_empty()) {
        writeln!(out, "TEST SUITE:     {}", test.name)?;
        writeln!(out, "Last Started:   {}", moment(last_run(test, "started_at"), ANSIC))?;
        writeln!(out, "Last Completed: {}", moment(last_run(test, "completed_at"), ANSIC))?;
        writeln!(out, "Phase:          {}", last_run(test, "phase"))?;
    }
    Ok(())
}

/// What the chart has to say.
pub(crate) fn show_notes(record: &Record, context: &mut Context) -> Result<(), Failure> {
    let notes = record.info.notes.trim();
    if !notes.is_empty() {
        writeln!(context.out, "NOTES:\n{notes}")?;
    }
    Ok(())
}

fn last_run<'a>(hook: &'a HookRecord, field: &str) -> &'a str {
    hook.others.get("last_run").and_then(|run| run[field].as_str()).unwrap_or_default()
}
