//! Releases on a real control plane, beside Helm and beside a bare client that writes the same objects.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a report is printed")]

mod chart;
mod floor;
mod layers;
mod tools;

use std::collections::BTreeMap;
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

    /// Only the floor and Slipway
    #[arg(long)]
    alone: bool,
}

/// Figures by what was done and by whom.
#[derive(Default)]
pub(crate) struct Figures {
    times: BTreeMap<(usize, usize), Vec<Duration>>,
    peak: BTreeMap<usize, u64>,
    gaps: Vec<Duration>,
}

const FLOOR: usize = 0;
const SLIPWAY: usize = 1;
const ROWS: [&str; 6] = ["install", "no-op upgrade", "changing upgrade", "uninstall", "layers", "finalizers"];
const LAYERS: usize = 4;
const FINALIZERS: usize = 5;
/// Helm 3 with its defaults takes minutes: it gets a tenth of the objects, and its times are multiplied.
const PART: usize = 10;

impl Figures {
    fn add(&mut self, row: usize, column: usize, time: Duration) {
        self.times.entry((row, column)).or_default().push(time);
    }

    fn median(&self, row: usize, column: usize) -> Option<Duration> {
        let mut times = self.times.get(&(row, column))?.clone();
        times.sort_unstable();
        times.get(times.len() / 2).copied()
    }
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
    arguments.print(&tools, &figures);
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn tools(&self) -> Vec<Tool> {
        let chosen =
            |flag: &Option<String>, variable: &str| flag.clone().or_else(|| std::env::var(variable).ok());
        let slipway = chosen(&self.slipway, "SLIPWAY").unwrap_or_else(|| "slipway".to_owned());
        let mut tools = vec![Tool::new("Slipway", &slipway, &[], 1)];
        if self.alone {
            return tools;
        }
        let helm4 = chosen(&self.helm4, "HELM").unwrap_or_else(|| "helm".to_owned());
        tools.push(Tool::new("Helm 4", &helm4, &[], 1));
        if let Some(helm3) = chosen(&self.helm3, "HELM3") {
            tools.push(Tool::new("Helm 3, unchecked", &helm3, &["--disable-openapi-validation"], 1));
            tools.push(Tool::new("Helm 3", &helm3, &[], PART));
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
            if tool.part > 1 && round > 0 {
                continue;
            }
            let namespace = self::namespace(client, &format!("{}-{round}", tool.slug())).await?;
            let release = Release { tool, kubeconfig: peer.kubeconfig(), namespace: &namespace };
            let part = if tool.part > 1 { Chart::maps(self.objects / tool.part)? } else { maps.clone() };
            for (row, operation) in [
                Operation::Install { version: 1 },
                Operation::Upgrade { version: 1 },
                Operation::Upgrade { version: 2 },
                Operation::Uninstall,
            ]
            .into_iter()
            .enumerate()
            {
                let cost = release.run("maps", &part, operation, &[])?;
                figures.add(row, column, cost.wall * tool.part as u32);
                let peak = figures.peak.entry(column).or_default();
                *peak = (*peak).max(cost.peak);
            }
            if number == 0 {
                let watching = layers::watch(client, &namespace, self.layers);
                let cost =
                    release.run("layers", &layers, Operation::Install { version: 1 }, &["--wait=ordered"])?;
                figures.add(LAYERS, column, cost.wall);
                figures.gaps.extend(watching.await?);
            }
            if tool.part == 1 {
                release.run("held", &held, Operation::Install { version: 1 }, &[])?;
                let freeing = floor::free(client, &namespace);
                let cost = release.run("held", &held, Operation::Uninstall, &[])?;
                freeing.abort();
                figures.add(FINALIZERS, column, cost.wall);
            }
            remove(client, &namespace).await?;
        }
        Ok(())
    }

    fn print(&self, tools: &[Tool], figures: &Figures) {
        println!(
            "{} ConfigMaps, {} layers of one Deployment, {} objects whose finalizer goes after a second; medians of {} rounds, seconds",
            self.objects, self.layers, self.objects, self.rounds
        );
        print!("{:<20}{:>10}", "", "floor");
        for tool in tools {
            print!("{:>19}", tool.name);
        }
        println!("{:>12}{:>12}", "to floor", "to Helm 4");
        for (row, title) in ROWS.iter().enumerate() {
            print!("{title:<20}");
            let seconds = |time: Option<Duration>| {
                time.map_or_else(|| "–".to_owned(), |time| format!("{:.2}", time.as_secs_f64()))
            };
            print!("{:>10}", seconds(figures.median(row, FLOOR)));
            for column in 0..tools.len() {
                print!("{:>19}", seconds(figures.median(row, SLIPWAY + column)));
            }
            let ours = figures.median(row, SLIPWAY).map(|time| time.as_secs_f64());
            let ratio = |other: Option<Duration>, turned: bool| {
                let ratio = ours.zip(other).map(|(ours, other)| ours / other.as_secs_f64());
                ratio.map_or_else(
                    || "–".to_owned(),
                    |ratio| format!("{:.2}×", if turned { 1.0 / ratio } else { ratio }),
                )
            };
            // A no-op is measured against what installing costs.
            let floor = if row == 1 { 0 } else { row };
            println!(
                "{:>12}{:>12}",
                ratio(figures.median(floor, FLOOR), false),
                ratio(figures.median(row, SLIPWAY + 1).filter(|_| tools.len() > 1), true)
            );
        }
        print!("{:<20}{:>10}", "peak memory, MiB", "");
        for column in 0..tools.len() {
            let peak = figures.peak.get(&(SLIPWAY + column)).copied().unwrap_or_default();
            print!("{:>19.1}", peak as f64 / 1024.0);
        }
        println!();
        let mut gaps = figures.gaps.clone();
        gaps.sort_unstable();
        if let Some(median) = gaps.get(gaps.len() / 2) {
            println!(
                "from a ready Deployment to the next one on the server: {:.1} ms in the median of {}",
                median.as_secs_f64() * 1000.0,
                gaps.len()
            );
        }
        if tools.iter().any(|tool| tool.part > 1) {
            println!(
                "Helm 3 with its defaults: one round of {} objects, its times multiplied by {PART}",
                self.objects / PART
            );
        }
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
