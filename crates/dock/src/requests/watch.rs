//! GET with `watch`: changes as they happen.

use std::sync::Arc;
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use http::StatusCode;
use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::call::Call;
use super::list::{Selection, parse_revision};
use super::read::partial;
use crate::field::{FieldError, Path};
use crate::http::accept::{Accept, Encoding, Shape};
use crate::http::answer::{Answer, Content};
use crate::server::Server;
use crate::status::Status;
use crate::store::{Event, EventKind, Revision, Stored};
use crate::wire::protobuf::encode_event;
use crate::wire::table;

/// So many events wait for a slow reader.
const WAITING: usize = 100;
/// A reader that asked for them is told how far it is so often.
const BOOKMARKS: Duration = Duration::from_mins(1);
/// A watch without a timeout of its own lasts so long.
const LONGEST: i64 = 30 * 60;

impl Server {
    /// Answers a GET with `watch`.
    pub(crate) fn watch(self: &Arc<Self>, call: Call) -> Result<Answer, Status> {
        check_options(&call)?;
        let selection = call.selection()?;
        let wanted = parse_revision(&call)?;
        let range = call.resource.range(&call.namespace);
        let streaming = call.options.send_initial_events == Some(true);
        let (sender, receiver) = mpsc::channel(WAITING);
        let (present, revision, events) =
            if streaming || wanted.is_none() && call.options.send_initial_events.is_none() {
                let (snapshot, events) = self.store.list_and_follow(range);
                (snapshot.objects, snapshot.revision, events)
            } else {
                let revision = wanted.unwrap_or_else(|| self.store.revision());
                let oldest = call.resource.watched_from();
                let events = if revision < oldest {
                    Err(oldest)
                } else {
                    self.store.follow(range, revision).map_err(|compacted| compacted.oldest + 1)
                };
                match events {
                    Ok(events) => (Vec::new(), revision, events),
                    Err(oldest) => {
                        let words = format!("too old resource version: {revision} ({oldest})");
                        // The answer is a stream that holds nothing but the refusal.
                        let _ = sender.try_send(written(&call, "ERROR", &Status::expired(words).to_value()));
                        return Ok(Answer::with(StatusCode::OK, Content::Stream(receiver)));
                    }
                }
            };
        let server = self.clone();
        let watch = Watch { call, selection, sender, revision, streaming, first: true };
        tokio::spawn(async move { watch.run(&server, present, events).await });
        Ok(Answer::with(StatusCode::OK, Content::Stream(receiver)))
    }
}

impl Call {
    /// A watch that tells nothing but that its revision is no longer kept.
    pub(crate) fn expired_watch(&self) -> Answer {
        let (sender, receiver) = mpsc::channel(1);
        let words = format!("too old resource version: {}", self.options.resource_version);
        let _ = sender.try_send(written(self, "ERROR", &Status::expired(words).to_value()));
        Answer::with(StatusCode::OK, Content::Stream(receiver))
    }
}

struct Watch {
    call: Call,
    selection: Selection,
    sender: mpsc::Sender<Bytes>,
    revision: Revision,
    streaming: bool,
    /// The columns of a table are told once.
    first: bool,
}

/// The reader is gone.
struct Closed;

impl Watch {
    async fn run(
        mut self,
        server: &Server,
        present: Vec<Stored>,
        mut events: mpsc::UnboundedReceiver<Arc<Event>>,
    ) {
        for stored in &present {
            if self.selection.matches(&stored.object) && self.tell("ADDED", &stored.object).await.is_err() {
                return;
            }
        }
        if self.streaming && self.call.options.allow_watch_bookmarks && self.bookmark(true).await.is_err() {
            return;
        }
        let seconds = self.call.options.timeout_seconds.filter(|seconds| *seconds > 0).unwrap_or(LONGEST);
        let end = server.clock.sleep_until(self.call.now + SignedDuration::from_secs(seconds));
        let mut bookmarks = tokio::time::interval(BOOKMARKS);
        bookmarks.tick().await;
        tokio::pin!(end);
        loop {
            let told = tokio::select! {
                event = events.recv() => match event {
                    Some(event) => self.event(&event).await,
                    None => return,
                },
                _ = bookmarks.tick(), if self.call.options.allow_watch_bookmarks => self.bookmark(false).await,
                () = self.sender.closed() => return,
                () = &mut end => return,
            };
            if told.is_err() {
                return;
            }
        }
    }

