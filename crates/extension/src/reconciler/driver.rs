//! The loop of a controller: news and wishes fill the queue, and tasks empty it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kube::core::ApiResource;
use tokio::sync::mpsc;
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;
use tracing::field::Empty;

use super::one::Core;
use super::queue::{Finished, Next, Queue};
use super::sources::{News, watch, watch_other};
use super::{Reconciler, Secondary, api, pauses};
use crate::trigger::Wish;
use crate::{Actuator, ObjectKey};

/// How many news may wait: the watch waits for the queue then, and the server for the watch.
const WAITING_NEWS: usize = 256;

pub(super) struct Driver<A: Actuator> {
    core: Arc<Core<A>>,
    queue: Queue,
    others: Vec<Secondary>,
    wishes: mpsc::UnboundedReceiver<Wish>,
    running: JoinSet<(ObjectKey, Finished)>,
    /// Who runs in which task, for the tasks that panic.
    tasks: HashMap<Id, ObjectKey>,
    /// The parts of the cluster of which not all has been told yet.
    untold: HashSet<Option<String>>,
    stop: CancellationToken,
}

impl<A: Actuator> Driver<A> {
    pub(super) fn new(reconciler: Reconciler<A>, stop: CancellationToken) -> Self {
        let Reconciler { environment, actuator, settings, watches, owners, trigger, wishes } = reconciler;
        let resource = ApiResource::erase::<A::Object>(&());
        let namespaces = &environment.scope.namespaces;
        let untold = match namespaces.as_slice() {
            [] => HashSet::from([None]),
            namespaces => namespaces.iter().cloned().map(Some).collect(),
        };
        let core =
            Core { environment, actuator, settings, resource, owners, trigger, stopping: stop.clone() };
        Self {
            core: Arc::new(core),
            queue: Queue::default(),
            others: watches,
            wishes,
            running: JoinSet::new(),
            tasks: HashMap::new(),
            untold,
            stop,
        }
    }

    pub(super) async fn run(mut self) {
        let core = Arc::clone(&self.core);
        let health = &core.environment.health;
        health.set(&core.settings.name, false);
        let (mut news, watches) = self.watch();
        loop {
            self.begin();
            let free = self.running.len() < core.settings.concurrency;
            let timer = self.queue.earliest().filter(|_| free);
            let timer = async {
                match timer {
                    Some(instant) => core.environment.clock.sleep_until(instant).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.stop.cancelled() => break,
                Some(told) = news.recv() => self.hear(told),
                Some(wish) = self.wishes.recv() => self.wish(wish),
                Some(ended) = self.running.join_next_with_id() => self.ended(ended),
                () = timer => {}
            }
            self.measure();
        }
        drop(watches);
        health.set(&core.settings.name, false);
        self.end().await;
    }

    /// Begins the watches. They end with what is returned.
    fn watch(&self) -> (mpsc::Receiver<News>, JoinSet<()>) {
        let environment = &self.core.environment;
        let (tell, news) = mpsc::channel(WAITING_NEWS);
        let mut watches = JoinSet::new();
        for namespace in &self.untold {
            let objects = api(&environment.client, &self.core.resource, namespace.as_deref());
            watches.spawn(
                watch(objects, environment.scope.labels.clone(), namespace.clone(), tell.clone())
                    .in_current_span(),
            );
            for other in self.others.iter().filter(|other| namespace.is_none() || !other.of_cluster) {
                let objects = api(&environment.client, &other.resource, namespace.as_deref());
                watches
                    .spawn(watch_other(objects, other.clone(), self.core.trigger.clone()).in_current_span());
            }
        }
        (news, watches)
    }

    fn begin(&mut self) {
        while self.running.len() < self.core.settings.concurrency {
            let now = self.core.environment.clock.now();
            let Some(taken) = self.queue.take(now, &self.stop) else { return };
            let key = taken.key.clone();
            let core = Arc::clone(&self.core);
            let span = tracing::info_span!(
                "object",
                controller = core.settings.name,
                %key,
                operation = Empty,
                result = Empty,
                error = Empty,
            );
            let task = async move {
                let key = taken.key.clone();
                let finished = core.handle(taken).await;
                (key, finished)
            };
            let id = self.running.spawn(task.instrument(span)).id();
            self.tasks.insert(id, key);
        }
    }

    fn hear(&mut self, news: News) {
        match news {
            News::There(object) => self.queue.seen(*object),
            News::Gone(key) => self.queue.removed(&key),
            News::Complete(part, told) => {
                self.queue.only(&told, |key| part.is_none() || key.namespace == part);
                self.untold.remove(&part);
                if self.untold.is_empty() {
                    self.core.environment.health.set(&self.core.settings.name, true);
                }
            }
        }
    }

    fn wish(&mut self, wish: Wish) {
        match wish {
            Wish::At(key, at) => self.queue.wish(&key, at),
            Wish::OwnedBy(uid) => {
                for key in self.queue.owned_by(&uid) {
                    self.queue.wish(&key, None);
                }
            }
        }
    }

    fn ended(&mut self, ended: Result<(Id, (ObjectKey, Finished)), JoinError>) {
        let (key, finished) = match ended {
            Ok((id, ended)) => {
                self.tasks.remove(&id);
                ended
            }
            Err(error) => {
                let Some(key) = self.tasks.remove(&error.id()) else { return };
                tracing::error!(%key, %error, "an operation broke down");
                let pause = pauses::after_failure(&key, self.queue.attempts(&key));
                let next = Next::Repeat(self.core.environment.clock.after(pause));
                (key, Finished { next, ..Finished::default() })
            }
        };
        self.queue.finished(&key, &finished);
    }

    fn measure(&self) {
        let (objects, ready) = self.queue.sizes();
        let labels = [("controller", self.core.settings.name.as_str())];
        let metrics = &self.core.environment.metrics;
        metrics.gauge("slipway_objects", "Objects that a controller looks after.", &labels, objects as f64);
        metrics.gauge("slipway_queue_length", "Objects that wait for their turn.", &labels, ready as f64);
        let running = self.running.len() as f64;
        metrics.gauge("slipway_operations_running", "Operations that are under way.", &labels, running);
    }

    /// Lets what is under way come to its end.
    async fn end(mut self) {
        let ending = async { while self.running.join_next().await.is_some() {} };
        if tokio::time::timeout(self.core.settings.grace, ending).await.is_err() {
            let name = &self.core.settings.name;
            tracing::warn!(controller = name, "operations were cut off: they are run again when it starts");
            self.running.shutdown().await;
        }
    }
}
