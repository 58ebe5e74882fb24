//! What `template` prints and writes, to the byte.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use goyaml::text_of;
use objects::Source;

use super::{Rendered, split_documents};
use crate::path::Pattern;

/// Which parts of a rendered chart are wanted.
#[expect(clippy::struct_excessive_bools, reason = "one flag of the command each")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parts {
    /// The files of `crds/`.
    pub crds: bool,
    /// No hooks at all.
    pub no_hooks: bool,
    /// No hooks that are tests.
    pub skip_tests: bool,
    /// Secrets are named but not shown.
    pub hide_secrets: bool,
}

const HIDDEN: &str = "# HIDDEN: The Secret output has been suppressed";

/// What comes before the hooks: definitions first if wanted, then the manifests in order.
fn documents(rendered: &Rendered, parts: Parts) -> impl Iterator<Item = (&Source, Cow<'_, str>)> {
    let crds = rendered.crds.iter().filter(move |_| parts.crds);
    let crds = crds.map(|crd| (&crd.source, text_of(&crd.data)));
    let manifests = rendered.manifests.iter().map(move |manifest| {
        let head = &manifest.head;
        let is_hidden = parts.hide_secrets && head.kind == "Secret" && head.api_version == "v1";
        (&manifest.source, Cow::Borrowed(if is_hidden { HIDDEN } else { &*manifest.text }))
    });
    crds.chain(manifests)
}

/// Manifests in order, as a release stores them: definitions first if wanted, no hooks.
pub fn manifest(rendered: &Rendered, parts: Parts) -> String {
    let mut text = String::new();
    for (source, body) in documents(rendered, parts) {
        document(&mut text, source.as_str(), &body);
    }
    text
}

