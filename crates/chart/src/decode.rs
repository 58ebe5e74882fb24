//! From YAML to the metadata types, as Go's JSON decoder would fill its structs.
//!
//! Field names are matched whatever their case, numbers and booleans become text where text is wanted, and the
//! first value of the wrong sort is reported in Go's words.

use std::collections::BTreeMap;

use goyaml::{Mapping, Value, strconv};

use crate::declared::NEEDS_SUBCHARTS;
use crate::{Dependency, Lock, Maintainer, Metadata};

/// Why a file of a chart could not be read into its type.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DecodeError {
    /// It is not YAML.
    #[error(transparent)]
    Yaml(#[from] goyaml::Error),
    /// A value is of the wrong sort.
    #[error("error unmarshaling JSON: while decoding JSON: {message}")]
    Mismatch {
        /// Go's words.
        message: String,
        /// The path of the field, in dot notation; empty for the document itself.
        field: String,
    },
}

/// Metadata as read, before it is checked. `null` where a maintainer or a dependency should be is only noted.
#[derive(Debug, Clone, Default)]
pub(crate) struct DecodedMetadata {
    pub(crate) metadata: Metadata,
    pub(crate) null_maintainer: bool,
    pub(crate) null_dependency: bool,
}

/// Reads a document into its tree.
pub(crate) fn parse(data: &[u8]) -> Result<Value, DecodeError> {
    Ok(goyaml::from_slice(data)?)
}

/// Reads `Chart.yaml` or `requirements.yaml` over what is already known.
pub(crate) fn metadata(value: &Value, into: &mut DecodedMetadata) -> Result<(), DecodeError> {
    let mut decoder = Decoder::default();
    if let Some(fields) = decoder.document(value, "v2.Metadata") {
        decoder.metadata(fields, into);
    }
    decoder.finish()
}

/// The `apiVersion` of a `Chart.yaml`, before anything else of it is looked at.
pub(crate) fn api_version(value: &Value) -> Result<String, DecodeError> {
    let mut decoder = Decoder::default();
    let mut version = String::new();
    if let Some(fields) = decoder.document(value, "loader.chartBase") {
        for (key, value) in fields {
            if key.eq_ignore_ascii_case("apiVersion") {
                decoder.text(value, "chartBase", "apiVersion", &mut version);
            }
        }
    }
    decoder.finish().map(|()| version)
}

/// Reads `Chart.lock` or `requirements.lock`; an empty file is no lock.
pub(crate) fn lock(value: &Value) -> Result<Option<Lock>, DecodeError> {
    if value.is_null() {
        return Ok(None);
    }
    let mut decoder = Decoder::default();
    let mut lock = Lock::default();
    let mut null = false;
    if let Some(fields) = decoder.document(value, "v2.Lock") {
        for (key, value) in fields {
            match key.to_ascii_lowercase().as_str() {
                "generated" => decoder.time(value, &mut lock.generated),
                "digest" => decoder.text(value, "Lock", "digest", &mut lock.digest),
                "dependencies" => {
                    let mut dependencies = None;
                    decoder.dependencies(value, "Lock", &mut dependencies, &mut null);
                    lock.dependencies = dependencies.unwrap_or_default();
                }
                _ => {}
            }
        }
    }
    decoder.finish().map(|()| Some(lock))
}

/// Remembers the first thing that did not fit and reads on, as Go does.
#[derive(Default)]
struct Decoder {
    mismatch: Option<DecodeError>,
}

impl Decoder {
    fn finish(self) -> Result<(), DecodeError> {
        self.mismatch.map_or(Ok(()), Err)
    }

    fn refuse(&mut self, message: String, field: &str) {
        self.mismatch.get_or_insert_with(|| DecodeError::Mismatch { message, field: field.to_owned() });
    }

    fn mismatch(&mut self, value: &Value, owner: &str, field: &str, wanted: &str) {
        let sort = sort_of(value);
        self.refuse(
            format!("json: cannot unmarshal {sort} into Go struct field {owner}.{field} of type {wanted}"),
            field,
        );
    }

