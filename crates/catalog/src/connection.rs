//! A client of a broker, from the object that says where it is.

use crate::kinds::{
    AuthInfo, ClusterServiceBroker, ClusterServiceBrokerSpec, SecretSource, ServiceBroker, ServiceBrokerSpec,
};
use base64::Engine as _;
use extension::{ActuatorError, ErrorCode};
use k8s_openapi::api::core::v1::Secret as KubeSecret;
use kube::{Api, Client};
use osb::{Auth, Broker, Secret, Trust};

use crate::Settings;
use crate::resolve::BrokerName;

/// Where a broker is, whatever its scope.
pub(crate) struct Address<'a> {
    url: &'a str,
    skip_verify: bool,
    ca_bundle: Option<&'a str>,
    auth: Option<&'a AuthInfo>,
    /// The namespace of its Secrets, if it is not for it to say.
    namespace: Option<&'a str>,
}

impl<'a> Address<'a> {
    pub(crate) fn of_cluster(spec: &'a ClusterServiceBrokerSpec) -> Self {
        Self {
            url: &spec.url,
            skip_verify: spec.insecure_skip_tls_verify,
            ca_bundle: spec.ca_bundle.as_deref(),
            auth: spec.auth_info.as_ref(),
            namespace: None,
        }
    }

    pub(crate) fn of_namespace(spec: &'a ServiceBrokerSpec, namespace: &'a str) -> Self {
        Self {
            url: &spec.url,
            skip_verify: spec.insecure_skip_tls_verify,
            ca_bundle: spec.ca_bundle.as_deref(),
            auth: spec.auth_info.as_ref(),
            namespace: Some(namespace),
        }
    }

    /// A client of it.
    pub(crate) async fn connect(
        &self,
        client: &Client,
        settings: &Settings,
    ) -> Result<osb::Client, ActuatorError> {
        let auth = self.auth(client).await?;
        let trust = match (self.skip_verify, self.ca_bundle) {
            (true, _) => Trust::Anybody,
            (false, None) => Trust::System,
            (false, Some(bundle)) => {
                let pem = base64::engine::general_purpose::STANDARD.decode(bundle.trim());
                Trust::Authorities(pem.map_err(|_| wrong("caBundle is not base64"))?)
            }
        };
        let broker = Broker { url: self.url.to_owned(), auth, trust, timeout: settings.request_timeout };
        osb::Client::new(&broker).map_err(|error| wrong(error.to_string()))
    }

    async fn auth(&self, client: &Client) -> Result<Auth, ActuatorError> {
        let (source, is_basic) = match self.auth {
            None | Some(AuthInfo { basic: None, bearer: None }) => return Ok(Auth::None),
            Some(AuthInfo { basic: Some(source), bearer: None }) => (source, true),
            Some(AuthInfo { basic: None, bearer: Some(source) }) => (source, false),
            Some(_) => return Err(wrong("authInfo has both basic and bearer")),
        };
        let secret = self.secret(client, source).await?;
        let key = |name: &str| {
            let bytes = secret.data.as_ref().and_then(|data| data.get(name));
            let text = bytes.and_then(|bytes| String::from_utf8(bytes.0.clone()).ok());
            text.ok_or_else(|| {
                wrong(format!("the Secret {:?} has no text in the key {name:?}", source.secret_ref.name))
            })
        };
        if is_basic {
            Ok(Auth::Basic { username: key("username")?, password: Secret(key("password")?) })
        } else {
            Ok(Auth::Bearer(Secret(key("token")?)))
        }
    }

    async fn secret(&self, client: &Client, source: &SecretSource) -> Result<KubeSecret, ActuatorError> {
        let reference = &source.secret_ref;
        let namespace = self.namespace.unwrap_or(&reference.namespace);
        if namespace.is_empty() {
            return Err(wrong("authInfo names a Secret without a namespace"));
        }
        let secrets = Api::<KubeSecret>::namespaced(client.clone(), namespace);
        let found = secrets.get_opt(&reference.name).await?;
        found.ok_or_else(|| {
            wrong(format!("the Secret {namespace}/{} of authInfo is not there", reference.name))
        })
    }
}

/// A client of a broker by its name; none if it is not there.
pub(crate) async fn connect(
    client: &Client,
    namespace: &str,
    broker: &BrokerName,
    settings: &Settings,
) -> Result<Option<osb::Client>, ActuatorError> {
    let connected = if broker.cluster {
        let brokers = Api::<ClusterServiceBroker>::all(client.clone());
        let Some(found) = brokers.get_opt(&broker.name).await? else { return Ok(None) };
        Address::of_cluster(&found.spec).connect(client, settings).await
    } else {
        let brokers = Api::<ServiceBroker>::namespaced(client.clone(), namespace);
        let Some(found) = brokers.get_opt(&broker.name).await? else { return Ok(None) };
        Address::of_namespace(&found.spec, namespace).connect(client, settings).await
    };
    connected.map(Some)
}

/// Something that somebody has to put right.
pub(crate) fn wrong(description: impl Into<String>) -> ActuatorError {
    ActuatorError::new(description).code(ErrorCode::ConfigurationProblem)
}
