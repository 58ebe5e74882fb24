//! `values.schema.json`: whether the values a chart gets are the values it takes.
//!
//! Each chart's schema sees that chart's coalesced values. A schema may refer to files and addresses; addresses are
//! loaded through a callback, and an unresolved `urn:` accepts anything, as in Helm.

mod formats;
mod references;
mod sure;

use std::collections::BTreeSet;
use std::sync::Arc;

use gotmpl::Value;
use jsonschema::{Draft, Retrieve, Uri};
use serde_json::Value as Json;

use crate::prepare::{ChartTree, Table};

/// Loads the document at an `http` or `https` address.
pub type FetchSchema = Arc<dyn Fn(&str) -> Result<Vec<u8>, String> + Send + Sync>;

/// Values that a schema refuses, chart by chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    /// The charts with what is wrong in each.
    pub charts: Vec<ChartViolations>,
}

/// What is wrong with the values of one chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartViolations {
    /// The chart's name, which may be an alias.
    pub chart: String,
    /// Where its values stand in the whole: names of charts from the root on.
    pub path: Vec<String>,
    /// The violations, or what is wrong with the schema itself.
    pub problems: Vec<Violation>,
}

/// One value that is not as the schema wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where in the chart's values, as a JSON pointer; empty for the values as a whole or for the schema itself.
    pub pointer: String,
    /// What was expected and what was found.
    pub message: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.pointer.as_str() {
            "" => f.write_str(&self.message),
            pointer => write!(f, "at '{pointer}': {}", self.message),
        }
    }
}

