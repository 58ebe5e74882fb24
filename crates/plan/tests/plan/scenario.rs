//! Generated worlds: nested subcharts with aliases and tags, layers in mixed spellings, hooks, rules, delays, foreign
//! and strange live objects.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;

use objects::{ObjectId, Source};
use plan::input::{
    ChartFacts, ChartTree, Declared, Dependency, HookEvent, Order, Owner, Rank, Rule, Rules, Wanted, Written,
};
use plan::{ChartIndex, Operation};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::world::{World, definition};

/// A world in the raw: numbers that are read as wishes.
#[derive(Debug, Clone)]
pub(crate) struct Scenario {
    charts: Vec<ChartSpec>,
    objects: Vec<ObjectSpec>,
    hooks: Vec<(u8, i64)>,
    rules: Vec<(i32, u8, bool, bool)>,
    live: Vec<LiveSpec>,
    order: u8,
    pub(crate) hoist: bool,
}

#[derive(Debug, Clone)]
struct ChartSpec {
    parent: u8,
    aliased: bool,
    by_tag: bool,
    disabled_sibling: bool,
    after: Vec<u8>,
    needed_by_parent: bool,
    form: u8,
}

#[derive(Debug, Clone)]
struct ObjectSpec {
    chart: u8,
    kind: u8,
    namespace: u8,
    layer: Option<u8>,
    needs: Vec<u8>,
    spelling: u8,
    form: u8,
    delay: bool,
    keep: bool,
    rank: Option<i32>,
    refers: u8,
}

#[derive(Debug, Clone)]
struct LiveSpec {
    what: u8,
    finalizer: bool,
    foreign: bool,
}

pub(crate) fn scenario() -> impl Strategy<Value = Scenario> {
    let chart = (
        any::<u8>(),
        any::<bool>(),
        any::<bool>(),
        prop::bool::weighted(0.2),
        vec(any::<u8>(), 0..3),
        any::<bool>(),
        any::<u8>(),
    )
        .prop_map(|(parent, aliased, by_tag, disabled_sibling, after, needed_by_parent, form)| {
            ChartSpec { parent, aliased, by_tag, disabled_sibling, after, needed_by_parent, form }
        });
    let object = (
        (any::<u8>(), 0..15_u8, 0..4_u8, option::weighted(0.6, 0..5_u8), vec(0..5_u8, 0..3)),
        (0..3_u8, 0..4_u8, prop::bool::weighted(0.15), prop::bool::weighted(0.08)),
        (option::weighted(0.08, 50..700_i32), any::<u8>()),
    )
        .prop_map(
            |((chart, kind, namespace, layer, needs), (spelling, form, delay, keep), (rank, refers))| {
                ObjectSpec { chart, kind, namespace, layer, needs, spelling, form, delay, keep, rank, refers }
            },
        );
    let live = (any::<u8>(), prop::bool::weighted(0.2), prop::bool::weighted(0.2))
        .prop_map(|(what, finalizer, foreign)| LiveSpec { what, finalizer, foreign });
    let rule = (40..700_i32, 0..6_u8, any::<bool>(), any::<bool>());
    (
        vec(chart, 0..5),
        vec(object, 1..24),
        vec((0..9_u8, -3..3_i64), 0..3),
        vec(rule, 0..3),
        vec(live, 1..24),
        0..6_u8,
        prop::bool::weighted(0.8),
    )
        .prop_map(|(charts, objects, hooks, rules, live, order, hoist)| Scenario {
            charts,
            objects,
            hooks,
            rules,
            live,
            order,
            hoist,
        })
}

const KINDS: [&str; 15] = [
    "ConfigMap",
    "Secret",
    "ServiceAccount",
    "Deployment",
    "Deployment",
    "Job",
    "Service",
    "ClusterRole",
    "Namespace",
    "CustomResourceDefinition",
    "Widget",
    "Gadget",
    "PersistentVolumeClaim",
    "ValidatingWebhookConfiguration",
    "ClusterRoleBinding",
];

const EVENTS: [HookEvent; 9] = [
    HookEvent::PreInstall,
    HookEvent::PostInstall,
    HookEvent::PreDelete,
    HookEvent::PostDelete,
    HookEvent::PreUpgrade,
    HookEvent::PostUpgrade,
    HookEvent::PreRollback,
    HookEvent::PostRollback,
    HookEvent::Test,
];

