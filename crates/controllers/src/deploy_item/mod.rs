//! The controller of DeployItems.
//!
//! An item is deployed when its inputs are others than those it was deployed with, or when it is looked for drift; it is
//! taken out by its inventory alone, which needs neither its chart nor its values. With `helmDeployment` it is a release
//! as Helm stores it, and everything is the crate `release`'s; without, its objects are a set like a Bundle's.
//!
//! A deployment waits, as that of the command line does, since the rules of deletion are about waiting. It holds a
//! thread of its own meanwhile (templates cannot be shared between threads), and ends when the item changes.

mod check;
mod plain;
mod release_of;
mod source;

use std::time::Duration;

use api::deploy_item::DeletionOrderRule;
use api::{DELETE_WITHOUT_UNINSTALL, DeployItem, INTERRUPT};
use engine::{Belongs, Engine, Marks, Stop, Stopper};
use extension::{Actuator, ActuatorError, Clock, Context, ErrorCode, ObjectKey, Outcome, Waiting};
use jiff::Timestamp;
use kube::api::ListParams;
use kube::{Api, ResourceExt};
use objects::GoDuration;
use plan::input::{Order, Policy, Rules};
use release::{SetInventory, Sets};
use tracing::Instrument as _;

pub use check::check;

use crate::ending::end;
use crate::force::let_go;
use crate::{Cluster, Features};

/// How long a deployment or a deletion may take if the item does not say.
const TIMEOUT: Duration = Duration::from_mins(10);
/// So often it is looked whether the item is another one than that which is worked on.
const AGAIN: Duration = Duration::from_secs(2);

/// By force, what does not go within so long loses its finalizers.
const FORCED: Duration = Duration::from_secs(5);
/// So often that is done at most: once for each rank, and once more.
const ROUNDS: usize = 7;

/// What is done with DeployItems.
#[derive(Debug, Clone)]
pub struct DeployItemActuator {
    cluster: Cluster,
    features: Features,
    /// Those that wait for other items.
    pub(crate) waiting: Waiting,
}

/// One operation on one item, with all that it needs on a thread of its own.
struct Job {
    cluster: Cluster,
    item: DeployItem,
    marks: Marks,
    engine: Engine,
    sets: Sets,
    /// A client of the item's own cluster, as its account.
    own: kube::Client,
    timeout: Duration,
    stopper: Stopper,
    stop: Stop,
    clock: Clock,
    holder: String,
}

/// What an operation has found out.
#[derive(Debug, Default)]
struct Report {
    /// What was deployed, as a hash.
    deployed: Option<String>,
    revision: Option<u32>,
    inventory: SetInventory,
    /// What stays, with why.
    kept: Vec<String>,
    failures: Vec<String>,
    unchanged: bool,
    /// When the next countdown ends.
    next: Option<Timestamp>,
}

impl DeployItemActuator {
    /// Works on a cluster.
    pub fn new(cluster: Cluster, features: Features) -> Self {
        Self { cluster, features, waiting: Waiting::default() }
    }

    async fn job(&self, context: &Context<DeployItem>) -> Result<Job, ActuatorError> {
        let item = context.object.clone();
        let namespace = item.namespace().unwrap_or_default();
        let own = engine::as_account(&self.cluster.client(), &namespace, item.service_account());
        let target = item.spec.target.clone().unwrap_or_default();
        let engine = if let Some(secret) = &target.kubeconfig {
            Engine::connect(source::client_of(&own, &namespace, secret).await?).await?
        } else {
            // An item may have brought kinds of its own since it was last asked what there is: those that are not known
            // have no objects, and would be left behind.
            let mut engine = self.cluster.as_account(&namespace, item.service_account()).await?;
            engine.ask_again().await?;
            engine
        };
        let timeout = duration(item.spec.timeout.as_deref(), "spec.timeout")?.unwrap_or(TIMEOUT);
        let (stopper, stop) = Stop::new();
        let belongs = if is_release(&item) { Belongs::Release } else { Belongs::DeployItem };
        // A set is named after its item, wherever its objects are.
        let (name, at) = match belongs {
            Belongs::Release => (
                item.spec.release_name.clone().unwrap_or_else(|| item.name_any()),
                target.namespace.clone().unwrap_or_else(|| namespace.clone()),
            ),
            _ => (item.name_any(), namespace.clone()),
        };
        Ok(Job {
            marks: Marks { name, namespace: at, belongs },
            sets: Sets::new(self.cluster.client(), &namespace, Belongs::DeployItem),
            holder: format!("{} (deployitems)", context.manager()),
            cluster: self.cluster.clone(),
            item,
            engine,
            own,
            timeout,
            stopper,
            stop,
            clock: context.clock().clone(),
        })
    }

