//! What objects use of a quota: which resources count an object, and how much of each it needs.
//!
//! Pods count what they ask for, Services their ports and balancers, claims their storage; of everything else only the
//! number counts, as `count/PLURAL.GROUP` and, for a few kinds, by a name of its own.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::kinds::pod::{level, quality};
use crate::kinds::quantity::Quantity;
use crate::kinds::read::{Read, text_of};
use crate::kinds::resources::{self, NUMBERED, OF_CLAIMS, OF_PODS, OF_SERVICES};

/// Amounts by the names of resources.
pub(crate) type Amounts = BTreeMap<String, Quantity>;

/// For these, cpu and memory of every container must be said once a quota counts them.
const DEMANDED: [&str; 6] =
    ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];
const OF_CLASS: &str = ".storageclass.storage.k8s.io/";

/// Amounts as they stand in an object.
pub(crate) fn amounts(list: &Value) -> Amounts {
    let entries = list.as_object().into_iter().flatten();
    entries.filter_map(|(name, value)| Some((name.clone(), Quantity::of(value)?))).collect()
}

/// A resource as quotas count it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted<'a> {
    /// The API group.
    pub group: &'a str,
    /// The plural.
    pub plural: &'a str,
}

impl Counted<'_> {
    /// Whether nothing of it counts.
    pub(crate) fn is_ignored(self) -> bool {
        self.plural == "events" && matches!(self.group, "" | "events.k8s.io")
            || self.group.is_empty() && matches!(self.plural, "bindings" | "componentstatuses")
    }

    /// The name by which every kind is counted.
    fn number(self) -> String {
        if self.group.is_empty() {
            format!("count/{}", self.plural)
        } else {
            format!("count/{}.{}", self.plural, self.group)
        }
    }

    /// Whether a resource of a quota is about objects of this kind.
    pub(crate) fn counts_as(self, name: &str) -> bool {
        if name == self.number() {
            return true;
        }
        match (self.group, self.plural) {
            ("", "pods") => {
                let extended = name
                    .strip_prefix("requests.")
                    .is_some_and(|rest| !resources::is_native(rest) || rest.starts_with("deviceclass."));
                OF_PODS.contains(&name)
                    || name.starts_with("hugepages-")
                    || name.starts_with("requests.hugepages-")
                    || extended
            }
            ("", "services") => OF_SERVICES.contains(&name),
            ("", "persistentvolumeclaims") => {
                let of_class = |own: &&str| name.ends_with(&format!("{OF_CLASS}{own}"));
                OF_CLAIMS.contains(&name) || OF_CLAIMS.iter().any(of_class)
            }
            ("", plural) => NUMBERED.contains(&plural) && name == plural,
            _ => false,
        }
    }

    /// Whether a change of an object can change what it uses.
    pub(crate) fn weighs(self, part: &str, object: &Value, old: Option<&Value>) -> bool {
        match (self.group, self.plural, part, old) {
            ("", "pods", "", Some(old)) => has_deadline(old) != has_deadline(object),
            ("", "services" | "persistentvolumeclaims", "", _) | ("", "pods", "resize", Some(_)) => true,
            ("", "persistentvolumeclaims", "status", Some(old)) => {
                old.at("status").at("allocatedResources") != object.at("status").at("allocatedResources")
            }
            (_, _, "", old) => old.is_none(),
            _ => false,
        }
    }

    /// Whether an object is in the scopes of a quota.
    pub(crate) fn is_in_scope(self, quota: &Value, object: &Value) -> bool {
        let spec = quota.at("spec");
        let scopes = spec.list("scopes").iter().map(|scope| (text_of(scope), "Exists", &[][..]));
        let selected = spec.at("scopeSelector").list("matchExpressions");
        let selected =
            selected.iter().map(|one| (one.text("scopeName"), one.text("operator"), one.list("values")));
        scopes.chain(selected).all(|(scope, operator, values)| match (self.group, self.plural) {
            ("", "pods") => pod_is_in(object, scope, operator, values),
            ("", "persistentvolumeclaims") if scope == "VolumeAttributesClass" => {
                let class = object.at("spec").text("volumeAttributesClassName");
                chosen(class, operator, values)
            }
            _ => false,
        })
    }

    /// What an object uses.
    pub(crate) fn usage(self, object: &Value, now: Timestamp) -> Amounts {
        let mut usage = Amounts::from([(self.number(), Quantity::ONE)]);
        match (self.group, self.plural) {
            ("", "pods") => pod_usage(object, now, &mut usage),
            ("", "services") => service_usage(object, &mut usage),
            ("", "persistentvolumeclaims") => claim_usage(object, &mut usage),
            ("", plural) if NUMBERED.contains(&plural) => {
                usage.insert(plural.to_owned(), Quantity::ONE);
            }
            _ => {}
        }
        usage
    }

    /// What a Pod does not say of the resources that a quota counts.
    pub(crate) fn unsaid(self, required: &[&str], object: &Value) -> Option<String> {
        let spec = object.at("spec");
        let whole = ["requests", "limits"]
            .iter()
            .any(|field| spec.at("resources").entries(field).any(|(name, _)| resources::is_pod_level(name)));
        if (self.group, self.plural) != ("", "pods") || whole {
            return None;
        }
        let mut missing: Vec<String> = Vec::new();
        for name in DEMANDED.iter().filter(|name| required.contains(name)) {
            let (field, own) = match name.split_once('.') {
                Some((field, own)) => (field, own),
                None => ("requests", *name),
            };
            let mut silent: Vec<&str> = ["containers", "initContainers"]
                .iter()
                .flat_map(|list| spec.list(list))
                .filter(|container| !container.at("resources").at(field).has(own))
                .map(|container| container.text("name"))
                .collect();
            silent.sort_unstable();
            if !silent.is_empty() {
                missing.push(format!("{name} for: {}", silent.join(",")));
            }
        }
        missing.sort();
        (!missing.is_empty()).then(|| format!("must specify {}", missing.join("; ")))
    }
}