impl Scenario {
    /// The first install.
    pub(crate) fn install(&self) -> World {
        let order = match self.order {
            0 => Order::Kinds,
            1 => Order::Phases,
            _ => Order::Ordered,
        };
        let mut world = World::of(self.wanted(|_| true), order);
        world.policy.hoist = self.hoist;
        world.policy.rules = self.rules();
        world
    }

    /// The same release with about half of its objects, in a world where strange things have happened.
    pub(crate) fn upgrade(&self, installed: &World) -> World {
        let mut world = self.disturbed(installed);
        world.wanted = self.wanted(|number| number % 2 == 0);
        world
    }

    /// Everything goes, in a world where strange things have happened.
    pub(crate) fn uninstall(&self, installed: &World) -> World {
        let mut world = self.disturbed(installed).uninstall();
        world.operation = Operation::Uninstall;
        world
    }

    fn tree(&self) -> ChartTree {
        let mut tree = ChartTree::new(ChartFacts { path: "top".into(), ..ChartFacts::default() });
        let list = |names: &[String], form: u8| {
            let value = match form % 3 {
                0 => goyaml::Value::from(names.to_vec()),
                1 => goyaml::Value::from(names.join(", ")),
                _ => goyaml::Value::from(goyaml::json::to_string(&names).unwrap()),
            };
            Some(Declared { value, line: 9 })
        };
        for (number, spec) in self.charts.iter().enumerate() {
            let parent = ChartIndex::from(usize::from(spec.parent) % (number + 1));
            let own = format!("c{number}");
            let siblings: Vec<(String, String)> = tree.charts()[parent.at()]
                .dependencies
                .iter()
                .filter(|sibling| sibling.chart.is_some())
                .map(|sibling| (sibling.effective_name().to_owned(), sibling.tags[0].clone()))
                .collect();
            let mut after: Vec<String> = spec
                .after
                .iter()
                .filter(|_| !siblings.is_empty())
                .map(|pick| &siblings[usize::from(*pick) % siblings.len()])
                .map(|(name, tag)| if spec.by_tag { tag.clone() } else { name.clone() })
                .collect();
            let path = format!("{}/charts/{own}", tree.charts()[parent.at()].path);
            let chart = tree.add(parent, ChartFacts { path, ..ChartFacts::default() });
            let facts = tree.chart_mut(parent).unwrap();
            if spec.disabled_sibling {
                let name = format!("disabled{number}");
                facts.dependencies.push(Dependency { name: name.clone(), ..Dependency::default() });
                after.push(name);
            }
            facts.dependencies.push(Dependency {
                name: if spec.aliased { "shared".into() } else { own.clone() },
                alias: spec.aliased.then(|| own.clone()),
                tags: vec![format!("t{number}")],
                depends_on: if after.is_empty() { None } else { list(&after, spec.form) },
                chart: Some(chart),
            });
            if spec.needed_by_parent {
                let mut needs: Vec<String> = facts
                    .needs
                    .as_ref()
                    .and_then(|needs| {
                        Some(
                            needs
                                .value
                                .as_sequence()?
                                .iter()
                                .filter_map(|name| Some(name.as_str()?.to_owned()))
                                .collect(),
                        )
                    })
                    .unwrap_or_default();
                needs.push(own);
                facts.needs = list(&needs, 0);
            }
        }
        tree
    }

    fn wanted(&self, keep: impl Fn(usize) -> bool) -> Wanted {
        let tree = self.tree();
        let charts = tree.charts().len();
        let paths: Vec<String> = tree.charts().iter().map(|chart| chart.path.clone()).collect();
        let mut builder = Wanted::builder(tree, "ns");
        let mut taken: Vec<String> = Vec::new();
        for (number, spec) in self.objects.iter().enumerate() {
            let text = self.document(number, spec, &mut taken);
            if !keep(number) {
                continue;
            }
            let chart = ChartIndex::from(usize::from(spec.chart) % charts);
            let source = Source::new(format!("{}/templates/{number}.yaml", paths[chart.at()]));
            builder.manifest(Written { chart, source: &source, line: 1 }, &text).unwrap();
        }
        for (number, (event, weight)) in self.hooks.iter().enumerate() {
            let source = Source::new(format!("top/templates/hook{number}.yaml"));
            let written = Written { chart: ChartIndex(0), source: &source, line: 1 };
            let text = format!("apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: hook{number}\n");
            builder.hook(written, &text, &[EVENTS[usize::from(*event)]], *weight, &[]).unwrap();
        }
        builder.finish()
    }

