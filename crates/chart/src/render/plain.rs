//! Plain manifests: files that are no templates, as if a chart had rendered them.

use std::sync::Arc;

use bytes::Bytes;

use super::manifests::Documents;
use super::{RenderError, Rendered};
use crate::declared::ChartPart;
use crate::load::Warnings;
use crate::{Chart, File, Metadata};

/// The version of what has none.
const VERSION: &str = "0.0.0";

/// What stands for a chart where there is none: the files, under the name of their release.
pub fn chart_of(name: &str, files: &[(String, Bytes)]) -> Chart {
    let file = |(name, data): &(String, Bytes)| File::new(name.clone(), data.clone());
    Chart {
        metadata: Metadata {
            name: name.to_owned(),
            version: VERSION.to_owned(),
            api_version: "v2".to_owned(),
            description: "Plain manifests".to_owned(),
            ..Metadata::default()
        },
        files: files.iter().map(file).collect(),
        values: Some(Arc::default()),
        ..Chart::default()
    }
}

/// The documents of the files, sorted as those of a chart are.
pub fn render_plain(name: &str, files: &[(String, Bytes)]) -> Result<Rendered, RenderError> {
    let mut warnings = Warnings::new();
    let mut documents = Documents::new(None);
    for (path, text) in files {
        documents.add(&format!("{name}/{path}"), text.clone());
    }
    let (mut manifests, hooks) = documents.sort(&mut warnings)?;
    // A document of comments is no object.
    manifests.retain(|manifest| {
        !manifest.head.kind.is_empty() || goyaml::from_str(&manifest.text).is_ok_and(|value| !value.is_null())
    });
    let charts = vec![ChartPart::alone(name)];
    Ok(Rendered { manifests, hooks, charts, warnings, ..Rendered::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_sorted_and_know_their_file() -> Result<(), RenderError> {
        let file = |name: &str, text: &'static str| (name.to_owned(), Bytes::from_static(text.as_bytes()));
        let files = [
            file(
                "web.yaml",
                "kind: Service\nmetadata: {name: web}\n---\n# nothing\n---\nkind: Secret\nmetadata: {name: a}\n",
            ),
            file(
                "job.json",
                "{\"kind\": \"Job\", \"metadata\": {\"name\": \"j\", \"annotations\": {\"helm.sh/hook\": \"test\"}}}",
            ),
        ];
        let rendered = render_plain("shop", &files)?;
        let found: Vec<_> = rendered
            .manifests
            .iter()
            .map(|manifest| (manifest.head.kind.as_str(), manifest.source.as_str(), manifest.line))
            .collect();
        assert_eq!(found, [("Secret", "shop/web.yaml", 6), ("Service", "shop/web.yaml", 1)]);
        assert_eq!(rendered.hooks.len(), 1);
        assert_eq!(rendered.manifests[0].source.chart_path(), rendered.charts[0].path);
        Ok(())
    }
}
