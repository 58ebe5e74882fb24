//! What admission refuses, by the policies that the chart installs.

use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::core::DynamicObject;
use operator::{install, policies};
use serde_json::{Value, json};
use support::{Cluster, Namespace};

use crate::stage::{objects, open};

const FORCE: &str = "confirmation.slipway.dev/force-deletion";

struct Guarded {
    _namespace: Namespace,
    bundles: Api<DynamicObject>,
}

impl Guarded {
    async fn with(declarative: bool) -> Self {
        let cluster = Cluster::dock(dock::Dock::builder().start().await);
        let (definition, resource) = open("slipway.dev", "Bundle");
        let client = cluster.client();
        install::definitions(&client, &[definition]).await.unwrap();
        install::objects(&client, &policies::objects(declarative)).await.unwrap();
        let namespace = cluster.namespace().await.unwrap();
        let bundles = objects(&client, namespace.name(), &resource);
        Self { _namespace: namespace, bundles }
    }

    async fn create(&self, name: &str, metadata: Value, spec: Value) -> Result<(), String> {
        let mut metadata = metadata;
        metadata["name"] = json!(name);
        let object = json!({"apiVersion": "slipway.dev/v1alpha1", "kind": "Bundle", "metadata": metadata, "spec": spec});
        let object = serde_json::from_value(object).unwrap();
        words(self.bundles.create(&PostParams::default(), &object).await.map(drop))
    }

    async fn patch(&self, name: &str, patch: Value) -> Result<(), String> {
        words(self.bundles.patch(name, &PatchParams::default(), &Patch::Merge(&patch)).await.map(drop))
    }

    async fn status(&self, name: &str, status: Value) {
        let patch = json!({"status": status});
        self.bundles.patch_status(name, &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    }

    async fn delete(&self, name: &str) -> Result<(), String> {
        words(self.bundles.delete(name, &DeleteParams::default()).await.map(drop))
    }
}

fn words(result: Result<(), kube::Error>) -> Result<(), String> {
    result.map_err(|error| match error {
        kube::Error::Api(status) => status.message,
        other => panic!("{other}"),
    })
}

#[track_caller]
fn refused(result: Result<(), String>, words: &str) {
    let message = result.expect_err(words);
    assert!(message.contains(words), "{words:?} in {message:?}");
}

fn confirmed() -> Value {
    json!({"metadata": {"annotations": {FORCE: "true"}}})
}

#[tokio::test(flavor = "multi_thread")]
async fn force_deletion_is_refused_without_each_precondition_and_cannot_be_taken_back() {
    let guarded = Guarded::with(false).await;
    let held = json!({"finalizers": ["slipway.dev/bundles"]});
    refused(
        guarded.create("born", json!({"annotations": {FORCE: "true"}}), json!({})).await,
        "cannot be confirmed before the object is being deleted",
    );
    guarded.create("shop", held, json!({})).await.unwrap();
    guarded
        .status("shop", json!({"lastErrors": [{"description": "x", "codes": ["ERR_CLEANUP_RESOURCES"]}]}))
        .await;
    refused(
        guarded.patch("shop", confirmed()).await,
        "cannot be confirmed before the object is being deleted",
    );

    guarded.delete("shop").await.unwrap();
    guarded.status("shop", json!({"lastErrors": [{"description": "x", "codes": ["ERR_TIMEOUT"]}]})).await;
    refused(guarded.patch("shop", confirmed()).await, "no error with a blocking code is on record");
    guarded.status("shop", json!({"lastErrors": null})).await;
    refused(guarded.patch("shop", confirmed()).await, "no error with a blocking code is on record");

    guarded
        .status("shop", json!({"lastErrors": [{"description": "x", "codes": ["ERR_DEPENDENCIES"]}]}))
        .await;
    guarded.patch("shop", confirmed()).await.unwrap();
    refused(
        guarded.patch("shop", json!({"metadata": {"annotations": {FORCE: null}}})).await,
        "cannot be taken back",
    );
    refused(
        guarded.patch("shop", json!({"metadata": {"annotations": {FORCE: "false"}}})).await,
        "cannot be taken back",
    );
    // Whatever else is written meanwhile is not hindered: the operator must be able to let go.
    guarded.status("shop", json!({"lastErrors": null})).await;
    guarded.patch("shop", json!({"metadata": {"finalizers": null}})).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn while_it_does_not_exist_outside_only_the_way_back_is_open() {
    let guarded = Guarded::with(true).await;
    refused(
        guarded.create("born", json!({}), json!({"existsExternally": false})).await,
        "cannot be created with spec.existsExternally: false",
    );
    guarded.create("shop", json!({}), json!({"resources": [], "size": 1})).await.unwrap();
    guarded.patch("shop", json!({"spec": {"existsExternally": false}})).await.unwrap();
    refused(
        guarded.patch("shop", json!({"spec": {"size": 2}})).await,
        "the only change of spec is to set it to true",
    );
    refused(
        guarded.patch("shop", json!({"spec": {"size": null}})).await,
        "the only change of spec is to set it to true",
    );
    refused(
        guarded.patch("shop", json!({"spec": {"existsExternally": true, "size": 2}})).await,
        "the only change of spec is to set it to true",
    );
    guarded.patch("shop", json!({"metadata": {"labels": {"a": "b"}}})).await.unwrap();
    guarded.patch("shop", json!({"spec": {"existsExternally": true}})).await.unwrap();
    guarded.patch("shop", json!({"spec": {"size": 2}})).await.unwrap();
    guarded.patch("shop", json!({"spec": {"existsExternally": false}})).await.unwrap();
    guarded.patch("shop", json!({"spec": {"existsExternally": null}})).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn once_it_is_gone_only_delete_remains() {
    let guarded = Guarded::with(true).await;
    guarded.create("shop", json!({}), json!({"size": 1})).await.unwrap();
    guarded.patch("shop", json!({"spec": {"existsExternally": false}})).await.unwrap();
    guarded.status("shop", json!({"conditions": [{"type": "Deleted", "status": "True"}]})).await;
    refused(guarded.patch("shop", json!({"spec": {"existsExternally": true}})).await, "can only be deleted");
    refused(guarded.patch("shop", json!({"spec": {"size": 3}})).await, "can only be deleted");
    guarded.patch("shop", json!({"metadata": {"finalizers": null}})).await.unwrap();
    guarded.delete("shop").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn with_the_feature_off_false_is_refused_by_name_of_the_flag() {
    let guarded = Guarded::with(false).await;
    guarded.create("shop", json!({}), json!({"deletionProtection": true})).await.unwrap();
    refused(
        guarded.patch("shop", json!({"spec": {"existsExternally": false}})).await,
        "needs the feature gate DeclarativeDelete",
    );
    guarded.delete("shop").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn deletion_protection_says_what_to_do_instead() {
    let guarded = Guarded::with(true).await;
    guarded.create("shop", json!({}), json!({"deletionProtection": true})).await.unwrap();
    refused(guarded.delete("shop").await, "set spec.existsExternally to false");
    guarded.patch("shop", json!({"spec": {"existsExternally": false}})).await.unwrap();
    guarded.status("shop", json!({"conditions": [{"type": "Deleted", "status": "True"}]})).await;
    guarded.delete("shop").await.unwrap();
}