    /// Runs something on a thread of its own, until it is over or the item changes.
    async fn on_a_thread<Made: Send + 'static>(
        context: &Context<DeployItem>,
        job: Job,
        act: impl AsyncFnOnce(&Job) -> Result<Made, ActuatorError> + Send + 'static,
    ) -> Result<Made, ActuatorError> {
        let (stopper, interrupted) = (job.stopper.clone(), context.interrupted().clone());
        let before = job.item.clone();
        let items: Api<DeployItem> =
            Api::namespaced(context.client(), &before.namespace().unwrap_or_default());
        let watching = tokio::spawn(async move {
            interrupted.cancelled().await;
            // What was told may be the reconciler's own writing, which is no reason to end.
            while !items.get_opt(&before.name_any()).await.is_ok_and(|now| is_another(&before, now.as_ref()))
            {
                tokio::time::sleep(AGAIN).await;
            }
            stopper.stop();
        });
        let handle = tokio::runtime::Handle::current();
        let span = tracing::Span::current();
        let acting = move || handle.block_on(async { act(&job).await }.instrument(span));
        let done = tokio::task::spawn_blocking(acting).await;
        watching.abort();
        done.unwrap_or_else(|error| Err(ActuatorError::new(format!("the operation broke down: {error}"))))
    }

    /// What this item comes after and is not ready.
    async fn waits_for(&self, context: &Context<DeployItem>) -> Result<Vec<String>, ActuatorError> {
        let namespace = context.object.namespace().unwrap_or_default();
        let items: Api<DeployItem> = Api::namespaced(context.client(), &namespace);
        let key = ObjectKey::of(&context.object);
        let mut waits = Vec::new();
        for name in &context.object.spec.depends_on {
            let place = ObjectKey::namespaced(&namespace, name).to_string();
            self.waiting.add(&place, &key);
            if items.get_opt(name).await?.as_ref().is_some_and(is_ready) {
                self.waiting.remove(&place, &key);
            } else {
                waits.push(name.clone());
            }
        }
        Ok(waits)
    }

    /// The items that come after this one, and are still there.
    async fn needed_by(&self, context: &Context<DeployItem>) -> Result<Vec<String>, ActuatorError> {
        let (name, namespace) = (context.object.name_any(), context.object.namespace().unwrap_or_default());
        let items: Api<DeployItem> = Api::namespaced(context.client(), &namespace);
        let key = ObjectKey::of(&context.object);
        self.waiting.add(&namespace, &key);
        let items = items.list(&ListParams::default()).await?.items;
        let needs =
            items.iter().filter(|item| item.spec.depends_on.contains(&name) && item.name_any() != name);
        let needs: Vec<String> = needs.map(ResourceExt::name_any).collect();
        if needs.is_empty() {
            self.waiting.remove(&namespace, &key);
        }
        Ok(needs)
    }

    /// Takes out what can be; what could not is in the report.
    async fn attempt(context: &Context<DeployItem>, job: Job) -> Result<Report, ActuatorError> {
        Self::on_a_thread(context, job, async |job: &Job| {
            if is_release(&job.item) { job.uninstall().await } else { job.remove().await }
        })
        .await
    }

    async fn take_out(&self, context: &mut Context<DeployItem>) -> Result<Report, ActuatorError> {
        let job = self.job(context).await?;
        let report = Self::attempt(context, job).await?;
        if !report.failures.is_empty() {
            return Err(ActuatorError::new(report.failures.join("; ")).code(ErrorCode::CleanupResources));
        }
        Ok(report)
    }
}

impl Actuator for DeployItemActuator {
    type Object = DeployItem;

