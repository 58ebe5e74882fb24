//! Small worlds to plan in, and questions to ask of a plan.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use jiff::Timestamp;
use objects::Source;
use plan::input::{
    ChartTree, Hooks, Inventory, Live, LiveObject, Order, Owner, Policy, Wanted, WantedBuilder, Written,
};
use plan::output::{Edge, StepKind};
use plan::{ChartIndex, Operation, Plan, PlanErrors, Request, StepIndex};

/// The namespace of everything that names none.
pub(crate) const NAMESPACE: &str = "ns";

/// The annotation that puts an object into a layer.
pub(crate) const LAYER: &str = "helm.sh/layer";

/// The annotation that says which layers come before.
pub(crate) const NEEDS: &str = "helm.sh/depends-on/layers";

/// One world: what a plan is made from.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) operation: Operation,
    pub(crate) wanted: Wanted,
    pub(crate) stored: Inventory,
    pub(crate) policy: Policy,
    pub(crate) live: Live,
    pub(crate) now: Timestamp,
}

impl World {
    /// An ordered install of these documents, as one chart.
    pub(crate) fn ordered(documents: &str) -> Self {
        Self::of(single(documents), Order::Ordered)
    }

    /// An unsequenced install of these documents.
    pub(crate) fn unordered(documents: &str) -> Self {
        Self::of(single(documents), Order::Kinds)
    }

    pub(crate) fn of(wanted: Wanted, order: Order) -> Self {
        Self {
            operation: Operation::Install,
            wanted,
            stored: Inventory::default(),
            policy: Policy { order, hooks: Hooks::Run, ..Policy::default() },
            live: Live::empty(),
            now: "2026-01-01T00:00:00Z".parse().unwrap(),
        }
    }

    pub(crate) fn plan(&self) -> Result<Plan, PlanErrors> {
        plan::plan(&Request {
            operation: self.operation,
            wanted: &self.wanted,
            stored: &self.stored,
            policy: &self.policy,
            live: &self.live,
            now: self.now,
        })
    }

    /// The world after this install: everything is there and ours.
    pub(crate) fn installed(&self) -> Self {
        let mut world = self.clone();
        world.operation = Operation::Upgrade;
        world.stored = self.planned().intent;
        for entry in &mut world.stored.entries {
            let uid = format!("uid-{}", entry.id);
            entry.uid = Some(uid.clone());
            let live = LiveObject {
                uid,
                owner: Owner::Ours,
                delay: entry.delay.clone(),
                keep: entry.keep,
                in_sync: true,
                ..LiveObject::default()
            };
            world.live.objects.insert(entry.id.clone(), live);
        }
        world
    }

    /// The uninstall of what is stored.
    pub(crate) fn uninstall(&self) -> Self {
        Self {
            operation: Operation::Uninstall,
            wanted: Wanted::nothing(&self.wanted.namespace),
            ..self.clone()
        }
    }

    /// The same world with other wishes.
    pub(crate) fn wanting(&self, documents: &str) -> Self {
        Self { wanted: single(documents), ..self.clone() }
    }

    /// A live object, by name.
    pub(crate) fn live(&mut self, name: &str) -> &mut LiveObject {
        let found = self.live.objects.iter_mut().find(|(id, _)| id.name == name);
        found.unwrap_or_else(|| panic!("no live object {name}")).1
    }

    /// The plan, which there must be.
    pub(crate) fn planned(&self) -> Plan {
        self.plan().unwrap_or_else(|errors| panic!("no plan: {errors}"))
    }

    /// What is said instead of a plan.
    pub(crate) fn refused(&self) -> String {
        match self.plan() {
            Ok(_) => panic!("there is a plan"),
            Err(errors) => errors.to_string(),
        }
    }
}

/// Documents of one chart named `shop`, in one template.
pub(crate) fn single(documents: &str) -> Wanted {
    let mut builder = Wanted::builder(ChartTree::single("shop"), NAMESPACE);
    add(&mut builder, ChartIndex(0), "shop/templates/all.yaml", documents);
    builder.finish()
}

/// Adds the documents of one template.
pub(crate) fn add(builder: &mut WantedBuilder, chart: ChartIndex, path: &str, documents: &str) {
    let source = Source::new(path);
    let mut line = 1;
    for document in documents.split("---\n") {
        if !document.trim().is_empty() {
            builder.manifest(Written { chart, source: &source, line }, document).unwrap();
        }
        line += document.matches('\n').count() as u32 + 1;
    }
}

