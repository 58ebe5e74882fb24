//! What counts down: objects that are no longer wanted, and that a delay keeps for a while.

use std::collections::BTreeSet;

use engine::{Engine, Event, Marks, Options, RELEASE_NAME, RELEASE_NAMESPACE, RESTORED, Subjects};
use jiff::Timestamp;
use kube::api::{Patch, PatchParams};
use kube::core::DynamicObject;
use kube::{Api, Client, ResourceExt};
use objects::{GoDuration, ObjectId, parse_time};
use plan::input::{Inventory, Live, Meaning, Owner, Policy, Spelling, Wanted};
use plan::output::StepKind;
use plan::{Operation, Request};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Choice, Deployed, MANAGER, ReleaseError, Session};
use crate::inventory::{Inventories, Kept, Origins};
use crate::record::{Record, Status};
use crate::release::{Prepared, Release, stored_object};
use crate::standing::get;
use crate::storage::Storage;
use crate::tombstone::{Tombstone, Tombstones};
use crate::written::Revision;

/// An object in the trash.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InTrash {
    /// The release that had it.
    pub release: String,
    /// The namespace of that release.
    pub namespace: String,
    /// Which object.
    pub object: ObjectId,
    /// Since when it is not wanted.
    pub since: Option<Timestamp>,
    /// Until when it stays; nothing if its delay or its stamp cannot be read.
    pub due: Option<Timestamp>,
    /// Whether the release itself is gone.
    pub uninstalled: bool,
}

/// Everything in the trash of a namespace, or of all.
pub async fn trash(engine: &Engine, namespace: Option<&str>) -> Result<Vec<InTrash>, ReleaseError> {
    let client = engine.client().clone();
    let (inventories, tombstones) = match namespace {
        Some(namespace) => (
            Inventories::new(client.clone(), namespace, MANAGER),
            Tombstones::new(client, namespace, MANAGER),
        ),
        None => (Inventories::everywhere(client.clone()), Tombstones::everywhere(client)),
    };
    let mut found = Vec::new();
    let living = inventories.newest().await?.into_iter().map(|(namespace, kept)| (namespace, kept, false));
    let dead = tombstones.all().await?.into_iter().map(|(namespace, stone)| (namespace, stone.kept, true));
    for (namespace, kept, uninstalled) in living.chain(dead) {
        let marks = Marks::release(kept.name.clone(), namespace);
        for (object, live) in counting(engine, &marks, &kept.inventory).await?.objects {
            let since = live.stamp.as_deref().and_then(|stamp| parse_time(stamp.trim()));
            let delay = live.delay.as_deref().and_then(|delay| delay.trim().parse::<GoDuration>().ok());
            found.push(InTrash {
                release: marks.name.clone(),
                namespace: marks.namespace.clone(),
                object,
                since,
                due: since.zip(delay).and_then(|(since, delay)| since.checked_add(delay.to_std()?).ok()),
                uninstalled,
            });
        }
    }
    found.sort_by(|a, b| (&a.namespace, &a.release, &a.object).cmp(&(&b.namespace, &b.release, &b.object)));
    found.dedup_by(|a, b| a.object == b.object && a.namespace == b.namespace);
    Ok(found)
}

/// Those of an inventory's objects that are stamped, and ours.
async fn counting(engine: &Engine, marks: &Marks, inventory: &Inventory) -> Result<Live, ReleaseError> {
    let delayed = inventory.entries.iter().filter(|entry| entry.delay.is_some());
    let subjects = Subjects { stored: delayed.map(stored_object).collect(), ..Subjects::default() };
    if subjects.stored.is_empty() {
        return Ok(Live::empty());
    }
    let mut live = engine.observe(&subjects, marks).await?;
    live.objects.retain(|_, live| live.stamp.is_some() && live.owner == Owner::Ours);
    Ok(live)
}

/// Where the inventory with the trash of a release is kept.
enum Holder {
    Living(Record, Kept),
    Dead(Tombstone),
}