    async fn reconcile(&self, context: &mut Context<DeployItem>) -> Result<Outcome, ActuatorError> {
        if context.object.spec.suspend {
            return Ok(Outcome::done().describe("Suspended: nothing is done").condition(
                "Suspended",
                true,
                "Suspended",
                "spec.suspend is true",
            ));
        }
        if says(&context.object, &INTERRUPT) {
            let words = "interrupted: take the annotation slipway.dev/interrupt off to go on";
            return Ok(Outcome::done().describe(words).condition("Ready", false, "Interrupted", words));
        }
        if context.object.spec.exists_externally == Some(false) {
            if !self.features.declarative_delete {
                let words = "existsExternally is false, and the feature DeclarativeDelete is off";
                return Ok(Outcome::done().describe(words).condition(
                    "Ready",
                    false,
                    "DeclarativeDeleteDisabled",
                    words,
                ));
            }
            let status = context.object.status.as_ref();
            let deleted = status.and_then(|status| status.extension.condition("Deleted"));
            if deleted.is_some_and(|condition| condition.status == "True") {
                return end(context, &self.features).await;
            }
            self.take_out(context).await?;
            // Told before it is acted on: the object may go only when this is on record.
            return Ok(Outcome::done()
                .describe("All objects are gone")
                .condition("Deleted", true, "Deleted", "")
                .condition("Ready", false, "Deleted", "existsExternally is false")
                .requeue_after(Duration::from_millis(1)));
        }
        let waits = self.waits_for(context).await?;
        if !waits.is_empty() {
            let words = format!("Waiting for {}", waits.join(", "));
            return Ok(Outcome::progress(1, words.clone()).requeue_after(Waiting::FALLBACK).condition(
                "Ready",
                false,
                "DependenciesNotReady",
                words,
            ));
        }
        let interval = context.object.spec.drift_correction.as_ref().map(|drift| drift.interval.clone());
        let interval = duration(interval.as_deref(), "spec.driftCorrection.interval")?;
        let job = self.job(context).await?;
        let report = Self::on_a_thread(context, job, async |job: &Job| {
            if is_release(&job.item) { job.deploy_release().await } else { job.deploy().await }
        })
        .await?;
        let now = context.now();
        let status = context.object.status.get_or_insert_default();
        status.revision = report.revision;
        status.objects = report
            .inventory
            .inventory
            .entries
            .iter()
            .map(|entry| crate::bundle::reference(&entry.id, &entry.api_version, None))
            .collect();
        if interval.is_some() {
            status.checked = Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(now));
        }
        if !report.failures.is_empty() {
            return Err(ActuatorError::new(report.failures.join("; ")));
        }
        status.deployed.clone_from(&report.deployed);
        let words = if report.unchanged { "All objects are as they should be" } else { "Deployed" };
        let outcome = Outcome::done()
            .describe(words)
            .condition("Ready", true, "Deployed", report.kept.join("; "))
            .condition("Suspended", false, "NotSuspended", "");
        let drift = interval.and_then(|interval| now.checked_add(interval).ok());
        Ok(match report.next.into_iter().chain(drift).min() {
            Some(next) => outcome.requeue_at(next),
            None => outcome,
        })
    }

    async fn delete(&self, context: &mut Context<DeployItem>) -> Result<Outcome, ActuatorError> {
        if says(&context.object, &DELETE_WITHOUT_UNINSTALL) {
            let namespace = context.object.namespace().unwrap_or_default();
            let sets = Sets::new(self.cluster.client(), &namespace, Belongs::DeployItem);
            sets.remove(&context.object.name_any()).await.map_err(passing)?;
            return Ok(Outcome::done().describe("Deleted without uninstalling: its objects stay"));
        }
        let needed = self.needed_by(context).await?;
        if !needed.is_empty() {
            let words = format!("Waiting for {} to be deleted, which depends on it", needed.join(", "));
            return Ok(Outcome::progress(1, words).requeue_after(Waiting::FALLBACK));
        }
        let report = self.take_out(context).await?;
        Ok(Outcome::done().describe(match report.kept.as_slice() {
            [] => "All objects are gone".to_owned(),
            kept => format!("All objects are gone but those that are kept: {}", kept.join("; ")),
        }))
    }

    async fn force_delete(&self, context: &mut Context<DeployItem>) -> Result<Outcome, ActuatorError> {
        let described = |words: String| Ok(Outcome::done().describe(words));
        let mut left = Vec::new();
        for _ in 0..ROUNDS {
            let mut job = match self.job(context).await {
                Ok(job) => job,
                // Its cluster is gone, or nobody is let in any more: what is there cannot be reached.
                Err(error) => return described(format!("Let go of all objects: {error}")),
            };
            job.timeout = FORCED;
            let (engine, marks) = (job.engine.clone(), job.marks.clone());
            let report = match Self::attempt(context, job).await {
                Ok(report) if report.failures.is_empty() => {
                    return described("All objects are gone".to_owned());
                }
                Ok(report) => report,
                Err(error) => return described(format!("Let go of what did not go: {error}")),
            };
            let entries = &report.inventory.inventory.entries;
            left = let_go(context, &engine, &marks, entries).await;
            // What comes after it in order has not been tried yet.
            if !left.is_empty() {
                break;
            }
            left = report.failures;
        }
        described(format!("Left behind: {}", left.join("; ")))
    }

    async fn migrate(&self, context: &mut Context<DeployItem>) -> Result<Outcome, ActuatorError> {
        let job = self.job(context).await?;
        let kept = job.stored().await?;
        let state = serde_json::to_value(&kept).map_err(|error| ActuatorError::new(error.to_string()))?;
        context.object.status.get_or_insert_default().extension.state = Some(state);
        Ok(Outcome::done().describe("Handed over as it is"))
    }

    async fn restore(&self, context: &mut Context<DeployItem>) -> Result<Outcome, ActuatorError> {
        let state = context.object.status.as_ref().and_then(|status| status.extension.state.clone());
        if let Some(state) = state
            && let Ok(kept) = serde_json::from_value::<SetInventory>(state)
            && !kept.inventory.entries.is_empty()
        {
            let job = self.job(context).await?;
            job.write(&kept).await?;
        }
        self.reconcile(context).await
    }
}

