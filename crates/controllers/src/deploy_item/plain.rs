//! An item that is only manifests: a chart that is templated and nothing else, or manifests as they are written.

use std::collections::{HashMap, HashSet};

use api::deploy_item::Policy as ObjectPolicy;
use chart::render::Release as RenderedFor;
use engine::{Event, Holder, Options, StoredObject, Subjects, Work};
use extension::ActuatorError;
use jiff::Timestamp;
use kube::ResourceExt;
use objects::{ObjectId, Scope, Source};
use plan::input::{ChartTree, Entry, Hooks, Inventory, Live, Member, Policy, TypePattern, Wanted, Written};
use plan::output::{Change, Kept, Reason, StepKind};
use plan::{ChartIndex, Operation, Plan, Request};
use release::SetInventory;
use serde_json::Value;

use super::{Job, Report, invalid, passing};
use crate::bundle::{by, in_trash, settle};

impl Job {
    /// What is stored of the item.
    pub(super) async fn stored(&self) -> Result<SetInventory, ActuatorError> {
        let found = self.sets.read(&self.item.name_any()).await.map_err(passing)?;
        Ok(found.unwrap_or_else(|| SetInventory {
            name: self.item.name_any(),
            account: self.item.service_account().to_owned(),
            inventory: Inventory::default(),
        }))
    }

    /// Writes the inventory.
    pub(super) async fn write(&self, kept: &SetInventory) -> Result<(), ActuatorError> {
        self.sets.write(kept).await.map_err(passing)
    }

    /// Deploys the item.
    pub(super) async fn deploy(&self) -> Result<Report, ActuatorError> {
        let lock = self.lock().await?;
        let report = self.deploy_locked().await;
        lock.release().await;
        report
    }

    /// Takes the item out, by its inventory alone.
    pub(super) async fn remove(&self) -> Result<Report, ActuatorError> {
        let lock = self.lock().await?;
        let report = self.remove_locked().await;
        lock.release().await;
        report
    }

    async fn lock(&self) -> Result<engine::Lock, ActuatorError> {
        let name = format!("slipway.deployitem.{}", self.item.name_any());
        let namespace = self.item.namespace().unwrap_or_default();
        self.cluster.lock(&namespace, &name, &self.holder, self.stopper.clone()).await?.map_err(passing)
    }

    async fn deploy_locked(&self) -> Result<Report, ActuatorError> {
        let mut kept = self.stored().await?;
        self.item.service_account().clone_into(&mut kept.account);
        let is_update = !kept.inventory.entries.is_empty();
        let policy = Policy { hooks: Hooks::Plain, ..self.policy(is_update)? };
        let (mut wanted, documents, policies) = self.wanted().await?;
        let of = |id: &ObjectId| policies.get(id).copied().unwrap_or_default();
        // What is not to be touched is neither applied nor, if it once was, taken out.
        let ignored: HashSet<ObjectId> = wanted
            .members
            .iter()
            .map(|member| member.id.clone())
            .filter(|id| of(id) == ObjectPolicy::Ignore)
            .collect();
        wanted.members.retain(|member| !ignored.contains(&member.id));
        let forgotten: Vec<bool> =
            kept.inventory.entries.iter().map(|entry| ignored.contains(&entry.id)).collect();
        kept.inventory.forget(&forgotten);
        let live = self.live(&wanted, &documents, &kept.inventory).await?;
        let operation = if is_update { Operation::Upgrade } else { Operation::Install };
        let (stored, now) = (&kept.inventory, self.clock.now());
        let request = Request { operation, wanted: &wanted, stored, policy: &policy, live: &live, now };
        let mut plan = plan::plan(&request).map_err(|errors| invalid(errors.to_string()))?;
        restrain(&mut plan, of);
        for entry in &mut plan.intent.entries {
            entry.keep |= of(&entry.id) == ObjectPolicy::Keep;
        }
        let before = kept.clone();
        kept.inventory = plan.intent.clone();
        let next = Counting::of(&plan).next;
        if !plan.steps.iter().any(|step| step.kind.writes()) {
            return Ok(Report { inventory: before, unchanged: true, next, ..Report::default() });
        }
        self.write(&kept).await?;
        let report = self.run(&plan, &documents, &mut kept).await;
        self.write(&kept).await?;
        Ok(Report { inventory: kept, next, ..report })
    }

