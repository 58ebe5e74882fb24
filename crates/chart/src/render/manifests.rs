//! Reading the heads of all rendered documents, and sorting hooks from what is installed.

use bytes::Bytes;
use bytestring::ByteString;
use goyaml::Value;
use objects::{Head, KindOrder, Manifest, Source, read_in_halves};

use super::hook::{Hook, Sorted, sort as sort_by_annotations};
use super::split::{document_ranges, leading_space, yaml_text};
use super::{Files, RenderError};
use crate::load::Warnings;
use crate::path::base;

/// The annotations that may be lists.
const LISTS: &[&str] = &[
    "helm.sh/depends-on/layers",
    "helm.sh/depends-on/resource-groups",
    "slipway.dev/depends-on-layers",
    "helm.sh/readiness-success",
    "helm.sh/readiness-failure",
];

/// Below this much text a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 64 * 1024;

/// Manifests and hooks in install order; within a kind by path, then as written.
pub(super) fn sort(files: Files, warnings: &mut Warnings) -> Result<(Vec<Manifest>, Vec<Hook>), RenderError> {
    let documents = documents(&files);
    let mut manifests = Vec::new();
    let mut hooks = Vec::new();
    let heads = read_in_halves(
        &documents,
        WORTH_A_THREAD,
        |document| document.text.len(),
        |document| read(&document.text),
    );
    for (read, Document { path, line, text }) in heads.into_iter().zip(documents) {
        let (head, text) = match read {
            Ok(read) => read,
            Err(source) => {
                let (path, document) = (path.to_owned(), goyaml::text_of(&text).into_owned());
                return Err(RenderError::Yaml { path, source, document, rendered: files });
            }
        };
        let manifest = Manifest { head, source: Source::new(path), line, text };
        match sort_by_annotations(manifest) {
            Sorted::Plain(manifest) => manifests.push(manifest),
            Sorted::Hook(hook) => hooks.push(hook),
            Sorted::Unknown(events) => warnings.push(format!("skipping unknown hooks hookTypes={events}")),
        }
    }
    KindOrder::Install.sort_by_key(&mut manifests, |manifest| &manifest.head.kind);
    KindOrder::Install.sort_by_key(&mut hooks, |hook| &hook.manifest.head.kind);
    Ok((manifests, hooks))
}

/// One document of a rendered file.
struct Document<'f> {
    path: &'f str,
    line: u32,
    text: Bytes,
}

fn documents(files: &Files) -> Vec<Document<'_>> {
    let mut documents = Vec::new();
    for (path, content) in files {
        if base(path).starts_with('_') || leading_space(content) == content.len() {
            continue;
        }
        let (mut line, mut counted) = (1, 0);
        for range in document_ranges(content) {
            line += memchr::memchr_iter(b'\n', &content[counted..range.start]).count() as u32;
            counted = range.start;
            // Each manifest is a piece of its file's text.
            documents.push(Document { path, line, text: content.slice(range) });
        }
    }
    documents
}

/// The head of a document, and its text.
fn read(document: &Bytes) -> Result<(Head, ByteString), goyaml::Error> {
    let text = match ByteString::try_from(document.clone()) {
        Ok(text) => text,
        Err(_) => yaml_text(document)?.into_owned().into(),
    };
    Ok((head(&text)?, text))
}

fn head(text: &str) -> Result<Head, goyaml::Error> {
    let head = goyaml::Head::from_str(text).or_else(|error| listed(text).ok_or(error))?;
    Ok(Head {
        api_version: head.api_version,
        kind: head.kind,
        name: head.name,
        namespace: head.namespace,
        annotations: head.annotations,
    })
}

/// The head of a document that has lists where order is declared. Helm refuses those; here they are lists.
fn listed(text: &str) -> Option<goyaml::Head> {
    let mut value = goyaml::from_str(text).ok()?;
    let Value::Mapping(annotations) = value.get_mut("metadata")?.get_mut("annotations")? else { return None };
    for (key, value) in annotations.iter_mut() {
        if value.as_sequence().is_some() && LISTS.contains(&key.as_str()) {
            *value = Value::String(goyaml::json::to_string(value).ok()?);
        }
    }
    goyaml::Head::from_value(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(text: &str) -> Result<(Vec<Manifest>, Vec<Hook>), RenderError> {
        sort(Files::from([("a/templates/b.yaml".to_owned(), text.to_owned().into())]), &mut Warnings::new())
    }

    #[test]
    fn documents_know_their_line() {
        let (manifests, _) = sorted("\n# first\nkind: A\n---\n\nkind: B\n--- \nkind: C\n").unwrap();
        let lines: Vec<_> = manifests.iter().map(|found| (found.head.kind.as_str(), found.line)).collect();
        assert_eq!(lines, [("A", 2), ("B", 6), ("C", 8)]);
    }

    #[test]
    fn lists_are_accepted_where_order_is_declared_and_nowhere_else() {
        let document = |key: &str| format!("kind: A\nmetadata:\n  annotations:\n    {key}: [\"a, b\"]\n");
        for key in LISTS {
            let (manifests, _) = sorted(&document(key)).unwrap();
            assert_eq!(manifests[0].head.annotations[*key], r#"["a, b"]"#);
        }
        assert!(sorted(&document("example.com/list")).is_err());
    }
}
