//! What of instances, bindings and brokers may change: tried on their real definitions, on the dock and on a control plane.

use catalog::kinds::{ServiceBinding, ServiceInstance};
use kube::Api;
use kube::api::{Patch, PatchParams};
use operator::{install, policies};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use support::{Cluster, Namespace, On, create};

struct Guarded {
    _cluster: Cluster,
    namespace: Namespace,
}

impl Guarded {
    async fn start() -> Self {
        let cluster = Cluster::start().await.unwrap();
        let client = cluster.client();
        install::definitions(&client, &catalog::kinds::definitions()).await.unwrap();
        install::objects(&client, &policies::objects(true)).await.unwrap();
        if cluster.on() == On::ControlPlane {
            // The server compiles policies a moment after it stored them.
            tokio::time::sleep(std::time::Duration::from_secs(3)).await;
        }
        let namespace = cluster.namespace().await.unwrap();
        Self { _cluster: cluster, namespace }
    }
}

/// An object whose spec somebody tries to change.
struct Tried<K>(Api<K>);

impl<K> Tried<K>
where
    K: kube::Resource + Clone + std::fmt::Debug + Serialize + DeserializeOwned,
{
    async fn patch(&self, spec: Value) -> Result<(), String> {
        let patched =
            self.0.patch("it", &PatchParams::default(), &Patch::Merge(&json!({"spec": spec}))).await;
        patched.map(drop).map_err(|error| match error {
            kube::Error::Api(status) => status.message,
            other => panic!("{other}"),
        })
    }

    async fn refused(&self, spec: Value, words: &str) {
        let message = self.patch(spec.clone()).await.expect_err(&spec.to_string());
        assert!(message.contains(words), "{spec}: {words:?} in {message:?}");
    }

    async fn allowed(&self, spec: Value) {
        self.patch(spec.clone()).await.unwrap_or_else(|message| panic!("{spec}: {message}"));
    }

    async fn gone(&self) {
        let status = json!({"status": {"conditions": [{
            "type": "Deleted", "status": "True", "reason": "Gone", "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }]}});
        self.0.patch_status("it", &PatchParams::default(), &Patch::Merge(&status)).await.unwrap();
    }
}

const BY_ITSELF: &str = "nothing else of spec may change in the same request";
const ONLY_BACK: &str = "the only change of spec is to set it to true";
const FIXED_ID: &str = "spec.externalID cannot be changed";
const FIXED_BINDING: &str = "only existsExternally and deletionProtection can be changed";

#[tokio::test(flavor = "multi_thread")]
async fn giving_back_is_all_that_a_request_does() {
    let guarded = Guarded::start().await;
    let api: Api<ServiceInstance> = guarded.namespace.api();
    let spec = json!({
        "clusterServiceClassExternalName": "database", "clusterServicePlanExternalName": "small",
        "parameters": {"size": 3, "tags": ["a", "b"]}, "deletionProtection": true,
    });
    create(&api, json!({"metadata": {"name": "it"}, "spec": spec})).await.unwrap();
    let it = Tried(api);
    for also in [
        json!({"clusterServicePlanExternalName": "large"}),
        json!({"parameters": {"size": 4}}),
        json!({"parameters": {"tags": ["a"]}}),
        json!({"parameters": {"more": {"deep": true}}}),
        json!({"parameters": null}),
        json!({"parametersFrom": [{"secretKeyRef": {"name": "a", "key": "b"}}]}),
        json!({"updateRequests": 1}),
        json!({"deletionProtection": false}),
        json!({"deletionProtection": null}),
    ] {
        let mut both = also.clone();
        both["existsExternally"] = json!(false);
        it.refused(both, BY_ITSELF).await;
    }
    it.allowed(json!({"existsExternally": false})).await;
    it.refused(json!({"parameters": {"size": 4}}), ONLY_BACK).await;
    it.refused(json!({"deletionProtection": false}), ONLY_BACK).await;
    it.refused(json!({"existsExternally": true, "parameters": {"size": 4}}), ONLY_BACK).await;
    it.refused(json!({"existsExternally": null, "updateRequests": 7}), ONLY_BACK).await;
    it.allowed(json!({"existsExternally": true})).await;
    it.allowed(json!({"parameters": {"size": 4}})).await;
    it.allowed(json!({"existsExternally": false})).await;
    it.gone().await;
    it.refused(json!({"existsExternally": true}), "can only be deleted").await;
    it.refused(json!({"updateRequests": 8}), "can only be deleted").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_named_in_the_same_namespace_and_as_many_as_one_likes() {
    let guarded = Guarded::start().await;
    let of =
        |namespace: Value| json!({"addKeysFrom": {"secretRef": {"name": "more", "namespace": namespace}}});
    let many: Vec<_> =
        (0..12).map(|number| json!({"secretKeyRef": {"name": format!("s{number}"), "key": "k"}})).collect();
    let binding = |transforms: Value| {
        json!({"metadata": {"name": "it"}, "spec": {
            "instanceRef": {"name": "database"}, "parametersFrom": many, "secretTransforms": transforms,
        }})
    };
    let api: Api<ServiceBinding> = guarded.namespace.api();
    let refused = create(&api, binding(json!([of(json!("kube-system"))]))).await.unwrap_err().to_string();
    assert!(refused.contains("names a Secret of another namespace"), "{refused}");
    let own = guarded.namespace.name();
    let transforms = json!([of(json!("")), of(json!(own)), {"addKeysFrom": {"secretRef": {"name": "more"}}}, {"removeKey": {"key": "a"}}]);
    create(&api, binding(transforms)).await.unwrap();
    Tried(api).allowed(json!({"deletionProtection": true})).await;

    let api: Api<ServiceInstance> = guarded.namespace.api();
    let spec = json!({"clusterServiceClassExternalName": "database", "parametersFrom": many});
    create(&api, json!({"metadata": {"name": "it"}, "spec": spec})).await.unwrap();
    let it = Tried(api);
    it.allowed(json!({"parametersFrom": null})).await;
    it.allowed(json!({"parametersFrom": [{"secretKeyRef": {"name": "a", "key": "b"}}]})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_identifier_of_an_instance_is_chosen_once() {
    let guarded = Guarded::start().await;
    let api: Api<ServiceInstance> = guarded.namespace.api();
    let spec = json!({"clusterServiceClassExternalName": "database"});
    create(&api, json!({"metadata": {"name": "it"}, "spec": spec})).await.unwrap();
    let it = Tried(api.clone());
    it.refused(json!({"externalID": "another"}), FIXED_ID).await;
    // Two policies are against it, and the server tells of either.
    it.refused(json!({"externalID": "another", "existsExternally": false}), "denied request").await;
    it.allowed(json!({"clusterServicePlanExternalName": "large"})).await;

    api.delete("it", &kube::api::DeleteParams::default()).await.unwrap();
    let spec = json!({"clusterServiceClassExternalName": "database", "externalID": "chosen"});
    create(&api, json!({"metadata": {"name": "it"}, "spec": spec})).await.unwrap();
    for other in [json!("another"), json!(""), json!(null)] {
        it.refused(json!({"externalID": other}), FIXED_ID).await;
    }
    it.allowed(json!({"externalID": "chosen", "parameters": {"size": 1}})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_binding_can_only_be_given_back_and_protected() {
    let guarded = Guarded::start().await;
    let api: Api<ServiceBinding> = guarded.namespace.api();
    let spec = json!({
        "instanceRef": {"name": "database"}, "secretName": "credentials", "parameters": {"role": "reader"},
        "secretTransforms": [{"renameKey": {"from": "a", "to": "b"}}],
    });
    create(&api, json!({"metadata": {"name": "it"}, "spec": spec})).await.unwrap();
    let it = Tried(api);
    for change in [
        json!({"instanceRef": {"name": "other"}}),
        json!({"secretName": "elsewhere"}),
        json!({"secretName": null}),
        json!({"parameters": {"role": "writer"}}),
        json!({"parameters": null}),
        json!({"parametersFrom": [{"secretKeyRef": {"name": "a", "key": "b"}}]}),
        json!({"secretTransforms": []}),
        json!({"secretTransforms": [{"removeKey": {"key": "b"}}]}),
        json!({"secretName": "elsewhere", "deletionProtection": true}),
    ] {
        it.refused(change, FIXED_BINDING).await;
    }
    it.refused(json!({"externalID": "chosen"}), FIXED_ID).await;
    it.allowed(json!({"deletionProtection": true})).await;
    it.refused(json!({"existsExternally": false, "deletionProtection": false}), BY_ITSELF).await;
    it.allowed(json!({"existsExternally": false})).await;
    it.refused(json!({"deletionProtection": false}), ONLY_BACK).await;
    it.allowed(json!({"existsExternally": true})).await;
    it.allowed(json!({"deletionProtection": null})).await;
}
