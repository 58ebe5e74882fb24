//! Sending everything that was rendered through another program before it is sorted.
//!
//! The program sees one stream of documents. So that the files can be told apart afterwards, each document carries
//! its path in an annotation on the way, which is taken off again on the way back.

mod annotate;
mod command;

use std::collections::BTreeMap;

pub use command::CommandPostRender;

use super::hook::Hook;
use super::split::{document_ranges, leading_space, yaml_text};
use super::{Files, RenderError, manifests, split_documents};
use crate::load::Warnings;
use crate::path::base;
use annotate::{FILENAME, annotate, deannotate};

/// Something that rewrites manifests.
pub trait PostRender {
    /// Takes a stream of documents and gives one back, or says why not.
    fn run(&mut self, manifests: &str) -> Result<String, String>;
}

/// How hooks take part in post-rendering.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PostRenderStrategy {
    /// Hooks and manifests in one stream.
    #[default]
    Combined,
    /// First the hooks, then the manifests, each in a stream of its own.
    Separate,
    /// Only the manifests.
    NoHooks,
}

impl std::str::FromStr for PostRenderStrategy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "" | "combined" => Ok(Self::Combined),
            "separate" => Ok(Self::Separate),
            "nohooks" => Ok(Self::NoHooks),
            other => Err(format!("unknown post-render strategy: '{other}'")),
        }
    }
}

/// Runs the post-renderer over the files and gives back what came of them.
pub(super) fn run(
    files: Files,
    post_render: &mut dyn PostRender,
    strategy: PostRenderStrategy,
) -> Result<Files, RenderError> {
    if strategy == PostRenderStrategy::Combined {
        return run_group(&files, post_render, None);
    }
    let (manifests, hooks) = manifests::sort(files, &mut Warnings::new())?;
    let mut result = Files::new();
    let hooks = grouped(hooks.iter().map(|Hook { manifest, .. }| manifest));
    let manifests = grouped(manifests.iter());
    if strategy == PostRenderStrategy::Separate && !hooks.is_empty() {
        append(&mut result, run_group(&hooks, post_render, Some("hooks"))?);
    } else {
        append(&mut result, hooks);
    }
    if !manifests.is_empty() {
        append(&mut result, run_group(&manifests, post_render, Some("manifests"))?);
    }
    Ok(result)
}

fn grouped<'m>(manifests: impl Iterator<Item = &'m objects::Manifest>) -> Files {
    let mut files = Files::new();
    for manifest in manifests {
        append(&mut files, Files::from([(manifest.source.to_string(), manifest.text.as_bytes().clone())]));
    }
    files
}

fn append(files: &mut Files, more: Files) {
    for (path, text) in more {
        files
            .entry(path)
            .and_modify(|existing| *existing = [existing, &b"\n---\n"[..], &text].concat().into())
            .or_insert(text);
    }
}

fn run_group(
    files: &Files,
    post_render: &mut dyn PostRender,
    group: Option<&str>,
) -> Result<Files, RenderError> {
    let refused = |message: String| RenderError::PostRender { message };
    let merged = merge(files)
        .map_err(|error| refused(format!("error merging {}: {error}", group.unwrap_or("manifests"))))?;
    let output = post_render.run(&merged).map_err(|error| {
        refused(format!("error while running post render on {}: {error}", group.unwrap_or("files")))
    })?;
    split(&output, group).map_err(|error| {
        let of = group.map(|group| format!(" for {group}")).unwrap_or_default();
        refused(format!("error while parsing post rendered output{of}: {error}"))
    })
}

/// One stream of all documents, each with its path.
fn merge(files: &Files) -> Result<String, String> {
    let mut documents = Vec::new();
    for (path, text) in files {
        if base(path).starts_with('_') || leading_space(text) == text.len() {
            continue;
        }
        for range in document_ranges(text) {
            let annotated = yaml_text(&text[range]).and_then(|document| annotate(&document, path));
            documents.extend(annotated.map_err(|error| format!("parsing {path}: {error}"))?);
        }
    }
    Ok(joined(&documents))
}

/// The files of a stream; documents without a path get a name of their own.
fn split(stream: &str, group: Option<&str>) -> Result<Files, String> {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut index = 0;
    for document in split_documents(stream) {
        let parsed =
            goyaml::Head::from_str(document).map_err(|error| format!("error parsing YAML: {error}"))?;
        let Some(clean) = deannotate(document)? else { continue };
        let path = match parsed.annotations.get(FILENAME).filter(|path| !path.is_empty()) {
            Some(path) => path.clone(),
            None => match group {
                Some(group) => format!("generated-by-postrender-{group}-{index}.yaml"),
                None => format!("generated-by-postrender-{index}.yaml"),
            },
        };
        files.entry(path).or_default().push(clean);
        index += 1;
    }
    Ok(files.into_iter().map(|(path, documents)| (path, joined(&documents).into())).collect())
}

/// Documents with separators between them; the last one ends without a line break, as Helm's writer leaves it.
fn joined(documents: &[String]) -> String {
    let trimmed: Vec<&str> = documents.iter().map(|document| document.trim_end()).collect();
    trimmed.join("\n---\n")
}
