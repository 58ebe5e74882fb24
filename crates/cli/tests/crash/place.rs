//! A namespace, a gate to it, and the binary.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::path::PathBuf;
use std::process::Stdio;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use kube::api::ListParams;
use kube::{Api, Client, Resource, ResourceExt};
use plan::input::{Entry, Inventory};
use release::{Inventories, Record, Storage, Tombstones};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use support::{Cluster, Gate, Namespace};
use tempfile::TempDir;
use tokio::process::Command;

use crate::chart::{self, Version};

pub(crate) type Result<T = ()> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Where one release lives.
pub(crate) struct Place {
    pub(crate) gate: Gate,
    client: Client,
    name: String,
    namespace: Option<Namespace>,
    home: TempDir,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Killed,
    /// It was done before the gate closed.
    ByItself,
}

impl Place {
    pub(crate) async fn new(cluster: &Cluster) -> Result<Self> {
        let namespace = cluster.namespace().await?;
        let name = namespace.name().to_owned();
        Self { namespace: Some(namespace), ..Self::at(cluster, name).await? }.ready()
    }

    /// Another way to the same namespace.
    pub(crate) async fn beside(cluster: &Cluster, other: &Self) -> Result<Self> {
        Self::at(cluster, other.name.clone()).await?.ready()
    }

    async fn at(cluster: &Cluster, name: String) -> Result<Self> {
        let gate = Gate::open(cluster.client()).await?;
        Ok(Self { gate, client: cluster.client(), name, namespace: None, home: tempfile::tempdir()? })
    }

    fn ready(self) -> Result<Self> {
        chart::write(&self.home.path().join("shop"))?;
        std::fs::write(self.home.path().join("config"), self.gate.kubeconfig())?;
        Ok(self)
    }

    pub(crate) async fn remove(self) -> Result {
        if let Some(namespace) = self.namespace {
            namespace.remove().await?;
        }
        Ok(())
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }

    /// A file of this place.
    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.home.path().join(file)
    }

    fn deploy(&self, words: &[&str], version: Version) -> Vec<String> {
        let chart = self.home.path().join("shop").display().to_string();
        let number = if version == Version::First { "1" } else { "2" };
        let mut all: Vec<String> = words.iter().map(ToString::to_string).collect();
        all.extend(["shop".to_owned(), chart, "--wait=ordered".to_owned()]);
        all.extend(["--set-string".to_owned(), format!("version={number}")]);
        all
    }

    pub(crate) fn install(&self, version: Version) -> Vec<String> {
        self.deploy(&["install"], version)
    }

    pub(crate) fn upgrade(&self, version: Version) -> Vec<String> {
        self.deploy(&["upgrade"], version)
    }

    /// Makes the chart so large that nothing of it fits into one Secret.
    pub(crate) fn enlarge(&self) -> std::io::Result<()> {
        chart::enlarge(&self.home.path().join("shop"))
    }

    pub(crate) fn large(&self, word: &str, version: Version) -> Vec<String> {
        let mut all = self.deploy(&[word], version);
        all.extend(["--set".to_owned(), format!("large={}", chart::LARGE)]);
        all
    }

    /// The objects of a kind.
    pub(crate) fn api<K>(&self) -> Api<K>
    where
        K: Resource<Scope = NamespaceResourceScope>,
        K::DynamicType: Default,
    {
        Api::namespaced(self.client.clone(), &self.name)
    }

    /// The binary, with nothing of the user's.
    pub(crate) fn command(&self, arguments: &[String]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_slipway"));
        command.args(arguments).args(["-n", &self.name, "--kubeconfig"]).arg(self.home.path().join("config"));
        command.env_clear().env("HOME", self.home.path()).env("PATH", "/usr/bin:/bin").kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Runs a command to its end: its exit code, and what it told.
    pub(crate) async fn run(&self, arguments: &[String]) -> Result<(i32, String)> {
        let output = self.command(arguments).stderr(Stdio::piped()).output().await?;
        Ok((output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned()))
    }

    pub(crate) async fn succeed(&self, arguments: &[String]) -> Result {
        let (code, told) = self.run(arguments).await?;
        if code == 0 { Ok(()) } else { Err(format!("{arguments:?}: {told}").into()) }
    }

    /// Runs a command until the gate closes, and kills it then.
    pub(crate) async fn kill_at_gate(&self, arguments: &[String]) -> Result<Ended> {
        let mut running = self.command(arguments).spawn()?;
        tokio::select! {
            () = self.gate.closed() => {
                running.kill().await?;
                Ok(Ended::Killed)
            }
            status = running.wait() => {
                assert!(status?.success(), "{arguments:?} failed although nothing stood in its way");
                Ok(Ended::ByItself)
            }
        }
    }

    /// Everything that matters of what is in the namespace.
    pub(crate) async fn contents(&self) -> Result<BTreeMap<String, Value>> {
        let (mut all, mut uids) = (BTreeMap::new(), HashMap::new());
        self.add::<ConfigMap>(&mut all, &mut uids).await?;
        self.add::<Secret>(&mut all, &mut uids).await?;
        self.add::<Service>(&mut all, &mut uids).await?;
        self.add::<Deployment>(&mut all, &mut uids).await?;
        self.add::<Job>(&mut all, &mut uids).await?;
        self.add::<Lease>(&mut all, &mut uids).await?;
        self.add_what_is_stored(&mut all, &uids).await?;
        let text = serde_json::to_string(&all)?.replace(&self.name, "NAMESPACE");
        Ok(serde_json::from_str(&text)?)
    }

    /// What records, inventories and tombstones say, without the times.
    async fn add_what_is_stored(
        &self,
        all: &mut BTreeMap<String, Value>,
        uids: &HashMap<String, String>,
    ) -> Result {
        let (client, namespace) = (self.client.clone(), self.name.as_str());
        for stored in Storage::new(client.clone(), namespace).history("shop").await? {
            let Record { version, info, manifest, hooks, .. } = stored.record;
            let hooks: Vec<String> = hooks.into_iter().map(|hook| hook.path).collect();
            let said = json!([info.status.to_string(), info.description, manifest, hooks]);
            all.insert(format!("record {version}"), said);
        }
        let entries = |inventory: &Inventory| -> Vec<Value> {
            let entry = |entry: &Entry| {
                // Whether it is known which object is meant, and that it is the one that there is.
                let live = uids.get(&format!("{} {}", entry.id.kind, entry.id.name));
                json!([entry.id.to_string(), entry.uid.is_some(), entry.uid.as_ref() == live, entry.delay])
            };
            inventory.entries.iter().map(entry).collect()
        };
        for (_, kept) in Inventories::new(client.clone(), namespace, "").newest().await? {
            let name = format!("inventory {}", kept.version);
            all.insert(name, json!([kept.sequenced, kept.earlier, entries(&kept.inventory)]));
        }
        for (_, tombstone) in Tombstones::new(client, namespace, "").all().await? {
            let version = tombstone.record.map(|record| record.version);
            all.insert("tombstone".to_owned(), json!([version, entries(&tombstone.kept.inventory)]));
        }
        Ok(())
    }

    async fn add<K>(&self, all: &mut BTreeMap<String, Value>, uids: &mut HashMap<String, String>) -> Result
    where
        K: Resource<Scope = NamespaceResourceScope> + Clone + std::fmt::Debug + Serialize + DeserializeOwned,
        K::DynamicType: Default,
    {
        for object in self.api::<K>().list(&ListParams::default()).await? {
            let kind = K::kind(&K::DynamicType::default()).into_owned();
            uids.insert(format!("{kind} {}", object.name_any()), object.uid().unwrap_or_default());
            let mut value = serde_json::to_value(&object)?;
            normalise(&mut value);
            // All but the first shard of what is spread over several Secrets are named after what they hold.
            let content = object.labels().get("slipway.dev/content").map_or("", String::as_str);
            let name = object.name_any().replace(&format!(".{content}."), ".CONTENT.");
            all.insert(format!("{kind} {name}"), value);
        }
        all.retain(|name, _| !name.ends_with("kube-root-ca.crt"));
        Ok(())
    }
}

