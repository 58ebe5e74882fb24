//! A cluster behind a gate that counts what is written, a namespace there, and the binary: the dock or a real control
//! plane.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{Patch, PatchParams, PostParams};
use serde_json::{Value, json};
use support::{Cluster, Gate, Namespace};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A cluster, a gate to it, a namespace there and the binary.
pub(crate) struct Stage {
    pub(crate) runtime: Runtime,
    _cluster: Cluster,
    pub(crate) namespace: Namespace,
    pub(crate) gate: Gate,
    home: TempDir,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let runtime = Runtime::new().unwrap();
        let home = tempfile::tempdir().unwrap();
        let (cluster, namespace, gate) = runtime.block_on(async {
            let cluster = Cluster::start().await.unwrap();
            let namespace = cluster.namespace().await.unwrap();
            let gate = Gate::open(cluster.client()).await.unwrap();
            (cluster, namespace, gate)
        });
        std::fs::write(home.path().join("config"), gate.kubeconfig()).unwrap();
        Self { runtime, _cluster: cluster, namespace, gate, home }
    }

    /// Manifests as a file.
    pub(crate) fn manifests(&self, name: &str, text: &str) -> PathBuf {
        let path = self.home.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_slipway"))
            .args(arguments)
            .args(["-n", self.namespace.name(), "--kubeconfig"])
            .arg(self.home.path().join("config"))
            .env_clear()
            .env("HOME", self.home.path())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    pub(crate) fn succeed(&self, arguments: &[&str]) -> String {
        let (code, out, told) = self.run(arguments);
        assert_eq!(code, 0, "{arguments:?}: {out}{told}");
        out
    }

    /// Rehearses, and sees to it that nothing is written and that no time-out is waited for.
    pub(crate) fn rehearse(&self, arguments: &[&str]) -> (i32, Value, String) {
        self.gate.close_at(None);
        let begun = Instant::now();
        let (code, out, told) = self.run(&[arguments, &["--rehearse", "-o", "json"]].concat());
        assert_eq!(self.gate.writes(), 0, "{arguments:?} wrote to the cluster: {told}");
        assert!(begun.elapsed() < Duration::from_mins(1), "{arguments:?} took {:?}", begun.elapsed());
        let report = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{told}"));
        (code, report, told)
    }

    pub(crate) fn config_maps(&self) -> Api<ConfigMap> {
        self.namespace.api()
    }

    /// Puts a finalizer on a `ConfigMap`, as a controller of some name does.
    pub(crate) fn hold(&self, name: &str, manager: &str) {
        let held = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name, "finalizers": ["example.com/hold"]},
        });
        let parameters = PatchParams::apply(manager);
        self.runtime.block_on(self.config_maps().patch(name, &parameters, &Patch::Apply(held))).unwrap();
    }

    /// A controller that runs, but removes nothing.
    pub(crate) fn controller(&self, name: &str) {
        let deployment = json!({
            "metadata": {"name": name},
            "spec": {
                "selector": {"matchLabels": {"app": name}},
                "template": {
                    "metadata": {"labels": {"app": name}},
                    "spec": {"containers": [{"name": "main", "image": "controller"}]},
                },
            },
        });
        let deployments: Api<Deployment> = self.namespace.api();
        self.runtime.block_on(async {
            let made = serde_json::from_value(deployment).unwrap();
            deployments.create(&PostParams::default(), &made).await.unwrap();
            let is_ready = |one: &Deployment| {
                one.status.as_ref().and_then(|status| status.ready_replicas).unwrap_or_default() > 0
            };
            support::eventually(&deployments, name, is_ready).await.unwrap();
        });
    }

    /// Lets go of what was held, and of the namespace.
    pub(crate) fn end(self, held: &[&str]) {
        for name in held {
            let change = Patch::Merge(json!({"metadata": {"finalizers": null}}));
            let freed = self.config_maps();
            let _ = self.runtime.block_on(freed.patch(name, &PatchParams::default(), &change));
        }
        self.runtime.block_on(self.namespace.remove()).unwrap();
    }
}

/// A `ConfigMap`.
pub(crate) fn map(name: &str, value: &str) -> String {
    format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{a: '{value}'}}\n")
}
