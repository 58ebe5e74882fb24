//! Faults on demand, in this process and over a socket.

mod wire;

use std::time::{Duration, Instant};

use bytes::Bytes;
use dock::faults::{ConnectionLost, Fault, Which};
use dock::{Dock, Serving};
use http::Response;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tower_service::Service;

use wire::{Exchange, request};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn config_map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})
}

async fn dock() -> Dock {
    Dock::builder().controllers(false).start().await
}

/// One request on a connection of its own.
async fn over_socket(
    serving: &Serving,
    method: &str,
    path: &str,
    body: &Value,
) -> hyper::Result<Response<Incoming>> {
    let stream = TcpStream::connect(serving.address()).await.expect("a connection");
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake::<_, Full<Bytes>>(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    sender.send_request(request(method, path, body, &[("host", "dock")])).await
}

#[tokio::test]
async fn refusals_have_the_codes_and_headers_of_the_real_server() {
    let dock = Dock::builder()
        .controllers(false)
        .fault(Which::verb("create").name("many-*").times(1), Fault::too_many_requests(3))
        .fault(Which::verb("create").name("broken"), Fault::internal_error("etcd is away"))
        .fault(Which::verb("create").name("away"), Fault::unavailable())
        .fault(
            Which::verb("create").name("denied"),
            Fault::denied_by_webhook("hook.example.org", "not today"),
        )
        .start()
        .await;
    for (name, code, reason, message, retry) in [
        (
            "many-1",
            429,
            "TooManyRequests",
            "The server has received too many requests and has asked us to try again later",
            Some("3"),
        ),
        ("broken", 500, "InternalError", "Internal error occurred: etcd is away", None),
        ("away", 503, "ServiceUnavailable", "the server is currently unable to handle the request", None),
        (
            "denied",
            403,
            "Forbidden",
            "admission webhook \"hook.example.org\" denied the request: not today",
            None,
        ),
    ] {
        let refused = dock.ask("POST", MAPS, &config_map(name)).await;
        assert_eq!((refused.code, refused.retry_after.as_deref()), (code, retry), "{name}");
        assert_eq!((&refused.body["reason"], &refused.body["message"]), (&json!(reason), &json!(message)));
        assert_eq!(dock.ask("GET", &format!("{MAPS}/{name}"), &Value::Null).await.code, 404);
    }
    assert_eq!(dock.ask("POST", MAPS, &config_map("many-1")).await.code, 201, "it was for one request only");
}

#[tokio::test]
async fn a_connection_breaks_before_or_after_the_deed() {
    let dock = dock().await;
    let serving = dock.serve(0).await.expect("a socket");
    dock.faults().inject(Which::verb("create").name("reset*"), Fault::Reset);
    let lost = dock.faults().inject(Which::verb("create").name("lost*"), Fault::LoseAnswer);
    for (name, done) in [("reset-1", false), ("lost-1", true)] {
        assert_eq!(dock.try_ask("POST", MAPS, &config_map(name), &[]).await.err(), Some(ConnectionLost));
        let found = dock.ask("GET", &format!("{MAPS}/{name}"), &Value::Null).await.code;
        assert_eq!(found, if done { 200 } else { 404 }, "{name}");
    }
    for (name, done) in [("reset-2", false), ("lost-2", true)] {
        let error = over_socket(&serving, "POST", MAPS, &config_map(name)).await.expect_err("no answer");
        assert!(error.is_incomplete_message(), "{error:?}");
        let found =
            over_socket(&serving, "GET", &format!("{MAPS}/{name}"), &Value::Null).await.expect("an answer");
        assert_eq!(found.status().as_u16(), if done { 200 } else { 404 }, "{name}");
    }
    assert_eq!(lost.hits(), 2);
    lost.remove();
    assert_eq!(dock.ask("POST", MAPS, &config_map("lost-3")).await.code, 201);
}

#[tokio::test]
async fn which_requests_are_met_is_a_matter_of_verb_place_count_and_lot() {
    let dock = dock().await;
    let secrets =
        dock.faults().inject(Which::any().resource("secrets").namespace("other"), Fault::unavailable());
    let third = dock.faults().inject(Which::read().resource("configmaps").nth(3), Fault::unavailable());
    let user = dock.faults().inject(Which::any().user("jane"), Fault::unavailable());
    let mut codes = Vec::new();
    for _ in 0..4 {
        codes.push(dock.ask("GET", MAPS, &Value::Null).await.code);
    }
    assert_eq!((codes, third.hits()), (vec![200, 200, 503, 200], 1));
    assert_eq!(dock.ask("GET", "/api/v1/namespaces/default/secrets", &Value::Null).await.code, 200);
    assert_eq!(dock.ask("GET", "/api/v1/namespaces/other/secrets", &Value::Null).await.code, 503);
    assert_eq!(dock.ask_with("GET", MAPS, &Value::Null, &[("impersonate-user", "jane")]).await.code, 503);
    assert_eq!((secrets.hits(), user.hits()), (1, 1));
    dock.faults().clear();
    let lots = dock.faults().inject(Which::any().probability(0.5, 7), Fault::unavailable());
    let mut drawn = Vec::new();
    for _ in 0..20 {
        drawn.push(dock.ask("GET", MAPS, &Value::Null).await.code == 503);
    }
    assert_eq!(drawn.iter().filter(|met| **met).count() as u64, lots.hits());
    assert!((4..=16).contains(&lots.hits()), "{drawn:?}");
}

#[tokio::test]
async fn requests_wait() {
    let dock = dock().await;
    dock.faults().inject(Which::verb("list"), Fault::Delay(Duration::from_millis(80)));
    let begun = Instant::now();
    assert_eq!(dock.ask("GET", MAPS, &Value::Null).await.code, 200);
    assert!(begun.elapsed() >= Duration::from_millis(80));
}

/// The next line of a watch; nothing at its end.
async fn line<B>(body: &mut B) -> Result<Option<Value>, B::Error>
where
    B: http_body::Body<Data = Bytes> + Unpin,
{
    let Some(frame) = body.frame().await else { return Ok(None) };
    let bytes = frame?.into_data().unwrap_or_default();
    Ok(serde_json::from_slice(&bytes).ok())
}

#[tokio::test]
async fn a_watch_breaks_in_the_middle() {
    let dock = dock().await;
    let serving = dock.serve(0).await.expect("a socket");
    for name in ["a", "b", "c"] {
        assert_eq!(dock.ask("POST", MAPS, &config_map(name)).await.code, 201);
    }
    dock.faults().inject(Which::verb("watch"), Fault::CutWatch(2));
    let path = format!("{MAPS}?watch=true");
    let response = dock.clone().call(request("GET", &path, &Value::Null, &[])).await.expect("an answer");
    let mut body = response.into_body();
    for _ in 0..2 {
        assert_eq!(line(&mut body).await.expect("an event").expect("an event")["type"], "ADDED");
    }
    assert_eq!(line(&mut body).await, Err(ConnectionLost));

    let response = over_socket(&serving, "GET", &path, &Value::Null).await.expect("an answer");
    let mut body = response.into_body();
    let mut told = 0;
    let error = loop {
        match line(&mut body).await {
            Ok(Some(_)) => told += 1,
            Ok(None) => panic!("the watch ended well after {told} events"),
            Err(error) => break error,
        }
    };
    assert!(told <= 2, "{error:?}");
}

#[tokio::test]
async fn watches_end_and_revisions_expire_for_everybody() {
    let dock = dock().await;
    let first = dock.ask("POST", MAPS, &config_map("a")).await.body["metadata"]["resourceVersion"].clone();
    let path = format!("{MAPS}?watch=true&resourceVersion={}", first.as_str().expect("a revision"));
    let response = dock.clone().call(request("GET", &path, &Value::Null, &[])).await.expect("an answer");
    let mut body = response.into_body();
    dock.faults().drop_watches();
    assert_eq!(line(&mut body).await, Ok(None));

    let page = dock.ask("GET", &format!("{MAPS}?limit=1"), &Value::Null).await;
    assert_eq!(page.code, 200);
    assert_eq!(dock.ask("POST", MAPS, &config_map("b")).await.code, 201);
    dock.faults().expire_revisions();
    let response = dock.clone().call(request("GET", &path, &Value::Null, &[])).await.expect("an answer");
    let event = line(&mut response.into_body()).await.expect("an event").expect("an event");
    assert_eq!((&event["type"], &event["object"]["code"]), (&json!("ERROR"), &json!(410)));
}

#[tokio::test]
async fn chosen_requests_meet_expired_revisions() {
    let dock = dock().await;
    for name in ["a", "b"] {
        assert_eq!(dock.ask("POST", MAPS, &config_map(name)).await.code, 201);
    }
    dock.faults().inject(Which::verbs(&["list", "watch"]), Fault::Expire);
    let page = dock.ask("GET", &format!("{MAPS}?limit=1"), &Value::Null).await;
    assert_eq!(page.code, 200, "a list that begins anew is well");
    let token = page.body["metadata"]["continue"].as_str().expect("a token").to_owned();
    let next = dock.ask("GET", &format!("{MAPS}?limit=1&continue={token}"), &Value::Null).await;
    assert_eq!((next.code, &next.body["reason"]), (410, &json!("Expired")));
    let revision = page.body["metadata"]["resourceVersion"].as_str().expect("a revision");
    let watch = format!("{MAPS}?watch=true&resourceVersion={revision}");
    let response = dock.clone().call(request("GET", &watch, &Value::Null, &[])).await.expect("an answer");
    assert_eq!(response.status(), 200);
    let event = line(&mut response.into_body()).await.expect("an event").expect("an event");
    assert_eq!((&event["type"], &event["object"]["reason"]), (&json!("ERROR"), &json!("Expired")));
}
