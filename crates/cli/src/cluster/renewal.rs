//! A client whose credentials are had anew when the server no longer takes them.

use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::task::{Context, Poll};

use http::{Request, Response, StatusCode};
use kube::Client;
use kube::client::Body;
use tower_service::Service;

use super::Connection;

/// Asks as before, and reads the kubeconfig again, with whatever program it names, after a 401.
#[derive(Clone)]
pub(super) struct Renewing {
    connection: Arc<Connection>,
    client: Arc<RwLock<(u64, Client)>>,
}

impl Renewing {
    pub(super) fn new(connection: Connection, client: Client) -> Self {
        Self { connection: Arc::new(connection), client: Arc::new(RwLock::new((0, client))) }
    }

    fn current(&self) -> (u64, Client) {
        self.client.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A client with new credentials, unless another request has had them already.
    async fn renewed(&self, used: u64) -> Option<Client> {
        let (number, client) = self.current();
        if number != used {
            return Some(client);
        }
        let config = self.connection.config().await.ok()?;
        let client = engine::connect(config).ok()?;
        *self.client.write().unwrap_or_else(PoisonError::into_inner) = (used + 1, client.clone());
        Some(client)
    }

    async fn send(self, request: Request<Body>) -> Result<Response<Body>, kube::Error> {
        let (parts, body) = request.into_parts();
        let bytes = body.collect_bytes().await?;
        let request = || Request::from_parts(parts.clone(), Body::from(bytes.clone()));
        let (number, client) = self.current();
        let answer = client.send(request()).await?;
        if answer.status() != StatusCode::UNAUTHORIZED {
            return Ok(answer);
        }
        match self.renewed(number).await {
            Some(client) => client.send(request()).await,
            None => Ok(answer),
        }
    }
}

impl Service<Request<Body>> for Renewing {
    type Response = Response<Body>;
    type Error = kube::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, kube::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), kube::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        Box::pin(self.clone().send(request))
    }
}
