//! `slipway catalog broker`: where services are sold.

use std::io::Write as _;
use std::path::PathBuf;

use base64::Engine as _;
use catalog::kinds::{BrokerStatus, ClusterServiceBroker, READY, ServiceBroker};
use clap::{Args, Subcommand};
use kube::ResourceExt as _;
use kube::api::{DeleteParams, PostParams, Preconditions};
use kube::core::{ApiResource, DynamicObject};
use serde_json::{Value, json};

use super::counter::{Counter, list_of, plain};
use super::details::{counted, fields, full, short};
use super::grid::Grid;
use super::scope::{Scope, ScopeFlag};
use super::waiting::{Seen, Wait, WaitFlags};
use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag};
use crate::output::{write_json, write_yaml};
use crate::report::{self, Failure};

/// Show, register and deregister brokers
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// List brokers
    #[command(
        visible_alias = "ls",
        after_help = "\
Examples:
  slipway catalog broker list"
    )]
    List(ListArguments),
    /// Show a broker
    #[command(after_help = "\
Examples:
  slipway catalog broker describe acme")]
    Describe(NameArguments),
    /// Register a broker: its catalog is read, and what it sells shows up
    #[command(
        visible_alias = "register",
        after_help = "\
Examples:
  # For the whole cluster, with a user name and password from a Secret
  slipway catalog broker create acme --url https://broker.example.org --basic-secret platform/acme --wait

  # For one namespace
  slipway catalog broker register acme --url https://broker.example.org --scope namespace -n shop"
    )]
    Create(CreateArguments),
    /// Deregister a broker: what it sells is taken down
    ///
    /// It goes when nothing is left that was bought from it: who else would take that back?
    #[command(
        visible_alias = "deregister",
        after_help = "\
Examples:
  slipway catalog broker delete acme --wait"
    )]
    Delete(DeleteArguments),
}

#[derive(Args, Debug)]
struct ListArguments {
    #[command(flatten)]
    scope: ScopeFlag,

    #[command(flatten)]
    output: OutputFormatFlag,
}

#[derive(Args, Debug)]
struct NameArguments {
    /// Name of the broker
    name: String,

    #[command(flatten)]
    scope: ScopeFlag,

    #[command(flatten)]
    output: OutputFormatFlag,
}

#[derive(Args, Debug)]
struct DeleteArguments {
    /// Name of the broker
    name: String,

    #[command(flatten)]
    scope: ScopeFlag,

    #[command(flatten)]
    waiting: WaitFlags,
}

#[derive(Args, Debug)]
struct CreateArguments {
    /// Name of the broker
    name: String,

    /// Its address
    #[arg(long, value_name = "URL")]
    url: String,

    /// For the whole cluster, or for the namespace
    #[arg(long, value_name = "SCOPE", default_value = "cluster")]
    scope: Scope,

    /// The Secret with the keys username and password, as NAME or NAMESPACE/NAME
    #[arg(long, value_name = "SECRET")]
    basic_secret: Option<String>,

    /// The Secret with the key token, as NAME or NAMESPACE/NAME
    #[arg(long, value_name = "SECRET")]
    bearer_secret: Option<String>,

    /// Certificate authorities that vouch for it: a file in PEM
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,

    /// Do not check its certificate
    #[arg(long)]
    skip_tls: bool,

    /// When its catalog is read again: duration or manual
    #[arg(long, value_name = "BEHAVIOR")]
    relist_behavior: Option<String>,

    /// How long after the last time
    #[arg(long, value_name = "DURATION")]
    relist_duration: Option<String>,

    /// Which classes show up, such as 'spec.externalName in (database)'
    #[arg(long, value_name = "REQUIREMENT")]
    class_restrictions: Vec<String>,

    /// Which plans show up, such as 'spec.free=true'
    #[arg(long, value_name = "REQUIREMENT")]
    plan_restrictions: Vec<String>,

    #[command(flatten)]
    waiting: WaitFlags,

    #[command(flatten)]
    output: OutputFormatFlag,
}

/// A broker of the cluster or of the namespace.
pub(super) struct Broker {
    pub(super) of_cluster: bool,
    pub(super) object: DynamicObject,
}

impl Broker {
    fn status(&self) -> BrokerStatus {
        status(&self.object)
    }

    fn url(&self) -> &str {
        self.object.data.pointer("/spec/url").and_then(Value::as_str).unwrap_or_default()
    }
}

