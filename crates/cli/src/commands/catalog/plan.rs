//! `slipway catalog plan`: in which sizes services are sold.

use std::io::Write as _;

use catalog::kinds::{Offering, PlanOffer};
use clap::{Args, Subcommand};
use serde_json::{Map, Value};

use super::counter::{Counter, list_of};
use super::details::{fields, part};
use super::grid::Grid;
use super::scope::ScopeFlag;
use super::sold::{self, Sold};
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::output::{write_json, write_yaml};
use crate::report::Failure;

/// Show the plans that services are sold in
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// List plans
    #[command(
        visible_alias = "ls",
        after_help = "\
Examples:
  slipway catalog plan list

  # Of one class
  slipway catalog plan list --class database"
    )]
    List(ListArguments),
    /// Show a plan
    #[command(after_help = "\
Examples:
  slipway catalog plan describe database/small")]
    Describe(DescribeArguments),
}

#[derive(Args, Debug)]
struct ListArguments {
    /// Of this class only
    #[arg(long, short, value_name = "CLASS")]
    class: Option<String>,

    /// The name of the class is that of the object
    #[arg(long)]
    kube_name: bool,

    #[command(flatten)]
    scope: ScopeFlag,

    #[command(flatten)]
    output: OutputFormatFlag,
}

#[derive(Args, Debug)]
struct DescribeArguments {
    /// Class and plan, by their names for users
    #[arg(value_name = "CLASS/PLAN")]
    name: String,

    /// The names are those of the objects
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
    let scope = arguments.scope.scope;
    let (classes, mut plans) = (sold::classes(&counter, scope)?, sold::plans(&counter, scope)?);
    if let Some(name) = &arguments.class {
        let class = sold::class(&classes, name, arguments.kube_name)?;
        plans.retain(|plan| plan.of_cluster == class.of_cluster && plan.class == class.name);
    }
    let objects = || list_of(&plans.iter().map(|plan| plan.object.clone()).collect::<Vec<_>>());
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &objects())?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &objects())?,
        OutputFormat::Table => {
            let mut grid = Grid::new(&["NAME", "NAMESPACE", "CLASS", "DESCRIPTION"]);
            for plan in &plans {
                let class = class_name(&classes, plan);
                grid.row([&plan.what.external_name, &plan.namespace, class, &plan.what.description]);
            }
            writeln!(context.out, "{grid}")?;
        }
    }
    Ok(())
}

fn class_name<'a>(classes: &'a [Sold<Offering>], plan: &'a Sold<PlanOffer>) -> &'a str {
    let of = classes.iter().find(|class| class.of_cluster == plan.of_cluster && class.name == plan.class);
    of.map_or(plan.class.as_str(), |class| class.what.external_name.as_str())
}

fn describe(arguments: &DescribeArguments, context: &mut Context) -> Result<(), Failure> {
    let Some((class, plan)) = arguments.name.split_once('/') else {
        return Err(Failure::usage(format!("{:?} is not of the form CLASS/PLAN", arguments.name)));
    };
    let counter = Counter::open(context)?;
    let scope = arguments.scope.scope;
    let (classes, plans) = (sold::classes(&counter, scope)?, sold::plans(&counter, scope)?);
    let class = sold::class(&classes, class, arguments.kube_name)?;
    let plan = sold::plan(&plans, class, Some(plan), arguments.kube_name)?;
    match arguments.output.format {
        OutputFormat::Json => return Ok(write_json(&mut context.out, &plan.object)?),
        OutputFormat::Yaml => return Ok(write_yaml(&mut context.out, &plan.object)?),
        OutputFormat::Table => {}
    }
    let shown = fields(&[
        ("Name", plan.what.external_name.clone()),
        ("Namespace", plan.namespace.clone()),
        ("Description", plan.what.description.clone()),
        ("Kubernetes Name", plan.name.clone()),
        ("Status", if plan.removed { "Deprecated" } else { "Active" }.to_owned()),
        ("Free", plan.what.free.to_string()),
        ("Bindable", plan.what.bindable.unwrap_or(class.what.bindable).to_string()),
        ("Class", class.what.external_name.clone()),
        ("Broker", plan.broker.clone()),
    ]);
    write!(context.out, "{shown}")?;
    for (heading, schema) in [
        ("Instance Create Parameter Schema", &plan.what.instance_create_parameter_schema),
        ("Instance Update Parameter Schema", &plan.what.instance_update_parameter_schema),
        ("Binding Create Parameter Schema", &plan.what.service_binding_create_parameter_schema),
    ] {
        if let Some(schema) = schema {
            write!(context.out, "{}", part(heading, &indented(schema), ""))?;
        }
    }
    Ok(())
}

fn indented(schema: &Map<String, Value>) -> String {
    let text = goyaml::to_string(schema).unwrap_or_default();
    text.lines().flat_map(|line| ["  ", line, "\n"]).collect()
}
