//! `slipway catalog sync`: has a catalog read now.

use std::io::Write as _;

use clap::{Args, Subcommand};
use extension::status::LastError;
use kube::api::{Patch, PatchParams};
use kube::core::DynamicObject;
use serde_json::json;

use super::broker::{self, status};
use super::counter::Counter;
use super::details::counted;
use super::scope::ScopeFlag;
use super::waiting::{Seen, Wait, WaitFlags};
use crate::context::Context;
use crate::report::{self, Failure};

/// Have the catalog of a broker read now
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Read what a broker sells, now and not when it is time
    #[command(
        visible_alias = "relist",
        after_help = "\
Examples:
  slipway catalog sync broker acme --wait"
    )]
    Broker(BrokerArguments),
}

#[derive(Args, Debug)]
struct BrokerArguments {
    /// Name of the broker
    name: String,

    #[command(flatten)]
    scope: ScopeFlag,

    #[command(flatten)]
    waiting: WaitFlags,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    let Action::Broker(arguments) = &arguments.action;
    let name = &arguments.name;
    let counter = Counter::open(context)?;
    let found = broker::find(&counter, arguments.scope.scope, name)?;
    let api = counter.dynamic(&broker::resource(found.of_cluster), found.of_cluster);
    let asked = found.object.data.pointer("/spec/relistRequests").and_then(serde_json::Value::as_i64);
    let request = asked.unwrap_or_default().wrapping_add(1);
    // With its version: of two who ask at once, none is lost without a word.
    let change = json!({
        "metadata": {"resourceVersion": found.object.metadata.resource_version},
        "spec": {"relistRequests": request},
    });
    counter.wait(name, api.patch(name, &PatchParams::default(), &Patch::Merge(&change)))?;
    writeln!(context.out, "Synchronization requested for broker: {name}")?;
    if arguments.waiting.wait {
        context.out.flush()?;
        report::plain("Waiting for the catalog of the broker to be read...");
        let wait = Wait { name, timeout: arguments.waiting.timeout };
        let read = wait.follow(&counter, &api, |object: Option<&DynamicObject>| {
            let Some(object) = object else { return Seen::Failed("it was deleted".to_owned(), None) };
            let status = status(object);
            if status.served_relist_requests >= request {
                return Seen::Done;
            }
            let error = status.extension.last_errors.first();
            Seen::Going(error.map(|LastError { description, .. }| description.clone()).unwrap_or_default())
        })?;
        let status = read.as_ref().map(status).unwrap_or_default();
        writeln!(context.out, "{}", counted(status.services, status.plans))?;
    }
    Ok(())
}
