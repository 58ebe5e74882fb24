//! Pushing a chart: its blobs first, then the manifest that names them.

use reqwest::header::LOCATION;
use reqwest::{Method, StatusCode};

use super::annotations::annotations;
use super::manifest::{MANIFEST_MEDIA_TYPE, Manifest};
use super::transport::{Request, port, with_query};
use super::{
    CHART_MEDIA_TYPE, CONFIG_MEDIA_TYPE, Descriptor, OciError, PROVENANCE_MEDIA_TYPE, Reference, Registry,
    UNDERSCORE_NOTE,
};
use crate::remote::notice::Notify;
use crate::remote::url::Url;

/// What was pushed.
#[derive(Debug, Clone)]
pub struct Pushed {
    /// The name it was pushed under.
    pub reference: String,
    /// Its manifest.
    pub manifest: Descriptor,
    /// The archive.
    pub chart: Descriptor,
    /// The provenance file, if there was one.
    pub provenance: Option<Descriptor>,
}

impl Registry {
    /// Pushes a chart's archive, and its provenance file if it has one, under a name that ends in the chart's own
    /// name and version. `created` goes into the annotations.
    pub async fn push(
        &self,
        archive: Vec<u8>,
        provenance: Option<Vec<u8>>,
        name: &str,
        created: &str,
        notify: &mut dyn Notify,
    ) -> Result<Pushed, OciError> {
        let reference = Reference::parse(name)?;
        let metadata = crate::load::load_archive(&archive)?.chart.metadata;
        if !name.ends_with(&format!("/{}:{}", metadata.name, metadata.version)) {
            let reason = "strict mode enabled, ref basename and tag must match the chart name and version";
            return Err(OciError::Unfit { reason: reason.to_owned() });
        }
        let json = |error: goyaml::json::Error| OciError::Json(error.to_string());
        let config = goyaml::json::to_string(&metadata).map_err(json)?.into_bytes();
        let config_descriptor = Descriptor::of(CONFIG_MEDIA_TYPE, &config);
        let chart = Descriptor::of(CHART_MEDIA_TYPE, &archive);
        let mut blobs = vec![(chart.clone(), archive)];
        let mut provenance_descriptor = None;
        if let Some(provenance) = provenance {
            let descriptor = Descriptor::of(PROVENANCE_MEDIA_TYPE, &provenance);
            provenance_descriptor = Some(descriptor.clone());
            blobs.push((descriptor, provenance));
        }
        blobs.sort_by(|(a, _), (b, _)| a.digest.cmp(&b.digest));
        let manifest = Manifest {
            schema_version: 2,
            config: config_descriptor.clone(),
            layers: blobs.iter().map(|(descriptor, _)| descriptor.clone()).collect(),
            annotations: annotations(&metadata, created),
        };
        let manifest = goyaml::json::to_string(&manifest).map_err(json)?.into_bytes();
        blobs.push((config_descriptor, config));
        for (descriptor, bytes) in blobs {
            self.push_blob(&reference, &descriptor, bytes).await?;
        }
        let descriptor = Descriptor::of(MANIFEST_MEDIA_TYPE, &manifest);
        self.push_manifest(&reference, manifest).await.map_err(OciError::on_destination("PushReference"))?;
        notify.say(&format!("Pushed: {reference}\nDigest: {}\n", descriptor.digest));
        if reference.tag.contains('_') {
            notify.say(&format!("{reference} contains an underscore.\n{UNDERSCORE_NOTE}"));
        }
        Ok(Pushed {
            reference: reference.to_string(),
            manifest: descriptor,
            chart,
            provenance: provenance_descriptor,
        })
    }

    async fn push_blob(
        &self,
        reference: &Reference,
        descriptor: &Descriptor,
        bytes: Vec<u8>,
    ) -> Result<(), OciError> {
        let there = self.has_blob(reference, descriptor).await.map_err(OciError::on_destination("Exists"))?;
        if there {
            return Ok(());
        }
        self.upload(reference, descriptor, bytes).await.map_err(OciError::on_destination("Push"))
    }