    fn document<'v>(&mut self, value: &'v Value, wanted: &str) -> Option<&'v Mapping> {
        match value {
            Value::Mapping(fields) => Some(fields),
            Value::Null => None,
            other => {
                let sort = sort_of(other);
                self.refuse(format!("json: cannot unmarshal {sort} into Go value of type {wanted}"), "");
                None
            }
        }
    }

    fn metadata(&mut self, fields: &Mapping, into: &mut DecodedMetadata) {
        const OWNER: &str = "Metadata";
        let m = &mut into.metadata;
        for (key, value) in fields {
            match key.to_ascii_lowercase().as_str() {
                "name" => self.text(value, OWNER, "name", &mut m.name),
                "home" => self.text(value, OWNER, "home", &mut m.home),
                "sources" => self.texts(value, OWNER, "sources", &mut m.sources),
                "version" => self.text(value, OWNER, "version", &mut m.version),
                "description" => self.text(value, OWNER, "description", &mut m.description),
                "keywords" => self.texts(value, OWNER, "keywords", &mut m.keywords),
                "maintainers" => self.maintainers(value, &mut m.maintainers, &mut into.null_maintainer),
                "icon" => self.text(value, OWNER, "icon", &mut m.icon),
                "apiversion" => self.text(value, OWNER, "apiVersion", &mut m.api_version),
                "condition" => self.text(value, OWNER, "condition", &mut m.condition),
                "tags" => self.text(value, OWNER, "tags", &mut m.tags),
                "appversion" => self.text(value, OWNER, "appVersion", &mut m.app_version),
                "deprecated" => self.flag(value, OWNER, "deprecated", &mut m.deprecated),
                "annotations" => self.text_map(value, OWNER, "annotations", &mut m.annotations),
                "kubeversion" => self.text(value, OWNER, "kubeVersion", &mut m.kube_version),
                "dependencies" => {
                    self.dependencies(value, OWNER, &mut m.dependencies, &mut into.null_dependency);
                }
                "type" => self.text(value, OWNER, "type", &mut m.chart_type),
                _ => {}
            }
        }
    }

    fn maintainers(&mut self, value: &Value, into: &mut Vec<Maintainer>, null: &mut bool) {
        let Some(items) = self.list(value, "Metadata", "maintainers", "[]*v2.Maintainer") else {
            into.clear();
            return;
        };
        into.clear();
        for item in items {
            let Value::Mapping(fields) = item else {
                *null |= item.is_null();
                if !item.is_null() {
                    self.mismatch(item, "Metadata", "maintainers", "v2.Maintainer");
                }
                continue;
            };
            let mut maintainer = Maintainer::default();
            for (key, value) in fields {
                match key.to_ascii_lowercase().as_str() {
                    "name" => self.text(value, "Maintainer", "maintainers.name", &mut maintainer.name),
                    "email" => self.text(value, "Maintainer", "maintainers.email", &mut maintainer.email),
                    "url" => self.text(value, "Maintainer", "maintainers.url", &mut maintainer.url),
                    _ => {}
                }
            }
            into.push(maintainer);
        }
    }

    fn dependencies(
        &mut self,
        value: &Value,
        parent: &str,
        into: &mut Option<Vec<Dependency>>,
        null: &mut bool,
    ) {
        let Some(items) = self.list(value, parent, "dependencies", "[]*v2.Dependency") else {
            *into = None;
            return;
        };
        let mut dependencies = Vec::with_capacity(items.len());
        for item in items {
            let Value::Mapping(fields) = item else {
                *null |= item.is_null();
                if !item.is_null() {
                    self.mismatch(item, parent, "dependencies", "v2.Dependency");
                }
                continue;
            };
            dependencies.push(self.dependency(fields));
        }
        *into = Some(dependencies);
    }

    fn dependency(&mut self, fields: &Mapping) -> Dependency {
        const OWNER: &str = "Dependency";
        let mut d = Dependency::default();
        for (key, value) in fields {
            match key.to_ascii_lowercase().as_str() {
                "name" => self.text(value, OWNER, "dependencies.name", &mut d.name),
                "version" => self.text(value, OWNER, "dependencies.version", &mut d.version),
                "repository" => self.text(value, OWNER, "dependencies.repository", &mut d.repository),
                "condition" => self.text(value, OWNER, "dependencies.condition", &mut d.condition),
                "tags" => self.texts(value, OWNER, "dependencies.tags", &mut d.tags),
                "enabled" => self.flag(value, OWNER, "dependencies.enabled", &mut d.enabled),
                "import-values" => {
                    if let Some(items) =
                        self.list(value, OWNER, "dependencies.import-values", "[]interface {}")
                    {
                        d.import_values = items.to_vec();
                    }
                }
                "alias" => self.text(value, OWNER, "dependencies.alias", &mut d.alias),
                _ => {}
            }
        }
        d
    }

    fn list<'v>(&mut self, value: &'v Value, owner: &str, field: &str, wanted: &str) -> Option<&'v [Value]> {
        match value {
            Value::Sequence(items) => Some(items),
            Value::Null => None,
            other => {
                self.mismatch(other, owner, field, wanted);
                None
            }
        }
    }

    fn text(&mut self, value: &Value, owner: &str, field: &str, into: &mut String) {
        match coerced(value) {
            Some(text) => *into = text,
            None if value.is_null() => {}
            None => self.mismatch(value, owner, field, "string"),
        }
    }

    fn texts(&mut self, value: &Value, owner: &str, field: &str, into: &mut Vec<String>) {
        into.clear();
        for item in self.list(value, owner, field, "[]string").unwrap_or_default() {
            let mut text = String::new();
            self.text(item, owner, field, &mut text);
            into.push(text);
        }
    }

    fn text_map(&mut self, value: &Value, owner: &str, field: &str, into: &mut BTreeMap<String, String>) {
        match value {
            Value::Mapping(entries) => {
                for (key, value) in entries {
                    let mut text = String::new();
                    match value {
                        // The one list that Helm would refuse.
                        Value::Sequence(_) if key == NEEDS_SUBCHARTS => {
                            text = goyaml::json::to_string(value).unwrap_or_default();
                        }
                        _ => self.text(value, owner, field, &mut text),
                    }
                    into.insert(key.clone(), text);
                }
            }
            Value::Null => into.clear(),
            other => self.mismatch(other, owner, field, "map[string]string"),
        }
    }

    fn flag(&mut self, value: &Value, owner: &str, field: &str, into: &mut bool) {
        match value {
            Value::Bool(flag) => *into = *flag,
            Value::Null => {}
            other => self.mismatch(other, owner, field, "bool"),
        }
    }

    fn time(&mut self, value: &Value, into: &mut String) {
        match value {
            Value::Null => {}
            Value::String(text) if is_rfc3339(text) => into.clone_from(text),
            Value::String(text) => {
                let quoted = strconv::quote(text);
                self.refuse(
                    format!(
                        "parsing time {quoted} as \"2006-01-02T15:04:05Z07:00\": cannot parse {quoted} as \"2006\""
                    ),
                    "generated",
                );
            }
            _ => self.refuse("Time.UnmarshalJSON: input is not a JSON string".to_owned(), "generated"),
        }
    }
}

