//! The server on a socket of this machine, plain or with TLS.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use crate::server::Dock;

/// A server that answers on a socket. It stops when this is dropped.
#[derive(Debug)]
pub struct Serving {
    address: SocketAddr,
    certificate: Option<String>,
    stop: watch::Sender<bool>,
}

/// A certificate for the loopback addresses could not be made.
#[derive(Debug, thiserror::Error)]
#[error("no certificate could be made: {0}")]
pub struct CertificateError(String);

/// Why a server could not be brought to a socket.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The socket is not to be had.
    #[error("the address cannot be listened on: {0}")]
    Listen(#[from] io::Error),
    /// The certificate is not to be had.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
}

impl Serving {
    /// Where it answers.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address as a client writes it.
    pub fn url(&self) -> String {
        let scheme = if self.certificate.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// The certificate of the authority to trust, if the socket has TLS.
    pub fn certificate(&self) -> Option<&str> {
        self.certificate.as_deref()
    }

    /// A kubeconfig for it, with a token if one is given.
    pub fn kubeconfig(&self, token: Option<&str>) -> String {
        use base64::Engine;
        let authority = self.certificate.as_ref().map_or_else(String::new, |certificate| {
            format!(
                "\n    certificate-authority-data: {}",
                base64::prelude::BASE64_STANDARD.encode(certificate)
            )
        });
        let user = token.map_or_else(|| " {}".to_owned(), |token| format!("\n    token: {token}"));
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: dock\nclusters:\n- name: dock\n  cluster:\n    server: {}{authority}\nusers:\n- name: dock\n  user:{user}\ncontexts:\n- name: dock\n  context:\n    cluster: dock\n    user: dock\n",
            self.url()
        )
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}

impl Dock {
    /// Answers on a loopback port, which is chosen if it is zero, without TLS.
    pub async fn serve(&self, port: u16) -> Result<Serving, ServeError> {
        self.serve_on(port, None).await
    }

    /// Answers on a loopback port with TLS and a certificate made for it.
    pub async fn serve_tls(&self, port: u16) -> Result<Serving, ServeError> {
        let (config, certificate) = certificate()?;
        self.serve_on(port, Some((TlsAcceptor::from(Arc::new(config)), certificate))).await
    }

    async fn serve_on(&self, port: u16, tls: Option<(TlsAcceptor, String)>) -> Result<Serving, ServeError> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let address = listener.local_addr()?;
        let (stop, mut stopped) = watch::channel(false);
        let (acceptor, certificate) = tls.unzip();
        let dock = self.clone();
        tokio::spawn(async move {
            loop {
                let stream = tokio::select! {
                    accepted = listener.accept() => match accepted {
                        Ok((stream, _)) => stream,
                        // The connection was gone before it was taken.
                        Err(_) => continue,
                    },
                    _ = stopped.changed() => return,
                };
                let dock = dock.clone();
                let acceptor = acceptor.clone();
                let mut stopped = stopped.clone();
                tokio::spawn(async move {
                    tokio::select! {
                        () = connection(dock, acceptor, stream) => {}
                        _ = stopped.changed() => {}
                    }
                });
            }
        });
        Ok(Serving { address, certificate, stop })
    }
}

async fn connection(dock: Dock, acceptor: Option<TlsAcceptor>, stream: TcpStream) {
    // Without it small answers wait for the client's acknowledgement.
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(dock);
    let builder = auto::Builder::new(TokioExecutor::new());
    // A connection that breaks is the client's affair.
    match acceptor {
        Some(acceptor) => {
            if let Ok(stream) = acceptor.accept(stream).await {
                let _ = builder.serve_connection(TokioIo::new(stream), service).await;
            }
        }
        None => {
            let _ = builder.serve_connection(TokioIo::new(stream), service).await;
        }
    }
}

/// A certificate for the loopback addresses, signed by itself.
fn certificate() -> Result<(rustls::ServerConfig, String), CertificateError> {
    let failed = |error: &dyn std::fmt::Display| CertificateError(error.to_string());
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).map_err(|error| failed(&error))?;
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error))?
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .map_err(|error| failed(&error))?;
    // Go's clients share one connection if they may.
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok((config, made.cert.pem()))
}
