//! What may happen to a request on its way to a cluster and back.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{Method, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Frame};
use kube::client::Body;

/// What goes back to the client.
pub(super) type Answer = Response<Content>;
type Content = UnsyncBoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

/// Something that happens to requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mishap {
    /// It is refused with this code, and with so many seconds to wait.
    Refused(StatusCode, Option<u64>),
    /// It takes longer.
    Late(Duration),
    /// The connection breaks before the cluster hears of it.
    LostBefore,
    /// A write is done, and the connection breaks before the answer.
    LostAfter,
    /// The connection of a watch breaks after its first event.
    WatchBroken,
    /// The revision that a watch or a list goes on from is no longer kept.
    Expired,
}

impl Mishap {
    /// Of how many requests to which it can happen it happens to one.
    fn one_of(self) -> u64 {
        if self == Self::WatchBroken { 2 } else { 5 }
    }

    fn may_befall(self, method: &Method, path: &str) -> bool {
        let is_write = !matches!(*method, Method::GET | Method::HEAD);
        let asked = path.split_once('?').map_or("", |(_, asked)| asked);
        let has = |wanted: &str| asked.split('&').any(|pair| pair.starts_with(wanted));
        let watches = has("watch=1") || has("watch=true");
        let version = asked.split('&').find_map(|pair| pair.strip_prefix("resourceVersion="));
        let goes_on = version.is_some_and(|version| !matches!(version, "" | "0"));
        match self {
            Self::LostAfter => is_write,
            Self::WatchBroken => watches,
            Self::Expired => has("continue=") || watches && goes_on,
            // A watch that begins late is like any other.
            Self::Late(_) | Self::Refused(..) | Self::LostBefore => true,
        }
    }

    /// What happens before the cluster hears of the request.
    pub(super) async fn before(self) -> Result<Befallen, kube::Error> {
        match self {
            Self::Refused(code, wait) => Ok(Befallen::Answered(refusal(code, wait))),
            Self::Late(span) => {
                tokio::time::sleep(span).await;
                Ok(Befallen::Nothing)
            }
            Self::LostBefore => Err(lost()),
            Self::LostAfter => Ok(Befallen::LosesAnswer),
            Self::WatchBroken => Ok(Befallen::BreaksOff),
            Self::Expired => Ok(Befallen::Answered(refusal(StatusCode::GONE, None))),
        }
    }
}

/// What has happened to a request, or will.
pub(super) enum Befallen {
    Nothing,
    Answered(Answer),
    LosesAnswer,
    BreaksOff,
}

impl Befallen {
    /// What happens to the cluster's answer.
    pub(super) fn after(self, answer: Response<Body>) -> Result<Answer, kube::Error> {
        let answer = answer.map(|content| content.map_err(Into::into).boxed_unsync());
        match self {
            Self::Nothing | Self::Answered(_) => Ok(answer),
            Self::LosesAnswer => Err(lost()),
            Self::BreaksOff => Ok(answer.map(|inner| Broken { inner, left: 1 }.boxed_unsync())),
        }
    }
}

/// A day on which something happens to some requests.
#[derive(Debug)]
pub(super) struct BadDay {
    mishap: Mishap,
    lot: u64,
    hits: usize,
}

impl BadDay {
    pub(super) fn new(mishap: Mishap, seed: u64) -> Self {
        Self { mishap, lot: seed, hits: 0 }
    }

    pub(super) fn hits(&self) -> usize {
        self.hits
    }

    pub(super) fn befalls(&mut self, method: &Method, path: &str) -> Option<Mishap> {
        if !self.mishap.may_befall(method, path) {
            return None;
        }
        // Steps of a well-known generator: any spread will do.
        self.lot = self.lot.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if !(self.lot >> 33).is_multiple_of(self.mishap.one_of()) {
            return None;
        }
        self.hits += 1;
        Some(self.mishap)
    }
}

fn refusal(code: StatusCode, wait: Option<u64>) -> Answer {
    let reason = match code {
        StatusCode::TOO_MANY_REQUESTS => "TooManyRequests",
        StatusCode::UNAUTHORIZED => "Unauthorized",
        StatusCode::GONE => "Expired",
        StatusCode::SERVICE_UNAVAILABLE => "ServiceUnavailable",
        _ => "InternalError",
    };
    let status = serde_json::json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "reason": reason, "message": format!("a bad day: {code}"), "code": code.as_u16(),
    });
    let body = Full::new(Bytes::from(status.to_string()));
    let mut answer = Response::new(body.map_err(|never| match never {}).boxed_unsync());
    *answer.status_mut() = code;
    answer.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    if let Some(seconds) = wait {
        answer.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    answer
}

fn lost() -> kube::Error {
    kube::Error::Service("the connection is lost".into())
}

/// An answer that breaks off.
struct Broken {
    inner: Content,
    left: usize,
}

impl hyper::body::Body for Broken {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.left == 0 {
            return Poll::Ready(Some(Err(lost().into())));
        }
        self.left -= 1;
        match Pin::new(&mut self.inner).poll_frame(context) {
            Poll::Pending => {
                self.left += 1;
                Poll::Pending
            }
            frame @ Poll::Ready(_) => frame,
        }
    }
}
