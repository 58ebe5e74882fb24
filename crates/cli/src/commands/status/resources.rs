//! The objects of a release as the server shows them, with the pods of their workloads, by kind.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use engine::Engine;
use http::header::{ACCEPT, HeaderValue};
use kube::api::{DynamicObject, GetParams, ListParams};
use kube::core::Request;
use kube::{Api, Client};
use objects::ObjectId;
use plan::input::Member;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// What a server is asked for when it is to make a table.
const TABLE: HeaderValue =
    HeaderValue::from_static("application/json;as=Table;v=v1;g=meta.k8s.io,application/json");
/// How many are asked for at once.
const WIDTH: usize = 16;
/// Between two columns, as kubectl has it.
const GAP: usize = 3;
/// What a column has at least, the gap included.
const NARROWEST: usize = 6;

/// How objects are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As they are.
    Objects,
    /// As tables, which the server makes.
    Tables,
}

/// What is there of the members of a release, by version and kind; the pods that workloads select come with them, as
/// `v1/Pod(related)`. What cannot be read is left out: the command tells of the release, and of what it can.
pub(super) async fn read(engine: &Engine, members: Vec<Member>, form: Form) -> BTreeMap<String, Vec<Value>> {
    let room = Arc::new(Semaphore::new(WIDTH));
    let mut reading = JoinSet::new();
    for (place, member) in members.into_iter().enumerate() {
        let (engine, room) = (engine.clone(), room.clone());
        reading.spawn(async move {
            let _held = room.acquire_owned().await;
            (place, one(&engine, &member, form).await)
        });
    }
    let mut found: Vec<(usize, Found)> = reading.join_all().await;
    found.sort_by_key(|(place, _)| *place);
    let mut sections: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut selected: Vec<(Option<String>, String)> = Vec::new();
    for (_, found) in found {
        let Some(object) = found.object else { continue };
        sections.entry(found.title).or_default().push(object);
        let Some(selector) = found.selector else { continue };
        if !selected.contains(&selector) {
            let pods = pods(engine, &selector, form).await;
            if !pods.is_empty() {
                sections.entry("v1/Pod(related)".to_owned()).or_default().extend(pods);
            }
            selected.push(selector);
        }
    }
    sections
}

/// What was found of a member.
struct Found {
    /// Version and kind, as Helm titles them.
    title: String,
    object: Option<Value>,
    /// The namespace and the labels of its pods, if it is a workload.
    selector: Option<(Option<String>, String)>,
}

async fn one(engine: &Engine, member: &Member, form: Form) -> Found {
    let version = member.api_version.rsplit('/').next().unwrap_or_default();
    let title = format!("{version}/{}", member.id.kind);
    let nothing = Found { title: title.clone(), object: None, selector: None };
    let Some(api) = api(engine, &member.id) else { return nothing };
    let object = get(engine.client(), &api, &member.id.name, form).await;
    // The labels are in the object, not in its table.
    let whole = match form {
        Form::Objects => object.clone(),
        Form::Tables if has_pods(&member.id.kind) => {
            get(engine.client(), &api, &member.id.name, Form::Objects).await
        }
        Form::Tables => None,
    };
    let selector = whole.as_ref().and_then(|whole| selector(&member.id.kind, whole));
    Found { title, object, selector: selector.map(|labels| (member.id.namespace.clone(), labels)) }
}

fn api(engine: &Engine, id: &ObjectId) -> Option<Api<DynamicObject>> {
    let kind = engine.served().kind_of(id)?;
    let client = engine.client().clone();
    Some(match id.namespace.as_deref().filter(|_| kind.namespaced) {
        Some(namespace) => Api::namespaced_with(client, namespace, &kind.resource),
        None => Api::all_with(client, &kind.resource),
    })
}

async fn get(client: &Client, api: &Api<DynamicObject>, name: &str, form: Form) -> Option<Value> {
    let request = Request::new(api.resource_url()).get(name, &GetParams::default()).ok()?;
    ask(client, request, form).await
}

async fn pods(engine: &Engine, (namespace, labels): &(Option<String>, String), form: Form) -> Vec<Value> {
    let Some(kind) = engine.served().kind("v1", "Pod") else { return Vec::new() };
    let client = engine.client().clone();
    let api: Api<DynamicObject> = match namespace {
        Some(namespace) => Api::namespaced_with(client, namespace, &kind.resource),
        None => Api::all_with(client, &kind.resource),
    };
    let request = Request::new(api.resource_url()).list(&ListParams::default().labels(labels));
    let Ok(request) = request else { return Vec::new() };
    let found = ask(engine.client(), request, form).await;
    match form {
        Form::Tables => found
            .into_iter()
            .filter(|table| table["rows"].as_array().is_some_and(|rows| !rows.is_empty()))
            .collect(),
        Form::Objects => {
            let mut items = found.and_then(|list| list["items"].as_array().cloned()).unwrap_or_default();
            for item in &mut items {
                // Within a list they do not say it themselves.
                (item["apiVersion"], item["kind"]) = ("v1".into(), "Pod".into());
            }
            items
        }
    }
}

async fn ask(client: &Client, mut request: http::Request<Vec<u8>>, form: Form) -> Option<Value> {
    if form == Form::Tables {
        request.headers_mut().insert(ACCEPT, TABLE);
    }
    client.request(request).await.ok()
}

/// Whether Helm looks for the pods of a kind.
fn has_pods(kind: &str) -> bool {
    matches!(
        kind,
        "ReplicaSet" | "Deployment" | "StatefulSet" | "DaemonSet" | "Job" | "ReplicationController"
    )
}

/// The labels of a workload's pods.
fn selector(kind: &str, object: &Value) -> Option<String> {
    if !has_pods(kind) {
        return None;
    }
    let selector = &object["spec"]["selector"];
    let labels = if kind == "ReplicationController" { selector } else { &selector["matchLabels"] };
    let labels = labels.as_object().filter(|labels| !labels.is_empty())?;
    let pairs: Vec<String> =
        labels.iter().map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    Some(pairs.join(","))
}

/// Tables as kubectl prints them, one for each kind.
pub(super) fn print(sections: &BTreeMap<String, Vec<Value>>) -> String {
    let mut text = String::new();
    for (title, tables) in sections {
        let _ = writeln!(text, "==> {title}");
        let mut rows: Vec<Vec<String>> = Vec::new();
        for table in tables {
            // What is meant for wide screens only is left out.
            let columns: Vec<usize> = table["columnDefinitions"]
                .as_array()
                .into_iter()
                .flatten()
                .enumerate()
                .filter(|(_, column)| column["priority"].as_i64().unwrap_or_default() == 0)
                .map(|(place, _)| place)
                .collect();
            if rows.is_empty() {
                let name = |place: &usize| {
                    table["columnDefinitions"][*place]["name"].as_str().unwrap_or_default().to_uppercase()
                };
                rows.push(columns.iter().map(name).collect());
            }
            for row in table["rows"].as_array().into_iter().flatten() {
                rows.push(columns.iter().map(|place| cell(&row["cells"][*place])).collect());
            }
        }
        write_aligned(&mut text, &rows);
        text.push('\n');
    }
    text
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "<none>".to_owned(),
        other => other.to_string(),
    }
}

fn write_aligned(text: &mut String, rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let widest = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
        (widest.unwrap_or_default() + GAP).max(NARROWEST)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        for (place, cell) in row.iter().enumerate() {
            text.push_str(cell);
            if place + 1 < row.len() {
                text.extend(std::iter::repeat_n(' ', widths[place].saturating_sub(cell.chars().count())));
            }
        }
        text.push('\n');
    }
}