pub(super) fn status(object: &DynamicObject) -> BrokerStatus {
    let status = object.data.get("status").cloned().unwrap_or_default();
    serde_json::from_value(status).unwrap_or_default()
}

pub(super) fn resource(of_cluster: bool) -> ApiResource {
    if of_cluster {
        ApiResource::erase::<ClusterServiceBroker>(&())
    } else {
        ApiResource::erase::<ServiceBroker>(&())
    }
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    match &arguments.action {
        Action::List(arguments) => list(arguments, context),
        Action::Describe(arguments) => describe(arguments, context),
        Action::Create(arguments) => create(arguments, context),
        Action::Delete(arguments) => delete(arguments, context),
    }
}

/// The broker of that name; of the cluster and the namespace there may be one each.
pub(super) fn find(counter: &Counter, scope: Scope, name: &str) -> Result<Broker, Failure> {
    let mut found = Vec::new();
    for (of_cluster, wanted) in [(true, scope.has_cluster()), (false, scope.has_namespace())] {
        if wanted
            && let Some(object) = counter.find(&counter.dynamic(&resource(of_cluster), of_cluster), name)?
        {
            found.push(Broker { of_cluster, object });
        }
    }
    match (found.pop(), found.pop()) {
        (Some(broker), None) => Ok(broker),
        (None, _) => Err(Failure::new(format!("the broker {name:?} is not there"))
            .hint("'slipway catalog broker list' shows those that are")),
        (Some(_), Some(_)) => Err(Failure::new(format!("there are two brokers {name:?}"))
            .hint("--scope chooses the cluster's or the namespace's")),
    }
}

fn list(arguments: &ListArguments, context: &mut Context) -> Result<(), Failure> {
    let counter = Counter::open(context)?;
    let scope = arguments.scope.scope;
    let mut brokers = Vec::new();
    for (of_cluster, wanted) in [(true, scope.has_cluster()), (false, scope.has_namespace())] {
        if wanted {
            let found = counter.list(&counter.dynamic(&resource(of_cluster), of_cluster))?;
            brokers.extend(found.into_iter().map(|object| Broker { of_cluster, object }));
        }
    }
    let objects = || list_of(&brokers.iter().map(|broker| plain(&broker.object)).collect::<Vec<_>>());
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &objects())?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &objects())?,
        OutputFormat::Table => {
            let mut grid = Grid::new(&["NAME", "NAMESPACE", "URL", "STATUS"]);
            for broker in &brokers {
                let status = short(Some(&broker.status().extension));
                let namespace = broker.object.namespace().unwrap_or_default();
                grid.row([&broker.object.name_any(), &namespace, broker.url(), &status]);
            }
            writeln!(context.out, "{grid}")?;
        }
    }
    Ok(())
}

fn describe(arguments: &NameArguments, context: &mut Context) -> Result<(), Failure> {
    let counter = Counter::open(context)?;
    let broker = find(&counter, arguments.scope.scope, &arguments.name)?;
    show(context, &broker, arguments.output.format)
}

fn show(context: &mut Context, broker: &Broker, format: OutputFormat) -> Result<(), Failure> {
    let status = broker.status();
    match format {
        OutputFormat::Json => write_json(&mut context.out, &plain(&broker.object))?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &plain(&broker.object))?,
        OutputFormat::Table => {
            let read = status.last_catalog_retrieval_time.as_ref();
            let shown = fields(&[
                ("Name", broker.object.name_any()),
                ("Namespace", broker.object.namespace().unwrap_or_default()),
                ("Scope", if broker.of_cluster { "cluster" } else { "namespace" }.to_owned()),
                ("URL", broker.url().to_owned()),
                ("Status", full(Some(&status.extension))),
                ("Catalog", read.map(|_| counted(status.services, status.plans)).unwrap_or_default()),
                (
                    "Read",
                    read.map(|time| time.0.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()).unwrap_or_default(),
                ),
            ]);
            write!(context.out, "{shown}")?;
        }
    }
    Ok(())
}

