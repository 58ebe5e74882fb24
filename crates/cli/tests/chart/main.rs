//! The operator's own chart: installed by Slipway, and the operator with the rights that it gives and no others.

#![expect(clippy::unwrap_used, reason = "a test whose surroundings fail should fail")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use brokers::{Behaviour, Route, Scripted};
use catalog::kinds::{ServiceBinding, ServiceBroker, ServiceInstance};
use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::authorization::v1::SelfSubjectAccessReview;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{Secret, ServiceAccount};
use kube::api::{DeleteParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config};
use serde_json::{Value, json};
use support::{Cluster, Namespace, On, create, eventually, gone};
use tempfile::TempDir;

const CHART: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../charts/slipway");

fn slipway(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_slipway"));
    command.args(arguments).env_clear().env("HOME", home);
    command
}

fn well(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_chart_is_installed_upgraded_and_uninstalled_by_slipway() {
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let place = ["--embedded", "--namespace", "slipway-system"];
        slipway(home.path(), arguments).args(place).output().unwrap()
    };
    well(&run(&["lint", CHART]));
    well(&run(&["install", "slipway", CHART, "--create-namespace", "--wait"]));
    well(&run(&["upgrade", "slipway", CHART, "--set", "featureGates.DeclarativeDelete=true"]));
    let manifest = run(&["get", "manifest", "slipway"]);
    let text = String::from_utf8_lossy(&manifest.stdout).into_owned();
    assert!(text.contains("--feature-gates=DeclarativeDelete=true"), "{text}");
    assert!(!text.contains("__DECLARATIVE_DELETE__"));
    well(&run(&["uninstall", "slipway", "--wait"]));
}

/// Policies are noted as seen before the answer to their change has come, which a watch tells once.
#[test]
fn an_upgrade_that_waits_ends_when_everything_is_ready() {
    for wait in ["--wait", "--wait=ordered"] {
        let home = tempfile::tempdir().unwrap();
        let upgrade = |declarative: &str| {
            let set = format!("featureGates.DeclarativeDelete={declarative}");
            let arguments =
                ["upgrade", "--install", "slipway", CHART, wait, "--timeout", "1m", "--set", &set];
            let place = ["--embedded", "--namespace", "slipway-system", "--create-namespace"];
            slipway(home.path(), &arguments).args(place).output().unwrap()
        };
        for declarative in ["false", "true", "false"] {
            well(&upgrade(declarative));
        }
    }
}

/// The operator as a process, ended with the test.
struct Operator(Child);

impl Drop for Operator {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn may(client: &Client, attributes: Value) -> bool {
    let review = json!({"spec": {"resourceAttributes": attributes}});
    let review: SelfSubjectAccessReview = serde_json::from_value(review).unwrap();
    let reviewed =
        Api::<SelfSubjectAccessReview>::all(client.clone()).create(&PostParams::default(), &review).await;
    reviewed.unwrap().status.unwrap().allowed
}

/// Who the kubeconfig's administrator is, with another token.
async fn with_token(token: &str) -> (Client, String, Vec<Vec<u8>>) {
    let path = std::env::var_os("SLIPWAY_KUBECONFIG").unwrap();
    let kubeconfig = Kubeconfig::read_from(path).unwrap();
    let options = KubeConfigOptions { context: Some("admin".to_owned()), ..KubeConfigOptions::default() };
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &options).await.unwrap();
    config.auth_info = kube::config::AuthInfo { token: Some(token.to_owned().into()), ..Default::default() };
    let (server, authority) = (config.cluster_url.to_string(), config.root_cert.clone().unwrap_or_default());
    (Client::try_from(config).unwrap(), server, authority)
}

