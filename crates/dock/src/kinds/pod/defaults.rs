//! What a pod, and a template of pods, is filled up with when it comes in.

use serde_json::{Value, json};

use crate::kinds::read::{
    Read, at_mut, child_mut, fill, fill_absent, fill_zero, list_mut, set, text_of, unset,
};
use crate::kinds::resources;
use crate::kinds::storage::claim;
use crate::kinds::storage::sources::fill_source;

/// The fields of a pod spec that hold containers, in the order in which the server visits them.
pub(crate) const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// Fills up a pod.
pub(crate) fn pod(pod: &mut Value) {
    let Some(spec) = child_mut(pod, "spec") else { return };
    for field in ["containers", "initContainers"] {
        for container in list_mut(spec, field) {
            if let Some(resources) = at_mut(container, "resources") {
                resources::fill_requests(resources);
            }
        }
    }
    super::level::fill(spec);
    fill_absent(spec, "enableServiceLinks", true);
    if spec.flag("hostNetwork") {
        for field in ["containers", "initContainers"] {
            for port in list_mut(spec, field).flat_map(|container| list_mut(container, "ports")) {
                if port.int("hostPort") == 0 && port.int("containerPort") != 0 {
                    let number = port.at("containerPort").clone();
                    set(port, "hostPort", number);
                }
            }
        }
    }
    self::spec(spec);
    if let Some(status) = at_mut(pod, "status") {
        pod_ips(status);
    }
}

/// Fills up a template of pods.
pub(crate) fn template(template: &mut Value) {
    if let Some(spec) = child_mut(template, "spec") {
        self::spec(spec);
    }
}

fn spec(spec: &mut Value) {
    fill(spec, "dnsPolicy", "ClusterFirst");
    fill(spec, "restartPolicy", "Always");
    fill_absent(spec, "securityContext", json!({}));
    fill_absent(spec, "terminationGracePeriodSeconds", 30);
    fill(spec, "schedulerName", "default-scheduler");
    if spec.text("serviceAccountName").is_empty() && !spec.text("serviceAccount").is_empty() {
        let account = spec.at("serviceAccount").clone();
        set(spec, "serviceAccountName", account);
    }
    if spec.text("serviceAccountName").is_empty() {
        unset(spec, "serviceAccount");
    } else {
        let account = spec.at("serviceAccountName").clone();
        set(spec, "serviceAccount", account);
    }
    for volume in list_mut(spec, "volumes") {
        self::volume(volume);
    }
    for field in CONTAINERS {
        for container in list_mut(spec, field) {
            self::container(container);
        }
    }
    resources::round(spec, "overhead");
    if let Some(resources) = at_mut(spec, "resources") {
        resources::round(resources, "limits");
        resources::round(resources, "requests");
    }
}

fn container(container: &mut Value) {
    let policy = if is_latest(container.text("image")) { "Always" } else { "IfNotPresent" };
    fill(container, "imagePullPolicy", policy);
    fill(container, "terminationMessagePath", "/dev/termination-log");
    fill(container, "terminationMessagePolicy", "File");
    for port in list_mut(container, "ports") {
        fill(port, "protocol", "TCP");
    }
    for variable in list_mut(container, "env") {
        let Some(source) = at_mut(variable, "valueFrom") else { continue };
        if let Some(reference) = at_mut(source, "fieldRef") {
            fill(reference, "apiVersion", "v1");
        }
        if let Some(reference) = at_mut(source, "fileKeyRef") {
            fill_absent(reference, "optional", false);
        }
    }
    if let Some(resources) = at_mut(container, "resources") {
        resources::round(resources, "limits");
        resources::round(resources, "requests");
    }
    for field in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let Some(probe) = at_mut(container, field) else { continue };
        fill_zero(probe, "timeoutSeconds", 1);
        fill_zero(probe, "periodSeconds", 10);
        fill_zero(probe, "successThreshold", 1);
        fill_zero(probe, "failureThreshold", 3);
        http_get(probe);
        if let Some(grpc) = at_mut(probe, "grpc") {
            fill_absent(grpc, "service", "");
        }
    }
    if let Some(lifecycle) = at_mut(container, "lifecycle") {
        for field in ["postStart", "preStop"] {
            if let Some(handler) = at_mut(lifecycle, field) {
                http_get(handler);
            }
        }
    }
}

