//! Whether a schema is surely well-formed, and says nothing that is not understood here.

use jsonschema::Draft;

use super::document::Json;
use super::pattern::Patterns;
use super::place;

/// How deep schemas may be nested.
const DEPTH: usize = 100;

/// How many names or values a list may have that must not repeat themselves.
const LISTED: usize = 100;

/// `None` if the schema may be ill-formed, or has a keyword whose meaning is not known for sure. The patterns in it
/// are compiled.
pub(super) fn check<'s>(root: &'s Json<'_>, draft: Draft, patterns: &mut Patterns<'s>) -> Option<()> {
    let mut form = Form { draft, patterns, references: Vec::new() };
    form.schema(root, 0)?;
    form.references.iter().try_for_each(|reference| place::resolve(root, reference).map(drop))
}

struct Form<'p, 's> {
    draft: Draft,
    patterns: &'p mut Patterns<'s>,
    references: Vec<&'s str>,
}

impl<'s> Form<'_, 's> {
    fn schema(&mut self, schema: &'s Json<'_>, depth: usize) -> Option<()> {
        match schema {
            Json::Bool(_) => Some(()),
            Json::Object(entries) if depth < DEPTH => {
                entries.iter().try_for_each(|(key, value)| self.keyword(key, value, depth))
            }
            _ => None,
        }
    }

    fn keyword(&mut self, key: &str, value: &'s Json<'_>, depth: usize) -> Option<()> {
        let holds = |fine: bool| fine.then_some(());
        match key {
            "title" | "description" | "$comment" | "format" => holds(matches!(value, Json::String(_))),
            "type" => type_names(value),
            "properties" | "definitions" | "$defs" => self.named(value, depth),
            "patternProperties" => {
                self.named(value, depth)?;
                let Json::Object(entries) = value else { return None };
                entries.iter().try_for_each(|(pattern, _)| self.patterns.add(pattern))
            }
            "items" => match value {
                Json::Array(_) if self.draft == Draft::Draft202012 => None,
                Json::Array(_) => self.list(value, depth),
                _ => self.schema(value, depth + 1),
            },
            "additionalProperties" | "not" | "if" | "then" | "else" => self.schema(value, depth + 1),
            "allOf" | "anyOf" | "oneOf" => self.list(value, depth),
            "required" => names(value),
            "enum" => match value {
                Json::Array(items) => {
                    holds((1..=LISTED).contains(&items.len()) && is_distinct(items))?;
                    items.iter().try_for_each(inert)
                }
                _ => None,
            },
            "const" | "default" => inert(value),
            "examples" => match value {
                Json::Array(items) => items.iter().try_for_each(inert),
                _ => None,
            },
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                holds(matches!(value, Json::Integer(_) | Json::Float(_)))
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                holds(matches!(value, Json::Integer(0..=0xffff_ffff)))
            }
            "uniqueItems" | "readOnly" | "writeOnly" | "deprecated" => holds(matches!(value, Json::Bool(_))),
            "pattern" => match value {
                Json::String(pattern) => self.patterns.add(pattern),
                _ => None,
            },
            "$ref" => match value {
                Json::String(reference) => {
                    self.references.push(reference);
                    Some(())
                }
                _ => None,
            },
            // The draft is settled once, at the root.
            "$schema" => holds(depth == 0),
            // A name for the whole does not change where its own places are; a name inside would.
            "$id" => match value {
                Json::String(address) => holds(depth == 0 && is_plain_address(address)),
                _ => None,
            },
            // Known to some draft, but not here.
            "additionalItems"
            | "contains"
            | "contentEncoding"
            | "contentMediaType"
            | "contentSchema"
            | "dependencies"
            | "dependentRequired"
            | "dependentSchemas"
            | "discriminator"
            | "id"
            | "maxContains"
            | "minContains"
            | "multipleOf"
            | "prefixItems"
            | "propertyNames"
            | "unevaluatedItems"
            | "unevaluatedProperties" => None,
            _ if key.starts_with('$') => None,
            _ => unknown(value),
        }
    }

    fn named(&mut self, value: &'s Json<'_>, depth: usize) -> Option<()> {
        let Json::Object(entries) = value else { return None };
        entries.iter().try_for_each(|(_, schema)| self.schema(schema, depth + 1))
    }

    fn list(&mut self, value: &'s Json<'_>, depth: usize) -> Option<()> {
        match value {
            Json::Array(schemas) if !schemas.is_empty() => {
                schemas.iter().try_for_each(|schema| self.schema(schema, depth + 1))
            }
            _ => None,
        }
    }
}

/// Whether an address is absolute, has nothing in it to be decoded or left out, and is nobody else's.
fn is_plain_address(address: &str) -> bool {
    let Some(rest) = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://")) else {
        return false;
    };
    let is_word =
        |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
    let mut parts = rest.split('/');
    let host = parts.next().unwrap_or_default();
    let fine = |part: &str| is_word(part) && !part.starts_with('.');
    host.starts_with(|c: char| c.is_ascii_alphabetic())
        && fine(host)
        && !host.contains("json-schema.org")
        && parts.all(fine)
}

fn is_distinct(items: &[Json<'_>]) -> bool {
    items.iter().enumerate().all(|(index, item)| !items[..index].contains(item))
}

fn is_type(name: &Json<'_>) -> bool {
    let Json::String(name) = name else { return false };
    matches!(&**name, "array" | "boolean" | "integer" | "null" | "number" | "object" | "string")
}

fn type_names(value: &Json<'_>) -> Option<()> {
    let fine = match value {
        Json::Array(names) => {
            (1..=7).contains(&names.len()) && names.iter().all(is_type) && is_distinct(names)
        }
        name => is_type(name),
    };
    fine.then_some(())
}

fn names(value: &Json<'_>) -> Option<()> {
    let Json::Array(names) = value else { return None };
    let fine = names.len() <= LISTED
        && names.iter().all(|name| matches!(name, Json::String(_)))
        && is_distinct(names);
    fine.then_some(())
}

/// Values that are only compared or shown. What looks like a schema's own business in them is left to those who
/// know whether it is.
fn inert(value: &Json<'_>) -> Option<()> {
    match value {
        Json::Array(items) => items.iter().try_for_each(inert),
        Json::Object(entries) => {
            entries.iter().try_for_each(|(key, value)| if key.starts_with('$') { None } else { inert(value) })
        }
        _ => Some(()),
    }
}

/// What an unknown keyword holds: no schema, but it is searched for what Go could not read all the same.
fn unknown(value: &Json<'_>) -> Option<()> {
    match value {
        Json::Array(items) => items.iter().try_for_each(unknown),
        Json::Object(entries) => entries.iter().try_for_each(|(key, value)| match &**key {
            "pattern" | "patternProperties" | "format" | "enum" | "id" => None,
            key if key.starts_with('$') => None,
            _ => unknown(value),
        }),
        _ => Some(()),
    }
}
