//! Putting a document's path on it, and taking it off, without touching anything else of its text.

use goyaml::{Mapping, Value};

/// The annotation that carries the path.
pub(super) const FILENAME: &str = "postrenderer.helm.sh/postrender-filename";

/// The document with its path; `None` if there is nothing in it but comments.
pub(super) fn annotate(document: &str, path: &str) -> Result<Option<String>, goyaml::Error> {
    let value = goyaml::from_str(document)?;
    let Value::Mapping(fields) = value else { return Ok(None) };
    let entry = format!("{FILENAME}: '{}'", path.replace('\'', "''"));
    let lines: Vec<&str> = document.trim_end().lines().collect();
    let plain = match Block::find(&lines, 0, lines.len(), 0, "metadata") {
        None if fields.contains_key("metadata") || lines[0].starts_with('{') => None,
        None => {
            Some(inserted(&lines, lines.len(), &["metadata:", "  annotations:", &format!("    {entry}")]))
        }
        Some(metadata) => insert_into(&lines, &metadata, &fields, &entry),
    };
    match plain {
        Some(text) => Ok(Some(text)),
        None => rewritten(fields, path).map(Some),
    }
}

/// Adds the entry to block-style metadata; `None` if it is written in another style.
fn insert_into(lines: &[&str], metadata: &Block, fields: &Mapping, entry: &str) -> Option<String> {
    let indent = metadata.child_indent?;
    let pad = " ".repeat(indent);
    match Block::find(lines, metadata.start + 1, metadata.end, indent, "annotations") {
        Some(annotations) => {
            let inner = annotations.child_indent?;
            Some(inserted(lines, annotations.end, &[&format!("{}{entry}", " ".repeat(inner))]))
        }
        None if fields.get("metadata")?.get("annotations").is_some() => None,
        None => {
            Some(inserted(lines, metadata.end, &[&format!("{pad}annotations:"), &format!("{pad}  {entry}")]))
        }
    }
}

/// The document without the path; `None` if there is nothing in it but comments.
pub(super) fn deannotate(document: &str) -> Result<Option<String>, String> {
    let value = goyaml::from_str(document).map_err(|error| format!("error parsing YAML: {error}"))?;
    let Value::Mapping(mut fields) = value else { return Ok(None) };
    let mut lines: Vec<&str> = document.trim_end().lines().collect();
    let carries = |line: &&str| line.trim_start().trim_start_matches(['"', '\'']).starts_with(FILENAME);
    if let Some(at) = lines.iter().position(carries) {
        lines.remove(at);
        remove_if_empty(&mut lines, at, "annotations:");
        remove_if_empty(&mut lines, at.saturating_sub(1), "metadata:");
        return Ok(Some(lines.join("\n") + "\n"));
    }
    let metadata = fields.get_mut("metadata").and_then(Value::as_mapping_mut);
    let annotations =
        metadata.and_then(|metadata| metadata.get_mut("annotations")).and_then(Value::as_mapping_mut);
    if annotations.is_none_or(|annotations| annotations.remove(FILENAME).is_none()) {
        return Ok(Some(lines.join("\n") + "\n"));
    }
    drop_empty(&mut fields);
    goyaml::to_string(&Value::Mapping(fields)).map(Some).map_err(|error| error.to_string())
}

/// Takes out the line before `at` if it is this key and nothing deeper follows it any more.
fn remove_if_empty(lines: &mut Vec<&str>, at: usize, key: &str) {
    let Some(above) = at.checked_sub(1) else { return };
    let Some(line) = lines.get(above) else { return };
    if line.trim() != key {
        return;
    }
    let deeper = lines.get(at).is_some_and(|next| indent_of(next) > indent_of(line));
    if !deeper {
        lines.remove(above);
    }
}

fn drop_empty(fields: &mut Mapping) {
    let empty = |value: Option<&Value>| value.and_then(Value::as_mapping).is_some_and(Mapping::is_empty);
    if let Some(Value::Mapping(metadata)) = fields.get_mut("metadata")
        && empty(metadata.get("annotations"))
    {
        metadata.remove("annotations");
    }
    if empty(fields.get("metadata")) {
        fields.remove("metadata");
    }
}

/// The document written anew, for styles whose text cannot simply be added to.
fn rewritten(mut fields: Mapping, path: &str) -> Result<String, goyaml::Error> {
    let table = |fields: &mut Mapping, key: &str| {
        if !matches!(fields.get(key), Some(Value::Mapping(_))) {
            fields.insert(key.to_owned(), Value::Mapping(Mapping::new()));
        }
    };
    table(&mut fields, "metadata");
    if let Some(Value::Mapping(metadata)) = fields.get_mut("metadata") {
        table(metadata, "annotations");
        if let Some(Value::Mapping(annotations)) = metadata.get_mut("annotations") {
            annotations.insert(FILENAME.to_owned(), Value::String(path.to_owned()));
        }
    }
    goyaml::to_string(&Value::Mapping(fields))
}

/// A key in block style, with the lines that belong to it.
struct Block {
    start: usize,
    end: usize,
    /// How far its entries are indented; `None` if it has none of its own lines.
    child_indent: Option<usize>,
}

impl Block {
    fn find(lines: &[&str], from: usize, to: usize, indent: usize, key: &str) -> Option<Self> {
        let start = (from..to).find(|&at| {
            indent_of(lines[at]) == indent
                && lines[at].trim_start().strip_prefix(key).is_some_and(|rest| {
                    let rest = rest.strip_prefix(':').map(str::trim);
                    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
                })
        })?;
        let is_text = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let mut end = start + 1;
        let mut child_indent = None;
        for (at, line) in lines.iter().enumerate().take(to).skip(start + 1) {
            if !is_text(line) {
                continue;
            }
            if indent_of(line) <= indent {
                break;
            }
            child_indent.get_or_insert(indent_of(line));
            end = at + 1;
        }
        Some(Self { start, end, child_indent })
    }
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn inserted(lines: &[&str], at: usize, new: &[&str]) -> String {
    let mut all = lines[..at].to_vec();
    all.extend(new);
    all.extend(&lines[at..]);
    all.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "a/templates/b.yaml";

    #[test]
    fn the_path_goes_on_and_comes_off_without_a_trace() {
        for document in [
            "# c\nkind: A\nmetadata:\n  name: a # x\n  labels: {a: b}\ndata:\n  x: |\n    metadata:\n",
            "kind: A\nmetadata:\n    annotations:\n        foo: bar\n    name: a\n",
            "kind: A\nspec: {}\n",
        ] {
            let annotated = annotate(document, PATH).unwrap().unwrap();
            let head = goyaml::Head::from_str(&annotated).unwrap();
            assert_eq!(head.annotations.get(FILENAME).map(String::as_str), Some(PATH), "{annotated}");
            assert_eq!(deannotate(&annotated).unwrap().unwrap(), document);
        }
    }

    #[test]
    fn other_styles_are_written_anew() {
        for (document, expected) in [
            ("{\"kind\": \"A\", \"metadata\": {\"name\": \"a\"}}", "kind: A\nmetadata:\n  name: a\n"),
            ("kind: A\nmetadata: {name: a}\n", "kind: A\nmetadata:\n  name: a\n"),
            ("{\"kind\": \"A\"}", "kind: A\n"),
        ] {
            let annotated = annotate(document, PATH).unwrap().unwrap();
            assert_eq!(deannotate(&annotated).unwrap().unwrap(), expected);
        }
        assert_eq!(annotate("# nothing\n", PATH).unwrap(), None);
    }
}
