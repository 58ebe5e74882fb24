//! A release as it is stored and as the cluster has it, and what an operation on it would do. Nothing here writes.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use chart::Chart;
use chart::render::Rendered;
use engine::{Engine, Holder, Marks, StoredObject, Subjects, Work};
use goyaml::Mapping;
use jiff::Timestamp;
use plan::input::{Entry, Inventory, Live, Member, Order, Policy, Wanted};
use plan::{ObjectIndex, Operation, Plan, Request};
use serde_json::{Map, Value};

use crate::describe;
use crate::inventory::{Inventories, Kept, Origins};
use crate::record::{Info, Record, Status};
use crate::session::{MANAGER, ReleaseError};
use crate::storage::{Storage, Stored};
use crate::tombstone::{Tombstone, Tombstones};
use crate::wanted::{documents, tree, wanted};
use crate::written::Revision;

/// A `pending-…` record that is not ours is taken to be a live Helm's for so long.
pub const PENDING_GRACE: Duration = Duration::from_mins(15);

/// How Helm is to go on from a record of ours. It would apply on the server's side too, and be refused there the fields
/// that are ours; what it merges on its own side is not, and we take the fields back when it is our turn.
const APPLY_METHOD: &str = "csa";

/// Where Helm writes which revision was gone back to.
const ROLLBACK_REVISION: &str = "rollback_revision";

/// A release, as it was read.
#[derive(Debug)]
pub struct Release {
    pub(crate) engine: Engine,
    pub(crate) storage: Storage,
    pub(crate) inventories: Inventories,
    pub(crate) tombstones: Tombstones,
    pub(crate) marks: Marks,
    pub(crate) history: Vec<Stored>,
    pending_grace: Duration,
    /// The inventory of a command of ours that was interrupted.
    interrupted: Option<Kept>,
    tombstone: Option<Tombstone>,
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
    /// Labels for the record, beside those it has already; `null` takes one away.
    pub labels: &'a [(String, String)],
}

/// What an operation would do: complete and valid, and nothing of it done yet.
#[derive(Debug)]
pub struct Prepared {
    /// The steps.
    pub plan: Plan,
    /// What is sent for each wanted object, as the plan numbers them.
    pub documents: Vec<Value>,
    /// How the objects are now.
    pub live: Live,
    /// The record of the revision that this makes, or that it ends.
    pub record: Record,
    pub(crate) origins: Origins,
    /// What the record says when all went well.
    pub(crate) done: String,
}

/// What a plan is made from beside the cluster.
struct Intention<'a> {
    operation: Operation,
    wanted: &'a Wanted,
    documents: Vec<Value>,
    stored: &'a Inventory,
    policy: &'a Policy,
    record: Record,
    origins: Origins,
    done: &'a str,
}

impl Prepared {
    /// What is sent for an object.
    pub fn manifest(&self, object: ObjectIndex) -> Option<Value> {
        let Record { name, namespace, .. } = self.record.clone();
        Work { plan: &self.plan, documents: &self.documents, marks: &Marks::release(name, namespace) }
            .manifest(object)
    }
}

impl Release {
    /// Reads a release. A `pending-…` record of Helm's that is older than `pending_grace` is taken to be left behind.
    pub async fn read(engine: Engine, marks: Marks, pending_grace: Duration) -> Result<Self, ReleaseError> {
        let client = engine.client().clone();
        let storage = Storage::new(client.clone(), &marks.namespace);
        let inventories = Inventories::new(client.clone(), &marks.namespace, MANAGER);
        let tombstones = Tombstones::new(client, &marks.namespace, MANAGER);
        let history = storage.history(&marks.name).await?;
        let mut release = Self {
            engine,
            storage,
            inventories,
            tombstones,
            marks,
            history,
            pending_grace,
            interrupted: None,
            tombstone: None,
        };
        if let Some(record) = release.current().filter(|record| record.info.status.is_pending()) {
            release.interrupted = release.kept(record).await?;
        }
        // What was interrupted may have been about what was left of a release.
        if release.interrupted.is_some() || release.current().is_none() {
            release.tombstone = release.tombstones.read(&release.marks.name).await?;
        }
        Ok(release)
    }