fn has_deadline(pod: &Value) -> bool {
    pod.at("spec").number("activeDeadlineSeconds").is_some_and(|seconds| seconds >= 0)
}

fn pod_is_in(pod: &Value, scope: &str, operator: &str, values: &[Value]) -> bool {
    let spec = pod.at("spec");
    match scope {
        "Terminating" => has_deadline(pod),
        "NotTerminating" => !has_deadline(pod),
        "BestEffort" => quality::class(spec) == "BestEffort",
        "NotBestEffort" => quality::class(spec) != "BestEffort",
        "PriorityClass" => chosen(spec.text("priorityClassName"), operator, values),
        "CrossNamespacePodAffinity" => ["podAffinity", "podAntiAffinity"].iter().any(|sort| {
            let terms = spec.at("affinity").at(sort);
            let required = terms.list("requiredDuringSchedulingIgnoredDuringExecution").iter();
            let preferred = terms.list("preferredDuringSchedulingIgnoredDuringExecution").iter();
            required
                .chain(preferred.map(|term| term.at("podAffinityTerm")))
                .any(|term| !term.list("namespaces").is_empty() || term.has("namespaceSelector"))
        }),
        _ => false,
    }
}

/// Whether a class that may not be named is one of those that are meant.
fn chosen(class: &str, operator: &str, values: &[Value]) -> bool {
    let named = values.iter().any(|value| text_of(value) == class);
    match operator {
        "In" => !class.is_empty() && named,
        "NotIn" => class.is_empty() || !named,
        "DoesNotExist" => class.is_empty(),
        _ => !class.is_empty(),
    }
}

/// A Pod that has ended, or is long past its end, needs nothing any more.
fn is_over(pod: &Value, now: Timestamp) -> bool {
    let metadata = pod.at("metadata");
    let ended = metadata.text("deletionTimestamp").parse::<Timestamp>().ok();
    let late = ended.zip(metadata.number("deletionGracePeriodSeconds"));
    matches!(pod.at("status").text("phase"), "Failed" | "Succeeded")
        || late.is_some_and(|(ended, grace)| now > ended + SignedDuration::from_secs(grace))
}

fn pod_usage(pod: &Value, now: Timestamp, usage: &mut Amounts) {
    if is_over(pod, now) {
        return;
    }
    usage.insert("pods".into(), Quantity::ONE);
    let spec = pod.at("spec");
    for field in ["requests", "limits"] {
        let mut all = level::together(spec, field);
        let own = amounts(spec.at("resources").at(field));
        all.extend(own.into_iter().filter(|(name, _)| resources::is_pod_level(name)));
        for (name, extra) in amounts(spec.at("overhead")) {
            // Only what is limited at all has its limit raised.
            let known = all.contains_key(&name);
            if field == "requests" || known {
                all.entry(name).and_modify(|sum| *sum = sum.plus(extra)).or_insert(extra);
            }
        }
        for (name, amount) in all {
            let computed = matches!(name.as_str(), "cpu" | "memory" | "ephemeral-storage");
            match field {
                "limits" if computed => {
                    usage.insert(format!("limits.{name}"), amount);
                }
                "requests" if computed || resources::is_huge_pages(&name) => {
                    usage.insert(format!("requests.{name}"), amount);
                    usage.insert(name, amount);
                }
                "requests" if resources::is_extended(&name) => {
                    usage.insert(format!("requests.{name}"), amount);
                }
                _ => {}
            }
        }
    }
}

