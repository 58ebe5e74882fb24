//! `slipway catalog`: what service brokers sell, and what was bought, in the style of svcat.
//!
//! A command is in the file that is named after its kind; [`counter`] is the cluster as they see it, [`waiting`] how they
//! follow an object, and [`grid`] and [`details`] how they print.

mod apply;
mod binding;
mod bought;
mod broker;
mod class;
mod counter;
mod deletion;
mod details;
mod grid;
mod instance;
mod marketplace;
mod parameters;
mod plan;
mod scope;
mod sold;
mod sync;
mod undo;
mod waiting;

use clap::{Args, Subcommand};

use crate::context::Context;
use crate::report::Failure;

/// Buy services from brokers, bind to them, and give them back
///
/// A broker sells classes of services, each in plans. An instance is one that was bought; a binding puts credentials for
/// it into a Secret. The operator of this cluster speaks to the brokers; these commands write and read its objects.
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    Marketplace(marketplace::Arguments),
    Provision(instance::CreateArguments),
    Deprovision(instance::DeleteArguments),
    Bind(binding::CreateArguments),
    Unbind(binding::UnbindArguments),
    Undo(undo::Arguments),
    Touch(instance::TouchArguments),
    Sync(sync::Arguments),
    Apply(apply::Arguments),
    #[command(visible_alias = "brokers")]
    Broker(broker::Arguments),
    #[command(visible_alias = "classes")]
    Class(class::Arguments),
    #[command(visible_alias = "plans")]
    Plan(plan::Arguments),
    #[command(visible_alias = "instances")]
    Instance(instance::Arguments),
    #[command(visible_alias = "bindings")]
    Binding(binding::Arguments),
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    match &arguments.action {
        Action::Marketplace(arguments) => marketplace::run(arguments, context),
        Action::Provision(arguments) => instance::create(arguments, context),
        Action::Deprovision(arguments) => instance::delete(arguments, context),
        Action::Bind(arguments) => binding::create(arguments, context),
        Action::Unbind(arguments) => binding::unbind(arguments, context),
        Action::Undo(arguments) => undo::run(arguments, context),
        Action::Touch(arguments) => instance::touch(arguments, context),
        Action::Apply(arguments) => apply::run(arguments, context),
        Action::Sync(arguments) => sync::run(arguments, context),
        Action::Broker(arguments) => broker::run(arguments, context),
        Action::Class(arguments) => class::run(arguments, context),
        Action::Plan(arguments) => plan::run(arguments, context),
        Action::Instance(arguments) => instance::run(arguments, context),
        Action::Binding(arguments) => binding::run(arguments, context),
    }
}
