//! `slipway install` and `slipway upgrade`: deploy a chart or plain manifests as a release.

mod dry_run;
mod flags;
mod source;

use std::io::Write as _;

use engine::{Event, Options};
use kube::Api;
use kube::api::PostParams;
use plan::input::{Order, Policy};
use release::{Deployed, Deployment, Finish, Prepared, Release, ReleaseError, Removal, Session};

pub(crate) use flags::{InstallArguments, UpgradeArguments};
pub(crate) use source::{Rendering, Source};

use crate::cluster::Cluster;
use crate::context::Context;
use crate::flags::OutputFormat;
use crate::operation::{self, Desk};
use crate::output::{write_json, write_yaml};
use crate::rehearsal::Rehearsal;
use crate::report::{self, Failure, needs_at_least};
use crate::settings;
use dry_run::DryRun;
use flags::Deploying;

/// What is to be there before.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    Nothing,
    Release,
    Either,
}

pub(crate) fn install(arguments: &InstallArguments, context: &mut Context) -> Result<(), Failure> {
    needs_at_least(1, &arguments.positional, flags::INSTALL_USAGE)?;
    let (name, reference) = arguments.name_and_chart()?;
    arguments.deploying.sending.check(arguments.server_side())?;
    let before = if arguments.replace { Before::Either } else { Before::Nothing };
    let manner = Manner { before, reuse: release::Reuse::Reset, cleans_up: false };
    arguments.deploying.run(&name, &reference, manner, context)
}

pub(crate) fn upgrade(arguments: &UpgradeArguments, context: &mut Context) -> Result<(), Failure> {
    needs_at_least(2, &arguments.positional, flags::UPGRADE_USAGE)?;
    let [name, reference] = arguments.positional.as_slice() else {
        return Err(Failure::usage("a name and a chart are needed, and nothing else"));
    };
    arguments.deploying.sending.check(arguments.server_side.as_deref())?;
    let before = if arguments.install { Before::Either } else { Before::Release };
    let manner = Manner { before, reuse: arguments.reuse(), cleans_up: arguments.cleanup_on_fail };
    arguments.deploying.run(name, reference, manner, context)
}

/// In what the two differ.
#[derive(Clone, Copy)]
struct Manner {
    before: Before,
    /// Which values of before stay.
    reuse: release::Reuse,
    /// Whether what was created goes again if it fails.
    cleans_up: bool,
}

impl Deploying {
    fn run(&self, name: &str, reference: &str, manner: Manner, context: &mut Context) -> Result<(), Failure> {
        let Manner { before, reuse, cleans_up } = manner;
        operation::check_name(name)?;
        let labels = self.labels()?;
        let dry_run = DryRun::read(self.dry_run.as_deref())?;
        if self.rehearse.rehearse && dry_run != DryRun::No {
            return Err(Failure::usage("--dry-run and --rehearse cannot be had together")
                .hint("--dry-run shows the plan, --rehearse tries it on a copy"));
        }
        let given = self.values.merge(context)?;
        let source = Source::load(name, reference, &self.source, &self.preparation, context)?;
        let policy = self.policy(&source)?;
        if dry_run == DryRun::Client {
            return self.show_offline(name, &source, &given, context);
        }
        let desk = Desk::open(context)?;
        if dry_run == DryRun::Server || self.rehearse.rehearse {
            let release = desk.release(name)?;
            check(&release, name, before)?;
            let wish = Wish { reuse, policy: &policy, labels: &labels, rendering: &self.rendering() };
            let prepared = wish.prepare(&desk, &release, source, given, context)?;
            return match dry_run {
                DryRun::Server => self.show_prepared(prepared, context),
                _ => self.rehearse(&desk, prepared, &self.doing(&policy, cleans_up), name, context),
            };
        }
        if self.create_namespace {
            create_namespace(&desk.cluster, &desk.namespace)?;
        }
        let session = desk.work(name, self.pending_grace)?;
        let deployed = desk.with(session, |session| {
            check(session.release(), name, before)?;
            let wish = Wish { reuse, policy: &policy, labels: &labels, rendering: &self.rendering() };
            let prepared = wish.prepare(&desk, session.release(), source, given, context)?;
            let doing = self.doing(&policy, cleans_up);
            self.carry_out(&desk, session, prepared, &doing, name)
        })?;
        match self.output.format {
            OutputFormat::Table => self.show(&deployed, context)?,
            OutputFormat::Json => write_json(&mut context.out, &deployed.record)?,
            OutputFormat::Yaml => write_yaml(&mut context.out, &deployed.record)?,
        }
        context.out.flush()?;
        operation::judge(name, &deployed)
    }