    /// Whose the objects are.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    /// The cluster.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The newest revision, unless the release is uninstalled.
    pub fn current(&self) -> Option<&Record> {
        let last = self.history.last().map(|stored| &stored.record);
        last.filter(|record| record.info.status != Status::Uninstalled)
    }

    /// Whether there is something to upgrade: an installation that was interrupted is simply done again.
    pub fn is_installed(&self) -> bool {
        self.current()
            .is_some_and(|record| self.interrupted.is_none() || record.info.status != Status::PendingInstall)
    }

    /// Whether a command of ours was interrupted while it worked on this.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.is_some()
    }

    /// All revisions, the first one first.
    pub fn history(&self) -> impl DoubleEndedIterator<Item = &Record> {
        self.history.iter().map(|stored| &stored.record)
    }

    /// One revision.
    pub fn revision(&self, version: u32) -> Option<&Record> {
        self.history().find(|record| record.version == version)
    }

    /// The newest revision that went well.
    pub fn last_good(&self) -> Option<&Record> {
        self.history().rev().find(|record| {
            matches!(record.info.status, Status::Deployed | Status::Superseded | Status::Uninstalled)
        })
    }

    /// What is left of the release if it was uninstalled.
    pub fn tombstone(&self) -> Option<&Tombstone> {
        self.tombstone.as_ref()
    }

    /// The number of the next revision. What was interrupted is done again under its own number.
    pub fn next_version(&self) -> u32 {
        let last = self.history.last().map_or(0, |stored| stored.record.version);
        if self.interrupted.is_some() { last } else { last + 1 }
    }

    /// The inventory of a revision, if it is still that of its record.
    pub async fn kept(&self, record: &Record) -> Result<Option<Kept>, ReleaseError> {
        let kept = self.inventories.read(&record.name, record.version).await?;
        Ok(kept.filter(|kept| kept.fits(record)))
    }

    /// What the newest revision has, with all that earlier ones left behind.
    pub async fn stored(&self) -> Result<Inventory, ReleaseError> {
        Ok(self.stored_with_origins().await?.0)
    }

    /// The same, with what the newest revision was rendered from, as far as that is known.
    async fn stored_with_origins(&self) -> Result<(Inventory, Origins), ReleaseError> {
        let Some(record) = self.current() else {
            let left = self.tombstone.as_ref().map(|tombstone| tombstone.kept.inventory.clone());
            return Ok((left.unwrap_or_default(), Origins::default()));
        };
        if let Some(kept) = &self.interrupted {
            return Ok((kept.inventory.clone(), kept.origins.clone()));
        }
        match self.kept(record).await? {
            Some(kept) => Ok((kept.inventory, kept.origins)),
            // Helm may be at work.
            None if record.info.status.is_pending() && !self.is_left_behind(record) => {
                Err(ReleaseError::Pending {
                    status: record.info.status,
                    since: record.info.last_deployed.clone(),
                })
            }
            // Helm wrote last: its manifest is the truth.
            None => Ok((self.read_manifest(record)?, Origins::default())),
        }
    }

    fn is_left_behind(&self, record: &Record) -> bool {
        let begun = objects::parse_time(&record.info.last_deployed);
        begun.is_some_and(|begun| Timestamp::now().duration_since(begun).unsigned_abs() > self.pending_grace)
    }

    fn read_manifest(&self, record: &Record) -> Result<Inventory, ReleaseError> {
        let (wanted, _) =
            Revision::new(record, None, self.engine.served()).with_objects(&self.marks)?.finish();
        let plan = plan::plan(&Request {
            operation: Operation::Install,
            wanted: &wanted,
            stored: &Inventory::default(),
            policy: &Policy { take_ownership: true, ..Policy::default() },
            live: &Live::empty(),
            now: Timestamp::now(),
        })?;
        Ok(Inventory { from_helm: true, ..plan.intent })
    }

    /// What deploying would do.
    pub async fn prepare_deployment(&self, deployment: &Deployment<'_>) -> Result<Prepared, ReleaseError> {
        let Deployment { rendered, policy, .. } = *deployment;
        let is_upgrade = self.is_installed();
        let stored = self.stored().await?;
        let wanted = wanted(rendered, &self.marks.namespace, Some(self.engine.served()))?;
        let documents = documents(rendered, &self.marks)?;
        let operation = if is_upgrade { Operation::Upgrade } else { Operation::Install };
        let (manifest, as_rendered) = describe::manifest(rendered);
        let origins = Origins { tree: tree(&rendered.charts), manifest: as_rendered };
        let record = self.record(deployment, manifest, is_upgrade);
        let done = if is_upgrade { "Upgrade complete" } else { "Install complete" };
        let (wanted, stored) = (&wanted, &stored);
        self.prepare(Intention { operation, wanted, documents, stored, policy, record, origins, done }).await
    }

    /// The order in which the newest revision would be deployed, as it was declared.
    pub async fn order(&self, policy: &Policy) -> Result<Plan, ReleaseError> {
        let record = self.current().ok_or(ReleaseError::NotFound)?;
        let kept = self.kept(record).await?;
        let (wanted, _) =
            Revision::new(record, kept.as_ref().map(|kept| &kept.origins), self.engine.served())
                .with_objects(&self.marks)?
                .with_hooks()?
                .finish();
        Ok(plan::plan(&Request {
            operation: Operation::Install,
            wanted: &wanted,
            stored: &Inventory::default(),
            policy,
            live: &Live::unknown(),
            now: Timestamp::now(),
        })?)
    }

    /// What going back to an earlier revision would do. Whether that is ordered is up to how it was deployed.
    pub async fn prepare_rollback(&self, to: &Record, policy: &Policy) -> Result<Prepared, ReleaseError> {
        let kept = self.kept(to).await?;
        let first = self.current().map(|record| record.info.first_deployed.clone());
        let mut prepared = self
            .prepare_return(to, kept.as_ref(), first, format!("Rollback to {}", to.version), policy)
            .await?;
        prepared.record.info.others.insert(ROLLBACK_REVISION.to_owned(), to.version.into());
        Ok(prepared)
    }

    /// What bringing back a release that was uninstalled would do.
    pub async fn prepare_undelete(&self, policy: &Policy) -> Result<Prepared, ReleaseError> {
        let tombstone = self.tombstone.as_ref().ok_or(ReleaseError::NotFound)?;
        let record = tombstone.record.as_ref().ok_or(ReleaseError::NotFound)?;
        let description = format!("Undelete of revision {}", record.version);
        self.prepare_return(record, Some(&tombstone.kept), None, description, policy).await
    }

    async fn prepare_return(
        &self,
        to: &Record,
        kept: Option<&Kept>,
        first_deployed: Option<String>,
        description: String,
        policy: &Policy,
    ) -> Result<Prepared, ReleaseError> {
        let stored = self.stored().await?;
        let origins = kept.map(|kept| kept.origins.clone());
        let (wanted, documents) = Revision::new(to, origins.as_ref(), self.engine.served())
            .with_objects(&self.marks)?
            .with_hooks()?
            .finish();
        let now = Timestamp::now().to_string();
        let record = Record {
            version: self.next_version().max(if self.history.is_empty() { to.version + 1 } else { 0 }),
            info: Info {
                first_deployed: first_deployed.unwrap_or_else(|| now.clone()),
                last_deployed: now,
                deleted: String::new(),
                description: description.clone(),
                status: Status::PendingRollback,
                others: {
                    let mut others = to.info.others.clone();
                    others.remove(ROLLBACK_REVISION);
                    others
                },
                ..to.info.clone()
            },
            apply_method: APPLY_METHOD.to_owned(),
            ..to.clone()
        };
        let sequenced = kept.is_some_and(|kept| kept.sequenced);
        let policy =
            if sequenced { &Policy { order: Order::Ordered, wait: true, ..policy.clone() } } else { policy };
        let operation = Operation::Rollback { sequenced };
        let (wanted, stored, origins) = (&wanted, &stored, origins.unwrap_or_default());
        let done = &description;
        self.prepare(Intention { operation, wanted, documents, stored, policy, record, origins, done }).await
    }

    /// What taking the release out would do.
    pub async fn prepare_uninstall(&self, policy: &Policy) -> Result<Prepared, ReleaseError> {
        let mut record = self.current().cloned().ok_or(ReleaseError::NotFound)?;
        let (stored, origins) = self.stored_with_origins().await?;
        let (wanted, documents) = Revision::new(&record, None, self.engine.served()).with_hooks()?.finish();
        record.info.status = Status::Uninstalling;
        "Deletion in progress (or silently failed)".clone_into(&mut record.info.description);
        record.info.deleted = Timestamp::now().to_string();
        let (operation, wanted, stored) = (Operation::Uninstall, &wanted, &stored);
        let done = "Uninstallation complete";
        self.prepare(Intention { operation, wanted, documents, stored, policy, record, origins, done }).await
    }

    /// What running the tests would do.
    pub async fn prepare_tests(
        &self,
        policy: &Policy,
        runs: impl Fn(&str) -> bool,
    ) -> Result<Prepared, ReleaseError> {
        let mut record = self.current().cloned().ok_or(ReleaseError::NotFound)?;
        let hooks = std::mem::take(&mut record.hooks);
        record.hooks = hooks.iter().filter(|hook| runs(&hook.name)).cloned().collect();
        let (wanted, documents) = Revision::new(&record, None, self.engine.served()).with_hooks()?.finish();
        record.hooks = hooks;
        let (operation, wanted, stored) = (Operation::Test, &wanted, &Inventory::default());
        let (origins, done) = (Origins::default(), "Test complete");
        self.prepare(Intention { operation, wanted, documents, stored, policy, record, origins, done }).await
    }

    async fn prepare(&self, intention: Intention<'_>) -> Result<Prepared, ReleaseError> {
        let Intention { operation, wanted, documents, stored, policy, record, origins, done } = intention;
        let live = self.look(wanted, &documents, stored).await?;
        let now = Timestamp::now();
        let plan = plan::plan(&Request { operation, wanted, stored, policy, live: &live, now })?;
        Ok(Prepared { plan, documents, live, record, origins, done: done.to_owned() })
    }

    /// How the wanted and the stored objects are now.
    pub(crate) async fn look(
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
            stored: stored.entries.iter().map(stored_object).collect(),
        };
        Ok(self.engine.observe(&subjects, &self.marks).await?)
    }

    fn record(&self, deployment: &Deployment<'_>, manifest: String, is_upgrade: bool) -> Record {
        let now = Timestamp::now();
        let current = self.current();
        let first = current.map(|record| record.info.first_deployed.clone());
        let values = serde_json::to_value(deployment.values).ok();
        let mut labels = current.map(|record| record.labels.clone()).unwrap_or_default();
        for (key, value) in deployment.labels {
            match value.as_str() {
                "null" => drop(labels.remove(key)),
                value => drop(labels.insert(key.clone(), value.to_owned())),
            }
        }
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
            manifest,
            hooks: describe::hooks(deployment.rendered),
            apply_method: APPLY_METHOD.to_owned(),
            labels,
            ..Record::default()
        }
    }
}

/// An entry of an inventory, as it is looked at.
pub(crate) fn stored_object(entry: &Entry) -> StoredObject {
    StoredObject { id: entry.id.clone(), api_version: entry.api_version.clone(), uid: entry.uid.clone() }
}
