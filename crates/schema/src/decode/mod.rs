//! Reading objects of built-in kinds as the API server does: JSON into Go's types, and out again.
//!
//! What comes out is what the server would store and answer: unknown fields are gone (and named, if asked for), empty
//! fields that Go omits are left out, those it always writes are there, and amounts and times have their usual form.
//!
//! Two ways lead in, because the server has two. [`decode`] is the way of request bodies and of the results of JSON and
//! merge patches, with the complaints of Go's JSON decoder. [`convert()`] is the way of strategic merge patches, whose
//! result goes from maps to types by reflection, with complaints of its own.

mod check;
mod convert;
mod own;
mod respelled;
#[cfg(test)]
mod tests;
mod write;

use serde_json::Value;

pub use respelled::respelled_lists;

use crate::json::Tree;
use crate::structure::{Schema, Shape, Types, View};

/// An object as the server holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// The object.
    pub value: Value,
    /// What strict decoding complains of: `unknown field "spec.foo"`, `duplicate field "spec.bar"`.
    pub complaints: Vec<String>,
}

/// Why an object cannot be read, in the server's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DecodeError(pub(crate) String);

/// Reads an object from JSON. `strict` asks for complaints; without, unknown and doubled fields pass in silence.
///
/// # Errors
/// A value of the wrong type, such as `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas
/// of type int32`; of several the first in the document.
pub fn decode(view: View<'_>, tree: Tree, strict: bool) -> Result<Decoded, DecodeError> {
    let complaints = check::check(view, &tree, strict)?;
    Ok(Decoded { value: write::write(view, tree), complaints })
}

/// Reads an object from maps and lists, as the result of a strategic merge is read. Complaints are sorted.
///
/// # Errors
/// A value of the wrong type, such as `cannot restore struct from: string`.
pub fn convert(view: View<'_>, value: Value, strict: bool) -> Result<Decoded, DecodeError> {
    let complaints = convert::check(view, &value, strict)?;
    Ok(Decoded { value: write::write(view, value.into()), complaints })
}

/// Finds what strict decoding says of a document that has no structure: only doubled fields.
///
/// # Errors
/// The document is not a JSON object (nor null).
pub fn check_fields(tree: &Tree) -> Result<Vec<String>, DecodeError> {
    check::check_open(tree)
}

/// Joins complaints as the server does when it refuses for their sake.
pub fn strict_error(complaints: &[String]) -> String {
    format!("strict decoding error: {}", complaints.join(", "))
}

/// The schema that names lead to.
fn resolve<'a>(types: &'a Types, schema: &'a Schema) -> &'a Schema {
    let mut schema = schema;
    while let Shape::Named(name) = &schema.shape {
        match types.get(name) {
            Some(next) => schema = next,
            None => break,
        }
    }
    schema
}

/// The name of a structure without its package.
fn struct_name(schema: &Schema) -> &str {
    let name = schema.encoding.go_type.as_deref().unwrap_or_default();
    name.rsplit('.').next().unwrap_or_default()
}
