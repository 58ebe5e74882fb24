//! What is answered from outside.

use std::net::SocketAddr;

use extension::{CancellationToken, Health, Metrics};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

async fn get(address: SocketAddr, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: operator\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn probes_and_measurements_are_answered() {
    let (metrics, health, stop) = (Metrics::default(), Health::default(), CancellationToken::new());
    let address = operator::serve::serve(
        SocketAddr::from(([127, 0, 0, 1], 0)),
        metrics.clone(),
        health.clone(),
        stop.clone(),
    )
    .await
    .unwrap();
    assert_eq!(get(address, "/healthz").await, (200, "ok\n".to_owned()));
    assert_eq!(get(address, "/readyz").await, (200, "ok\n".to_owned()), "a spare is ready");
    health.set("bundles", false);
    assert_eq!(get(address, "/readyz").await, (503, "not ready: bundles\n".to_owned()));
    health.set("bundles", true);
    assert_eq!(get(address, "/readyz").await.0, 200);
    metrics.count("slipway_test_total", "A test.", &[("kind", "a")]);
    let (code, text) = get(address, "/metrics").await;
    assert_eq!(code, 200);
    assert!(text.contains("# TYPE slipway_test_total counter\nslipway_test_total{kind=\"a\"} 1\n"), "{text}");
    assert_eq!(get(address, "/").await.0, 404);
    stop.cancel();
}
