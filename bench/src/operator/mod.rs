//! The operator with many Bundles on the dock: how long they take, how many requests, how much memory, and what it costs
//! when nothing happens.
#![expect(clippy::print_stdout, reason = "a report is printed")]

mod counts;
mod process;

use std::collections::{BTreeMap, HashSet};
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use dock::Dock;
use futures_core::Stream as _;
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::ApiResource;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use counts::Counts;
use process::Operator;

/// What an operator that keeps a list of what it has must send: the finalizer, the list, each object, the status.
const FLOOR_BESIDE_OBJECTS: usize = 3;

/// What whoever leads sends for that.
const LEADING: &str = "PUT leases";

/// So many Bundles are written at once.
const AT_ONCE: usize = 16;

/// What is measured.
#[derive(Args)]
pub(crate) struct Arguments {
    /// How many Bundles there are
    #[arg(long, default_value_t = 5000)]
    bundles: usize,

    /// How many objects each has
    #[arg(long, default_value_t = 4)]
    objects: usize,

    /// How many Bundles there are in a namespace
    #[arg(long, default_value_t = 100)]
    per_namespace: usize,

    /// For how many seconds nothing happens
    #[arg(long, default_value_t = 30)]
    idle: u64,

    /// The program to measure; the environment's SLIPWAY otherwise
    #[arg(long, value_name = "FILE")]
    slipway: Option<String>,
}

pub(crate) fn main(arguments: &Arguments) -> io::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(arguments.measure())?;
    Ok(ExitCode::SUCCESS)
}

/// A dock with an operator at work in it.
struct Yard {
    client: Client,
    counts: Counts,
    operator: Operator,
    /// The operator's files.
    _home: Home,
    _serving: dock::Serving,
}

/// A directory that goes with this.
struct Home(std::path::PathBuf);

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Yard {
    /// Waits until what the operator wrote itself has come back to it, and nothing was asked for a while: how long that
    /// took. Whoever never rests is measured all the same.
    async fn settle(&self) -> Duration {
        const QUIET: Duration = Duration::from_secs(3);
        let begin = Instant::now();
        loop {
            tokio::time::sleep(QUIET).await;
            let is_quiet = self.counts.take().keys().all(|what| what == LEADING);
            if is_quiet || begin.elapsed() > Duration::from_mins(1) {
                return begin.elapsed().saturating_sub(QUIET);
            }
        }
    }
}

impl Arguments {
    async fn measure(&self) -> io::Result<()> {
        let yard = self.yard().await?;
        let floor = self.objects + FLOOR_BESIDE_OBJECTS;
        println!(
            "{} Bundles of {} objects on the dock, {} in a namespace\n",
            self.bundles, self.objects, self.per_namespace
        );
        println!("memory of the operator before: {:.1} MiB", yard.operator.memory()?);

        let begin = Instant::now();
        self.for_each(&yard.client, Work::Apply("first")).await?;
        let written = begin.elapsed();
        self.until_ready(&yard.client, 1).await?;
        self.tell("create", begin, Some(written), &yard, floor)?;
        println!("memory of the operator: {:.1} MiB", yard.operator.memory()?);

        let settled = yard.settle().await;
        let before = yard.operator.processor()?;
        tokio::time::sleep(Duration::from_secs(self.idle)).await;
        let used = yard.operator.processor()?.saturating_sub(before);
        let share = used.as_secs_f64() / Duration::from_secs(self.idle).as_secs_f64() * 100.0;
        let asked = yard.counts.take();
        println!(
            "\nidle for {} s, {:.0} s after the last was ready: {share:.2} % of a processor, requests beside watches: {}",
            self.idle,
            settled.as_secs_f64(),
            words(&asked)
        );

        let begin = Instant::now();
        self.for_each(&yard.client, Work::Apply("second")).await?;
        let written = begin.elapsed();
        self.until_ready(&yard.client, 2).await?;
        self.tell("change one object of each", begin, Some(written), &yard, 4)?;

        let begin = Instant::now();
        self.for_each(&yard.client, Work::Delete).await?;
        let written = begin.elapsed();
        self.until_gone(&yard.client).await?;
        self.tell("delete", begin, Some(written), &yard, self.objects + 2)?;
        println!("memory of the operator after: {:.1} MiB", yard.operator.memory()?);
        Ok(())
    }

