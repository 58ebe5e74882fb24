//! From an HTTP request to an answer.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode, header, request};
use http_body::Body;
use http_body_util::{BodyExt, Limited};

use super::accept::{Accept, Encoding, check_route, content, not_acceptable, unsupported};
use super::answer::{Answer, AnswerBody, Content};
use super::options::{Options, decode};
use super::path::{Path, Target};
use super::user::User;
use crate::faults::{ConnectionLost, Fault, expired};
use crate::requests::{Call, PATCH_TYPES};
use crate::server::{Dock, Server};
use crate::status::Status;
use crate::wire::discovery;

/// A request may not be larger.
const LIMIT: usize = 3 * 1024 * 1024;

impl<B> tower_service::Service<Request<B>> for Dock
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<AnswerBody>;
    type Error = ConnectionLost;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, ConnectionLost>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), ConnectionLost>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let server = self.server().clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            server.respond(parts, body).await
        })
    }
}

impl Server {
    async fn respond<B>(
        self: Arc<Self>,
        parts: request::Parts,
        body: B,
    ) -> Result<Response<AnswerBody>, ConnectionLost>
    where
        B: Body,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let encoding = Accept::of(&parts.headers).map_or(Encoding::Json, |accept| accept.encoding);
        let answer = match Limited::new(body, LIMIT).collect().await {
            Ok(body) => self.answer(&parts, body.to_bytes()).await.unwrap_or_else(Answer::from),
            Err(_) => Status::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "RequestEntityTooLarge",
                format!("Request entity too large: limit is {LIMIT}"),
            )
            .into(),
        };
        answer.into_response(encoding)
    }

    async fn answer(self: &Arc<Self>, parts: &request::Parts, body: Bytes) -> Result<Answer, Status> {
        let user = self.user(&parts.headers)?;
        let path = decode(&parts.uri.path().replace('+', "%2B"));
        match Path::parse(&path) {
            Path::Version => Ok(Answer::object(discovery::version())),
            Path::Health => Ok(Answer::with(StatusCode::OK, Content::Text("ok".into()))),
            Path::CoreVersions => Ok(discovery::core(&self.registry, &parts.headers)),
            Path::Groups => Ok(discovery::groups(&self.registry, &parts.headers)),
            Path::Group(group) => discovery::group(&self.registry, group),
            Path::Resources { group, version } => discovery::resources(&self.registry, group, version),
            Path::OpenApi3 => Ok(Answer::object(self.documents.index(&self.registry))),
            Path::OpenApi3Group { group, version } => {
                let query = parts.uri.query().unwrap_or_default();
                Ok(self.documents.document(&self.registry, (group, version), query, &parts.headers))
            }
            Path::OpenApi2 | Path::Unknown => Ok(Answer::page_not_found()),
            Path::Resource(target) => self.resource(parts, target, user, body).await,
        }
    }

    /// Who asks, if anybody who is known.
    fn user(&self, headers: &HeaderMap) -> Result<User, Status> {
        let token = headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.strip_prefix("Bearer "));
        let user = self
            .tokens
            .user(token)
            .ok_or_else(|| Status::new(StatusCode::UNAUTHORIZED, "Unauthorized", "Unauthorized"))?;
        user.acting(headers)
    }

    async fn resource(
        self: &Arc<Self>,
        parts: &request::Parts,
        target: Target<'_>,
        user: User,
        body: Bytes,
    ) -> Result<Answer, Status> {
        let own = self.registry.is_own(target.group, target.version);
        let nowhere = || if own { Err(Status::no_such_resource()) } else { Ok(Answer::page_not_found()) };
        let Some(resource) = self.registry.find(target.group, target.version, target.resource) else {
            return nowhere();
        };
        // Objects of the cluster have no namespace in their path, and single objects in namespaces need one.
        let in_namespace = !target.namespace.is_empty();
        if in_namespace != resource.namespaced && (in_namespace || !target.name.is_empty()) {
            return nowhere();
        }
        let deprecation = resource.deprecation(target.version).map(str::to_owned);
        if !target.subresource.is_empty()
            && resource.subresource(target.version, target.subresource).is_none()
        {
            if !resource.is_custom() {
                return nowhere();
            }
            return Ok(warned(Status::not_found(resource.name(), target.name), deprecation));
        }
        let text = |name: header::HeaderName| {
            parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
        };
        let content_type = text(header::CONTENT_TYPE).split(';').next().unwrap_or_default().trim().to_owned();
        let writes_object = matches!(parts.method, Method::POST | Method::PUT)
            || parts.method == Method::DELETE && !body.is_empty();
        if !resource.is_custom() {
            let patch_types = (parts.method == Method::PATCH).then_some(&PATCH_TYPES[..]);
            let streams = parts.method == Method::GET && target.name.is_empty();
            check_route(&parts.headers, patch_types, streams, target.subresource == "log")?;
        }
        let understood = || {
            let accept = Accept::of(&parts.headers)?;
            let encoding = if writes_object { content(&parts.headers)? } else { Encoding::Json };
            if resource.is_custom() {
                refuse_protobuf(accept.encoding, encoding)?;
            }
            Ok((accept, encoding, Options::parse(parts.uri.query().unwrap_or_default())?))
        };
        let (accept, encoding, options) = match understood() {
            Ok(understood) => understood,
            Err(status) => return Ok(warned(status, deprecation)),
        };
        let call = Call {
            resource,
            version: target.version.into(),
            namespace: target.namespace.into(),
            name: target.name.into(),
            subresource: target.subresource.into(),
            options,
            user,
            user_agent: text(header::USER_AGENT),
            accept,
            encoding,
            content_type,
            body,
            now: self.clock.now(),
            warnings: Mutex::new(deprecation.into_iter().collect()),
        };
        if self.faults.is_empty() {
            return self.dispatch(&parts.method, call).await;
        }
        let line = format!("{} {}", parts.method, parts.uri);
        match self.faults.meet(&line, &call).await {
            Some(Fault::Refuse(status)) => Err(status),
            Some(Fault::Reset) => Ok(Answer::lost()),
            Some(Fault::LoseAnswer) => {
                // Whatever came of it: nobody learns it.
                let _ = self.dispatch(&parts.method, call).await;
                Ok(Answer::lost())
            }
            Some(Fault::CutWatch(events)) => Ok(self.dispatch(&parts.method, call).await?.cut_after(events)),
            Some(Fault::Expire) if call.options.watch => Ok(call.expired_watch()),
            Some(Fault::Expire) => Err(expired(&call)),
            Some(Fault::Delay(_)) | None => self.dispatch(&parts.method, call).await,
        }
    }

    async fn dispatch(self: &Arc<Self>, method: &Method, call: Call) -> Result<Answer, Status> {
        let verb = verb(method.as_str(), &call);
        // Custom resources have no routes of their own, so a missing name is noticed late.
        if call.resource.is_custom() && call.name.is_empty() && matches!(*method, Method::PUT | Method::PATCH)
        {
            return Ok(warned(Status::bad_request("name must be provided"), call.take_warnings()));
        }
        let verbs = match call.resource.subresource(&call.version, &call.subresource) {
            Some(subresource) => subresource.verbs,
            None => call.resource.verbs,
        };
        if !verbs.contains(&verb) {
            let words = "the server does not allow this method on the requested resource";
            let mut status = Status::new(StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed", words);
            status.details = Some(Box::default());
            // Those that have routes of their own are refused before anybody looks at the version.
            let warnings = if call.resource.is_custom() { call.take_warnings() } else { Vec::new() };
            return Ok(warned(status, warnings));
        }
        if verb == "watch" {
            let warnings = call.take_warnings();
            let mut answer = self.watch(call).unwrap_or_else(Answer::from);
            answer.warnings = warnings;
            return Ok(answer);
        }
        let outcome = match (&*call.subresource, verb) {
            ("", "create") if call.resource.traits.review => self.review(&call).await,
            ("", "create") => self.create(&call).await,
            ("", "list") => self.list(&call),
            ("", "delete") => self.delete(&call).await,
            ("", "deletecollection") => self.delete_collection(&call).await,
            (
                "" | "status" | "scale" | "finalize" | "approval" | "ephemeralcontainers" | "resize",
                "update",
            ) => self.update(&call).await,
            ("" | "status" | "scale" | "approval" | "ephemeralcontainers" | "resize", "patch") => {
                self.patch(&call).await
            }
            ("" | "status" | "approval" | "ephemeralcontainers" | "resize", "get") => self.get(&call),
            ("scale", "get") => self.get_scale(&call),
            ("log", _) => self.log(&call),
            ("eviction", _) => self.evict(&call).await,
            ("binding", _) => self.bind(&call).await,
            ("token", _) => self.token(&call).await,
            _ => Ok(Answer::page_not_found()),
        };
        // Warnings are told whether or not the request was granted.
        let mut answer = outcome.unwrap_or_else(Answer::from);
        answer.warnings = call.take_warnings();
        Ok(answer)
    }
}

