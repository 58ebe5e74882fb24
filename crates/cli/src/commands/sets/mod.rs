//! What the commands about Bundles and those about DeployItems have in common: both are sets of objects that the
//! operator looks after, and both tell in their status how that goes.

pub(crate) mod apply;
pub(crate) mod describe;
mod events;
mod kind;
pub(crate) mod list;
mod moments;
pub(crate) mod suspend;
pub(crate) mod why;
mod written;

use kube::Api;

pub(crate) use kind::Kind;

use crate::operation::Desk;
use crate::report::Failure;

/// The sets of one kind in a namespace, or everywhere. A cluster that does not know the kind is told of in words.
fn sets<K: Kind>(desk: &Desk, namespace: Option<&str>) -> Result<Api<K>, Failure> {
    known::<K>(desk)?;
    let client = desk.engine.client().clone();
    Ok(match namespace {
        Some(namespace) => Api::namespaced(client, namespace),
        None => Api::all(client),
    })
}

/// Refuses to go on where nobody has said what such objects are.
fn known<K: Kind>(desk: &Desk) -> Result<(), Failure> {
    let version = format!("{}/{}", K::group(&()), K::version(&()));
    if desk.engine.served().kind(&version, &K::kind(&())).is_some() {
        return Ok(());
    }
    Err(Failure::new(format!("the cluster knows no {}s", K::kind(&())))
        .hint("'slipway operator --install-crds' and the chart of the operator bring them"))
}

/// One set, by its name.
fn get<K: Kind>(desk: &Desk, name: &str) -> Result<K, Failure> {
    let api = sets::<K>(desk, Some(&desk.namespace))?;
    let found = desk.cluster.wait(api.get_opt(name)).map_err(|error| failed::<K>(name, &error))?;
    found.ok_or_else(|| {
        Failure::new(format!("there is no {} {name} in namespace {}", K::kind(&()), desk.namespace))
            .hint(format!("'slipway {} list -A' shows all there are", K::COMMAND))
    })
}

/// What the server said about one set.
fn failed<K: Kind>(name: &str, error: &kube::Error) -> Failure {
    Failure::new(format!("{}/{name}: {}", K::COMMAND, engine::words(error)))
}
