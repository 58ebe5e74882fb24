//! `slipway catalog instance`, `provision`, `deprovision` and `touch`: what was bought.

use std::io::Write as _;

use catalog::kinds::{PlanReference, ServiceBinding, ServiceInstance, ServiceInstanceSpec};
use clap::{Args, Subcommand};
use kube::ResourceExt as _;
use kube::api::{ObjectMeta, Patch, PatchParams, PostParams};
use serde_json::json;

use super::bought::{becomes_ready, place};
use super::counter::{Counter, list_of, plain};
use super::deletion::{self, DeletionFlags, confirm};
use super::details::{self, fields, full, part, short};
use super::grid::Grid;
use super::parameters::{ParameterFlags, sources};
use super::scope::ScopeFlag;
use super::sold;
use super::waiting::{Wait, WaitFlags};
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::output::{write_json, write_yaml};
use crate::report::{self, Failure};

/// Show, buy and give back instances
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// List instances
    #[command(
        visible_alias = "ls",
        after_help = "\
Examples:
  slipway catalog instance list

  # Of every namespace, for a machine
  slipway catalog instance list -A -o json"
    )]
    List(ListArguments),
    /// Show an instance, its parameters and its bindings
    #[command(after_help = "\
Examples:
  slipway catalog instance describe database")]
    Describe(DescribeArguments),
    /// Buy an instance: the same as 'slipway catalog provision'
    Create(CreateArguments),
    /// Give an instance back: the same as 'slipway catalog deprovision'
    Delete(DeleteArguments),
}

#[derive(Args, Debug)]
struct ListArguments {
    /// Of every namespace
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    /// Of this class only
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,

    /// Of this plan only
    #[arg(long, value_name = "PLAN")]
    plan: Option<String>,

    #[command(flatten)]
    output: OutputFormatFlag,
}

#[derive(Args, Debug)]
struct DescribeArguments {
    /// Name of the instance
    name: String,

    #[command(flatten)]
    output: OutputFormatFlag,
}

/// Buy an instance of a class
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipway catalog provision database --class database --plan small -p size=3 --wait

  # With parameters that are secret, and an identifier that the broker is to know it by
  slipway catalog provision database --class database --plan small --secret mine[parameters] --external-id db-1")]
pub(super) struct CreateArguments {
    /// Name of the instance
    name: String,

    /// The class, by its name for users
    #[arg(long, value_name = "CLASS")]
    class: String,

    /// The plan, by its name for users; not needed where the class has one only
    #[arg(long, value_name = "PLAN")]
    plan: Option<String>,

    /// The names of class and plan are those of the objects
    #[arg(long)]
    kube_name: bool,

    /// What the broker is to know it by; made up otherwise
    #[arg(long, value_name = "ID")]
    external_id: Option<String>,

    /// Refuse a plain delete until the broker has it no more
    #[arg(long)]
    deletion_protection: bool,

    #[command(flatten)]
    parameters: ParameterFlags,

    #[command(flatten)]
    scope: ScopeFlag,

    #[command(flatten)]
    waiting: WaitFlags,

    #[command(flatten)]
    output: OutputFormatFlag,
}

/// Give an instance back to its broker
///
/// A plain delete cannot be taken back: if the broker refuses, the object hangs until it agrees. With --declarative the
/// object stays as it is until the broker has agreed, and 'slipway catalog undo' takes it back.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipway catalog deprovision database --declarative --wait

  # A broker that is no more: let go of what it had
  slipway catalog deprovision database --abandon")]
pub(super) struct DeleteArguments {
    /// Name of the instance
    name: String,

    #[command(flatten)]
    deletion: DeletionFlags,
}

/// Have an instance updated, although nothing of its spec changes
///
/// The broker is asked for an update by another number in spec.updateRequests: for parameters that are kept in a Secret.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipway catalog touch database --wait")]
pub(super) struct TouchArguments {
    /// Name of the instance
    name: String,

    #[command(flatten)]
    waiting: WaitFlags,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    match &arguments.action {
        Action::List(arguments) => list(arguments, context),
        Action::Describe(arguments) => describe(arguments, context),
        Action::Create(arguments) => create(arguments, context),
        Action::Delete(arguments) => delete(arguments, context),
    }
}

