//! The queue, event by event.

use std::time::Duration;

use kube::core::{ApiResource, DynamicObject};
use serde_json::json;

use super::*;

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn object(version: u64, generation: i64) -> DynamicObject {
    let resource = ApiResource::erase::<k8s_openapi::api::core::v1::ConfigMap>(&());
    let mut object = DynamicObject::new("a", &resource).within("n");
    object.metadata.resource_version = Some(version.to_string());
    object.metadata.generation = Some(generation);
    object.metadata.uid = Some("u".to_owned());
    object
}

fn key() -> ObjectKey {
    ObjectKey::namespaced("n", "a")
}

fn take(queue: &mut Queue, now: Timestamp) -> Option<Taken> {
    queue.take(now, &CancellationToken::new())
}

/// A run that has handled a generation, and written a revision.
fn handled(version: u64, generation: i64, next: Next) -> Finished {
    let handled = Some((version, digest(&object(version, generation).metadata)));
    Finished { handled, overtaken: false, next }
}

#[test]
fn own_writes_do_not_wake() {
    let mut queue = Queue::default();
    queue.seen(object(1, 1));
    assert!(take(&mut queue, NOW).is_some_and(|taken| taken.object.is_some()));
    assert!(take(&mut queue, NOW).is_none(), "one at a time");
    // Our own write is told before and after the run has ended.
    queue.seen(object(2, 1));
    queue.finished(&key(), &handled(2, 1, Next::Rest));
    queue.seen(object(2, 1));
    assert!(take(&mut queue, NOW).is_none());
    // A status that somebody else writes is nothing new either.
    queue.seen(object(3, 1));
    assert!(take(&mut queue, NOW).is_none());
    queue.seen(object(4, 2));
    assert!(take(&mut queue, NOW).is_some());
}

#[test]
fn its_own_finalizer_does_not_interrupt_a_run() {
    let mut queue = Queue::default();
    queue.seen(object(1, 1));
    let running = take(&mut queue, NOW).unwrap();
    let mut held = object(2, 1);
    held.metadata.finalizers = Some(vec!["slipway.dev/things".to_owned()]);
    queue.seen(held);
    assert!(!running.interrupted.is_cancelled());
    queue.seen(object(3, 2));
    assert!(running.interrupted.is_cancelled());
}

#[test]
fn a_change_during_a_run_is_not_lost_and_is_heard() {
    let mut queue = Queue::default();
    queue.seen(object(1, 1));
    let running = take(&mut queue, NOW).unwrap();
    queue.seen(object(3, 2));
    assert!(running.interrupted.is_cancelled());
    queue.finished(&key(), &handled(2, 1, Next::Rest));
    let next = take(&mut queue, NOW).unwrap();
    assert_eq!(next.object.unwrap().metadata.generation, Some(2));
}

#[test]
fn what_is_told_late_is_known() {
    let mut queue = Queue::default();
    queue.seen(object(1, 1));
    take(&mut queue, NOW).unwrap();
    queue.finished(&key(), &handled(9, 1, Next::Rest));
    // Older than what we wrote: whatever it says was there when we wrote it.
    queue.seen(object(5, 7));
    assert!(take(&mut queue, NOW).is_none());
}

#[test]
fn wishes_during_a_run_follow_it() {
    let mut queue = Queue::default();
    queue.seen(object(1, 1));
    take(&mut queue, NOW).unwrap();
    queue.wish(&key(), None);
    queue.finished(&key(), &handled(1, 1, Next::Rest));
    let taken = take(&mut queue, NOW).unwrap();
    assert!(taken.object.is_none(), "it is to be read anew");
}

#[test]
fn timers_are_exact_and_the_earliest_counts() {
    let mut queue = Queue::default();
    queue.seen(object(1, 1));
    take(&mut queue, NOW).unwrap();
    let [soon, late] = [10, 20].map(|seconds| NOW + Duration::from_secs(seconds));
    queue.wish(&key(), Some(soon));
    queue.finished(&key(), &handled(1, 1, Next::At(late)));
    assert_eq!(queue.earliest(), Some(soon));
    assert!(take(&mut queue, soon - Duration::from_nanos(1)).is_none());
    assert!(take(&mut queue, soon).is_some());
    assert_eq!(queue.earliest(), None);
}

#[test]
fn failures_are_counted_until_something_is_new() {
    let mut queue = Queue::default();
    queue.seen(object(1, 1));
    for attempts in 0..3 {
        assert_eq!(take(&mut queue, NOW).unwrap().attempts, attempts);
        queue.finished(&key(), &handled(1, 1, Next::Repeat(NOW)));
    }
    queue.seen(object(2, 2));
    assert_eq!(take(&mut queue, NOW).unwrap().attempts, 0);
}

#[test]
fn what_asks_to_run_once_more_runs_once_more() {
    let mut queue = Queue::default();
    queue.seen(object(1, 1));
    take(&mut queue, NOW).unwrap();
    queue.finished(&key(), &handled(1, 1, Next::Rest));
    let mut asking = object(2, 1);
    asking.metadata.annotations =
        serde_json::from_value(json!({"slipway.dev/operation": "reconcile"})).unwrap();
    queue.seen(asking.clone());
    assert!(take(&mut queue, NOW).is_some());
    // The annotation is still there in what is told meanwhile, then it is taken off.
    asking.metadata.resource_version = Some("3".to_owned());
    queue.seen(asking.clone());
    queue.seen(object(4, 1));
    queue.finished(&key(), &handled(5, 1, Next::Rest));
    assert!(take(&mut queue, NOW).is_none());
    asking.metadata.resource_version = Some("6".to_owned());
    queue.seen(asking);
    assert!(take(&mut queue, NOW).is_some());
}

#[test]
fn what_is_gone_is_forgotten() {
    let mut queue = Queue::default();
    queue.seen(object(1, 1));
    let running = take(&mut queue, NOW).unwrap();
    queue.removed(&key());
    assert!(running.interrupted.is_cancelled());
    queue.wish(&key(), None);
    queue.finished(&key(), &handled(1, 1, Next::At(NOW)));
    assert_eq!((queue.sizes().0, queue.earliest()), (0, None));
    queue.seen(object(1, 1));
    queue.only(&HashSet::new(), |_| true);
    assert_eq!(queue.sizes().0, 0);
}
