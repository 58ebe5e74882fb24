//! Waiting for controllers: until nothing changes any more, and nothing is left that they will still do.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::server::{Request, Server, ServerError};

/// How long nothing must change, where the rules say that nothing will.
const QUIET: Duration = Duration::from_millis(1500);
/// How long the same is waited for in a server that acts at once.
const QUIET_AT_ONCE: Duration = Duration::from_millis(400);
/// How often is looked: the looking itself is work for the server, and many sequences look at once.
const GLANCE: Duration = Duration::from_millis(800);
/// How often a server that acts at once is looked at.
const GLANCE_AT_ONCE: Duration = Duration::from_millis(100);
/// After so long, what has not happened will be seen as a difference.
const LONGEST: Duration = Duration::from_mins(2);

/// Waits until the objects of a sequence are as they will stay.
pub async fn quiet(server: &Server, collections: &[String], tag: &str) -> Result<(), ServerError> {
    let begin = Instant::now();
    let wanted = if server.acts_at_once { QUIET_AT_ONCE } else { QUIET };
    let (mut since, mut last) = (Instant::now(), Vec::new());
    loop {
        let now = state(server, collections, tag).await?;
        if now != last {
            (since, last) = (Instant::now(), now);
        }
        let over = since.elapsed() > wanted && !is_pending(&last);
        if over || begin.elapsed() > LONGEST {
            return Ok(());
        }
        tokio::time::sleep(if server.acts_at_once { GLANCE_AT_ONCE } else { GLANCE }).await;
    }
}

/// All objects of a sequence.
async fn state(server: &Server, collections: &[String], tag: &str) -> Result<Vec<Value>, ServerError> {
    let mut all = Vec::new();
    for path in collections {
        let request = Request {
            method: "GET",
            target: format!("{path}?labelSelector=seq%3D{tag}"),
            accept: "",
            content_type: "",
            body: None,
        };
        let answer = server.ask(&request).await?;
        all.extend(answer.body["items"].as_array().into_iter().flatten().cloned());
    }
    Ok(all)
}

