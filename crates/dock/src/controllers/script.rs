//! What a user scripts for an object by its annotations: how long things take, and how they fail.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::action::{Action, Note};
use super::object::Object;
use super::world::{Key, World};

/// How long it takes until the object is ready, or a Job's Pod is done.
pub const READY_AFTER: &str = "dock.slipway.dev/ready-after";
/// How it fails: a reason as the kubelet has them.
pub const FAIL: &str = "dock.slipway.dev/fail";
/// How long after the beginning of its deletion a finalizer of the object is released.
pub const FINALIZER_AFTER: &str = "dock.slipway.dev/finalizer-after";
/// How long its containers take to stop.
pub const STOP_AFTER: &str = "dock.slipway.dev/stop-after";
/// What its containers log.
pub const LOG: &str = "dock.slipway.dev/log";

/// An annotation that means nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// It should have been a duration.
    #[error("annotation {annotation}: {text:?} is not a duration like 2s or 1m30s")]
    Duration {
        /// Which annotation.
        annotation: &'static str,
        /// What it says.
        text: String,
    },
    /// It should have been a reason.
    #[error("annotation {annotation}: {text:?} is not a reason like CrashLoopBackOff")]
    Reason {
        /// Which annotation.
        annotation: &'static str,
        /// What it says.
        text: String,
    },
}

/// What is scripted for an object. Annotations that mean nothing count as absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// See [`READY_AFTER`].
    pub ready_after: Option<SignedDuration>,
    /// See [`FAIL`].
    pub fail: Option<String>,
    /// See [`FINALIZER_AFTER`].
    pub finalizer_after: Option<SignedDuration>,
    /// See [`STOP_AFTER`].
    pub stop_after: Option<SignedDuration>,
    /// See [`LOG`].
    pub log: Option<String>,
}

impl Script {
    /// What the annotations of an object say.
    pub fn of(object: &Value) -> Self {
        Self::read(object).0
    }

    /// What the annotations of an object say, and which of them mean nothing.
    pub fn read(object: &Value) -> (Self, Vec<ScriptError>) {
        let mut errors = Vec::new();
        let mut duration = |annotation| {
            let text = object.annotation(annotation)?;
            let parsed = parse_duration(text);
            if parsed.is_none() {
                errors.push(ScriptError::Duration { annotation, text: text.to_owned() });
            }
            parsed
        };
        let ready_after = duration(READY_AFTER);
        let finalizer_after = duration(FINALIZER_AFTER);
        let stop_after = duration(STOP_AFTER);
        let fail = object.annotation(FAIL).map(str::trim).filter(|text| !text.is_empty()).and_then(|text| {
            let sound = text.starts_with(|letter: char| letter.is_ascii_alphabetic())
                && text.bytes().all(|letter| letter.is_ascii_alphanumeric());
            if !sound {
                errors.push(ScriptError::Reason { annotation: FAIL, text: text.to_owned() });
            }
            sound.then(|| text.to_owned())
        });
        let log = object.annotation(LOG).map(str::to_owned);
        (Self { ready_after, fail, finalizer_after, stop_after, log }, errors)
    }

    /// What is scripted for a Pod: by its own annotations, or else by those of what controls it, and so on upwards.
    /// A finalizer's time is the object's own alone.
    pub fn of_pod(pod: &Value, world: &dyn World) -> Self {
        let mut script = Self::of(pod);
        let mut namespace: Arc<str> = pod.namespace().into();
        let mut reference = pod.controller().cloned();
        // A Pod of a CronJob is three owners deep; a circle of owners must end somewhere.
        for _ in 0..4 {
            let Some(owner) = reference.and_then(|reference| find_owner(&reference, &namespace, world))
            else {
                break;
            };
            let above = Self::of(&owner);
            script.ready_after = script.ready_after.or(above.ready_after);
            script.fail = script.fail.or(above.fail);
            script.stop_after = script.stop_after.or(above.stop_after);
            script.log = script.log.or(above.log);
            namespace = owner.namespace().into();
            reference = owner.controller().cloned();
        }
        script
    }

    /// When the object is ready, if it is to take its time.
    pub fn ready_at(&self, born: Timestamp) -> Timestamp {
        self.ready_after.and_then(|after| born.checked_add(after).ok()).unwrap_or(born)
    }
}

fn find_owner(reference: &Value, namespace: &str, world: &dyn World) -> Option<Arc<Value>> {
    let served = world.serves(reference.text("apiVersion"), reference.text("kind"))?;
    let namespace = if served.namespaced { namespace } else { "" };
    let owner = world.get(&Key::new(&served.resource, namespace, reference.text("name")))?;
    (owner.at("metadata.uid") == &reference["uid"]).then_some(owner)
}

/// The warnings for annotations that mean nothing, told when the object appears or its annotations change.
pub fn complaints(object: &Value) -> Vec<Action> {
    Script::read(object).1.iter().map(|error| Note::warning(object, "BadScript", error.to_string())).collect()
}

/// A duration as Go writes it: `300ms`, `2s`, `1h15m`. Negative ones make no sense here.
pub fn parse_duration(text: &str) -> Option<SignedDuration> {
    let mut rest = text.trim();
    if rest == "0" {
        return Some(SignedDuration::ZERO);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total = 0.0_f64;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let letters =
            rest.find(|letter: char| letter.is_ascii_digit() || letter == '.').unwrap_or(rest.len());
        let unit = match &rest[..letters] {
            "ns" => 1e-9,
            "us" | "µs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        total += number * unit;
        rest = &rest[letters..];
    }
    SignedDuration::try_from_secs_f64(total).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn durations() {
        let cases = [
            ("2s", Some(2_000)),
            ("1m30s", Some(90_000)),
            ("300ms", Some(300)),
            ("1.5s", Some(1_500)),
            ("0", Some(0)),
            ("", None),
            ("2", None),
            ("s", None),
            ("2 s", None),
            ("-2s", None),
            ("9999999999999999999999h", None),
            ("2x", None),
            ("1.2.3s", None),
        ];
        for (text, millis) in cases {
            assert_eq!(parse_duration(text), millis.map(SignedDuration::from_millis), "{text:?}");
        }
    }

    #[test]
    fn annotations_that_mean_nothing_are_told_and_ignored() {
        let object = json!({"kind": "Pod", "metadata": {"name": "a", "annotations": {
            READY_AFTER: "soon", FAIL: "Crash Loop!", FINALIZER_AFTER: "5s", LOG: "hello\n",
        }}});
        let (script, errors) = Script::read(&object);
        assert_eq!(script.ready_after, None);
        assert_eq!(script.fail, None);
        assert_eq!(script.finalizer_after, Some(SignedDuration::from_secs(5)));
        assert_eq!(script.log.as_deref(), Some("hello\n"));
        let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "annotation dock.slipway.dev/ready-after: \"soon\" is not a duration like 2s or 1m30s",
                "annotation dock.slipway.dev/fail: \"Crash Loop!\" is not a reason like CrashLoopBackOff",
            ]
        );
        assert_eq!(complaints(&object).len(), 2);
    }
}
