//! Where a DeployItem's chart, values and target cluster come from. What is in the cluster is read as its account.

use std::rc::Rc;

use api::deploy_item::{ChartSource, KeyReference, LoginSecret};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chart::remote::http::BasicAuth;
use chart::remote::locate::SourceOptions;
use chart::remote::paths::Paths;
use chart::remote::{Remote, Silent};
use chart::render::Release as RenderedFor;
use chart::{Capabilities, Chart, RenderOptions, Rendered};
use extension::ActuatorError;
use gotmpl::functions::Offline;
use goyaml::Mapping;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config, ResourceExt};

use super::{Job, invalid, passing};

impl Job {
    fn namespace(&self) -> String {
        self.item.namespace().unwrap_or_default()
    }

    /// Loads the chart.
    pub(super) async fn chart(&self) -> Result<Chart, ActuatorError> {
        let source = self.item.spec.chart.clone().unwrap_or_default();
        let loaded = match source {
            ChartSource { archive: Some(archive), config_map: None, repository: None, oci: None } => {
                let bytes = STANDARD.decode(archive.split_whitespace().collect::<String>());
                let bytes = bytes.map_err(|error| invalid(format!("spec.chart.archive: {error}")))?;
                chart::load::load_archive(&bytes)
            }
            ChartSource { archive: None, config_map: Some(map), repository: None, oci: None } => {
                let maps: Api<ConfigMap> = Api::namespaced(self.own.clone(), &self.namespace());
                let found = maps.get(&map.name).await?;
                let bytes = found.binary_data.unwrap_or_default();
                let bytes = one_of(&map, bytes.into_iter().map(|(key, value)| (key, value.0)))?;
                chart::load::load_archive(&bytes)
            }
            ChartSource { archive: None, config_map: None, repository: Some(chart), oci: None } => {
                // What is no address would be looked for among the files of the operator.
                if !["http://", "https://", "oci://"].iter().any(|scheme| chart.url.starts_with(scheme)) {
                    return Err(invalid("spec.chart.repository.url: an address begins with https://"));
                }
                let options = SourceOptions {
                    version: chart.version.unwrap_or_default(),
                    repository: chart.url,
                    auth: self.login(chart.secret_ref.as_ref()).await?,
                    ..SourceOptions::default()
                };
                chart::load(&located(&chart.name, &options).await?)
            }
            ChartSource { archive: None, config_map: None, repository: None, oci: Some(chart) } => {
                if !chart.reference.starts_with("oci://") {
                    return Err(invalid("spec.chart.oci.ref: a reference begins with oci://"));
                }
                let options = SourceOptions {
                    version: chart.version.unwrap_or_default(),
                    auth: self.login(chart.secret_ref.as_ref()).await?,
                    plain_http: chart.plain_http,
                    ..SourceOptions::default()
                };
                chart::load(&located(&chart.reference, &options).await?)
            }
            _ => {
                return Err(invalid(
                    "spec.chart: exactly one of archive, configMap, repository and oci is needed",
                ));
            }
        };
        loaded.map(|loaded| loaded.chart).map_err(|error| invalid(format!("spec.chart: {error}")))
    }

    /// Who to be where the chart comes from: nobody, if no Secret is named.
    async fn login(&self, secret: Option<&LoginSecret>) -> Result<BasicAuth, ActuatorError> {
        let Some(LoginSecret { name }) = secret else { return Ok(BasicAuth::default()) };
        let secrets: Api<Secret> = Api::namespaced(self.own.clone(), &self.namespace());
        let found = secrets.get_opt(name).await?;
        let found = found.ok_or_else(|| passing(format!("Secret {name}: it is not there")))?;
        let mut data = found.data.unwrap_or_default();
        let mut key = |key: &str| {
            let text = data.remove(key).and_then(|bytes| String::from_utf8(bytes.0).ok());
            text.ok_or_else(|| passing(format!("Secret {name}: it has no text in the key {key:?}")))
        };
        Ok(BasicAuth { username: key("username")?, password: key("password")? })
    }