impl Job {
    /// How it is deployed, or taken out.
    fn policy(&self, is_update: bool) -> Result<Policy, ActuatorError> {
        let spec = &self.item.spec;
        let rules = match &spec.deletion_order_rules_during_update {
            Some(rules) if is_update => rules,
            _ => &spec.deletion_order_rules,
        };
        let readiness = spec.readiness.clone().unwrap_or_default();
        let within = duration(readiness.timeout.as_deref(), "spec.readiness.timeout")?;
        let order = match (spec.wait_ordered, is_release(&self.item)) {
            (true, _) => Order::Ordered,
            (false, true) => Order::Kinds,
            (false, false) => Order::Phases,
        };
        let defaults = Policy::default();
        Ok(Policy {
            order,
            wait: !readiness.disabled,
            rules: read_rules(rules)?,
            timeout: self.timeout,
            readiness_timeout: within.unwrap_or(defaults.readiness_timeout),
            ..defaults
        })
    }
}

fn read_rules(rules: &[DeletionOrderRule]) -> Result<Rules, ActuatorError> {
    let text = serde_json::to_string(rules).unwrap_or_default();
    Rules::parse("spec.deletionOrderRules", &text).map_err(|error| invalid(error.to_string()))
}

/// Whether it is a release as Helm stores it.
fn is_release(item: &DeployItem) -> bool {
    item.spec.helm_deployment && item.spec.chart.is_some()
}

/// Whether something else is wanted of an item than it was.
fn is_another(before: &DeployItem, now: Option<&DeployItem>) -> bool {
    now.is_none_or(|now| {
        now.metadata.generation != before.metadata.generation
            || now.metadata.deletion_timestamp.is_some() != before.metadata.deletion_timestamp.is_some()
            || says(now, &INTERRUPT)
    })
}

fn is_ready(item: &DeployItem) -> bool {
    let Some(status) = &item.status else { return false };
    status.extension.observed_generation == item.metadata.generation
        && status.extension.condition("Ready").is_some_and(|ready| ready.status == "True")
}

fn says(item: &DeployItem, spellings: &[&str]) -> bool {
    spellings.iter().any(|key| item.annotations().get(*key).is_some_and(|value| value.trim() == "true"))
}

fn duration(text: Option<&str>, field: &str) -> Result<Option<Duration>, ActuatorError> {
    let Some(text) = text else { return Ok(None) };
    let read = text.trim().parse::<GoDuration>().map_err(|error| invalid(format!("{field}: {error}")))?;
    read.to_std().map(Some).ok_or_else(|| invalid(format!("{field}: {text} is negative")))
}

/// Something in the spec will not pass by itself.
fn invalid(why: impl Into<String>) -> ActuatorError {
    ActuatorError::new(why).code(ErrorCode::ConfigurationProblem).fatal()
}

/// Something that may pass.
fn passing(why: impl std::fmt::Display) -> ActuatorError {
    ActuatorError::new(why.to_string())
}