impl Session {
    /// Deletes what is in the trash: what is due, or with `purge` everything that is chosen, at once. Without choices
    /// everything is.
    pub async fn sweep(
        &mut self,
        choices: &[Choice],
        policy: &Policy,
        options: &Options,
        tell: &mut dyn FnMut(Event),
    ) -> Result<Deployed, ReleaseError> {
        let (holder, inventory) = self.holder().await?;
        let chosen = |id: &ObjectId| choices.is_empty() || choices.iter().any(|choice| choice.is(id));
        let release = &self.release;
        let mut stamped = counting(&release.engine, &release.marks, &inventory).await?;
        self.take_back_what_is_wanted(&holder, &mut stamped, tell).await?;
        self.take_back_what_others_want(&inventory, tell).await?;
        let mut stored = inventory.clone();
        // What holds objects in the trash goes with the last of them, once its release is gone.
        let holds_too = matches!(holder, Holder::Dead(_)) && choices.is_empty();
        let others: Vec<bool> = stored
            .entries
            .iter()
            .map(|entry| {
                let is_stamped = stamped.objects.contains_key(&entry.id) && chosen(&entry.id);
                !(is_stamped || holds_too && entry.delay.is_none())
            })
            .collect();
        stored.forget(&others);
        let wanted = Wanted::nothing(&release.marks.namespace);
        let live = release.look(&wanted, &[], &stored).await?;
        let plan = plan::plan(&Request {
            operation: Operation::Prune,
            wanted: &wanted,
            stored: &stored,
            policy,
            live: &live,
            now: Timestamp::now(),
        })?;
        let record = match &holder {
            Holder::Living(record, _) => record.clone(),
            Holder::Dead(tombstone) => tombstone.record.clone().unwrap_or_default(),
        };
        let (documents, origins) = (Vec::new(), Origins::default());
        let prepared = Prepared { plan, documents, live, record, origins, done: String::new() };
        let outcome = self.run(&prepared, options, tell).await;
        let Prepared { plan, record, .. } = prepared;
        let forgotten = plan.steps.iter().filter_map(|step| match step.kind {
            StepKind::Forget { object } => Some(object.at()),
            _ => None,
        });
        let gone = outcome.gone.iter().enumerate().filter(|(_, gone)| **gone).map(|(place, _)| place);
        let gone: Vec<&ObjectId> = gone.chain(forgotten).map(|place| &plan.objects[place].id).collect();
        let ended = self.ended(&holder, &inventory, &stamped).await?;
        self.write_without(holder, |id| gone.contains(&id) || ended.contains(id)).await?;
        Ok(Deployed { record, outcome, plan })
    }

    /// Takes objects out of the trash. They belong to nobody until a release has them again.
    pub async fn restore(
        &mut self,
        choices: &[Choice],
        tell: &mut dyn FnMut(Event),
    ) -> Result<Vec<ObjectId>, ReleaseError> {
        let (holder, inventory) = self.holder().await?;
        let release = &self.release;
        let stamped = counting(&release.engine, &release.marks, &inventory).await?;
        if let Some(missing) = choices.iter().find(|choice| !stamped.objects.keys().any(|id| choice.is(id))) {
            return Err(ReleaseError::NoSuchObject(missing.to_string()));
        }
        let mut restored = Vec::new();
        for (id, live) in &stamped.objects {
            if choices.is_empty() || choices.iter().any(|choice| choice.is(id)) {
                unstamp(&release.engine, id, &live.uid, Some(&release.marks)).await?;
                tell(Event::Restored { object: id.clone() });
                restored.push(id.clone());
            }
        }
        let ended = self.ended(&holder, &inventory, &stamped).await?;
        self.write_without(holder, |id| restored.contains(id) || ended.contains(id)).await?;
        Ok(restored)
    }

    /// Removes what is left of a release that was uninstalled, so that it cannot be brought back any more.
    pub async fn forget_tombstone(&mut self) -> Result<(), ReleaseError> {
        Ok(self.release.tombstones.remove(&self.release.marks.name).await?)
    }

    async fn holder(&self) -> Result<(Holder, Inventory), ReleaseError> {
        let release = &self.release;
        if let Some(record) = release.current() {
            let kept = release.kept(record).await?.unwrap_or_default();
            let inventory = kept.inventory.clone();
            return Ok((Holder::Living(record.clone(), kept), inventory));
        }
        let tombstone = release.tombstone().cloned().ok_or(ReleaseError::NotFound)?;
        let inventory = tombstone.kept.inventory.clone();
        Ok((Holder::Dead(tombstone), inventory))
    }

    /// An object that its release wants after all loses its stamp, whoever wrote the record last.
    async fn take_back_what_is_wanted(
        &self,
        holder: &Holder,
        stamped: &mut Live,
        tell: &mut dyn FnMut(Event),
    ) -> Result<(), ReleaseError> {
        let Holder::Living(record, _) = holder else { return Ok(()) };
        let release = &self.release;
        let (wanted, _) =
            Revision::new(record, None, release.engine.served()).with_objects(&release.marks)?.finish();
        for member in &wanted.members {
            if let Some(live) = stamped.objects.remove(&member.id) {
                unstamp(&release.engine, &member.id, &live.uid, None).await?;
                tell(Event::Restored { object: member.id.clone() });
            }
        }
        Ok(())
    }

    /// What a command that was interrupted has deleted or taken out of the trash already, and could not write down.
    async fn ended(
        &self,
        holder: &Holder,
        inventory: &Inventory,
        stamped: &Live,
    ) -> Result<Vec<ObjectId>, ReleaseError> {
        let release = &self.release;
        let wanted: Vec<ObjectId> = match holder {
            Holder::Living(record, _) => {
                let revision = Revision::new(record, None, release.engine.served());
                let (wanted, _) = revision.with_objects(&release.marks)?.finish();
                wanted.members.into_iter().map(|member| member.id).collect()
            }
            Holder::Dead(_) => Vec::new(),
        };
        let owner = format!("{}/{}", release.marks.namespace, release.marks.name);
        let mut ended = Vec::new();
        for entry in inventory.entries.iter().filter(|entry| entry.delay.is_some()) {
            let id = &entry.id;
            if stamped.objects.contains_key(id) || wanted.contains(id) {
                continue;
            }
            let Some(api) = api(&release.engine, id) else { continue };
            let live = api.get_opt(&id.name).await;
            let live = live.map_err(|source| crate::storage::refused(&format!("read {id}"), source))?;
            if live.is_none_or(|live| live.annotations().get(RESTORED) == Some(&owner)) {
                ended.push(id.clone());
            }
        }
        Ok(ended)
    }

