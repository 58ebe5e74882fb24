//! Installs a chart in the order that it declares: `cargo run -p release --example install -- NAME CHART`.
#![allow(clippy::print_stdout, reason = "an example tells what it does")]

use std::rc::Rc;

use chart::RenderOptions;
use engine::{Engine, Marks, Options, Stop};
use gotmpl::functions::Offline;
use plan::input::{Policy, WaitStrategy};
use release::{Deployment, Finish, PENDING_GRACE, Session, Worker};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let (Some(name), Some(path)) = (words.next(), words.next()) else { return Err("NAME CHART".into()) };
    let (marks, values) = (Marks::release(name.clone(), "default"), goyaml::Mapping::new());
    let chart = chart::load(path.as_ref())?.chart;
    let release = chart::render::Release { name, ..chart::render::Release::default() };
    let mut rendering = RenderOptions { release, ..RenderOptions::new(Rc::new(Offline::default())) };
    let rendered = chart::render(&chart, &values, &mut rendering)?;

    let engine = Engine::connect(kube::Client::try_default().await?).await?;
    let (stopper, stop) = Stop::new();
    let worker = Worker { holder: "an example".into(), pending_grace: PENDING_GRACE, stopper, stop };
    let mut session = Session::begin(engine, marks, worker).await?;
    let policy = Policy::waiting(WaitStrategy::Ordered);
    let deployment =
        Deployment { chart: &chart, values: &values, rendered: &rendered, policy: &policy, labels: &[] };
    let prepared = session.release().prepare_deployment(&deployment).await?;
    let mut tell = |event| println!("{event:?}");
    let done = session.carry_out(prepared, &Options::default(), &Finish::default(), &mut tell).await?;
    session.end().await;
    println!("{} is {}", done.record.name, done.record.info.status);
    Ok(())
}