    /// Merges the values.
    pub(super) async fn values(&self) -> Result<Mapping, ActuatorError> {
        let mut values = Mapping::new();
        for (number, source) in self.item.spec.values_from.iter().enumerate() {
            let text = match (&source.config_map, &source.secret) {
                (Some(map), None) => {
                    let maps: Api<ConfigMap> = Api::namespaced(self.own.clone(), &self.namespace());
                    match maps.get_opt(&map.name).await? {
                        Some(found) => {
                            let data = found.data.unwrap_or_default().into_iter();
                            Some(one_of(map, data.map(|(key, value)| (key, value.into_bytes())))?)
                        }
                        None => None,
                    }
                }
                (None, Some(secret)) => {
                    let secrets: Api<Secret> = Api::namespaced(self.own.clone(), &self.namespace());
                    match secrets.get_opt(&secret.name).await? {
                        Some(found) => {
                            let data = found.data.unwrap_or_default().into_iter();
                            Some(one_of(secret, data.map(|(key, value)| (key, value.0)))?)
                        }
                        None => None,
                    }
                }
                _ => {
                    let words =
                        format!("spec.valuesFrom[{number}]: exactly one of configMap and secret is needed");
                    return Err(invalid(words));
                }
            };
            match text {
                Some(text) => {
                    let read = chart::load::read_values(&text)
                        .map_err(|error| invalid(format!("spec.valuesFrom[{number}]: {error}")))?;
                    chart::load::merge_maps(&mut values, read);
                }
                None if source.optional => {}
                None => return Err(passing(format!("spec.valuesFrom[{number}]: it is not there"))),
            }
        }
        let own = serde_json::to_string(&self.item.spec.values).unwrap_or_default();
        let own = chart::load::read_values(own.as_bytes())
            .map_err(|error| invalid(format!("spec.values: {error}")))?;
        chart::load::merge_maps(&mut values, own);
        Ok(values)
    }

    /// Renders the chart for the target.
    pub(super) fn render(
        &self,
        chart: &Chart,
        values: &Mapping,
        release: RenderedFor,
    ) -> Result<Rendered, ActuatorError> {
        let served = self.engine.served();
        let mut capabilities = Capabilities::default();
        if let Ok(version) = served.version.parse() {
            capabilities.kube_version = version;
        }
        capabilities.api_versions.clone_from(&served.api_versions);
        capabilities.api_versions.extend(served.kinds_by_version());
        let mut options =
            RenderOptions { release, capabilities, ..RenderOptions::new(Rc::new(Offline::default())) };
        chart::render(chart, values, &mut options).map_err(|error| invalid(error.to_string()))
    }
}

async fn located(name: &str, options: &SourceOptions) -> Result<std::path::PathBuf, ActuatorError> {
    let remote = Remote::new(Paths::from_env());
    remote.locate_chart(name, options, &mut Silent).await.map_err(passing)
}

/// The value of the key, or the only one there is.
fn one_of(
    named: &KeyReference,
    data: impl Iterator<Item = (String, Vec<u8>)>,
) -> Result<Vec<u8>, ActuatorError> {
    let mut data: Vec<(String, Vec<u8>)> = data.collect();
    let found = match &named.key {
        Some(key) => data.iter().position(|(known, _)| known == key),
        None => (data.len() == 1).then_some(0),
    };
    match found {
        Some(place) => Ok(data.swap_remove(place).1),
        None => {
            Err(passing(format!("{}: it has no key {:?}", named.name, named.key.clone().unwrap_or_default())))
        }
    }
}

/// A client of the cluster whose kubeconfig a Secret holds.
pub(super) async fn client_of(
    own: &Client,
    namespace: &str,
    secret: &KeyReference,
) -> Result<Client, ActuatorError> {
    let secrets: Api<Secret> = Api::namespaced(own.clone(), namespace);
    let found = secrets.get(&secret.name).await?;
    let data = found.data.unwrap_or_default().into_iter().map(|(key, value)| (key, value.0));
    let text = one_of(secret, data)?;
    let kubeconfig: Kubeconfig = goyaml::from_slice(&text)
        .map_err(|error| error.to_string())
        .and_then(|value| goyaml::json::from_value(value).map_err(|error| error.to_string()))
        .map_err(|error| invalid(format!("Secret {}: {error}", secret.name)))?;
    // Somebody who writes a kubeconfig must not have programs run, or files read, where the operator runs.
    let reaches_out = kubeconfig.auth_infos.iter().filter_map(|user| user.auth_info.as_ref()).any(|user| {
        user.exec.is_some()
            || user.auth_provider.is_some()
            || user.token_file.is_some()
            || user.client_certificate.is_some()
            || user.client_key.is_some()
    });
    let reads_files = kubeconfig
        .clusters
        .iter()
        .filter_map(|cluster| cluster.cluster.as_ref())
        .any(|cluster| cluster.certificate_authority.is_some());
    if reaches_out || reads_files {
        let words =
            format!("Secret {}: a kubeconfig that runs programs or names files is refused", secret.name);
        return Err(invalid(words));
    }
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .map_err(|error| invalid(format!("Secret {}: {error}", secret.name)))?;
    Ok(Client::try_from(config)?)
}
