//! A client that asks again when the server is busy, starting, or was not reached.
//!
//! A run looks after its own requests: it has other things to do meanwhile, and sends fewer when it is told to. All else
//! (what is read for a plan, locks, records) is asked for by this client. Whoever writes with it must cope with a write
//! that was done although nobody was told so.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response, StatusCode, header};
use kube::client::Body;
use kube::{Client, Error};
use tower_service::Service;

/// So often a request is sent.
const ATTEMPTS: u32 = 8;
/// The first pause; each is twice as long as the one before.
const PAUSE: Duration = Duration::from_millis(50);
/// Whoever asks for a longer pause gets this one.
const LONGEST: Duration = Duration::from_secs(10);

/// A client that asks again when the server is busy or was not reached. A write that failed at first may have been
/// done.
pub fn patient(client: &Client) -> Client {
    Client::new(Patient(client.clone()), client.default_namespace())
}

#[derive(Clone)]
struct Patient(Client);

impl Service<Request<Body>> for Patient {
    type Response = Response<Body>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let client = self.0.clone();
        Box::pin(send(client, request))
    }
}

async fn send(client: Client, request: Request<Body>) -> Result<Response<Body>, Error> {
    let (parts, body) = request.into_parts();
    let bytes = body.collect_bytes().await?;
    let mut attempt = 0;
    loop {
        attempt += 1;
        let answer = client.send(Request::from_parts(parts.clone(), Body::from(bytes.clone()))).await;
        let may_pass = answer.as_ref().map_or(true, |answer| may_pass(answer.status()));
        if !may_pass || attempt >= ATTEMPTS {
            return answer;
        }
        let grown = PAUSE * 2_u32.pow(attempt);
        let asked = answer.ok().and_then(|answer| asked_to_wait(&answer));
        tokio::time::sleep(asked.unwrap_or(grown).min(LONGEST)).await;
    }
}

/// Whether a server may answer better later.
fn may_pass(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS
            | StatusCode::INTERNAL_SERVER_ERROR
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    )
}

/// When it says that it will.
fn asked_to_wait(answer: &Response<Body>) -> Option<Duration> {
    let asked = answer.headers().get(header::RETRY_AFTER)?;
    asked.to_str().ok()?.parse().ok().map(Duration::from_secs)
}
