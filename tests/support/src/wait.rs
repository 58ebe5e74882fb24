//! Waiting, by watches.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use futures_core::Stream;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;

/// How long anything is waited for.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// Waits until an object is there and the condition holds, and returns it as it was then.
pub async fn eventually<K>(api: &Api<K>, name: &str, condition: impl Fn(&K) -> bool) -> Result<K, Error>
where
    K: Resource + Clone + Debug + Serialize + DeserializeOwned + Send + 'static,
    K::DynamicType: Default,
{
    let config = watcher::Config::default().fields(&format!("metadata.name={name}"));
    let seen = watch(api, config, &format!("what was expected of {name}"), |objects| {
        objects.get(name).is_some_and(&condition)
    })
    .await?;
    seen.into_values().next().ok_or_else(|| late("what was expected", ""))
}

/// Waits until there is no object of this name.
pub async fn gone<K>(api: &Api<K>, name: &str) -> Result<(), Error>
where
    K: Resource + Clone + Debug + Serialize + DeserializeOwned + Send + 'static,
    K::DynamicType: Default,
{
    let config = watcher::Config::default().fields(&format!("metadata.name={name}"));
    watch(api, config, &format!("the removal of {name}"), BTreeMap::is_empty).await?;
    Ok(())
}

/// Waits until the condition holds of all objects that the labels select, by their names, and returns them.
pub async fn every<K>(
    api: &Api<K>,
    labels: &str,
    condition: impl Fn(&BTreeMap<String, K>) -> bool,
) -> Result<BTreeMap<String, K>, Error>
where
    K: Resource + Clone + Debug + Serialize + DeserializeOwned + Send + 'static,
    K::DynamicType: Default,
{
    watch(
        api,
        watcher::Config::default().labels(labels),
        &format!("what was expected of {labels:?}"),
        condition,
    )
    .await
}

async fn watch<K>(
    api: &Api<K>,
    config: watcher::Config,
    what: &str,
    condition: impl Fn(&BTreeMap<String, K>) -> bool,
) -> Result<BTreeMap<String, K>, Error>
where
    K: Resource + Clone + Debug + Serialize + DeserializeOwned + Send + 'static,
    K::DynamicType: Default,
{
    let mut objects = BTreeMap::new();
    let mut events = pin!(watcher(api.clone(), config));
    let waiting = async {
        while let Some(event) = poll_fn(|context| events.as_mut().poll_next(context)).await {
            match event? {
                // Not all that is there has been told yet.
                Event::Init => {
                    objects.clear();
                    continue;
                }
                Event::InitApply(object) => {
                    objects.insert(object.name_any(), object);
                    continue;
                }
                Event::InitDone => {}
                Event::Apply(object) => {
                    objects.insert(object.name_any(), object);
                }
                Event::Delete(object) => {
                    objects.remove(&object.name_any());
                }
            }
            if condition(&objects) {
                return Ok(());
            }
        }
        Ok::<_, Error>(())
    };
    match tokio::time::timeout(PATIENCE, waiting).await {
        Ok(Ok(())) => Ok(objects),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(late(what, &serde_json::to_string(&objects).unwrap_or_default())),
    }
}

fn late(what: &str, last: &str) -> Error {
    Error::Late { what: what.to_owned(), seconds: PATIENCE.as_secs(), last: last.to_owned() }
}
