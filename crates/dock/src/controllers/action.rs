//! What a controller wants done: ordinary requests, and when to look again.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::object::Object;
use super::world::{Key, Resource};

/// A request that a controller wants made.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Make an object.
    Create {
        /// Of which resource.
        resource: Resource,
        /// The object, with its namespace; its name may be left to the server.
        object: Value,
        /// What to tell once it is there, or could not be made.
        announce: Option<Announcement>,
    },
    /// Replace an object, if nobody changed it meanwhile.
    Update {
        /// Of which resource.
        resource: Resource,
        /// Which part of it.
        part: Part,
        /// The object as it is to be.
        object: Value,
    },
    /// Change an object by a JSON merge patch.
    Patch {
        /// Which object.
        key: Key,
        /// The patch.
        patch: Value,
    },
    /// Give a Pod its Node.
    Bind {
        /// Which Pod.
        key: Key,
        /// Its identity.
        uid: String,
        /// The Node's name.
        node: String,
    },
    /// Delete an object.
    Delete(Deletion),
    /// Tell what happened by an Event.
    Note(Note),
}

/// What an update writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Everything but the status.
    Main,
    /// The status.
    Status,
    /// The finalizers in a Namespace's specification.
    Finalize,
}

/// How an object is to be deleted.
#[derive(Debug, Clone, PartialEq)]
pub struct Deletion {
    /// Which object.
    pub key: Key,
    /// Only this one, not another of its name.
    pub uid: String,
    /// Only if nobody changed it since this revision.
    pub revision: Option<String>,
    /// What becomes of its dependents; the server's default if not said.
    pub propagation: Option<Propagation>,
    /// How long it may take to stop; its own wish if not said.
    pub grace_seconds: Option<i64>,
    /// What to tell of it.
    pub announce: Option<Note>,
}

/// What becomes of the dependents of an object that is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Propagation {
    /// They go first.
    Foreground,
    /// They go afterwards.
    Background,
    /// They stay.
    Orphan,
}

impl Propagation {
    /// The word for it in delete options.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Foreground => "Foreground",
            Self::Background => "Background",
            Self::Orphan => "Orphan",
        }
    }
}

/// What to tell of an object that is being made: its name is known only afterwards.
#[derive(Debug, Clone, PartialEq)]
pub struct Announcement {
    /// About whom.
    pub about: Value,
    /// The reason if it is there.
    pub made: &'static str,
    /// The sentence if it is there; `{}` stands for its name.
    pub made_message: String,
    /// The reason if it could not be made.
    pub refused: &'static str,
    /// The sentence if it could not be made; `{}` stands for the refusal.
    pub refused_message: String,
}

/// An Event to be told.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// About whom: a reference as Events have it.
    pub about: Value,
    /// Whether it is a warning.
    pub warning: bool,
    /// One word for programs.
    pub reason: String,
    /// The sentence for people.
    pub message: String,
}

/// What a controller makes of an object.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// What to do, in order. When one is refused, those after it are not made.
    pub actions: Vec<Action>,
    /// When to look again though nothing changed.
    pub again: Option<Timestamp>,
    /// Other objects that the same controller should look at.
    pub wake: Vec<Key>,
    /// Whether it cannot go on until other kinds are served.
    pub stalled: bool,
}

impl Outcome {
    /// Nothing to do.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// These actions.
    pub fn of(actions: Vec<Action>) -> Self {
        Self { actions, ..Self::default() }
    }

    /// One more action.
    pub fn push(&mut self, action: Action) {
        self.actions.push(action);
    }

    /// Look again at this moment, or earlier.
    pub fn look_again(&mut self, moment: Timestamp) {
        self.again = Some(self.again.map_or(moment, |earlier| earlier.min(moment)));
    }

    /// An update of the status, if the status is a new one.
    pub fn update_status(&mut self, resource: &Resource, object: &Value, status: Value) {
        if object.at("status") != &status {
            let mut object = object.clone();
            object["status"] = status;
            self.push(Action::Update { resource: resource.clone(), part: Part::Status, object });
        }
    }
}

impl Action {
    /// Replaces the finalizers and owner references of an object, if nobody changed it meanwhile.
    pub fn patch_metadata(key: Key, object: &Value, fields: &[(&str, Value)]) -> Self {
        let mut metadata = json!({
            "uid": object.uid(),
            "resourceVersion": object.text("metadata.resourceVersion"),
        });
        for (field, value) in fields {
            metadata[*field] = value.clone();
        }
        Self::Patch { key, patch: json!({ "metadata": metadata }) }
    }

    /// Takes a finalizer from an object.
    pub fn remove_finalizer(key: Key, object: &Value, finalizer: &str) -> Self {
        let left: Vec<&Value> =
            object.items("metadata.finalizers").iter().filter(|held| *held != finalizer).collect();
        // A merge patch with null removes the field, as a list without items would be stored as none.
        let left = if left.is_empty() { Value::Null } else { json!(left) };
        Self::patch_metadata(key, object, &[("finalizers", left)])
    }

    /// Deletes an object by its identity, with the server's defaults.
    pub fn delete(key: Key, object: &Value) -> Self {
        Self::Delete(Deletion {
            key,
            uid: object.uid().to_owned(),
            revision: None,
            propagation: None,
            grace_seconds: None,
            announce: None,
        })
    }
}

impl Note {
    /// Something that goes as it should.
    pub fn normal(about: &Value, reason: &str, message: impl Into<String>) -> Action {
        Action::Note(Self {
            about: reference(about),
            warning: false,
            reason: reason.into(),
            message: message.into(),
        })
    }

    /// Something that people should look at.
    pub fn warning(about: &Value, reason: &str, message: impl Into<String>) -> Action {
        Action::Note(Self {
            about: reference(about),
            warning: true,
            reason: reason.into(),
            message: message.into(),
        })
    }
}

/// A reference to an object as Events have it.
pub fn reference(object: &Value) -> Value {
    let mut reference = json!({
        "kind": object["kind"],
        "apiVersion": object["apiVersion"],
        "name": object.name(),
        "uid": object.uid(),
    });
    for field in ["namespace", "resourceVersion"] {
        if let Some(value) = object.at("metadata").get(field) {
            reference[field] = value.clone();
        }
    }
    reference
}
