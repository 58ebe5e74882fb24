//! Replays a sequence on two servers: fills its blanks, for each from its own answers so far.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use crate::generate::{MERGE_PATCH, merge};
use crate::sequence::{Action, Body, Call, Sequence, Settle, Step, Verb, Version};
use crate::server::{Answer, Following, Request, Server, ServerError};
use crate::settle;

/// No step begins so close to the end of a second.
const END_OF_SECOND: Duration = Duration::from_millis(80);

/// What a server answered, step by step.
#[derive(Debug, Default)]
pub struct Trace {
    /// The answers, by the numbers of the steps.
    pub answers: Vec<(usize, Answer)>,
}

/// What is known of an object.
#[derive(Debug, Default)]
struct Known {
    name: String,
    uid: String,
    version: String,
    oldest: String,
    body: Option<Value>,
}

#[derive(Debug)]
struct Replay<'a> {
    server: &'a Server,
    tag: &'a str,
    objects: HashMap<usize, Known>,
    paths: HashMap<String, usize>,
    /// Watches that will tell a history, by the numbers of the steps that ask for it.
    following: HashMap<usize, Following>,
    trace: Trace,
}

/// Replays a sequence whose objects are marked by the tag on two servers, step by step: each is asked when both have
/// answered what came before. What depends on the time of day, which managed fields have in whole seconds, is then the same
/// for a slow one and a quick one.
pub async fn replay(
    servers: (&Server, &Server),
    sequence: &Sequence,
    tag: &str,
) -> Result<(Trace, Trace), ServerError> {
    let (mut left, mut right) = (Replay::of(servers.0, tag), Replay::of(servers.1, tag));
    for step in &sequence.steps {
        same_second().await;
        tokio::try_join!(left.step(step), right.step(step))?;
        for history in sequence.histories_since(step.id) {
            left.follow(history);
            right.follow(history);
        }
    }
    Ok((left.trace, right.trace))
}

/// Waits for the next second if this one is nearly over, for the quick server would answer in this and the slow one in the
/// next.
async fn same_second() {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let left = Duration::from_nanos(1_000_000_000 - u64::from(now.subsec_nanos()));
    if left < END_OF_SECOND {
        tokio::time::sleep(left).await;
    }
}

impl<'a> Replay<'a> {
    fn of(server: &'a Server, tag: &'a str) -> Self {
        Self {
            server,
            tag,
            objects: HashMap::new(),
            paths: HashMap::new(),
            following: HashMap::new(),
            trace: Trace::default(),
        }
    }

    /// Begins the watch of a step that will ask for a history: a busy server forgets events after a minute.
    fn follow(&mut self, step: &Step) {
        if let Action::Call(call) = &step.action {
            let following = self.server.follow(self.request(call));
            self.following.insert(step.id, following);
        }
    }

    async fn step(&mut self, step: &Step) -> Result<(), ServerError> {
        let call = match &step.action {
            Action::Call(call) => call,
            Action::Settle(settle) => return self.settle(settle).await,
        };
        let request = self.request(call);
        let answer = match self.following.remove(&step.id) {
            Some(following) => following.end().await?,
            None if call.verb == Verb::Watch => self.server.watch(&request).await?,
            None => self.server.ask(&request).await?,
        };
        self.learn(call, &answer, &request);
        let answer = if call.history && answer.code == 200 {
            Answer { body: settle::history(&answer.body), ..answer }
        } else if call.left {
            Answer { body: settle::left(answer.body), ..answer }
        } else {
            answer
        };
        self.trace.answers.push((step.id, answer));
        Ok(())
    }

    fn request(&self, call: &Call) -> Request {
        let mut target = escape(&self.fill(&call.path), true);
        for (at, (key, value)) in call.query.iter().enumerate() {
            target.push(if at == 0 { '?' } else { '&' });
            target.push_str(key);
            target.push('=');
            target.push_str(&escape(&self.fill(value), false));
        }
        let body = match &call.body {
            Body::None => None,
            Body::Text(text) => Some(self.fill(text)),
            Body::Json(value) => Some(self.fill_value(value).to_string()),
            Body::Changed { object, change, version, otherwise } => {
                Some(self.changed(*object, change, *version, otherwise).to_string())
            }
        };
        Request { method: call.method, target, accept: call.accept, content_type: call.content_type, body }
    }

