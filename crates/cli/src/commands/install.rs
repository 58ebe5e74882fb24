//! `slipway install` and `slipway upgrade`: deploy a chart as a release.

use std::io::Write as _;
use std::rc::Rc;

use chart::render::Release;
use chart::{RenderOptions, Rendered};
use clap::Args;
use engine::{Engine, Marks, Options};
use kube::Api;
use kube::api::PostParams;
use plan::input::Policy;
use release::{Deployment, Session};

use crate::cluster::{self, Cluster};
use crate::context::Context;
use crate::flags::{ChartSourceFlags, OperationFlags, OrderFlags, PreparationFlags, ValuesFlags};
use crate::go_flags::comma_separated;
use crate::loading;
use crate::operation;
use crate::outside::Outside;
use crate::report::{self, Failure, Origin, needs_at_least, plain};

/// Install a chart
///
/// Everything is planned before anything is sent, and what is meant to be there is stored before it is. With
/// --wait=ordered layers and subcharts wait for each other.
#[derive(Args, Debug)]
#[command(override_usage = INSTALL_USAGE, after_help = "\
Examples:
  # In the order that the chart declares
  slipway install shop ./charts/shop --wait=ordered

  # On the embedded cluster, in a namespace that need not be there
  slipway install shop ./charts/shop --embedded -n shop --create-namespace")]
pub(crate) struct InstallArguments {
    /// Name of the release and the chart
    #[arg(value_name = "NAME CHART", hide = true)]
    positional: Vec<String>,

    #[command(flatten)]
    deploying: Deploying,
}

/// Upgrade a release to a chart
#[derive(Args, Debug)]
#[command(override_usage = UPGRADE_USAGE, after_help = "\
Examples:
  # To another version of the chart, in order
  slipway upgrade shop ./charts/shop --wait=ordered

  # Install it if it is not there
  slipway upgrade --install shop ./charts/shop --embedded --wait=ordered")]
pub(crate) struct UpgradeArguments {
    /// Name of the release and the chart
    #[arg(value_name = "NAME CHART", hide = true)]
    positional: Vec<String>,

    /// Install the release if it is not there
    #[arg(short, long)]
    install: bool,

    #[command(flatten)]
    deploying: Deploying,
}

const INSTALL_USAGE: &str = "slipway install NAME CHART [flags]";
const UPGRADE_USAGE: &str = "slipway upgrade NAME CHART [flags]";

/// What both have in common.
#[derive(Args, Debug)]
struct Deploying {
    /// Make the namespace if it is not there
    #[arg(long)]
    create_namespace: bool,

    /// Take fields over that others own
    #[arg(long)]
    force_conflicts: bool,

    /// Take objects over that belong to others
    #[arg(long)]
    take_ownership: bool,

    /// End everything at the first failure
    #[arg(long)]
    fail_fast: bool,

    /// Revisions to keep; 0 keeps all
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    history_max: usize,

    #[command(flatten)]
    operation: OperationFlags,

    #[command(flatten)]
    order: OrderFlags,

    #[command(flatten)]
    preparation: PreparationFlags,

    #[command(flatten)]
    values: ValuesFlags,

    #[command(flatten)]
    source: ChartSourceFlags,
}

/// What is to be there before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Release,
    Either,
}

pub(crate) fn install(arguments: &InstallArguments, context: &mut Context) -> Result<(), Failure> {
    needs_at_least(2, &arguments.positional, INSTALL_USAGE)?;
    arguments.deploying.run(&arguments.positional, Before::Nothing, context)
}

pub(crate) fn upgrade(arguments: &UpgradeArguments, context: &mut Context) -> Result<(), Failure> {
    needs_at_least(2, &arguments.positional, UPGRADE_USAGE)?;
    let before = if arguments.install { Before::Either } else { Before::Release };
    arguments.deploying.run(&arguments.positional, before, context)
}

