//! The cluster that this runs in, as Kubernetes tells the containers of a pod.

use std::path::{Path, PathBuf};

use kube::Config;
use kube::config::AuthInfo;

/// Where Kubernetes puts the identity of a pod.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// How a pod reaches its cluster; nothing if this is none.
pub(super) fn surroundings(variable: impl Fn(&str) -> Option<String>) -> Option<Config> {
    read(Path::new(SERVICE_ACCOUNT), variable)
}

fn read(account: &Path, variable: impl Fn(&str) -> Option<String>) -> Option<Config> {
    let set = |name: &str| variable(name).filter(|text| !text.is_empty());
    let (host, port) = (set("KUBERNETES_SERVICE_HOST")?, set("KUBERNETES_SERVICE_PORT")?);
    let token: PathBuf = account.join("token");
    if !token.is_file() {
        return None;
    }
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    let mut config = Config::new(format!("https://{host}:{port}").parse().ok()?);
    // It is read again and again: Kubernetes writes a new one before the old one is over.
    config.auth_info =
        AuthInfo { token_file: Some(token.to_string_lossy().into_owned()), ..AuthInfo::default() };
    let authority = account.join("ca.crt");
    if authority.is_file() {
        config.root_cert_file = Some(authority);
    }
    if let Ok(namespace) = std::fs::read_to_string(account.join("namespace")) {
        namespace.trim().clone_into(&mut config.default_namespace);
    }
    Some(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_is_told_by_variables_and_files() {
        let account = tempfile::tempdir().unwrap();
        let in_pod = |name: &str| match name {
            "KUBERNETES_SERVICE_HOST" => Some("fd00::1".to_owned()),
            "KUBERNETES_SERVICE_PORT" => Some("443".to_owned()),
            _ => None,
        };
        assert!(read(account.path(), in_pod).is_none(), "there is no token");
        std::fs::write(account.path().join("token"), "secret").unwrap();
        std::fs::write(account.path().join("namespace"), "shop\n").unwrap();
        assert!(read(account.path(), |_| None).is_none(), "there are no variables");
        let config = read(account.path(), in_pod).unwrap();
        assert_eq!(config.cluster_url.to_string(), "https://[fd00::1]:443/");
        assert_eq!(config.default_namespace, "shop");
        let token = account.path().join("token").to_string_lossy().into_owned();
        assert_eq!(config.auth_info.token_file, Some(token));
        assert_eq!(config.root_cert_file, None);
    }
}