/// A refusal to somebody who uses what is deprecated.
fn warned(status: Status, warnings: impl IntoIterator<Item = String>) -> Answer {
    let mut answer = Answer::from(status);
    answer.warnings.extend(warnings);
    answer
}

/// Custom resources have no protobuf.
fn refuse_protobuf(wanted: Encoding, sent: Encoding) -> Result<(), Status> {
    const KNOWN: [&str; 2] = ["application/json", "application/yaml"];
    match (wanted, sent) {
        (Encoding::Protobuf, _) => Err(not_acceptable(&KNOWN)),
        (_, Encoding::Protobuf) => Err(unsupported(&KNOWN)),
        _ => Ok(()),
    }
}

impl Call {
    /// The verb of the request whose line this is.
    pub(crate) fn verb(&self, line: &str) -> &'static str {
        verb(line.split(' ').next().unwrap_or_default(), self)
    }
}

fn verb(method: &str, call: &Call) -> &'static str {
    match method {
        "GET" | "HEAD" if call.options.watch && call.subresource.is_empty() => "watch",
        "GET" | "HEAD" if call.name.is_empty() => "list",
        "GET" | "HEAD" => "get",
        // Where no route says otherwise, a name in the path of a new object is of no account.
        "POST" if call.name.is_empty() || !call.subresource.is_empty() || call.resource.is_custom() => {
            "create"
        }
        "PUT" if !call.name.is_empty() => "update",
        "PATCH" if !call.name.is_empty() => "patch",
        "DELETE" if call.name.is_empty() => "deletecollection",
        "DELETE" => "delete",
        _ => "",
    }
}
