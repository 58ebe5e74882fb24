//! Taking a release out. Its record stays until all is gone or kept by a rule.

use std::time::Duration;

use engine::{Event, Options};
use jiff::Timestamp;
use plan::Plan;
use plan::output::StepKind;
use tokio::task::JoinSet;

use super::{Deployed, ReleaseError, Session, counting, intent, settle};
use crate::record::Status;
use crate::release::Prepared;
use crate::tombstone::Tombstone;

/// What stays of a release that is taken out.
#[derive(Debug, Clone, Default)]
pub struct Removal {
    /// Whether its records stay, marked as uninstalled.
    pub keep_history: bool,
    /// How long it can be brought back.
    pub undelete_window: Duration,
    /// What its record says when it is gone, instead of the usual.
    pub description: Option<String>,
}

impl Session {
    /// Takes the release out.
    pub async fn uninstall(
        &mut self,
        prepared: Prepared,
        options: &Options,
        removal: &Removal,
        tell: &mut dyn FnMut(Event),
    ) -> Result<Deployed, ReleaseError> {
        let mut record = prepared.record.clone();
        let mut kept = intent(&prepared);
        let now = Timestamp::now();
        let mut tombstone = Tombstone {
            record: (!removal.undelete_window.is_zero()).then(|| record.clone()),
            kept: kept.clone(),
            since: now,
            until: now.checked_add(removal.undelete_window).unwrap_or(Timestamp::MAX),
        };
        // Either tells whoever is interrupted that it goes: there is an inventory of this revision already.
        let known = self.release.history.last().cloned();
        let inventories = self.release.inventories.clone();
        tokio::try_join!(
            async { Ok::<_, ReleaseError>(inventories.write(&kept, known.as_ref()).await?) },
            self.rewrite(&record),
        )?;
        self.take_back_what_others_want(&kept.inventory, tell).await?;
        let outcome = self.run(&prepared, options, tell).await;
        let trash: Vec<_> =
            counting(&prepared.plan).map(|object| prepared.plan.object(object).id.clone()).collect();
        settle(&mut kept.inventory, &prepared, &outcome);
        if !outcome.is_success() {
            self.release.inventories.write(&kept, self.release.history.last()).await?;
            let why = outcome.failures.first().map_or("it was stopped", |(_, why)| why);
            record.info.description = format!("Deletion failed: {why}");
            self.rewrite(&record).await?;
            return Ok(Deployed { record, outcome, plan: prepared.plan });
        }
        record.info.status = Status::Uninstalled;
        record.info.description.clone_from(removal.description.as_ref().unwrap_or(&prepared.done));
        let plan = prepared.plan;
        if takes_namespace(&plan, &self.release.marks.namespace) {
            // The records went with it.
            self.release.history.clear();
            return Ok(Deployed { record, outcome, plan });
        }
        let gone: Vec<bool> = kept.inventory.entries.iter().map(|entry| !trash.contains(&entry.id)).collect();
        if removal.keep_history {
            self.release.inventories.write(&kept, self.release.history.last()).await?;
            self.rewrite(&record).await?;
        }
        kept.inventory.forget(&gone);
        tombstone.kept = kept;
        if let Some(tombstone) = tombstone.at(now) {
            self.release.tombstones.write(&tombstone).await?;
        }
        if removal.keep_history {
            return Ok(Deployed { record, outcome, plan });
        }
        // Without its inventory a record can still be read; without any record an inventory would be left behind. So the
        // newest record goes last: whoever is interrupted finds the release still there.
        let release = &mut self.release;
        let newest = release.history.pop();
        let mut removing = JoinSet::new();
        let (inventories, name) = (release.inventories.clone(), record.name.clone());
        removing.spawn(async move { inventories.remove_all(&name).await });
        for old in release.history.drain(..) {
            let storage = release.storage.clone();
            removing.spawn(async move { storage.remove(&old).await });
        }
        while let Some(removed) = removing.join_next().await {
            match removed {
                Ok(removed) => removed?,
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                Err(_) => {}
            }
        }
        if let Some(newest) = newest {
            release.storage.remove(&newest).await?;
        }
        Ok(Deployed { record, outcome, plan })
    }
}

/// Whether the release's own namespace goes with it.
fn takes_namespace(plan: &Plan, namespace: &str) -> bool {
    plan.steps.iter().any(|step| match step.kind {
        StepKind::Delete { object, .. } => {
            let id = &plan.object(object).id;
            id.kind == "Namespace" && id.group.is_empty() && id.name == namespace
        }
        _ => false,
    })
}
