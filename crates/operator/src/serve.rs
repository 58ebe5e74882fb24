//! Probes and measurements over HTTP: `/healthz`, `/readyz` and `/metrics`.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;

use bytes::Bytes;
use extension::{CancellationToken, Health, Metrics};
use http::{Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;

/// Answers until it is told to stop. Returns the address, and begins at once.
pub async fn serve(
    listen: SocketAddr,
    metrics: Metrics,
    health: Health,
    stop: CancellationToken,
) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(listen).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        loop {
            let stream = tokio::select! {
                () = stop.cancelled() => return,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(_) => continue,
                },
            };
            let (metrics, health, stop) = (metrics.clone(), health.clone(), stop.clone());
            tokio::spawn(async move {
                let service = service_fn(move |request: Request<Incoming>| {
                    let answer = answer(request.uri().path(), &metrics, &health);
                    async move { Ok::<_, Infallible>(answer) }
                });
                let builder = auto::Builder::new(TokioExecutor::new());
                tokio::select! {
                    _ = builder.serve_connection(TokioIo::new(stream), service) => {}
                    () = stop.cancelled() => {}
                }
            });
        }
    });
    Ok(address)
}

fn answer(path: &str, metrics: &Metrics, health: &Health) -> Response<Full<Bytes>> {
    let (status, text) = match path {
        "/healthz" | "/livez" => (StatusCode::OK, "ok\n".to_owned()),
        "/readyz" => match health.unready().as_slice() {
            [] => (StatusCode::OK, "ok\n".to_owned()),
            unready => (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {}\n", unready.join(", "))),
        },
        "/metrics" => (StatusCode::OK, metrics.render()),
        _ => (StatusCode::NOT_FOUND, "there are /healthz, /readyz and /metrics\n".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    let text = header::HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, text);
    response
}
