//! `slipway uninstall`: takes a release out, in order.

use std::io::Write as _;

use clap::Args;
use engine::{Engine, Marks, Options};
use release::Session;

use crate::cluster::{self, Cluster};
use crate::context::Context;
use crate::flags::{OperationFlags, OrderFlags};
use crate::operation;
use crate::report::{Failure, needs_at_least, plain};

/// Take releases out, in the reverse of the order they came in
///
/// What goes is what was stored when it came, and nothing that belongs to others. The record stays until all of it is
/// gone or kept by a rule; so an uninstall that was interrupted can simply be run again.
#[derive(Args, Debug)]
#[command(visible_aliases = ["del", "delete", "un"], override_usage = USAGE, after_help = "\
Examples:
  slipway uninstall shop

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

    #[command(flatten)]
    operation: OperationFlags,

    #[command(flatten)]
    order: OrderFlags,
}

const USAGE: &str = "slipway uninstall NAME... [flags]";

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    needs_at_least(1, &arguments.names, USAGE)?;
    let policy = arguments.operation.policy(&arguments.order)?;
    let options = Options { timeout: policy.timeout, ..Options::default() };
    let cluster = Cluster::connect(&context.settings.cluster())?;
    let engine =
        cluster.wait(Engine::connect(cluster.client())).map_err(|error| cluster::unreachable(&error))?;
    let engine = engine.telling(plain);
    for name in &arguments.names {
        let marks = Marks { name: name.clone(), namespace: context.settings.namespace() };
        let (stopper, stop) = operation::stop_on_interrupt(&cluster);
        let holder = operation::holder();
        let session = Session::begin(engine.clone(), marks, &holder, stopper, stop);
        let mut session = cluster.wait(session).map_err(|error| operation::failed(name, &error))?;
        if session.current().is_none() && arguments.ignore_not_found {
            cluster.wait(session.end());
            continue;
        }
        let removed =
            cluster.wait(session.uninstall(&policy, &options, arguments.keep_history, &mut |event| {
                operation::tell(&event);
            }));
        cluster.wait(session.end());
        let removed = removed.map_err(|error| operation::failed(name, &error))?;
        operation::judge(name, &removed)?;
        if !removed.outcome.kept.is_empty() {
            writeln!(context.out, "These objects were kept:")?;
            for (object, why) in &removed.outcome.kept {
                writeln!(context.out, "  {object}: {why}")?;
            }
        }
        writeln!(context.out, "release \"{name}\" uninstalled")?;
    }
    Ok(())
}