fn http_get(handler: &mut Value) {
    if let Some(get) = at_mut(handler, "httpGet") {
        fill(get, "path", "/");
        fill(get, "scheme", "HTTP");
    }
}

fn volume(volume: &mut Value) {
    let bare = volume.as_object().is_some_and(|fields| fields.keys().all(|key| key == "name"));
    if bare {
        set(volume, "emptyDir", json!({}));
    }
    if let Some(image) = at_mut(volume, "image") {
        let policy = if is_latest(image.text("reference")) { "Always" } else { "IfNotPresent" };
        fill(image, "pullPolicy", policy);
    }
    for field in ["secret", "configMap", "downwardAPI", "projected"] {
        if let Some(source) = at_mut(volume, field) {
            fill_absent(source, "defaultMode", 0o644);
        }
    }
    if let Some(source) = at_mut(volume, "downwardAPI") {
        downward_items(source);
    }
    if let Some(projected) = at_mut(volume, "projected") {
        for source in list_mut(projected, "sources") {
            if let Some(downward) = at_mut(source, "downwardAPI") {
                downward_items(downward);
            }
            if let Some(token) = at_mut(source, "serviceAccountToken") {
                fill_absent(token, "expirationSeconds", 3600);
            }
        }
    }
    fill_source(volume);
    if let Some(template) =
        at_mut(volume, "ephemeral").and_then(|source| at_mut(source, "volumeClaimTemplate"))
        && let Some(spec) = child_mut(template, "spec")
    {
        claim::fill_spec(spec);
    }
}

fn downward_items(source: &mut Value) {
    for item in list_mut(source, "items") {
        if let Some(reference) = at_mut(item, "fieldRef") {
            fill(reference, "apiVersion", "v1");
        }
    }
}

/// Keeps the one address and the list of addresses in step, as the conversion between versions does.
fn pod_ips(status: &mut Value) {
    let address = status.text("podIP").to_owned();
    let first = status.list("podIPs").first().map(|one| one.text("ip").to_owned());
    match first {
        Some(first) if address.is_empty() => set(status, "podIP", first),
        Some(first) if first == address => {}
        _ if address.is_empty() => {}
        _ => set(status, "podIPs", json!([{"ip": address}])),
    }
}

/// Whether an image is pulled by the tag `latest`, said or not. What is no image name is not.
fn is_latest(image: &str) -> bool {
    let (name, digest) = match image.split_once('@') {
        Some((name, digest)) => (name, Some(digest)),
        None => (image, None),
    };
    let colon = name.rfind(':').filter(|colon| !name[*colon..].contains('/'));
    let (repository, tag) = match colon {
        Some(colon) => (&name[..colon], Some(&name[colon + 1..])),
        None => (name, None),
    };
    if !is_repository(repository) || digest.is_some_and(|digest| !is_digest(digest)) {
        return false;
    }
    match tag {
        Some(tag) => tag == "latest",
        None => digest.is_none(),
    }
}

fn is_digest(digest: &str) -> bool {
    digest.split_once(':').is_some_and(|(algorithm, hex)| {
        algorithm.starts_with(|char: char| char.is_ascii_alphabetic())
            && hex.len() >= 32
            && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
            && (algorithm != "sha256" || hex.len() == 64)
    })
}

