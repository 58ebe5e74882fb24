//! `slipway unlock`: sets a release free that somebody left behind.

use std::io::Write as _;

use clap::Args;
use serde_json::json;

use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::operation::Desk;
use crate::output::{write_json, write_yaml};
use crate::report::Failure;

/// Set a release free that somebody left behind in the middle of their work
///
/// A Lease whose holder is dead is removed, and a revision that was not finished is marked as failed, so that the
/// next command can go on. A holder that is alive keeps its Lease, unless --force is given.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  # After Helm was killed in the middle of an upgrade
  slipway unlock shop

  # Although somebody seems to be at work
  slipway unlock shop --force")]
pub(crate) struct Arguments {
    /// Name of the release
    name: String,

    /// Take the lock away from a holder that is alive, too
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    output: OutputFormatFlag,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    let name = &arguments.name;
    let desk = Desk::open(context)?;
    let marks = desk.marks(name);
    let unlocked = desk
        .wait(name, release::unlock(&desk.engine, &marks, arguments.force))
        .map_err(|failure| failure.hint("--force takes the lock away from whoever has it"))?;
    match arguments.output.format {
        OutputFormat::Json => return Ok(write_json(&mut context.out, &told(name, &unlocked))?),
        OutputFormat::Yaml => return Ok(write_yaml(&mut context.out, &told(name, &unlocked))?),
        OutputFormat::Table => {}
    }
    if let Some(holder) = &unlocked.holder {
        writeln!(context.out, "the lock of {holder} is removed")?;
    }
    if let Some((revision, status)) = unlocked.revision {
        writeln!(context.out, "revision {revision}, which was {status}, is marked as failed")?;
    }
    if unlocked == release::Unlocked::default() {
        writeln!(context.out, "{name} is not locked")?;
    }
    Ok(())
}

/// The same for machines.
fn told(name: &str, unlocked: &release::Unlocked) -> serde_json::Value {
    let revision = unlocked.revision.map(|(revision, status)| json!({"revision": revision, "was": status}));
    json!({"name": name, "holder": unlocked.holder, "failed": revision})
}
