//! `--rehearse`: an operation on a copy of what it is about, in this process, while the cluster is only read.
//!
//! 1. [`reading`] asks the cluster for what the plan names: the objects with their identities and versions, what is
//!    stored about the release, namespaces, definitions, what the objects own, and all that is in a namespace or of a kind
//!    that would go.
//! 2. That [copy](struct@Copy) becomes an embedded cluster in memory, whose webhooks are never asked, and whose time is that of a
//!    runtime that is paused: nobody waits for a time-out that is only rehearsed.
//! 3. The plan that would be run on the cluster is run there, by the same code, while [`finalizers`] does what those
//!    would do who look after the objects.
//! 4. What happened is told as a [`Report`].

mod ask;
mod copy;
mod finalizers;
mod reading;
mod report;

use std::rc::Rc;
use std::sync::Arc;

use clap::Args;
use dock::Dock;
use dock::clock::Clock;
use engine::{Engine, Marks};
use k8s_openapi::api::coordination::v1::Lease;
use kube::{Api, Client};
use plan::Plan;
use release::{Deployed, Prepared};
use serde_json::Value;

use crate::cluster::{self, Cluster};
use crate::context::Context;
use crate::flags::OutputFormat;
use crate::operation::{Desk, Heard};
use crate::report::Failure;
use copy::Copy;
use finalizers::Custodians;
use report::Report;

/// Whether an operation is only rehearsed.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct RehearseFlag {
    /// Try it on a copy of the live objects, in memory, and tell what would happen; the cluster is only read
    #[arg(long)]
    pub(crate) rehearse: bool,
}

/// A copy of what an operation is about, on which it can be run.
pub(crate) struct Rehearsal {
    desk: Desk,
    dock: Dock,
    copy: Copy,
    custodians: Arc<Custodians>,
    heard: Heard,
    /// Who holds the lock of the release in the cluster.
    holder: Option<String>,
}

impl Rehearsal {
    /// Copies what an operation is about.
    pub(crate) fn begin(desk: &Desk, marks: &Marks, prepared: &Prepared) -> Result<Self, Failure> {
        let Prepared { plan, documents, .. } = prepared;
        let copy = desk.cluster.wait(reading::read(&desk.engine, marks, plan, documents))?;
        let custodians = desk.cluster.wait(Custodians::find(desk.engine.client(), &copy));
        let custodians = Arc::new(custodians);
        let holder = desk.cluster.wait(holder(desk.engine.client(), marks));

        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build()?;
        let (dock, client) = runtime.block_on(async {
            let started = Dock::builder().store(copy.store()).clock(Clock::of_runtime()).webhooks(false);
            let dock = started.start().await;
            dock.settle().await;
            let client = Client::new(dock.clone(), "default");
            (dock, client)
        });
        runtime.spawn(custodians.clone().work(dock.clone()));
        let heard = runtime.block_on(async { Heard::new() });
        let cluster = Rc::new(Cluster::on(runtime, client));
        let engine = cluster.wait(Engine::connect(cluster.client()));
        let engine = engine.map_err(|error| cluster::unreachable(&error))?;
        refuse_unknown_kinds(&desk.engine, &engine, plan, documents)?;
        let desk = Desk { cluster, engine, namespace: marks.namespace.clone(), heard: Some(heard.clone()) };
        Ok(Self { desk, dock, copy, custodians, heard, holder })
    }

    /// Where it is run.
    pub(crate) fn desk(&self) -> &Desk {
        &self.desk
    }

    /// Tells what would happen. It fails if the operation would.
    pub(crate) fn tell(
        &self,
        deployed: &Deployed,
        format: OutputFormat,
        context: &mut Context,
    ) -> Result<(), Failure> {
        let report = Report::new(self, deployed);
        report.print(format, context)?;
        report.judge()
    }
}

/// Who is at work on the release.
async fn holder(client: &Client, marks: &Marks) -> Option<String> {
    let leases: Api<Lease> = Api::namespaced(client.clone(), &marks.namespace);
    let lease = leases.get_opt(&format!("slipway.{}", marks.name)).await.ok()??;
    lease.spec?.holder_identity.filter(|holder| !holder.is_empty())
}

/// Objects of an API that another server adds to the cluster cannot be had in a copy.
fn refuse_unknown_kinds(
    world: &Engine,
    copy: &Engine,
    plan: &Plan,
    documents: &[Value],
) -> Result<(), Failure> {
    let items = documents.iter().flat_map(|document| match document["items"].as_array() {
        Some(items) => items.iter().collect(),
        None => vec![document],
    });
    let defined: Vec<(&str, &str)> = items
        .filter(|item| item["kind"] == "CustomResourceDefinition")
        .filter_map(|item| Some((item["spec"]["group"].as_str()?, item["spec"]["names"]["kind"].as_str()?)))
        .collect();
    let unknown = plan.objects.iter().map(|object| &object.id).filter(|id| {
        world.served().kind_of(id).is_some()
            && copy.served().kind_of(id).is_none()
            && !defined.contains(&(id.group.as_str(), id.kind.as_str()))
    });
    let unknown: Vec<String> = unknown.map(ToString::to_string).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "it cannot be rehearsed: nothing but the cluster itself knows the kind of {}",
        unknown.join(", ")
    ))
    .hint("--dry-run shows the plan without running it"))
}
