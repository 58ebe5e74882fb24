//! A release without records: what is stored is kept in memory.

use std::collections::HashMap;
use std::error::Error;

use engine::{Effect, Engine, Event, Holder, Marks, Options, Outcome, Stop, StoredObject, Subjects, Work};
use jiff::Timestamp;
use objects::{ObjectId, Source};
use plan::input::{ChartTree, HookEvent, Inventory, Live, Order, Policy, Wanted, Written};
use plan::{ChartIndex, Operation, Plan, Request};
use serde_json::Value;
use support::{Cluster, Namespace};

pub(crate) type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// A release in a namespace of its own.
pub(crate) struct Release {
    pub(crate) engine: Engine,
    pub(crate) namespace: Namespace,
    pub(crate) marks: Marks,
    pub(crate) stored: Inventory,
    pub(crate) events: Vec<Event>,
    pub(crate) hooks: Vec<String>,
    pub(crate) stop: Option<Stop>,
}

impl Release {
    pub(crate) async fn new(cluster: &Cluster) -> Result<Self> {
        let namespace = cluster.namespace().await?;
        let marks = Marks::release("shop", namespace.name());
        let engine = Engine::connect(cluster.client()).await?;
        Ok(Self {
            engine,
            namespace,
            marks,
            stored: Inventory::default(),
            events: Vec::new(),
            hooks: Vec::new(),
            stop: None,
        })
    }

    /// Plans and runs an operation, and keeps what is to be stored.
    pub(crate) async fn run(
        &mut self,
        operation: Operation,
        texts: &[&str],
        options: &Options,
    ) -> Result<Outcome> {
        self.run_while(operation, texts, options, async |_| Ok(())).await
    }

    /// The same, while somebody else does something after it was planned.
    pub(crate) async fn run_while(
        &mut self,
        operation: Operation,
        texts: &[&str],
        options: &Options,
        meanwhile: impl AsyncFnOnce(&Self) -> Result,
    ) -> Result<Outcome> {
        let (wanted, documents) = self.read(texts)?;
        let live = self.look(&wanted, &documents).await?;
        let policy = Policy { order: Order::Ordered, timeout: options.timeout, ..Policy::default() };
        let plan = self.plan(operation, &wanted, &policy, &live)?;
        meanwhile(self).await?;
        let mut events = Vec::new();
        let (_stopper, never) = Stop::new();
        let mut stop = self.stop.clone().unwrap_or(never);
        let work = Work { plan: &plan, documents: &documents, marks: &self.marks };
        let outcome = self.engine.run(work, options, &mut stop, &mut |event| events.push(event)).await;
        self.events = events;
        self.stored = plan.intent;
        for (entry, uid) in self.stored.entries.iter_mut().zip(&outcome.uids) {
            entry.uid.clone_from(uid);
        }
        self.stored.forget(&outcome.gone);
        Ok(outcome)
    }

    fn read(&self, texts: &[&str]) -> Result<(Wanted, Vec<Value>)> {
        let mut wanted = Wanted::builder(ChartTree::single("shop"), self.namespace.name());
        let source = Source::new("shop/templates/all.yaml");
        let mut documents = Vec::new();
        for text in texts {
            wanted.manifest(Written { chart: ChartIndex(0), source: &source, line: 1 }, text)?;
            let mut document = goyaml::from_str(text)?;
            plan::sanitise(&mut document);
            let mut document = serde_json::from_str(&goyaml::json::to_string(&document)?)?;
            self.marks.put_on(&mut document);
            documents.push(document);
        }
        for text in &self.hooks {
            let written = Written { chart: ChartIndex(0), source: &source, line: 1 };
            wanted.hook(written, text, &[HookEvent::PreInstall, HookEvent::PreUpgrade], 0, &[])?;
            documents.push(goyaml::from_str_as(text)?);
        }
        Ok((wanted.finish(), documents))
    }

    async fn look(&self, wanted: &Wanted, documents: &[Value]) -> Result<Live> {
        let digests: HashMap<&ObjectId, _> =
            self.stored.entries.iter().map(|entry| (&entry.id, entry.digest)).collect();
        let same = wanted.members.iter().filter(|member| digests.get(&member.id) == Some(&member.digest));
        let is_wanted = |id: &ObjectId| wanted.members.iter().any(|member| member.id == *id);
        let holders = self.stored.entries.iter().filter(|entry| !is_wanted(&entry.id));
        let document = |member: &plan::input::Member| documents[member.document as usize].clone();
        let subjects = Subjects {
            holders: holders.filter_map(|entry| Some((entry.id.clone(), Holder::of(&entry.id)?))).collect(),
            same: same.map(|member| member.id.clone()).collect(),
            wanted: wanted.members.iter().map(|member| (member.id.clone(), document(member))).collect(),
            stored: self
                .stored
                .entries
                .iter()
                .map(|entry| StoredObject {
                    id: entry.id.clone(),
                    api_version: entry.api_version.clone(),
                    uid: entry.uid.clone(),
                })
                .collect(),
        };
        Ok(self.engine.observe(&subjects, &self.marks).await?)
    }

    fn plan(&self, operation: Operation, wanted: &Wanted, policy: &Policy, live: &Live) -> Result<Plan> {
        let stored = &self.stored;
        Ok(plan::plan(&Request { operation, wanted, stored, policy, live, now: Timestamp::now() })?)
    }

    /// The place of an event about an object among all that happened.
    pub(crate) fn when(&self, wanted: impl Fn(&Event) -> bool) -> usize {
        self.events.iter().position(wanted).unwrap_or_else(|| panic!("it did not happen: {:#?}", self.events))
    }

    pub(crate) fn effects(&self) -> Vec<(String, Effect)> {
        let effect = |event: &Event| match event {
            Event::Applied { object, effect } => Some((object.name.clone(), *effect)),
            _ => None,
        };
        self.events.iter().filter_map(effect).collect()
    }
}

pub(crate) fn is_ready(name: &str) -> impl Fn(&Event) -> bool {
    move |event| matches!(event, Event::Ready { object } if object.name == name)
}

pub(crate) fn is_applied(name: &str) -> impl Fn(&Event) -> bool {
    move |event| matches!(event, Event::Applied { object, .. } if object.name == name)
}

pub(crate) fn is_gone(name: &str) -> impl Fn(&Event) -> bool {
    move |event| matches!(event, Event::Gone { object } if object.name == name)
}

pub(crate) fn is_deleting(name: &str) -> impl Fn(&Event) -> bool {
    move |event| matches!(event, Event::Deleting { object } if object.name == name)
}
