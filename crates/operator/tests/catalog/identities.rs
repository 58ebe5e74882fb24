//! Whom a broker hears of, with users who are who they are: only on a control plane, where rights are checked.

use brokers::{Behaviour, Route, Scripted};
use catalog::kinds::{ServiceBinding, ServiceInstance};
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};
use support::{Cluster, On, create, eventually, gone};

use crate::stage::Stage;

/// What one user sees of the namespace, with a certificate of their own.
struct User {
    instances: Api<ServiceInstance>,
    bindings: Api<ServiceBinding>,
}

impl User {
    async fn of(stage: &Stage, name: &str) -> Self {
        let client = Cluster::control_plane(name).await.unwrap().client();
        let namespace = stage.namespace.name();
        Self {
            instances: Api::namespaced(client.clone(), namespace),
            bindings: Api::namespaced(client, namespace),
        }
    }

    async fn change(&self, patch: Value) -> ServiceInstance {
        self.instances.patch("database", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap()
    }
}

/// Both may do everything with instances and bindings, their status too, and nothing else.
async fn allow(stage: &Stage) {
    let allowed = json!([{
        "apiGroups": ["servicecatalog.slipway.dev"],
        "resources": ["serviceinstances", "servicebindings", "serviceinstances/status"],
        "verbs": ["get", "create", "patch", "update", "delete"],
    }]);
    create(&stage.namespace.api::<Role>(), json!({"metadata": {"name": "customer"}, "rules": allowed}))
        .await
        .unwrap();
    let subject = |name: &str| json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name});
    let binding = json!({
        "metadata": {"name": "customer"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "customer"},
        "subjects": [subject("alice"), subject("bob")],
    });
    create(&stage.namespace.api::<RoleBinding>(), binding).await.unwrap();
}

fn user_of(instance: &ServiceInstance) -> String {
    instance.spec.user_info.clone().unwrap_or_default().username
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_hears_of_the_user_in_every_flow_and_nobody_can_pretend_to_be_another() {
    let broker = Scripted::start(Behaviour { polls: Some(1), ..Behaviour::default() }).await.unwrap();
    let stage = Stage::start(&broker.url()).await;
    if stage.cluster.on() != On::ControlPlane {
        return;
    }
    allow(&stage).await;
    let (alice, bob) = (User::of(&stage, "alice").await, User::of(&stage, "bob").await);

    // What she writes there counts for nothing, in whatever way she writes it.
    let forged = json!({"username": "bob", "groups": ["system:masters"]});
    let mut spec = stage.plan("small");
    spec["userInfo"] = forged.clone();
    let made = serde_json::from_value(json!({"metadata": {"name": "database"}, "spec": spec})).unwrap();
    let mut attempts = 0;
    let made = loop {
        // Rights and webhooks are known to the server a moment after they were given.
        match alice.instances.create(&PostParams::default(), &made).await {
            Ok(made) => break made,
            Err(error) => assert!(attempts < 100, "{error}"),
        }
        attempts += 1;
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    };
    assert_eq!(user_of(&made), "alice");
    assert_eq!(user_of(&alice.change(json!({"spec": {"userInfo": forged}})).await), "alice");
    assert_eq!(user_of(&alice.change(json!({"spec": {"userInfo": null}})).await), "alice");
    let applied = json!({
        "apiVersion": "servicecatalog.slipway.dev/v1alpha1", "kind": "ServiceInstance",
        "metadata": {"name": "database"}, "spec": {"userInfo": forged},
    });
    let params = PatchParams::apply("forger").force();
    let made = alice.instances.patch("database", &params, &Patch::Apply(&applied)).await.unwrap();
    assert_eq!(user_of(&made), "alice");
    let status = json!({"spec": {"userInfo": forged}, "status": {"unheardOf": true}});
    let params = PatchParams::default();
    let made = alice.instances.patch_status("database", &params, &Patch::Merge(&status)).await.unwrap();
    assert_eq!(user_of(&made), "alice");
    let mut whole = alice.instances.get("database").await.unwrap();
    whole.spec.user_info = serde_json::from_value(forged.clone()).unwrap();
    let made = alice.instances.replace("database", &PostParams::default(), &whole).await;
    assert!(made.is_err() || made.is_ok_and(|made| user_of(&made) == "alice"));
    stage.told("database", "Ready", "True", "ProvisionedSuccessfully").await;

    // Everybody acts in their own name: bob changes, alice binds, bob unbinds, alice gives back.
    let changed = bob.change(json!({"spec": {"parameters": {"size": 9}, "userInfo": forged}})).await;
    assert_eq!(user_of(&changed), "bob");
    eventually(&stage.instances(), "database", |it| {
        let ready = it.status.as_ref().and_then(|it| it.extension.condition("Ready"));
        ready.is_some_and(|it| it.status == "True" && it.observed_generation == changed.metadata.generation)
    })
    .await
    .unwrap();
    let binding = json!({
        "metadata": {"name": "access"}, "spec": {"instanceRef": {"name": "database"}, "userInfo": {"username": "bob"}},
    });
    alice.bindings.create(&PostParams::default(), &serde_json::from_value(binding).unwrap()).await.unwrap();
    stage.bound("access", "True", "InjectedBindResult").await;
    let back = Patch::Merge(json!({"spec": {"existsExternally": false}}));
    bob.bindings.patch("access", &PatchParams::default(), &back).await.unwrap();
    gone(&stage.bindings(), "access").await.unwrap();
    alice.change(json!({"spec": {"existsExternally": false}})).await;
    gone(&stage.instances(), "database").await.unwrap();

    for (route, who) in [
        (Route::Provision, "alice"),
        (Route::Update, "bob"),
        (Route::Bind, "alice"),
        (Route::Unbind, "bob"),
        (Route::Deprovision, "alice"),
    ] {
        let seen: Vec<_> = broker.seen_of(route).iter().map(|seen| seen.username().unwrap()).collect();
        assert_eq!(seen, [who], "{route:?}");
        let groups = broker.seen_of(route)[0].identity().unwrap()["groups"].clone();
        assert!(!groups.as_array().unwrap().contains(&json!("system:masters")), "{groups}");
    }
    for seen in broker.seen().iter().filter(|seen| seen.route != Route::Catalog) {
        let who = seen.username().unwrap();
        assert!(["alice", "bob"].contains(&who.as_str()), "{:?} was asked by {who}", seen.route);
    }
    // A plain DELETE carries the last writer of the spec, whoever deletes.
    let mut spec = stage.plan("small");
    spec["parameters"] = json!({"size": 1});
    let second = serde_json::from_value(json!({"metadata": {"name": "database"}, "spec": spec})).unwrap();
    alice.instances.create(&PostParams::default(), &second).await.unwrap();
    stage.told("database", "Ready", "True", "ProvisionedSuccessfully").await;
    bob.instances.delete("database", &DeleteParams::default()).await.unwrap();
    gone(&stage.instances(), "database").await.unwrap();
    assert_eq!(broker.seen_of(Route::Deprovision)[1].username().as_deref(), Some("alice"));
}
