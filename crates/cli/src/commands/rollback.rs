//! `slipway rollback`: goes back to an earlier revision.

use std::io::Write as _;
use std::time::Duration;

use clap::Args;
use engine::Options;
use plan::explain::View;
use plan::input::Policy;
use release::{Deployed, Finish, Prepared, Release, Session};

use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag, RunFlags, SendingFlags, ViewFlags};
use crate::go_flags::duration;
use crate::operation::{self, Desk};
use crate::output::{write_json, write_yaml};
use crate::planning;
use crate::rehearsal::{Rehearsal, RehearseFlag};
use crate::report::{self, Failure, accepts_at_most, needs_at_least};
use crate::settings;

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
  slipway rollback shop 3 --wait

  # Try it on a copy of what is there
  slipway rollback shop 3 --rehearse")]
pub(crate) struct Arguments {
    /// Name of the release and the revision
    #[arg(value_name = "NAME [REVISION]", hide = true)]
    positional: Vec<String>,

    /// Show what would be done, and do nothing
    #[arg(long, value_name = "SIDE", num_args = 0..=1, require_equals = true, default_missing_value = "server")]
    dry_run: Option<String>,

    #[command(flatten)]
    rehearse: RehearseFlag,

    #[command(flatten)]
    sending: SendingFlags,

    #[arg(long, hide = true, value_name = "WHEN")]
    server_side: Option<String>,

    /// End everything at the first failure
    #[arg(long)]
    fail_fast: bool,

    /// Await that Jobs have completed, too
    #[arg(long)]
    wait_for_jobs: bool,

    /// If it fails, delete what it has created
    #[arg(long)]
    cleanup_on_fail: bool,

    /// What the record says about this revision
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,

    /// Revisions to keep; 0 keeps all, and 10 is what HELM_MAX_HISTORY says otherwise
    #[arg(long, value_name = "COUNT")]
    history_max: Option<usize>,

    /// How long an unfinished operation of Helm is taken to go on; 15 minutes if not given
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pending_grace: Option<Duration>,

    #[command(flatten)]
    output: OutputFormatFlag,

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
    arguments.sending.check(arguments.server_side.as_deref())?;
    let dry_run = arguments.is_dry_run()?;
    let mut policy = arguments.running.policy()?;
    policy.wait_for_jobs = arguments.wait_for_jobs;
    let doing = (policy.clone(), settings::history_max(arguments.history_max));
    let desk = Desk::open(context)?;
    if dry_run || arguments.rehearse.rehearse {
        let release = desk.release(name)?;
        let target = target(&release, name, revision)?;
        let prepared = desk.wait(name, release.prepare_rollback(target, &policy))?;
        if arguments.rehearse.rehearse {
            let rehearsal = Rehearsal::begin(&desk, &desk.marks(name), &prepared)?;
            let copy = rehearsal.desk();
            let session = copy.work(name, arguments.pending_grace)?;
            let deployed =
                copy.with(session, |session| arguments.carry_out(copy, session, prepared, &doing, name))?;
            return rehearsal.tell(&deployed, arguments.output.format, context);
        }
        let flags = ViewFlags::of(arguments.output.format);
        return planning::show(&View::new(&prepared.plan, name.clone()), &flags, context);
    }
    let session = desk.work(name, arguments.pending_grace)?;
    let deployed = desk.with(session, |session| {
        let target = target(session.release(), name, revision)?.clone();
        let prepared = desk.wait(name, session.release().prepare_rollback(&target, &policy))?;
        arguments.carry_out(&desk, session, prepared, &doing, name)
    })?;
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &deployed.record)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &deployed.record)?,
        OutputFormat::Table if deployed.outcome.is_success() => {
            writeln!(context.out, "Rollback was a success!")?;
        }
        OutputFormat::Table => {}
    }
    operation::judge(name, &deployed)
}

impl Arguments {
    fn carry_out(
        &self,
        desk: &Desk,
        session: &mut Session,
        prepared: Prepared,
        (policy, history_max): &(Policy, usize),
        name: &str,
    ) -> Result<Deployed, Failure> {
        let options = Options {
            force_conflicts: self.sending.force_conflicts,
            fail_fast: self.fail_fast,
            timeout: policy.timeout,
            ..Options::default()
        };
        let finish = Finish { description: self.description.clone(), history_max: *history_max };
        let mut progress = desk.progress(self.running.progress, name, &prepared.plan, policy.timeout);
        let mut told = |event: engine::Event| progress.hear(&event);
        let deployed = desk.wait(name, session.carry_out(prepared, &options, &finish, &mut told))?;
        if self.cleanup_on_fail && !deployed.outcome.failures.is_empty() {
            report::plain("it failed, and what it has created is deleted");
            let cleaned = desk.wait(name, session.clean_up(&deployed, policy, &options, &mut told))?;
            operation::judge(name, &cleaned)?;
        }
        Ok(deployed)
    }

    fn is_dry_run(&self) -> Result<bool, Failure> {
        match self.dry_run.as_deref() {
            None | Some("none" | "false") => Ok(false),
            Some("client" | "server" | "true") => Ok(true),
            Some(other) => Err(Failure::usage(format!(
                "invalid dry-run value ({other:?}). Must be \"none\", \"server\", or \"client\""
            ))),
        }
    }
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