/// A document with annotations.
pub(crate) fn object(kind: &str, name: &str, annotations: &[(&str, &str)]) -> String {
    let api_version = match kind {
        "Deployment" | "StatefulSet" | "DaemonSet" => "apps/v1",
        "Job" => "batch/v1",
        "CustomResourceDefinition" => "apiextensions.k8s.io/v1",
        "ClusterRole" | "ClusterRoleBinding" | "Role" | "RoleBinding" => "rbac.authorization.k8s.io/v1",
        "Widget" => "example.com/v1",
        _ => "v1",
    };
    let mut text = format!("apiVersion: {api_version}\nkind: {kind}\nmetadata:\n  name: {name}\n");
    if !annotations.is_empty() {
        text.push_str("  annotations:\n");
        for (key, value) in annotations {
            let _ = writeln!(text, "    {key}: {value}");
        }
    }
    text
}

/// A definition of a kind of `example.com`.
pub(crate) fn definition(kind: &str, scope: &str) -> String {
    let plural = format!("{}s", kind.to_lowercase());
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: {plural}.example.com\nspec:\n  group: example.com\n  scope: {scope}\n  names:\n    kind: {kind}\n    plural: {plural}\n"
    )
}

/// Documents of one text.
pub(crate) fn documents(of: &[String]) -> String {
    of.join("---\n")
}

/// What a step does to whom: `apply my-app`.
pub(crate) fn title(plan: &Plan, kind: StepKind) -> Option<String> {
    let verb = match kind {
        StepKind::Apply { .. } => "apply",
        StepKind::Unchanged { .. } => "leave",
        StepKind::AwaitReady { .. } => "await",
        StepKind::AwaitEstablished { .. } => "establish",
        StepKind::Restore { .. } => "restore",
        StepKind::Stamp { .. } => "stamp",
        StepKind::Delete { .. } => "delete",
        StepKind::AwaitGone { .. } => "gone",
        StepKind::Keep { .. } => "keep",
        StepKind::Forget { .. } => "forget",
        StepKind::RunHook { hook, event } => {
            return Some(format!("{event} {}", plan.hooks[hook.at()].id.name));
        }
        StepKind::AwaitRank { rank, .. } => return Some(format!("rank {rank}")),
        StepKind::StripFinalizers { up_to } => return Some(format!("strip {up_to}")),
        _ => return None,
    };
    Some(format!("{verb} {}", plan.object(kind.object()?).id.name))
}

/// The titles of all steps that have one, in order.
pub(crate) fn titles(plan: &Plan) -> Vec<String> {
    plan.steps.iter().filter_map(|step| title(plan, step.kind)).collect()
}

/// The step of that title.
pub(crate) fn find(plan: &Plan, wanted: &str) -> StepIndex {
    plan.numbered()
        .find(|(_, step)| title(plan, step.kind).as_deref() == Some(wanted))
        .unwrap_or_else(|| panic!("no step {wanted:?} in {:?}", titles(plan)))
        .0
}

/// Whether `second` waits for `first`, directly or not.
pub(crate) fn waits(plan: &Plan, second: &str, first: &str) -> bool {
    reaches(plan, find(plan, first), find(plan, second), |_| true)
}

/// Whether there is a path over edges that `allowed` lets through.
pub(crate) fn reaches(plan: &Plan, from: StepIndex, to: StepIndex, allowed: impl Fn(&Edge) -> bool) -> bool {
    let mut seen = BTreeSet::from([to]);
    let mut open = vec![to];
    while let Some(step) = open.pop() {
        for edge in plan.predecessors(step) {
            if !allowed(edge) {
                continue;
            }
            if edge.from == from {
                return true;
            }
            if seen.insert(edge.from) {
                open.push(edge.from);
            }
        }
    }
    false
}

/// The names of what is applied in each wave.
pub(crate) fn waves(plan: &Plan) -> Vec<Vec<String>> {
    let mut waves: Vec<Vec<String>> = Vec::new();
    for step in &plan.steps {
        let StepKind::Apply { object, .. } = step.kind else { continue };
        let wave = step.wave as usize;
        waves.resize_with(waves.len().max(wave + 1), Vec::new);
        waves[wave].push(plan.object(object).id.name.clone());
    }
    for wave in &mut waves {
        wave.sort();
    }
    waves
}
