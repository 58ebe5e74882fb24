//! `slipway test`: runs the tests of a release.

use std::io::Write as _;

use clap::Args;
use engine::Options;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::LogParams;

use crate::context::Context;
use crate::flags::{OutputFormat, OutputFormatFlag, RunFlags};
use crate::operation::{self, Beside, Desk};
use crate::output::{write_json, write_yaml};
use crate::report::Failure;

/// Run the tests of a release
///
/// Tests are the hooks of the moment 'test', as the chart that is deployed has them.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipway test shop

  # Only some of them, with what they said
  slipway test shop --filter name=smoke --logs")]
pub(crate) struct Arguments {
    /// Name of the release
    name: String,

    /// Run tests by name: name=test1,name=test2, or !name=test3 to leave one out
    #[arg(long, value_name = "FILTER")]
    filter: Vec<String>,

    /// Show the logs of the tests
    #[arg(long)]
    logs: bool,

    #[command(flatten)]
    output: OutputFormatFlag,

    #[command(flatten)]
    running: RunFlags,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    let name = &arguments.name;
    let (only, never) = filters(&arguments.filter)?;
    let runs = |test: &str| {
        let named = |names: &[String]| names.iter().any(|known| known == test);
        (only.is_empty() || named(&only)) && !named(&never)
    };
    let policy = arguments.running.policy()?;
    let desk = Desk::open(context)?;
    let session = desk.work(name, None)?;
    let tested = desk.with(session, |session| {
        let prepared = desk.wait(name, session.release().prepare_tests(&policy, runs))?;
        let options = Options { timeout: policy.timeout, ..Options::default() };
        let mut progress = desk.progress(arguments.running.progress, name, &prepared.plan, policy.timeout);
        desk.wait(name, session.test(prepared, &options, &mut |event| progress.hear(&event)))
    })?;
    match arguments.output.format {
        OutputFormat::Json => write_json(&mut context.out, &tested.record)?,
        OutputFormat::Yaml => write_yaml(&mut context.out, &tested.record)?,
        OutputFormat::Table => operation::show_standing(&tested.record, Beside::default(), context)?,
    }
    if arguments.logs && arguments.output.format == OutputFormat::Table {
        for hook in tested.plan.hooks.iter().filter(|hook| hook.id.kind == "Pod") {
            let namespace = hook.id.namespace.as_deref().unwrap_or(&desk.namespace);
            let pods: Api<Pod> = Api::namespaced(desk.cluster.client(), namespace);
            writeln!(context.out, "\nPOD LOGS: {}", hook.id.name)?;
            match desk.cluster.wait(pods.logs(&hook.id.name, &LogParams::default())) {
                Ok(log) => writeln!(context.out, "{log}")?,
                Err(error) => writeln!(context.out, "unable to get pod logs: {}", engine::words(&error))?,
            }
        }
    }
    context.out.flush()?;
    operation::judge(name, &tested)
}

fn filters(filters: &[String]) -> Result<(Vec<String>, Vec<String>), Failure> {
    let (mut only, mut never) = (Vec::new(), Vec::new());
    for filter in crate::go_flags::comma_separated(filters) {
        match (filter.strip_prefix("!name="), filter.strip_prefix("name=")) {
            (Some(name), _) => never.push(name.to_owned()),
            (None, Some(name)) => only.push(name.to_owned()),
            (None, None) => {
                return Err(Failure::usage(format!("invalid filter {filter:?}"))
                    .hint("a filter is name=TEST, or !name=TEST to leave it out"));
            }
        }
    }
    Ok((only, never))
}
