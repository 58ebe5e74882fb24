//! What Helm demands of a chart's metadata, and how it tidies the texts in it.

use gotmpl::semver;
use goyaml::strconv;

use crate::decode::DecodedMetadata;
use crate::{Dependency, Metadata, path};

/// What is wrong with a chart's metadata.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("validation: {message}")]
pub struct MetadataError {
    /// Helm's words for it.
    pub message: String,
    /// The field of `Chart.yaml` to look at, in dot notation.
    pub field: String,
}

impl MetadataError {
    fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { message: message.into(), field: field.into() }
    }
}

/// Tidies the texts of freshly read metadata and checks it.
pub(crate) fn validate(decoded: DecodedMetadata) -> Result<Metadata, MetadataError> {
    let DecodedMetadata { mut metadata, null_maintainer, null_dependency } = decoded;
    let m = &mut metadata;
    for text in [
        &mut m.name,
        &mut m.description,
        &mut m.home,
        &mut m.icon,
        &mut m.condition,
        &mut m.tags,
        &mut m.app_version,
        &mut m.kube_version,
    ] {
        sanitize(text);
    }
    m.sources.iter_mut().chain(&mut m.keywords).for_each(sanitize);

    if m.api_version.is_empty() {
        return Err(MetadataError::new("apiVersion", "chart.metadata.apiVersion is required"));
    }
    let refuse_name = |verdict: &str| {
        MetadataError::new("name", format!("chart.metadata.name {} {verdict}", strconv::quote(&m.name)))
    };
    match m.name.as_str() {
        "" => return Err(MetadataError::new("name", "chart.metadata.name is required")),
        "." | ".." => return Err(refuse_name("is not allowed")),
        name if name != path::base(name) => return Err(refuse_name("is invalid")),
        _ => {}
    }
    if m.version.is_empty() {
        return Err(MetadataError::new("version", "chart.metadata.version is required"));
    }
    if semver::Version::parse(&m.version).is_err() {
        let message = format!("chart.metadata.version {} is invalid", strconv::quote(&m.version));
        return Err(MetadataError::new("version", message));
    }
    if !matches!(m.chart_type.as_str(), "" | "application" | "library") {
        return Err(MetadataError::new("type", "chart.metadata.type must be application or library"));
    }
    if null_maintainer {
        return Err(MetadataError::new("maintainers", "maintainers must not contain empty or null nodes"));
    }
    for maintainer in &mut m.maintainers {
        sanitize(&mut maintainer.name);
        sanitize(&mut maintainer.email);
        sanitize(&mut maintainer.url);
    }
    if null_dependency {
        return Err(MetadataError::new("dependencies", "dependencies must not contain empty or null nodes"));
    }
    check_dependencies(m.dependencies.as_deref_mut().unwrap_or_default())?;
    Ok(metadata)
}

fn check_dependencies(dependencies: &mut [Dependency]) -> Result<(), MetadataError> {
    let mut seen = std::collections::BTreeSet::new();
    for (index, dependency) in dependencies.iter_mut().enumerate() {
        let d = &mut *dependency;
        for text in [&mut d.name, &mut d.version, &mut d.repository, &mut d.condition] {
            sanitize(text);
        }
        d.tags.iter_mut().for_each(sanitize);
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if !d.alias.chars().all(legal) {
            return Err(MetadataError::new(
                format!("dependencies.{index}.alias"),
                format!("dependency {} has disallowed characters in the alias", strconv::quote(&d.name)),
            ));
        }
        let key = if d.alias.is_empty() { d.name.clone() } else { d.alias.clone() };
        if seen.contains(&key) {
            return Err(MetadataError::new(
                format!("dependencies.{index}"),
                format!("more than one dependency with name or alias {}", strconv::quote(&key)),
            ));
        }
        seen.insert(key);
    }
    Ok(())
}

/// White space becomes a space, what cannot be printed disappears.
fn sanitize(text: &mut String) {
    if text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
        return;
    }
    *text = text
        .chars()
        .filter_map(|c| match c {
            _ if is_space(c) => Some(' '),
            _ if is_printable(c) => Some(c),
            _ => None,
        })
        .collect();
}

/// Go's `unicode.IsSpace`.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace()
}

/// Go's `unicode.IsPrint`: what Go quotes without an escape.
fn is_printable(c: char) -> bool {
    let mut buffer = [0; 4];
    matches!(c, '"' | '\\') || strconv::quote(c.encode_utf8(&mut buffer)).len() == c.len_utf8() + 2
}
