//! `slipway catalog undo`: takes a declarative delete back.

use std::io::Write as _;

use catalog::kinds::{ServiceBinding, ServiceInstance};
use clap::Args;
use kube::ResourceExt as _;
use kube::api::{Patch, PatchParams};
use serde_json::json;

use super::bought::{Bought, becomes_ready};
use super::counter::Counter;
use super::waiting::{Wait, WaitFlags};
use crate::context::Context;
use crate::report::{self, Failure};

/// Take back that an instance or binding is given back
///
/// Sets spec.existsExternally to true again. If the broker had refused, it is ready as before, at once. If the broker is at
/// it, its end is waited for; if nobody knows what became of it, that is found out first; what is gone is bought anew.
/// A plain delete cannot be taken back, nor can what has ended in the condition Deleted.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  # After 'slipway catalog deprovision database --declarative' was refused
  slipway catalog undo database --wait

  # A binding
  slipway catalog undo binding/access")]
pub(super) struct Arguments {
    /// The instance, or what is meant as instance/NAME or binding/NAME
    #[arg(value_name = "NAME")]
    name: String,

    #[command(flatten)]
    waiting: WaitFlags,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    match arguments.name.split_once('/') {
        None => undo::<ServiceInstance>(&arguments.name, arguments.waiting, context),
        Some(("instance", name)) => undo::<ServiceInstance>(name, arguments.waiting, context),
        Some(("binding", name)) => undo::<ServiceBinding>(name, arguments.waiting, context),
        Some(_) => Err(Failure::usage(format!(
            "{:?} is neither NAME, instance/NAME nor binding/NAME",
            arguments.name
        ))),
    }
}

fn undo<K: Bought>(name: &str, waiting: WaitFlags, context: &mut Context) -> Result<(), Failure> {
    let counter = Counter::open(context)?;
    let api = counter.api::<K>(false);
    let object = counter.get(&api, K::WORD, name)?;
    if object.meta().deletion_timestamp.is_some() {
        return Err(Failure::new(format!(
            "the {} {name:?} is being deleted, and that cannot be taken back",
            K::WORD
        ))
        .hint(format!("'slipway catalog {} --declarative' can be", K::GIVES_BACK)));
    }
    if object.exists_externally() {
        return Ok(writeln!(context.out, "{name} is not being given back: there is nothing to undo")?);
    }
    let change = json!({"metadata": {"uid": object.uid()}, "spec": {"existsExternally": true}});
    counter.wait(name, api.patch(name, &PatchParams::default(), &Patch::Merge(&change)))?;
    if waiting.wait {
        report::plain(&format!("Waiting for the {} to be ready...", K::WORD));
        Wait { name, timeout: waiting.timeout }.follow(&counter, &api, becomes_ready::<K>)?;
        return Ok(writeln!(context.out, "{name} is ready")?);
    }
    Ok(writeln!(context.out, "{name} is to stay")?)
}
