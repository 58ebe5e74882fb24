//! What is sent, to the letter: headers, queries, bodies; and what is not believed of what comes.

use std::sync::Arc;
use std::time::Duration;

use brokers::{Answer, Behaviour, Route, Scripted};
use osb::{
    Auth, BindingId, Broker, Client, ClientError, FailureKind, Fetched, InstanceId, Operation, Poll,
    RetryAfter, Secret, Trust, TrustError, Verdict,
};
use serde_json::json;

use crate::asked::{alice, ask, bind, client, offer, provision};
use crate::rows::{Outcome, Request};

const PATIENCE: Duration = Duration::from_secs(10);

#[tokio::test]
async fn every_request_says_its_version_itself_and_the_user() {
    let broker = Scripted::start(Behaviour::default()).await.unwrap();
    let client = client(&format!("{}/", broker.url()), PATIENCE);
    let by = alice();
    client.catalog().await.unwrap();
    let id = InstanceId("a/b c".into());
    client.provision(&id, &provision(), Some(&by)).await;
    let binding = BindingId { instance: id.clone(), binding: "b?".into() };
    client.bind(&binding, &bind(), Some(&by)).await;
    client.unbind(&binding, &offer(), Some(&by)).await;
    client.deprovision(&id, &offer(), None).await;
    client.poll_instance(Operation::Deprovision, &id, &offer(), Some("a b&c=%é"), Some(&by)).await;

    let seen = broker.seen();
    let mut identities = std::collections::HashSet::new();
    for request in &seen {
        assert_eq!(request.headers["x-broker-api-version"], "2.17");
        assert_eq!(request.headers["authorization"], "Basic YWRtaW46cGFzc3dvcmQ=");
        assert!(identities.insert(&request.headers["x-broker-api-request-identity"]));
    }
    let users: Vec<_> = seen.iter().map(brokers::Seen::username).collect();
    let alice = Some("alice".to_owned());
    assert_eq!(users, [None, alice.clone(), alice.clone(), alice.clone(), None, alice]);
    assert_eq!(
        seen[1].identity().unwrap(),
        json!({"username": "alice", "uid": "7", "groups": ["developers"], "extra": {}})
    );
    assert_eq!(seen[1].instance, "a/b c");
    assert_eq!(seen[1].query["accepts_incomplete"], "true");
    assert_eq!(seen[1].headers["content-type"], "application/json");
    assert_eq!(
        seen[1].body,
        json!({
            "service_id": "service-database", "plan_id": "plan-small", "organization_guid": "c1", "space_guid": "n1",
            "context": {"platform": "kubernetes", "namespace": "shop", "clusterid": "c1"}, "parameters": {"size": 3},
        })
    );
    assert_eq!((seen[2].instance.as_str(), seen[2].binding.as_str()), ("a/b c", "b?"));
    for deletion in &seen[3..5] {
        let query = &deletion.query;
        assert_eq!(query["service_id"], "service-database");
        assert_eq!(query["plan_id"], "plan-small");
        assert_eq!(query["accepts_incomplete"], "true");
    }
    assert_eq!(seen[5].query["operation"], "a b&c=%é");
}

#[tokio::test]
async fn tokens_are_sent_in_place_of_passwords() {
    let broker = Scripted::start(Behaviour::default()).await.unwrap();
    let auth = Auth::Bearer(Secret("t0ken".into()));
    let client =
        Client::new(&Broker { url: broker.url(), auth, trust: Trust::System, timeout: PATIENCE }).unwrap();
    client.catalog().await.unwrap();
    assert_eq!(broker.seen()[0].headers["authorization"], "Bearer t0ken");
}

