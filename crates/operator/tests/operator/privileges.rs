//! Who may do what: only on a real control plane, where rights are checked.

use catalog::kinds::{ServiceBinding, ServiceBroker, ServiceInstance};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::core::DynamicObject;
use operator::{install, policies};
use serde_json::{Value, json};
use support::{Cluster, Namespace, On, create};

use crate::stage::{objects, open};

struct Court {
    namespace: Namespace,
    /// Bundles as alice sees them, who may edit them and nothing else.
    hers: Api<DynamicObject>,
    /// The same as the administrator sees them.
    ours: Api<DynamicObject>,
}

impl Court {
    /// Nothing where rights are not checked.
    async fn sits() -> Option<Self> {
        let cluster = Cluster::start().await.unwrap();
        if cluster.on() != On::ControlPlane {
            return None;
        }
        let admin = cluster.client();
        let (definition, resource) = open("slipway.dev", "Bundle");
        let definitions = Api::<CustomResourceDefinition>::all(admin.clone());
        if definitions.get_opt("bundles.slipway.dev").await.unwrap().is_none() {
            install::definitions(&admin, &[definition]).await.unwrap();
        }
        install::objects(&admin, &policies::objects(true)).await.unwrap();
        let namespace = cluster.namespace().await.unwrap();
        let alice = Cluster::control_plane("alice").await.unwrap().client();
        let hers = objects(&alice, namespace.name(), &resource);
        let ours = objects(&admin, namespace.name(), &resource);
        let court = Self { namespace, hers, ours };
        court.allow("editor", &["slipway.dev"], &["bundles"], &["get", "create", "patch", "delete"]).await;
        // The server compiles policies a moment after it stored them.
        tokio::time::sleep(std::time::Duration::from_secs(3)).await;
        Some(court)
    }

    async fn allow(&self, name: &str, groups: &[&str], resources: &[&str], verbs: &[&str]) {
        self.allow_rules(name, json!([{"apiGroups": groups, "resources": resources, "verbs": verbs}])).await;
    }

    async fn allow_rules(&self, name: &str, allowed: Value) {
        let roles = self.namespace.api::<Role>();
        create(&roles, json!({"metadata": {"name": name}, "rules": allowed})).await.unwrap();
        let bindings = self.namespace.api::<RoleBinding>();
        let binding = json!({
            "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "alice"}],
        });
        create(&bindings, binding).await.unwrap();
    }

    async fn create(&self, name: &str, spec: Value) -> Result<(), String> {
        let object = json!({
            "apiVersion": "slipway.dev/v1alpha1", "kind": "Bundle",
            "metadata": {"name": name, "finalizers": ["slipway.dev/bundles"]}, "spec": spec,
        });
        let object = serde_json::from_value(object).unwrap();
        said(self.hers.create(&PostParams::default(), &object).await.map(drop))
    }
}

fn said(result: Result<(), kube::Error>) -> Result<(), String> {
    result.map_err(|error| match error {
        kube::Error::Api(status) => format!("{} {}", status.code, status.message),
        other => panic!("{other}"),
    })
}