    /// Does it to a copy, and tells what would happen.
    fn rehearse(
        &self,
        desk: &Desk,
        prepared: Prepared,
        doing: &Doing<'_>,
        name: &str,
        context: &mut Context,
    ) -> Result<(), Failure> {
        let rehearsal = Rehearsal::begin(desk, &desk.marks(name), &prepared)?;
        let copy = rehearsal.desk();
        if self.create_namespace {
            create_namespace(&copy.cluster, &copy.namespace)?;
        }
        let session = copy.work(name, self.pending_grace)?;
        let deployed = copy.with(session, |session| self.carry_out(copy, session, prepared, doing, name))?;
        rehearsal.tell(&deployed, self.output.format, context)
    }

    fn policy(&self, source: &Source) -> Result<Policy, Failure> {
        let mut policy = self.operation.policy(&self.order)?;
        policy.take_ownership = self.take_ownership;
        policy.wait_for_jobs = self.wait_for_jobs;
        policy.wait |= self.is_atomic();
        if self.skip_crds {
            policy.crds = plan::input::CrdsInstall::Skip;
        }
        if source.is_plain() && policy.order == Order::Kinds {
            policy.order = Order::Phases;
        }
        Ok(policy)
    }

    /// How it is done.
    fn doing<'a>(&self, policy: &'a Policy, cleans_up: bool) -> Doing<'a> {
        let options = Options {
            force_conflicts: self.sending.force_conflicts,
            fail_fast: self.fail_fast || self.is_atomic(),
            timeout: policy.timeout,
            ..Options::default()
        };
        let history_max = settings::history_max(self.history_max);
        Doing {
            policy,
            options,
            finish: Finish { description: self.description.clone(), history_max },
            cleans_up,
        }
    }

    /// Does it, and takes it back if it fails and is to be all or nothing.
    fn carry_out(
        &self,
        desk: &Desk,
        session: &mut Session,
        prepared: Prepared,
        doing: &Doing<'_>,
        name: &str,
    ) -> Result<Deployed, Failure> {
        let Doing { policy, options, finish, cleans_up } = doing;
        let mut progress = desk.progress(self.progress, name, &prepared.plan, policy.timeout);
        let back_to = session.release().last_good().cloned();
        let deployed = desk
            .wait(name, session.carry_out(prepared, options, finish, &mut |event| progress.hear(&event)))?;
        if deployed.outcome.failures.is_empty() {
            return Ok(deployed);
        }
        if *cleans_up && !self.is_atomic() {
            report::plain("it failed, and what it has created is deleted");
            let mut told = |event: Event| progress.hear(&event);
            let cleaned = desk.wait(name, session.clean_up(&deployed, policy, options, &mut told))?;
            operation::judge(name, &cleaned)?;
        }
        drop(progress);
        if !self.is_atomic() {
            return Ok(deployed);
        }
        // What is taken back is not to fail for the reason it is taken back for.
        let policy = &Policy { strict: false, ..(*policy).clone() };
        let taken_back = if let Some(record) = back_to {
            report::plain(&format!("it failed, and goes back to revision {}", record.version));
            let prepared = desk.wait(name, session.release().prepare_rollback(&record, policy))?;
            let mut progress = desk.progress(self.progress, name, &prepared.plan, policy.timeout);
            let mut told = |event: Event| progress.hear(&event);
            let finish = Finish { description: None, ..finish.clone() };
            desk.wait(name, session.carry_out(prepared, options, &finish, &mut told))?
        } else {
            report::plain("it failed, and is taken out again");
            let prepared = desk.wait(name, session.release().prepare_uninstall(policy))?;
            let mut progress = desk.progress(self.progress, name, &prepared.plan, policy.timeout);
            let mut told = |event: Event| progress.hear(&event);
            let removal = Removal::default();
            desk.wait(name, session.uninstall(prepared, options, &removal, &mut told))?
        };
        operation::judge(name, &taken_back)?;
        Ok(deployed)
    }

    fn show(&self, deployed: &Deployed, context: &mut Context) -> Result<(), Failure> {
        let mut record = deployed.record.clone();
        // They tell of what is there, which is not true of what failed.
        if self.hide_notes || !deployed.outcome.is_success() {
            record.info.notes.clear();
        }
        if deployed.outcome.is_success() && deployed.plan.operation == plan::Operation::Upgrade {
            writeln!(context.out, "Release {:?} has been upgraded.", record.name)?;
        }
        operation::show_status(&record, context)
    }
}

