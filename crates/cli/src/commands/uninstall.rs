//! `slipway uninstall`: takes a release out, in order.

use std::io::Write as _;
use std::time::Duration;

use clap::Args;
use engine::Options;
use plan::explain::View;
use plan::output::StepKind;
use release::{Deployed, Removal};

use crate::context::Context;
use crate::flags::{RunFlags, ViewFlags};
use crate::go_flags::duration;
use crate::operation::{self, Desk, Progress};
use crate::planning;
use crate::report::{Failure, needs_at_least};

/// Take releases out, in the reverse of the order they came in
///
/// What goes is what was stored when it came, and nothing that belongs to others. The record stays until all of it is
/// gone or kept by a rule; so an uninstall that was interrupted can simply be run again. For a week 'slipway undelete'
/// brings the objects back, but not what was in them.
#[derive(Args, Debug)]
#[command(visible_aliases = ["del", "delete", "un"], override_usage = USAGE, after_help = "\
Examples:
  slipway uninstall shop

  # See what would go, in which order, and what would stay
  slipway uninstall shop --dry-run

  # With rules for the order, and for what does not go by itself
  slipway uninstall shop --deletion-rules rules.yaml --timeout 2m")]
pub(crate) struct Arguments {
    /// Names of the releases
    #[arg(value_name = "NAME", hide = true)]
    names: Vec<String>,

    /// Keep the record, marked as uninstalled
    #[arg(long)]
    keep_history: bool,

    /// Succeed if there is no such release
    #[arg(long)]
    ignore_not_found: bool,

    /// Delete namespaces and definitions although others have objects there
    #[arg(long)]
    delete_foreign: bool,

    /// How long 'slipway undelete' can bring it back: 168h if not given, 0 for not at all
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    undelete_window: Option<Duration>,

    /// How long an unfinished operation of Helm is taken to go on; 15 minutes if not given
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pending_grace: Option<Duration>,

    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,

    #[arg(long, hide = true, value_name = "TEXT")]
    description: Option<String>,

    #[command(flatten)]
    running: RunFlags,
}

const USAGE: &str = "slipway uninstall NAME... [flags]";

/// A release can be brought back for so long.
const UNDELETE_WINDOW: Duration = Duration::from_hours(7 * 24);

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    needs_at_least(1, &arguments.names, USAGE)?;
    let mut policy = arguments.running.policy()?;
    policy.delete_foreign = arguments.delete_foreign;
    let desk = Desk::open(context)?;
    let removal = Removal {
        keep_history: arguments.keep_history,
        undelete_window: arguments.undelete_window.unwrap_or(UNDELETE_WINDOW),
    };
    for name in &arguments.names {
        if arguments.dry_run {
            let release = desk.release(name)?;
            let prepared = desk.wait(name, release.prepare_uninstall(&policy))?;
            planning::show(&View::new(&prepared.plan, name.clone()), &ViewFlags::default(), context)?;
            continue;
        }
        let session = desk.work(name, arguments.pending_grace)?;
        let removed = desk.with(session, |session| {
            if session.release().current().is_none() && arguments.ignore_not_found {
                return Ok(None);
            }
            let prepared = desk.wait(name, session.release().prepare_uninstall(&policy))?;
            let options = Options { timeout: policy.timeout, ..Options::default() };
            let mut progress =
                Progress::new(arguments.running.progress, name, &prepared.plan, policy.timeout);
            let mut told = |event: engine::Event| progress.hear(&event);
            let run = session.uninstall(prepared, &options, removal, &mut told);
            desk.wait(name, run).map(Some)
        })?;
        let Some(removed) = removed else { continue };
        operation::judge(name, &removed)?;
        tell_kept(&removed, context)?;
        writeln!(context.out, "release \"{name}\" uninstalled")?;
        if !removal.undelete_window.is_zero() && !removal.keep_history {
            let until = jiff::Timestamp::now().checked_add(removal.undelete_window);
            let until = until.map(|until| operation::time(&until.to_string())).unwrap_or_default();
            writeln!(context.out, "'slipway undelete {name}' brings its objects back until {until}")?;
        }
    }
    Ok(())
}

/// Names what stays, and why.
fn tell_kept(removed: &Deployed, context: &mut Context) -> Result<(), Failure> {
    let plan = &removed.plan;
    let stamped = plan.steps.iter().filter_map(|step| match step.kind {
        StepKind::Stamp { object, due: Some(due) } => {
            Some((plan.object(object).id.clone(), format!("it goes at {due} ('slipway trash list')")))
        }
        _ => None,
    });
    let kept: Vec<_> = removed.outcome.kept.iter().cloned().chain(stamped).collect();
    if !kept.is_empty() {
        writeln!(context.out, "These objects were kept:")?;
        for (object, why) in kept {
            writeln!(context.out, "  {object}: {why}")?;
        }
    }
    Ok(())
}