    async fn event(&mut self, event: &Event) -> Result<(), Closed> {
        self.revision = event.revision;
        let before = event.previous.as_ref().is_some_and(|previous| self.selection.matches(&previous.object));
        let after = event.kind != EventKind::Deleted && self.selection.matches(&event.object);
        match (before, after) {
            (false, false) => Ok(()),
            (false, true) => self.tell_event("ADDED", event).await,
            (true, true) => self.tell_event("MODIFIED", event).await,
            (true, false) if event.kind == EventKind::Deleted => self.tell_event("DELETED", event).await,
            (true, false) => {
                // It no longer matches: to this reader it is gone, in the state that it last saw.
                let Some(previous) = &event.previous else { return Ok(()) };
                let mut object = previous.object.as_ref().clone();
                object["metadata"]["resourceVersion"] = event.revision.to_string().into();
                self.tell("DELETED", &object).await
            }
        }
    }

    /// The common case needs no copy of the object.
    async fn tell_event(&mut self, kind: &str, event: &Event) -> Result<(), Closed> {
        // Custom objects may have been stored before their version had its defaults, or by way of another.
        let plain = self.call.accept == Accept::JSON
            && !self.call.resource.is_custom()
            && self.call.version == self.call.resource.storage_version
            && self.call.rules().is_shown_as_kept(&event.object);
        if !plain {
            return self.tell(kind, &event.object).await;
        }
        let json = event.json();
        let mut line = BytesMut::with_capacity(json.len() + 40);
        line.put_slice(b"{\"type\":\"");
        line.put_slice(kind.as_bytes());
        line.put_slice(b"\",\"object\":");
        line.put_slice(&json);
        line.put_slice(b"}\n");
        self.sender.send(line.freeze()).await.map_err(|_| Closed)
    }

    async fn tell(&mut self, kind: &str, object: &Value) -> Result<(), Closed> {
        let object = self.call.resource.show(object, &self.call.version);
        self.tell_shown(kind, object).await
    }

    async fn tell_shown(&mut self, kind: &str, object: Value) -> Result<(), Closed> {
        let shown = match self.call.accept.shape {
            Shape::Object => object,
            Shape::Metadata | Shape::MetadataList => partial(&object),
            Shape::Table => {
                let mut table = table::of_one(&self.call, &object);
                if !self.first {
                    table["columnDefinitions"] = Value::Null;
                }
                table
            }
        };
        self.first = false;
        self.sender.send(written(&self.call, kind, &shown)).await.map_err(|_| Closed)
    }

    async fn bookmark(&mut self, initial: bool) -> Result<(), Closed> {
        // It is an object of the kind with nothing in it but the revision.
        let mut object = self.call.blank();
        if !object["metadata"].is_object() {
            object["metadata"] = json!({});
        }
        object["metadata"]["resourceVersion"] = self.revision.to_string().into();
        if initial {
            object["metadata"]["annotations"]["k8s.io/initial-events-end"] = "true".into();
        }
        self.tell_shown("BOOKMARK", object).await
    }
}

/// An event as this client reads it.
fn written(call: &Call, kind: &str, object: &Value) -> Bytes {
    if call.accept.encoding == Encoding::Protobuf
        && let Some(event) = encode_event(kind, object)
    {
        return event.into();
    }
    Bytes::from(format!("{{\"type\":\"{kind}\",\"object\":{object}}}\n"))
}

fn check_options(call: &Call) -> Result<(), Status> {
    let options = &call.options;
    let mut errors = Vec::new();
    let matching = Path::new("resourceVersionMatch");
    if options.send_initial_events.is_some() {
        if options.resource_version_match.is_empty() {
            errors.push(FieldError::forbidden(
                &matching,
                "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
            ));
        } else if options.resource_version_match != "NotOlderThan" {
            errors.push(FieldError::not_supported(
                &matching,
                options.resource_version_match.as_str(),
                &["NotOlderThan"],
            ));
        }
    } else if !options.resource_version_match.is_empty() {
        errors.push(FieldError::forbidden(
            &matching,
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        ));
    }
    if errors.is_empty() { Ok(()) } else { Err(Status::invalid("meta.k8s.io", "ListOptions", "", &errors)) }
}
