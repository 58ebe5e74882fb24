//! The authority that the webhook's certificates come from, kept in a Secret that all processes share.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{Timestamp, ToSpan as _};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use super::{WebhookError, WebhookOptions};

/// How many years the authority lasts. The certificates of processes end with it.
const YEARS: i64 = 10;

/// An authority, as it is kept.
pub(super) struct Authority {
    /// Its certificate in PEM.
    pub(super) certificate: String,
    key: String,
}

/// Reads the authority, or makes it. Of several processes that make one at once, the first to write it counts.
pub(super) async fn of(
    client: &Client,
    options: &WebhookOptions,
    now: Timestamp,
) -> Result<Authority, WebhookError> {
    let secrets = Api::<Secret>::namespaced(client.clone(), &options.namespace);
    loop {
        if let Some(secret) = secrets.get_opt(&options.secret).await? {
            return read(&secret);
        }
        let made = Authority::make(now)?;
        match secrets.create(&PostParams::default(), &made.secret(&options.secret)).await {
            Ok(_) => return Ok(made),
            Err(kube::Error::Api(refusal)) if refusal.code == 409 => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn read(secret: &Secret) -> Result<Authority, WebhookError> {
    let field = |name: &str| {
        let data = secret.data.as_ref().and_then(|data| data.get(name));
        let text = data.and_then(|bytes| String::from_utf8(bytes.0.clone()).ok());
        text.ok_or_else(|| {
            WebhookError::Certificate(format!(
                "the Secret of the webhook has no {name}; delete it to have it made anew"
            ))
        })
    };
    Ok(Authority { certificate: field("tls.crt")?, key: field("tls.key")? })
}

impl Authority {
    fn make(now: Timestamp) -> Result<Self, WebhookError> {
        let key = KeyPair::generate().map_err(wrong)?;
        let mut params = subject();
        limit(&mut params, now);
        let certificate = params.self_signed(&key).map_err(wrong)?;
        Ok(Self { certificate: certificate.pem(), key: key.serialize_pem() })
    }

    fn secret(&self, name: &str) -> Secret {
        let data = [("tls.crt", &self.certificate), ("tls.key", &self.key)];
        let data = data.map(|(field, text)| (field.to_owned(), ByteString(text.clone().into_bytes())));
        Secret {
            metadata: ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() },
            type_: Some("kubernetes.io/tls".to_owned()),
            data: Some(BTreeMap::from(data)),
            ..Secret::default()
        }
    }

    /// How a process serves, with a certificate of its own for these names.
    pub(super) fn server_config(
        &self,
        names: &[String],
        now: Timestamp,
    ) -> Result<rustls::ServerConfig, WebhookError> {
        let issuer = Issuer::new(subject(), KeyPair::from_pem(&self.key).map_err(wrong)?);
        let key = KeyPair::generate().map_err(wrong)?;
        let mut params = CertificateParams::new(names).map_err(wrong)?;
        params.distinguished_name.push(DnType::CommonName, "slipway webhook");
        limit(&mut params, now);
        let certificate = params.signed_by(&key, &issuer).map_err(wrong)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(wrong)?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .map_err(wrong)
    }
}

/// The authority as its certificates name it: the same each time, so that it can be made of its key again.
fn subject() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "slipway webhook authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    params
}

/// From yesterday, as clocks differ, for [`YEARS`].
fn limit(params: &mut CertificateParams, now: Timestamp) {
    let today = now.to_zoned(jiff::tz::TimeZone::UTC).date();
    let first = today.checked_sub(1.day()).unwrap_or(today);
    let last = first.checked_add(YEARS.years()).unwrap_or(today);
    let [first, last] = [first, last].map(|day| {
        rcgen::date_time_ymd(day.year().into(), day.month().unsigned_abs(), day.day().unsigned_abs())
    });
    (params.not_before, params.not_after) = (first, last);
}

fn wrong(error: impl std::fmt::Display) -> WebhookError {
    WebhookError::Certificate(error.to_string())
}
