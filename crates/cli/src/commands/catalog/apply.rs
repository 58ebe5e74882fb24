//! `slipway catalog apply`: objects of the catalog from files, Service Catalog's too.

use std::io::Write as _;

use catalog::kinds::{self, GROUP};
use clap::Args;
use kube::api::{Patch, PatchParams};
use kube::core::{ApiResource, DynamicObject};
use objects::read_objects;
use serde_json::Value;

use super::counter::Counter;
use crate::commands::ready;
use crate::context::Context;
use crate::report::{self, Failure};

/// Whose fields they are.
const MANAGER: &str = "slipway";

/// Apply brokers, instances and bindings from files
///
/// Those that were written for Service Catalog (servicecatalog.k8s.io/v1beta1) are applied as what takes their place here.
/// All files are read and checked before anything is sent.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  slipway catalog apply -f database.yaml

  # What another cluster's Service Catalog has
  kubectl get serviceinstances,servicebindings -o yaml | slipway catalog apply -f -")]
pub(super) struct Arguments {
    /// File with objects; - is standard input
    #[arg(short = 'f', long = "filename", value_name = "FILE", required = true)]
    files: Vec<String>,
}

pub(super) fn run(arguments: &Arguments, context: &mut Context) -> Result<(), Failure> {
    let mut all = Vec::new();
    for name in &arguments.files {
        let (name, text) = ready::read(name)?;
        let read = read_objects(&text).map_err(|error| Failure::new(format!("{name}: {error}")))?;
        for object in read {
            let read: Value = goyaml::json::from_value(object.object.clone())
                .map_err(|error| Failure::new(format!("{name}: {error}")))?;
            all.push(ours(&name, read)?);
        }
    }
    let counter = Counter::open(context)?;
    for (resource, namespaced, object) in all {
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let mut objects = counter.dynamic(&resource, !namespaced);
        if namespaced && let Some(namespace) = object["metadata"]["namespace"].as_str() {
            objects = kube::Api::namespaced_with(counter.cluster.client(), namespace, &resource);
        }
        let (params, patch) = (PatchParams::apply(MANAGER), Patch::Apply(&object));
        let title = format!("{}/{name}", resource.kind.to_lowercase());
        let _: DynamicObject = counter.wait(&title, objects.patch(&name, &params, &patch))?;
        writeln!(context.out, "{title} applied")?;
    }
    Ok(())
}

/// An object as ours, and of which kind it is.
fn ours(file: &str, read: Value) -> Result<(ApiResource, bool, Value), Failure> {
    let version = read["apiVersion"].as_str().unwrap_or_default().to_owned();
    let wrong = |words: String| Failure::new(format!("{file}: {words}"));
    let mut object = api::mapped(read).map_err(|error| wrong(error.to_string()))?;
    let (kind, name) = (object["kind"].as_str().unwrap_or_default(), object["metadata"]["name"].as_str());
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        return Err(wrong(format!("a {kind} without metadata.name")));
    };
    let definitions = kinds::definitions();
    let known = definitions
        .iter()
        .find(|it| object["apiVersion"] == format!("{GROUP}/v1alpha1") && it.spec.names.kind == kind);
    let Some(known) = known else {
        return Err(wrong(format!("{kind} {name} of {version:?} is nothing of the service catalog"))
            .hint("'slipway install' installs other manifests, 'slipway bundle apply' Bundles"));
    };
    if version == api::service_catalog::API_VERSION {
        report::plain(&format!("{kind} {name} is applied as {GROUP}/v1alpha1"));
    }
    let resource = ApiResource {
        group: GROUP.to_owned(),
        version: "v1alpha1".to_owned(),
        api_version: format!("{GROUP}/v1alpha1"),
        kind: kind.to_owned(),
        plural: known.spec.names.plural.clone(),
    };
    let namespaced = known.spec.scope == "Namespaced";
    // What another server wrote there, this one would refuse.
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for field in
            ["managedFields", "resourceVersion", "uid", "creationTimestamp", "generation", "selfLink"]
        {
            metadata.remove(field);
        }
    }
    Ok((resource, namespaced, object))
}
