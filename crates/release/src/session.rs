//! Work on one release: locked, from what is stored, with the intent written before anything is done.

use std::collections::{HashMap, HashSet};

use chart::Chart;
use chart::render::{Rendered, split_documents};
use engine::{
    Engine, Event, Holder, Lock, LockError, Marks, ObserveError, Options, Outcome, Stop, Stopper,
    StoredObject, Subjects, Work,
};
use goyaml::Mapping;
use jiff::Timestamp;
use objects::Source;
use plan::input::{
    ChartTree, HookDeletion, HookEvent, Inventory, Live, Member, Policy, ReadError, Wanted, Written,
};
use plan::{ChartIndex, Operation, Plan, PlanErrors, Request};
use serde_json::{Map, Value};

use crate::describe;
use crate::inventory::{Inventories, Kept, hash};
use crate::record::{Info, Record, Status};
use crate::storage::{Storage, StorageError, Stored};
use crate::wanted::{DocumentError, documents, sendable, wanted};

/// Under which name everything is written.
pub const MANAGER: &str = "slipway";

/// A release that is being worked on. Nobody else works on it meanwhile.
#[derive(Debug)]
pub struct Session {
    engine: Engine,
    storage: Storage,
    inventories: Inventories,
    marks: Marks,
    history: Vec<Stored>,
    lock: Lock,
    stop: Stop,
}

/// What is to be deployed.
#[derive(Debug, Clone, Copy)]
pub struct Deployment<'a> {
    /// The chart.
    pub chart: &'a Chart,
    /// The user's values.
    pub values: &'a Mapping,
    /// What became of both.
    pub rendered: &'a Rendered,
    /// In what order, and with what care.
    pub policy: &'a Policy,
    /// How it is run.
    pub options: &'a Options,
    /// How many revisions are kept; zero keeps all.
    pub history_max: usize,
}

