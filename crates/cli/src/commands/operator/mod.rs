//! `slipway operator`: Slipway inside of a cluster.

mod flags;

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use extension::{CancellationToken, Environment};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use operator::{OperatorError, Options};

use crate::cluster::{Choice, Cluster};
use crate::commands::dock::{Serve, Served};
use crate::context::Context;
use crate::network::{interrupted, wait_on_all_processors};
use crate::report::Failure;
use flags::Flags;

/// Run the operator, which looks after Bundles, DeployItems and the service catalog
///
/// It runs until it is interrupted: nothing new is begun then, and what is under way gets time to end. With --embedded
/// it also serves the embedded cluster, with its kinds and policies installed, so that kubectl can be pointed at it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  # On a cluster at hand, with its kinds installed first
  slipway operator --install-crds

  # With a cluster of its own, for kubectl in another terminal
  slipway operator --embedded --write-kubeconfig dock.yaml
  kubectl --kubeconfig dock.yaml get bundles

  # One of several that share the work
  slipway operator --watch-namespaces team-a,team-b --lease-name slipway-operator-ab")]
pub(crate) struct Arguments {
    #[command(flatten)]
    flags: Flags,

    /// With --embedded: write a kubeconfig for clients to this file
    #[arg(long, value_name = "FILE")]
    write_kubeconfig: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    let tracing = arguments.flags.begin_logs()?;
    let namespace = context.settings.namespace();
    match context.settings.cluster() {
        Choice::Embedded(directory) => {
            let options = arguments.flags.embedded(&namespace)?;
            let running = arguments.run_embedded(directory, options, context);
            wait_on_all_processors(tracing.during(running))?
        }
        choice @ Choice::Kubeconfig(_) => {
            if arguments.write_kubeconfig.is_some() {
                return Err(Failure::usage(
                    "--write-kubeconfig is for --embedded: another cluster has its own",
                ));
            }
            let options = arguments.flags.options(&namespace)?;
            let cluster = Cluster::connect(&choice)?;
            cluster.wait(tracing.during(until_interrupted(cluster.client(), options, || Ok(()))))
        }
    }
}

impl Arguments {
    async fn run_embedded(
        &self,
        directory: PathBuf,
        options: Options,
        context: &mut Context,
    ) -> Result<(), Failure> {
        let serve = Serve::of(directory, self.write_kubeconfig.clone());
        let served = serve.start().await?;
        let client = client_of(&served).await?;
        // Whoever reads the address or the kubeconfig finds the kinds and policies there, and is noted by the webhook.
        let announce = || {
            if self.write_kubeconfig.is_some() {
                return serve.announce(&served, context);
            }
            writeln!(context.out, "Serving on {}", served.serving.url())?;
            Ok(context.out.flush()?)
        };
        until_interrupted(client, options, announce).await
    }
}

async fn client_of(served: &Served) -> Result<Client, Failure> {
    // Somebody else in this process may have chosen the same.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let wrong = |error: &dyn std::error::Error| Failure::new(engine::with_causes(error));
    let kubeconfig = Kubeconfig::from_yaml(&served.serving.kubeconfig(Some(&served.token)))
        .map_err(|error| wrong(&error))?;
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    Client::try_from(config.map_err(|error| wrong(&error))?).map_err(|error| wrong(&error))
}

/// Prepares an operator, tells of it, and runs it.
async fn until_interrupted(
    client: Client,
    options: Options,
    prepared: impl FnOnce() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let environment = Environment::new(client, "slipway-operator");
    let preparing = operator::prepare(environment, options, operator::controllers::controllers);
    let operator = tokio::select! {
        operator = preparing => operator.map_err(|error| told(&error))?,
        interrupted = interrupted() => return Ok(interrupted?),
    };
    prepared()?;
    let stop = CancellationToken::new();
    let running = operator.run(stop.clone());
    tokio::pin!(running);
    let ended = tokio::select! {
        ended = &mut running => ended,
        interrupted = interrupted() => {
            interrupted?;
            stop.cancel();
            running.await
        }
    };
    ended.map_err(|error| told(&error))
}

fn told(error: &OperatorError) -> Failure {
    let failure = Failure::new(engine::with_causes(error));
    match error {
        OperatorError::Listen(_) => failure.hint("--listen names another address, or none with --listen ''"),
        OperatorError::Leader(_) => failure.hint("another process goes on; this one can be started again"),
        _ => failure,
    }
}