/// Leaves out what differs from run to run: what servers count and write down, and what is packed.
fn normalise(value: &mut Value) {
    let Some(object) = value.as_object_mut() else { return };
    object.remove("status");
    let is_record = object.get("type").and_then(Value::as_str).is_some_and(|of| of.contains("v1"));
    if is_record {
        // That they are there, and how they are labelled: what is in them has times.
        object.remove("data");
    }
    if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
        for key in ["clusterIP", "clusterIPs"] {
            spec.remove(key);
        }
    }
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    for key in ["name", "uid", "resourceVersion", "creationTimestamp", "selfLink"] {
        metadata.remove(key);
    }
    if let Some(labels) = metadata.get_mut("labels").and_then(Value::as_object_mut) {
        for key in ["createdAt", "modifiedAt", "slipway.dev/content"] {
            labels.remove(key);
        }
    }
    for owner in metadata.get_mut("ownerReferences").and_then(Value::as_array_mut).into_iter().flatten() {
        owner["uid"] = Value::Null;
    }
    if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
        annotations.entry("slipway.dev/deletion-timestamp").and_modify(|stamp| *stamp = "a moment".into());
    }
    // Who owns what stays; when they wrote it does not. Of records it does not matter how often they were written.
    let managed = metadata.remove("managedFields").unwrap_or_default();
    if !is_record {
        let mut owners: Vec<Value> = managed
            .as_array()
            .into_iter()
            .flatten()
            .filter(|entry| entry["subresource"].is_null())
            .map(|entry| serde_json::json!([entry["manager"], entry["operation"], entry["fieldsV1"]]))
            .collect();
        owners.sort_by_key(ToString::to_string);
        metadata.insert("owners".to_owned(), owners.into());
    }
}

/// What differs between two namespaces, for whoever reads of a failure.
pub(crate) fn differences(found: &BTreeMap<String, Value>, expected: &BTreeMap<String, Value>) -> String {
    let names: BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
    let differ = names.into_iter().filter(|name| found.get(*name) != expected.get(*name));
    let show = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
    differ
        .map(|name| {
            format!("{name}\n  is       {}\n  expected {}\n", show(found.get(name)), show(expected.get(name)))
        })
        .collect::<Vec<_>>()
        .concat()
}
