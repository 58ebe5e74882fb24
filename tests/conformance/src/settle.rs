//! Waiting for controllers: until nothing changes any more, and nothing is left that they will still do.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::server::{Request, Server, ServerError};

/// How long nothing must change.
const QUIET: Duration = Duration::from_millis(2500);
/// How long the same is waited for in a server that acts at once.
const QUIET_AT_ONCE: Duration = Duration::from_millis(400);
/// After so long, what has not happened will be seen as a difference.
const LONGEST: Duration = Duration::from_secs(45);

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
        let over = since.elapsed() > wanted && !is_emptying(&last);
        if over || begin.elapsed() > LONGEST {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(if server.acts_at_once { 50 } else { 300 })).await;
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

/// Whether a namespace is going and nothing keeps it: the real server looks again only after some seconds.
fn is_emptying(objects: &[Value]) -> bool {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let held = |namespace: &str| {
        objects.iter().any(|object| {
            object["metadata"]["namespace"] == namespace
                && object["metadata"]["finalizers"].as_array().is_some_and(|names| !names.is_empty())
        })
    };
    objects.iter().any(|object| {
        let name = text(&object["metadata"]["labels"]["kubernetes.io/metadata.name"]);
        let own = object["metadata"]["finalizers"].as_array().is_some_and(|names| !names.is_empty());
        !name.is_empty() && object["metadata"]["deletionTimestamp"].is_string() && !own && !held(&name)
    })
}

/// What events tell of each object: its states in order, by what deletion depends on. How many writes it took to get
/// from one to the next is left out.
pub fn history(events: &Value) -> Value {
    let mut objects: Map<String, Value> = Map::new();
    for event in events.as_array().into_iter().flatten() {
        let metadata = &event["object"]["metadata"];
        let state = json!({
            "type": if event["type"] == "ADDED" { "MODIFIED".into() } else { event["type"].clone() },
            "deleted": metadata["deletionTimestamp"].is_string(),
            "finalizers": metadata["finalizers"],
            "ownerReferences": metadata["ownerReferences"],
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
        let namespace = json!({"metadata": {"labels": {"kubernetes.io/metadata.name": "a"}, "deletionTimestamp": "2026-01-01T00:00:00Z"}});
        let held = json!({"metadata": {"namespace": "a", "finalizers": ["x/y"]}});
        let free = json!({"metadata": {"namespace": "a"}});
        assert!(is_emptying(&[namespace.clone(), free.clone()]));
        assert!(!is_emptying(&[namespace, held]));
        assert!(!is_emptying(&[free]));
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
