//! How an operation went, in words.

use std::io::Write as _;

use plan::Operation;
use release::{Deployed, Record, ReleaseError};

use crate::context::Context;
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

/// What Helm prints after a release was deployed.
pub(crate) fn show_status(record: &Record, context: &mut Context) -> Result<(), Failure> {
    let out = &mut context.out;
    writeln!(out, "NAME: {}", record.name)?;
    writeln!(out, "LAST DEPLOYED: {}", time(&record.info.last_deployed))?;
    writeln!(out, "NAMESPACE: {}", record.namespace)?;
    writeln!(out, "STATUS: {}", record.info.status)?;
    writeln!(out, "REVISION: {}", record.version)?;
    writeln!(out, "DESCRIPTION: {}", record.info.description)?;
    let ran = |hook: &&release::HookRecord| {
        hook.events.iter().any(|event| event == "test") && !last_run(hook, "started_at").is_empty()
    };
    let tests: Vec<_> = record.hooks.iter().filter(ran).collect();
    if tests.is_empty() {
        writeln!(out, "TEST SUITE: None")?;
    }
    for test in tests {
        writeln!(out, "TEST SUITE:     {}", test.name)?;
        writeln!(out, "Last Started:   {}", time(last_run(test, "started_at")))?;
        writeln!(out, "Last Completed: {}", time(last_run(test, "completed_at")))?;
        writeln!(out, "Phase:          {}", last_run(test, "phase"))?;
    }
    if !record.info.notes.trim().is_empty() {
        writeln!(out, "NOTES:\n{}", record.info.notes.trim())?;
    }
    Ok(())
}

fn last_run<'a>(hook: &'a release::HookRecord, field: &str) -> &'a str {
    hook.others.get("last_run").and_then(|run| run[field].as_str()).unwrap_or_default()
}

/// A time as Helm prints it; what is no time stays as it is.
pub(crate) fn time(text: &str) -> String {
    let Some(time) = objects::parse_time(text) else { return text.to_owned() };
    time.to_zoned(jiff::tz::TimeZone::system()).strftime("%a %b %e %H:%M:%S %Y").to_string()
}
