//! The one thing that working without a cluster needs from a kubeconfig: its namespace.

use std::path::{Path, PathBuf};

use goyaml::Value;

/// Where Kubernetes puts the identity of the pod a program runs in.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// The namespace of the chosen context, else that of the pod this runs in.
///
/// `explicit` is the file named by a flag; otherwise the files of `KUBECONFIG` are merged,
/// otherwise `~/.kube/config` is read. A file that is missing or unreadable says nothing.
pub(super) fn namespace(explicit: Option<&str>, context: &str) -> Option<String> {
    let configs: Vec<Value> = files(explicit).iter().filter_map(|file| read(file)).collect();
    let from_context = context_namespace(&configs, context);
    from_context.or_else(pod_namespace)
}

pub(super) fn files(explicit: Option<&str>) -> Vec<PathBuf> {
    if let Some(file) = explicit.filter(|file| !file.is_empty()) {
        return vec![PathBuf::from(file)];
    }
    if let Some(list) = std::env::var_os("KUBECONFIG").filter(|list| !list.is_empty()) {
        return std::env::split_paths(&list).filter(|file| !file.as_os_str().is_empty()).collect();
    }
    std::env::var_os("HOME").map(|home| Path::new(&home).join(".kube/config")).into_iter().collect()
}

fn read(file: &Path) -> Option<Value> {
    let text = std::fs::read_to_string(file).ok()?;
    goyaml::from_str(&text).ok()
}

/// Of several files the first one that names a current context, or that has the context, counts.
fn context_namespace(configs: &[Value], context: &str) -> Option<String> {
    let text = |value: &Value, key: &str| match value {
        Value::Mapping(mapping) => match mapping.get(key) {
            Some(Value::String(text)) if !text.is_empty() => Some(text.clone()),
            _ => None,
        },
        _ => None,
    };
    let wanted = if context.is_empty() {
        configs.iter().find_map(|config| text(config, "current-context"))?
    } else {
        context.to_owned()
    };
    let contexts = configs.iter().filter_map(|config| match config {
        Value::Mapping(mapping) => match mapping.get("contexts") {
            Some(Value::Sequence(contexts)) => Some(contexts),
            _ => None,
        },
        _ => None,
    });
    let found = contexts.flatten().find(|context| text(context, "name").as_ref() == Some(&wanted))?;
    match found {
        Value::Mapping(mapping) => text(mapping.get("context")?, "namespace"),
        _ => None,
    }
}

fn pod_namespace() -> Option<String> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let directory = Path::new(SERVICE_ACCOUNT);
    let in_pod = is_set("KUBERNETES_SERVICE_HOST")
        && is_set("KUBERNETES_SERVICE_PORT")
        && directory.join("token").is_file();
    if !in_pod {
        return None;
    }
    let own = std::env::var("POD_NAMESPACE").ok().filter(|name| !name.is_empty());
    own.or_else(|| {
        let text = std::fs::read_to_string(directory.join("namespace")).ok()?;
        Some(text.trim().to_owned()).filter(|name| !name.is_empty())
    })
}
