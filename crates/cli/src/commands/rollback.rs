//! `slipway rollback`: goes back to an earlier revision.

use std::io::Write as _;
use std::time::Duration;

use clap::Args;
use engine::Options;
use plan::explain::View;
use release::{Finish, Release};

use crate::context::Context;
use crate::flags::{RunFlags, ViewFlags};
use crate::go_flags::duration;
use crate::operation::{self, Desk, Progress};
use crate::planning;
use crate::report::{Failure, accepts_at_most, needs_at_least};

/// Go back to an earlier revision of a release
///
/// Without a number it is the one before. Whether that goes by layers and subcharts is decided by how the revision
/// was deployed; what the newer one had beside goes in the reverse order. The history goes on: going back makes a new
/// revision.
#[derive(Args, Debug)]
#[command(override_usage = USAGE, after_help = "\
Examples:
  # To the revision before
  slipway rollback shop

  # To a given one, and wait until everything is ready
  slipway rollback shop 3 --wait")]
pub(crate) struct Arguments {
    /// Name of the release and the revision
    #[arg(value_name = "NAME [REVISION]", hide = true)]
    positional: Vec<String>,

    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,

    /// Take fields over that others own
    #[arg(long)]
    force_conflicts: bool,

    /// End everything at the first failure
    #[arg(long)]
    fail_fast: bool,

    /// Await that Jobs have completed, too
    #[arg(long)]
    wait_for_jobs: bool,

    #[arg(long, hide = true)]
    cleanup_on_fail: bool,

    /// Revisions to keep; 0 keeps all
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    history_max: usize,

    /// How long an unfinished operation of Helm is taken to go on; 15 minutes if not given
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pending_grace: Option<Duration>,

    #[command(flatten)]
    running: RunFlags,
}

const USAGE: &str = "slipway rollback NAME [REVISION] [flags]";

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    needs_at_least(1, &arguments.positional, USAGE)?;
    accepts_at_most(2, &arguments.positional, USAGE)?;
    let name = &arguments.positional[0];
    let revision = match arguments.positional.get(1).map(|text| (text, text.parse::<u32>())) {
        None => 0,
        Some((_, Ok(revision))) => revision,
        Some((text, Err(_))) => {
            return Err(Failure::usage(format!("could not convert revision to a number: {text:?}")));
        }
    };
    let mut policy = arguments.running.policy()?;
    policy.wait_for_jobs = arguments.wait_for_jobs;
    let desk = Desk::open(context)?;
    if arguments.dry_run {
        let release = desk.release(name)?;
        let target = target(&release, name, revision)?;
        let prepared = desk.wait(name, release.prepare_rollback(target, &policy))?;
        return planning::show(&View::new(&prepared.plan, name.clone()), &ViewFlags::default(), context);
    }
    let session = desk.work(name, arguments.pending_grace)?;
    let deployed = desk.with(session, |session| {
        let target = target(session.release(), name, revision)?.clone();
        let prepared = desk.wait(name, session.release().prepare_rollback(&target, &policy))?;
        let options = Options {
            force_conflicts: arguments.force_conflicts,
            fail_fast: arguments.fail_fast,
            timeout: policy.timeout,
            ..Options::default()
        };
        let finish = Finish { description: None, history_max: arguments.history_max };
        let mut progress = Progress::new(arguments.running.progress, name, &prepared.plan, policy.timeout);
        let mut told = |event: engine::Event| progress.hear(&event);
        let run = session.carry_out(prepared, &options, &finish, &mut told);
        desk.wait(name, run)
    })?;
    operation::judge(name, &deployed)?;
    writeln!(context.out, "Rollback was a success!")?;
    Ok(())
}

/// The revision to go back to.
pub(crate) fn target<'a>(
    release: &'a Release,
    name: &str,
    revision: u32,
) -> Result<&'a release::Record, Failure> {
    if release.history().next_back().is_none() {
        return Err(operation::failed(name, &release::ReleaseError::NotFound));
    }
    // The one before the newest that was finished: what was interrupted is done again.
    let wanted = if revision == 0 { release.next_version().saturating_sub(2) } else { revision };
    release.revision(wanted).ok_or_else(|| {
        let known: Vec<String> = release.history().map(|record| record.version.to_string()).collect();
        Failure::new(format!("release has no {wanted} version"))
            .hint(format!("the revisions of {name} are {}", known.join(", ")))
    })
}
