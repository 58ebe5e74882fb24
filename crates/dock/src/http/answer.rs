//! What goes back: an object, a text, or a stream of events.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Response, StatusCode, header};
use http_body::{Body, Frame, SizeHint};
use serde_json::Value;
use tokio::sync::mpsc;

use super::accept::Encoding;
use crate::faults::ConnectionLost;
use crate::status::Status;
use crate::wire::protobuf::{MEDIA_TYPE, STREAM_TYPE, encode};

/// An answer before it is written.
#[derive(Debug)]
pub struct Answer {
    /// The status code.
    pub code: StatusCode,
    /// The content.
    pub content: Content,
    /// What the `Warning` headers say.
    pub warnings: Vec<String>,
    /// Other headers.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// After how many seconds the client may come back; 0 if that is not said.
    pub retry_after: u64,
}

/// The content of an answer.
#[derive(Debug)]
pub enum Content {
    /// An object.
    Object(Value),
    /// An object already written as JSON.
    Json(Bytes),
    /// JSON under another content type.
    Typed(&'static str, Bytes),
    /// Plain text.
    Text(String),
    /// Events as they happen.
    Stream(mpsc::Receiver<Bytes>),
    /// Events, of which so many are told before the connection breaks.
    Cut(mpsc::Receiver<Bytes>, usize),
    /// Nothing: the connection breaks.
    Lost,
}

impl Answer {
    /// An object, with 200.
    pub fn object(object: Value) -> Self {
        Self::with(StatusCode::OK, Content::Object(object))
    }

    /// Anything, with a code.
    pub fn with(code: StatusCode, content: Content) -> Self {
        Self { code, content, warnings: Vec::new(), headers: Vec::new(), retry_after: 0 }
    }

    /// Adds a header, unless its value cannot stand in one.
    pub fn header(&mut self, name: HeaderName, value: &str) {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.push((name, value));
        }
    }

    /// What the server says to a path it does not know.
    pub fn page_not_found() -> Self {
        Self::with(StatusCode::NOT_FOUND, Content::Text("404 page not found\n".into()))
    }

    /// None: the connection breaks.
    pub fn lost() -> Self {
        Self::with(StatusCode::OK, Content::Lost)
    }

    /// A stream that breaks after so many events.
    #[must_use]
    pub fn cut_after(mut self, events: usize) -> Self {
        self.content = match self.content {
            Content::Stream(stream) => Content::Cut(stream, events),
            content => content,
        };
        self
    }

    /// Writes it.
    ///
    /// # Errors
    /// There is nothing to write: the connection breaks.
    pub fn into_response(self, encoding: Encoding) -> Result<Response<AnswerBody>, ConnectionLost> {
        let (kind, body) = match self.content {
            Content::Object(object) if encoding == Encoding::Yaml => {
                ("application/yaml", AnswerBody::full(goyaml::to_string(&object).unwrap_or_default().into()))
            }
            Content::Object(object) => match protobuf(&object, encoding) {
                Some(bytes) => (MEDIA_TYPE, AnswerBody::full(bytes.into())),
                None => ("application/json", AnswerBody::full(object.to_string().into())),
            },
            Content::Json(bytes) => ("application/json", AnswerBody::full(bytes)),
            Content::Typed(kind, bytes) => (kind, AnswerBody::full(bytes)),
            Content::Text(text) => ("text/plain; charset=utf-8", AnswerBody::full(text.into())),
            Content::Stream(events) if encoding == Encoding::Protobuf => {
                (STREAM_TYPE, AnswerBody::Stream(events))
            }
            Content::Stream(events) => ("application/json", AnswerBody::Stream(events)),
            Content::Cut(events, left) => ("application/json", AnswerBody::Cut(events, left)),
            Content::Lost => return Err(ConnectionLost),
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.code;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        response.headers_mut().extend(self.headers);
        for warning in self.warnings {
            let text = warning.replace('\\', "\\\\").replace('"', "\\\"");
            if let Ok(value) = HeaderValue::from_str(&format!("299 - \"{text}\"")) {
                response.headers_mut().append(header::WARNING, value);
            }
        }
        if self.retry_after > 0 {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(self.retry_after));
        }
        Ok(response)
    }
}

/// The object in protobuf, if that is wanted and there is such a form of it.
fn protobuf(object: &Value, encoding: Encoding) -> Option<Vec<u8>> {
    (encoding == Encoding::Protobuf).then(|| encode(object)).flatten()
}

impl From<Status> for Answer {
    fn from(status: Status) -> Self {
        let retry_after = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
        Self { retry_after, ..Self::with(status.code, Content::Object(status.to_value())) }
    }
}

/// The body of an answer.
#[derive(Debug)]
pub enum AnswerBody {
    /// All of it at once; nothing once it was taken.
    Full(Option<Bytes>),
    /// Piece by piece.
    Stream(mpsc::Receiver<Bytes>),
    /// So many pieces, then the connection breaks.
    Cut(mpsc::Receiver<Bytes>, usize),
}

impl AnswerBody {
    fn full(bytes: Bytes) -> Self {
        Self::Full(Some(bytes))
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = ConnectionLost;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ConnectionLost>>> {
        match self.get_mut() {
            Self::Full(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::Stream(events) => {
                events.poll_recv(context).map(|event| event.map(|bytes| Ok(Frame::data(bytes))))
            }
            Self::Cut(_, 0) => Poll::Ready(Some(Err(ConnectionLost))),
            Self::Cut(events, left) => events.poll_recv(context).map(|event| {
                *left -= 1;
                event.map(|bytes| Ok(Frame::data(bytes)))
            }),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Full(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Full(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Self::Stream(_) | Self::Cut(..) => SizeHint::default(),
        }
    }
}