/// What the service catalog needs of the cluster is among these rights.
async fn buys_and_gives_back(namespace: &Namespace) {
    let broker = Scripted::start(Behaviour::default()).await.unwrap();
    let (sellers, instances) = (namespace.api::<ServiceBroker>(), namespace.api::<ServiceInstance>());
    let bindings = namespace.api::<ServiceBinding>();
    let seller = json!({"metadata": {"name": "acme"}, "spec": {"url": broker.url()}});
    let mut attempts = 0;
    while let Err(error) = create(&sellers, seller.clone()).await {
        // The kinds are installed beside this.
        attempts += 1;
        assert!(attempts < 600, "{error}");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    eventually(&sellers, "acme", |it| it.status.as_ref().is_some_and(|it| it.services == 1)).await.unwrap();
    let plan = json!({"serviceClassExternalName": "database", "servicePlanExternalName": "small"});
    create(&instances, json!({"metadata": {"name": "db"}, "spec": plan})).await.unwrap();
    let access = json!({"metadata": {"name": "access"}, "spec": {"instanceRef": {"name": "db"}}});
    create(&bindings, access).await.unwrap();
    let secrets = namespace.api::<Secret>();
    let first = eventually(&secrets, "access", |_| true).await.unwrap();
    secrets.delete("access", &DeleteParams::default()).await.unwrap();
    eventually(&secrets, "access", |secret| secret.metadata.uid != first.metadata.uid).await.unwrap();
    bindings.delete("access", &DeleteParams::default()).await.unwrap();
    instances.delete("db", &DeleteParams::default()).await.unwrap();
    gone(&instances, "db").await.unwrap();
    sellers.delete("acme", &DeleteParams::default()).await.unwrap();
    gone(&sellers, "acme").await.unwrap();
    assert!(broker.instances().is_empty());
    let told = broker.seen_of(Route::Provision)[0].body["context"].clone();
    assert_eq!(told["namespace"], namespace.name());
    assert_eq!(told["clusterid"].as_str().map(str::len), Some(36), "the UID of kube-system: {told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_runs_with_the_rights_of_the_chart_and_no_others() {
    let cluster = Cluster::start().await.unwrap();
    if cluster.on() != On::ControlPlane {
        return;
    }
    let home: TempDir = tempfile::tempdir().unwrap();
    let namespace = cluster.namespace().await.unwrap();
    let kubeconfig = PathBuf::from(std::env::var_os("SLIPWAY_KUBECONFIG").unwrap());
    let place = ["--kubeconfig", kubeconfig.to_str().unwrap(), "--namespace", namespace.name()];
    // Others have tried the policies on this cluster before.
    let flags = ["--set", "replicas=0,webhook.install=false", "--take-ownership", "--force-conflicts"];
    well(&slipway(home.path(), &["install", "operator", CHART]).args(place).args(flags).output().unwrap());

    let accounts = namespace.api::<ServiceAccount>();
    let (params, asked) = (PostParams::default(), TokenRequest::default());
    let given = accounts.create_token_request("operator", &params, &asked).await.unwrap();
    let token = given.status.unwrap().token.unwrap();
    let (client, server, authority) = with_token(&token).await;
    let certificate = home.path().join("ca.crt");
    let pem = |der: &Vec<u8>| {
        format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", BASE64_STANDARD.encode(der))
    };
    std::fs::write(&certificate, authority.iter().map(pem).collect::<String>()).unwrap();
    let process =
        slipway(home.path(), &["operator", "--namespace", namespace.name(), "--identity", "this-test"])
            .args(["--kube-apiserver", &server, "--kube-token", &token, "--listen", "", "--install-crds"])
            .arg("--kube-ca-file")
            .arg(&certificate)
            .spawn()
            .unwrap();
    let operator = Operator(process);
    let leases = namespace.api::<Lease>();
    eventually(&leases, "slipway-operator", |lease| {
        lease.spec.as_ref().is_some_and(|spec| spec.holder_identity.as_deref() == Some("this-test"))
    })
    .await
    .unwrap();

    buys_and_gives_back(&namespace).await;

    for (attributes, expected) in [
        (
            json!({"verb": "patch", "group": "slipway.dev", "resource": "bundles", "namespace": "default"}),
            true,
        ),
        (json!({"verb": "impersonate", "resource": "serviceaccounts", "namespace": "default"}), true),
        (json!({"verb": "create", "resource": "configmaps", "namespace": "default"}), false),
        (
            json!({"verb": "create", "group": "apps", "resource": "deployments", "namespace": "default"}),
            false,
        ),
        (
            json!({"verb": "delete", "group": "apps", "resource": "deployments", "namespace": "default"}),
            false,
        ),
        (json!({"verb": "impersonate", "resource": "users"}), false),
        (json!({"verb": "impersonate", "resource": "groups"}), false),
        (
            json!({"verb": "force-delete", "group": "slipway.dev", "resource": "bundles", "namespace": "default"}),
            false,
        ),
        (json!({"verb": "bind", "group": "rbac.authorization.k8s.io", "resource": "clusterroles"}), false),
        (
            json!({"verb": "escalate", "group": "rbac.authorization.k8s.io", "resource": "clusterroles"}),
            false,
        ),
        (
            json!({"verb": "create", "group": "rbac.authorization.k8s.io", "resource": "clusterrolebindings"}),
            false,
        ),
        (
            json!({"verb": "create", "resource": "serviceaccounts", "subresource": "token", "namespace": "default"}),
            false,
        ),
    ] {
        assert_eq!(may(&client, attributes.clone()).await, expected, "{attributes}");
    }
    drop(operator);
    well(&slipway(home.path(), &["uninstall", "operator"]).args(place).output().unwrap());
}
