//! Taking out again what a revision that failed has created.

use engine::{Event, Options};
use jiff::Timestamp;
use plan::input::{Policy, Wanted};
use plan::output::{Change, StepKind};
use plan::{Operation, Request};

use super::{Deployed, ReleaseError, Session};
use crate::inventory::Origins;
use crate::release::Prepared;

impl Session {
    /// Deletes what the newest revision, which failed, has created. What was there before stays as it is.
    pub async fn clean_up(
        &mut self,
        failed: &Deployed,
        policy: &Policy,
        options: &Options,
        tell: &mut dyn FnMut(Event),
    ) -> Result<Deployed, ReleaseError> {
        let Some(mut kept) = self.release.kept(&failed.record).await? else {
            return Err(ReleaseError::NotFound);
        };
        let created: Vec<_> = failed
            .plan
            .steps
            .iter()
            .filter_map(|step| match step.kind {
                StepKind::Apply { object, change: Change::Create } => Some(object),
                _ => None,
            })
            .filter(|object| failed.outcome.uids.get(object.at()).is_some_and(Option::is_some))
            .map(|object| &failed.plan.object(object).id)
            .collect();
        let mut stored = kept.inventory.clone();
        let others: Vec<bool> = stored.entries.iter().map(|entry| !created.contains(&&entry.id)).collect();
        stored.forget(&others);
        let wanted = Wanted::nothing(&self.release.marks.namespace);
        let live = self.release.look(&wanted, &[], &stored).await?;
        let plan = plan::plan(&Request {
            operation: Operation::Prune,
            wanted: &wanted,
            stored: &stored,
            policy,
            live: &live,
            now: Timestamp::now(),
        })?;
        let record = failed.record.clone();
        let (documents, origins) = (Vec::new(), Origins::default());
        let prepared = Prepared { plan, documents, live, record, origins, done: String::new() };
        let outcome = self.run(&prepared, options, tell).await;
        let Prepared { plan, record, .. } = prepared;
        let gone = plan.objects.iter().zip(&outcome.gone).filter(|(_, gone)| **gone);
        let gone: Vec<_> = gone.map(|(object, _)| &object.id).collect();
        let forgotten: Vec<bool> =
            kept.inventory.entries.iter().map(|entry| gone.contains(&&entry.id)).collect();
        kept.inventory.forget(&forgotten);
        self.release.inventories.write(&kept, self.release.history.last()).await?;
        Ok(Deployed { record, outcome, plan })
    }
}
