//! A Bundle's resources as the planner and the runner want them.

use std::collections::{BTreeMap, HashSet};

use api::bundle::Resource;
use engine::{Engine, Marks};
use jiff::Timestamp;
use objects::{ObjectId, Scope, Source};
use plan::input::{ChartTree, Inventory, Live, Meaning, Order, Policy, Spelling, Wanted, Written};
use plan::{ChartIndex, Operation, Request};
use serde_json::{Map, Value, json};

use super::check::examples;
use super::graph::Ordering;
use super::references::{Values, substituted};

/// One resource in one round.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) id: ObjectId,
    /// What is sent.
    pub(super) document: Value,
    /// What the planner reads.
    pub(super) text: String,
    /// Why it cannot be applied at all.
    pub(super) problem: Option<String>,
    /// It waits for values of others.
    pub(super) unresolved: bool,
}

/// The values that are known so far, by the name of the resource that wants them.
pub(super) type Resolved = BTreeMap<String, Result<Values, String>>;

/// Reads resources into members; an object that is none gets a problem, and a place that nothing can have.
pub(super) fn members(
    resources: &[Resource],
    order: &[Ordering],
    resolved: &Resolved,
    marks: &Marks,
    engine: &Engine,
) -> Vec<Member> {
    let read =
        |(resource, ordering): (&Resource, &Ordering)| member(resource, ordering, resolved, marks, engine);
    let mut members: Vec<Member> = resources.iter().zip(order).map(read).collect();
    let mut seen = HashSet::new();
    for member in &mut members {
        if !seen.insert(member.id.clone()) && member.problem.is_none() {
            member.problem = Some(format!("{} is listed twice", member.id));
        }
    }
    members
}

fn member(
    resource: &Resource,
    ordering: &Ordering,
    resolved: &Resolved,
    marks: &Marks,
    engine: &Engine,
) -> Member {
    let wants_values = resource
        .references
        .iter()
        .any(|reference| reference.name.as_ref().is_some_and(|name| !name.is_empty()));
    let mut problem = None;
    let values = match resolved.get(&resource.name) {
        Some(Ok(values)) => Some(values.clone()),
        Some(Err(why)) => {
            problem = Some(why.clone());
            None
        }
        None => (!wants_values).then(Values::default),
    };
    let unresolved = values.is_none() && problem.is_none();
    if unresolved && let Some(examples) = examples(resource) {
        // What cannot be applied with the examples could not with the values: it need not be waited for them.
        let resolved = Resolved::from([(resource.name.clone(), Ok(examples))]);
        let early = member(resource, ordering, &resolved, marks, engine).problem;
        problem = early.map(|early| format!("with the examples of its references: {early}"));
    }
    let mut document = Value::Object(resource.spec.object.clone());
    if let Some(values) = &values {
        match substituted(&resource.spec.object, values) {
            Ok(done) => document = done,
            Err(error) => problem = Some(error.to_string()),
        }
    }
    let id = match identity(&document, marks, engine) {
        Ok(id) => id,
        Err(why) => {
            problem = Some(why);
            ObjectId {
                group: "invalid".to_owned(),
                kind: "Invalid".to_owned(),
                namespace: Some(marks.namespace.clone()),
                name: resource.name.clone(),
            }
        }
    };
    let mut member =
        Member { name: resource.name.clone(), id, document, text: String::new(), problem, unresolved };
    member.text = text(&member, ordering);
    if member.problem.is_none() && !unresolved {
        member.problem = refused(&member, marks, engine);
    }
    if member.problem.is_some() || unresolved {
        // Annotations whose values are not there yet mean nothing to the planner. It keeps its place in the order, so
        // that what comes after it is held back.
        member.text = stub(&member.id, &member.document, ordering);
    }
    marks.put_on(&mut member.document);
    sanitise(&mut member.document);
    member
}