/// Whether controllers have something left to do by the rules of deletion, however long they take to begin: a quiet
/// second of a busy machine is not the end. What they do beyond these rules is seen because nothing may change, either.
fn is_pending(objects: &[Value]) -> bool {
    let there = |uid: &Value| objects.iter().find(|object| object["metadata"]["uid"] == *uid);
    objects.iter().any(|object| is_emptying(object, objects) || is_collected(object, objects, &there))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn is_going(object: &Value) -> bool {
    object["metadata"]["deletionTimestamp"].is_string()
}

fn is_held(object: &Value) -> bool {
    object["metadata"]["finalizers"].as_array().is_some_and(|names| !names.is_empty())
}

fn has_finalizer(object: &Value, name: &str) -> bool {
    object["metadata"]["finalizers"].as_array().is_some_and(|names| names.iter().any(|held| held == name))
}

/// Whether an object waits for its dependents to go first.
fn waits(object: &Value) -> bool {
    is_going(object) && has_finalizer(object, "foregroundDeletion")
}

/// Whether a namespace or definition is going and nothing keeps it, or leaves something in it as it was: the real
/// server looks again only after some seconds.
fn is_emptying(container: &Value, objects: &[Value]) -> bool {
    if !is_going(container) {
        return false;
    }
    let namespace = text(&container["metadata"]["labels"]["kubernetes.io/metadata.name"]);
    let group = text(&container["spec"]["group"]);
    let inside = |object: &&Value| {
        let own = text(&object["apiVersion"]).split_once('/').is_some_and(|(of, _)| of == group);
        !namespace.is_empty() && object["metadata"]["namespace"] == namespace || !group.is_empty() && own
    };
    if namespace.is_empty() && group.is_empty() {
        return false;
    }
    let cleaned = group.is_empty() || has_finalizer(container, "customresourcecleanup.apiextensions.k8s.io");
    let content: Vec<&Value> = objects.iter().filter(inside).collect();
    let done = content.iter().all(|object| is_going(object) && is_held(object));
    let kept = !content.is_empty() || is_held(container) && (!cleaned || !namespace.is_empty());
    let told = namespace.is_empty() || content.is_empty() || said_to_remain(container) == content.len();
    !done || !kept || !told
}

/// How many objects a namespace says to be left in it.
fn said_to_remain(namespace: &Value) -> usize {
    let conditions = namespace["status"]["conditions"].as_array().into_iter().flatten();
    let remaining = conditions.filter(|condition| condition["type"] == "NamespaceContentRemaining");
    let words = remaining.flat_map(|condition| text(&condition["message"]).split(' '));
    words.filter_map(|word| word.parse::<usize>().ok()).sum()
}

/// Whether the garbage collector has something to do with an object.
fn is_collected<'v>(object: &Value, objects: &[Value], there: &dyn Fn(&Value) -> Option<&'v Value>) -> bool {
    let owns = |other: &&Value| {
        let owners = other["metadata"]["ownerReferences"].as_array();
        owners.is_some_and(|owners| owners.iter().any(|owner| owner["uid"] == object["metadata"]["uid"]))
    };
    if is_going(object) {
        let orphans = has_finalizer(object, "orphan");
        let blocks = |other: &Value| {
            let owners = other["metadata"]["ownerReferences"].as_array();
            owners
                .into_iter()
                .flatten()
                .any(|owner| owner["uid"] == object["metadata"]["uid"] && owner["blockOwnerDeletion"] == true)
        };
        let blocked = objects.iter().filter(owns).any(blocks);
        // What keeps a namespace is in it, not on it.
        let namespace = object["metadata"]["labels"]["kubernetes.io/metadata.name"].is_string();
        return !is_held(object) && !namespace || orphans || waits(object) && !blocked;
    }
    let owners = object["metadata"]["ownerReferences"].as_array().map(Vec::as_slice).unwrap_or_default();
    let solid = |owner: &&Value| there(&owner["uid"]).is_some_and(|owner| !waits(owner));
    // Owners that are gone, or wait for it, are struck off; without any other it goes.
    owners.iter().any(|owner| !solid(&owner))
}

/// A list of what controllers have left. Whether an owner that is gone was struck off an object before that was deleted,
/// too, depends on which of the collector's workers was quicker, so of what is going the owners are left out.
pub fn left(mut list: Value) -> Value {
    for object in list.pointer_mut("/items").and_then(Value::as_array_mut).into_iter().flatten() {
        if !is_going(object) {
            continue;
        }
        if let Some(metadata) = object.pointer_mut("/metadata").and_then(Value::as_object_mut) {
            metadata.remove("ownerReferences");
        }
        let entries = object.pointer_mut("/metadata/managedFields").and_then(Value::as_array_mut);
        for entry in entries.into_iter().flatten() {
            if let Some(fields) = entry.pointer_mut("/fieldsV1/f:metadata").and_then(Value::as_object_mut) {
                fields.remove("f:ownerReferences");
            }
        }
    }
    list
}

