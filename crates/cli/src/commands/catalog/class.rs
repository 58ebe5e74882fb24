//! `slipway catalog class`: the services that brokers sell.

use std::io::Write as _;

use clap::{Args, Subcommand};

use super::counter::{Counter, list_of};
use super::details::{fields, part};
use super::grid::Grid;
use super::scope::ScopeFlag;
use super::sold::{self, of_class};
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::output::{write_json, write_yaml};
use crate::report::Failure;

/// Show the classes of services that are sold
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// List classes
    #[command(
        visible_alias = "ls",
        after_help = "\
Examples:
  slipway catalog class list"
    )]
    List(ListArguments),
    /// Show a class and its plans
    #[command(after_help = "\
Examples:
  slipway catalog class describe database")]
    Describe(DescribeArguments),
}

#[derive(Args, Debug)]
struct ListArguments {
    #[command(flatten)]
    scope: ScopeFlag,

    #[command(flatten)]
    output: OutputFormatFlag,
}

#[derive(Args, Debug)]
struct DescribeArguments {
    /// The class, by its name for users
    name: String,

    /// The name is that of the object
    #[arg(long)]
    kube_name: bool,

    #[command(flatten)]
    scope: ScopeFlag,

    #[command(flatten)]
    output: OutputFormatFlag,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    match &arguments.action {
        Action::List(arguments) => list(arguments, context),
        Action::Describe(arguments) => describe(arguments, context),
    }
}

fn list(arguments: &ListArguments, context: &mut Context) -> Result<(), Failure> {
    let counter = Counter::open(context)?;
    let classes = sold::classes(&counter, arguments.scope.scope)?;
    let objects = || list_of(&classes.iter().map(|class| class.object.clone()).collect::<Vec<_>>());
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &objects())?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &objects())?,
        OutputFormat::Table => {
            let mut grid = Grid::new(&["NAME", "NAMESPACE", "DESCRIPTION"]);
            for class in &classes {
                grid.row([&class.what.external_name, &class.namespace, &class.what.description]);
            }
            writeln!(context.out, "{grid}")?;
        }
    }
    Ok(())
}

fn describe(arguments: &DescribeArguments, context: &mut Context) -> Result<(), Failure> {
    let counter = Counter::open(context)?;
    let classes = sold::classes(&counter, arguments.scope.scope)?;
    let class = sold::class(&classes, &arguments.name, arguments.kube_name)?;
    match arguments.output.format {
        OutputFormat::Json => return Ok(write_json(&mut context.out, &class.object)?),
        OutputFormat::Yaml => return Ok(write_yaml(&mut context.out, &class.object)?),
        OutputFormat::Table => {}
    }
    let status = if class.removed { "Deprecated" } else { "Active" };
    let shown = fields(&[
        ("Name", class.what.external_name.clone()),
        ("Namespace", class.namespace.clone()),
        ("Scope", if class.of_cluster { "cluster" } else { "namespace" }.to_owned()),
        ("Description", class.what.description.clone()),
        ("Kubernetes Name", class.name.clone()),
        ("Status", status.to_owned()),
        ("Tags", class.what.tags.join(", ")),
        ("Broker", class.broker.clone()),
        ("Bindable", class.what.bindable.to_string()),
    ]);
    write!(context.out, "{shown}")?;
    let plans = sold::plans(&counter, arguments.scope.scope)?;
    let mut grid = Grid::new(&["NAME", "DESCRIPTION"]);
    for plan in of_class(&plans, class) {
        grid.row([&plan.what.external_name, &plan.what.description]);
    }
    Ok(write!(context.out, "{}", part("Plans", &grid.to_string(), "No plans defined"))?)
}
