//! What commands that change a release have in common: progress, interruption, and how the result is told.

use std::io::Write as _;

use engine::{Effect, Event, Stop, Stopper};
use release::{Deployed, Record, ReleaseError};

use crate::cluster::Cluster;
use crate::context::Context;
use crate::report::{self, Failure};

/// A name may not be longer: with what is put around it, objects would no longer have room for theirs.
const LONGEST_NAME: usize = 53;

/// Refuses what no release may be called.
pub(crate) fn check_name(name: &str) -> Result<(), Failure> {
    let part = |part: &str| {
        let inner = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
        part.starts_with(inner)
            && part.ends_with(inner)
            && part.chars().all(|letter| inner(letter) || letter == '-')
    };
    if name.len() <= LONGEST_NAME && name.split('.').all(part) {
        return Ok(());
    }
    Err(Failure::usage(format!("release name is invalid: {name}")).hint(
        "a name has at most 53 lower-case letters, digits, dashes and dots, and begins and ends with a letter or digit",
    ))
}

/// Who holds the lock of a release while this runs.
pub(crate) fn holder() -> String {
    let user = std::env::var("USER").unwrap_or_else(|_| "somebody".to_owned());
    let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let host = match host.trim() {
        "" => "this machine",
        host => host,
    };
    format!("{user} on {host} (process {})", std::process::id())
}

/// A run that ends with what is under way when the user interrupts it, and at once when they do so again.
pub(crate) fn stop_on_interrupt(cluster: &Cluster) -> (Stopper, Stop) {
    let (stopper, stop) = Stop::new();
    let asked = stopper.clone();
    cluster.spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            report::plain(
                "Stopping: what is under way is finished and recorded. Interrupt again to end at once.",
            );
            asked.stop();
        }
        if tokio::signal::ctrl_c().await.is_ok() {
            #[expect(clippy::exit, reason = "whoever interrupts twice wants it to end at once")]
            std::process::exit(130);
        }
    });
    (stopper, stop)
}

/// Tells the events of a run, a line each.
pub(crate) fn tell(event: &Event) {
    let line = match event {
        Event::Applied { effect: Effect::Unchanged, object } => format!("unchanged  {object}"),
        Event::Applied { effect: Effect::Created, object } => format!("created    {object}"),
        Event::Applied { object, .. } => format!("configured {object}"),
        Event::Waiting { object, message, .. } => format!("waiting    {object}: {message}"),
        Event::Ready { object } => format!("ready      {object}"),
        Event::Deleting { object } => format!("deleting   {object}"),
        Event::Gone { object } => format!("gone       {object}"),
        Event::Kept { object, why } => format!("kept       {object}: {why}"),
        Event::Stamped { object, due: Some(due) } => format!("counting   {object}: until {due}"),
        Event::Stamped { object, due: None } => format!("counting   {object}"),
        Event::Restored { object } => format!("restored   {object}"),
        Event::Stripped { object, finalizers } => format!(
            "forced     {object}: finalizers {} removed; what they stood for outside of the cluster may be left behind",
            finalizers.join(", ")
        ),
        Event::HookBegun { object, moment } => format!("running    {object} ({moment})"),
        Event::HookDone { object } => format!("done       {object}"),
        Event::Slowed { width } => format!("slowed     the server is busy: {width} requests at once"),
        Event::Warning { message } => format!("warning    {message}"),
        Event::Failed { object: Some(object), message, .. } => format!("failed     {object}: {message}"),
        Event::Failed { object: None, message, .. } => format!("failed     {message}"),
        _ => return,
    };
    report::plain(&line);
}

/// What could not even be begun.
pub(crate) fn failed(name: &str, error: &ReleaseError) -> Failure {
    let failure = Failure::new(format!("{name}: {error}"));
    match error {
        ReleaseError::Lock(_) => failure.hint("a holder that died lets go after 30 seconds"),
        ReleaseError::NotFound => Failure::new(format!("uninstall: Release not loaded: {name}: {error}"))
            .hint("'slipway list' shows what is there; -n names another namespace"),
        _ => failure,
    }
}

/// Whether an operation that has run has succeeded.
pub(crate) fn judge(name: &str, deployed: &Deployed) -> Result<(), Failure> {
    if deployed.outcome.is_success() {
        return Ok(());
    }
    let mut told: Vec<String> = deployed
        .outcome
        .failures
        .iter()
        .map(|(object, why)| object.as_ref().map_or_else(|| why.clone(), |object| format!("{object}: {why}")))
        .collect();
    if told.is_empty() {
        told.push("it was stopped".to_owned());
    }
    Err(Failure::new(format!("{} of {name} failed:\n  {}", deployed.plan.operation, told.join("\n  ")))
        .hint("run the command again to go on from here"))
}

/// What Helm prints after a release was deployed.
pub(crate) fn show_status(record: &Record, context: &mut Context) -> Result<(), Failure> {
    let out = &mut context.out;
    writeln!(out, "NAME: {}", record.name)?;
    writeln!(out, "LAST DEPLOYED: {}", record.info.last_deployed)?;
    writeln!(out, "NAMESPACE: {}", record.namespace)?;
    writeln!(out, "STATUS: {}", record.info.status)?;
    writeln!(out, "REVISION: {}", record.version)?;
    writeln!(out, "DESCRIPTION: {}", record.info.description)?;
    if !record.info.notes.trim().is_empty() {
        writeln!(out, "NOTES:\n{}", record.info.notes.trim())?;
    }
    Ok(())
}
