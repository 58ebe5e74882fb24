//! What the server's own plugins change in, or refuse of, objects that come in.
//!
//! They run in the order in which the server has them: `LimitRanger`, `TaintNodesByCondition`, `Priority`,
//! `DefaultTolerationSeconds`, `StorageObjectInUseProtection`, `RuntimeClass`, `DefaultIngressClass`,
//! `DefaultStorageClass`, `PersistentVolumeClaimResize`.

use serde_json::{Map, Value, json};

use super::limits;
use super::quantity::Quantity;
use super::read::{Read, at_mut, child_mut, fill_absent, list_mut, same, set};

/// What plugins may look up.
pub trait World {
    /// An object by its name; the namespace is empty for kinds of the whole cluster.
    fn get(&self, group: &str, kind: &str, namespace: &str, name: &str) -> Option<Value>;

    /// All objects of a kind in a namespace, or in the cluster.
    fn list(&self, group: &str, kind: &str, namespace: &str) -> Vec<Value>;
}

/// Why a plugin refuses an object: the words of a 403.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

/// Lets the plugins change an object. `old` is what it replaces, nothing if it is new.
///
/// # Errors
/// What a plugin refuses.
pub fn admit(
    group: &str,
    kind: &str,
    object: &mut Value,
    old: Option<&Value>,
    world: &dyn World,
) -> Result<(), Refusal> {
    match (group, kind) {
        ("", "Pod") => pod(object, old, world),
        ("", "Node") if old.is_none() => {
            node(object);
            Ok(())
        }
        ("", "PersistentVolume") if old.is_none() => {
            protect(object, "kubernetes.io/pv-protection");
            Ok(())
        }
        ("", "PersistentVolumeClaim") if old.is_none() => {
            protect(object, "kubernetes.io/pvc-protection");
            claim(object, world);
            Ok(())
        }
        ("storage.k8s.io", "VolumeAttributesClass") if old.is_none() => {
            protect(object, "kubernetes.io/vac-protection");
            Ok(())
        }
        ("networking.k8s.io", "Ingress") if old.is_none() => {
            ingress(object, world);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Asks the plugins that refuse without changing anything.
///
/// # Errors
/// What a plugin refuses.
pub fn validate(
    group: &str,
    kind: &str,
    object: &Value,
    old: Option<&Value>,
    world: &dyn World,
) -> Result<(), Refusal> {
    let namespace = object.at("metadata").text("namespace");
    match (group, kind) {
        ("", "Pod") if old.is_none() => {
            limits::check_pod(object, &world.list("", "LimitRange", namespace)).map_err(Refusal)?;
            overhead(object, world)
        }
        ("", "PersistentVolumeClaim") => {
            limits::check_claim(object, &world.list("", "LimitRange", namespace)).map_err(Refusal)?;
            old.map_or(Ok(()), |old| growth(object, old, world))
        }
        ("scheduling.k8s.io", "PriorityClass") if object.flag("globalDefault") => {
            let name = object.at("metadata").text("name");
            match default_priority(world) {
                Some(class) if old.is_none() || class.at("metadata").text("name") != name => {
                    Err(Refusal(format!(
                        "PriorityClass {} is already marked as default. Only one default can exist",
                        class.at("metadata").text("name")
                    )))
                }
                _ => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// Claims grow only once they are bound, and where their class lets them.
fn growth(object: &Value, old: &Value, world: &dyn World) -> Result<(), Refusal> {
    let size = |claim: &Value| {
        let size = claim.at("spec").at("resources").at("requests").text("storage");
        Quantity::parse(size)
    };
    if size(object) <= size(old) {
        return Ok(());
    }
    if old.at("status").text("phase") != "Bound" {
        return Err(Refusal("Only bound persistent volume claims can be expanded".into()));
    }
    let class = |claim: &Value| -> String {
        let annotated =
            claim.at("metadata").at("annotations").text("volume.beta.kubernetes.io/storage-class");
        let named = claim.at("spec").text("storageClassName");
        if annotated.is_empty() { named.to_owned() } else { annotated.to_owned() }
    };
    let (now, before) = (class(object), class(old));
    let grows = !now.is_empty()
        && now == before
        && world
            .get("storage.k8s.io", "StorageClass", "", &now)
            .is_some_and(|class| class.flag("allowVolumeExpansion"));
    if grows {
        return Ok(());
    }
    Err(Refusal(
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support \
         resize"
            .into(),
    ))
}

fn pod(object: &mut Value, old: Option<&Value>, world: &dyn World) -> Result<(), Refusal> {
    if let Some(old) = old {
        let before = old.at("spec");
        if let Some(spec) = at_mut(object, "spec") {
            for field in ["priority", "preemptionPolicy"] {
                if before.has(field) {
                    fill_absent(spec, field, before.at(field).clone());
                }
            }
        }
        tolerate(object);
        return Ok(());
    }
    let namespace = object.at("metadata").text("namespace").to_owned();
    for range in world.list("", "LimitRange", &namespace) {
        limits::fill_pod(object, &range);
    }
    priority(object, world)?;
    tolerate(object);
    runtime_class(object, world)
}

fn default_priority(world: &dyn World) -> Option<Value> {
    world
        .list("scheduling.k8s.io", "PriorityClass", "")
        .into_iter()
        .filter(|class| class.flag("globalDefault"))
        .min_by_key(|class| class.int("value"))
}

fn priority(object: &mut Value, world: &dyn World) -> Result<(), Refusal> {
    let name = object.at("spec").text("priorityClassName").to_owned();
    let class = if name.is_empty() {
        default_priority(world)
    } else {
        let class = world.get("scheduling.k8s.io", "PriorityClass", "", &name);
        Some(class.ok_or_else(|| Refusal(format!("no PriorityClass with name {name} was found")))?)
    };
    let value = class.as_ref().map(|class| class.int("value")).unwrap_or_default();
    let policy = match &class {
        Some(class) => class.at("preemptionPolicy").as_str().map(str::to_owned),
        None => Some("PreemptLowerPriority".into()),
    };
    let Some(spec) = child_mut(object, "spec") else { return Ok(()) };
    if let Some(class) = &class {
        set(spec, "priorityClassName", class.at("metadata").text("name"));
    }
    if let Some(told) = spec.number("priority").filter(|told| *told != value) {
        return Err(Refusal(format!(
            "the integer value of priority ({told}) must not be provided in pod spec; priority admission controller \
             computed {value} from the given PriorityClass name"
        )));
    }
    set(spec, "priority", value);
    if let Some(policy) = policy {
        if let Some(told) = spec.at("preemptionPolicy").as_str().filter(|told| *told != policy) {
            return Err(Refusal(format!(
                "the string value of PreemptionPolicy ({told}) must not be provided in pod spec; priority admission \
                 controller computed {policy} from the given PriorityClass name"
            )));
        }
        set(spec, "preemptionPolicy", policy);
    }
    Ok(())
}

/// A pod stays for five minutes on a node that is not ready, unless it says otherwise.
fn tolerate(object: &mut Value) {
    let Some(spec) = child_mut(object, "spec") else { return };
    let mut all = spec.list("tolerations").to_vec();
    let before = all.len();
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let told = spec.list("tolerations").iter().any(|one| {
            [key, ""].contains(&one.text("key")) && ["NoExecute", ""].contains(&one.text("effect"))
        });
        if !told {
            all.push(json!({
                "key": key,
                "operator": "Exists",
                "effect": "NoExecute",
                "tolerationSeconds": 300,
            }));
        }
    }
    if all.len() > before {
        set(spec, "tolerations", all);
    }
}

fn class_of(object: &Value, world: &dyn World) -> Result<Option<Value>, Refusal> {
    let Some(name) = object.at("spec").at("runtimeClassName").as_str().filter(|name| !name.is_empty()) else {
        return Ok(None);
    };
    let class = world.get("node.k8s.io", "RuntimeClass", "", name);
    class.map(Some).ok_or_else(|| Refusal(format!("pod rejected: RuntimeClass \"{name}\" not found")))
}

fn runtime_class(object: &mut Value, world: &dyn World) -> Result<(), Refusal> {
    let Some(class) = class_of(object, world)? else { return Ok(()) };
    let Some(spec) = child_mut(object, "spec") else { return Ok(()) };
    let fixed = class.at("overhead").at("podFixed");
    if class.has("overhead") {
        if spec.has("overhead") && !same(spec.at("overhead"), fixed) {
            return Err(Refusal(MISMATCH.into()));
        }
        set(spec, "overhead", fixed.clone());
    }
    let scheduling = class.at("scheduling");
    if scheduling.is_null() {
        return Ok(());
    }
    let mut selector = spec.at("nodeSelector").as_object().cloned().unwrap_or_default();
    for (key, value) in scheduling.entries("nodeSelector") {
        let value_text = value.as_str().unwrap_or_default();
        if let Some(own) = selector.get(key).and_then(Value::as_str).filter(|own| *own != value_text) {
            return Err(Refusal(format!(
                "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value_text}; pod.spec.nodeSelector[{key}] = \
                 {own}"
            )));
        }
        selector.insert(key.clone(), value.clone());
    }
    if !selector.is_empty() {
        set(spec, "nodeSelector", Value::Object(selector));
    }
    let mut tolerations = spec.list("tolerations").to_vec();
    for toleration in scheduling.list("tolerations") {
        if !tolerations.iter().any(|own| same(own, toleration)) {
            tolerations.push(toleration.clone());
        }
    }
    if !tolerations.is_empty() {
        set(spec, "tolerations", tolerations);
    }
    Ok(())
}

const MISMATCH: &str = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

fn overhead(object: &Value, world: &dyn World) -> Result<(), Refusal> {
    let own = object.at("spec").at("overhead");
    let fixed = class_of(object, world)?.filter(|class| class.has("overhead"));
    match fixed {
        Some(class) if !same(class.at("overhead").at("podFixed"), own) => Err(Refusal(MISMATCH.into())),
        None if !own.is_null() => Err(Refusal(
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead".into(),
        )),
        _ => Ok(()),
    }
}

/// A new node is not ready.
fn node(object: &mut Value) {
    let Some(spec) = child_mut(object, "spec") else { return };
    let key = "node.kubernetes.io/not-ready";
    let mut taints = spec.list("taints").to_vec();
    if !taints.iter().any(|taint| taint.text("key") == key && taint.text("effect") == "NoSchedule") {
        taints.push(json!({"key": key, "effect": "NoSchedule"}));
        set(spec, "taints", taints);
    }
}

/// What is in use goes only when it no longer is.
fn protect(object: &mut Value, finalizer: &str) {
    let Some(meta) = child_mut(object, "metadata") else { return };
    let mut all = meta.list("finalizers").to_vec();
    if !all.iter().any(|one| one == finalizer) {
        all.push(json!(finalizer));
        set(meta, "finalizers", all);
    }
}

/// The newest of the classes that are marked as the default.
fn default_class(classes: Vec<Value>, marks: &[&str]) -> Option<String> {
    let name = |class: &Value| class.at("metadata").text("name").to_owned();
    let time = |class: &Value| class.at("metadata").text("creationTimestamp").to_owned();
    let mut marked: Vec<Value> = classes
        .into_iter()
        .filter(|class| {
            let annotations = class.at("metadata").at("annotations");
            marks.iter().any(|mark| annotations.text(mark) == "true")
        })
        .collect();
    marked.sort_by(|one, other| time(other).cmp(&time(one)).then(name(one).cmp(&name(other))));
    marked.first().map(name)
}

fn claim(object: &mut Value, world: &dyn World) {
    let told = object.at("metadata").at("annotations").has("volume.beta.kubernetes.io/storage-class");
    if told || object.at("spec").has("storageClassName") {
        return;
    }
    let marks =
        ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];
    if let Some(name) = default_class(world.list("storage.k8s.io", "StorageClass", ""), &marks)
        && let Some(spec) = child_mut(object, "spec")
    {
        set(spec, "storageClassName", name);
    }
}

fn ingress(object: &mut Value, world: &dyn World) {
    let told = object.at("metadata").at("annotations").has("kubernetes.io/ingress.class");
    if told || object.at("spec").has("ingressClassName") {
        return;
    }
    let marks = ["ingressclass.kubernetes.io/is-default-class"];
    if let Some(name) = default_class(world.list("networking.k8s.io", "IngressClass", ""), &marks)
        && let Some(spec) = child_mut(object, "spec")
    {
        set(spec, "ingressClassName", name);
    }
}

/// The containers of a pod that limits apply to, with the words for each sort.
pub(super) fn each_container(pod: &mut Value, mut change: impl FnMut(&mut Value, &str)) {
    let Some(spec) = at_mut(pod, "spec") else { return };
    for (field, words) in [("containers", "container"), ("initContainers", "init container")] {
        for container in list_mut(spec, field) {
            fill_absent(container, "resources", Value::Object(Map::new()));
            change(container, words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(Vec<(&'static str, Value)>);

    impl World for Fixed {
        fn get(&self, _group: &str, kind: &str, _namespace: &str, name: &str) -> Option<Value> {
            self.list("", kind, "").into_iter().find(|object| object.at("metadata").text("name") == name)
        }

        fn list(&self, _group: &str, kind: &str, _namespace: &str) -> Vec<Value> {
            self.0.iter().filter(|(own, _)| *own == kind).map(|(_, object)| object.clone()).collect()
        }
    }

    #[test]
    fn pods_get_a_priority_and_tolerations() {
        let mut pod = json!({"spec": {"containers": []}});
        admit("", "Pod", &mut pod, None, &Fixed(Vec::new())).unwrap();
        assert_eq!(pod["spec"]["priority"], 0);
        assert_eq!(pod["spec"]["preemptionPolicy"], "PreemptLowerPriority");
        assert_eq!(pod["spec"]["tolerations"][0]["tolerationSeconds"], 300);
        assert_eq!(pod["spec"]["tolerations"][1]["key"], "node.kubernetes.io/unreachable");
    }

    #[test]
    fn a_class_gives_pods_its_priority() {
        let class = json!({"metadata": {"name": "high"}, "value": 7, "preemptionPolicy": "Never"});
        let world = Fixed(vec![("PriorityClass", class)]);
        let mut pod = json!({"spec": {"priorityClassName": "high"}});
        admit("", "Pod", &mut pod, None, &world).unwrap();
        assert_eq!(pod["spec"]["priority"], 7);
        let mut pod = json!({"spec": {"priorityClassName": "low"}});
        let refusal = admit("", "Pod", &mut pod, None, &world).unwrap_err();
        assert_eq!(refusal.to_string(), "no PriorityClass with name low was found");
    }

    #[test]
    fn claims_are_protected_and_get_the_newest_default_class() {
        let class = |name: &str, time: &str| {
            let mark = "storageclass.kubernetes.io/is-default-class";
            json!({"metadata": {"name": name, "creationTimestamp": time, "annotations": {mark: "true"}}})
        };
        let world = Fixed(vec![
            ("StorageClass", class("old", "2020-01-01T00:00:00Z")),
            ("StorageClass", class("new", "2021-01-01T00:00:00Z")),
        ]);
        let mut claim = json!({"metadata": {}, "spec": {}});
        admit("", "PersistentVolumeClaim", &mut claim, None, &world).unwrap();
        assert_eq!(claim["spec"]["storageClassName"], "new");
        assert_eq!(claim["metadata"]["finalizers"], json!(["kubernetes.io/pvc-protection"]));
        let mut claim = json!({"metadata": {}, "spec": {"storageClassName": ""}});
        admit("", "PersistentVolumeClaim", &mut claim, None, &world).unwrap();
        assert_eq!(claim["spec"]["storageClassName"], "");
    }

    #[test]
    fn limits_fill_and_bound_pods() {
        let range = json!({"spec": {"limits": [{
            "type": "Container",
            "default": {"cpu": "1"},
            "defaultRequest": {"cpu": "500m"},
            "max": {"cpu": "2"},
        }]}});
        let world = Fixed(vec![("LimitRange", range)]);
        let mut pod = json!({"metadata": {}, "spec": {"containers": [{"name": "c", "resources": {}}]}});
        admit("", "Pod", &mut pod, None, &world).unwrap();
        assert_eq!(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"], "500m");
        assert_eq!(
            pod["metadata"]["annotations"]["kubernetes.io/limit-ranger"],
            "LimitRanger plugin set: cpu request for container c; cpu limit for container c"
        );
        pod["spec"]["containers"][0]["resources"]["limits"]["cpu"] = json!("3");
        let refusal = validate("", "Pod", &pod, None, &world).unwrap_err();
        assert_eq!(refusal.to_string(), "maximum cpu usage per Container is 2, but limit is 3");
    }
}