    async fn remove_locked(&self) -> Result<Report, ActuatorError> {
        let mut kept = self.stored().await?;
        let wanted = Wanted::nothing(self.target_namespace());
        let live = self.live(&wanted, &[], &kept.inventory).await?;
        let policy = Policy { hooks: Hooks::Plain, ..self.policy(false)? };
        let (stored, now) = (&kept.inventory, self.clock.now());
        let operation = Operation::Uninstall;
        let request = Request { operation, wanted: &wanted, stored, policy: &policy, live: &live, now };
        let plan = plan::plan(&request).map_err(|errors| invalid(errors.to_string()))?;
        let report = self.run(&plan, &[], &mut kept).await;
        if !report.failures.is_empty() {
            self.write(&kept).await?;
            return Ok(Report { inventory: kept, ..report });
        }
        // What counts down outlives the item, as it does a Bundle.
        let counting = Counting::of(&plan);
        if !counting.objects.is_empty() {
            kept.inventory = in_trash(&kept.inventory, |entry| counting.objects.contains(&entry.id));
            self.sets.write_trash(&kept, counting.next).await.map_err(passing)?;
        }
        self.sets.remove(&self.item.name_any()).await.map_err(passing)?;
        Ok(Report { inventory: kept, ..report })
    }

    async fn run(&self, plan: &Plan, documents: &[Value], kept: &mut SetInventory) -> Report {
        // What the item says of a field is what it is: drift is put right.
        let options = Options {
            timeout: self.timeout,
            force_conflicts: true,
            clock: by(&self.clock),
            ..Options::default()
        };
        let work = Work { plan, documents, marks: &self.marks };
        let mut tell = |event: Event| tracing::debug!(?event);
        let outcome = self.engine.run(work, &options, &mut self.stop.clone(), &mut tell).await;
        settle(&mut kept.inventory, plan, &outcome);
        let mut failures: Vec<String> = outcome
            .failures
            .iter()
            .map(|(object, why)| match object {
                Some(object) => format!("{object}: {why}"),
                None => why.clone(),
            })
            .collect();
        if outcome.stopped && failures.is_empty() {
            failures.push("it was stopped".to_owned());
        }
        let kept = outcome.kept.iter().map(|(object, why)| format!("{object}: {why}")).collect();
        Report { kept, failures, ..Report::default() }
    }

    fn target_namespace(&self) -> String {
        let target = self.item.spec.target.as_ref().and_then(|target| target.namespace.clone());
        target.or_else(|| self.item.namespace()).unwrap_or_default()
    }

    /// What is wanted, with what is sent for it and what may be done to it.
    async fn wanted(&self) -> Result<(Wanted, Vec<Value>, HashMap<ObjectId, ObjectPolicy>), ActuatorError> {
        let spec = &self.item.spec;
        let namespace = self.target_namespace();
        let mut own: Vec<Option<ObjectPolicy>> = Vec::new();
        let (wanted, documents) = match (&spec.chart, spec.manifests.as_slice()) {
            (Some(_), []) => {
                let (chart, values) = (self.chart().await?, self.values().await?);
                let release = RenderedFor {
                    name: spec.release_name.clone().unwrap_or_else(|| self.item.name_any()),
                    namespace: namespace.clone(),
                    revision: 1,
                    is_upgrade: false,
                };
                let rendered = self.render(&chart, &values, release)?;
                let wanted = release::wanted(&rendered, &namespace, Some(self.engine.served()));
                let wanted = wanted.map_err(|error| invalid(error.to_string()))?;
                let documents = release::documents(&rendered, &self.marks);
                let mut documents = documents.map_err(|error| invalid(error.to_string()))?;
                // Here hooks are objects like all others.
                for document in &mut documents {
                    self.marks.put_on_all(document);
                }
                (wanted, documents)
            }
            (None, manifests) if !manifests.is_empty() => {
                let mut builder = Wanted::builder(ChartTree::single(self.item.name_any()), &namespace);
                for kind in self.engine.served().kinds() {
                    let scope = if kind.namespaced { Scope::Namespaced } else { Scope::Cluster };
                    builder.kind(&kind.resource.group, &kind.resource.kind, scope);
                }
                let mut documents = Vec::new();
                for (number, entry) in manifests.iter().enumerate() {
                    let source = Source::new(format!("manifests[{number}]"));
                    let written = Written { chart: ChartIndex(0), source: &source, line: 1 };
                    let mut document = Value::Object(entry.manifest.clone());
                    builder
                        .manifest(written, &document.to_string())
                        .map_err(|error| invalid(format!("spec.manifests[{number}]: {error}")))?;
                    self.marks.put_on_all(&mut document);
                    documents.push(document);
                    own.push(entry.policy);
                }
                (builder.finish(), documents)
            }
            _ => return Err(invalid("exactly one of spec.chart and spec.manifests is needed")),
        };
        let policies = self.policies(&wanted, &own)?;
        Ok((wanted, documents, policies))
    }

