//! Names of things in registries: `host/repository:tag` or `host/repository@digest`.

use std::fmt;

use super::OciError;
use crate::remote::url::{Url, quote};

/// Whether an address is one of a registry.
pub fn is_oci(address: &str) -> bool {
    address.starts_with("oci://")
}

/// A name, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The registry: host, perhaps with a port.
    pub registry: String,
    /// The repository in it.
    pub repository: String,
    /// The tag, with `_` where a version has `+`; empty for none.
    pub tag: String,
    /// The digest; empty for none.
    pub digest: String,
}

impl Reference {
    /// Reads a name, with or without `oci://` before it.
    pub fn parse(text: &str) -> Result<Self, OciError> {
        let text = text.strip_prefix("oci://").unwrap_or(text);
        let (text, digest) = text.rsplit_once('@').unwrap_or((text, ""));
        let text = match text.rsplit_once(':') {
            Some((before, tag)) if !tag.contains('/') => format!("{before}:{}", tag.replace('+', "_")),
            _ => text.to_owned(),
        };
        let mut reference = Self::parse_tagged(&text)?;
        digest.clone_into(&mut reference.digest);
        Ok(reference)
    }

    /// Reads a name without a digest, leaving the tag as it is.
    pub(super) fn parse_tagged(text: &str) -> Result<Self, OciError> {
        let fail = |reason: String| Err(OciError::Reference { reason });
        let Some((registry, path)) = text.split_once('/') else {
            return fail("missing registry or repository".to_owned());
        };
        let (repository, tag) = path.split_once(':').unwrap_or((path, ""));
        if !is_registry(registry) {
            return fail(format!("invalid registry {}", quote(registry)));
        }
        if !is_repository(repository) {
            return fail(format!("invalid repository {}", quote(repository)));
        }
        if !tag.is_empty() && !is_tag(tag) {
            return fail(format!("invalid tag {}", quote(tag)));
        }
        Ok(Self {
            registry: registry.to_owned(),
            repository: repository.to_owned(),
            tag: tag.to_owned(),
            digest: String::new(),
        })
    }

    /// The host to speak to; Docker's registry answers under another name.
    pub fn host(&self) -> &str {
        host(&self.registry)
    }

    /// The tag if there is one, else the digest: what a manifest is asked for by.
    pub fn manifest(&self) -> &str {
        if self.tag.is_empty() { &self.digest } else { &self.tag }
    }

    /// The scope of a token that permits these actions on the repository.
    pub(super) fn scope(&self, actions: &str) -> String {
        format!("repository:{}:{actions}", self.repository)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.registry, self.repository)?;
        if self.tag.is_empty() { write!(f, "@{}", self.digest) } else { write!(f, ":{}", self.tag) }
    }
}

pub(super) fn host(registry: &str) -> &str {
    if registry == "docker.io" { "registry-1.docker.io" } else { registry }
}

pub(super) fn is_registry(text: &str) -> bool {
    !text.is_empty() && Url::parse_request_uri(&format!("dummy://{text}")).is_ok_and(|url| url.host == text)
}

fn is_tag(text: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.len() <= 128
        && text.bytes().next().is_some_and(word)
        && text.bytes().all(|byte| word(byte) || byte == b'.' || byte == b'-')
}

/// Path components of lowercase letters and digits with `.`, `_`, `__` or any number of `-` between them.
fn is_repository(text: &str) -> bool {
    let alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let separator = |gap: &str| matches!(gap, "" | "." | "_" | "__") || gap.bytes().all(|byte| byte == b'-');
    text.split('/').all(|component| {
        component.starts_with(alphanumeric)
            && component.ends_with(alphanumeric)
            && component.split(alphanumeric).all(separator)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_apart() {
        let parse = |text: &str| {
            Reference::parse(text)
                .map(|name| (name.to_string(), name.manifest().to_owned()))
                .map_err(|error| error.to_string())
        };
        let ok = |text: &str, manifest: &str| Ok((text.to_owned(), manifest.to_owned()));
        assert_eq!(parse("oci://h:5000/a/b:1.0.0+x.1"), ok("h:5000/a/b:1.0.0_x.1", "1.0.0_x.1"));
        assert_eq!(parse("h/a@sha256:ab"), ok("h/a@sha256:ab", "sha256:ab"));
        assert_eq!(parse("h/a:1@sha256:ab"), ok("h/a:1", "1"));
        assert_eq!(parse("localhost/a__b/c---d"), ok("localhost/a__b/c---d@", ""));
        let fail = |reason: &str| Err(format!("invalid reference: {reason}"));
        assert_eq!(parse("h"), fail("missing registry or repository"));
        assert_eq!(parse("h/A"), fail("invalid repository \"A\""));
        assert_eq!(parse("h/a..b"), fail("invalid repository \"a..b\""));
        assert_eq!(parse("h/a_-b"), fail("invalid repository \"a_-b\""));
        assert_eq!(parse("h/a/"), fail("invalid repository \"a/\""));
        assert_eq!(parse("h/a:-x"), fail("invalid tag \"-x\""));
        assert_eq!(parse("h h/a"), fail("invalid registry \"h h\""));
    }

    #[test]
    fn docker_answers_elsewhere() {
        assert_eq!(Reference::parse("docker.io/library/a").unwrap().host(), "registry-1.docker.io");
    }
}
