//! Countdowns by the time of this machine: so many as `SLIPWAY_COUNTDOWNS` says end in the same few seconds.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_core::Stream as _;
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt;
use kube::api::ListParams;
use kube::runtime::watcher::{self, Event, watcher};
use serde_json::{Value, json};

use crate::yard::{Done, Yard, delayed, stamp};

/// How many objects each Bundle has.
const OBJECTS: usize = 25;

#[tokio::test(flavor = "multi_thread")]
async fn countdowns_end_at_their_instants_and_after_a_restart_in_mid_countdown() -> Done {
    let count: usize =
        std::env::var("SLIPWAY_COUNTDOWNS").ok().and_then(|text| text.parse().ok()).unwrap_or(50);
    let mut yard = Yard::new().await?;
    let gone: Arc<Mutex<BTreeMap<String, Timestamp>>> = Arc::default();
    let watching = tokio::spawn({
        let (maps, gone) = (yard.maps.clone(), Arc::clone(&gone));
        async move {
            let mut events = pin!(watcher(maps, watcher::Config::default()));
            while let Some(event) = poll_fn(|context| events.as_mut().poll_next(context)).await {
                if let Ok(Event::Delete(map)) = event {
                    let now = Timestamp::now();
                    gone.lock()
                        .unwrap_or_else(std::sync::PoisonError::into_inner)
                        .insert(map.name_any(), now);
                }
            }
        }
    });
    // Longer for more, so that the last is stamped before the first is due.
    let delay = 8 + count / 20;
    let bundles = count.div_ceil(OBJECTS);
    for bundle in 0..bundles {
        let object = |object: usize| delayed(&format!("o-{bundle}-{object}"), &format!("{delay}s"));
        let resources: Vec<Value> = (0..OBJECTS).map(object).collect();
        yard.apply(&format!("b-{bundle}"), json!(resources)).await?;
    }
    for bundle in 0..bundles {
        yard.ready(&format!("b-{bundle}")).await?;
    }
    for bundle in 0..bundles {
        yard.apply(&format!("b-{bundle}"), json!([])).await?;
    }
    let due = loop {
        let maps = yard.maps.list(&ListParams::default()).await?.items;
        let due = |map: &ConfigMap| {
            let stamp: Timestamp = stamp(map)?.parse().ok()?;
            Some((map.name_any(), stamp + SignedDuration::from_secs(i64::try_from(delay).ok()?)))
        };
        let due: BTreeMap<String, Timestamp> = maps.iter().filter_map(due).collect();
        if due.len() == bundles * OBJECTS {
            break due;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    yard.kill();
    yard.start();
    for name in due.keys() {
        support::gone(&yard.maps, name).await?;
    }
    // The last may be told of a moment later.
    while gone.lock().unwrap_or_else(std::sync::PoisonError::into_inner).len() < due.len() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    watching.abort();
    let gone = gone.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
    let mut late: Vec<SignedDuration> =
        due.iter().map(|(name, due)| gone[name].duration_since(*due)).collect();
    late.sort();
    let at = |part: usize| late[(late.len() - 1) * part / 100];
    eprintln!("{} countdowns: half {:?} late, 99 of 100 {:?}, all {:?}", late.len(), at(50), at(99), at(100));
    assert!(late.iter().all(|late| *late >= SignedDuration::ZERO), "not before its time: {:?}", late[0]);
    assert!(at(100) < SignedDuration::from_secs(15), "{:?}", at(100));
    Ok(())
}
