//! Whether values are surely valid, found by reading the schema once instead of compiling it.
//!
//! Nearly all values that a schema sees are valid, and nearly all schemas use a dozen keywords. For these the answer
//! is found here, in a fraction of the time. Everything else is left to the validator: a keyword that is not known
//! exactly, a reference to elsewhere, a schema that may not be well-formed, a value that may be refused. It alone
//! says no, and why.

mod document;
mod form;
mod pattern;
mod place;
mod value;

use std::rc::Rc;

use gotmpl::Value;
use jsonschema::Draft;

use crate::prepare::Table;
use document::Json;
use pattern::Patterns;

/// Whether the schema is surely well-formed and surely accepts the values. `false` means that nothing is known.
pub(super) fn is_valid(schema: &[u8], values: &Table) -> bool {
    decide(schema, &Value::Map(Rc::clone(values))) == Some(true)
}

fn decide(schema: &[u8], values: &Value) -> Option<bool> {
    let root: Json<'_> = serde_json::from_slice(schema).ok()?;
    let draft = match root.get("$schema") {
        None => Draft::Draft202012,
        Some(Json::String(uri)) => super::known_draft(uri)?,
        Some(_) => return None,
    };
    if !matches!(draft, Draft::Draft7 | Draft::Draft201909 | Draft::Draft202012) {
        return None;
    }
    let mut patterns = Patterns::default();
    form::check(&root, draft, &mut patterns)?;
    value::Check::new(&root, draft, &patterns).decide(values)
}

#[cfg(test)]
mod tests;
