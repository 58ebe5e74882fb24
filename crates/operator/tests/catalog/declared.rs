//! The declarative delete: refused and taken back, or done.

use brokers::OpenBroker;
use kube::ResourceExt as _;
use serde_json::json;
use support::gone;

use crate::stage::Stage;

#[tokio::test(flavor = "multi_thread")]
async fn a_user_without_the_right_is_refused_and_takes_it_back_and_one_with_it_succeeds() {
    let broker = match OpenBroker::start(&["--polls", "1", "--may-delete", "alice", "--retry-after", "0"]) {
        Ok(broker) => broker,
        Err(why) => return eprintln!("skipped a_user_without_the_right_is_refused: {why}"),
    };
    let stage = Stage::start(&broker.url()).await;
    stage.buy("bob", "database").await;
    let ready = stage.told("database", "Ready", "True", "ProvisionedSuccessfully").await;
    let before = (ready.status.as_ref().unwrap().backing.external_id.clone().unwrap(), broker.instances());

    stage.exists("bob", "database", false).await;
    let refused = stage.told("database", "Failed", "True", "DeprovisionCallFailed").await;
    let status = refused.status.unwrap();
    let words = "Status: 403; ErrorMessage: Forbidden; Description: bob may not delete this";
    assert_eq!(status.extension.condition("Failed").unwrap().message, words);
    assert_eq!(status.extension.condition("Ready").unwrap().message, words);

    // While it is so, nothing else may change.
    let other = json!({"spec": {"parameters": {"size": 4}}});
    let error =
        stage.by("bob", "PATCH", "serviceinstances", "database", &other).await.unwrap_err().to_string();
    assert!(error.contains("while spec.existsExternally is false"), "{error}");

    stage.exists("bob", "database", true).await;
    let again = stage.told("database", "Ready", "True", "ProvisionedSuccessfully").await;
    assert_eq!(again.status.unwrap().backing.external_id.unwrap(), before.0);
    assert_eq!(broker.instances(), before.1, "the instance is untouched");
    let deletes = || broker.seen().into_iter().filter(|it| it["method"] == "DELETE").collect::<Vec<_>>();
    assert_eq!(deletes().len(), 1, "a refusal is not argued with");

    stage.exists("alice", "database", false).await;
    gone(&stage.instances(), "database").await.unwrap();
    assert_eq!(broker.instances(), json!({}));
    let users: Vec<_> = deletes().iter().map(|it| it["username"].clone()).collect();
    assert_eq!(users, ["bob", "alice"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retained_object_is_deleted_without_a_word_to_the_broker() {
    let broker = brokers::Scripted::start(brokers::Behaviour::default()).await.unwrap();
    let mut stage = Stage::start(&broker.url()).await;
    stage.fall().await;
    stage.retain = true;
    stage.rise();
    stage.buy("alice", "database").await;
    stage.told("database", "Ready", "True", "ProvisionedSuccessfully").await;
    stage.exists("alice", "database", false).await;
    let left = stage.told("database", "Deleted", "True", "DeprovisionedSuccessfully").await;
    assert!(left.metadata.deletion_timestamp.is_none());
    let body = json!({"spec": {"existsExternally": true}});
    let error =
        stage.by("alice", "PATCH", "serviceinstances", "database", &body).await.unwrap_err().to_string();
    assert!(error.contains("only be deleted"), "{error}");
    let asked = broker.seen().len();
    stage.by("bob", "DELETE", "serviceinstances", &left.name_any(), &json!({})).await.unwrap();
    gone(&stage.instances(), "database").await.unwrap();
    assert_eq!(broker.seen().len(), asked);
}
