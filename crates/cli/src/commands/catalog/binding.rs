//! `slipway catalog binding`, `bind` and `unbind`: credentials for what was bought.

use std::io::Write as _;

use catalog::kinds::{LocalReference, ServiceBinding, ServiceBindingSpec, ServiceInstance};
use clap::{Args, Subcommand};
use k8s_openapi::api::core::v1::Secret;
use kube::ResourceExt as _;
use kube::api::{ObjectMeta, PostParams};

use super::bought::{becomes_ready, place};
use super::counter::{Counter, list_of, plain};
use super::deletion::{self, DeletionFlags, confirm};
use super::details::{self, fields, full, part, short};
use super::grid::Grid;
use super::instance::bindings_of;
use super::parameters::{ParameterFlags, sources};
use super::waiting::{Wait, WaitFlags};
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::output::{write_json, write_yaml};
use crate::report::{self, Failure};

/// Show, make and give back bindings
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// List bindings
    #[command(
        visible_alias = "ls",
        after_help = "\
Examples:
  slipway catalog binding list -A"
    )]
    List(ListArguments),
    /// Show a binding and its Secret
    #[command(after_help = "\
Examples:
  slipway catalog binding describe access

  # With what is in the Secret
  slipway catalog binding describe access --show-secrets")]
    Describe(DescribeArguments),
    /// Bind to an instance: the same as 'slipway catalog bind'
    Create(CreateArguments),
    /// Give a binding back
    #[command(after_help = "\
Examples:
  slipway catalog binding delete access --wait")]
    Delete(DeleteArguments),
}

#[derive(Args, Debug)]
struct ListArguments {
    /// Of every namespace
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    #[command(flatten)]
    output: OutputFormatFlag,
}

#[derive(Args, Debug)]
struct DescribeArguments {
    /// Name of the binding
    name: String,

    /// Show what is in the Secret
    #[arg(long)]
    show_secrets: bool,

    #[command(flatten)]
    output: OutputFormatFlag,
}

/// Bind to an instance: its credentials are put into a Secret
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipway catalog bind database --wait

  # With names of one's own
  slipway catalog bind database --name access --secret-name database-credentials -p role=reader")]
pub(super) struct CreateArguments {
    /// Name of the instance
    instance: String,

    /// Name of the binding; the instance's if it is not given
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Name of the Secret; the binding's if it is not given
    #[arg(long, value_name = "NAME")]
    secret_name: Option<String>,

    /// What the broker is to know it by; made up otherwise
    #[arg(long, value_name = "ID")]
    external_id: Option<String>,

    #[command(flatten)]
    parameters: ParameterFlags,

    #[command(flatten)]
    waiting: WaitFlags,

    #[command(flatten)]
    output: OutputFormatFlag,
}

/// Give the bindings of an instance back, or one of them
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  # All bindings of an instance
  slipway catalog unbind database --wait

  # One of them, so that it can be taken back if the broker refuses
  slipway catalog unbind --name access --declarative")]
pub(super) struct UnbindArguments {
    /// Name of the instance, whose bindings are all given back
    instance: Option<String>,

    /// Name of the one binding to give back
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    #[command(flatten)]
    deletion: DeletionFlags,
}

#[derive(Args, Debug)]
struct DeleteArguments {
    /// Name of the binding
    name: String,

    #[command(flatten)]
    deletion: DeletionFlags,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    match &arguments.action {
        Action::List(arguments) => list(arguments, context),
        Action::Describe(arguments) => describe(arguments, context),
        Action::Create(arguments) => create(arguments, context),
        Action::Delete(arguments) => {
            let counter = Counter::open(context)?;
            let found = one(&counter, &arguments.name)?;
            give_back(&counter, context, &[found], arguments.deletion)
        }
    }
}

fn one(counter: &Counter, name: &str) -> Result<ServiceBinding, Failure> {
    counter.get(&counter.api::<ServiceBinding>(false), "binding", name)
}

fn list(arguments: &ListArguments, context: &mut Context) -> Result<(), Failure> {
    let counter = Counter::open(context)?;
    let bindings = counter.list(&counter.api::<ServiceBinding>(arguments.all_namespaces))?;
    let objects = || list_of(&bindings.iter().map(plain).collect::<Vec<_>>());
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &objects())?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &objects())?,
        OutputFormat::Table => {
            let mut grid = Grid::new(&["NAME", "NAMESPACE", "INSTANCE", "STATUS"]);
            for binding in &bindings {
                let (namespace, name) = place(binding);
                let status = short(binding.status.as_ref().map(|status| &status.extension));
                grid.row([&name, &namespace, &binding.spec.instance_ref.name, &status]);
            }
            writeln!(context.out, "{grid}")?;
        }
    }
    Ok(())
}

