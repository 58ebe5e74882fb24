//! Pulling a chart: its manifest, its metadata, its archive, its provenance.

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Method, StatusCode};

use super::manifest::{ACCEPTED, INDEX_MEDIA_TYPE, Index, MANIFEST_MEDIA_TYPE, Manifest, digest};
use super::transport::Request;
use super::{
    CHART_MEDIA_TYPE, CONFIG_MEDIA_TYPE, Descriptor, LEGACY_CHART_MEDIA_TYPE, OciError,
    PROVENANCE_MEDIA_TYPE, Reference, Registry, UNDERSCORE_NOTE,
};
use crate::remote::http::Limit;
use crate::remote::notice::Notify;

/// Which layers are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The archive.
    Chart,
    /// The provenance file.
    Provenance,
    /// Both.
    Both,
}

/// What was pulled.
#[derive(Debug, Clone)]
pub struct Pulled {
    /// The name it was pulled by.
    pub reference: String,
    /// The manifest.
    pub manifest: Descriptor,
    /// The metadata, as JSON.
    pub config: Vec<u8>,
    /// The archive, if it was wanted.
    pub chart: Vec<u8>,
    /// The archive's descriptor.
    pub chart_descriptor: Descriptor,
    /// The provenance file, if it was wanted.
    pub provenance: Vec<u8>,
}

/// Manifests are small; so is what they name besides archives.
const MANIFEST_LIMIT: Limit = Limit(4 << 20);
/// The most manifests that an index is followed to.
const MOST_MANIFESTS: usize = 64;

impl Registry {
    /// Pulls a chart.
    pub async fn pull(
        &self,
        name: &str,
        wanted: Wanted,
        notify: &mut dyn Notify,
    ) -> Result<Pulled, OciError> {
        let reference = Reference::parse(name)?;
        let (root, body) = self
            .manifest(&reference, reference.manifest())
            .await
            .map_err(OciError::on_source("FetchReference"))?;
        let found = self.descriptors(&reference, &root, &body, wanted).await?;
        let parts = Parts::choose(found, wanted, notify)?;
        let config = self.blob(&reference, &parts.config, MANIFEST_LIMIT).await?;
        let mut pulled = Pulled {
            reference: reference.to_string(),
            manifest: root,
            config,
            chart: Vec::new(),
            chart_descriptor: parts.chart.clone().unwrap_or_default(),
            provenance: Vec::new(),
        };
        if let Some(chart) = &parts.chart {
            pulled.chart = self.blob(&reference, chart, Limit::ARCHIVE).await?;
        }
        if let Some(provenance) = &parts.provenance {
            pulled.provenance = self.blob(&reference, provenance, Limit::DOCUMENT).await?;
        }
        notify.say(&format!("Pulled: {}\nDigest: {}\n", pulled.reference, pulled.manifest.digest));
        if pulled.reference.contains('_') {
            notify.say(&format!("{} contains an underscore.\n{UNDERSCORE_NOTE}", pulled.reference));
        }
        Ok(pulled)
    }

