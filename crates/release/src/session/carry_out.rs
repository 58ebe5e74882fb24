//! Making a revision: the intent, then the record that tells of it, then the deed.

use engine::{Event, Options};
use jiff::Timestamp;

use super::{Deployed, ReleaseError, Session, intent, settle};
use crate::record::Status;
use crate::release::Prepared;
use crate::shards::hash;

/// What is done when a revision has been made.
#[derive(Debug, Clone, Default)]
pub struct Finish {
    /// What the record says when it went well, instead of the usual.
    pub description: Option<String>,
    /// How many revisions are kept; zero keeps all.
    pub history_max: usize,
}

impl Session {
    /// Makes a revision: deploys, rolls back, brings back. What fails now is in the outcome, and in the record.
    pub async fn carry_out(
        &mut self,
        prepared: Prepared,
        options: &Options,
        finish: &Finish,
        tell: &mut dyn FnMut(Event),
    ) -> Result<Deployed, ReleaseError> {
        let mut record = prepared.record.clone();
        let mut kept = intent(&prepared);
        let again = self.release.history.last().filter(|_| self.release.is_interrupted()).cloned();
        // Whoever is interrupted between these two writes must find an inventory that fits what is stored.
        kept.earlier = again.as_ref().map(|stored| hash(&stored.record.manifest));
        if self.release.history.is_empty() {
            // Helm may have taken a release of this name out, and knows nothing of these.
            self.release.inventories.remove_all(&record.name).await?;
        }
        self.release.inventories.write(&kept, again.as_ref()).await?;
        let now = Timestamp::now();
        let mut known = match &again {
            Some(stored) => {
                self.release.history.pop();
                self.release.storage.update(stored, &record, now).await?
            }
            None => self.release.storage.create(&record, now).await?,
        };
        if known.is_split {
            tell(Event::Warning {
                message: format!(
                    "the record of {} is larger than 1 MiB: it is kept in several Secrets, and Helm sees it without the chart's files",
                    record.name
                ),
            });
        }
        self.take_back_what_others_want(&kept.inventory, tell).await?;
        let outcome = self.run(&prepared, options, tell).await;

        kept.earlier = None;
        settle(&mut kept.inventory, &prepared, &outcome);
        self.release.inventories.write(&kept, Some(&known)).await?;
        record.info.status = if outcome.is_success() { Status::Deployed } else { Status::Failed };
        let operation = prepared.plan.operation;
        record.info.description = match (outcome.is_success(), outcome.failures.first()) {
            (true, _) => finish.description.clone().unwrap_or_else(|| prepared.done.clone()),
            (false, Some((Some(object), why))) => format!("{operation} failed: {object}: {why}"),
            (false, Some((None, why))) => format!("{operation} failed: {why}"),
            (false, None) => format!("{operation} was stopped"),
        };
        known = self.release.storage.update(&known, &record, Timestamp::now()).await?;
        if outcome.is_success() {
            self.supersede().await?;
            if self.release.tombstone().is_some() {
                // What was left of it is in the inventory of the new revision.
                self.release.tombstones.remove(&record.name).await?;
            }
        }
        self.release.history.push(known);
        self.forget_old(finish.history_max).await?;
        Ok(Deployed { record, outcome, plan: prepared.plan })
    }

    /// What was deployed before is no longer.
    async fn supersede(&mut self) -> Result<(), ReleaseError> {
        let release = &mut self.release;
        for stored in &mut release.history {
            if stored.record.info.status == Status::Deployed {
                let mut record = stored.record.clone();
                record.info.status = Status::Superseded;
                *stored = release.storage.update(stored, &record, Timestamp::now()).await?;
            }
        }
        Ok(())
    }

    /// Removes the oldest revisions, but never the one that is deployed.
    async fn forget_old(&mut self, most: usize) -> Result<(), ReleaseError> {
        let release = &mut self.release;
        while most > 0 && release.history.len() > most {
            let place =
                release.history.iter().position(|stored| stored.record.info.status != Status::Deployed);
            let Some(place) = place.filter(|place| place + 1 < release.history.len()) else { return Ok(()) };
            let old = release.history.remove(place);
            release.inventories.remove(&old.record.name, old.record.version).await?;
            release.storage.remove(&old).await?;
        }
        Ok(())
    }
}
