//! An item that is a release as Helm stores it.

use chart::render::Release as RenderedFor;
use engine::{Event, Options};
use extension::ActuatorError;
use kube::ResourceExt;
use plan::input::Inventory;
use release::{
    Deployed, Deployment, Finish, PENDING_GRACE, ReleaseError, Removal, Session, SetInventory, Status, Worker,
};

use super::plain::Counting;
use super::{Job, Report, invalid, passing};

/// So many revisions of a release are kept.
const REVISIONS: usize = 10;

impl Job {
    async fn session(&self) -> Result<Session, ActuatorError> {
        let worker = Worker {
            holder: self.holder.clone(),
            pending_grace: PENDING_GRACE,
            stopper: self.stopper.clone(),
            stop: self.stop.clone(),
        };
        Session::begin(self.engine.clone(), self.marks.clone(), worker).await.map_err(passing)
    }

    /// Installs or upgrades the release, if anything would change.
    pub(super) async fn deploy_release(&self) -> Result<Report, ActuatorError> {
        let (chart, values) = (self.chart().await?, self.values().await?);
        let mut session = self.session().await?;
        let deployed = self.deploy_in(&mut session, &chart, &values).await;
        session.end().await;
        deployed
    }

    async fn deploy_in(
        &self,
        session: &mut Session,
        chart: &chart::Chart,
        values: &goyaml::Mapping,
    ) -> Result<Report, ActuatorError> {
        let is_upgrade = session.release().is_installed();
        let release = RenderedFor {
            name: self.marks.name.clone(),
            namespace: self.marks.namespace.clone(),
            revision: i64::from(session.release().next_version()),
            is_upgrade,
        };
        let rendered = self.render(chart, values, release)?;
        let policy = self.policy(is_upgrade)?;
        let deployment = Deployment { chart, values, rendered: &rendered, policy: &policy, labels: &[] };
        let prepared = session.release().prepare_deployment(&deployment).await.map_err(refused)?;
        let current = session.release().current();
        let is_good = current.is_some_and(|record| record.info.status == Status::Deployed);
        let same = current.is_some_and(|record| {
            record.config == prepared.record.config
                && record.manifest.trim() == prepared.record.manifest.trim()
        });
        let writes = prepared.plan.objects.iter().enumerate().any(|(place, _)| {
            let of = |step: &plan::output::Step| {
                step.kind.writes() && step.kind.object().is_some_and(|object| object.at() == place)
            };
            prepared.plan.steps.iter().any(of)
        });
        if is_good && same && !writes {
            let revision = current.map(|record| record.version);
            let next = Counting::of(&prepared.plan).next;
            return Ok(Report { revision, unchanged: true, next, ..Report::default() });
        }
        let options = Options { timeout: self.timeout, ..Options::default() };
        let finish = Finish { description: None, history_max: REVISIONS };
        let mut tell = |event: Event| tracing::debug!(?event);
        let deployed = session.carry_out(prepared, &options, &finish, &mut tell).await.map_err(refused)?;
        Ok(self.report(&deployed))
    }

    /// Uninstalls the release, by what is stored of it.
    pub(super) async fn uninstall(&self) -> Result<Report, ActuatorError> {
        let mut session = self.session().await?;
        let taken = self.uninstall_in(&mut session).await;
        session.end().await;
        taken
    }

    async fn uninstall_in(&self, session: &mut Session) -> Result<Report, ActuatorError> {
        if session.release().current().is_none() {
            return Ok(Report::default());
        }
        let policy = self.policy(false)?;
        let prepared = session.release().prepare_uninstall(&policy).await.map_err(refused)?;
        let options = Options { timeout: self.timeout, ..Options::default() };
        let removal = Removal::default();
        let mut tell = |event: Event| tracing::debug!(?event);
        let taken = session.uninstall(prepared, &options, &removal, &mut tell).await.map_err(refused)?;
        Ok(self.report(&taken))
    }

    fn report(&self, done: &Deployed) -> Report {
        let failures = done.outcome.failures.iter().map(|(object, why)| match object {
            Some(object) => format!("{object}: {why}"),
            None => why.clone(),
        });
        let mut failures: Vec<String> = failures.collect();
        if done.outcome.stopped && failures.is_empty() {
            failures.push("it was stopped".to_owned());
        }
        let inventory = Inventory { entries: done.plan.intent.entries.clone(), ..Inventory::default() };
        let (name, account) = (self.item.name_any(), self.item.service_account().to_owned());
        Report {
            revision: Some(done.record.version),
            inventory: SetInventory { name, account, inventory },
            kept: done.outcome.kept.iter().map(|(object, why)| format!("{object}: {why}")).collect(),
            failures,
            next: Counting::of(&done.plan).next,
            ..Report::default()
        }
    }
}

fn refused(error: ReleaseError) -> ActuatorError {
    match &error {
        ReleaseError::Plan(_) | ReleaseError::Read(_) | ReleaseError::Document(_) => {
            invalid(error.to_string())
        }
        _ => passing(error),
    }
}
