//! A whole life of an instance and a binding, with a broker made with `openbrokerapi` that does everything asynchronously.

use brokers::OpenBroker;
use k8s_openapi::api::core::v1::Secret;
use kube::api::DeleteParams;
use serde_json::json;
use support::{eventually, gone};

use crate::stage::Stage;

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_and_a_binding_live_and_go_in_order() {
    let broker = match OpenBroker::start(&["--polls", "1", "--retry-after", "0"]) {
        Ok(broker) => broker,
        Err(why) => return eprintln!("skipped an_instance_and_a_binding_live_and_go_in_order: {why}"),
    };
    let stage = Stage::start(&broker.url()).await;
    stage.buy("alice", "database").await;
    let ready = stage.told("database", "Ready", "True", "ProvisionedSuccessfully").await;
    let id = ready.status.unwrap().backing.external_id.unwrap();
    assert_eq!(broker.instances()[&id]["parameters"], json!({"size": 3}));
    assert_eq!(ready.spec.user_info.unwrap().username, "alice");

    let mut larger = json!({"spec": stage.plan("large")});
    larger["spec"]["parameters"] = json!({"size": 9});
    stage.by("bob", "PATCH", "serviceinstances", "database", &larger).await.unwrap();
    eventually(&stage.instances(), "database", |it| {
        it.status.as_ref().is_some_and(|it| it.plan_name.as_deref() == Some("large"))
    })
    .await
    .unwrap();
    assert_eq!(broker.instances()[&id]["plan"], "plan-large");

    let binding = json!({
        "apiVersion": "servicecatalog.slipway.dev/v1alpha1", "kind": "ServiceBinding", "metadata": {"name": "access"},
        "spec": {
            "instanceRef": {"name": "database"}, "secretName": "credentials",
            "secretTransforms": [
                {"renameKey": {"from": "username", "to": "USER"}},
                {"addKey": {"key": "url", "jsonPathExpression": "pg://{.username}:{.port}"}},
            ],
        },
    });
    stage.by("alice", "POST", "servicebindings", "", &binding).await.unwrap();
    let secrets = stage.namespace.api::<Secret>();
    let secret = eventually(&secrets, "credentials", |_| true).await.unwrap();
    let data = secret.data.unwrap();
    let text = |key: &str| String::from_utf8(data[key].0.clone()).unwrap();
    assert_eq!(
        (text("USER"), text("url"), text("port")),
        ("user".into(), "pg://user:5432".into(), "5432".into())
    );
    eventually(&stage.bindings(), "access", |it| {
        let status = it.status.as_ref().map(|it| &it.extension);
        status.and_then(|it| it.condition("Ready")).is_some_and(|it| it.status == "True")
    })
    .await
    .unwrap();

    // A plain DELETE of the instance waits for the binding, and says so.
    stage.instances().delete("database", &DeleteParams::default()).await.unwrap();
    let blocked = stage.told("database", "Ready", "False", "DeprovisionBlockedByExistingCredentials").await;
    let blocked = blocked.status.unwrap().extension;
    assert!(blocked.condition("Ready").unwrap().message.ends_with("access"));
    stage.bindings().delete("access", &DeleteParams::default()).await.unwrap();
    gone(&stage.bindings(), "access").await.unwrap();
    gone(&secrets, "credentials").await.unwrap();
    gone(&stage.instances(), "database").await.unwrap();
    assert_eq!(broker.instances(), json!({}));

    // In every flow the broker heard of the user who changed the spec, and never of the operator.
    for request in broker.seen() {
        let about = request["path"].as_str().unwrap();
        if about == "/v2/catalog" {
            assert_eq!(request["username"], json!(null));
        } else {
            assert!(["alice", "bob"].contains(&request["username"].as_str().unwrap()), "{request}");
        }
    }
    let users = |method: &str| -> Vec<String> {
        let all = broker.seen().into_iter().filter(|it| it["method"] == method);
        all.map(|it| it["username"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(users("PATCH"), ["bob"]);
    assert_eq!(users("PUT"), ["alice", "alice"]);
}