    fn policies(
        &self,
        wanted: &Wanted,
        own: &[Option<ObjectPolicy>],
    ) -> Result<HashMap<ObjectId, ObjectPolicy>, ActuatorError> {
        let mut rules = Vec::new();
        for (number, rule) in self.item.spec.policies.iter().enumerate() {
            let types: Result<Vec<TypePattern>, _> = rule.types.iter().map(|text| text.parse()).collect();
            let types = types.map_err(|error| invalid(format!("spec.policies[{number}]: {error}")))?;
            rules.push((types, &rule.names, rule.policy));
        }
        let policy = |member: &Member| {
            let id = &member.id;
            let stated = own.get(member.document as usize).copied().flatten();
            let matching = rules.iter().find(|(types, names, _)| {
                (types.is_empty() || types.iter().any(|of| of.matches(id)))
                    && (names.is_empty() || names.contains(&id.name))
            });
            stated.or_else(|| matching.map(|(_, _, policy)| *policy)).unwrap_or_default()
        };
        let hooks = wanted.hooks.iter().map(|hook| &hook.member);
        let all = wanted.members.iter().chain(hooks);
        Ok(all.map(|member| (member.id.clone(), policy(member))).collect())
    }

    async fn live(
        &self,
        wanted: &Wanted,
        documents: &[Value],
        stored: &Inventory,
    ) -> Result<Live, ActuatorError> {
        let digests: HashMap<_, _> = stored.entries.iter().map(|entry| (&entry.id, entry.digest)).collect();
        let hooks = wanted.hooks.iter().map(|hook| &hook.member);
        let members: Vec<&Member> = wanted.members.iter().chain(hooks).chain(&wanted.crds).collect();
        let document = |member: &Member| {
            let document = &documents[member.document as usize];
            member.item.map_or(document, |item| &document["items"][item as usize]).clone()
        };
        let is_wanted: HashSet<&ObjectId> = members.iter().map(|member| &member.id).collect();
        let same = members.iter().filter(|member| digests.get(&member.id) == Some(&member.digest));
        let going = stored.entries.iter().filter(|entry| !is_wanted.contains(&entry.id));
        let subjects = Subjects {
            holders: going.filter_map(|entry| Some((entry.id.clone(), Holder::of(&entry.id)?))).collect(),
            same: same.map(|member| member.id.clone()).collect(),
            wanted: members.iter().map(|member| (member.id.clone(), document(member))).collect(),
            stored: stored.entries.iter().map(looked_for).collect(),
        };
        self.engine.observe(&subjects, &self.marks).await.map_err(passing)
    }
}

/// What counts down by a plan.
#[derive(Default)]
pub(super) struct Counting {
    objects: HashSet<ObjectId>,
    /// When the first of it is due.
    pub(super) next: Option<Timestamp>,
}

impl Counting {
    pub(super) fn of(plan: &Plan) -> Self {
        let mut counting = Self::default();
        for step in &plan.steps {
            let (object, due) = match (step.kind, &step.reason) {
                (StepKind::Stamp { object, due }, _) => (object, due),
                (StepKind::Keep { object }, Reason::Kept(Kept::Counting { due })) => (object, Some(*due)),
                _ => continue,
            };
            counting.objects.insert(plan.object(object).id.clone());
            counting.next = counting.next.into_iter().chain(due).min();
        }
        counting
    }
}

fn looked_for(entry: &Entry) -> StoredObject {
    StoredObject { id: entry.id.clone(), api_version: entry.api_version.clone(), uid: entry.uid.clone() }
}

/// What is immutable is created, and not applied again while it is there.
fn restrain(plan: &mut Plan, of: impl Fn(&ObjectId) -> ObjectPolicy) {
    let immutable: Vec<bool> =
        plan.objects.iter().map(|object| of(&object.id) == ObjectPolicy::Immutable).collect();
    for step in &mut plan.steps {
        if let StepKind::Apply { object, change: Change::Update | Change::Adopt } = step.kind
            && immutable[object.at()]
        {
            step.kind = StepKind::Unchanged { object };
        }
    }
}