/// The class and the plan that an instance is of, as far as it says so.
fn offer(instance: &ServiceInstance) -> (String, String) {
    let status = instance.status.as_ref();
    let spec = &instance.spec.plan;
    let first = |known: Option<&String>, named: [&Option<String>; 6]| {
        let named = named.into_iter().flatten().next();
        known.or(named).cloned().unwrap_or_default()
    };
    let class = first(
        status.and_then(|status| status.class_name.as_ref()),
        [
            &spec.cluster_service_class_external_name,
            &spec.service_class_external_name,
            &spec.cluster_service_class_external_id,
            &spec.service_class_external_id,
            &spec.cluster_service_class_name,
            &spec.service_class_name,
        ],
    );
    let plan = first(
        status.and_then(|status| status.plan_name.as_ref()),
        [
            &spec.cluster_service_plan_external_name,
            &spec.service_plan_external_name,
            &spec.cluster_service_plan_external_id,
            &spec.service_plan_external_id,
            &spec.cluster_service_plan_name,
            &spec.service_plan_name,
        ],
    );
    (class, plan)
}

fn list(arguments: &ListArguments, context: &mut Context) -> Result<(), Failure> {
    let counter = Counter::open(context)?;
    let mut instances = counter.list(&counter.api::<ServiceInstance>(arguments.all_namespaces))?;
    instances.retain(|instance| {
        let (class, plan) = offer(instance);
        arguments.class.as_ref().is_none_or(|wanted| *wanted == class)
            && arguments.plan.as_ref().is_none_or(|wanted| *wanted == plan)
    });
    let objects = || list_of(&instances.iter().map(plain).collect::<Vec<_>>());
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &objects())?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &objects())?,
        OutputFormat::Table => {
            let mut grid = Grid::new(&["NAME", "NAMESPACE", "CLASS", "PLAN", "STATUS"]);
            for instance in &instances {
                let ((namespace, name), (class, plan)) = (place(instance), offer(instance));
                let status = short(instance.status.as_ref().map(|status| &status.extension));
                grid.row([&name, &namespace, &class, &plan, &status]);
            }
            writeln!(context.out, "{grid}")?;
        }
    }
    Ok(())
}

fn describe(arguments: &DescribeArguments, context: &mut Context) -> Result<(), Failure> {
    let counter = Counter::open(context)?;
    let instance = counter.get(&counter.api::<ServiceInstance>(false), "instance", &arguments.name)?;
    show(context, &instance, arguments.output.format)?;
    if arguments.output.format != OutputFormat::Table {
        return Ok(());
    }
    let bound = bindings_of(&counter, &arguments.name)?;
    let mut grid = Grid::new(&["NAME", "STATUS"]);
    for binding in &bound {
        let status = short(binding.status.as_ref().map(|status| &status.extension));
        grid.row([&binding.name_any(), &status]);
    }
    let table = if bound.is_empty() { String::new() } else { grid.to_string() };
    Ok(write!(context.out, "{}", part("Bindings", &table, "No bindings defined"))?)
}

/// The bindings of an instance.
pub(super) fn bindings_of(counter: &Counter, instance: &str) -> Result<Vec<ServiceBinding>, Failure> {
    let mut bound = counter.list(&counter.api::<ServiceBinding>(false))?;
    bound.retain(|binding| binding.spec.instance_ref.name == instance);
    Ok(bound)
}

fn show(context: &mut Context, instance: &ServiceInstance, format: OutputFormat) -> Result<(), Failure> {
    match format {
        OutputFormat::Json => return Ok(write_json(&mut context.out, &plain(instance))?),
        OutputFormat::Yaml => return Ok(write_yaml(&mut context.out, &plain(instance))?),
        OutputFormat::Table => {}
    }
    let ((namespace, name), (class, plan)) = (place(instance), offer(instance));
    let status = instance.status.clone().unwrap_or_default();
    let shown = fields(&[
        ("Name", name),
        ("Namespace", namespace),
        ("Status", full(Some(&status.extension))),
        ("DashboardURL", status.dashboard_url.unwrap_or_default()),
        ("Class", class),
        ("Plan", plan),
        ("Broker", status.broker.unwrap_or_default()),
        ("External ID", status.backing.external_id.unwrap_or_default()),
        ("Exists Externally", if instance.spec.exists_externally() { "" } else { "false" }.to_owned()),
        ("Changed By", instance.spec.user_info.clone().unwrap_or_default().username),
    ]);
    write!(context.out, "{shown}")?;
    let sources = sources(&instance.spec.parameters_from);
    let parameters = details::parameters(instance.spec.parameters.as_ref(), &sources);
    Ok(write!(context.out, "{}", part("Parameters", &parameters, "No parameters defined"))?)
}

