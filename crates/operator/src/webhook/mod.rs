//! The webhook that notes who last changed an object: the one thing that admission policies cannot do.
//!
//! An object of the service catalog carries in `spec.userInfo` the identity that its broker is told of. Users cannot
//! write it: on every change the webhook sets it to whoever makes the change, or back to what it was ([`identity`]).
//!
//! Its certificate is its own affair (module `authority`): an authority is made once and kept in a Secret that all processes
//! share; each process has a certificate of its own from it, and the configuration of the webhook is told whom to
//! believe.

mod answer;
mod authority;
mod configuration;
pub mod identity;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use extension::{CancellationToken, Clock};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use kube::Client;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

pub use configuration::Reach;

/// How the webhook is served and reached.
#[derive(Debug, Clone)]
pub struct WebhookOptions {
    /// Where it answers.
    pub listen: SocketAddr,
    /// The namespace of the Secret in which its authority is kept.
    pub namespace: String,
    /// The name of that Secret.
    pub secret: String,
    /// The name of the `MutatingWebhookConfiguration`.
    pub configuration: String,
    /// How the API server reaches it.
    pub reach: Reach,
    /// The namespaces whose objects it is asked about; all if there are none. Where another makes the configuration, that
    /// is theirs to say.
    pub namespaces: Vec<String>,
}

/// Why the webhook cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// The address is not to be had.
    #[error(transparent)]
    Listen(#[from] io::Error),
    /// The server refuses what it needs.
    #[error(transparent)]
    Server(#[from] kube::Error),
    /// No certificate can be made.
    #[error("no certificate: {0}")]
    Certificate(String),
}

/// Serves the webhook until it is told to stop, and returns when it is ready to be asked.
pub async fn serve(
    client: &Client,
    options: &WebhookOptions,
    clock: &Clock,
    stop: CancellationToken,
) -> Result<SocketAddr, WebhookError> {
    let listener = TcpListener::bind(options.listen).await?;
    let address = listener.local_addr()?;
    let authority = authority::of(client, options, clock.now()).await?;
    let acceptor = TlsAcceptor::from(Arc::new(authority.server_config(&options.reach.names(), clock.now())?));
    configuration::tell(client, options, address, &authority.certificate).await?;
    tracing::info!(%address, "the webhook is served");
    tokio::spawn(async move {
        loop {
            let stream = tokio::select! {
                () = stop.cancelled() => return,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    Err(_) => continue,
                },
            };
            let (acceptor, stop) = (acceptor.clone(), stop.clone());
            tokio::spawn(async move {
                tokio::select! {
                    () = connection(acceptor, stream) => {}
                    () = stop.cancelled() => {}
                }
            });
        }
    });
    Ok(address)
}

async fn connection(acceptor: TlsAcceptor, stream: TcpStream) {
    // A connection that breaks is the server's affair: it asks again.
    if let Ok(stream) = acceptor.accept(stream).await {
        let builder = auto::Builder::new(TokioExecutor::new());
        let _ = builder.serve_connection(TokioIo::new(stream), service_fn(answer::answer)).await;
    }
}
