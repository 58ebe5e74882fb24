//! `slipway uninstall`: takes a release out, in order.

use std::io::Write as _;
use std::time::Duration;

use clap::Args;
use engine::Options;
use jiff::Timestamp;
use objects::ObjectId;
use plan::explain::View;
use plan::input::Policy;
use plan::output::StepKind;
use release::{Deployed, Prepared, Removal, Session};
use serde::Serialize;

use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag, RunFlags, ViewFlags};
use crate::go_flags::duration;
use crate::operation::{self, Desk};
use crate::output::{ANSIC, moment, write_json, write_yaml};
use crate::planning;
use crate::rehearsal::{Rehearsal, RehearseFlag};
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

  # Try it on a copy of what is there: would a finalizer hold something?
  slipway uninstall shop --rehearse

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

    #[command(flatten)]
    rehearse: RehearseFlag,

    /// What the record says about it, if it is kept
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,

    #[command(flatten)]
    output: OutputFormatFlag,

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
    for name in &arguments.names {
        if arguments.dry_run || arguments.rehearse.rehearse {
            let release = desk.release(name)?;
            if release.current().is_none() && arguments.ignore_not_found {
                continue;
            }
            let prepared = desk.wait(name, release.prepare_uninstall(&policy))?;
            if arguments.rehearse.rehearse {
                arguments.rehearse(&desk, prepared, &policy, name, context)?;
            } else {
                let flags = ViewFlags::of(arguments.output.format);
                planning::show(&View::new(&prepared.plan, name.clone()), &flags, context)?;
            }
            continue;
        }
        let session = desk.work(name, arguments.pending_grace)?;
        let removed = desk.with(session, |session| {
            if session.release().current().is_none() && arguments.ignore_not_found {
                return Ok(None);
            }
            let prepared = desk.wait(name, session.release().prepare_uninstall(&policy))?;
            arguments.take_out(&desk, session, prepared, &policy, name).map(Some)
        })?;
        let Some(removed) = removed else { continue };
        arguments.tell(name, &removed, context)?;
        context.out.flush()?;
        operation::judge(name, &removed)?;
    }
    Ok(())
}

/// What became of a release, for machines.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Removed<'a> {
    name: &'a str,
    namespace: &'a str,
    revision: u32,
    status: String,
    description: &'a str,
    deleted: Vec<&'a ObjectId>,
    kept: Vec<Kept>,
    failures: Vec<Kept>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undelete_until: Option<Timestamp>,
}

#[derive(Serialize)]
struct Kept {
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<ObjectId>,
    why: String,
}

impl Arguments {
    fn removal(&self) -> Removal {
        Removal {
            keep_history: self.keep_history,
            undelete_window: self.undelete_window.unwrap_or(UNDELETE_WINDOW),
            description: self.description.clone(),
        }
    }

    fn take_out(
        &self,
        desk: &Desk,
        session: &mut Session,
        prepared: Prepared,
        policy: &Policy,
        name: &str,
    ) -> Result<Deployed, Failure> {
        let options = Options { timeout: policy.timeout, ..Options::default() };
        let mut progress = desk.progress(self.running.progress, name, &prepared.plan, policy.timeout);
        let mut told = |event: engine::Event| progress.hear(&event);
        desk.wait(name, session.uninstall(prepared, &options, &self.removal(), &mut told))
    }

    /// Takes it out of a copy, and tells what would happen.
    fn rehearse(
        &self,
        desk: &Desk,
        prepared: Prepared,
        policy: &Policy,
        name: &str,
        context: &mut Context,
    ) -> Result<(), Failure> {
        let rehearsal = Rehearsal::begin(desk, &desk.marks(name), &prepared)?;
        let copy = rehearsal.desk();
        let session = copy.work(name, self.pending_grace)?;
        let removed = copy.with(session, |session| self.take_out(copy, session, prepared, policy, name))?;
        rehearsal.tell(&removed, self.output.format, context)
    }

    /// Until when it can be brought back.
    fn undelete_until(&self, removed: &Deployed) -> Option<Timestamp> {
        let window = self.removal().undelete_window;
        if window.is_zero() || self.keep_history || !removed.outcome.is_success() {
            return None;
        }
        Timestamp::now().checked_add(window).ok()
    }

    fn tell(&self, name: &str, removed: &Deployed, context: &mut Context) -> Result<(), Failure> {
        let until = self.undelete_until(removed);
        let written = Removed {
            name,
            namespace: &removed.record.namespace,
            revision: removed.record.version,
            status: removed.record.info.status.to_string(),
            description: &removed.record.info.description,
            deleted: gone(removed),
            kept: kept(removed).into_iter().map(|(id, why)| Kept { object: Some(id), why }).collect(),
            failures: removed
                .outcome
                .failures
                .iter()
                .map(|(object, why)| Kept { object: object.clone(), why: why.clone() })
                .collect(),
            undelete_until: until,
        };
        match self.output.format {
            OutputFormat::Json => return Ok(write_json(&mut context.out, &written)?),
            OutputFormat::Yaml => return Ok(write_yaml(&mut context.out, &written)?),
            OutputFormat::Table if !removed.outcome.is_success() => return Ok(()),
            OutputFormat::Table => {}
        }
        if !written.kept.is_empty() {
            writeln!(context.out, "These objects were kept:")?;
            for (object, why) in kept(removed) {
                writeln!(context.out, "  {object}: {why}")?;
            }
        }
        writeln!(context.out, "release \"{name}\" uninstalled")?;
        if let Some(until) = until {
            let until = moment(&until.to_string(), ANSIC);
            writeln!(context.out, "'slipway undelete {name}' brings its objects back until {until}")?;
        }
        Ok(())
    }
}

/// What is gone.
fn gone(removed: &Deployed) -> Vec<&ObjectId> {
    let objects = removed.plan.objects.iter().zip(&removed.outcome.gone);
    objects.filter(|(_, gone)| **gone).map(|(object, _)| &object.id).collect()
}

/// What stays, and why.
fn kept(removed: &Deployed) -> Vec<(ObjectId, String)> {
    let plan = &removed.plan;
    let stamped = plan.steps.iter().filter_map(|step| match step.kind {
        StepKind::Stamp { object, due: Some(due) } => {
            Some((plan.object(object).id.clone(), format!("it goes at {due} ('slipway trash list')")))
        }
        _ => None,
    });
    removed.outcome.kept.iter().cloned().chain(stamped).collect()
}
