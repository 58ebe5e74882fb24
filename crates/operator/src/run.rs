//! The whole process, from its start to its end.

use std::io;

use extension::{CancellationToken, Environment};
use tokio::task::JoinSet;
use tokio_util::sync::DropGuard;
use tracing::Instrument as _;

use crate::controllers::Controllers;
use crate::install::{self, InstallError};
use crate::leader::{Elector, LeaderError};
use crate::webhook::{self, WebhookError};
use crate::{Election, Feature, Options, Settings, policies, serve};

/// Why an operator ended by itself.
#[derive(Debug, thiserror::Error)]
pub enum OperatorError {
    /// The address for probes and measurements is not to be had.
    #[error("probes and measurements cannot be answered: {0}")]
    Listen(#[from] io::Error),
    /// What it needs could not be installed.
    #[error("{0}")]
    Install(#[from] InstallError),
    /// The webhook cannot be served.
    #[error("the webhook cannot be served: {0}")]
    Webhook(#[from] WebhookError),
    /// It is not the leader any more.
    #[error(transparent)]
    Leader(#[from] LeaderError),
}

/// Runs an operator until it is told to stop: it is [prepared](prepare()) and then [run](Prepared::run).
pub async fn run(
    environment: Environment,
    options: Options,
    controllers: impl FnOnce(&Environment, &Settings) -> Controllers,
    stop: CancellationToken,
) -> Result<(), OperatorError> {
    prepare(environment, options, controllers).await?.run(stop).await
}

/// An operator whose kinds and policies are installed and whose webhook answers: objects can be made. Probes and the
/// webhook are answered until it is dropped.
#[derive(Debug)]
pub struct Prepared {
    environment: Environment,
    controllers: Controllers,
    election: Option<Election>,
    _beside: DropGuard,
}

/// Installs what is to be installed, and begins to answer probes and the webhook. `controllers` makes the controllers;
/// those of this crate are [`controllers::controllers`](crate::controllers::controllers).
pub async fn prepare(
    environment: Environment,
    options: Options,
    controllers: impl FnOnce(&Environment, &Settings) -> Controllers,
) -> Result<Prepared, OperatorError> {
    let environment = environment.scope(options.scope.clone());
    let client = environment.client.clone();
    let controllers = controllers(&environment, &options.settings);
    if options.install_definitions {
        install::definitions(&client, controllers.definitions()).await?;
    }
    if options.install_policies {
        let declarative = options.settings.features.is_on(Feature::DeclarativeDelete);
        install::objects(&client, &policies::objects(declarative)).await?;
    }
    // What answers from outside goes on until the controllers have ended.
    let beside = CancellationToken::new();
    let ends = beside.clone().drop_guard();
    if let Some(listen) = options.listen {
        let (metrics, health) = (environment.metrics.clone(), environment.health.clone());
        let address = serve::serve(listen, metrics, health, beside.clone()).await?;
        tracing::info!(%address, "probes and measurements are answered");
    }
    if let Some(hook) = &options.webhook {
        webhook::serve(&client, hook, &environment.clock, beside.clone()).await?;
    }
    Ok(Prepared { environment, controllers, election: options.election, _beside: ends })
}

impl Prepared {
    /// Runs the controllers until they are told to stop, as the leader where one is elected.
    pub async fn run(self, stop: CancellationToken) -> Result<(), OperatorError> {
        let Some(election) = self.election else {
            all(self.controllers, stop).await;
            return Ok(());
        };
        let Environment { client, clock, .. } = self.environment;
        let mut elector = Elector::new(client, election, clock);
        if !elector.acquire(&stop).await {
            return Ok(());
        }
        tracing::info!("this process is the leader");
        lead(&mut elector, self.controllers, stop).await
    }
}

/// Runs the controllers for as long as the Lease is ours, and gives it back when all have ended.
async fn lead(
    elector: &mut Elector,
    controllers: Controllers,
    stop: CancellationToken,
) -> Result<(), OperatorError> {
    let step_down = stop.child_token();
    let ended = CancellationToken::new();
    let mut running = tokio::spawn({
        let (step_down, ended) = (step_down.clone(), ended.clone());
        async move {
            all(controllers, step_down).await;
            ended.cancel();
        }
    });
    // The Lease is kept while operations come to their end.
    let kept = elector.keep(&ended).await;
    if kept.is_err() {
        step_down.cancel();
    }
    if let Err(error) = (&mut running).await {
        tracing::error!(%error, "the controllers broke down");
    }
    if kept.is_ok() {
        elector.release().await;
    }
    Ok(kept?)
}

async fn all(controllers: Controllers, stop: CancellationToken) {
    let mut running = JoinSet::new();
    for controller in controllers.into_controllers() {
        let span = tracing::info_span!("controller", name = controller.name());
        running.spawn(controller.run(stop.clone()).instrument(span));
    }
    if running.is_empty() {
        return stop.cancelled().await;
    }
    while let Some(ended) = running.join_next().await {
        if let Err(error) = ended {
            tracing::error!(%error, "a controller broke down");
        }
    }
}