/// How it is done.
struct Doing<'a> {
    policy: &'a Policy,
    options: Options,
    finish: Finish,
    /// Whether what was created goes again if it fails.
    cleans_up: bool,
}

/// How something is to be deployed.
pub(crate) struct Wish<'a> {
    /// Which values of before stay.
    pub(crate) reuse: release::Reuse,
    /// In what order, and with what care.
    pub(crate) policy: &'a Policy,
    /// Labels for the record.
    pub(crate) labels: &'a [(String, String)],
    /// How it is rendered.
    pub(crate) rendering: &'a Rendering<'a>,
}

impl Wish<'_> {
    /// What deploying would do.
    pub(crate) fn prepare(
        &self,
        desk: &Desk,
        release: &Release,
        mut source: Source,
        given: goyaml::Mapping,
        context: &Context,
    ) -> Result<Prepared, Failure> {
        let (values, defaults) = self.reuse.apply(given, release.current());
        if let Some(defaults) = defaults {
            source.chart.values = Some(defaults.into());
        }
        let rendered = source.render_live(desk, release, &values, self.rendering, context)?;
        let deployment = Deployment {
            chart: &source.chart,
            values: &values,
            rendered: &rendered,
            policy: self.policy,
            labels: self.labels,
        };
        let name = &release.marks().name;
        desk.cluster.wait(release.prepare_deployment(&deployment)).map_err(|error| match &error {
            ReleaseError::Plan(errors) => report::planning(errors, &rendered),
            ReleaseError::Read(error) => report::reading(error, &rendered),
            error => operation::failed(name, error),
        })
    }
}

fn check(release: &Release, name: &str, before: Before) -> Result<(), Failure> {
    match (before, release.is_installed()) {
        (Before::Nothing, true) => Err(Failure::new("cannot re-use a name that is still in use")
            .hint(format!("'slipway upgrade {name} CHART' changes the release that has it"))),
        (Before::Release, false) if release.current().is_none() => {
            Err(Failure::new(format!("{name:?} has no deployed releases")).hint("--install installs it"))
        }
        _ => Ok(()),
    }
}

fn create_namespace(cluster: &Cluster, name: &str) -> Result<(), Failure> {
    let namespaces: Api<k8s_openapi::api::core::v1::Namespace> = Api::all(cluster.client());
    let mut namespace = k8s_openapi::api::core::v1::Namespace::default();
    namespace.metadata.name = Some(name.to_owned());
    namespace.metadata.labels = Some([("name".to_owned(), name.to_owned())].into());
    match cluster.wait(namespaces.create(&PostParams::default(), &namespace)) {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.reason == "AlreadyExists" => Ok(()),
        Err(error) => {
            Err(Failure::new(format!("the namespace {name} cannot be made: {}", engine::words(&error))))
        }
    }
}
