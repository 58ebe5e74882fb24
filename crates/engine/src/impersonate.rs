//! A client that acts as a ServiceAccount: whatever it asks for is decided by that account's rights.

use std::pin::Pin;
use std::task::{Context, Poll};

use http::{HeaderName, HeaderValue, Request, Response};
use kube::client::Body;
use kube::{Client, Error};
use tower_service::Service;

/// A client that acts as a ServiceAccount of a namespace. The client it is made from needs the right to impersonate it.
pub fn as_account(client: &Client, namespace: &str, account: &str) -> Client {
    let user = format!("system:serviceaccount:{namespace}:{account}");
    let groups = [
        "system:serviceaccounts".to_owned(),
        format!("system:serviceaccounts:{namespace}"),
        "system:authenticated".to_owned(),
    ];
    let named = |name: &'static str, value: &str| {
        Some((HeaderName::from_static(name), HeaderValue::from_str(value).ok()?))
    };
    // The names of namespaces and accounts are checked by the server; one that no header can carry is nobody's.
    let user = named("impersonate-user", &user).or_else(|| named("impersonate-user", "system:anonymous"));
    let groups = groups.iter().filter_map(|group| named("impersonate-group", group));
    let headers = user.into_iter().chain(groups).collect();
    Client::new(Impersonating { client: client.clone(), headers }, namespace)
}

#[derive(Clone)]
struct Impersonating {
    client: Client,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Service<Request<Body>> for Impersonating {
    type Response = Response<Body>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        for (name, value) in &self.headers {
            request.headers_mut().append(name.clone(), value.clone());
        }
        let client = self.client.clone();
        Box::pin(async move { client.send(request).await })
    }
}