impl Deploying {
    fn run(&self, positional: &[String], before: Before, context: &mut Context) -> Result<(), Failure> {
        let [name, reference] = positional else {
            return Err(Failure::usage("a name and a chart are needed, and nothing else"));
        };
        operation::check_name(name)?;
        let policy = Policy { take_ownership: self.take_ownership, ..self.operation.policy(&self.order)? };
        let options = Options {
            force_conflicts: self.force_conflicts,
            fail_fast: self.fail_fast,
            timeout: policy.timeout,
            ..Options::default()
        };
        let path = self.source.locate(reference, context)?;
        let values = self.values.merge(context)?;
        let update = self.preparation.dependency_update.then_some(&self.source);
        let chart = loading::installable(&path, update, context)?;
        let namespace = context.settings.namespace();

        let cluster = Rc::new(Cluster::connect(&context.settings.cluster())?);
        let engine =
            cluster.wait(Engine::connect(cluster.client())).map_err(|error| cluster::unreachable(&error))?;
        let engine = engine.telling(plain);
        if self.create_namespace {
            create_namespace(&cluster, &namespace)?;
        }
        let marks = Marks { name: name.clone(), namespace: namespace.clone() };
        let (stopper, stop) = operation::stop_on_interrupt(&cluster);
        let mut session = cluster
            .wait(Session::begin(engine.clone(), marks, &operation::holder(), stopper, stop))
            .map_err(|error| operation::failed(name, &error))?;
        let outcome = check(&session, name, before).and_then(|()| {
            let release = Release {
                name: name.clone(),
                namespace,
                revision: i64::from(session.next_version()),
                is_upgrade: session.is_upgrade(),
            };
            let environment = Rc::new(Outside {
                cluster: Some(Rc::new((cluster.clone(), engine.served().clone()))),
                ..Outside::default()
            });
            let mut options_of_rendering = RenderOptions {
                release,
                capabilities: cluster::capabilities(engine.served()),
                skip_schema_validation: self.preparation.skip_schema_validation,
                fetch_schema: Some(loading::fetch_schema(context)),
                ..RenderOptions::new(environment)
            };
            let rendered: Rendered =
                chart::render(&chart, &values, &mut options_of_rendering).map_err(|error| {
                    let files = comma_separated(&self.values.values);
                    let origin = Origin { path: &path, chart: &chart, values: &values, files };
                    report::rendering(&error, &error.to_string(), &origin)
                })?;
            rendered.warnings.iter().for_each(|warning| plain(warning));
            let deployment = Deployment {
                chart: &chart,
                values: &values,
                rendered: &rendered,
                policy: &policy,
                options: &options,
                history_max: self.history_max,
            };
            let deployed = cluster.wait(session.deploy(deployment, &mut |event| operation::tell(&event)));
            deployed.map_err(|error| match &error {
                release::ReleaseError::Plan(errors) => report::planning(errors, &rendered),
                error => operation::failed(name, error),
            })
        });
        cluster.wait(session.end());
        let deployed = outcome?;
        operation::show_status(&deployed.record, context)?;
        context.out.flush()?;
        operation::judge(name, &deployed)
    }
}

fn check(session: &Session, name: &str, before: Before) -> Result<(), Failure> {
    match (before, session.current()) {
        (Before::Nothing, Some(_)) if session.is_upgrade() || !session.is_interrupted() => {
            Err(Failure::new("cannot re-use a name that is still in use")
                .hint(format!("'slipway upgrade {name} CHART' changes the release that has it")))
        }
        (Before::Release, None) => {
            Err(Failure::new(format!("{name:?} has no deployed releases")).hint("--install installs it"))
        }
        _ => Ok(()),
    }
}

fn create_namespace(cluster: &Cluster, name: &str) -> Result<(), Failure> {
    let namespaces: Api<k8s_openapi::api::core::v1::Namespace> = Api::all(cluster.client());
    let mut namespace = k8s_openapi::api::core::v1::Namespace::default();
    namespace.metadata.name = Some(name.to_owned());
    namespace.metadata.labels = Some([("name".to_owned(), name.to_owned())].into());
    match cluster.wait(namespaces.create(&PostParams::default(), &namespace)) {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.reason == "AlreadyExists" => Ok(()),
        Err(error) => Err(Failure::new(format!("the namespace {name} cannot be made: {error}"))),
    }
}
