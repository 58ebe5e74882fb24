//! `slipway trash`: what counts down, and what becomes of it.

use std::io::Write as _;

use clap::{Args, Subcommand};
use engine::{Marks, Options};
use objects::ObjectId;
use plan::input::Policy;
use release::{InTrash, Session};
use serde_json::{Value, json};

use super::undelete::choices;
use crate::context::Context;
use crate::flags::{OperationFlags, OrderFlags, OutputFormat, OutputFormatFlag};
use crate::operation::{self, Desk};
use crate::output::{Table, write_json, write_yaml};
use crate::report::{Failure, needs_at_least};

/// Show and change what counts down
///
/// An object with a deletion delay that is no longer wanted is not deleted but stamped, and goes when its delay is
/// over: with the next command that changes its release, or with 'slipway trash sweep'.
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Show what counts down: since when, until when, and of which release
    #[command(
        visible_alias = "ls",
        after_help = "\
Examples:
  slipway trash list

  # Of every namespace, for a machine
  slipway trash list -A -o json"
    )]
    List(ListArguments),
    /// Take objects out of the trash; they belong to nobody until a release has them again
    #[command(override_usage = RESTORE_USAGE, after_help = "\
Examples:
  slipway trash restore shop persistentvolumeclaim/data")]
    Restore(ObjectArguments),
    /// Delete objects in the trash now, and what an uninstalled release could be brought back from
    #[command(override_usage = PURGE_USAGE, after_help = "\
Examples:
  # All that a release has in the trash
  slipway trash purge shop

  # One object
  slipway trash purge shop persistentvolumeclaim/data")]
    Purge(ObjectArguments),
    /// Delete what is due
    #[command(after_help = "\
Examples:
  slipway trash sweep -A")]
    Sweep(SweepArguments),
}

const RESTORE_USAGE: &str = "slipway trash restore RELEASE [KIND/NAME...] [flags]";
const PURGE_USAGE: &str = "slipway trash purge RELEASE [KIND/NAME...] [flags]";

#[derive(Args, Debug)]
struct ListArguments {
    /// Of every namespace
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    #[command(flatten)]
    output: OutputFormatFlag,
}

#[derive(Args, Debug)]
struct ObjectArguments {
    /// Name of the release, and objects
    #[arg(value_name = "RELEASE [KIND/NAME...]", hide = true)]
    positional: Vec<String>,

    #[command(flatten)]
    output: OutputFormatFlag,

    #[command(flatten)]
    operation: OperationFlags,

    #[command(flatten)]
    order: OrderFlags,
}

#[derive(Args, Debug)]
struct SweepArguments {
    /// Of every namespace
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    #[command(flatten)]
    output: OutputFormatFlag,

    #[command(flatten)]
    operation: OperationFlags,

    #[command(flatten)]
    order: OrderFlags,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    match &arguments.action {
        Action::List(arguments) => list(arguments, context),
        Action::Restore(arguments) => restore(arguments, context),
        Action::Purge(arguments) => purge(arguments, context),
        Action::Sweep(arguments) => sweep(arguments, context),
    }
}

fn found(desk: &Desk, everywhere: bool) -> Result<Vec<InTrash>, Failure> {
    let namespace = (!everywhere).then_some(desk.namespace.as_str());
    desk.wait("trash", release::trash(&desk.engine, namespace))
}

fn list(arguments: &ListArguments, context: &mut Context) -> Result<(), Failure> {
    let desk = Desk::open(context)?;
    let found = found(&desk, arguments.all_namespaces)?;
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &found)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &found)?,
        OutputFormat::Table => {
            let mut table = Table::new(80);
            table.row(["RELEASE", "NAMESPACE", "OBJECT", "SINCE", "UNTIL", "RELEASE IS"]);
            for object in &found {
                let moment = |moment: Option<jiff::Timestamp>| {
                    moment.map_or_else(|| "unreadable".to_owned(), |moment| moment.to_string())
                };
                let (since, due) = (moment(object.since), moment(object.due));
                let is = if object.uninstalled { "uninstalled" } else { "there" };
                let name = object.object.to_string();
                table.row([&object.release, &object.namespace, &name, &since, &due, is]);
            }
            writeln!(context.out, "{table}")?;
        }
    }
    Ok(())
}

