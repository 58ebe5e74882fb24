//! Which version of a chart in a registry is meant.

use gotmpl::semver::{Constraint, Version};
use reqwest::header::{ACCEPT, LINK};
use reqwest::{Method, StatusCode};
use serde::Deserialize;

use super::manifest::ACCEPTED;
use super::transport::{Request, port};
use super::{OciError, Reference, Registry};
use crate::remote::http::Limit;
use crate::remote::url::Url;

/// Where a chart is in a registry, with its version settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// `oci://host/repository:version`, or `…@digest`.
    pub address: String,
    /// The digest of the manifest, if it was named and is the tag's.
    pub digest: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct TagPage {
    tags: Option<Vec<String>>,
}

/// The most pages of tags that are read.
const MOST_PAGES: usize = 1000;

impl Registry {
    /// The tags of a repository that are versions, newest first, with `+` where the registry has `_`.
    pub async fn tags(&self, repository: &str) -> Result<Vec<String>, OciError> {
        let reference = Reference::parse(repository)?;
        let mut versions = Vec::new();
        let mut next = Some(self.address(&reference, "tags/list"));
        for _ in 0..MOST_PAGES {
            let Some(url) = next.take() else { break };
            let request = Request::new(Method::GET, url, reference.scope("pull"));
            let response = self.send(&request).await?;
            if response.status() != StatusCode::OK {
                return Err(self.refusal(&request, response).await);
            }
            let link = response.headers().get(LINK).and_then(|link| link.to_str().ok()).map(str::to_owned);
            let body = self.body(&request, response, Limit(4 << 20)).await?;
            let page: TagPage = serde_json::from_slice(&body)
                .map_err(|error| request.fault(format!("failed to decode response: {error}")))?;
            let tags = page.tags.unwrap_or_default();
            versions.extend(tags.iter().filter_map(|tag| Version::parse_strict(&tag.replace('_', "+")).ok()));
            next = link.map(|link| next_page(&request, &link)).transpose()?;
        }
        versions.sort_by(|a, b| b.precedence(a));
        Ok(versions.iter().map(ToString::to_string).collect())
    }

    /// Settles which version of a chart is meant: an exact one as it stands, a range by the registry's tags, none
    /// by the newest stable tag.
    pub async fn locate(&self, address: &str, version: &str) -> Result<Located, OciError> {
        let url = Url::parse(address)?;
        let reference = Reference::parse(&format!("{}{}", url.host, url.path))?;
        let mut version = version;
        if version.is_empty() {
            version = &reference.tag;
        } else if !reference.tag.is_empty() && reference.tag != version {
            let reason = format!("chart reference and version mismatch: {version} is not {}", reference.tag);
            return Err(OciError::Unfit { reason });
        }
        let at = |rest: String| format!("oci://{}/{}{rest}", url.host, reference.repository);
        if !reference.digest.is_empty() {
            let address = at(format!("@{}", reference.digest));
            if version.is_empty() {
                return Ok(Located { address, digest: None });
            }
            // The chart does not have to be tagged when its digest is given.
            let Ok(tagged) = self.resolve(&reference, version).await else {
                return Ok(Located { address, digest: None });
            };
            if tagged != reference.digest {
                let reason = format!("chart reference digest mismatch: {tagged} is not {}", reference.digest);
                return Err(OciError::Unfit { reason });
            }
            return Ok(Located { address, digest: Some(tagged) });
        }
        if Version::parse(version).is_ok() {
            return Ok(Located { address: at(format!(":{version}")), digest: None });
        }
        let tags = self.tags(address).await?;
        if tags.is_empty() {
            let reason = format!("unable to locate any tags in provided repository: {address}");
            return Err(OciError::Unfit { reason });
        }
        let tag = matching_tag(&tags, version)?;
        Ok(Located { address: at(format!(":{tag}")), digest: None })
    }

    /// The digest that a tag stands for.
    async fn resolve(&self, reference: &Reference, version: &str) -> Result<String, OciError> {
        let url = self.address(reference, &format!("manifests/{}", version.replace('+', "_")));
        let request = Request::new(Method::HEAD, url, reference.scope("pull")).with_header(ACCEPT, ACCEPTED);
        let response = self.send(&request).await?;
        if response.status() != StatusCode::OK {
            return Err(self.refusal(&request, response).await);
        }
        let digest = response.headers().get("docker-content-digest").and_then(|value| value.to_str().ok());
        digest
            .map(str::to_owned)
            .ok_or_else(|| request.fault("missing required header \"Docker-Content-Digest\""))
    }
}

/// The first of the tags that is the version or lies in the range; with none given, the first stable one.
pub fn matching_tag<'a>(tags: &'a [String], version: &str) -> Result<&'a str, OciError> {
    if !version.is_empty()
        && let Some(tag) = tags.iter().find(|tag| *tag == version)
    {
        return Ok(tag);
    }
    let constraint = Constraint::parse(if version.is_empty() { "*" } else { version })?;
    let fits = |tag: &&String| Version::parse(tag).is_ok_and(|version| constraint.check(&version));
    tags.iter().find(fits).map(String::as_str).ok_or_else(|| OciError::Unfit {
        reason: format!("could not locate a version matching provided version string {version}"),
    })
}

/// The address of the page that a `Link` header names, if it is on the same server.
fn next_page(request: &Request, link: &str) -> Result<String, OciError> {
    let invalid = |reason: &str| request.fault(format!("invalid next link {link:?}: {reason}"));
    let target = link.strip_prefix('<').ok_or_else(|| invalid("missing '<'"))?;
    let (target, _) = target.split_once('>').ok_or_else(|| invalid("missing '>'"))?;
    let here = Url::parse(&request.url)?;
    let there = here.resolve(&Url::parse(target)?);
    let same = there.scheme == here.scheme
        && there.hostname().eq_ignore_ascii_case(here.hostname())
        && port(&there) == port(&here);
    if same { Ok(there.to_string()) } else { Err(invalid("not the same origin")) }
}
