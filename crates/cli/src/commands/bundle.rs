//! `slipway bundle`: Bundles, and how they stand.

use api::Bundle;
use clap::{Args, Subcommand};

use super::sets::{apply, describe, list, suspend, why};
use crate::context::Context;
use crate::report::Failure;

/// Apply Bundles, and see how they stand
///
/// A Bundle is a set of objects that belong together. The operator applies them in order, and takes out what is no
/// longer listed, at once or after its delay.
#[derive(Args, Debug)]
#[command(visible_alias = "bdl", subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Create or change Bundles, after everything about them was checked
    ///
    /// Bundles of Smith (smith.atlassian.com/v1) are applied as ours. Nothing is changed unless all that is written can
    /// be applied.
    #[command(after_help = "\
Examples:
  slipway bundle apply -f shop.yaml

  # Only look whether it would work
  slipway bundle apply -f shop.yaml --dry-run

  # From a pipe, and wait until everything is ready
  kustomize build . | slipway bundle apply -f - --wait")]
    Apply(apply::Arguments),
    /// List Bundles
    #[command(
        visible_alias = "ls",
        after_help = "\
Examples:
  slipway bundle list

  # Of every namespace, for a machine
  slipway bundle list -A -o json"
    )]
    List(list::Arguments),
    /// Show everything about a Bundle: conditions, resources, what counts down, errors and events
    #[command(
        override_usage = "slipway bundle describe NAME [flags]",
        after_help = "\
Examples:
  slipway bundle describe shop

  # For a machine
  slipway bundle describe shop -o json"
    )]
    Describe(describe::Arguments),
    /// Tell what a Bundle waits for, why, and what comes next
    #[command(
        override_usage = "slipway bundle why NAME [flags]",
        after_help = "\
Examples:
  slipway bundle why shop"
    )]
    Why(why::Arguments),
    /// Have nothing done with Bundles until they are resumed
    ///
    /// Countdowns go on, and nothing is deleted at their end before the Bundle is resumed.
    #[command(
        override_usage = "slipway bundle suspend NAME... [flags]",
        after_help = "\
Examples:
  slipway bundle suspend shop"
    )]
    Suspend(suspend::Arguments),
    /// Have Bundles looked after again
    #[command(
        override_usage = "slipway bundle resume NAME... [flags]",
        after_help = "\
Examples:
  slipway bundle resume shop"
    )]
    Resume(suspend::Arguments),
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    match &arguments.action {
        Action::Apply(arguments) => apply::run::<Bundle>(arguments, context),
        Action::List(arguments) => list::run::<Bundle>(arguments, context),
        Action::Describe(arguments) => describe::run::<Bundle>(arguments, context),
        Action::Why(arguments) => why::run::<Bundle>(arguments, context),
        Action::Suspend(arguments) => suspend::run::<Bundle>(arguments, true, context),
        Action::Resume(arguments) => suspend::run::<Bundle>(arguments, false, context),
    }
}