fn restore(arguments: &ObjectArguments, context: &mut Context) -> Result<(), Failure> {
    needs_at_least(1, &arguments.positional, RESTORE_USAGE)?;
    let (name, objects) = (&arguments.positional[0], choices(&arguments.positional[1..])?);
    let desk = Desk::open(context)?;
    let session = desk.work(name, None)?;
    let restored = desk.with(session, |session| {
        desk.wait(name, session.restore(&objects, &mut |event| operation::tell(&event)))
    })?;
    if arguments.output.format != OutputFormat::Table {
        return print(&json!({"name": name, "restored": restored}), arguments.output, context);
    }
    if restored.is_empty() {
        writeln!(context.out, "{name} has nothing in the trash")?;
    }
    for object in restored {
        writeln!(
            context.out,
            "{object} is out of the trash; it belongs to nobody until a release has it again"
        )?;
    }
    Ok(())
}

fn purge(arguments: &ObjectArguments, context: &mut Context) -> Result<(), Failure> {
    needs_at_least(1, &arguments.positional, PURGE_USAGE)?;
    let (name, objects) = (&arguments.positional[0], choices(&arguments.positional[1..])?);
    let policy = Policy { purge: true, ..arguments.operation.policy(&arguments.order)? };
    let desk = Desk::open(context)?;
    let session = desk.work(name, None)?;
    let deleted = desk.with(session, |session| {
        let deleted = delete(&desk, session, &objects, &policy)?;
        if objects.is_empty() && session.release().current().is_none() {
            desk.wait(name, session.forget_tombstone())?;
        }
        Ok(deleted)
    })?;
    if arguments.output.format != OutputFormat::Table {
        return print(&json!({"name": name, "deleted": deleted}), arguments.output, context);
    }
    writeln!(context.out, "the trash of {name} is purged")?;
    Ok(())
}

fn sweep(arguments: &SweepArguments, context: &mut Context) -> Result<(), Failure> {
    let policy = arguments.operation.policy(&arguments.order)?;
    let desk = Desk::open(context)?;
    let now = jiff::Timestamp::now();
    let found = found(&desk, arguments.all_namespaces)?;
    let mut due: Vec<Marks> = found
        .into_iter()
        .filter(|object| object.due.is_some_and(|due| due <= now))
        .map(|object| Marks::release(object.release, object.namespace))
        .collect();
    due.dedup();
    let mut deleted = Vec::new();
    for marks in &due {
        let session = desk.work_in(marks.clone(), None)?;
        deleted.extend(desk.with(session, |session| delete(&desk, session, &[], &policy))?);
    }
    let namespace = (!arguments.all_namespaces).then_some(desk.namespace.as_str());
    let forgotten = desk.wait("trash", release::sweep_tombstones(&desk.engine, namespace))?;
    if arguments.output.format != OutputFormat::Table {
        let data = json!({"releases": due.len(), "deleted": deleted, "tombstones": forgotten});
        return print(&data, arguments.output, context);
    }
    writeln!(
        context.out,
        "swept the trash of {} releases; {forgotten} can no longer be brought back",
        due.len()
    )?;
    Ok(())
}

fn print(data: &Value, output: OutputFormatFlag, context: &mut Context) -> Result<(), Failure> {
    match output.format {
        OutputFormat::Yaml => Ok(write_yaml(&mut context.out, data)?),
        _ => Ok(write_json(&mut context.out, data)?),
    }
}

/// Deletes, and names what is gone.
fn delete(
    desk: &Desk,
    session: &mut Session,
    objects: &[release::Choice],
    policy: &Policy,
) -> Result<Vec<ObjectId>, Failure> {
    let name = session.release().marks().name.clone();
    let options = Options { timeout: policy.timeout, ..Options::default() };
    let mut told = |event: engine::Event| operation::tell(&event);
    let run = session.sweep(objects, policy, &options, &mut told);
    let swept = desk.wait(&name, run)?;
    operation::judge(&name, &swept)?;
    let objects = swept.plan.objects.into_iter().zip(swept.outcome.gone);
    Ok(objects.filter(|(_, gone)| *gone).map(|(object, _)| object.id).collect())
}