    /// Fetches a manifest by tag or digest.
    async fn manifest(&self, reference: &Reference, by: &str) -> Result<(Descriptor, Vec<u8>), OciError> {
        let url = self.address(reference, &format!("manifests/{by}"));
        let request = Request::new(Method::GET, url, reference.scope("pull")).with_header(ACCEPT, ACCEPTED);
        let response = self.send(&request).await?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::NOT_FOUND => {
                let separator = if by.contains(':') { '@' } else { ':' };
                let what = format!("{}/{}{separator}{by}", reference.registry, reference.repository);
                return Err(OciError::NotFound { what });
            }
            _ => return Err(self.refusal(&request, response).await),
        }
        let header = |name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
        };
        let media_type = header(CONTENT_TYPE.as_str());
        let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let announced = header("docker-content-digest");
        let body = self.body(&request, response, MANIFEST_LIMIT).await?;
        let actual = digest(&body);
        let promised = [by, announced.as_str()].into_iter().find(|digest| digest.starts_with("sha256:"));
        if let Some(promised) = promised.filter(|promised| *promised != actual) {
            return Err(request.fault(format!(
                "invalid response; digest mismatch in Docker-Content-Digest: received {actual:?} when expecting {promised:?}"
            )));
        }
        Ok((Descriptor { media_type, digest: actual, size: body.len() as u64 }, body))
    }

    /// The descriptors of a manifest and of what hangs on it, as far as they are of kinds that charts have.
    async fn descriptors(
        &self,
        reference: &Reference,
        root: &Descriptor,
        body: &[u8],
        wanted: Wanted,
    ) -> Result<Vec<Descriptor>, OciError> {
        let unreadable = |error: serde_json::Error| OciError::Json(error.to_string());
        let mut found = Vec::new();
        let mut manifests: Vec<Manifest> = Vec::new();
        match root.media_type.as_str() {
            MANIFEST_MEDIA_TYPE => manifests.push(serde_json::from_slice(body).map_err(unreadable)?),
            INDEX_MEDIA_TYPE => {
                let index: Index = serde_json::from_slice(body).map_err(unreadable)?;
                let listed = index.manifests.iter().filter(|child| child.media_type == MANIFEST_MEDIA_TYPE);
                for child in listed.take(MOST_MANIFESTS) {
                    let (_, body) = self
                        .manifest(reference, &child.digest)
                        .await
                        .map_err(OciError::on_source("Fetch"))?;
                    manifests.push(serde_json::from_slice(&body).map_err(unreadable)?);
                    found.push(child.clone());
                }
            }
            _ => return Ok(found),
        }
        found.push(root.clone());
        let kinds: &[&str] = match wanted {
            Wanted::Chart => &[CONFIG_MEDIA_TYPE, CHART_MEDIA_TYPE, LEGACY_CHART_MEDIA_TYPE],
            Wanted::Provenance => &[CONFIG_MEDIA_TYPE, PROVENANCE_MEDIA_TYPE],
            Wanted::Both => {
                &[CONFIG_MEDIA_TYPE, CHART_MEDIA_TYPE, LEGACY_CHART_MEDIA_TYPE, PROVENANCE_MEDIA_TYPE]
            }
        };
        for manifest in manifests {
            let nodes = std::iter::once(manifest.config).chain(manifest.layers);
            found.extend(nodes.filter(|node| kinds.contains(&node.media_type.as_str())));
        }
        Ok(found)
    }

    async fn blob(
        &self,
        reference: &Reference,
        descriptor: &Descriptor,
        limit: Limit,
    ) -> Result<Vec<u8>, OciError> {
        self.fetch_blob(reference, descriptor, limit).await.map_err(OciError::on_source("Fetch"))
    }

    async fn fetch_blob(
        &self,
        reference: &Reference,
        descriptor: &Descriptor,
        limit: Limit,
    ) -> Result<Vec<u8>, OciError> {
        let wrong =
            |reason: &str| OciError::Content { what: descriptor.digest.clone(), reason: reason.to_owned() };
        if !descriptor.digest.starts_with("sha256:") {
            return Err(wrong("invalid digest algorithm"));
        }
        if descriptor.size > limit.0 {
            return Err(wrong(&format!("content size {} exceeds {}", descriptor.size, limit.0)));
        }
        let url = self.address(reference, &format!("blobs/{}", descriptor.digest));
        let request = Request::new(Method::GET, url, reference.scope("pull"));
        let response = self.send(&request).await?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::NOT_FOUND => return Err(OciError::NotFound { what: descriptor.digest.clone() }),
            _ => return Err(self.refusal(&request, response).await),
        }
        if response.content_length().is_some_and(|length| length != descriptor.size) {
            return Err(request.fault("mismatch Content-Length"));
        }
        let body = self.body(&request, response, Limit(descriptor.size)).await?;
        if body.len() as u64 != descriptor.size {
            return Err(wrong("unexpected EOF"));
        }
        if digest(&body) != descriptor.digest {
            return Err(wrong("mismatched digest"));
        }
        Ok(body)
    }
}

/// The parts of a chart in a manifest.
struct Parts {
    config: Descriptor,
    chart: Option<Descriptor>,
    provenance: Option<Descriptor>,
}

impl Parts {
    fn choose(found: Vec<Descriptor>, wanted: Wanted, notify: &mut dyn Notify) -> Result<Self, OciError> {
        let unfit = |reason: String| Err(OciError::Unfit { reason });
        let least = if wanted == Wanted::Both { 3 } else { 2 };
        if found.len() < least {
            return unfit(format!(
                "manifest does not contain minimum number of descriptors ({least}), descriptors found: {}",
                found.len()
            ));
        }
        let (mut config, mut chart, mut provenance) = (None, None, None);
        for descriptor in found {
            match descriptor.media_type.as_str() {
                CONFIG_MEDIA_TYPE => config = Some(descriptor),
                CHART_MEDIA_TYPE => chart = Some(descriptor),
                PROVENANCE_MEDIA_TYPE => provenance = Some(descriptor),
                LEGACY_CHART_MEDIA_TYPE => {
                    notify
                        .say(&format!("Warning: chart media type {LEGACY_CHART_MEDIA_TYPE} is deprecated\n"));
                    chart = Some(descriptor);
                }
                _ => {}
            }
        }
        let Some(config) = config else {
            return unfit(format!("could not load config with mediatype {CONFIG_MEDIA_TYPE}"));
        };
        if wanted != Wanted::Provenance && chart.is_none() {
            return unfit(format!("manifest does not contain a layer with mediatype {CHART_MEDIA_TYPE}"));
        }
        if wanted != Wanted::Chart && provenance.is_none() {
            return unfit(format!(
                "manifest does not contain a layer with mediatype {PROVENANCE_MEDIA_TYPE}"
            ));
        }
        Ok(Self { config, chart, provenance })
    }
}