impl std::fmt::Display for SchemaError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("values don't meet the specifications of the schema(s) in the following chart(s):")?;
        for chart in &self.charts {
            write!(f, "\n{}:", chart.chart)?;
            for problem in &chart.problems {
                write!(f, "\n- {problem}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for SchemaError {}

/// Checks the values of a chart and of all its subcharts.
pub(crate) fn validate(
    chart: &ChartTree,
    values: &Table,
    fetch: Option<&FetchSchema>,
) -> Result<(), SchemaError> {
    let mut charts = Vec::new();
    validate_tree(chart, values, &[], fetch, &mut charts);
    if charts.is_empty() { Ok(()) } else { Err(SchemaError { charts }) }
}

fn validate_tree(
    chart: &ChartTree,
    values: &Table,
    parents: &[String],
    fetch: Option<&FetchSchema>,
    found: &mut Vec<ChartViolations>,
) {
    let name = chart.name();
    let path: Vec<String> = parents.iter().cloned().chain([name.clone()]).collect();
    if let Some(schema) = &chart.content.schema {
        let problems = problems(schema, values, fetch);
        if !problems.is_empty() {
            found.push(ChartViolations { chart: name, path: path.clone(), problems });
        }
    }
    for subchart in &chart.dependencies {
        let name = subchart.name();
        match values.get(&name) {
            None | Some(Value::Nil) => {}
            Some(Value::Map(inner)) => validate_tree(subchart, &inner, &path, fetch, found),
            Some(other) => {
                let message =
                    format!("invalid type for values: expected object (map), got {}", other.type_name());
                let problems = vec![Violation { pointer: String::new(), message }];
                let path = path.iter().cloned().chain([name.clone()]).collect();
                found.push(ChartViolations { chart: name, path, problems });
            }
        }
    }
}

pub(crate) fn problems(schema: &[u8], values: &Table, fetch: Option<&FetchSchema>) -> Vec<Violation> {
    if sure::is_valid(schema, values) { Vec::new() } else { compiled_problems(schema, values, fetch) }
}

/// The problems that the validator finds.
fn compiled_problems(schema: &[u8], values: &Table, fetch: Option<&FetchSchema>) -> Vec<Violation> {
    let whole = |message: String| vec![Violation { pointer: String::new(), message }];
    let mut schema: Json = match serde_json::from_slice(schema) {
        Ok(schema) => schema,
        Err(error) => return whole(format!("values.schema.json is not JSON: {error}")),
    };
    let draft = match draft_of(&schema, fetch) {
        Ok(draft) => draft,
        Err(message) => return whole(message),
    };
    let mut survey = Survey { draft, fetch, formats: BTreeSet::new() };
    if let Err(message) = survey.walk(&schema) {
        return whole(message);
    }
    name_drafts(&mut schema);
    references::with_neighbours(&mut schema, draft);
    let mut options = jsonschema::options()
        .with_draft(draft)
        .with_base_uri("file:///values.schema.json")
        .without_content_encoding_support("base64")
        .without_content_media_type_support("application/json")
        .with_retriever(Loader { fetch: fetch.cloned() });
    for format in survey.formats {
        options = options.with_format(format, move |text: &str| formats::matches(format, text));
    }
    let validator = match options.build(&schema) {
        Ok(validator) => validator,
        Err(error) => {
            let place = error.instance_path().to_string();
            let place = if place.is_empty() { place } else { format!(" at '{place}'") };
            return whole(format!("values.schema.json is not a valid schema{place}: {error}"));
        }
    };
    let instance = to_json(&Value::Map(std::rc::Rc::clone(values)));
    validator
        .iter_errors(&instance)
        .map(|error| Violation { pointer: error.instance_path().to_string(), message: error.to_string() })
        .collect()
}

/// Where schemas are loaded from when another refers to them.
struct Loader {
    fetch: Option<FetchSchema>,
}

impl Retrieve for Loader {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Json, Box<dyn std::error::Error + Send + Sync>> {
        let address = uri.as_str();
        match uri.scheme().as_str() {
            "urn" => Ok(Json::Bool(true)),
            "file" => Ok(serde_json::from_slice(&std::fs::read(uri.path().as_str())?)?),
            "http" | "https" => {
                let fetch = self.fetch.as_ref().ok_or("addresses are not loaded here")?;
                Ok(serde_json::from_slice(&fetch(address)?)?)
            }
            scheme => Err(format!("no loader for {scheme}").into()),
        }
    }
}

/// The draft that a schema is written in: the one `$schema` names, or the newest if it names none. Another schema
/// named there is loaded, and asked in turn.
fn draft_of(schema: &Json, fetch: Option<&FetchSchema>) -> Result<Draft, String> {
    let mut current = std::borrow::Cow::Borrowed(schema);
    // Nobody stacks meta-schemas deeper than this, but they could name each other.
    for _ in 0..8 {
        let Some(uri) = current.get("$schema").and_then(Json::as_str) else { return Ok(Draft::Draft202012) };
        if let Some(draft) = known_draft(uri) {
            return Ok(draft);
        }
        let refused = |reason: String| format!("cannot load the schema's own schema {uri}: {reason}");
        let fetch = fetch.ok_or_else(|| refused("addresses are not loaded here".to_owned()))?;
        let data = fetch(uri).map_err(refused)?;
        let next = serde_json::from_slice(&data).map_err(|error| refused(error.to_string()))?;
        current = std::borrow::Cow::Owned(next);
    }
    Err("the schema's own schema has no end".to_owned())
}

/// Writes the names of known drafts as the validator knows them: it would load them from their addresses otherwise.
fn name_drafts(schema: &mut Json) {
    match schema {
        Json::Array(items) => items.iter_mut().for_each(name_drafts),
        Json::Object(fields) => {
            for (key, value) in fields {
                match (key.as_str(), &*value) {
                    ("$schema", Json::String(uri)) => {
                        if let Some(draft) = known_draft(uri) {
                            *value = name_of(draft).into();
                        }
                    }
                    ("enum" | "const" | "default" | "examples", _) => {}
                    _ => name_drafts(value),
                }
            }
        }
        _ => {}
    }
}

fn name_of(draft: Draft) -> &'static str {
    match draft {
        Draft::Draft4 => "http://json-schema.org/draft-04/schema#",
        Draft::Draft6 => "http://json-schema.org/draft-06/schema#",
        Draft::Draft7 => "http://json-schema.org/draft-07/schema#",
        Draft::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
        _ => "https://json-schema.org/draft/2020-12/schema",
    }
}

fn known_draft(uri: &str) -> Option<Draft> {
    let uri = uri.trim_end_matches('#');
    Some(match uri.strip_prefix("http://").or_else(|| uri.strip_prefix("https://")).unwrap_or(uri) {
        "json-schema.org/draft-04/schema" => Draft::Draft4,
        "json-schema.org/draft-06/schema" => Draft::Draft6,
        "json-schema.org/draft-07/schema" => Draft::Draft7,
        "json-schema.org/draft/2019-09/schema" => Draft::Draft201909,
        "json-schema.org/draft/2020-12/schema" | "json-schema.org/schema" => Draft::Draft202012,
        _ => return None,
    })
}

/// One walk over a schema, for what Helm's validator refuses or checks and the one used here does not.
struct Survey<'f> {
    draft: Draft,
    fetch: Option<&'f FetchSchema>,
    /// Formats in use that the draft does not know, but Helm's validator checks in old drafts.
    formats: BTreeSet<&'static str>,
}

impl Survey<'_> {
    fn is_old(&self) -> bool {
        matches!(self.draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7)
    }

    fn walk(&mut self, schema: &Json) -> Result<(), String> {
        match schema {
            Json::Array(items) => items.iter().try_for_each(|item| self.walk(item)),
            Json::Object(fields) => fields.iter().try_for_each(|(key, value)| self.keyword(key, value)),
            _ => Ok(()),
        }
    }

    fn keyword(&mut self, key: &str, value: &Json) -> Result<(), String> {
        match (key, value) {
            ("$schema", Json::String(uri)) if known_draft(uri).is_none() => {
                draft_of(&serde_json::json!({ "$schema": uri }), self.fetch).map(drop)
            }
            ("pattern", Json::String(pattern)) => readable(pattern),
            ("patternProperties", Json::Object(patterns)) => {
                patterns.keys().try_for_each(|pattern| readable(pattern))?;
                patterns.values().try_for_each(|schema| self.walk(schema))
            }
            ("format", Json::String(format)) if self.is_old() => {
                self.formats.extend(formats::UNKNOWN_TO_OLD_DRAFTS.iter().find(|known| *known == format));
                Ok(())
            }
            ("enum", Json::Array(items)) if items.is_empty() && self.is_old() => {
                Err("values.schema.json is not a valid schema: an enum must not be empty".to_owned())
            }
            ("enum" | "const" | "default" | "examples", _) => Ok(()),
            _ => self.walk(value),
        }
    }
}

/// Whether Go's engine can read a regular expression; it cannot look ahead, for instance.
fn readable(pattern: &str) -> Result<(), String> {
    gotmpl::regexp::Regexp::compile(pattern)
        .map(drop)
        .map_err(|error| format!("values.schema.json holds a pattern that Go cannot read: {error}"))
}

/// Values as JSON. Whole numbers lose their point: to Helm's validator `5.0` is an integer in every draft.
fn to_json(value: &Value) -> Json {
    match value {
        Value::Bool(value) => Json::Bool(*value),
        Value::Int(_, number) => (*number).into(),
        Value::Uint(_, number) => (*number).into(),
        Value::Float(number) if number.fract() == 0.0 && number.abs() < 9.0e15 => (*number as i64).into(),
        Value::Float(number) => (*number).into(),
        Value::String(text) => Json::String(text.to_str().into_owned()),
        Value::Number(digits) => serde_json::from_str(digits).unwrap_or(Json::Null),
        Value::List(list) => Json::Array(list.borrow().iter().map(to_json).collect()),
        Value::Map(map) => {
            Json::Object(map.borrow().iter().map(|(key, value)| (key.to_string(), to_json(value))).collect())
        }
        _ => Json::Null,
    }
}
