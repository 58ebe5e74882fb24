//! Notes become Events; one that was told before is counted instead.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::action::{Action, Note};
use super::controller::Actor;
use super::object::{Object, stamp};
use super::world::{EVENTS, Key};

/// So many different notes are remembered for counting.
const REMEMBERED: usize = 4096;

/// What makes two notes the same.
type Identity = (&'static str, String, String, bool, String, String);

/// Turns notes into Events.
#[derive(Debug, Default)]
pub struct Recorder {
    told: HashMap<Identity, (Key, i64)>,
    serial: i128,
}

impl Recorder {
    /// The request by which a note is told: an Event more, or a higher count of one. `exists` tells whether an Event
    /// of before is still there.
    pub fn record(
        &mut self,
        note: &Note,
        actor: Actor,
        now: Timestamp,
        exists: impl Fn(&Key) -> bool,
    ) -> Action {
        let identity = (
            actor.component,
            note.about.text("uid").to_owned(),
            note.about.text("fieldPath").to_owned(),
            note.warning,
            note.reason.clone(),
            note.message.clone(),
        );
        if let Some((key, count)) = self.told.get_mut(&identity)
            && exists(key)
        {
            *count += 1;
            let patch = json!({ "count": *count, "lastTimestamp": stamp(now) });
            return Action::Patch { key: key.clone(), patch };
        }
        if self.told.len() >= REMEMBERED {
            self.told.clear();
        }
        let object = self.event(note, actor, now);
        self.told.insert(identity, (Key::of(&EVENTS, &object), 1));
        Action::Create { resource: EVENTS, object, announce: None }
    }

    fn event(&mut self, note: &Note, actor: Actor, now: Timestamp) -> Value {
        self.serial = (self.serial + 1).max(now.as_nanosecond());
        let namespace = match note.about.text("namespace") {
            "" => "default",
            namespace => namespace,
        };
        json!({
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {
                "name": format!("{}.{:x}", note.about.text("name"), self.serial),
                "namespace": namespace,
            },
            "involvedObject": note.about,
            "reason": note.reason,
            "message": note.message,
            "source": { "component": actor.component },
            "firstTimestamp": stamp(now),
            "lastTimestamp": stamp(now),
            "count": 1,
            "type": if note.warning { "Warning" } else { "Normal" },
            "eventTime": null,
            "reportingComponent": actor.component,
            "reportingInstance": "",
        })
    }
}