fn identity(document: &Value, marks: &Marks, engine: &Engine) -> Result<ObjectId, String> {
    let text = |value: &Value, what: &str| match value.as_str() {
        Some(text) if !text.is_empty() => Ok(text.to_owned()),
        _ => Err(format!("expected an object with {what}, found none")),
    };
    let api_version = text(&document["apiVersion"], "an apiVersion")?;
    let kind = text(&document["kind"], "a kind")?;
    let name = text(&document["metadata"]["name"], "a name")?;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-._~:@!$&'()*+,;=".contains(letter);
    if !name.chars().all(is_plain) {
        return Err(format!("{name:?} cannot be the name of an object"));
    }
    let mut id = ObjectId {
        group: ObjectId::group_of(&api_version).to_owned(),
        kind,
        namespace: document["metadata"]["namespace"].as_str().map(ToOwned::to_owned),
        name,
    };
    let served = engine.served();
    let namespaced = served
        .kind(&api_version, &id.kind)
        .or_else(|| served.kind_of(&id))
        .is_none_or(|kind| kind.namespaced);
    id.namespace = namespaced.then(|| id.namespace.unwrap_or_else(|| marks.namespace.clone()));
    Ok(id)
}

/// The object as the planner reads it: with the layers that stand for its references.
fn text(member: &Member, ordering: &Ordering) -> String {
    let mut document = member.document.clone();
    annotate(&mut document, ordering);
    document.to_string()
}

/// An object of the same name in the same place of the order, and nothing else.
fn stub(id: &ObjectId, document: &Value, ordering: &Ordering) -> String {
    let api_version = document["apiVersion"].as_str().filter(|version| !version.is_empty());
    let mut document = json!({
        "apiVersion": api_version.unwrap_or("invalid/v1"),
        "kind": id.kind,
        "metadata": {"name": id.name, "namespace": id.namespace},
    });
    annotate(&mut document, ordering);
    document.to_string()
}

fn annotate(document: &mut Value, ordering: &Ordering) {
    let Some(object) = document.as_object_mut() else { return };
    let metadata = object.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    if !metadata["annotations"].is_object() {
        metadata["annotations"] = json!({});
    }
    let Some(annotations) = metadata["annotations"].as_object_mut() else { return };
    annotations.retain(|key, _| {
        let meaning = Spelling::of(key).map(Spelling::meaning);
        !matches!(meaning, Some(Meaning::Layer | Meaning::NeedsLayers))
    });
    if let Some(layer) = &ordering.layer {
        annotations.insert("slipway.dev/layer".to_owned(), layer.as_str().into());
    }
    if !ordering.needs.is_empty() {
        annotations
            .insert("slipway.dev/depends-on-layers".to_owned(), json!(ordering.needs).to_string().into());
    }
}

/// Removes what no server takes.
fn sanitise(document: &mut Value) {
    if let Ok(mut value) = goyaml::json::from_str(&document.to_string()) {
        plan::sanitise(&mut value);
        if let Ok(done) = goyaml::json::from_value(value) {
            *document = done;
        }
    }
}

/// What the planner has against one object alone.
fn refused(member: &Member, marks: &Marks, engine: &Engine) -> Option<String> {
    let alone = match wanted(std::slice::from_ref(member), marks, engine) {
        Ok(alone) => alone,
        Err(why) => return Some(why),
    };
    let planned = plan::plan(&Request {
        operation: Operation::Install,
        wanted: &alone,
        stored: &Inventory::default(),
        policy: &Policy { order: Order::Ordered, ..Policy::default() },
        live: &Live::empty(),
        now: Timestamp::now(),
    });
    planned.err().map(|errors| errors.to_string())
}

/// All members as the planner wants them.
pub(super) fn wanted(members: &[Member], marks: &Marks, engine: &Engine) -> Result<Wanted, String> {
    let mut wanted = Wanted::builder(ChartTree::single(&marks.name), &marks.namespace);
    for kind in engine.served().kinds() {
        let scope = if kind.namespaced { Scope::Namespaced } else { Scope::Cluster };
        wanted.kind(&kind.resource.group, &kind.resource.kind, scope);
    }
    for member in members {
        let source = Source::new(format!("{}/{}", marks.name, member.name));
        let written = Written { chart: ChartIndex(0), source: &source, line: 1 };
        wanted.manifest(written, &member.text).map_err(|error| error.to_string())?;
    }
    Ok(wanted.finish())
}