/// A repository is a path of lower-case parts, perhaps after a host.
fn is_repository(name: &str) -> bool {
    let (host, rest) = match name.split_once('/') {
        Some((first, rest))
            if first.contains(['.', ':']) || first == "localhost" || first.to_lowercase() != first =>
        {
            (first, rest)
        }
        _ => ("", name),
    };
    let is_component = |part: &str| {
        let bytes = part.as_bytes();
        let alnum = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        bytes.first().is_some_and(alnum)
            && bytes.last().is_some_and(alnum)
            && bytes.iter().all(|byte| alnum(byte) || b"._-".contains(byte))
            && !part.contains("..")
            && !part.contains("___")
            && !part.contains("._")
            && !part.contains("_.")
            && !part.contains("-.")
            && !part.contains(".-")
            && !part.contains("-_")
            && !part.contains("_-")
    };
    let is_host = |host: &str| {
        let (host, port) = host.rsplit_once(':').unwrap_or((host, "1"));
        !port.is_empty()
            && port.bytes().all(|byte| byte.is_ascii_digit())
            && !host.is_empty()
            && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-[]:".contains(&byte))
    };
    (host.is_empty() || is_host(host))
        && rest.split('/').all(is_component)
        && !(host.is_empty() && name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Takes out the fields that belong to features that are off.
pub(crate) fn drop_disabled(spec: &mut Value, old: &Value) {
    if !old.has("schedulingGroup") {
        unset(spec, "schedulingGroup");
    }
    let projects = |spec: &Value, field: &str| {
        spec.list("volumes")
            .iter()
            .flat_map(|volume| volume.at("projected").list("sources"))
            .any(|source| source.has(field))
    };
    for field in ["clusterTrustBundle", "podCertificate"] {
        if projects(old, field) {
            continue;
        }
        for source in list_mut(spec, "volumes")
            .filter_map(|volume| at_mut(volume, "projected"))
            .flat_map(|projected| list_mut(projected, "sources"))
        {
            unset(source, field);
        }
    }
    let signals = |spec: &Value| {
        CONTAINERS
            .iter()
            .flat_map(|field| spec.list(field))
            .any(|container| container.at("lifecycle").has("stopSignal"))
    };
    if !signals(old) {
        for field in CONTAINERS {
            for container in list_mut(spec, field) {
                let Some(lifecycle) = at_mut(container, "lifecycle") else { continue };
                if !lifecycle.has("stopSignal") {
                    continue;
                }
                unset(lifecycle, "stopSignal");
                if lifecycle.as_object().is_some_and(serde_json::Map::is_empty) {
                    unset(container, "lifecycle");
                }
            }
        }
    }
}

/// Removes annotations that older servers kept init containers in.
pub(crate) fn drop_init_annotations(meta: &mut Value) {
    let Some(annotations) = meta.get_mut("annotations").and_then(Value::as_object_mut) else { return };
    for key in [
        "pod.beta.kubernetes.io/init-containers",
        "pod.alpha.kubernetes.io/init-containers",
        "pod.beta.kubernetes.io/init-container-statuses",
        "pod.alpha.kubernetes.io/init-container-statuses",
    ] {
        annotations.remove(key);
    }
    if annotations.is_empty() {
        unset(meta, "annotations");
    }
}

/// Names of the claims of resources that a pod has.
pub(crate) fn claim_names(spec: &Value) -> Vec<&str> {
    spec.list("resourceClaims")
        .iter()
        .map(|claim| text_of(claim.at("name")))
        .filter(|name| !name.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_without_a_tag_are_the_latest() {
        for (image, latest) in [
            ("nginx", true),
            ("nginx:latest", true),
            ("nginx:1.27", false),
            ("registry:5000/nginx", true),
            ("registry:5000/nginx:1", false),
            ("registry.example.com/a/b_c", true),
            ("nginx@sha256:0000000000000000000000000000000000000000000000000000000000000000", false),
            ("nginx:latest@sha256:0000000000000000000000000000000000000000000000000000000000000000", true),
            ("", false),
            ("NGINX", false),
            ("a b", false),
        ] {
            assert_eq!(is_latest(image), latest, "{image}");
        }
    }
}
