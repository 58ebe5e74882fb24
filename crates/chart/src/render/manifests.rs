//! Reading the heads of all rendered documents, and sorting hooks from what is installed.

use objects::{Head, KindOrder, Manifest, Source};

use super::hook::{Hook, Sorted, sort as sort_by_annotations};
use super::{Files, RenderError, split_documents};
use crate::load::Warnings;
use crate::path::base;

/// Below this much text a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 64 * 1024;

/// Manifests and hooks in install order; within a kind by path, then as written.
pub(super) fn sort(files: Files, warnings: &mut Warnings) -> Result<(Vec<Manifest>, Vec<Hook>), RenderError> {
    let documents: Vec<(&str, &str)> = files
        .iter()
        .filter(|(path, text)| !base(path).starts_with('_') && !text.trim().is_empty())
        .flat_map(|(path, text)| split_documents(text).into_iter().map(|document| (path.as_str(), document)))
        .collect();
    let mut manifests = Vec::new();
    let mut hooks = Vec::new();
    for (head, (path, text)) in heads(&documents).into_iter().zip(&documents) {
        let head = match head {
            Ok(head) => head,
            Err(source) => {
                let (path, document) = ((*path).to_owned(), (*text).to_owned());
                return Err(RenderError::Yaml { path, source, document, rendered: files });
            }
        };
        let manifest = Manifest { head, source: Source::new(*path), text: (*text).to_owned() };
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

/// The head of each document, in order. Large charts are read by two threads.
fn heads(documents: &[(&str, &str)]) -> Vec<Result<Head, goyaml::Error>> {
    let total: usize = documents.iter().map(|(_, text)| text.len()).sum();
    let several = std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1);
    if total < WORTH_A_THREAD || documents.len() < 2 || !several {
        return documents.iter().map(|(_, text)| head(text)).collect();
    }
    let mut middle = 0;
    let mut sum = 0;
    while middle < documents.len() && sum < total / 2 {
        sum += documents[middle].1.len();
        middle += 1;
    }
    let (first, second) = documents.split_at(middle);
    std::thread::scope(|scope| {
        let second = scope.spawn(|| second.iter().map(|(_, text)| head(text)).collect::<Vec<_>>());
        let mut heads: Vec<_> = first.iter().map(|(_, text)| head(text)).collect();
        match second.join() {
            Ok(rest) => heads.extend(rest),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        heads
    })
}

fn head(text: &str) -> Result<Head, goyaml::Error> {
    let head = goyaml::Head::from_str(text)?;
    Ok(Head {
        api_version: head.api_version,
        kind: head.kind,
        name: head.name,
        namespace: head.namespace,
        annotations: head.annotations,
    })
}