    fn changed(&self, object: usize, change: &Value, version: Version, otherwise: &Value) -> Value {
        let known = self.objects.get(&object);
        let Some((known, body)) = known.and_then(|known| Some((known, known.body.as_ref()?))) else {
            return self.fill_value(otherwise);
        };
        let mut body = body.clone();
        merge(&mut body, &self.fill_value(change));
        match version {
            Version::Newest => body["metadata"]["resourceVersion"] = json!(known.version),
            Version::Oldest => body["metadata"]["resourceVersion"] = json!(known.oldest),
            Version::None => {
                if let Some(metadata) = body["metadata"].as_object_mut() {
                    metadata.remove("resourceVersion");
                }
            }
        }
        body
    }

    fn fill_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_value(item)).collect(),
            Value::Object(map) => Value::Object(
                map.iter().map(|(key, value)| (self.fill(key), self.fill_value(value))).collect(),
            ),
            other => other.clone(),
        }
    }

    /// Puts in what is known. What is not known gets a word that is wrong everywhere.
    fn fill(&self, text: &str) -> String {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('⟨') {
            filled.push_str(before);
            let (blank, after) = after.split_once('⟩').unwrap_or((after, ""));
            filled.push_str(&self.word(blank));
            rest = after;
        }
        filled + rest
    }

    fn word(&self, blank: &str) -> String {
        let Some((word, number)) = blank.split_once(' ') else { return self.tag.to_owned() };
        let number: usize = number.parse().unwrap_or(usize::MAX);
        let known = self.objects.get(&number);
        let or = |text: Option<&String>, other: &str| {
            text.filter(|text| !text.is_empty()).cloned().unwrap_or(other.to_owned())
        };
        match word {
            "uid" => or(known.map(|known| &known.uid), "00000000-0000-0000-0000-000000000000"),
            "rv" => or(known.map(|known| &known.version), "1"),
            "old-rv" => or(known.map(|known| &known.oldest), "1"),
            "name" => or(known.map(|known| &known.name), "never-named"),
            "continue" => self.said(number, "continue"),
            _ => self.said(number, "resourceVersion"),
        }
    }

    /// What the metadata of an earlier list said.
    fn said(&self, step: usize, field: &str) -> String {
        let answer = self.trace.answers.iter().find(|(id, _)| *id == step);
        answer.and_then(|(_, answer)| answer.body["metadata"][field].as_str()).unwrap_or_default().to_owned()
    }

    fn learn(&mut self, call: &Call, answer: &Answer, request: &Request) {
        let Some(object) = call.object else { return };
        if !(200..300).contains(&answer.code) {
            return;
        }
        if call.subresource.is_empty() && call.method != "POST" {
            let path = request.target.split('?').next().unwrap_or_default();
            self.paths.insert(path.to_owned(), object);
        }
        self.remember(object, &answer.body, call.accept.is_empty());
    }

    fn remember(&mut self, object: usize, body: &Value, whole: bool) {
        let metadata = &body["metadata"];
        let Some(uid) = metadata["uid"].as_str() else { return };
        let known = self.objects.entry(object).or_default();
        let text = |field: &str| metadata[field].as_str().unwrap_or_default().to_owned();
        if known.uid != uid {
            *known = Known { uid: uid.to_owned(), oldest: text("resourceVersion"), ..Known::default() };
        }
        known.name = text("name");
        known.version = text("resourceVersion");
        if whole && body["kind"] != "PartialObjectMetadata" && body["kind"] != "Table" {
            known.body = Some(body.clone());
        }
    }

    async fn settle(&mut self, settle: &Settle) -> Result<(), ServerError> {
        let fill_all =
            |paths: &[String]| -> Vec<String> { paths.iter().map(|path| self.fill(path)).collect() };
        match settle {
            Settle::Cleared(gone, held) => {
                for path in fill_all(gone) {
                    self.server.ask(&Request { method: "DELETE", ..get(&path) }).await?;
                }
                for path in fill_all(held) {
                    let body = Some(json!({"metadata": {"finalizers": null}}).to_string());
                    let patch = Request { method: "PATCH", content_type: MERGE_PATCH, body, ..get(&path) };
                    self.server.ask(&patch).await?;
                }
            }
            Settle::Quiet(collections) => {
                settle::quiet(self.server, &fill_all(collections), self.tag).await?;
            }
            Settle::Defined(path, collections) => {
                let (path, collections) = (self.fill(path), fill_all(collections));
                let answer = wait(self.server, &path, &collections).await?;
                if let Some(object) = self.paths.get(&path).copied() {
                    self.remember(object, &answer.body, true);
                }
            }
        }
        Ok(())
    }
}