fn create(arguments: &CreateArguments, context: &mut Context) -> Result<(), Failure> {
    let of_cluster = match arguments.scope {
        Scope::All => return Err(Failure::usage("--scope must be cluster or namespace here")),
        scope => scope == Scope::Cluster,
    };
    let counter = Counter::open(context)?;
    let mut spec = json!({"url": arguments.url});
    if arguments.skip_tls {
        spec["insecureSkipTLSVerify"] = json!(true);
    }
    if let Some(file) = &arguments.ca {
        let pem =
            std::fs::read(file).map_err(|error| Failure::new(format!("--ca {}: {error}", file.display())))?;
        spec["caBundle"] = json!(base64::engine::general_purpose::STANDARD.encode(pem));
    }
    let secret = |text: &str| match text.split_once('/') {
        Some((namespace, name)) if of_cluster => json!({"secretRef": {"namespace": namespace, "name": name}}),
        None if of_cluster => json!({"secretRef": {"namespace": counter.namespace, "name": text}}),
        Some((_, name)) => json!({"secretRef": {"name": name}}),
        None => json!({"secretRef": {"name": text}}),
    };
    match (&arguments.basic_secret, &arguments.bearer_secret) {
        (Some(_), Some(_)) => {
            return Err(Failure::usage("--basic-secret and --bearer-secret cannot be given together"));
        }
        (Some(basic), None) => spec["authInfo"] = json!({"basic": secret(basic)}),
        (None, Some(bearer)) => spec["authInfo"] = json!({"bearer": secret(bearer)}),
        (None, None) => {}
    }
    match arguments.relist_behavior.as_deref() {
        None => {}
        Some("duration") => spec["relistBehavior"] = json!("Duration"),
        Some("manual") => spec["relistBehavior"] = json!("Manual"),
        Some(other) => {
            return Err(Failure::usage(format!(
                "--relist-behavior {other:?} is neither duration nor manual"
            )));
        }
    }
    if let Some(duration) = &arguments.relist_duration {
        crate::go_flags::duration(duration)
            .map_err(|error| Failure::usage(format!("--relist-duration: {error}")))?;
        spec["relistDuration"] = json!(duration);
    }
    if !arguments.class_restrictions.is_empty() || !arguments.plan_restrictions.is_empty() {
        spec["catalogRestrictions"] =
            json!({"serviceClass": arguments.class_restrictions, "servicePlan": arguments.plan_restrictions});
    }
    let resource = resource(of_cluster);
    let api = counter.dynamic(&resource, of_cluster);
    let object = DynamicObject::new(&arguments.name, &resource).data(json!({"spec": spec}));
    let made = counter.wait(&arguments.name, api.create(&PostParams::default(), &object))?;
    let mut broker = Broker { of_cluster, object: made };
    if arguments.waiting.wait {
        report::plain("Waiting for the catalog of the broker to be read...");
        let wait = Wait { name: &arguments.name, timeout: arguments.waiting.timeout };
        let generation = broker.object.metadata.generation;
        let read = wait.follow(&counter, &api, |object: Option<&DynamicObject>| {
            let Some(object) = object else { return Seen::Failed("it was deleted".to_owned(), None) };
            let status = status(object);
            match status.extension.condition(READY) {
                Some(ready) if ready.observed_generation < generation => Seen::Going(String::new()),
                Some(ready) if ready.status == "True" => Seen::Done,
                Some(ready) => Seen::Going(ready.message.clone()),
                None => Seen::Going(String::new()),
            }
        })?;
        broker.object = read.unwrap_or(broker.object);
    }
    show(context, &broker, arguments.output.format)
}

fn delete(arguments: &DeleteArguments, context: &mut Context) -> Result<(), Failure> {
    let counter = Counter::open(context)?;
    let broker = find(&counter, arguments.scope.scope, &arguments.name)?;
    let api = counter.dynamic(&resource(broker.of_cluster), broker.of_cluster);
    let uid = broker.object.uid();
    let preconditions = Preconditions { uid: uid.clone(), resource_version: None };
    let deletion = DeleteParams::default().preconditions(preconditions);
    counter.wait(&arguments.name, api.delete(&arguments.name, &deletion))?;
    if arguments.waiting.wait {
        report::plain("Waiting for the broker to be deleted...");
        let wait = Wait { name: &arguments.name, timeout: arguments.waiting.timeout };
        wait.follow(&counter, &api, |object: Option<&DynamicObject>| match object {
            Some(object) if object.uid() == uid => {
                let status = status(object).extension;
                Seen::Going(status.last_errors.first().map(|it| it.description.clone()).unwrap_or_default())
            }
            _ => Seen::Done,
        })?;
    }
    Ok(writeln!(context.out, "deleted {}", arguments.name)?)
}