/// Asks until the answer is the expected one: rights are known to the server a moment after they were given.
async fn soon<Asked: Future<Output = Result<(), String>>>(ask: impl Fn() -> Asked) {
    for _ in 0..50 {
        if ask().await.is_ok() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    ask().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn naming_a_service_account_needs_the_right_to_be_it() {
    let Some(court) = Court::sits().await else { return };
    let resources = json!({"resources": []});
    let refusal = court.create("shop", resources.clone()).await.unwrap_err();
    assert!(refusal.starts_with("403") && refusal.contains("act as the ServiceAccount default"), "{refusal}");
    let mut named = resources.clone();
    named["serviceAccountName"] = json!("deployer");
    let refusal = court.create("shop", named.clone()).await.unwrap_err();
    assert!(refusal.contains("act as the ServiceAccount deployer"), "{refusal}");

    court.allow("deployer", &[""], &["serviceaccounts"], &["impersonate"]).await;
    soon(|| court.create("shop", named.clone())).await;
    let free = json!({"metadata": {"finalizers": null}});
    court.ours.patch("shop", &PatchParams::default(), &Patch::Merge(&free)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn force_deletion_needs_the_verb() {
    let Some(court) = Court::sits().await else { return };
    let object = json!({
        "apiVersion": "slipway.dev/v1alpha1", "kind": "Bundle",
        "metadata": {"name": "stuck", "finalizers": ["example.org/hold"]}, "spec": {"resources": []},
    });
    let object = serde_json::from_value(object).unwrap();
    court.ours.create(&PostParams::default(), &object).await.unwrap();
    court.ours.delete("stuck", &DeleteParams::default()).await.unwrap();
    let status =
        json!({"status": {"lastErrors": [{"description": "x", "codes": ["ERR_CLEANUP_RESOURCES"]}]}});
    court.ours.patch_status("stuck", &PatchParams::default(), &Patch::Merge(&status)).await.unwrap();

    let confirm = || async {
        let confirmed =
            json!({"metadata": {"annotations": {"confirmation.slipway.dev/force-deletion": "true"}}});
        said(court.hers.patch("stuck", &PatchParams::default(), &Patch::Merge(&confirmed)).await.map(drop))
    };
    let refusal = confirm().await.unwrap_err();
    assert!(refusal.contains("needs the right to the verb force-delete"), "{refusal}");
    court.allow("forcer", &["slipway.dev"], &["bundles"], &["force-delete"]).await;
    soon(confirm).await;
    let free = json!({"metadata": {"finalizers": null}});
    court.ours.patch("stuck", &PatchParams::default(), &Patch::Merge(&free)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn naming_a_secret_for_a_broker_needs_the_right_to_read_it() {
    let Some(court) = Court::sits().await else { return };
    let admin = Cluster::start().await.unwrap().client();
    install::definitions(&admin, &catalog::kinds::definitions()).await.unwrap();
    let rights = ["get", "create", "patch", "delete"];
    court.allow("seller", &["servicecatalog.slipway.dev"], &["servicebrokers"], &rights).await;
    let alice = Cluster::control_plane("alice").await.unwrap().client();
    let brokers = Api::<ServiceBroker>::namespaced(alice, court.namespace.name());
    let written = |name: &str, auth: Value| json!({"metadata": {"name": name}, "spec": {"url": "http://127.0.0.1:1", "authInfo": auth}});
    let make = |name: &'static str, auth: Value| {
        let (brokers, object) = (brokers.clone(), serde_json::from_value(written(name, auth)).unwrap());
        async move { said(brokers.create(&PostParams::default(), &object).await.map(drop)) }
    };
    // Without a Secret there is nothing to read; her right to make brokers comes a moment after it was given.
    soon(|| make("open", json!(null))).await;
    let of = |name: &str| json!({"basic": {"secretRef": {"name": name}}});
    for auth in [of("theirs"), json!({"bearer": {"secretRef": {"name": "theirs", "namespace": "default"}}})] {
        let refusal = make("shut", auth).await.unwrap_err();
        assert!(refusal.starts_with("403") && refusal.contains("the right to get the Secret"), "{refusal}");
    }
    let change = |change: Value| {
        let brokers = brokers.clone();
        async move {
            let patch = Patch::Merge(json!({"spec": change}));
            said(brokers.patch("open", &PatchParams::default(), &patch).await.map(drop))
        }
    };
    let refusal = change(json!({"authInfo": of("theirs")})).await.unwrap_err();
    assert!(refusal.contains("the right to get the Secret"), "{refusal}");

    court.allow("reader", &[""], &["secrets"], &["get"]).await;
    soon(|| change(json!({"authInfo": of("hers")}))).await;
    // Who may not read it any more may not send it elsewhere either, but may have the catalog read.
    court.namespace.api::<RoleBinding>().delete("reader", &DeleteParams::default()).await.unwrap();
    let mut elsewhere = change(json!({"url": "http://127.0.0.1:2"})).await;
    for attempt in 0..50 {
        if elsewhere.is_err() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        elsewhere = change(json!({"url": format!("http://127.0.0.1:{}", 3 + attempt)})).await;
    }
    assert!(elsewhere.unwrap_err().contains("the right to get the Secret"));
    change(json!({"insecureSkipTLSVerify": true})).await.unwrap_err();
    change(json!({"relistRequests": 1})).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn naming_a_secret_in_an_instance_or_binding_needs_the_right_to_read_it() {
    let Some(court) = Court::sits().await else { return };
    let admin = Cluster::start().await.unwrap().client();
    install::definitions(&admin, &catalog::kinds::definitions()).await.unwrap();
    let kinds = ["serviceinstances", "servicebindings"];
    court
        .allow("buyer", &["servicecatalog.slipway.dev"], &kinds, &["get", "create", "patch", "delete"])
        .await;
    let alice = Cluster::control_plane("alice").await.unwrap().client();
    let instances = Api::<ServiceInstance>::namespaced(alice.clone(), court.namespace.name());
    let bindings = Api::<ServiceBinding>::namespaced(alice, court.namespace.name());
    let parameters = |names: &[&str]| {
        let of = |name: &&str| json!({"secretKeyRef": {"name": name, "key": "k"}});
        json!(names.iter().map(of).collect::<Vec<_>>())
    };
    let buy = |name: &'static str, from: Value| {
        let spec = json!({"serviceClassExternalName": "database", "parametersFrom": from});
        let object = serde_json::from_value(json!({"metadata": {"name": name}, "spec": spec})).unwrap();
        let instances = instances.clone();
        async move { said(instances.create(&PostParams::default(), &object).await.map(drop)) }
    };
    let bind = |name: &'static str, fields: Value| {
        let mut spec = fields;
        spec["instanceRef"] = json!({"name": "open"});
        let object = serde_json::from_value(json!({"metadata": {"name": name}, "spec": spec})).unwrap();
        let bindings = bindings.clone();
        async move { said(bindings.create(&PostParams::default(), &object).await.map(drop)) }
    };
    let change = |spec: Value| {
        let instances = instances.clone();
        async move {
            let patch = Patch::Merge(json!({"spec": spec}));
            said(instances.patch("named", &PatchParams::default(), &patch).await.map(drop))
        }
    };
    let from = |name: &str| json!({"secretTransforms": [{"addKeysFrom": {"secretRef": {"name": name}}}]});
    let forbidden = |refusal: Result<(), String>| {
        let refusal = refusal.unwrap_err();
        assert!(refusal.starts_with("403") && refusal.contains("needs the right to get them"), "{refusal}");
    };
    // Without a Secret there is nothing to read; her right to buy comes a moment after it was given.
    soon(|| buy("open", json!([]))).await;
    forbidden(buy("shut", parameters(&["theirs"])).await);
    forbidden(bind("shut", json!({"parametersFrom": parameters(&["theirs"])})).await);
    forbidden(bind("shut", from("theirs")).await);

    let some = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"],
        "resourceNames": ["a", "b", "c", "d", "e", "f", "g", "h", "i"]}]);
    court.allow_rules("reader", some).await;
    let eight = ["a", "b", "c", "d", "e", "f", "g", "h"];
    soon(|| buy("named", parameters(&eight))).await;
    bind("from", from("a")).await.unwrap();
    // Each of them counts, and those that cannot be asked about.
    for place in 0..eight.len() {
        let mut names = eight;
        names[place] = "theirs";
        forbidden(buy("shut", parameters(&names)).await);
    }
    forbidden(buy("shut", parameters(&["a", "b", "c", "d", "e", "f", "g", "h", "i"])).await);
    court.allow("reader-of-all", &[""], &["secrets"], &["get"]).await;
    soon(|| buy("many", parameters(&["a", "b", "c", "d", "e", "f", "g", "h", "i"]))).await;

    // Who may not read them any more may still give back, and does not choose another broker.
    for role in ["reader", "reader-of-all"] {
        court.namespace.api::<RoleBinding>().delete(role, &DeleteParams::default()).await.unwrap();
    }
    let mut elsewhere = Ok(());
    for attempt in 0..50 {
        elsewhere = change(json!({"serviceClassExternalName": format!("class-{attempt}")})).await;
        if elsewhere.is_err() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    forbidden(elsewhere);
    forbidden(change(json!({"parametersFrom": parameters(&["a"])})).await);
    change(json!({"parameters": {"size": 1}})).await.unwrap();
    change(json!({"updateRequests": 1})).await.unwrap();
    change(json!({"existsExternally": false})).await.unwrap();
    change(json!({"existsExternally": true})).await.unwrap();
    change(json!({"parametersFrom": null})).await.unwrap();
}
