//! One rendered YAML document, and what of it matters before it is applied.

use std::collections::BTreeMap;

use bytestring::ByteString;

use crate::ObjectId;

/// The part of a manifest that ordering, hooks and identity need. Absent texts are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// `apiVersion`.
    pub api_version: String,
    /// `kind`.
    pub kind: String,
    /// `metadata.name`.
    pub name: String,
    /// `metadata.namespace`; empty when the document leaves it to the release.
    pub namespace: String,
    /// `metadata.annotations`.
    pub annotations: BTreeMap<String, String>,
}

impl Head {
    /// The object this head describes, in `default_namespace` if it names none.
    ///
    /// Whether a kind has a namespace at all only a cluster can tell; see [`Head::cluster_id`].
    pub fn id(&self, default_namespace: &str) -> ObjectId {
        let namespace = if self.namespace.is_empty() { default_namespace } else { &self.namespace };
        ObjectId { namespace: Some(namespace.to_owned()), ..self.cluster_id() }
    }

    /// The object this head describes, if its kind belongs to the whole cluster.
    pub fn cluster_id(&self) -> ObjectId {
        ObjectId {
            group: ObjectId::group_of(&self.api_version).to_owned(),
            kind: self.kind.clone(),
            namespace: None,
            name: self.name.clone(),
        }
    }
}

/// Where a manifest was rendered from: `shop/charts/db/templates/service.yaml`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source(String);

impl Source {
    /// From the path a rendered document is printed with.
    pub fn new(path: impl Into<String>) -> Self {
        Self(path.into())
    }

    /// The whole path.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The chart it belongs to, with its parents: `shop/charts/db`.
    pub fn chart_path(&self) -> &str {
        &self.0[..self.boundary()]
    }

    /// The file within that chart: `templates/service.yaml`.
    pub fn template_path(&self) -> &str {
        self.0[self.boundary()..].trim_start_matches('/')
    }

    /// Where the chart's path ends. Charts nest as `name/charts/name/…`; what follows is the file.
    fn boundary(&self) -> usize {
        let mut end = self.0.find('/').unwrap_or(self.0.len());
        while let Some(rest) = self.0[end..].strip_prefix("/charts/") {
            let Some(length) = rest.find('/') else { break };
            end += "/charts/".len() + length;
        }
        end
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// One rendered document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// What it says it is.
    pub head: Head,
    /// The template it came from.
    pub source: Source,
    /// The line of what the template rendered on which the document begins, from one.
    pub line: u32,
    /// The document exactly as rendered, without the separators around it; a piece of its file's text.
    pub text: ByteString,
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn source_divides_chart_and_template() {
        for (path, chart, template) in [
            ("shop/templates/a.yaml", "shop", "templates/a.yaml"),
            ("shop/charts/db/templates/sub/a.yaml", "shop/charts/db", "templates/sub/a.yaml"),
            ("a/charts/b/charts/c/crds/x.yaml", "a/charts/b/charts/c", "crds/x.yaml"),
            ("a/charts/README", "a", "charts/README"),
            ("generated-by-postrender-0.yaml", "generated-by-postrender-0.yaml", ""),
        ] {
            let source = Source::new(path);
            assert_eq!((source.chart_path(), source.template_path()), (chart, template), "{path}");
        }
    }
}
