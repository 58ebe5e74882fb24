//! Traces: what an operation was about, how long it and each step of it took, and how it ended, sent to a collector.
//!
//! Operations are the spans `object` of crate `extension`, and steps those of crate `engine`. What has ended is queued and
//! sent in batches as OTLP over HTTP, in JSON, by [`Traces::send`]. Nobody waits for that: what a collector does not take
//! in time, or at all, is lost, and how much is told in the logs.

use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use extension::CancellationToken;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use crate::logs::{self, Form, UnknownLevel};

/// So many spans may wait to be sent.
const WAITING: usize = 8192;
/// So many are sent at once.
const BATCH: usize = 512;
/// So long is waited for more of them.
const PAUSE: Duration = Duration::from_secs(1);
/// So long a collector has for an answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Why there are no traces.
#[derive(Debug, thiserror::Error)]
pub enum TracesError {
    /// The logs that are written beside have no such level.
    #[error(transparent)]
    Level(#[from] UnknownLevel),
    /// The collector cannot be asked.
    #[error(transparent)]
    Client(#[from] reqwest::Error),
}

/// What has ended, on its way to a collector.
#[derive(Debug)]
pub struct Traces {
    endpoint: String,
    client: reqwest::Client,
    ended: mpsc::Receiver<Span>,
    lost: Arc<AtomicUsize>,
}

/// Begins to write logs as [`logs::begin`] does, and to collect traces for this address, which is that of OTLP over HTTP:
/// `http://collector:4318/v1/traces`.
pub fn begin(form: Form, level: &str, endpoint: &str) -> Result<Traces, TracesError> {
    let (send, ended) = mpsc::channel(WAITING);
    let lost = Arc::new(AtomicUsize::new(0));
    let collector = Collector { send, lost: Arc::clone(&lost) };
    logs::begin_beside(form, level, Some(collector.with_filter(filter_fn(is_ours))))?;
    let client = reqwest::Client::builder().timeout(TIMEOUT).build()?;
    Ok(Traces { endpoint: endpoint.to_owned(), client, ended, lost })
}

impl Traces {
    /// Sends what has ended, until it is told to stop and all of that is sent.
    pub async fn send(mut self, stop: CancellationToken) {
        let mut batch = Vec::new();
        loop {
            let stopped = tokio::select! {
                biased;
                count = self.ended.recv_many(&mut batch, BATCH) => count == 0,
                () = stop.cancelled() => true,
            };
            let deadline = tokio::time::Instant::now() + PAUSE;
            while !stopped && batch.len() < BATCH {
                let left = BATCH - batch.len();
                tokio::select! {
                    count = self.ended.recv_many(&mut batch, left) => if count == 0 { break },
                    () = tokio::time::sleep_until(deadline) => break,
                    () = stop.cancelled() => break,
                }
            }
            if batch.is_empty() && stopped {
                return;
            }
            self.post(&std::mem::take(&mut batch)).await;
        }
    }

    async fn post(&self, batch: &[Span]) {
        let body = written(batch).to_string();
        let sent = self.client.post(&self.endpoint).header("content-type", "application/json").body(body);
        let problem = match sent.send().await {
            Ok(answer) if answer.status().is_success() => None,
            Ok(answer) => Some(answer.status().to_string()),
            Err(error) => Some(error.without_url().to_string()),
        };
        let lost = self.lost.swap(0, Ordering::Relaxed) + if problem.is_some() { batch.len() } else { 0 };
        if lost > 0 {
            tracing::warn!(lost, problem, "traces are lost");
        }
    }
}

/// A span that is under way, or has ended.
#[derive(Debug)]
struct Span {
    trace: [u64; 2],
    id: u64,
    parent: Option<u64>,
    name: &'static str,
    begun: SystemTime,
    ended: SystemTime,
    fields: BTreeMap<&'static str, String>,
}

impl Visit for Span {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }
}

/// Whether a span is told of: operations, and their steps.
fn is_ours(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    metadata.is_span()
        && match metadata.name() {
            "object" => target.starts_with("extension"),
            "step" => target.starts_with("engine"),
            _ => false,
        }
}

struct Collector {
    send: mpsc::Sender<Span>,
    lost: Arc<AtomicUsize>,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Collector {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(new) = context.span(id) else { return };
        let parent = new.scope().skip(1).find_map(|span| {
            let extensions = span.extensions();
            extensions.get::<Span>().map(|span| (span.trace, span.id))
        });
        let now = SystemTime::now();
        let mut span = Span {
            trace: parent.map_or_else(|| [random(), random()], |(trace, _)| trace),
            id: random(),
            parent: parent.map(|(_, id)| id),
            name: attributes.metadata().name(),
            begun: now,
            ended: now,
            fields: BTreeMap::new(),
        };
        attributes.record(&mut span);
        new.extensions_mut().insert(span);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(known) = span.extensions_mut().get_mut::<Span>()
        {
            values.record(known);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(mut span) = context.span(&id).and_then(|span| span.extensions_mut().remove::<Span>()) else {
            return;
        };
        // An object that was looked at, and for which nothing was due, is not told of.
        if span.name == "object" && !span.fields.contains_key("operation") {
            return;
        }
        span.ended = SystemTime::now();
        if self.send.try_send(span).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Debug for Collector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Collector").finish_non_exhaustive()
    }
}

/// A number that nobody else has: each of these states is seeded by the system.
fn random() -> u64 {
    RandomState::new().build_hasher().finish().max(1)
}

/// Spans as OTLP writes them in JSON.
fn written(spans: &[Span]) -> Value {
    let text = |key: &str, value: &str| json!({"key": key, "value": {"stringValue": value}});
    let nanoseconds =
        |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string();
    let one = |span: &Span| {
        let field = |name: &str| span.fields.get(name).map(String::as_str);
        let name = match (field("controller"), field("operation"), field("kind")) {
            (Some(controller), Some(operation), _) => format!("{controller} {operation}"),
            (_, _, Some(kind)) => kind.to_owned(),
            _ => span.name.to_owned(),
        };
        let attributes = span.fields.iter().map(|(key, value)| text(&format!("slipway.{key}"), value));
        let mut one = json!({
            "traceId": format!("{:016x}{:016x}", span.trace[0], span.trace[1]),
            "spanId": format!("{:016x}", span.id),
            "name": name,
            "kind": 1,
            "startTimeUnixNano": nanoseconds(span.begun),
            "endTimeUnixNano": nanoseconds(span.ended),
            "attributes": attributes.collect::<Vec<_>>(),
            "status": match field("error") {
                Some(error) => json!({"code": 2, "message": error}),
                None => json!({}),
            },
        });
        if let Some(parent) = span.parent {
            one["parentSpanId"] = format!("{parent:016x}").into();
        }
        one
    };
    json!({"resourceSpans": [{
        "resource": {"attributes": [
            text("service.name", "slipway-operator"), text("service.version", env!("CARGO_PKG_VERSION")),
        ]},
        "scopeSpans": [{"scope": {"name": "slipway"}, "spans": spans.iter().map(one).collect::<Vec<_>>()}],
    }]})
}
