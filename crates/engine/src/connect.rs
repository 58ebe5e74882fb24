//! How a cluster is reached.

use hyper_timeout::TimeoutConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kube::client::{Body, ConfigExt as _};
use kube::{Client, Config, Error};
use tower::{BoxError, ServiceBuilder};

/// A client of a cluster. It asks nothing again by itself.
///
/// It is the one that `kube` makes, but for one thing: what is sent is not held back until what was sent before has been
/// confirmed. Servers confirm late what they do not answer, and the end of a TLS handshake is not answered, so the first
/// request of every connection would wait for 40 ms. Through a proxy it does.
pub fn connect(mut config: Config) -> Result<Client, Error> {
    config.default_retry = false;
    if config.proxy_url.is_some() {
        return Client::try_from(config);
    }
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    let mut connector = TimeoutConnector::new(config.rustls_https_connector_with_connector(tcp)?);
    connector.set_connect_timeout(config.connect_timeout);
    connector.set_read_timeout(config.read_timeout);
    connector.set_write_timeout(config.write_timeout);
    connector.set_reset_reader_on_write(config.reset_reader_on_write);
    let client = hyper_util::client::legacy::Builder::new(TokioExecutor::new()).build::<_, Body>(connector);
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .service(client);
    Ok(Client::new(service, config.default_namespace))
}
