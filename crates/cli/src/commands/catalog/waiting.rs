//! Following an object by a watch until it is as it should be.

use std::fmt::Debug;
use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use clap::Args;
use futures_core::Stream;
use kube::runtime::WatchStreamExt as _;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Resource, ResourceExt as _};
use serde::de::DeserializeOwned;

use super::counter::{Counter, failed};
use crate::go_flags;
use crate::report::{self, Failure};

/// Whether, and how long, a command waits.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct WaitFlags {
    /// Wait until it is done, and tell how it goes
    #[arg(long)]
    pub(super) wait: bool,

    /// How long to wait at most
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = go_flags::duration)]
    pub(super) timeout: Duration,
}

/// What an object is seen to be.
pub(super) enum Seen {
    /// As it should be.
    Done,
    /// On its way, with words about it.
    Going(String),
    /// It will not become what it should: why, in the words of whoever refuses, and what can be done.
    Failed(String, Option<String>),
}

/// What is waited for.
pub(super) struct Wait<'a> {
    pub(super) name: &'a str,
    pub(super) timeout: Duration,
}

impl Wait<'_> {
    /// Follows an object until it is as it should be, and returns it as it was then. Words that are new are told.
    pub(super) fn follow<K>(
        &self,
        counter: &Counter,
        api: &Api<K>,
        mut judge: impl FnMut(Option<&K>) -> Seen,
    ) -> Result<Option<K>, Failure>
    where
        K: Resource + Clone + Debug + DeserializeOwned + Send + 'static,
    {
        let mut told = String::new();
        let watching = self.watch(api, |object| {
            let seen = judge(object);
            if let Seen::Going(words) = &seen
                && !words.is_empty()
                && *words != told
            {
                report::plain(&format!("  {words}"));
                told.clone_from(words);
            }
            seen
        });
        let ended = counter.cluster.wait(async { tokio::time::timeout(self.timeout, watching).await });
        ended.unwrap_or_else(|_| {
            let mut message = format!("{} was waited for longer than {:?}", self.name, self.timeout);
            if !told.is_empty() {
                message = format!("{message}: {told}");
            }
            Err(Failure::new(message).hint("--timeout gives it longer; nothing was taken back"))
        })
    }

    async fn watch<K>(
        &self,
        api: &Api<K>,
        mut judge: impl FnMut(Option<&K>) -> Seen,
    ) -> Result<Option<K>, Failure>
    where
        K: Resource + Clone + Debug + DeserializeOwned + Send + 'static,
    {
        let config = watcher::Config::default().fields(&format!("metadata.name={}", self.name));
        let mut events = pin!(watcher(api.clone(), config).default_backoff());
        let mut current: Option<K> = None;
        while let Some(event) = poll_fn(|context| events.as_mut().poll_next(context)).await {
            match event {
                Ok(Event::Init) => {
                    current = None;
                    continue;
                }
                Ok(Event::InitApply(object)) => {
                    if object.name_any() == self.name {
                        current = Some(object);
                    }
                    continue;
                }
                Ok(Event::InitDone) => {}
                Ok(Event::Apply(object)) => current = Some(object),
                Ok(Event::Delete(_)) => current = None,
                Err(error) => {
                    if let Some(refusal) = refusal(&error) {
                        return Err(failed(self.name, &kube::Error::Api(refusal)));
                    }
                    continue;
                }
            }
            match judge(current.as_ref()) {
                Seen::Done => return Ok(current),
                Seen::Going(_) => {}
                Seen::Failed(words, hint) => {
                    let failure = Failure::new(format!("{}: {words}", self.name));
                    return Err(match hint {
                        Some(hint) => failure.hint(hint),
                        None => failure,
                    });
                }
            }
        }
        Ok(current)
    }
}

/// A refusal that asking again does not change: no right, or no such kind.
fn refusal(error: &watcher::Error) -> Option<Box<kube::core::Status>> {
    let (watcher::Error::InitialListFailed(kube::Error::Api(status))
    | watcher::Error::WatchStartFailed(kube::Error::Api(status))
    | watcher::Error::WatchError(status)) = error
    else {
        return None;
    };
    matches!(status.code, 401 | 403 | 404).then(|| status.clone())
}