/// Waits for what a server does to a definition; what has not happened after a while will be seen as a difference.
pub async fn wait(server: &Server, path: &str, collections: &[String]) -> Result<Answer, ServerError> {
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        let answer = server.ask(&get(path)).await?;
        let done = answer.code == 404 && is_forgotten(server, path).await?
            || ![200, 404].contains(&answer.code)
            || defined(&answer.body) && served(server, collections).await?
            || is_kept(server, &answer.body).await?;
        if done || Instant::now() > deadline {
            return Ok(answer);
        }
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
}

/// Whether nothing is served any longer of a definition that is gone: the server hears of that a little later.
async fn is_forgotten(server: &Server, path: &str) -> Result<bool, ServerError> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let Some((plural, group)) = name.split_once('.') else { return Ok(true) };
    for version in ["v1", "v1beta1"] {
        // What there is no resource for is told by a line of text, what is not in one by an object.
        if !server.ask(&get(&format!("/apis/{group}/{version}/{plural}"))).await?.body.is_string() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a definition that is deleted stays because finalizers keep its objects.
async fn is_kept(server: &Server, body: &Value) -> Result<bool, ServerError> {
    let begun = |condition: &Value| condition["reason"] == "InstanceDeletionInProgress";
    if !body["status"]["conditions"].as_array().is_some_and(|conditions| conditions.iter().any(begun)) {
        return Ok(false);
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (group, plural) = (text(&body["spec"]["group"]), text(&body["spec"]["names"]["plural"]));
    let version = body["spec"]["versions"].as_array().into_iter().flatten().find(|one| one["served"] == true);
    let version = version.map(|version| text(&version["name"])).unwrap_or_default();
    let answer = server.ask(&get(&format!("/apis/{group}/{version}/{plural}"))).await?;
    let objects = answer.body["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let held = |object: &Value| {
        object["metadata"]["deletionTimestamp"].is_string()
            && object["metadata"]["finalizers"].as_array().is_some_and(|names| !names.is_empty())
    };
    Ok(!objects.is_empty() && objects.iter().all(held))
}

async fn served(server: &Server, collections: &[String]) -> Result<bool, ServerError> {
    for collection in collections {
        if server.ask(&get(collection)).await?.code != 200 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the server has said all it will say about a definition.
fn defined(body: &Value) -> bool {
    if body["metadata"]["deletionTimestamp"].is_string() {
        let waiting = |name: &Value| name == "customresourcecleanup.apiextensions.k8s.io";
        return !body["metadata"]["finalizers"].as_array().is_some_and(|names| names.iter().any(waiting));
    }
    let holds = |kind: &str| {
        body["status"]["conditions"].as_array().is_some_and(|conditions| {
            conditions.iter().any(|condition| condition["type"] == kind && condition["status"] == "True")
        })
    };
    let (wanted, accepted) = (&body["spec"]["names"], &body["status"]["acceptedNames"]);
    holds("Established") && holds("NamesAccepted") && wanted["categories"] == accepted["categories"]
}

fn get(path: &str) -> Request {
    Request { method: "GET", target: path.to_owned(), accept: "", content_type: "", body: None }
}

/// Escapes what cannot stand in a path or in the value of a query.
fn escape(text: &str, path: bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                escaped.push(char::from(byte));
            }
            b'/' if path => escaped.push('/'),
            other => {
                let _ = write!(escaped, "%{other:02X}");
            }
        }
    }
    escaped
}