fn service_usage(service: &Value, usage: &mut Amounts) {
    let spec = service.at("spec");
    let ports = spec.list("ports");
    let balanced = spec.text("type") == "LoadBalancer";
    let chosen_only = balanced && spec.at("allocateLoadBalancerNodePorts") == false;
    let ports = match spec.text("type") {
        "LoadBalancer" if chosen_only => ports.iter().filter(|port| port.int("nodePort") != 0).count(),
        "NodePort" | "LoadBalancer" => ports.len(),
        _ => 0,
    };
    usage.insert("services".into(), Quantity::ONE);
    usage.insert("services.loadbalancers".into(), Quantity::whole(i128::from(balanced)));
    usage.insert("services.nodeports".into(), Quantity::whole(ports as i128));
}

fn claim_usage(claim: &Value, usage: &mut Amounts) {
    let spec = claim.at("spec");
    let annotated = claim.at("metadata").at("annotations").text("volume.beta.kubernetes.io/storage-class");
    let class = if annotated.is_empty() { spec.text("storageClassName") } else { annotated };
    let mut own = Amounts::from([("persistentvolumeclaims".to_owned(), Quantity::ONE)]);
    let asked = Quantity::of(spec.at("resources").at("requests").at("storage"));
    if let Some(asked) = asked {
        let given = Quantity::of(claim.at("status").at("allocatedResources").at("storage"));
        let most = given.map_or(asked, |given| asked.or_greater(given));
        own.insert("requests.storage".into(), most.to_whole());
    }
    for (name, amount) in own {
        if !class.is_empty() {
            usage.insert(format!("{class}{OF_CLASS}{name}"), amount);
        }
        usage.insert(name, amount);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PODS: Counted<'static> = Counted { group: "", plural: "pods" };
    const CLAIMS: Counted<'static> = Counted { group: "", plural: "persistentvolumeclaims" };

    fn told(amounts: &Amounts) -> Vec<String> {
        amounts.iter().map(|(name, amount)| format!("{name}={amount}")).collect()
    }

    fn pod(phase: &str) -> Value {
        json!({
            "spec": {"containers": [
                {"name": "a", "resources": {"requests": {"cpu": "100m", "memory": "1Gi"}, "limits": {"cpu": "1"}}},
                {"name": "b", "resources": {"requests": {"cpu": "400m", "example.com/gpu": "2"}}},
            ]},
            "status": {"phase": phase},
        })
    }

    #[test]
    fn pods_use_what_they_ask_for_until_they_end() {
        let usage = PODS.usage(&pod("Running"), Timestamp::UNIX_EPOCH);
        assert_eq!(
            told(&usage),
            [
                "count/pods=1",
                "cpu=500m",
                "limits.cpu=1",
                "memory=1Gi",
                "pods=1",
                "requests.cpu=500m",
                "requests.example.com/gpu=2",
                "requests.memory=1Gi"
            ]
        );
        assert_eq!(told(&PODS.usage(&pod("Succeeded"), Timestamp::UNIX_EPOCH)), ["count/pods=1"]);
    }

    #[test]
    fn claims_count_for_their_class_too() {
        let claim =
            json!({"spec": {"storageClassName": "gold", "resources": {"requests": {"storage": "1.5Gi"}}}});
        assert_eq!(
            told(&CLAIMS.usage(&claim, Timestamp::UNIX_EPOCH)),
            [
                "count/persistentvolumeclaims=1",
                "gold.storageclass.storage.k8s.io/persistentvolumeclaims=1",
                "gold.storageclass.storage.k8s.io/requests.storage=1536Mi",
                "persistentvolumeclaims=1",
                "requests.storage=1536Mi"
            ]
        );
        assert!(CLAIMS.counts_as("gold.storageclass.storage.k8s.io/requests.storage"));
        assert!(!CLAIMS.counts_as("services"));
    }

    #[test]
    fn what_a_pod_must_say_is_told_by_container() {
        let words = PODS.unsaid(&["limits.cpu", "requests.memory", "pods"], &pod("Running"));
        assert_eq!(words.as_deref(), Some("must specify limits.cpu for: b; requests.memory for: b"));
        assert_eq!(PODS.unsaid(&["pods", "cpu"], &pod("Running")), None);
    }

    #[test]
    fn scopes_choose_pods() {
        let quota = |scopes: Value| json!({"spec": {"scopes": scopes}});
        let plain = json!({"spec": {"containers": [{"name": "a"}]}});
        let cases = [
            (json!(["BestEffort"]), true),
            (json!(["NotBestEffort"]), false),
            (json!(["BestEffort", "NotTerminating"]), true),
            (json!(["PriorityClass"]), false),
            (json!([]), true),
        ];
        for (scopes, expected) in cases {
            assert_eq!(PODS.is_in_scope(&quota(scopes.clone()), &plain), expected, "{scopes}");
        }
        let selector = json!({"spec": {"scopeSelector": {"matchExpressions": [
            {"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]}}});
        let high = json!({"spec": {"priorityClassName": "high", "containers": []}});
        assert!(PODS.is_in_scope(&selector, &high));
        assert!(!PODS.is_in_scope(&selector, &plain));
        assert!(!CLAIMS.is_in_scope(&quota(json!(["BestEffort"])), &plain));
    }
}