    fn document(&self, number: usize, spec: &ObjectSpec, taken: &mut Vec<String>) -> String {
        let mut kind = KINDS[usize::from(spec.kind)];
        let mut name = format!("o{number}");
        if kind == "Namespace" {
            name = format!("n{}", spec.namespace);
        }
        if matches!(kind, "Namespace" | "CustomResourceDefinition") {
            let unique = if kind == "Namespace" { name.clone() } else { kind.to_owned() };
            if taken.contains(&unique) {
                (kind, name) = ("ConfigMap", format!("o{number}"));
            } else {
                taken.push(unique);
            }
        }
        let namespace = if spec.namespace == 0 { "ns".to_owned() } else { format!("n{}", spec.namespace) };
        let mut text = if kind == "CustomResourceDefinition" {
            definition("Widget", "Namespaced").replace("spec:", "SPEC")
        } else {
            let api_version = match kind {
                "Deployment" => "apps/v1",
                "Job" => "batch/v1",
                "ClusterRole" | "ClusterRoleBinding" => "rbac.authorization.k8s.io/v1",
                "Widget" => "example.com/v1",
                "Gadget" => "other.io/v1",
                "ValidatingWebhookConfiguration" => "admissionregistration.k8s.io/v1",
                _ => "v1",
            };
            format!(
                "apiVersion: {api_version}\nkind: {kind}\nmetadata:\n  name: {name}\n  namespace: {namespace}\nSPEC\n"
            )
        };
        let annotations = Self::annotations(spec);
        text = text.replace("SPEC", &format!("{annotations}spec:"));
        // Something of a kind to refer to, in the same namespace or anywhere; a name that nobody has if there is none.
        let other = |kind: &str, anywhere: bool| {
            let matches = |other: &&(usize, &ObjectSpec)| {
                KINDS[usize::from(other.1.kind)] == kind && (anywhere || other.1.namespace == spec.namespace)
            };
            let all: Vec<_> = self.objects.iter().enumerate().collect();
            let found: Vec<_> = all.iter().filter(matches).collect();
            let pick = found.get(usize::from(spec.refers) % found.len().max(1));
            pick.map_or("nobody".to_owned(), |(number, _)| format!("o{number}"))
        };
        match kind {
            "Deployment" => {
                let _ = write!(
                    text,
                    "  template:\n    metadata: {{labels: {{app: a{}}}}}\n    spec:\n      serviceAccountName: {}\n      volumes: [{{configMap: {{name: {}}}}}]\n",
                    number % 2,
                    other("ServiceAccount", false),
                    other("ConfigMap", false),
                );
            }
            "Service" => {
                let _ = writeln!(text, "  selector: {{app: a{}}}", number % 2);
            }
            "ValidatingWebhookConfiguration" => {
                let service = other("Service", false);
                let _ = write!(
                    text,
                    "webhooks:\n- clientConfig: {{service: {{namespace: {namespace}, name: {service}}}}}\n"
                );
            }
            "ClusterRole" => {
                text.push_str("rules: [{apiGroups: [example.com], resources: [widgets], verbs: [update]}]\n");
            }
            "ClusterRoleBinding" => {
                let (role, account) = (other("ClusterRole", true), other("ServiceAccount", false));
                let _ = write!(
                    text,
                    "roleRef: {{kind: ClusterRole, name: {role}}}\nsubjects: [{{kind: ServiceAccount, name: {account}, namespace: {namespace}}}]\n"
                );
            }
            _ => {}
        }
        text
    }