#[tokio::test]
async fn answers_are_read_to_a_limit() {
    let broker = Scripted::start(Behaviour::default()).await.unwrap();
    let client = client(&broker.url(), PATIENCE);
    let large = format!(r#"{{"filler":"{}"}}"#, "x".repeat(3 << 20));
    broker.next(Route::Provision, Answer::new(201, large.clone()));
    let (came, failure) = ask(&client, Request::Change(Operation::Provision), "i", "").await;
    let failure = failure.unwrap();
    assert_eq!((came, failure.orphan), (Outcome::Unsettled, true));
    assert_eq!(failure.description, "the answer is malformed: it is too large");
    broker.next(
        Route::Catalog,
        Answer::new(200, format!(r#"{{"services":[],"filler":"{}"}}"#, "x".repeat(17 << 20))),
    );
    let error = client.catalog().await.unwrap_err();
    assert_eq!(error.to_string(), "the catalog cannot be read: it is larger than 16777216 bytes");
}

#[tokio::test]
async fn brokers_say_when_to_come_back() {
    let broker = Scripted::start(Behaviour::default()).await.unwrap();
    let client = client(&broker.url(), PATIENCE);
    let id = InstanceId("i".into());
    broker.next(Route::PollInstance, Answer::new(200, r#"{"state":"in progress"}"#).with("retry-after", "7"));
    let poll = client.poll_instance(Operation::Provision, &id, &offer(), None, None).await;
    let Poll::InProgress { retry_after, .. } = poll else { panic!("{poll:?}") };
    assert_eq!(retry_after, Some(RetryAfter::In(Duration::from_secs(7))));
    broker.next(Route::Provision, Answer::new(429, "{}").with("retry-after", "30"));
    let verdict = client.provision(&id, &provision(), None).await;
    let Verdict::Failed(failure) = verdict else { panic!("{verdict:?}") };
    assert_eq!(failure.kind, FailureKind::Postponed);
    assert_eq!(failure.retry_after, Some(RetryAfter::In(Duration::from_secs(30))));
}

#[tokio::test]
async fn failures_tell_what_is_left_of_an_instance() {
    let broker = Scripted::start(Behaviour::default()).await.unwrap();
    let client = client(&broker.url(), PATIENCE);
    let words =
        r#"{"state":"failed","description":"half of it","instance_usable":false,"update_repeatable":false}"#;
    broker.next(Route::PollInstance, Answer::new(200, words));
    let (_, failure) = ask(&client, Request::Poll(Operation::Update), "i", "").await;
    let failure = failure.unwrap();
    assert_eq!((failure.instance_usable, failure.update_repeatable), (false, false));
    assert_eq!(failure.to_string(), "Description: half of it");
    broker.next(Route::PollInstance, Answer::new(200, r#"{"state":"failed"}"#));
    let (_, failure) = ask(&client, Request::Poll(Operation::Deprovision), "i", "").await;
    assert!(failure.unwrap().instance_usable, "unless it is said, it can be used");
}

#[tokio::test]
async fn credentials_come_and_are_not_shown() {
    let broker = Scripted::start(Behaviour::default()).await.unwrap();
    let client = client(&broker.url(), PATIENCE);
    ask(&client, Request::Change(Operation::Provision), "i", "").await;
    let id = BindingId { instance: InstanceId("i".into()), binding: "b".into() };
    let verdict = client.bind(&id, &bind(), None).await;
    assert!(!format!("{verdict:?}").contains("password-b"), "{verdict:?}");
    let Verdict::Done(body) = verdict else { panic!("{verdict:?}") };
    assert_eq!(body.credentials.unwrap().0["password"], "password-b");
    let fetched = client.fetch_binding(&id, &offer(), None).await;
    let Fetched::There(body) = fetched else { panic!("{fetched:?}") };
    assert_eq!(body.credentials.unwrap().0["port"], 5432);
}

#[tokio::test]
async fn an_authority_can_be_named() {
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate =
        rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let tls = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            rustls::pki_types::PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        )
        .unwrap();
    let broker = Scripted::start_tls(Behaviour::default(), Arc::new(tls)).await.unwrap();
    let with = |trust| Client::new(&Broker { url: broker.url(), auth: Auth::None, trust, timeout: PATIENCE });
    with(Trust::Authorities(certificate.pem().into_bytes())).unwrap().catalog().await.unwrap();
    with(Trust::Anybody).unwrap().catalog().await.unwrap();
    let stranger = with(Trust::System).unwrap();
    stranger.catalog().await.unwrap_err();
    let (came, _) = ask(&stranger, Request::Change(Operation::Provision), "i", "").await;
    assert_eq!(came, Outcome::Postponed, "nothing was sent to whom nobody vouches for");
    let nothing = with(Trust::Authorities(b"no certificate".to_vec())).unwrap_err();
    assert!(matches!(nothing, ClientError::Tls(TrustError::NoAuthority)), "{nothing}");
}
