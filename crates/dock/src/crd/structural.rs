//! Whether a schema is structural: every place has a type, and what alternatives check has a place.

use super::props::Props;
use crate::field::{FieldError, Path};

/// Why a schema cannot even be read as structural.
pub fn unsupported(schema: &Props) -> Option<String> {
    let refused = [
        (!schema.id.is_empty(), "id"),
        (!schema.schema.is_empty(), "schema"),
        (schema.reference.as_ref().is_some_and(|reference| !reference.is_empty()), "$ref"),
        (!schema.pattern_properties.is_empty(), "patternProperties"),
        (schema.dependencies.as_ref().is_some_and(|dependencies| !dependencies.is_empty()), "dependencies"),
        (schema.additional_items.is_some(), "additionalItems"),
        (!schema.definitions.is_empty(), "definitions"),
    ];
    if let Some((_, name)) = refused.iter().find(|(set, _)| *set) {
        return Some(format!("OpenAPIV3Schema '{name}' is not supported"));
    }
    let nested =
        schema.not.as_deref().into_iter().chain(&schema.all_of).chain(&schema.any_of).chain(&schema.one_of);
    if let Some(words) = nested.into_iter().find_map(unsupported) {
        return Some(words);
    }
    if schema.preserve_unknown_fields == Some(false) {
        let words = "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
        return Some(words.to_owned());
    }
    if schema.items.as_ref().is_some_and(|items| !items.schemas.is_empty()) {
        return Some("OpenAPIV3Schema 'items' must be a schema, but is an array".to_owned());
    }
    let below = schema.item().into_iter().chain(schema.properties.values()).chain(schema.additional());
    below.into_iter().find_map(unsupported)
}