pub(super) fn create(arguments: &CreateArguments, context: &mut Context) -> Result<(), Failure> {
    let (written, kept) = (arguments.parameters.written()?, arguments.parameters.kept()?);
    let counter = Counter::open(context)?;
    let scope = arguments.scope.scope;
    let (classes, plans) = (sold::classes(&counter, scope)?, sold::plans(&counter, scope)?);
    let class = sold::class(&classes, &arguments.class, arguments.kube_name)?;
    let plan = sold::plan(&plans, class, arguments.plan.as_deref(), arguments.kube_name)?;
    let name = if arguments.kube_name {
        (class.name.clone(), plan.name.clone())
    } else {
        (class.what.external_name.clone(), plan.what.external_name.clone())
    };
    let mut reference = PlanReference::default();
    let fields = match (class.of_cluster, arguments.kube_name) {
        (true, false) => (
            &mut reference.cluster_service_class_external_name,
            &mut reference.cluster_service_plan_external_name,
        ),
        (true, true) => (&mut reference.cluster_service_class_name, &mut reference.cluster_service_plan_name),
        (false, false) => {
            (&mut reference.service_class_external_name, &mut reference.service_plan_external_name)
        }
        (false, true) => (&mut reference.service_class_name, &mut reference.service_plan_name),
    };
    (*fields.0, *fields.1) = (Some(name.0), Some(name.1));
    let instance = ServiceInstance {
        metadata: ObjectMeta { name: Some(arguments.name.clone()), ..ObjectMeta::default() },
        spec: ServiceInstanceSpec {
            plan: reference,
            parameters: written,
            parameters_from: kept,
            external_id: arguments.external_id.clone(),
            deletion_protection: arguments.deletion_protection.then_some(true),
            ..ServiceInstanceSpec::default()
        },
        status: None,
    };
    let api = counter.api::<ServiceInstance>(false);
    let mut made = counter.wait(&arguments.name, api.create(&PostParams::default(), &instance))?;
    if arguments.waiting.wait {
        report::plain("Waiting for the instance to be provisioned...");
        let wait = Wait { name: &arguments.name, timeout: arguments.waiting.timeout };
        made = wait.follow(&counter, &api, becomes_ready)?.unwrap_or(made);
    }
    show(context, &made, arguments.output.format)
}

pub(super) fn delete(arguments: &DeleteArguments, context: &mut Context) -> Result<(), Failure> {
    let (name, flags) = (&arguments.name, arguments.deletion);
    flags.check()?;
    let counter = Counter::open(context)?;
    let instance = counter.get(&counter.api::<ServiceInstance>(false), "instance", name)?;
    let bound: Vec<_> = bindings_of(&counter, name)?.iter().map(ServiceBinding::name_any).collect();
    if flags.abandon && !bound.is_empty() {
        // Without the instance nobody could take them back.
        return Err(Failure::new(format!("the instance {name:?} has bindings: {}", bound.join(", ")))
            .hint(format!("'slipway catalog unbind {name} --abandon' lets go of them first")));
    }
    confirm(flags, &format!("the instance {name:?}"))?;
    if !bound.is_empty() {
        report::plain(&format!(
            "The broker is asked when these bindings are gone: {} ('slipway catalog unbind {name}' removes them).",
            bound.join(", ")
        ));
    }
    deletion::give_back(&counter, context, &instance, flags)
}

pub(super) fn touch(arguments: &TouchArguments, context: &mut Context) -> Result<(), Failure> {
    let name = &arguments.name;
    let counter = Counter::open(context)?;
    let api = counter.api::<ServiceInstance>(false);
    let instance = counter.get(&api, "instance", name)?;
    let change = json!({
        "metadata": {"resourceVersion": instance.metadata.resource_version},
        "spec": {"updateRequests": instance.spec.update_requests.wrapping_add(1)},
    });
    counter.wait(name, api.patch(name, &PatchParams::default(), &Patch::Merge(&change)))?;
    if arguments.waiting.wait {
        report::plain("Waiting for the instance to be updated...");
        let wait = Wait { name, timeout: arguments.waiting.timeout };
        wait.follow(&counter, &api, becomes_ready::<ServiceInstance>)?;
    }
    Ok(writeln!(context.out, "touched {name}")?)
}
