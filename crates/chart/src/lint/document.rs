//! Documents as Kubernetes' own reader takes a file apart, and the few fields that rules look at.

use goyaml::Value;

/// What a rule wants to know of an object. Absent texts are empty.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) value: Value,
}

/// The documents of a file: cut at lines that begin with `---`.
pub(super) fn documents(text: &str) -> Vec<String> {
    let mut documents = vec![String::new()];
    for line in text.split_inclusive('\n') {
        let is_separator = line.strip_prefix("---").is_some_and(|rest| {
            let rest = rest.trim();
            rest.is_empty() || rest.starts_with('#')
        });
        match documents.last_mut() {
            Some(last) if !is_separator => last.push_str(line),
            _ => documents.push(String::new()),
        }
    }
    documents.retain(|document| !document.trim().is_empty());
    documents
}

/// The head of a document; `None` if there is nothing in it.
pub(super) fn parse(document: &str) -> Result<Option<Head>, String> {
    let value = goyaml::from_str(document).map_err(|error| error.to_string())?;
    let fields = match &value {
        Value::Mapping(fields) => fields,
        Value::Null => return Ok(None),
        other => {
            let sort = match other {
                Value::String(_) => "string",
                Value::Sequence(_) => "array",
                Value::Bool(_) => "bool",
                _ => "number",
            };
            return Err(format!(
                "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {sort} into Go value of type rules.k8sYamlStruct"
            ));
        }
    };
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let head = Head {
        api_version: text(fields.get("apiVersion")),
        kind: text(fields.get("kind")),
        name: text(fields.get("metadata").and_then(|metadata| metadata.get("name"))),
        value: Value::Null,
    };
    Ok(Some(Head { value, ..head }))
}