/// All that `template` prints: the manifests, then the hooks.
pub fn template(rendered: &Rendered, parts: Parts) -> String {
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = write_template(rendered, parts, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// Writes all that `template` prints, piece by piece: charts can be large, and nobody needs the whole.
pub fn write_template(rendered: &Rendered, parts: Parts, out: &mut impl Write) -> io::Result<()> {
    let mut documents = documents(rendered, parts).peekable();
    if documents.peek().is_none() {
        out.write_all(b"\n")?;
    }
    while let Some((source, body)) = documents.next() {
        let is_last = documents.peek().is_none();
        // What is empty at the end of the last one goes, with the line it would stand on.
        let body = if is_last { body.trim_end() } else { &body };
        for piece in [
            "---\n# Source: ",
            source.as_str(),
            if is_last && body.is_empty() { "" } else { "\n" },
            body,
            "\n",
        ] {
            out.write_all(piece.as_bytes())?;
        }
    }
    for manifest in hooks(rendered, parts) {
        for piece in ["---\n# Source: ", manifest.source.as_str(), "\n", &manifest.text, "\n"] {
            out.write_all(piece.as_bytes())?;
        }
    }
    Ok(())
}

/// Documents that are printed together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    /// Comments before the first and after the last of them.
    pub delimiters: Option<(String, String)>,
    /// Which of the manifests, in order.
    pub manifests: Vec<usize>,
}

/// What `template` prints if the manifests go in an order of their own: definitions first if wanted, then the
/// sections, then the manifests that are in none, then the hooks.
pub fn template_in_order(rendered: &Rendered, sections: &[Section], parts: Parts) -> String {
    let mut text = String::new();
    for crd in rendered.crds.iter().filter(|_| parts.crds) {
        document(&mut text, crd.source.as_str(), &text_of(&crd.data));
    }
    let mut printed = vec![false; rendered.manifests.len()];
    for section in sections {
        let mut start = section.delimiters.as_ref().map(|(start, _)| start);
        for number in &section.manifests {
            let Some(manifest) = rendered.manifests.get(*number) else { continue };
            if !std::mem::replace(&mut printed[*number], true) {
                text.push_str("---\n");
                if let Some(start) = start.take() {
                    let _ = writeln!(text, "{start}");
                }
                let _ = write!(text, "# Source: {}\n{}\n", manifest.source, manifest.text);
            }
        }
        if let (Some((_, end)), None) = (&section.delimiters, start) {
            // A line break of the document's own is enough before the comment.
            if text.ends_with("\n\n") {
                text.pop();
            }
            let _ = writeln!(text, "{end}");
        }
    }
    for (manifest, printed) in rendered.manifests.iter().zip(printed) {
        if !printed {
            document(&mut text, manifest.source.as_str(), &manifest.text);
        }
    }
    let mut text = format!("{}\n", text.trim());
    append_hooks(&mut text, rendered, parts);
    text
}

fn append_hooks(text: &mut String, rendered: &Rendered, parts: Parts) {
    for manifest in hooks(rendered, parts) {
        document(text, manifest.source.as_str(), &manifest.text);
    }
}

fn hooks(rendered: &Rendered, parts: Parts) -> impl Iterator<Item = &objects::Manifest> {
    let wanted = move |hook: &&super::Hook| !(parts.no_hooks || parts.skip_tests && hook.is_test());
    rendered.hooks.iter().filter(wanted).map(|hook| &hook.manifest)
}

fn document(text: &mut String, source: &str, body: &str) {
    // Writing to a string cannot fail.
    let _ = write!(text, "---\n# Source: {source}\n{body}\n");
}

/// A file that was asked for and is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("could not find template {pattern} in chart")]
pub struct NotShown {
    /// As the user wrote it.
    pub pattern: String,
}

/// What is left of `template`'s output under `--show-only`; patterns are relative to the chart.
pub fn show_only(output: &str, patterns: &[String]) -> Result<String, NotShown> {
    let documents = split_documents(output);
    let mut text = String::new();
    for wanted in patterns {
        let pattern = Pattern::parse(wanted).ok();
        let matches = |path: &str| pattern.as_ref().is_some_and(|pattern| pattern.matches(path));
        let mut missing = true;
        for document in &documents {
            if source_path(document).is_some_and(matches) {
                missing = false;
                let _ = write!(text, "---\n{document}\n");
            }
        }
        if missing {
            return Err(NotShown { pattern: wanted.clone() });
        }
    }
    Ok(text)
}

/// The path in a document's source comment, without the root chart's name.
fn source_path(document: &str) -> Option<&str> {
    const MARK: &str = "# Source: ";
    document.match_indices(MARK).find_map(|(at, _)| {
        let rest = &document[at + MARK.len()..];
        let slash = rest.find('/').filter(|slash| *slash > 0)?;
        rest[slash + 1..].split('\n').next().filter(|path| !path.is_empty())
    })
}

/// Writes every manifest to a file of its own under `directory`, and says which files, one entry per write.
///
/// With `release_name` a directory of that name stands between, though not for definitions: Helm has it so.
pub fn write_files(
    rendered: &Rendered,
    parts: Parts,
    directory: &Path,
    release_name: Option<&str>,
) -> std::io::Result<Vec<PathBuf>> {
    let named = release_name.map_or_else(|| directory.to_owned(), |name| directory.join(name));
    let mut written = Vec::new();
    if parts.crds {
        for crd in &rendered.crds {
            let text = text_of(&crd.data);
            write_file(directory, crd.source.as_str(), &text, &mut written, false)?;
        }
    }
    for manifest in &rendered.manifests {
        write_file(&named, manifest.source.as_str(), &manifest.text, &mut written, false)?;
    }
    for manifest in hooks(rendered, parts) {
        write_file(&named, manifest.source.as_str(), &manifest.text, &mut written, true)?;
    }
    Ok(written)
}

/// Appends to what this run wrote already; hooks append to anything that is there.
fn write_file(
    directory: &Path,
    name: &str,
    body: &str,
    written: &mut Vec<PathBuf>,
    is_hook: bool,
) -> std::io::Result<()> {
    let path = directory.join(name);
    let append = written.contains(&path) || (is_hook && path.exists());
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut file =
        if append { fs::OpenOptions::new().append(true).open(&path)? } else { fs::File::create(&path)? };
    let mut text = String::new();
    document(&mut text, name, body);
    file.write_all(text.as_bytes())?;
    written.push(path);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_delimited_where_their_first_document_begins_and_their_last_ends() {
        let manifest = |name: &str, text: &str| objects::Manifest {
            head: objects::Head::default(),
            source: objects::Source::new(format!("a/templates/{name}.yaml")),
            line: 1,
            text: text.into(),
        };
        let rendered = Rendered {
            manifests: vec![manifest("x", "x: 1\n"), manifest("y", "y: 1"), manifest("z", "z: |+\n  1\n\n")],
            ..Rendered::default()
        };
        let section = |name: &str, manifests: &[usize]| Section {
            delimiters: Some((format!("## START {name}"), format!("## END {name}"))),
            manifests: manifests.to_vec(),
        };
        let sections = [section("one", &[2, 0]), section("none", &[0])];
        assert_eq!(
            template_in_order(&rendered, &sections, Parts::default()),
            "---\n## START one\n# Source: a/templates/z.yaml\nz: |+\n  1\n\n\n---\n# Source: a/templates/x.yaml\nx: 1\n## END one\n---\n# Source: a/templates/y.yaml\ny: 1\n"
        );
    }

    #[test]
    fn the_end_of_what_comes_before_the_hooks_is_trimmed() {
        let crd = |data: &'static str| super::super::Crd {
            source: Source::new("a/crds/b.yaml"),
            data: bytes::Bytes::from_static(data.as_bytes()),
        };
        let parts = Parts { crds: true, ..Parts::default() };
        for (crds, text) in [
            (vec![], "\n"),
            (vec![crd("x: 1\n\n")], "---\n# Source: a/crds/b.yaml\nx: 1\n"),
            (vec![crd(" \n")], "---\n# Source: a/crds/b.yaml\n"),
            (vec![crd(""), crd("")], "---\n# Source: a/crds/b.yaml\n\n---\n# Source: a/crds/b.yaml\n"),
        ] {
            let rendered = Rendered { crds, ..Rendered::default() };
            assert_eq!(template(&rendered, parts), text);
            assert_eq!(template(&rendered, parts), format!("{}\n", manifest(&rendered, parts).trim()));
        }
    }

    #[test]
    fn shows_only_what_matches() {
        let output = "---\n# Source: a/templates/x.yaml\nx: 1\n---\n# Source: a/charts/b/templates/y.yaml\ny: 1\n---\n# Source: a/templates/x.yaml\nx: 2\n";
        let show = |patterns: &[&str]| {
            show_only(output, &patterns.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(
            show(&["templates/x.yaml"]).unwrap(),
            "---\n# Source: a/templates/x.yaml\nx: 1\n\n---\n# Source: a/templates/x.yaml\nx: 2\n\n"
        );
        assert_eq!(
            show(&["charts/*/templates/*"]).unwrap(),
            "---\n# Source: a/charts/b/templates/y.yaml\ny: 1\n\n"
        );
        assert_eq!(
            show(&["templates/none.yaml"]).unwrap_err().to_string(),
            "could not find template templates/none.yaml in chart"
        );
    }
}
