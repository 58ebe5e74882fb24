//! `slipway deployitem`: DeployItems, and how they stand.

use api::DeployItem;
use clap::{Args, Subcommand};

use super::sets::{apply, describe, list, suspend, why};
use crate::context::Context;
use crate::report::Failure;

/// Apply DeployItems, and see how they stand
///
/// A DeployItem is a chart or a set of manifests, with rules about how it is taken out again. The operator deploys it,
/// as a release or as plain objects.
#[derive(Args, Debug)]
#[command(
    name = "deployitem",
    visible_alias = "di",
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Create or change DeployItems, after everything about them was checked
    ///
    /// DeployItems of the Landscaper (landscaper.gardener.cloud/v1alpha1) are applied as ours. Nothing is changed unless
    /// all that is written can be applied.
    #[command(after_help = "\
Examples:
  slipway deployitem apply -f shop.yaml

  # Only look whether it would work
  slipway deployitem apply -f shop.yaml --dry-run

  # From a pipe, and wait until it is deployed
  envsubst < shop.yaml | slipway deployitem apply -f - --wait")]
    Apply(apply::Arguments),
    /// List DeployItems
    #[command(
        visible_alias = "ls",
        after_help = "\
Examples:
  slipway deployitem list

  # Of every namespace, for a machine
  slipway deployitem list -A -o json"
    )]
    List(list::Arguments),
    /// Show everything about a DeployItem: conditions, objects, what counts down, errors and events
    #[command(
        override_usage = "slipway deployitem describe NAME [flags]",
        after_help = "\
Examples:
  slipway deployitem describe shop

  # For a machine
  slipway deployitem describe shop -o json"
    )]
    Describe(describe::Arguments),
    /// Tell what a DeployItem waits for, why, and what comes next
    #[command(
        override_usage = "slipway deployitem why NAME [flags]",
        after_help = "\
Examples:
  slipway deployitem why shop"
    )]
    Why(why::Arguments),
    /// Have nothing done with DeployItems until they are resumed
    #[command(
        override_usage = "slipway deployitem suspend NAME... [flags]",
        after_help = "\
Examples:
  slipway deployitem suspend shop"
    )]
    Suspend(suspend::Arguments),
    /// Have DeployItems looked after again
    #[command(
        override_usage = "slipway deployitem resume NAME... [flags]",
        after_help = "\
Examples:
  slipway deployitem resume shop"
    )]
    Resume(suspend::Arguments),
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    match &arguments.action {
        Action::Apply(arguments) => apply::run::<DeployItem>(arguments, context),
        Action::List(arguments) => list::run::<DeployItem>(arguments, context),
        Action::Describe(arguments) => describe::run::<DeployItem>(arguments, context),
        Action::Why(arguments) => why::run::<DeployItem>(arguments, context),
        Action::Suspend(arguments) => suspend::run::<DeployItem>(arguments, true, context),
        Action::Resume(arguments) => suspend::run::<DeployItem>(arguments, false, context),
    }
}
