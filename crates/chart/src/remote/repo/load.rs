//! Reading an index: YAML strictly, JSON leniently, single bad entries not at all.

use std::collections::BTreeMap;

use goyaml::{Mapping, Value};

use super::{ChartVersion, Index, IndexError, Timestamp};
use crate::decode::{self, DecodedMetadata};
use crate::remote::notice::{Notify, Warning};
use crate::validate::validate;

/// The fields of a chart's metadata, which an entry also has.
const METADATA_FIELDS: [&str; 17] = [
    "name",
    "home",
    "sources",
    "version",
    "description",
    "keywords",
    "maintainers",
    "icon",
    "apiversion",
    "condition",
    "tags",
    "appversion",
    "deprecated",
    "annotations",
    "kubeversion",
    "dependencies",
    "type",
];

impl Index {
    /// Reads an index. The source is what warnings call it.
    pub fn parse(data: &[u8], source: &str, notify: &mut dyn Notify) -> Result<Self, IndexError> {
        if data.is_empty() {
            return Err(IndexError::Empty);
        }
        let text = std::str::from_utf8(data).map_err(|_| IndexError::Encoding)?;
        let json = text.trim_start().starts_with('{').then(|| goyaml::json::from_str(text).ok()).flatten();
        let strict = json.is_none();
        let tree = json.map_or_else(|| goyaml::from_str_strict(text), Ok)?;
        let fields = match tree {
            Value::Mapping(fields) => fields,
            Value::Null => Mapping::new(),
            _ => return Err(shape("cannot unmarshal it into Go value of type repo.IndexFile")),
        };
        let mut index =
            Self { api_version: String::new(), generated: Timestamp::default(), entries: BTreeMap::new() };
        let mut reader = Reader { strict, source, notify };
        for (key, value) in fields {
            match key.to_ascii_lowercase().as_str() {
                "apiversion" => index.api_version = text_of(value, "IndexFile.apiVersion")?,
                "generated" => index.generated = time_of(value)?,
                "entries" => index.entries = reader.entries(value)?,
                "serverinfo" | "publickeys" | "annotations" => {}
                _ if strict => return Err(unknown(&key)),
                _ => {}
            }
        }
        index.sort();
        if index.api_version.is_empty() { Err(IndexError::NoApiVersion) } else { Ok(index) }
    }
}

struct Reader<'a> {
    strict: bool,
    source: &'a str,
    notify: &'a mut dyn Notify,
}

impl Reader<'_> {
    fn entries(&mut self, value: Value) -> Result<BTreeMap<String, Vec<ChartVersion>>, IndexError> {
        let charts = match value {
            Value::Mapping(charts) => charts,
            Value::Null => return Ok(BTreeMap::new()),
            _ => return Err(shape("cannot unmarshal it into Go struct field IndexFile.entries")),
        };
        let mut entries = BTreeMap::new();
        for (name, versions) in charts {
            let versions = match versions {
                Value::Sequence(versions) => versions,
                Value::Null => Vec::new(),
                _ => return Err(shape("cannot unmarshal it into Go struct field IndexFile.entries")),
            };
            let mut kept = Vec::with_capacity(versions.len());
            let mut warnings = Vec::new();
            for version in versions {
                match self.entry(&name, version)? {
                    Ok(entry) => kept.push(entry),
                    Err(warning) => warnings.push(warning),
                }
            }
            // Helm goes through the versions from the last to the first.
            warnings.into_iter().rev().for_each(|warning| self.notify.warn(warning));
            entries.insert(name, kept);
        }
        Ok(entries)
    }

    /// One entry, or the warning to give in its place.
    fn entry(&self, name: &str, value: Value) -> Result<Result<ChartVersion, Warning>, IndexError> {
        let fields = match value {
            Value::Mapping(fields) => fields,
            Value::Null => {
                let warning = Warning::new("skipping loading invalid entry for chart: empty entry");
                return Ok(Err(warning.with("name", name).with("source", self.source)));
            }
            _ => return Err(shape("cannot unmarshal it into Go value of type repo.ChartVersion")),
        };
        let mut entry = ChartVersion::default();
        let mut about = Mapping::new();
        for (key, value) in fields {
            match key.to_ascii_lowercase().as_str() {
                "urls" => entry.urls = texts_of(value, "ChartVersion.urls")?,
                "created" => entry.created = time_of(value)?,
                "removed" => entry.removed = matches!(value, Value::Bool(true)),
                "digest" => entry.digest = text_of(value, "ChartVersion.digest")?,
                "checksum" => entry.checksum = text_of(value, "ChartVersion.checksum")?,
                "engine" => entry.engine = text_of(value, "ChartVersion.engine")?,
                "tillerversion" => entry.tiller_version = text_of(value, "ChartVersion.tillerVersion")?,
                "url" => entry.url = text_of(value, "ChartVersion.url")?,
                known if METADATA_FIELDS.contains(&known) => {
                    about.insert(key, value);
                }
                _ if self.strict => return Err(unknown(&key)),
                _ => {}
            }
        }
        let mut decoded = DecodedMetadata::default();
        decode::metadata(&Value::Mapping(about), &mut decoded)?;
        if decoded.metadata.api_version.is_empty() {
            "v1".clone_into(&mut decoded.metadata.api_version);
        }
        let as_read = decoded.metadata.clone();
        match validate(decoded) {
            Ok(metadata) => entry.metadata = metadata,
            // Some servers drop the aliases that would tell such dependencies apart.
            Err(error) if error.message.starts_with("more than one dependency with name or alias") => {
                entry.metadata = as_read;
            }
            Err(error) => {
                let warning = Warning::new("skipping loading invalid entry for chart").with("name", name);
                let warning = warning.with("version", as_read.version).with("source", self.source);
                return Ok(Err(warning.with("error", error.to_string())));
            }
        }
        Ok(Ok(entry))
    }
}

fn shape(what: &str) -> IndexError {
    IndexError::Shape(format!("json: {what}"))
}

fn unknown(key: &str) -> IndexError {
    shape(&format!("unknown field {}", crate::remote::url::quote(key)))
}

/// A text; YAML's numbers and booleans count as the text they are written as.
fn text_of(value: Value, field: &str) -> Result<String, IndexError> {
    match value {
        Value::String(text) => Ok(text),
        Value::Null => Ok(String::new()),
        Value::Sequence(_) | Value::Mapping(_) => {
            Err(shape(&format!("cannot unmarshal it into Go struct field {field} of type string")))
        }
        scalar => Ok(goyaml::json::to_string(&scalar)?),
    }
}

fn texts_of(value: Value, field: &str) -> Result<Vec<String>, IndexError> {
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Sequence(items) => items.into_iter().map(|item| text_of(item, field)).collect(),
        _ => Err(shape(&format!("cannot unmarshal it into Go struct field {field} of type []string"))),
    }
}

fn time_of(value: Value) -> Result<Timestamp, IndexError> {
    match value {
        Value::Null => Ok(Timestamp::default()),
        value => Ok(Timestamp::parse(&text_of(value, "time")?)?),
    }
}
