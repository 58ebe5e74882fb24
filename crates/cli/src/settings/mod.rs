//! The settings of a run: the global flags, then the environment, then defaults.

pub(crate) mod data;
mod kubeconfig;

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use chart::remote::paths::Paths;

use crate::cluster::{Choice, Connection};
use crate::flags::GlobalFlags;
use crate::go_flags::boolean;
use crate::report::Failure;

/// The kubeconfig files that no flag names.
pub(crate) fn kubeconfig_files() -> Vec<PathBuf> {
    kubeconfig::files(None)
}

/// Everything that is settled before a command starts.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) debug: bool,
    pub(crate) paths: Paths,
    flags: GlobalFlags,
}

impl Settings {
    /// Reads the environment for what the flags leave open, and decides about colours.
    pub(crate) fn new(flags: GlobalFlags) -> Result<Self, Failure> {
        choose_colors(flags.color.as_deref())?;
        refuse_two_clusters(&flags)?;
        let mut paths = Paths::from_env();
        let replace = |path: &mut PathBuf, flag: &Option<String>| {
            if let Some(flag) = flag {
                *path = PathBuf::from(flag);
            }
        };
        replace(&mut paths.registry_config, &flags.registry_config);
        replace(&mut paths.repository_config, &flags.repository_config);
        replace(&mut paths.repository_cache, &flags.repository_cache);
        replace(&mut paths.content_cache, &flags.content_cache);
        let debug = flags.debug || is_true("HELM_DEBUG");
        Ok(Self { debug, paths, flags })
    }

    /// The namespace to work in: the flag, `HELM_NAMESPACE`, the kubeconfig's context, the pod
    /// this runs in, `default`.
    pub(crate) fn namespace(&self) -> String {
        let wanted = or_variable(self.flags.namespace.as_ref(), "HELM_NAMESPACE");
        if !wanted.is_empty() {
            return wanted;
        }
        if self.is_embedded() {
            return "default".to_owned();
        }
        let context = or_variable(self.flags.kube_context.as_ref(), "HELM_KUBECONTEXT");
        kubeconfig::namespace(self.flags.kubeconfig.as_deref(), &context)
            .unwrap_or_else(|| "default".to_owned())
    }

    /// The cluster to work on.
    pub(crate) fn cluster(&self) -> Choice {
        if self.is_embedded() {
            return Choice::Embedded(data::directory());
        }
        let flags = &self.flags;
        Choice::Kubeconfig(Box::new(Connection {
            kubeconfig: flags.kubeconfig.clone(),
            context: or_variable(flags.kube_context.as_ref(), "HELM_KUBECONTEXT"),
            server: or_variable(flags.kube_apiserver.as_ref(), "HELM_KUBEAPISERVER"),
            token: or_variable(flags.kube_token.as_ref(), "HELM_KUBETOKEN"),
            as_user: or_variable(flags.kube_as_user.as_ref(), "HELM_KUBEASUSER"),
            as_groups: self.groups(),
            authority_file: or_variable(flags.kube_ca_file.as_ref(), "HELM_KUBECAFILE"),
            skip_tls_verify: self.skips_tls_verify(),
            tls_server_name: or_variable(flags.kube_tls_server_name.as_ref(), "HELM_KUBETLS_SERVER_NAME"),
        }))
    }

    /// The flag decides; the variable does where no other cluster is named.
    fn is_embedded(&self) -> bool {
        let named = self.flags.kubeconfig.is_some() || self.flags.kube_context.is_some();
        self.flags.embedded || !named && is_true("SLIPWAY_EMBEDDED")
    }

    fn skips_tls_verify(&self) -> bool {
        self.flags.kube_insecure_skip_tls_verify || is_true("HELM_KUBEINSECURE_SKIP_TLS_VERIFY")
    }