/// What a text field takes from a scalar. Floats pass through Go's 32-bit formatting.
pub(crate) fn coerced(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Int(number) => Some(number.to_string()),
        Value::Uint(number) => Some(number.to_string()),
        Value::Float(number) => Some(strconv::format_float(*number, b'g', -1, 32)),
        Value::Number(digits) => Some(digits.to_string()),
        Value::Null | Value::Sequence(_) | Value::Mapping(_) => None,
    }
}

/// The sort of a value, as Go's JSON errors call it.
pub(crate) fn sort_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Uint(_) | Value::Float(_) | Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Sequence(_) => "array",
        Value::Mapping(_) => "object",
    }
}

/// Whether Go's `time.Time` would read the text.
fn is_rfc3339(text: &str) -> bool {
    let shape = |pattern: &str, text: &str| {
        text.len() == pattern.len()
            && pattern
                .bytes()
                .zip(text.bytes())
                .all(|(p, t)| if p == b'0' { t.is_ascii_digit() } else { p == t })
    };
    let Some((stamp, rest)) = text.split_at_checked(19) else { return false };
    let fraction = rest.strip_prefix('.').map(|rest| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        (digits, &rest[digits..])
    });
    let zone = match fraction {
        Some((0, _)) => return false,
        Some((_, zone)) => zone,
        None => rest,
    };
    shape("0000-00-00T00:00:00", stamp) && (zone == "Z" || shape("+00:00", zone) || shape("-00:00", zone))
}

#[cfg(test)]
mod tests {
    use super::is_rfc3339;

    #[test]
    fn times_are_rfc_3339() {
        for good in ["2020-01-02T03:04:05Z", "2020-01-02T03:04:05.123456+02:00"] {
            assert!(is_rfc3339(good), "{good}");
        }
        for bad in ["2020-01-02", "2020-01-02 03:04:05Z", "2020-01-02T03:04:05", "", "2020-01-02T03:04:05.Z"]
        {
            assert!(!is_rfc3339(bad), "{bad}");
        }
    }
}