    /// An object whose marks name another release by now, and that this one wants, loses its stamp, too.
    pub(super) async fn take_back_what_others_want(
        &self,
        inventory: &Inventory,
        tell: &mut dyn FnMut(Event),
    ) -> Result<(), ReleaseError> {
        let Release { engine, marks, .. } = &self.release;
        for entry in inventory.entries.iter().filter(|entry| entry.delay.is_some()) {
            let Some(live) = get(engine, &entry.id).await? else { continue };
            let annotation = |key: &str| live.annotations().get(key).cloned();
            let stamps = Spelling::all().filter(|spelling| spelling.meaning() == Meaning::DeletionStamp);
            let is_stamped = stamps.map(Spelling::key).any(|stamp| annotation(stamp).is_some());
            let (Some(name), Some(namespace)) = (annotation(RELEASE_NAME), annotation(RELEASE_NAMESPACE))
            else {
                continue;
            };
            let owner = Marks::release(name, namespace);
            if !is_stamped || owner == *marks || owner.owner(&live.metadata) != Owner::Ours {
                continue;
            }
            let storage = Storage::new(engine.client().clone(), &owner.namespace);
            let Some(newest) = storage.newest(&owner.name).await? else { continue };
            if matches!(newest.record.info.status, Status::Uninstalled | Status::Uninstalling) {
                continue;
            }
            let revision = Revision::new(&newest.record, None, engine.served());
            let (wanted, _) = revision.with_objects(&owner)?.finish();
            if wanted.members.iter().any(|member| member.id == entry.id) {
                unstamp(engine, &entry.id, &live.uid().unwrap_or_default(), None).await?;
                tell(Event::Restored { object: entry.id.clone() });
            }
        }
        Ok(())
    }

    /// Writes the inventory without some objects, where it came from.
    async fn write_without(
        &self,
        holder: Holder,
        without: impl Fn(&ObjectId) -> bool,
    ) -> Result<(), ReleaseError> {
        let forget = |inventory: &mut Inventory| {
            let gone: Vec<bool> = inventory.entries.iter().map(|entry| without(&entry.id)).collect();
            inventory.forget(&gone);
        };
        match holder {
            Holder::Living(_, mut kept) => {
                forget(&mut kept.inventory);
                self.release.inventories.write(&kept, self.release.history.last()).await?;
            }
            Holder::Dead(mut tombstone) => {
                forget(&mut tombstone.kept.inventory);
                match tombstone.at(Timestamp::now()) {
                    Some(tombstone) => self.release.tombstones.write(&tombstone).await?,
                    None => self.release.tombstones.remove(&self.release.marks.name).await?,
                }
            }
        }
        Ok(())
    }
}

/// The way to an object; none if its kind is not served.
fn api(engine: &Engine, id: &ObjectId) -> Option<Api<DynamicObject>> {
    let kind = engine.served().kind_of(id)?;
    let client: Client = engine.client().clone();
    Some(match id.namespace.as_deref().filter(|_| kind.namespaced) {
        Some(namespace) => Api::namespaced_with(client, namespace, &kind.resource),
        None => Api::all_with(client, &kind.resource),
    })
}

/// Takes the stamp off an object, and with `detach` the marks of the release too, which it then remembers otherwise.
async fn unstamp(
    engine: &Engine,
    id: &ObjectId,
    uid: &str,
    detach: Option<&Marks>,
) -> Result<(), ReleaseError> {
    let Some(api) = api(engine, id) else { return Ok(()) };
    let stamps = Spelling::all().filter(|spelling| spelling.meaning() == Meaning::DeletionStamp);
    let stamps: Map<String, Value> =
        stamps.map(|spelling| (spelling.key().to_owned(), Value::Null)).collect();
    let mut change = json!({"metadata": {"uid": uid, "annotations": stamps}});
    if let Some(marks) = detach {
        marks.take_off(&mut change);
    }
    let parameters = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
    api.patch(&id.name, &parameters, &Patch::Merge(&change))
        .await
        .map(drop)
        .map_err(|source| crate::storage::refused(&format!("take the stamp off {id}"), source).into())
}

/// Removes what releases could be brought back from, where the time for that is over. Returns how many there were.
pub async fn sweep_tombstones(engine: &Engine, namespace: Option<&str>) -> Result<usize, ReleaseError> {
    let client = engine.client().clone();
    let namespaces: BTreeSet<String> = match namespace {
        Some(namespace) => [namespace.to_owned()].into(),
        None => Tombstones::everywhere(client.clone()).all().await?.into_iter().map(|(of, _)| of).collect(),
    };
    let mut removed = 0;
    for namespace in namespaces {
        removed += Tombstones::new(client.clone(), &namespace, MANAGER).sweep().await?;
    }
    Ok(removed)
}
