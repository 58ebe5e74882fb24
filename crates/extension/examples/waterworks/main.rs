//! An extension for something outside of the cluster: wells whose water comes through pipes of the waterworks.
//!
//! A Well is a set of objects: a plan, which is a plain ConfigMap; a Pipe, behind which there is one at the waterworks;
//! signs, which another component takes away; and a board in the cluster of the visitors. Pipes have an actuator of their
//! own, which speaks to the waterworks. That service is part of the example: it is started here, on a port of this machine.
//!
//! ```console
//! $ slipway dock serve --write-kubeconfig dock.yaml &
//! $ KUBECONFIG=dock.yaml cargo run -p extension --example waterworks
//! ```

mod pipe;
mod service;
mod well;

use extension::{CancellationToken, Environment, GenericActuator, Reconciler};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Patch, PatchParams};
use kube::{Api, Client, CustomResourceExt};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::try_default().await?;
    let definitions = Api::<CustomResourceDefinition>::all(client.clone());
    for definition in [pipe::Pipe::crd(), well::Well::crd()] {
        let name = definition.metadata.name.clone().unwrap_or_default();
        let params = PatchParams::apply("waterworks").force();
        definitions.patch(&name, &params, &Patch::Apply(definition)).await?;
    }
    let waterworks = service::Waterworks::start("water").await?;
    let environment = Environment::new(client.clone(), "waterworks");
    let stop = CancellationToken::new();
    let pipes = pipe::Pipes::new(waterworks.address(), "water");
    let wells = GenericActuator(well::Wells::new(client));
    tokio::join!(
        Reconciler::new(&environment, pipes).run(stop.clone()),
        Reconciler::new(&environment, wells).run(stop.clone()),
        async {
            // Whoever presses Ctrl-C wants it to end; so does an error about that.
            let _ = tokio::signal::ctrl_c().await;
            stop.cancel();
        }
    );
    Ok(())
}