    async fn has_blob(&self, reference: &Reference, descriptor: &Descriptor) -> Result<bool, OciError> {
        let url = self.address(reference, &format!("blobs/{}", descriptor.digest));
        let request = Request::new(Method::HEAD, url, reference.scope("pull,push"));
        let response = self.send(&request).await?;
        match response.status() {
            StatusCode::OK => Ok(true),
            StatusCode::NOT_FOUND => Ok(false),
            _ => Err(self.refusal(&request, response).await),
        }
    }

    /// Begins an upload and sends the whole blob to where the registry says.
    async fn upload(
        &self,
        reference: &Reference,
        descriptor: &Descriptor,
        bytes: Vec<u8>,
    ) -> Result<(), OciError> {
        let scope = reference.scope("pull,push");
        let url = self.address(reference, "blobs/uploads/");
        let begin =
            Request::new(Method::POST, url, scope.clone()).with_body(Vec::new(), "application/octet-stream");
        let response = self.send(&begin).await?;
        if response.status() != StatusCode::ACCEPTED {
            return Err(self.refusal(&begin, response).await);
        }
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let location = location.ok_or_else(|| begin.fault("http: no Location header in response"))?;
        let place = upload_place(&begin, location)?;
        let url = with_query(&place, [("digest", descriptor.digest.as_str())]);
        let request = Request::new(Method::PUT, url, scope).with_body(bytes, "application/octet-stream");
        let response = self.send(&request).await?;
        if response.status() == StatusCode::CREATED {
            return Ok(());
        }
        Err(self.refusal(&request, response).await)
    }

    async fn push_manifest(&self, reference: &Reference, manifest: Vec<u8>) -> Result<(), OciError> {
        let expected = super::manifest::digest(&manifest);
        let url = self.address(reference, &format!("manifests/{}", reference.tag));
        let request = Request::new(Method::PUT, url, reference.scope("pull,push"))
            .with_body(manifest, MANIFEST_MEDIA_TYPE);
        let response = self.send(&request).await?;
        if response.status() != StatusCode::CREATED {
            return Err(self.refusal(&request, response).await);
        }
        let header = response.headers().get("docker-content-digest").and_then(|value| value.to_str().ok());
        match header {
            Some(received) if received != expected => Err(request.fault(format!(
                "invalid response; digest mismatch in Docker-Content-Digest: received {received:?} when expecting {expected:?}"
            ))),
            _ => Ok(()),
        }
    }
}

/// Where to send a blob: on the same host as the registry, whose credentials go with it.
fn upload_place(begin: &Request, location: &str) -> Result<String, OciError> {
    let registry = Url::parse(&begin.url)?;
    let mut place = registry.resolve(&Url::parse(location)?);
    if registry.port() == "443" && place.hostname() == registry.hostname() && place.port().is_empty() {
        place.host.push_str(":443");
    }
    if place.hostname() != registry.hostname() || port(&place) != port(&registry) {
        return Err(OciError::Unfit {
            reason: format!(
                "blob upload Location {:?} is on a different host than the registry {:?}",
                place.host, registry.host
            ),
        });
    }
    if registry.scheme == "https" && place.scheme != "https" {
        let reason = format!("blob upload Location {:?} downgrades scheme from https", place.host);
        return Err(OciError::Unfit { reason });
    }
    Ok(place.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blobs_go_to_the_registry_only() {
        let place = |registry: &str, location: &str| {
            let begin = Request::new(Method::POST, registry.to_owned(), String::new());
            upload_place(&begin, location).map_err(|error| error.to_string())
        };
        assert_eq!(place("http://h:1/v2/a/blobs/uploads/", "/v2/up?x=1"), Ok("http://h:1/v2/up?x=1".into()));
        assert_eq!(place("https://h:443/v2/", "https://h/up"), Ok("https://h:443/up".into()));
        assert_eq!(
            place("http://h:1/v2/", "http://evil:1/up"),
            Err("blob upload Location \"evil:1\" is on a different host than the registry \"h:1\"".into())
        );
        assert_eq!(
            place("https://h:80/v2/", "http://h:80/up"),
            Err("blob upload Location \"h:80\" downgrades scheme from https".into())
        );
    }
}