/// What events tell of each object: its states in order, by what deletion depends on. How many writes it took to get
/// from one to the next is left out, and so are the owners: they are compared in each state that lasts.
pub fn history(events: &Value) -> Value {
    let mut objects: Map<String, Value> = Map::new();
    for event in events.as_array().into_iter().flatten() {
        let metadata = &event["object"]["metadata"];
        let state = json!({
            "type": if event["type"] == "ADDED" { "MODIFIED".into() } else { event["type"].clone() },
            "deleted": metadata["deletionTimestamp"].is_string(),
            "finalizers": metadata["finalizers"],
        });
        let name = metadata["name"].as_str().unwrap_or_default().to_owned();
        let states = objects.entry(name).or_insert_with(|| json!([]));
        if let Some(states) = states.as_array_mut()
            && states.last() != Some(&state)
        {
            states.push(state);
        }
    }
    Value::Object(objects)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_that_nothing_holds_is_waited_for() {
        let mut namespace = json!({"metadata": {"labels": {"kubernetes.io/metadata.name": "a"}, "deletionTimestamp": "2026-01-01T00:00:00Z"}});
        let held = json!({"metadata": {"namespace": "a", "finalizers": ["x/y"], "deletionTimestamp": "2026-01-01T00:00:00Z"}});
        let free = json!({"metadata": {"namespace": "a"}});
        assert!(is_pending(&[namespace.clone(), free.clone()]));
        assert!(is_pending(&[namespace.clone(), held.clone(), free.clone()]));
        assert!(is_pending(std::slice::from_ref(&namespace)));
        assert!(is_pending(&[namespace.clone(), held.clone()]), "it does not yet say what is left");
        namespace["status"]["conditions"] = json!([{"type": "NamespaceContentRemaining", "message": "Some resources are remaining: widgets.example.com has 1 resource instances"}]);
        assert!(!is_pending(&[namespace, held]));
        assert!(!is_pending(&[free]));
    }

    #[test]
    fn what_the_collector_will_do_is_waited_for() {
        let object = |uid: &str, gone: bool, finalizers: Value, owners: Value| {
            let time = if gone { json!("2026-01-01T00:00:00Z") } else { Value::Null };
            json!({"metadata": {"uid": uid, "deletionTimestamp": time, "finalizers": finalizers, "ownerReferences": owners}})
        };
        let owned = |blocks: bool| json!([{"uid": "a", "blockOwnerDeletion": blocks}]);
        let plain = object("a", false, Value::Null, Value::Null);
        let waiting = object("a", true, json!(["foregroundDeletion"]), Value::Null);
        let orphaning = object("a", true, json!(["orphan"]), Value::Null);
        let kept = object("b", true, json!(["x/y"]), owned(true));
        let cases = [
            (vec![plain.clone()], false),
            (vec![plain.clone(), object("b", false, Value::Null, owned(false))], false),
            // The owner is gone.
            (vec![object("b", false, Value::Null, owned(false))], true),
            // One of two owners is gone.
            (vec![plain, object("b", false, Value::Null, json!([{"uid": "a"}, {"uid": "c"}]))], true),
            (vec![orphaning], true),
            (vec![waiting.clone()], true),
            (vec![waiting.clone(), object("b", false, Value::Null, owned(true))], true),
            (vec![waiting, kept], false),
        ];
        for (objects, expected) in cases {
            assert_eq!(is_pending(&objects), expected, "{objects:?}");
        }
    }

    #[test]
    fn owners_of_what_is_going_are_left_out() {
        let object = |gone: Value| json!({"items": [{"metadata": {"deletionTimestamp": gone, "ownerReferences": [{"uid": "a"}]}}]});
        let going = left(object(json!("2026-01-01T00:00:00Z")));
        assert!(going["items"][0]["metadata"].get("ownerReferences").is_none());
        assert_eq!(left(object(Value::Null)), object(Value::Null));
        assert_eq!(left(json!("404 page not found")), json!("404 page not found"));
    }

    #[test]
    fn histories_tell_states_and_not_writes() {
        let event = |kind: &str, finalizers: Value| json!({"type": kind, "object": {"metadata": {"name": "a", "finalizers": finalizers}}});
        let once = json!([event("ADDED", json!(["x"])), event("DELETED", json!(null))]);
        let twice = json!([
            event("ADDED", json!(["x"])),
            event("MODIFIED", json!(["x"])),
            event("DELETED", json!(null))
        ]);
        assert_eq!(history(&once), history(&twice));
        assert_ne!(history(&once), history(&json!([event("ADDED", json!(["x"]))])));
    }
}