    fn annotations(spec: &ObjectSpec) -> String {
        let (layer_key, needs_key) = [
            ("helm.sh/layer", "helm.sh/depends-on/layers"),
            ("helm.sh/resource-group", "helm.sh/depends-on/resource-groups"),
            ("slipway.dev/layer", "slipway.dev/depends-on-layers"),
        ][usize::from(spec.spelling)];
        let mut text = String::new();
        let mut line = |key: &str, value: &str| {
            if text.is_empty() {
                text.push_str("  annotations:\n");
            }
            let _ = writeln!(text, "    {key}: {value}");
        };
        if let Some(layer) = spec.layer {
            line(layer_key, &format!("l{layer}"));
        }
        // Layers need lower ones only, so that most sets are free of cycles; some layers are nobody's.
        let needs: Vec<String> = spec
            .needs
            .iter()
            .filter(|need| spec.layer.is_none_or(|layer| **need < layer))
            .map(|need| format!("l{need}"))
            .collect();
        if !needs.is_empty() && (spec.layer.is_some() || spec.refers.is_multiple_of(3)) {
            let list = match spec.form {
                0 => format!("[{}]", needs.join(", ")),
                1 => format!("['{}']", needs.join(", ")),
                2 => needs.join(","),
                _ => format!("'{}'", goyaml::json::to_string(&needs).unwrap()),
            };
            line(needs_key, &list);
        }
        if spec.delay {
            line("smith.atlassian.com/deletionDelay", "24h");
        }
        if spec.keep {
            line("helm.sh/resource-policy", "keep");
        }
        if let Some(rank) = spec.rank {
            line("slipway.dev/deletion-rank", &format!("'{rank}'"));
        }
        text
    }

    fn rules(&self) -> Rules {
        let types =
            ["v1/ConfigMap", "apps/v1/Deployment", "example.com/v1/Widget", "v1/Secret", "v1/Service"];
        let rules = self.rules.iter().map(|(rank, types_pick, wait, force)| Rule {
            rank: Rank(*rank),
            types: types.get(usize::from(*types_pick)).map(|pattern| vec![pattern.parse().unwrap()]),
            wait: wait.then(|| std::time::Duration::from_mins(1)),
            force: force.then_some(plan::input::Force { timeout: Rule::DEFAULT_FORCE_TIMEOUT }),
        });
        Rules::new(rules.collect()).unwrap_or_default()
    }

    fn disturbed(&self, installed: &World) -> World {
        let mut world = installed.clone();
        let ids: Vec<ObjectId> = world.live.objects.keys().cloned().collect();
        for (number, id) in ids.iter().enumerate() {
            let spec = &self.live[number % self.live.len()];
            let now = world.now;
            let Some(live) = world.live.objects.get_mut(id) else { continue };
            if spec.finalizer {
                live.finalizers.push("example.com/cleanup".into());
            }
            match spec.what {
                0..10 => {
                    world.live.objects.remove(id);
                }
                10..20 => live.owner = Owner::Other("somebody".into()),
                20..30 => live.uid = "another".into(),
                30..45 => live.deleting = Some(now),
                45..60 => live.stamp = Some("2025-12-01T00:00:00Z".into()),
                60..70 => live.stamp = Some("2025-12-31T12:00:00Z".into()),
                70..75 => live.delay = Some("nonsense".into()),
                75..80 => live.owner = Owner::Nobody,
                _ => {}
            }
            let is_container = matches!(id.kind.as_str(), "Namespace" | "CustomResourceDefinition");
            if spec.foreign && is_container {
                let foreign = ObjectId { name: "foreign".into(), ..id.clone() };
                world.live.foreign.insert(id.clone(), vec![foreign]);
            }
        }
        world.policy.take_ownership = true;
        world
    }
}

/// Counts what was generated, to see that the interesting cases are among it.
#[derive(Debug, Default)]
pub(crate) struct Distribution(Mutex<BTreeMap<&'static str, usize>>);

impl Distribution {
    pub(crate) fn count(&self, what: &'static str, how_many: usize) {
        *self.0.lock().unwrap().entry(what).or_default() += how_many;
    }

    /// Prints the counts, and fails if something that should be among them never was.
    pub(crate) fn report(&self, law: &str, expected: &[&'static str]) {
        let counts = self.0.lock().unwrap();
        eprintln!("{law}: {counts:?}");
        for what in expected {
            assert!(counts.get(what).copied().unwrap_or_default() > 0, "{law} never saw {what}");
        }
    }
}
