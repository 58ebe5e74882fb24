//! Objects that somebody else changes whenever they are put right: putting them right again and again helps nobody.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use kube::core::DynamicObject;

/// So often an object may be put right within [`WINDOW`].
const TIMES: usize = 5;
/// How long that is counted.
const WINDOW: SignedDuration = SignedDuration::from_mins(1);

/// When objects were put right, by UID. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Fights(Arc<Mutex<HashMap<String, Vec<Timestamp>>>>);

impl Fights {
    /// An object was not as it was applied, and was put right.
    pub(super) fn note(&self, uid: String, now: Timestamp) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, times| times.iter().any(|time| now.duration_since(*time) < WINDOW));
        let times = known.entry(uid).or_default();
        times.retain(|time| now.duration_since(*time) < WINDOW);
        times.push(now);
    }

    /// Why an object is not put right for now, if it was too often.
    pub(super) fn objection(&self, uid: &str, live: &DynamicObject, now: Timestamp) -> Option<String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let times = known.get(uid)?.iter().filter(|time| now.duration_since(**time) < WINDOW).count();
        let who = other_writer(live).map(|who| format!(" by {who}")).unwrap_or_default();
        (times >= TIMES).then(|| {
            format!("it is changed again and again{who}: it was put right {times} times within a minute, and is left alone for now")
        })
    }
}

/// Who else has written an object last.
fn other_writer(live: &DynamicObject) -> Option<String> {
    let entries = live.metadata.managed_fields.iter().flatten();
    let others = entries.filter(|entry| entry.manager.as_deref() != Some(release::MANAGER));
    others.max_by_key(|entry| entry.time.as_ref().map(|time| time.0))?.manager.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_right_too_often_is_left_alone_until_a_while_has_passed() {
        let (fights, resource) =
            (Fights::default(), kube::core::ApiResource::erase::<k8s_openapi::api::core::v1::ConfigMap>(&()));
        let live = DynamicObject::new("a", &resource);
        let at = |seconds: i64| Timestamp::UNIX_EPOCH + SignedDuration::from_secs(seconds);
        for second in 0..4 {
            fights.note("u".to_owned(), at(second));
        }
        assert_eq!(fights.objection("u", &live, at(5)), None);
        fights.note("u".to_owned(), at(5));
        assert!(fights.objection("u", &live, at(6)).is_some_and(|words| words.contains("5 times")));
        assert_eq!(fights.objection("another", &live, at(6)), None);
        assert_eq!(fights.objection("u", &live, at(63)), None, "some of it is long ago");
    }
}
