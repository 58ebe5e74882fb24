//! Releases on a real control plane, beside Helm and beside a bare client that writes the same objects.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a report is printed")]

mod chart;
mod figures;
mod floor;
mod layers;
mod tools;

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{DeleteParams, PostParams};
use kube::{Api, Client};
use serde_json::json;

use crate::dock::Peer;
use chart::Chart;
use figures::{FINALIZERS, FLOOR, Figures, LAYERS, SLIPWAY};
use tools::{Operation, Release, Tool};

/// What is measured.
#[derive(Args)]
pub(crate) struct Arguments {
    /// `ConfigMap`s of the release
    #[arg(long, default_value_t = 1000)]
    objects: usize,

    /// Layers of one Deployment each
    #[arg(long, default_value_t = 20)]
    layers: usize,

    /// Rounds of everything; the median counts
    #[arg(long, default_value_t = 3)]
    rounds: usize,

    /// The program to measure; the environment's SLIPWAY otherwise
    #[arg(long, value_name = "FILE")]
    slipway: Option<String>,

    /// Helm 4; the environment's HELM otherwise
    #[arg(long, value_name = "FILE")]
    helm4: Option<String>,

    /// Helm 3; the environment's HELM3 otherwise. Without it, it is left out
    #[arg(long, value_name = "FILE")]
    helm3: Option<String>,

    /// Beside whom: helm4, helm3 (with --disable-openapi-validation), helm3-defaults (one round: it takes minutes), or
    /// nobody
    #[arg(long, value_name = "WHO", value_delimiter = ',', default_value = "helm4,helm3,helm3-defaults")]
    beside: Vec<String>,
}

pub(crate) fn main(arguments: &Arguments) -> io::Result<ExitCode> {
    let tools = arguments.tools();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let peer = Peer::with_controllers()?;
    let client = runtime.block_on(peer.client())?;
    let mut figures = Figures::default();
    for round in 0..arguments.rounds.max(1) {
        eprintln!("round {}", round + 1);
        runtime.block_on(arguments.measure(&client, &tools, &peer, round, &mut figures))?;
    }
    println!(
        "{} ConfigMaps, {} layers of one Deployment, {} objects whose finalizer goes after a second; medians of {} rounds, seconds",
        arguments.objects, arguments.layers, arguments.objects, arguments.rounds
    );
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    figures.print(&names);
    if tools.iter().any(|tool| tool.is_slow) {
        println!("Helm 3 with its defaults: one round");
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn tools(&self) -> Vec<Tool> {
        let chosen =
            |flag: &Option<String>, variable: &str| flag.clone().or_else(|| std::env::var(variable).ok());
        let is_beside = |who: &str| self.beside.iter().any(|beside| beside == who);
        let slipway = chosen(&self.slipway, "SLIPWAY").unwrap_or_else(|| "slipway".to_owned());
        let mut tools = vec![Tool::new("Slipway", &slipway, &[])];
        if is_beside("helm4") {
            let helm4 = chosen(&self.helm4, "HELM").unwrap_or_else(|| "helm".to_owned());
            tools.push(Tool::new("Helm 4", &helm4, &[]));
        }
        if let Some(helm3) = chosen(&self.helm3, "HELM3") {
            if is_beside("helm3") {
                tools.push(Tool::new("Helm 3, unchecked", &helm3, &["--disable-openapi-validation"]));
            }
            if is_beside("helm3-defaults") {
                tools.push(Tool::once("Helm 3", &helm3));
            }
        }
        tools
    }

    async fn measure(
        &self,
        client: &Client,
        tools: &[Tool],
        peer: &Peer,
        round: usize,
        figures: &mut Figures,
    ) -> io::Result<()> {
        let maps = Chart::maps(self.objects)?;
        let held = Chart::held(self.objects)?;
        let layers = Chart::layers(self.layers)?;

        let namespace = namespace(client, &format!("floor-{round}")).await?;
        for (row, time) in floor::maps(client, &namespace, self.objects).await?.into_iter().enumerate() {
            // There is nothing that a bare client could leave out.
            figures.add(if row == 0 { 0 } else { row + 1 }, FLOOR, time);
        }
        figures.add(LAYERS, FLOOR, floor::layers(client, &namespace, self.layers).await?);
        figures.add(FINALIZERS, FLOOR, floor::held(client, &namespace, self.objects).await?);
        remove(client, &namespace).await?;

        for (number, tool) in tools.iter().enumerate() {
            let column = SLIPWAY + number;
            if tool.is_slow && round > 0 {
                continue;
            }
            let namespace = self::namespace(client, &format!("{}-{round}", tool.slug())).await?;
            let release = Release { tool, kubeconfig: peer.kubeconfig(), namespace: &namespace };
            for (row, operation) in [
                Operation::Install { version: 1 },
                Operation::Upgrade { version: 1 },
                Operation::Upgrade { version: 2 },
                Operation::Uninstall,
            ]
            .into_iter()
            .enumerate()
            {
                figures.add_cost(row, column, release.run("maps", &maps, operation, &[])?);
            }
            if number == 0 {
                let watching = layers::watch(client, &namespace, self.layers);
                let cost =
                    release.run("layers", &layers, Operation::Install { version: 1 }, &["--wait=ordered"])?;
                figures.add_cost(LAYERS, column, cost);
                figures.gaps.extend(watching.await?);
            }
            if !tool.is_slow {
                release.run("held", &held, Operation::Install { version: 1 }, &[])?;
                let freeing = floor::free(client, &namespace);
                let cost = release.run("held", &held, Operation::Uninstall, &[])?;
                freeing.abort();
                figures.add_cost(FINALIZERS, column, cost);
            }
            remove(client, &namespace).await?;
        }
        Ok(())
    }
}

async fn namespace(client: &Client, name: &str) -> io::Result<String> {
    let object: Namespace = serde_json::from_value(json!({"metadata": {"name": name}}))?;
    Api::all(client.clone()).create(&PostParams::default(), &object).await.map_err(io::Error::other)?;
    Ok(name.to_owned())
}

/// Removes a namespace, and waits, so that the next one has the server to itself.
async fn remove(client: &Client, name: &str) -> io::Result<()> {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    namespaces.delete(name, &DeleteParams::default()).await.map_err(io::Error::other)?;
    while namespaces.get_opt(name).await.map_err(io::Error::other)?.is_some() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}
