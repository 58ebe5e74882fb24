//! Pipes: an actuator of its own, for something that is not in the cluster.

use std::net::SocketAddr;

use bytes::Bytes;
use extension::{Actuator, ActuatorError, Context, ErrorCode, Extension, ExtensionStatus, Outcome};
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kube::{CustomResource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A pipe of the waterworks.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "waterworks.example.org",
    version = "v1",
    kind = "Pipe",
    namespaced,
    status = "ExtensionStatus"
)]
pub(crate) struct PipeSpec {
    /// How wide it is, in millimetres.
    pub(crate) width: u32,
}

impl Extension for Pipe {
    fn status(&self) -> Option<&ExtensionStatus> {
        self.status.as_ref()
    }

    fn status_mut(&mut self) -> &mut ExtensionStatus {
        self.status.get_or_insert_default()
    }
}

/// Lays pipes at the waterworks.
pub(crate) struct Pipes {
    address: SocketAddr,
    password: String,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl Pipes {
    /// With the password of the waterworks at that address.
    pub(crate) fn new(address: SocketAddr, password: &str) -> Self {
        let client = Client::builder(TokioExecutor::new()).build_http();
        Self { address, password: password.to_owned(), client }
    }

    async fn ask(&self, method: Method, pipe: &Pipe) -> Result<(), ActuatorError> {
        let name = format!("{}.{}", pipe.namespace().unwrap_or_default(), pipe.name_any());
        let request = Request::builder()
            .method(method)
            .uri(format!("http://{}/pipes/{name}", self.address))
            .header("password", &self.password)
            .body(Full::from(pipe.spec.width.to_string()))
            .map_err(|error| ActuatorError::new(error.to_string()).fatal())?;
        let unreachable = |error: hyper_util::client::legacy::Error| {
            ActuatorError::new(format!("the waterworks are not reached: {error}"))
                .code(ErrorCode::Dependencies)
        };
        match self.client.request(request).await.map_err(unreachable)?.status() {
            StatusCode::OK => Ok(()),
            StatusCode::UNAUTHORIZED => Err(ActuatorError::new("the waterworks do not take the password")
                .code(ErrorCode::Unauthenticated)),
            other => Err(ActuatorError::new(format!("the waterworks answered {other}"))),
        }
    }
}

impl Actuator for Pipes {
    type Object = Pipe;

    async fn reconcile(&self, context: &mut Context<Pipe>) -> Result<Outcome, ActuatorError> {
        self.ask(Method::PUT, &context.object).await?;
        Ok(Outcome::done().condition("Ready", true, "Laid", "water runs"))
    }

    async fn delete(&self, context: &mut Context<Pipe>) -> Result<Outcome, ActuatorError> {
        self.ask(Method::DELETE, &context.object).await?;
        Ok(Outcome::done())
    }

    /// The pipe is removed if that is possible; if not it stays where it is, and that is said.
    async fn force_delete(&self, context: &mut Context<Pipe>) -> Result<Outcome, ActuatorError> {
        match self.delete(context).await {
            Ok(outcome) => Ok(outcome),
            Err(error) => Ok(Outcome::done().describe(format!("the pipe stays at the waterworks: {error}"))),
        }
    }

    /// The waterworks know the pipe by its name: there is nothing to export.
    async fn migrate(&self, _: &mut Context<Pipe>) -> Result<Outcome, ActuatorError> {
        Ok(Outcome::done())
    }

    async fn restore(&self, context: &mut Context<Pipe>) -> Result<Outcome, ActuatorError> {
        self.reconcile(context).await
    }
}