    /// The groups to act as.
    fn groups(&self) -> Vec<String> {
        if !self.flags.kube_as_groups.is_empty() {
            return self.flags.kube_as_groups.clone();
        }
        let text = variable("HELM_KUBEASGROUPS").unwrap_or_default();
        text.trim_matches([',', ' '])
            .split(',')
            .filter(|group| !group.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// The keyring that a flag names, else the user's.
    pub(crate) fn keyring(&self, flag: Option<&str>) -> PathBuf {
        flag.map_or_else(|| self.paths.keyring.clone(), PathBuf::from)
    }

    /// Every variable that this run obeys, with its value, in order of their names.
    pub(crate) fn variables(&self) -> Vec<(&'static str, String)> {
        let flags = &self.flags;
        let path = |path: &PathBuf| path.display().to_string();
        let insecure = self.skips_tls_verify();
        let groups = self.groups().join(",");
        let mut variables = vec![
            ("HELM_BIN", std::env::args().next().unwrap_or_default()),
            ("HELM_BURST_LIMIT", number(flags.burst_limit, "HELM_BURST_LIMIT", 100).to_string()),
            ("HELM_CACHE_HOME", path(&self.paths.cache_home)),
            ("HELM_CONFIG_HOME", path(&self.paths.config_home)),
            ("HELM_CONTENT_CACHE", path(&self.paths.content_cache)),
            ("HELM_DATA_HOME", path(&self.paths.data_home)),
            ("HELM_DEBUG", self.debug.to_string()),
            ("HELM_KUBEAPISERVER", or_variable(flags.kube_apiserver.as_ref(), "HELM_KUBEAPISERVER")),
            ("HELM_KUBEASGROUPS", groups),
            ("HELM_KUBEASUSER", or_variable(flags.kube_as_user.as_ref(), "HELM_KUBEASUSER")),
            ("HELM_KUBECAFILE", or_variable(flags.kube_ca_file.as_ref(), "HELM_KUBECAFILE")),
            ("HELM_KUBECONTEXT", or_variable(flags.kube_context.as_ref(), "HELM_KUBECONTEXT")),
            ("HELM_KUBEINSECURE_SKIP_TLS_VERIFY", insecure.to_string()),
            (
                "HELM_KUBETLS_SERVER_NAME",
                or_variable(flags.kube_tls_server_name.as_ref(), "HELM_KUBETLS_SERVER_NAME"),
            ),
            ("HELM_KUBETOKEN", or_variable(flags.kube_token.as_ref(), "HELM_KUBETOKEN")),
            ("HELM_MAX_HISTORY", number(None, "HELM_MAX_HISTORY", 10).to_string()),
            ("HELM_NAMESPACE", self.namespace()),
            ("HELM_PLUGINS", path(&self.paths.plugins)),
            ("HELM_QPS", format!("{:.2}", number(flags.qps, "HELM_QPS", 0.0_f32))),
            ("HELM_REGISTRY_CONFIG", path(&self.paths.registry_config)),
            ("HELM_REPOSITORY_CACHE", path(&self.paths.repository_cache)),
            ("HELM_REPOSITORY_CONFIG", path(&self.paths.repository_config)),
        ];
        if let Some(kubeconfig) = flags.kubeconfig.clone().filter(|path| !path.is_empty()) {
            variables.push(("KUBECONFIG", kubeconfig));
        }
        variables.push(("SLIPWAY_DATA", path(&data::directory())));
        variables
    }
}

/// Refuses to look for releases where they are not: they are kept in Secrets, as Helm does unless it is told not to.
pub(crate) fn check_driver() -> Result<(), Failure> {
    match variable("HELM_DRIVER").unwrap_or_default().as_str() {
        "" | "secret" | "secrets" => Ok(()),
        other => {
            Err(Failure::usage(format!("HELM_DRIVER={other} is not offered: releases are kept in Secrets"))
                .hint("unset HELM_DRIVER; what another driver has stored is not seen here"))
        }
    }
}

/// How many revisions are kept: the flag, `HELM_MAX_HISTORY`, ten.
pub(crate) fn history_max(flag: Option<usize>) -> usize {
    number(flag, "HELM_MAX_HISTORY", 10)
}

/// `--embedded` and a flag that names another cluster contradict each other.
fn refuse_two_clusters(flags: &GlobalFlags) -> Result<(), Failure> {
    let others = [
        ("--kubeconfig", flags.kubeconfig.is_some()),
        ("--kube-context", flags.kube_context.is_some()),
        ("--kube-apiserver", flags.kube_apiserver.is_some()),
    ];
    match others.into_iter().find(|(_, given)| flags.embedded && *given) {
        Some((other, _)) => {
            Err(Failure::usage(format!("--embedded and {other} name two clusters"))
                .hint("leave one of them out"))
        }
        None => Ok(()),
    }
}

fn is_true(name: &str) -> bool {
    variable(name).is_some_and(|text| boolean(&text) == Ok(true))
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn or_variable(flag: Option<&String>, name: &str) -> String {
    flag.cloned().or_else(|| variable(name)).unwrap_or_default()
}

fn number<N: std::str::FromStr>(flag: Option<N>, name: &str, default: N) -> N {
    flag.or_else(|| variable(name)?.parse().ok()).unwrap_or(default)
}

/// The time that `SOURCE_DATE_EPOCH` asks to give to packaged files.
pub(crate) fn source_date() -> Result<Option<SystemTime>, Failure> {
    let Some(text) = variable("SOURCE_DATE_EPOCH").filter(|text| !text.is_empty()) else { return Ok(None) };
    let seconds: i64 = goyaml::strconv::parse_int(&text, 10, 64)
        .map_err(|error| Failure::new(format!("invalid SOURCE_DATE_EPOCH: {error}")))?;
    let seconds = u64::try_from(seconds)
        .map_err(|_| Failure::new("invalid SOURCE_DATE_EPOCH: must not be negative"))?;
    Ok(Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)))
}

/// `--color` beats `NO_COLOR`, which beats `HELM_COLOR`.
fn choose_colors(flag: Option<&str>) -> Result<(), Failure> {
    let from_environment = || match variable("NO_COLOR") {
        Some(text) if !text.is_empty() => Some("never".to_owned()),
        _ => variable("HELM_COLOR").map(|text| text.to_lowercase()),
    };
    let choice = match flag {
        Some("never") => anstream::ColorChoice::Never,
        Some("always") => anstream::ColorChoice::Always,
        Some("auto") => anstream::ColorChoice::Auto,
        Some(other) => {
            return Err(Failure::usage(format!(
                "invalid color mode {other:?}: must be one of: never, auto, always"
            )));
        }
        None => match from_environment().as_deref() {
            Some("never") => anstream::ColorChoice::Never,
            Some("always") => anstream::ColorChoice::Always,
            _ => anstream::ColorChoice::Auto,
        },
    };
    choice.write_global();
    Ok(())
}