/// What keeps a schema from being structural, sorted.
pub fn violations(schema: &Props, path: &Path) -> Vec<FieldError> {
    let mut walk = Walk { errors: Vec::new() };
    walk.invariants(schema, Level::Root, path);
    walk.completeness(schema, Some(schema), path, path);
    let mut errors = walk.errors;
    errors.sort_by_cached_key(ToString::to_string);
    errors
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

struct Walk {
    errors: Vec<FieldError>,
}

impl Walk {
    fn required(&mut self, path: &Path, words: impl Into<String>) {
        self.errors.push(FieldError::required(path, words));
    }

    fn forbidden(&mut self, path: &Path, words: &str) {
        self.errors.push(FieldError::forbidden(path, words));
    }

    fn invalid(&mut self, path: &Path, value: &str, words: impl Into<String>) {
        self.errors.push(FieldError::invalid(path, value, words));
    }

    fn invariants(&mut self, schema: &Props, level: Level, path: &Path) {
        let kind = schema.kind.as_str();
        let kind_path = path.child("type");
        if kind == "array" && schema.item().is_none() {
            self.required(&path.child("items"), "must be specified");
        }
        if let Some(item) = schema.item() {
            self.invariants(item, Level::Item, &path.child("items"));
        }
        for (name, property) in &schema.properties {
            self.invariants(property, Level::Field, &path.child("properties").key(name));
        }
        if schema.additional_properties.is_some() {
            let place = path.child("additionalProperties");
            if level == Level::Root {
                self.forbidden(&place, "must not be used at the root");
            }
            if let Some(additional) = schema.additional() {
                self.invariants(additional, Level::Field, &place);
            }
        }
        self.extensions(schema, path);
        self.value_validation(schema, is_number_or_text(&schema.any_of), begins_number_or_text(schema), path);
        if schema.embedded_resource && kind != "object" {
            let words = "must be object if x-kubernetes-embedded-resource is true";
            if kind.is_empty() {
                self.required(&kind_path, words);
            } else {
                self.invalid(&kind_path, kind, words);
            }
        } else if kind.is_empty() && !schema.int_or_string && !schema.preserves() {
            self.required(
                &kind_path,
                match level {
                    Level::Root => "must not be empty at the root",
                    Level::Item => "must not be empty for specified array items",
                    Level::Field => "must not be empty for specified object fields",
                },
            );
        }
        if schema.embedded_resource && schema.additional_properties.is_some() {
            self.forbidden(
                &path.child("additionalProperties"),
                "must not be used if x-kubernetes-embedded-resource is set",
            );
        }
        if level == Level::Root && !kind.is_empty() && kind != "object" {
            self.invalid(&kind_path, kind, "must be object at the root");
        }
        self.resource_fields(schema, level, path);
    }

    fn extensions(&mut self, schema: &Props, path: &Path) {
        let words = "must be false if x-kubernetes-int-or-string is true";
        let pairs = [
            (schema.preserves(), "x-kubernetes-preserve-unknown-fields"),
            (schema.embedded_resource, "x-kubernetes-embedded-resource"),
        ];
        for (set, name) in pairs {
            if schema.int_or_string && set {
                self.errors.push(FieldError::invalid(&path.child(name), true, words));
            }
        }
    }

    fn resource_fields(&mut self, schema: &Props, level: Level, path: &Path) {
        let resource = level == Level::Root || schema.embedded_resource;
        for name in ["kind", "apiVersion"] {
            if let Some(property) = schema.properties.get(name)
                && resource
                && property.kind != "string"
            {
                let place = path.child("properties").key(name).child("type");
                self.invalid(&place, &property.kind, "must be string");
            }
        }
        if let Some(metadata) = schema.properties.get("metadata") {
            let place = path.child("properties").key("metadata");
            if resource && metadata.kind != "object" {
                self.invalid(&place.child("type"), &metadata.kind, "must be object");
            }
            if level == Level::Root && !says_only_names(metadata) {
                self.forbidden(
                    &place,
                    "must not specify anything other than name and generateName, but metadata is implicitly \
                     specified",
                );
            }
        }
        if schema.embedded_resource && !schema.preserves() && schema.properties.is_empty() {
            self.required(
                &path.child("properties"),
                "must not be empty if x-kubernetes-embedded-resource is true without \
                 x-kubernetes-preserve-unknown-fields",
            );
        }
    }

    fn value_validation(&mut self, schema: &Props, skip_any_of: bool, skip_first: bool, path: &Path) {
        if !skip_any_of {
            for (index, part) in schema.any_of.iter().enumerate() {
                self.nested(part, false, &path.child("anyOf").index(index));
            }
        }
        for (index, part) in schema.all_of.iter().enumerate() {
            self.nested(part, skip_first && index == 0, &path.child("allOf").index(index));
        }
        for (index, part) in schema.one_of.iter().enumerate() {
            self.nested(part, false, &path.child("oneOf").index(index));
        }
        if let Some(not) = &schema.not {
            self.nested(not, false, &path.child("not"));
        }
        if !schema.pattern.is_empty()
            && let Err(error) = goregexp::Regexp::compile(&schema.pattern)
        {
            let words = format!("must be a valid regular expression, but isn't: {error}");
            self.invalid(&path.child("pattern"), &schema.pattern, words);
        }
    }

    /// A schema below an alternative only checks; it says nothing about structure.
    fn nested(&mut self, schema: &Props, skip_any_of: bool, path: &Path) {
        self.value_validation(schema, skip_any_of, false, path);
        if let Some(item) = schema.item() {
            self.nested(item, false, &path.child("items"));
        }
        for (name, property) in &schema.properties {
            self.nested(property, false, &path.child("properties").key(name));
        }
        let additional = schema.additional_properties.as_ref().is_some_and(|place| place.allows);
        let refused = [
            (!schema.kind.is_empty(), "type", "must be empty to be structural"),
            (additional, "additionalProperties", "must be undefined to be structural"),
            (schema.default.is_some(), "default", "must be undefined to be structural"),
            (!schema.title.is_empty(), "title", "must be empty to be structural"),
            (!schema.description.is_empty(), "description", "must be empty to be structural"),
            (schema.nullable, "nullable", "must be false to be structural"),
            (schema.preserves(), "x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
            (schema.embedded_resource, "x-kubernetes-embedded-resource", "must be false to be structural"),
            (schema.int_or_string, "x-kubernetes-int-or-string", "must be false to be structural"),
            (
                !schema.list_map_keys.is_empty(),
                "x-kubernetes-list-map-keys",
                "must be empty to be structural",
            ),
            (schema.list_type.is_some(), "x-kubernetes-list-type", "must be undefined to be structural"),
            (schema.map_type.is_some(), "x-kubernetes-map-type", "must be undefined to be structural"),
            (!schema.validations.is_empty(), "x-kubernetes-validations", "must be empty to be structural"),
        ];
        for (set, name, words) in refused {
            if set {
                self.forbidden(&path.child(name), words);
            }
        }
        if schema.properties.contains_key("metadata") {
            self.forbidden(
                &path.child("properties").key("metadata"),
                "must not be specified in a nested context",
            );
        }
    }

    /// What alternatives look at must have a place in the structure.
    fn completeness(&mut self, values: &Props, structure: Option<&Props>, place: &Path, path: &Path) {
        let Some(structure) = structure else {
            self.required(place, format!("because it is defined in {path}"));
            return;
        };
        if let Some(not) = &values.not {
            self.nested_completeness(not, Some(structure), place, &path.child("not"));
        }
        for (name, parts) in [("allOf", &values.all_of), ("anyOf", &values.any_of), ("oneOf", &values.one_of)]
        {
            for (index, part) in parts.iter().enumerate() {
                self.nested_completeness(part, Some(structure), place, &path.child(name).index(index));
            }
        }
    }

    fn nested_completeness(&mut self, values: &Props, structure: Option<&Props>, place: &Path, path: &Path) {
        let Some(structure) = structure else {
            self.required(place, format!("because it is defined in {path}"));
            return;
        };
        self.completeness(values, Some(structure), place, path);
        if let Some(item) = values.item() {
            self.nested_completeness(item, structure.item(), &place.child("items"), &path.child("items"));
        }
        for (name, property) in &values.properties {
            let place = place.child("properties").key(name);
            let path = path.child("properties").key(name);
            match structure.properties.get(name) {
                Some(known) => self.nested_completeness(property, Some(known), &place, &path),
                None => self.required(&place, format!("because it is defined in {path}")),
            }
        }
    }
}

/// `anyOf` of an integer and a text, spelled out.
fn is_number_or_text(any_of: &[Props]) -> bool {
    let of_kind = |kind: &str| Props { kind: kind.to_owned(), ..Props::default() };
    any_of == [of_kind("integer"), of_kind("string")]
}

fn begins_number_or_text(schema: &Props) -> bool {
    schema.all_of.first().is_some_and(|first| is_number_or_text(&first.any_of))
}

/// Whether a schema of `metadata` speaks of names only.
fn says_only_names(metadata: &Props) -> bool {
    let mut rest = metadata.clone();
    if !rest.properties.is_empty()
        && rest.properties.keys().all(|name| name == "name" || name == "generateName")
    {
        rest.properties.clear();
    }
    rest.kind.clear();
    rest.default = None;
    rest == Props::default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn violations_are_told() {
        let cases: [(Value, &[&str]); 7] = [
            (json!({"type": "object", "properties": {"a": {"type": "string"}}}), &[]),
            (
                json!({"properties": {"a": {}}}),
                &[
                    "s.properties[a].type: Required value: must not be empty for specified object fields",
                    "s.type: Required value: must not be empty at the root",
                ],
            ),
            (
                json!({"type": "object", "properties": {"a": {"type": "array"}}}),
                &["s.properties[a].items: Required value: must be specified"],
            ),
            (
                json!({"type": "object", "properties": {"a": {"x-kubernetes-int-or-string": true,
                "anyOf": [{"type": "integer"}, {"type": "string"}]}}}),
                &[],
            ),
            (
                json!({"type": "object", "oneOf": [{"properties": {"b": {"type": "string"}}}]}),
                &[
                    "s.oneOf[0].properties[b].type: Forbidden: must be empty to be structural",
                    "s.properties[b]: Required value: because it is defined in s.oneOf[0].properties[b]",
                ],
            ),
            (
                json!({"type": "object", "properties": {"metadata": {"type": "object", "description": "x"}}}),
                &[
                    "s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
                ],
            ),
            (
                json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "["}}}),
                &[
                    "s.properties[a].pattern: Invalid value: \"[\": must be a valid regular expression, but isn't: error parsing regexp: missing closing ]: `[`",
                ],
            ),
        ];
        for (schema, expected) in cases {
            let said: Vec<String> =
                violations(&Props::read(&schema), &Path::new("s")).iter().map(ToString::to_string).collect();
            assert_eq!(said, expected, "{schema}");
        }
    }

    #[test]
    fn some_schemas_cannot_be_read() {
        let schema = Props::read(&json!({"type": "object", "properties": {"a": {"$ref": "#/x"}}}));
        assert_eq!(unsupported(&schema).as_deref(), Some("OpenAPIV3Schema '$ref' is not supported"));
        assert_eq!(unsupported(&Props::default()), None);
    }
}
