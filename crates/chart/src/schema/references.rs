//! Keywords beside a reference, which drafts before 2019 tell a validator to ignore. Helm's ignores those that
//! draft 4 had, but not the ones that drafts 6 and 7 added.

use jsonschema::Draft;
use serde_json::{Map, Value as Json, json};

/// The schema with the keywords that count moved from beside a reference to where every validator sees them.
pub(super) fn with_neighbours(schema: &mut Json, draft: Draft) {
    let counting: &[&str] = match draft {
        Draft::Draft6 => &["const", "contains", "propertyNames"],
        Draft::Draft7 => &["const", "contains", "propertyNames", "if", "then", "else"],
        _ => return,
    };
    walk(schema, counting);
}

fn walk(schema: &mut Json, counting: &[&str]) {
    match schema {
        Json::Array(items) => items.iter_mut().for_each(|item| walk(item, counting)),
        Json::Object(fields) => {
            for (key, value) in fields.iter_mut() {
                if !matches!(key.as_str(), "enum" | "const" | "default" | "examples") {
                    walk(value, counting);
                }
            }
            if fields.get("$ref").is_some_and(Json::is_string) {
                split(fields, counting);
            }
        }
        _ => {}
    }
}

fn split(fields: &mut Map<String, Json>, counting: &[&str]) {
    let neighbours: Map<_, _> = counting.iter().filter_map(|keyword| fields.remove_entry(*keyword)).collect();
    if neighbours.is_empty() {
        return;
    }
    // Others may refer to what is defined here.
    let kept: Map<_, _> = ["$schema", "$id", "definitions"]
        .iter()
        .filter_map(|keyword| fields.remove_entry(*keyword))
        .collect();
    let reference = std::mem::replace(fields, kept);
    fields.insert("allOf".to_owned(), json!([reference, neighbours]));
}