/// Why a release cannot be worked on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// Somebody else is at work.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// Records cannot be read or written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The cluster cannot be looked at.
    #[error(transparent)]
    Observe(#[from] ObserveError),
    /// There can be no plan.
    #[error(transparent)]
    Plan(#[from] PlanErrors),
    /// Something rendered or stored cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A document cannot be sent.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// Helm may be at work, or was when it ended.
    #[error("another operation (install/upgrade/rollback) is in progress")]
    Pending,
    /// There is no such release.
    #[error("release: not found")]
    NotFound,
}

/// A revision that was deployed, or that failed to be.
#[derive(Debug)]
pub struct Deployed {
    /// Its record, as it was stored last.
    pub record: Record,
    /// How the run went.
    pub outcome: Outcome,
    /// The plan that was run.
    pub plan: Plan,
}

impl Session {
    /// Begins to work on a release: takes its lock and reads its history. `stopper` and `stop` belong together.
    pub async fn begin(
        engine: Engine,
        marks: Marks,
        holder: &str,
        stopper: Stopper,
        stop: Stop,
    ) -> Result<Self, ReleaseError> {
        let client = engine.client().clone();
        let lock_name = format!("slipway.{}", marks.name);
        let lock = engine.lock(&marks.namespace, &lock_name, holder, stopper).await?;
        let storage = Storage::new(client.clone(), &marks.namespace);
        let inventories = Inventories::new(client, &marks.namespace, MANAGER);
        let history = match storage.history(&marks.name).await {
            Ok(history) => history,
            Err(error) => {
                lock.release().await;
                return Err(error.into());
            }
        };
        Ok(Self { engine, storage, inventories, marks, history, lock, stop })
    }

    /// Ends it, and lets others.
    pub async fn end(self) {
        self.lock.release().await;
    }

    /// The newest revision, unless the release is uninstalled.
    pub fn current(&self) -> Option<&Record> {
        let last = self.history.last().map(|stored| &stored.record);
        last.filter(|record| record.info.status != Status::Uninstalled)
    }

    /// The number of the next revision: that of one which was interrupted, or a new one.
    pub fn next_version(&self) -> u32 {
        let last = self.history.last().map_or(0, |stored| stored.record.version);
        last + u32::from(!self.is_interrupted())
    }

    /// Whether whoever made the newest revision did not come to its end. Since the lock is ours, nobody will.
    pub fn is_interrupted(&self) -> bool {
        self.history.last().is_some_and(|stored| stored.record.info.status.is_pending())
    }

    /// Whether there is a revision before the next one, unless the release is uninstalled.
    pub fn is_upgrade(&self) -> bool {
        let next = self.next_version();
        self.current().is_some() && self.history.iter().any(|stored| stored.record.version < next)
    }

    /// What the newest revision has, with all that earlier ones left behind.
    async fn stored(&self) -> Result<Inventory, ReleaseError> {
        let Some(record) = self.current() else { return Ok(Inventory::default()) };
        match self.inventories.read(&record.name, record.version).await? {
            Some(kept) if kept.fits(record) => Ok(kept.inventory),
            // Helm wrote last: its manifest is the truth.
            _ if record.info.status.is_pending() => Err(ReleaseError::Pending),
            _ => self.read_manifest(record),
        }
    }

    fn read_manifest(&self, record: &Record) -> Result<Inventory, ReleaseError> {
        let chart = record.chart["metadata"]["name"].as_str().unwrap_or(&record.name);
        let mut wanted = Wanted::builder(ChartTree::single(chart), &self.marks.namespace);
        let source = Source::new(format!("{chart}/manifest"));
        for text in split_documents(&record.manifest) {
            wanted.manifest(Written { chart: ChartIndex(0), source: &source, line: 1 }, text)?;
        }
        let plan = plan::plan(&Request {
            operation: Operation::Install,
            wanted: &wanted.finish(),
            stored: &Inventory::default(),
            policy: &Policy { take_ownership: true, ..Policy::default() },
            live: &Live::empty(),
            now: Timestamp::now(),
        })?;
        Ok(Inventory { from_helm: true, ..plan.intent })
    }

    /// How the wanted and the stored objects are now.
    async fn look(
        &self,
        wanted: &Wanted,
        documents: &[Value],
        stored: &Inventory,
    ) -> Result<Live, ReleaseError> {
        let digests: HashMap<_, _> = stored.entries.iter().map(|entry| (&entry.id, entry.digest)).collect();
        let members = || wanted.members.iter().chain(&wanted.crds);
        let document = |member: &Member| {
            let document = &documents[member.document as usize];
            member.item.map_or(document, |item| &document["items"][item as usize]).clone()
        };
        let same = members().filter(|member| digests.get(&member.id) == Some(&member.digest));
        let is_wanted: HashSet<_> = members().map(|member| &member.id).collect();
        let holders = stored.entries.iter().filter(|entry| !is_wanted.contains(&entry.id));
        let subjects = Subjects {
            holders: holders.filter_map(|entry| Some((entry.id.clone(), Holder::of(&entry.id)?))).collect(),
            same: same.map(|member| member.id.clone()).collect(),
            wanted: members().map(|member| (member.id.clone(), document(member))).collect(),
            stored: stored
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

    /// Deploys a revision. What fails after the plan was begun is in the outcome; what fails before touches nothing.
    pub async fn deploy(
        &mut self,
        deployment: Deployment<'_>,
        tell: &mut dyn FnMut(Event),
    ) -> Result<Deployed, ReleaseError> {
        let Deployment { rendered, policy, .. } = deployment;
        let stored = self.stored().await?;
        let wanted = wanted(rendered, &self.marks.namespace)?;
        let documents = documents(rendered, &self.marks)?;
        let live = self.look(&wanted, &documents, &stored).await?;
        let is_upgrade = self.is_upgrade();
        let operation = if is_upgrade { Operation::Upgrade } else { Operation::Install };
        let now = Timestamp::now();
        let plan =
            plan::plan(&Request { operation, wanted: &wanted, stored: &stored, policy, live: &live, now })?;

        let mut record = self.record(&deployment, is_upgrade, now);
        // The intent, then the record that tells of it, then the deed.
        let mut kept = Kept::new(&record, plan.sequenced, plan.intent.clone());
        if self.is_interrupted() {
            kept.replaces = self.history.last().map(|stored| hash(&stored.record.manifest));
        }
        self.inventories.write(&kept).await?;
        let mut known = self.write(&record, now).await?;
        let work = Work { plan: &plan, documents: &documents, marks: &self.marks };
        let outcome = self.engine.run(work, deployment.options, &mut self.stop.clone(), tell).await;

        settle(&mut kept.inventory, &outcome);
        kept.replaces = None;
        self.inventories.write(&kept).await?;
        let verb = if is_upgrade { "Upgrade" } else { "Install" };
        record.info.status = if outcome.is_success() { Status::Deployed } else { Status::Failed };
        record.info.description = match (outcome.is_success(), outcome.failures.first()) {
            (true, _) => format!("{verb} complete"),
            (false, Some((Some(object), why))) => format!("{verb} failed: {object}: {why}"),
            (false, Some((None, why))) => format!("{verb} failed: {why}"),
            (false, None) => format!("{verb} was stopped"),
        };
        known = self.storage.update(&known, &record, Timestamp::now()).await?;
        if outcome.is_success() {
            self.supersede().await?;
        }
        self.history.push(known);
        self.forget_old(deployment.history_max).await?;
        Ok(Deployed { record, outcome, plan })
    }

    fn record(&self, deployment: &Deployment<'_>, is_upgrade: bool, now: Timestamp) -> Record {
        let first = self.current().map(|record| record.info.first_deployed.clone());
        let values = serde_json::to_value(deployment.values).ok();
        Record {
            name: self.marks.name.clone(),
            namespace: self.marks.namespace.clone(),
            version: self.next_version(),
            info: Info {
                first_deployed: first.unwrap_or_else(|| now.to_string()),
                last_deployed: now.to_string(),
                description: if is_upgrade { "Preparing upgrade" } else { "Initial install underway" }
                    .to_owned(),
                status: if is_upgrade { Status::PendingUpgrade } else { Status::PendingInstall },
                notes: deployment.rendered.notes.clone(),
                ..Info::default()
            },
            chart: describe::chart(deployment.chart),
            config: match values {
                Some(Value::Object(values)) => values,
                _ => Map::new(),
            },
            manifest: describe::manifest(deployment.rendered),
            hooks: describe::hooks(deployment.rendered),
            apply_method: "ssa".to_owned(),
            ..Record::default()
        }
    }

    /// Writes the next revision, in the place of one that was interrupted, if there is one.
    async fn write(&mut self, record: &Record, now: Timestamp) -> Result<Stored, ReleaseError> {
        Ok(match self.history.pop_if(|stored| stored.record.version == record.version) {
            Some(interrupted) => self.storage.update(&interrupted, record, now).await?,
            None => self.storage.create(record, now).await?,
        })
    }

    /// What was deployed before is no longer.
    async fn supersede(&mut self) -> Result<(), ReleaseError> {
        for stored in &mut self.history {
            if stored.record.info.status == Status::Deployed {
                let mut record = stored.record.clone();
                record.info.status = Status::Superseded;
                *stored = self.storage.update(stored, &record, Timestamp::now()).await?;
            }
        }
        Ok(())
    }

    /// Removes the oldest revisions, but never the one that is deployed.
    async fn forget_old(&mut self, most: usize) -> Result<(), ReleaseError> {
        while most > 0 && self.history.len() > most {
            let place = self.history.iter().position(|stored| stored.record.info.status != Status::Deployed);
            let Some(place) = place.filter(|place| place + 1 < self.history.len()) else { return Ok(()) };
            let old = self.history.remove(place);
            self.inventories.remove(&old.record.name, old.record.version).await?;
            self.storage.remove(&old).await?;
        }
        Ok(())
    }

    /// Takes the release out. Its record stays until all is gone or kept by a rule.
    pub async fn uninstall(
        &mut self,
        policy: &Policy,
        options: &Options,
        keep_history: bool,
        tell: &mut dyn FnMut(Event),
    ) -> Result<Deployed, ReleaseError> {
        let mut record = self.current().cloned().ok_or(ReleaseError::NotFound)?;
        let stored = self.stored().await?;
        let (wanted, documents) = self.hooks_of(&record)?;
        let live = self.look(&wanted, &documents, &stored).await?;
        let now = Timestamp::now();
        let plan = plan::plan(&Request {
            operation: Operation::Uninstall,
            wanted: &wanted,
            stored: &stored,
            policy,
            live: &live,
            now,
        })?;
        let mut kept = Kept::new(&record, plan.sequenced, plan.intent.clone());
        self.inventories.write(&kept).await?;
        record.info.status = Status::Uninstalling;
        "Deletion in progress (or silently failed)".clone_into(&mut record.info.description);
        record.info.deleted = now.to_string();
        self.rewrite(&record).await?;
        let work = Work { plan: &plan, documents: &documents, marks: &self.marks };
        let outcome = self.engine.run(work, options, &mut self.stop.clone(), tell).await;
        settle(&mut kept.inventory, &outcome);
        if !outcome.is_success() {
            self.inventories.write(&kept).await?;
            let why = outcome.failures.first().map_or("it was stopped", |(_, why)| why);
            record.info.description = format!("Deletion failed: {why}");
            self.rewrite(&record).await?;
            return Ok(Deployed { record, outcome, plan });
        }
        record.info.status = Status::Uninstalled;
        "Uninstallation complete".clone_into(&mut record.info.description);
        if keep_history {
            self.inventories.write(&kept).await?;
            self.rewrite(&record).await?;
            return Ok(Deployed { record, outcome, plan });
        }
        // The newest goes last: whoever is interrupted finds the release still there.
        for old in &self.history {
            // Without its inventory a record can still be read; without its record an inventory would be left behind.
            self.inventories.remove(&old.record.name, old.record.version).await?;
            self.storage.remove(old).await?;
        }
        self.history.clear();
        Ok(Deployed { record, outcome, plan })
    }

    async fn rewrite(&mut self, record: &Record) -> Result<(), ReleaseError> {
        if let Some(last) = self.history.last_mut() {
            *last = self.storage.update(last, record, Timestamp::now()).await?;
        }
        Ok(())
    }

    /// The hooks of a stored revision, for its end.
    fn hooks_of(&self, record: &Record) -> Result<(Wanted, Vec<Value>), ReleaseError> {
        let chart = record.chart["metadata"]["name"].as_str().unwrap_or(&record.name);
        let mut wanted = Wanted::builder(ChartTree::single(chart), &self.marks.namespace);
        let mut documents = Vec::new();
        for hook in &record.hooks {
            let events: Vec<HookEvent> =
                hook.events.iter().filter_map(|event| HookEvent::named(event)).collect();
            let deletions: Vec<HookDeletion> =
                hook.delete_policies.iter().filter_map(|text| deletion(text)).collect();
            let source = Source::new(hook.path.clone());
            let written = Written { chart: ChartIndex(0), source: &source, line: 1 };
            wanted.hook(written, &hook.manifest, &events, hook.weight, &deletions)?;
            documents.push(sendable(&hook.manifest)?);
        }
        Ok((wanted.finish(), documents))
    }
}

fn deletion(policy: &str) -> Option<HookDeletion> {
    match policy {
        "before-hook-creation" => Some(HookDeletion::BeforeHookCreation),
        "hook-succeeded" => Some(HookDeletion::HookSucceeded),
        "hook-failed" => Some(HookDeletion::HookFailed),
        _ => None,
    }
}

/// Puts into an inventory what a run has found out: the UIDs of what there is, and what is gone.
fn settle(inventory: &mut Inventory, outcome: &Outcome) {
    for (entry, uid) in inventory.entries.iter_mut().zip(&outcome.uids) {
        if uid.is_some() {
            entry.uid.clone_from(uid);
        }
    }
    inventory.forget(&outcome.gone);
}
