//! Documents as Kubernetes' own reader takes a file apart, and the few fields that rules look at.

use goyaml::{Mapping, Value};

use crate::decode::{coerced, sort_of};

/// What a rule wants to know of an object. Absent texts are empty.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) value: Value,
}

/// The documents of a file, cut at lines that begin with `---`. Text behind the dashes ends the reading.
pub(super) fn documents(text: &[u8]) -> Vec<Result<&[u8], String>> {
    let mut documents = Vec::new();
    let (mut start, mut end) = (0, 0);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let begin = end;
        end += line.len();
        let Some(rest) = line.strip_prefix(b"---") else { continue };
        let rest = goyaml::text_of(rest);
        let rest = rest.trim();
        if !rest.is_empty() && !rest.starts_with('#') {
            documents.push(Err(format!("invalid Yaml document separator: {rest}")));
            return documents;
        }
        push(&mut documents, &text[start..begin]);
        start = end;
    }
    push(&mut documents, &text[start..]);
    documents
}

fn push<'t>(documents: &mut Vec<Result<&'t [u8], String>>, document: &'t [u8]) {
    if !goyaml::text_of(document).trim().is_empty() {
        documents.push(Ok(document));
    }
}

/// The head of a document; `None` if there is nothing in it.
pub(super) fn parse(document: &[u8]) -> Result<Option<Head>, String> {
    let value = goyaml::from_slice(document).map_err(|error| error.to_string())?;
    let mut head = Head::default();
    match &value {
        Value::Mapping(fields) => read_fields(fields, &mut head)?,
        Value::Null => return Ok(None),
        other => return Err(mismatch(other, "value of type rules.k8sYamlStruct")),
    }
    Ok(Some(Head { value, ..head }))
}

fn read_fields(fields: &Mapping, head: &mut Head) -> Result<(), String> {
    for (key, value) in fields {
        match key.to_ascii_lowercase().as_str() {
            "apiversion" => read_text(value, "k8sYamlStruct.apiVersion", &mut head.api_version)?,
            "kind" => read_text(value, "k8sYamlStruct.Kind", &mut head.kind)?,
            "metadata" => match value {
                Value::Mapping(metadata) => {
                    for (key, value) in metadata {
                        match key.to_ascii_lowercase().as_str() {
                            "name" => read_text(value, "k8sYamlMetadata.Metadata.Name", &mut head.name)?,
                            "namespace" => {
                                read_text(value, "k8sYamlMetadata.Metadata.Namespace", &mut String::new())?;
                            }
                            _ => {}
                        }
                    }
                }
                Value::Null => {}
                other => {
                    let wanted = "struct field k8sYamlStruct.Metadata of type rules.k8sYamlMetadata";
                    return Err(mismatch(other, wanted));
                }
            },
            _ => {}
        }
    }
    Ok(())
}

fn read_text(value: &Value, field: &str, into: &mut String) -> Result<(), String> {
    match coerced(value) {
        Some(text) => *into = text,
        None if value.is_null() => {}
        None => return Err(mismatch(value, &format!("struct field {field} of type string"))),
    }
    Ok(())
}

fn mismatch(found: &Value, wanted: &str) -> String {
    let sort = sort_of(found);
    format!("error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {sort} into Go {wanted}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_cut_at_separators() {
        assert_eq!(documents(b"a: 1\n--- # x\nb: 2\n---\n\n"), [Ok(&b"a: 1\n"[..]), Ok(b"b: 2\n")]);
        assert_eq!(
            documents(b"a: 1\n---b: 2\nc: 3\n"),
            [Err("invalid Yaml document separator: b: 2".to_owned())]
        );
    }

    #[test]
    fn heads_are_read_or_refused_as_go_does() {
        let head = parse(b"kind: 5\nmetadata: {name: true}\n").unwrap().unwrap();
        assert_eq!((head.kind.as_str(), head.name.as_str()), ("5", "true"));
        assert!(parse(b"# nothing\n").unwrap().is_none());
        assert_eq!(
            parse(b"metadata: x\n").unwrap_err(),
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field k8sYamlStruct.Metadata of type rules.k8sYamlMetadata"
        );
    }
}
