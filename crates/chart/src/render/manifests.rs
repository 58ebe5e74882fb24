//! Reading the heads of all rendered documents, and sorting hooks from what is installed.

use std::collections::BTreeMap;
use std::ops::Range;

use bytes::Bytes;
use bytestring::ByteString;
use goyaml::Value;
use objects::{Head, KindOrder, Manifest, Source, read_in_halves};

use super::hook::{Hook, Sorted, sort as sort_by_annotations};
use super::second_thread::SecondThread;
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

/// Documents of rendered files, by file.
#[derive(Default)]
pub(super) struct Documents<'s> {
    files: BTreeMap<String, RenderedFile>,
    all: Vec<Document>,
    /// Who reads heads already while more documents come.
    second: Option<SecondThread<'s>>,
}

/// A file, and the numbers of its documents.
struct RenderedFile {
    text: Bytes,
    documents: Range<usize>,
}

/// One document of a file, a piece of its text.
struct Document {
    line: u32,
    text: Bytes,
}

/// What is read of a document: its head, and its text.
pub(super) type Read = Result<(Head, ByteString), goyaml::Error>;

impl<'s> Documents<'s> {
    pub(super) fn new(second: Option<SecondThread<'s>>) -> Self {
        Self { second, ..Self::default() }
    }

    /// Adds the documents of a file.
    pub(super) fn add(&mut self, path: &str, text: Bytes) {
        let first = self.all.len();
        if !base(path).starts_with('_') && leading_space(&text) < text.len() {
            let (mut line, mut counted) = (1, 0);
            for range in document_ranges(&text) {
                line += memchr::memchr_iter(b'\n', &text[counted..range.start]).count() as u32;
                counted = range.start;
                let piece = text.slice(range);
                if let Some(second) = &mut self.second {
                    second.read(self.all.len(), piece.clone());
                }
                self.all.push(Document { line, text: piece });
            }
        }
        self.files.insert(path.to_owned(), RenderedFile { text, documents: first..self.all.len() });
    }

    /// What is read of all documents, in the order in which these came.
    fn read(&mut self) -> Vec<Read> {
        let Some(second) = self.second.take() else {
            let size = |document: &Document| document.text.len();
            return read_in_halves(&self.all, WORTH_A_THREAD, size, |document| read(&document.text));
        };
        let mut all = second.finish();
        all.sort_unstable_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, read)| read).collect()
    }

    /// Manifests and hooks in install order; within a kind by path, then as written.
    pub(super) fn sort(mut self, warnings: &mut Warnings) -> Result<(Vec<Manifest>, Vec<Hook>), RenderError> {
        let read = self.read();
        let mut read: Vec<_> = read.into_iter().zip(self.all).map(Some).collect();
        let mut manifests = Vec::new();
        let mut hooks = Vec::new();
        for (path, RenderedFile { documents, .. }) in &self.files {
            for (read, Document { line, text }) in read[documents.clone()].iter_mut().filter_map(Option::take)
            {
                let (head, text) = match read {
                    Ok(read) => read,
                    Err(source) => {
                        let (path, document) = (path.clone(), goyaml::text_of(&text).into_owned());
                        let files = self.files.into_iter();
                        let rendered = files.map(|(path, file)| (path, file.text)).collect();
                        return Err(RenderError::Yaml { path, source, document, rendered });
                    }
                };
                match sort_by_annotations(Manifest { head, source: Source::new(path), line, text }) {
                    Sorted::Plain(manifest) => manifests.push(manifest),
                    Sorted::Hook(hook) => hooks.push(hook),
                    Sorted::Unknown(events) => {
                        warnings.push(format!("skipping unknown hooks hookTypes={events}"));
                    }
                }
            }
        }
        KindOrder::Install.sort_by_key(&mut manifests, |manifest| &manifest.head.kind);
        KindOrder::Install.sort_by_key(&mut hooks, |hook| &hook.manifest.head.kind);
        Ok((manifests, hooks))
    }
}

/// Manifests and hooks of files, in install order.
pub(super) fn sort(files: Files, warnings: &mut Warnings) -> Result<(Vec<Manifest>, Vec<Hook>), RenderError> {
    let mut documents = Documents::default();
    for (path, text) in files {
        documents.add(&path, text);
    }
    documents.sort(warnings)
}

/// The head of a document, and its text.
pub(super) fn read(document: &Bytes) -> Read {
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