    fn tell(
        &self,
        what: &str,
        begin: Instant,
        written: Option<Duration>,
        yard: &Yard,
        floor: usize,
    ) -> io::Result<()> {
        let took = begin.elapsed();
        let asked = yard.counts.take();
        let all: u64 = asked.values().sum();
        let per = |count: u64| count as f64 / self.bundles as f64;
        println!(
            "\n{what}: all {:.1} s, of which writing the Bundles took {:.1} s; {:.0} Bundles a second",
            took.as_secs_f64(),
            written.unwrap_or_default().as_secs_f64(),
            self.bundles as f64 / took.as_secs_f64()
        );
        println!("  requests for a Bundle: {:.2}, of at least {floor}", per(all));
        for (what, count) in asked.iter().filter(|(_, count)| per(**count) >= 0.005) {
            println!("    {:6.2}  {what}", per(*count));
        }
        println!("  processor of the operator so far: {:.1} s", yard.operator.processor()?.as_secs_f64());
        Ok(())
    }

    async fn yard(&self) -> io::Result<Yard> {
        let dock = Dock::builder().start().await;
        let counts = Counts::default();
        dock.faults().add({
            let counts = counts.clone();
            move |line, call| {
                counts.add(line, call);
                None
            }
        });
        let serving = dock.serve(0).await.map_err(io::Error::other)?;
        let home = Home(std::env::temp_dir().join(format!("slipway-bench-operator-{}", std::process::id())));
        std::fs::create_dir_all(&home.0)?;
        std::fs::write(home.0.join("config"), serving.kubeconfig(None))?;
        let client = Client::new(dock, "default");
        let namespaces: Api<Namespace> = Api::all(client.clone());
        for number in 0..self.bundles.div_ceil(self.per_namespace) {
            let made = serde_json::from_value(json!({"metadata": {"name": format!("team-{number}")}}));
            let made: Namespace = made.map_err(io::Error::other)?;
            namespaces.create(&PostParams::default(), &made).await.map_err(io::Error::other)?;
        }
        let slipway = self.slipway.clone().or_else(|| std::env::var("SLIPWAY").ok());
        let slipway =
            slipway.ok_or_else(|| io::Error::other("SLIPWAY or --slipway names the program to measure"))?;
        let operator = Operator::start(&slipway, &home.0)?;
        // The definitions come with it.
        let bundles: Api<DynamicObject> = Api::all_with(client.clone(), &kind());
        let begin = Instant::now();
        while bundles.list(&ListParams::default()).await.is_err() {
            if begin.elapsed() > Duration::from_secs(30) {
                let log = std::fs::read_to_string(home.0.join("operator.log")).unwrap_or_default();
                return Err(io::Error::other(format!("the operator does not begin: {log}")));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        counts.take();
        Ok(Yard { client, counts, operator, _home: home, _serving: serving })
    }

    fn namespace(&self, bundle: usize) -> String {
        format!("team-{}", bundle / self.per_namespace)
    }

    /// Does something with every Bundle, some at once.
    async fn for_each(&self, client: &Client, work: Work) -> io::Result<()> {
        let mut running: JoinSet<kube::Result<()>> = JoinSet::new();
        for bundle in 0..self.bundles {
            let api: Api<DynamicObject> =
                Api::namespaced_with(client.clone(), &self.namespace(bundle), &kind());
            let (name, objects) = (format!("bundle-{bundle}"), self.objects);
            running.spawn(async move {
                match work {
                    Work::Apply(value) => {
                        let body = bundle_of(&name, objects, value);
                        api.patch(&name, &PatchParams::apply("bench").force(), &Patch::Apply(&body))
                            .await
                            .map(drop)
                    }
                    Work::Delete => api.delete(&name, &DeleteParams::default()).await.map(drop),
                }
            });
            if running.len() >= AT_ONCE
                && let Some(done) = running.join_next().await
            {
                done.map_err(io::Error::other)?.map_err(io::Error::other)?;
            }
        }
        while let Some(done) = running.join_next().await {
            done.map_err(io::Error::other)?.map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// Waits until all Bundles are ready in this generation.
    async fn until_ready(&self, client: &Client, generation: i64) -> io::Result<()> {
        let is_ready = |bundle: &DynamicObject| {
            let status = &bundle.data["status"];
            let conditions = status["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
            bundle.metadata.generation == Some(generation)
                && status["observedGeneration"] == generation
                && conditions.iter().any(|it| it["type"] == "Ready" && it["status"] == "True")
        };
        self.until(client, |ready, bundle, is_there| {
            if is_there && is_ready(bundle) {
                ready.insert(bundle.name_any());
            }
            ready.len() == self.bundles
        })
        .await
    }

    /// Waits until there are no Bundles.
    async fn until_gone(&self, client: &Client) -> io::Result<()> {
        let api: Api<DynamicObject> = Api::all_with(client.clone(), &kind());
        while !api.list(&ListParams::default().limit(1)).await.map_err(io::Error::other)?.items.is_empty() {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        Ok(())
    }

    async fn until(
        &self,
        client: &Client,
        mut is_over: impl FnMut(&mut HashSet<String>, &DynamicObject, bool) -> bool,
    ) -> io::Result<()> {
        let api: Api<DynamicObject> = Api::all_with(client.clone(), &kind());
        let mut events = pin!(watcher(api, watcher::Config::default()));
        let mut known = HashSet::new();
        let begin = Instant::now();
        while let Some(event) = poll_fn(|context| events.as_mut().poll_next(context)).await {
            let over = match event.map_err(io::Error::other)? {
                Event::Apply(bundle) | Event::InitApply(bundle) => is_over(&mut known, &bundle, true),
                Event::Delete(bundle) => is_over(&mut known, &bundle, false),
                Event::Init | Event::InitDone => false,
            };
            if over {
                return Ok(());
            }
            if begin.elapsed() > Duration::from_mins(20) {
                return Err(io::Error::other(format!(
                    "{} of {} after 20 minutes",
                    known.len(),
                    self.bundles
                )));
            }
        }
        Err(io::Error::other("the watch ended"))
    }
}

/// What is done with a Bundle.
#[derive(Clone, Copy)]
enum Work {
    Apply(&'static str),
    Delete,
}

fn kind() -> ApiResource {
    ApiResource {
        group: "slipway.dev".to_owned(),
        version: "v1alpha1".to_owned(),
        api_version: "slipway.dev/v1alpha1".to_owned(),
        kind: "Bundle".to_owned(),
        plural: "bundles".to_owned(),
    }
}

/// A Bundle whose first object has a value.
fn bundle_of(name: &str, objects: usize, value: &str) -> Value {
    let resource = |number: usize| {
        let data = if number == 0 { value } else { "same" };
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": format!("{name}-{number}")}, "data": {"value": data},
        });
        json!({"name": format!("object-{number}"), "spec": {"object": object}})
    };
    let resources: Vec<Value> = (0..objects).map(resource).collect();
    json!({
        "apiVersion": "slipway.dev/v1alpha1", "kind": "Bundle",
        "metadata": {"name": name}, "spec": {"resources": resources},
    })
}

fn words(asked: &BTreeMap<String, u64>) -> String {
    let told: Vec<String> = asked.iter().map(|(what, count)| format!("{count} {what}")).collect();
    if told.is_empty() { "none".to_owned() } else { told.join(", ") }
}
