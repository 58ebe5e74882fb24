//! Operations and their steps, as a collector hears of them.

#![expect(clippy::unwrap_used, reason = "a test whose surroundings fail should fail")]

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use api::Bundle;
use extension::{CancellationToken, Environment};
use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use operator::logs::Form;
use operator::{Options, traces};
use serde_json::{Value, json};
use support::{Cluster, create, eventually};
use tokio::net::TcpListener;

/// A collector on a loopback port, and what it was told.
async fn collector() -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let told: Arc<Mutex<Vec<Value>>> = Arc::default();
    let heard = Arc::clone(&told);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let heard = Arc::clone(&heard);
            tokio::spawn(async move {
                let service = service_fn(|request: http::Request<Incoming>| {
                    let heard = Arc::clone(&heard);
                    async move {
                        assert_eq!(request.uri().path(), "/v1/traces");
                        assert_eq!(request.headers()["content-type"], "application/json");
                        let body = request.into_body().collect().await.unwrap().to_bytes();
                        heard.lock().unwrap().push(serde_json::from_slice(&body).unwrap());
                        Ok::<_, Infallible>(http::Response::new(Empty::<Bytes>::new()))
                    }
                });
                let http = hyper::server::conn::http1::Builder::new();
                let _ = http.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    (format!("http://{address}/v1/traces"), told)
}

/// All spans so far, with their attributes as one object.
fn spans(told: &Mutex<Vec<Value>>) -> Vec<Value> {
    let mut spans = Vec::new();
    for batch in told.lock().unwrap().iter() {
        let resource = &batch["resourceSpans"][0];
        assert_eq!(resource["resource"]["attributes"][0]["value"]["stringValue"], "slipway-operator");
        for span in resource["scopeSpans"][0]["spans"].as_array().unwrap() {
            let mut span = span.clone();
            let listed = span["attributes"].take();
            span["attributes"] = json!({});
            for one in listed.as_array().unwrap() {
                span["attributes"][one["key"].as_str().unwrap()] = one["value"]["stringValue"].clone();
            }
            spans.push(span);
        }
    }
    spans
}

fn map(name: &str, kind: &str) -> Value {
    let object = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": name}});
    json!({"name": name, "spec": {"object": object}})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_hears_of_operations_and_of_their_steps() {
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let (endpoint, told) = collector().await;
    // Logs of a level that has no spans do not keep traces from having them.
    let traces = traces::begin(Form::Text, "error", &endpoint).unwrap();
    let stop = CancellationToken::new();
    let sending = tokio::spawn(traces.send(stop.clone()));

    let cluster = Cluster::dock(dock::Dock::builder().start().await);
    let namespace = cluster.namespace().await.unwrap();
    let environment = Environment::new(cluster.client(), "slipway-operator");
    let options = Options { install_definitions: true, ..Options::default() };
    let operator = operator::prepare(environment, options, operator::controllers::controllers).await.unwrap();
    let end = CancellationToken::new();
    let running = tokio::spawn(operator.run(end.clone()));
    let bundles = namespace.api::<Bundle>();
    let ready = |bundle: &Bundle| {
        let status = bundle.status.as_ref().map(|status| &status.extension);
        status.and_then(|status| status.condition("Ready")).is_some_and(|ready| ready.status == "True")
    };
    let bundle = json!({"metadata": {"name": "shop"}, "spec": {"resources": [map("one", "ConfigMap")]}});
    create(&bundles, bundle).await.unwrap();
    eventually(&bundles, "shop", ready).await.unwrap();
    let wrong = json!({"metadata": {"name": "wrong"}, "spec": {"resources": [map("two", "Unheard")]}});
    create(&bundles, wrong).await.unwrap();

    let key = format!("{}/shop", namespace.name());
    let begun = Instant::now();
    let (operation, failed) = loop {
        let spans = spans(&told);
        let made =
            spans.iter().find(|it| it["name"] == "bundles Create" && it["attributes"]["slipway.key"] == *key);
        let failed = spans.iter().find(|it| it["status"]["code"] == 2);
        if let (Some(made), Some(failed)) = (made, failed) {
            break (made.clone(), failed.clone());
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{spans:#?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert_eq!(operation["attributes"]["slipway.result"], "succeeded");
    assert_eq!(operation["parentSpanId"], Value::Null);
    assert!(failed["status"]["message"].as_str().unwrap().contains("Unheard"), "{failed}");

    let spans = spans(&told);
    let apply =
        spans.iter().find(|it| it["parentSpanId"] == operation["spanId"] && it["name"] == "apply").unwrap();
    assert_eq!(apply["traceId"], operation["traceId"]);
    assert!(apply["attributes"]["slipway.object"].as_str().unwrap().contains("one"), "{apply}");
    let nanoseconds = |span: &Value, field: &str| span[field].as_str().unwrap().parse::<u128>().unwrap();
    assert!(nanoseconds(&operation, "startTimeUnixNano") <= nanoseconds(apply, "startTimeUnixNano"));
    assert!(nanoseconds(apply, "endTimeUnixNano") <= nanoseconds(&operation, "endTimeUnixNano"));

    // All is told before the end.
    bundles.delete("shop", &kube::api::DeleteParams::default()).await.unwrap();
    support::gone(&bundles, "shop").await.unwrap();
    end.cancel();
    running.await.unwrap().unwrap();
    stop.cancel();
    sending.await.unwrap();
    assert!(self::spans(&told).iter().any(|span| span["name"] == "bundles Delete"));
}