fn describe(arguments: &DescribeArguments, context: &mut Context) -> Result<(), Failure> {
    let counter = Counter::open(context)?;
    let binding = one(&counter, &arguments.name)?;
    show(context, &binding, arguments.output.format)?;
    if arguments.output.format != OutputFormat::Table {
        return Ok(());
    }
    let name = binding.secret_name();
    let secrets = counter.api::<Secret>(false);
    let data = counter.find(&secrets, name)?.and_then(|secret| secret.data);
    let keys: Vec<_> = data
        .into_iter()
        .flatten()
        .map(|(key, value)| {
            let shown = if arguments.show_secrets {
                String::from_utf8_lossy(&value.0).into_owned()
            } else {
                format!("{} bytes", value.0.len())
            };
            (key, shown)
        })
        .collect();
    let pairs: Vec<_> = keys.iter().map(|(key, shown)| (key.as_str(), shown.clone())).collect();
    Ok(write!(context.out, "{}", part("Secret Data", &fields(&pairs), "Secret not found"))?)
}

fn show(context: &mut Context, binding: &ServiceBinding, format: OutputFormat) -> Result<(), Failure> {
    match format {
        OutputFormat::Json => return Ok(write_json(&mut context.out, &plain(binding))?),
        OutputFormat::Yaml => return Ok(write_yaml(&mut context.out, &plain(binding))?),
        OutputFormat::Table => {}
    }
    let (namespace, name) = place(binding);
    let status = binding.status.clone().unwrap_or_default();
    let shown = fields(&[
        ("Name", name),
        ("Namespace", namespace),
        ("Status", full(Some(&status.extension))),
        ("Secret", binding.secret_name().to_owned()),
        ("Instance", binding.spec.instance_ref.name.clone()),
        ("External ID", status.backing.external_id.unwrap_or_default()),
        ("Exists Externally", if binding.spec.exists_externally() { "" } else { "false" }.to_owned()),
        ("Changed By", binding.spec.user_info.clone().unwrap_or_default().username),
    ]);
    write!(context.out, "{shown}")?;
    let sources = sources(&binding.spec.parameters_from);
    let parameters = details::parameters(binding.spec.parameters.as_ref(), &sources);
    Ok(write!(context.out, "{}", part("Parameters", &parameters, "No parameters defined"))?)
}

pub(super) fn create(arguments: &CreateArguments, context: &mut Context) -> Result<(), Failure> {
    let (written, kept) = (arguments.parameters.written()?, arguments.parameters.kept()?);
    let counter = Counter::open(context)?;
    counter.get(&counter.api::<ServiceInstance>(false), "instance", &arguments.instance)?;
    let name = arguments.name.as_ref().unwrap_or(&arguments.instance);
    let binding = ServiceBinding {
        metadata: ObjectMeta { name: Some(name.clone()), ..ObjectMeta::default() },
        spec: ServiceBindingSpec {
            instance_ref: LocalReference { name: arguments.instance.clone() },
            parameters: written,
            parameters_from: kept,
            secret_name: arguments.secret_name.clone(),
            external_id: arguments.external_id.clone(),
            ..ServiceBindingSpec::default()
        },
        status: None,
    };
    let api = counter.api::<ServiceBinding>(false);
    let mut made = counter.wait(name, api.create(&PostParams::default(), &binding))?;
    if arguments.waiting.wait {
        report::plain("Waiting for the binding to be injected...");
        let wait = Wait { name, timeout: arguments.waiting.timeout };
        made = wait.follow(&counter, &api, becomes_ready)?.unwrap_or(made);
    }
    show(context, &made, arguments.output.format)
}

pub(super) fn unbind(arguments: &UnbindArguments, context: &mut Context) -> Result<(), Failure> {
    let counter = Counter::open(context)?;
    let bound = match (&arguments.name, &arguments.instance) {
        (Some(name), Some(instance)) => {
            let found = one(&counter, name)?;
            if found.spec.instance_ref.name != *instance {
                return Err(Failure::new(format!(
                    "the binding {name:?} is of another instance: {}",
                    found.spec.instance_ref.name
                )));
            }
            vec![found]
        }
        (Some(name), None) => vec![one(&counter, name)?],
        (None, Some(instance)) => {
            let bound = bindings_of(&counter, instance)?;
            if bound.is_empty() {
                return Err(Failure::new(format!("the instance {instance:?} has no bindings")));
            }
            bound
        }
        (None, None) => {
            return Err(Failure::usage("either an instance or --name says which bindings are meant"));
        }
    };
    give_back(&counter, context, &bound, arguments.deletion)
}

/// Gives bindings back, all of them although one is refused, and tells the first refusal.
fn give_back(
    counter: &Counter,
    context: &mut Context,
    bound: &[ServiceBinding],
    flags: DeletionFlags,
) -> Result<(), Failure> {
    flags.check()?;
    let names: Vec<_> = bound.iter().map(ServiceBinding::name_any).collect();
    confirm(flags, &format!("the binding {}", names.join(", ")))?;
    let mut first = Ok(());
    for binding in bound {
        let given = deletion::give_back(counter, context, binding, flags);
        if first.is_ok() {
            first = given;
        } else if let Err(failure) = given {
            report::plain(failure.message());
        }
    }
    first
}
