//! The rules for `values.yaml`.

use std::path::Path;

use goyaml::Mapping;

use super::{Findings, LintOptions, Severity};
use crate::decode::sort_of;
use crate::load::Warnings;
use crate::path::io_message;
use crate::prepare::{merge_under, table_from};
use crate::schema;

const FILE: &str = "values.yaml";

pub(super) fn check(directory: &Path, values: &Mapping, options: &LintOptions, findings: &mut Findings) {
    let path = directory.join(FILE);
    let exists = if path.exists() { Ok(()) } else { Err("file does not exist".to_owned()) };
    if findings.check(Severity::Info, FILE, exists) {
        findings.error(FILE, contents(&path, values, options));
    }
}

/// The file must be values, and with the user's over them satisfy the schema.
fn contents(path: &Path, values: &Mapping, options: &LintOptions) -> Result<(), String> {
    let parse = |error: String| format!("unable to parse YAML: {error}");
    let data = std::fs::read(path)
        .map_err(|error| parse(format!("open {}: {}", path.display(), io_message(&error))))?;
    let text = String::from_utf8_lossy(&data);
    let defaults = goyaml::from_str(&text).map_err(|error| parse(error.to_string()))?;
    let defaults = match defaults.numbers_as_float64() {
        goyaml::Value::Mapping(defaults) => defaults,
        goyaml::Value::Null => Mapping::new(),
        other => {
            let sort = sort_of(&other);
            return Err(parse(format!(
                "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {sort} into Go value of type common.Values"
            )));
        }
    };
    let schema = std::fs::read(path.with_file_name("values.schema.json")).unwrap_or_default();
    if schema.is_empty() || options.skip_schema_validation {
        return Ok(());
    }
    let table = table_from(values);
    merge_under(&table, &table_from(&defaults), "", false, &mut Warnings::new());
    let problems = schema::problems(&schema, &table, None);
    if problems.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = problems.iter().map(|problem| format!("- {problem}")).collect();
    Err(lines.join("\n") + "\n")
}
