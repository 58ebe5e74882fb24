//! `slipway undelete`: brings back what an uninstall or an upgrade removed.

use std::io::Write as _;

use clap::Args;
use engine::Options;
use release::{Choice, Finish};

use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag, RunFlags};
use crate::operation::{self, Desk};
use crate::output::{write_json, write_yaml};
use crate::report::{Failure, needs_at_least};

/// Bring back what an uninstall or an upgrade removed
///
/// A release that was uninstalled comes back as it was last, in its order. Of a release that is there, the objects
/// that are named come back as the newest revision that had them has them; they belong to nobody until the release has
/// them again. Objects are brought back, and not what was in them: a volume that was deleted is empty.
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  # A release that was uninstalled
  slipway undelete shop

  # One object that an upgrade removed
  slipway undelete shop configmap/settings")]
pub(crate) struct Arguments {
    /// Name of the release, and objects
    #[arg(value_name = "NAME [KIND/NAME...]", hide = true)]
    positional: Vec<String>,

    #[command(flatten)]
    output: OutputFormatFlag,

    #[command(flatten)]
    running: RunFlags,
}

const USAGE: &str = "slipway undelete NAME [KIND/NAME...] [flags]";

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    needs_at_least(1, &arguments.positional, USAGE)?;
    let (name, objects) = (&arguments.positional[0], &arguments.positional[1..]);
    let choices = choices(objects)?;
    let policy = arguments.running.policy()?;
    let options = Options { timeout: policy.timeout, ..Options::default() };
    let desk = Desk::open(context)?;
    let session = desk.work(name, None)?;
    let deployed = desk.with(session, |session| {
        // One that was interrupted goes on.
        let is_left = session.release().is_interrupted() && session.release().tombstone().is_some();
        if session.release().current().is_some() && !is_left {
            if choices.is_empty() {
                // Whoever was interrupted when all else was done has left this behind.
                desk.wait(name, session.forget_tombstone())?;
                return Err(Failure::new(format!("{name} is there: it need not be brought back"))
                    .hint(format!("'slipway undelete {name} KIND/NAME' brings back an object that it had")));
            }
            let mut told = |event: engine::Event| operation::tell(&event);
            return desk.wait(name, session.bring_back(&choices, &options, &mut told));
        }
        let prepared = desk.wait(name, session.release().prepare_undelete(&policy)).map_err(|failure| {
            failure.hint(
                "only what was uninstalled by slipway, and within --undelete-window, can be brought back",
            )
        })?;
        let mut progress = desk.progress(arguments.running.progress, name, &prepared.plan, policy.timeout);
        let finish = Finish::default();
        desk.wait(name, session.carry_out(prepared, &options, &finish, &mut |event| progress.hear(&event)))
    })?;
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &deployed.record)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &deployed.record)?,
        OutputFormat::Table => {}
    }
    context.out.flush()?;
    operation::judge(name, &deployed)?;
    if arguments.output.format != OutputFormat::Table {
        return Ok(());
    }
    if choices.is_empty() {
        return operation::show_status(&deployed.record, context);
    }
    for choice in &choices {
        writeln!(context.out, "{choice} is back, as revision {} had it", deployed.record.version)?;
    }
    Ok(())
}

/// Objects as a user names them.
pub(crate) fn choices(objects: &[String]) -> Result<Vec<Choice>, Failure> {
    let read = |text: &String| {
        Choice::parse(text).ok_or_else(|| {
            Failure::usage(format!("{text:?} names no object"))
                .hint("an object is written as KIND/NAME or NAMESPACE/KIND/NAME, such as deployment/web")
        })
    };
    objects.iter().map(read).collect()
}
