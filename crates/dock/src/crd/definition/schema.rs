//! What is wrong with the schema in a definition.

use super::{default_values, internal};
use crate::crd::defaulting::prune_defaults;
use crate::crd::field_path;
use crate::crd::props::Props;
use crate::crd::rules;
use crate::crd::structural;
use crate::field::{FieldError, Path};

const KINDS: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];
const ROOT_FIELDS: &str = "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength \
                           MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties \
                           ExternalDocs Example XPreserveUnknownFields XValidations]";

/// What is demanded of a schema.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate demand")]
pub(super) struct Strictness {
    pub(super) structural: bool,
    pub(super) valid_types: bool,
    pub(super) pruned_defaults: bool,
    pub(super) atomic_sets: bool,
    pub(super) list_keys: bool,
    /// Whether single rules may cost only so much.
    pub(super) costs: bool,
}

impl Strictness {
    pub(super) fn everything() -> Self {
        Self {
            structural: true,
            valid_types: true,
            pruned_defaults: true,
            atomic_sets: true,
            list_keys: true,
            costs: true,
        }
    }
}

/// Whether a place has a type that does not exist.
pub(super) fn has_unknown_type(schema: &Props) -> bool {
    !schema.kind.is_empty() && !KINDS.contains(&schema.kind.as_str())
}

/// Whether a place has an extension that only structural schemas may have.
pub(super) fn has_extensions(schema: &Props) -> bool {
    schema.embedded_resource
        || schema.preserve_unknown_fields.is_some()
        || schema.int_or_string
        || !schema.list_map_keys.is_empty()
        || schema.list_type.is_some()
        || !schema.validations.is_empty()
}

/// Whether a structural schema has defaults with unknown fields.
pub(super) fn has_unpruned_defaults(schema: &Props) -> bool {
    schema.any(&|place| place.default.is_some())
        && structural::unsupported(schema).is_none()
        && structural::violations(schema, &Path::default()).is_empty()
        && prune_defaults(schema) != *schema
}

/// Whether a place is a set whose items are not single values.
pub(super) fn has_non_atomic_set(schema: &Props) -> bool {
    if schema.list_type.as_deref() != Some("set") {
        return false;
    }
    schema.item().is_some_and(|item| match item.kind.as_str() {
        "array" => item.list_type.as_deref().is_some_and(|kind| kind != "atomic"),
        "object" => item.map_type.as_deref() != Some("atomic"),
        _ => false,
    })
}

/// Whether a place is a list that is a map whose keys may be absent.
pub(super) fn has_incomplete_keys(schema: &Props) -> bool {
    !list_keys(schema, &Path::default()).is_empty()
}

/// What is wrong with a schema.
pub(super) fn validate(schema: &Props, status: bool, strictness: Strictness, path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let place = path.child("openAPIV3Schema");
    if status {
        errors.extend(root_fields(schema, path));
    }
    if schema.nullable {
        errors.push(FieldError::forbidden(
            &path.child("openAPIV3Schema.nullable"),
            "nullable cannot be true at the root",
        ));
    }
    let mut unreadable = None;
    let mut rules = false;
    if strictness.structural {
        if let Some(words) = structural::unsupported(schema) {
            unreadable = Some(FieldError::invalid(&place, "", words));
        } else {
            let violations = structural::violations(schema, &place);
            let sound = violations.is_empty();
            errors.extend(violations);
            if sound {
                let wrong = default_values::validate(schema, strictness.pruned_defaults, &place);
                rules = wrong.is_empty();
                errors.extend(wrong);
            }
        }
    }
    let walk = Walk { strictness };
    let (found, costly) = walk.place(schema, &place, &Scope::root(), true, rules);
    errors.extend(found);
    errors.extend(costly);
    if errors.is_empty() {
        errors.extend(unreadable);
    }
    errors
}

/// Where `status` is written on its own, the root may say only so much.
fn root_fields(schema: &Props, path: &Path) -> Option<FieldError> {
    let before_type = !schema.id.is_empty() || !schema.schema.is_empty() || schema.reference.is_some();
    if !before_type && !schema.kind.is_empty() && schema.kind != "object" {
        return Some(FieldError::invalid(
            &path.child("openAPIV3Schema.type"),
            schema.kind.as_str(),
            "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled",
        ));
    }
    let refused = before_type
        || schema.nullable
        || schema.default.is_some()
        || !schema.choices.is_empty()
        || schema.max_properties.is_some()
        || schema.min_properties.is_some()
        || !schema.all_of.is_empty()
        || !schema.one_of.is_empty()
        || !schema.any_of.is_empty()
        || schema.not.is_some()
        || schema.additional_properties.is_some()
        || !schema.pattern_properties.is_empty()
        || schema.dependencies.is_some()
        || schema.additional_items.is_some()
        || !schema.definitions.is_empty()
        || schema.embedded_resource
        || schema.int_or_string
        || !schema.list_map_keys.is_empty()
        || schema.list_type.is_some()
        || schema.map_type.is_some();
    refused.then(|| {
        let words = format!(
            "only {ROOT_FIELDS} fields are allowed at the root of the schema if the status subresource is enabled"
        );
        FieldError::invalid(&path.child("openAPIV3Schema"), serde_json::Value::Null, words).showing(internal::props(schema))
    })
}

/// What holds at a place because of where it is.
#[derive(Debug, Clone)]
struct Scope {
    /// Why defaults are refused here, if they are.
    no_defaults: Option<String>,
    inside_meta: bool,
    /// Where old values can no longer be told apart.
    uncorrelatable: Option<Path>,
}

impl Scope {
    fn root() -> Self {
        Self { no_defaults: None, inside_meta: false, uncorrelatable: None }
    }

    fn uncorrelatable(mut self, path: &Path) -> Self {
        self.uncorrelatable.get_or_insert_with(|| path.clone());
        self
    }
}

/// Errors of the schema, then those of its rules.
type Found = (Vec<FieldError>, Vec<FieldError>);

struct Walk {
    strictness: Strictness,
}

impl Walk {
    fn place(&self, schema: &Props, path: &Path, scope: &Scope, root: bool, rules: bool) -> Found {
        let mut found: Found = (self.standard(schema, path, scope), Vec::new());
        if schema.unique_items {
            found.0.push(FieldError::forbidden(
                &path.child("uniqueItems"),
                "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
            ));
        }
        if let Some(additional) = &schema.additional_properties
            && !schema.properties.is_empty()
            && (!additional.allows || additional.schema.is_some())
        {
            let words = "additionalProperties and properties are mutual exclusive";
            found.0.push(FieldError::forbidden(&path.child("additionalProperties"), words));
        }
        self.below(schema, path, scope, root, rules, &mut found);
        found.0.extend(self.extensions(schema, path));
        found.0.extend(rule_shapes(schema, path));
        if rules && found.0.is_empty() && !schema.validations.is_empty() {
            found.1.extend(expressions(schema, path, scope, root || schema.embedded_resource));
        }
        found
    }

    fn below(&self, schema: &Props, path: &Path, scope: &Scope, root: bool, rules: bool, found: &mut Found) {
        let mut add = |schema: &Props, path: &Path, scope: &Scope, rules: bool| {
            let (errors, costly) = self.place(schema, path, scope, false, rules);
            found.0.extend(errors);
            found.1.extend(costly);
        };
        if let Some(additional) = &schema.additional_properties {
            let place = path.child("additionalProperties");
            if let Some(additional) = &additional.schema {
                let mut scope = scope.clone();
                if scope.inside_meta {
                    scope.no_defaults =
                        Some("inside additionalProperties applying to object metadata".into());
                }
                add(additional, &place, &scope, rules);
            }
        }
        for (name, property) in &schema.properties {
            let mut scope = scope.clone();
            if !schema.map_type.as_deref().is_none_or(|kind| matches!(kind, "granular" | "atomic")) {
                scope = scope.uncorrelatable(path);
            }
            if (root || schema.embedded_resource)
                && matches!(name.as_str(), "metadata" | "kind" | "apiVersion")
            {
                scope.inside_meta = true;
                if root {
                    scope.no_defaults = Some(format!("in top-level {name}"));
                }
            }
            add(property, &path.child("properties").key(name), &scope, rules);
        }
        if let Some(not) = &schema.not {
            add(not, &path.child("not"), scope, false);
        }
        for (name, parts) in [("allOf", &schema.all_of), ("oneOf", &schema.one_of), ("anyOf", &schema.any_of)]
        {
            for (index, part) in parts.iter().enumerate() {
                add(part, &path.child(name).index(index), scope, false);
            }
        }
        for (name, definition) in &schema.definitions {
            add(definition, &path.child("definitions").key(name), scope, false);
        }
        if let Some(items) = &schema.items {
            let mut scope = scope.clone();
            if schema.list_type.as_deref() != Some("map") {
                scope = scope.uncorrelatable(path);
            }
            let place = path.child("items");
            if let Some(item) = &items.schema {
                add(item, &place, &scope, rules);
            }
            for (index, item) in items.schemas.iter().enumerate() {
                add(item, &place.index(index), &scope, rules);
            }
        }
        for (name, dependency) in schema.dependencies.iter().flatten() {
            if let Some(dependency) = &dependency.schema {
                add(dependency, &path.child("dependencies").key(name), scope, false);
            }
        }
    }

    fn standard(&self, schema: &Props, path: &Path, scope: &Scope) -> Vec<FieldError> {
        let mut errors = Vec::new();
        if self.strictness.valid_types && has_unknown_type(schema) {
            errors.push(FieldError::not_supported(&path.child("type"), schema.kind.as_str(), &KINDS));
        }
        if let Some(reason) = &scope.no_defaults
            && schema.default.is_some()
        {
            errors.push(FieldError::forbidden(&path.child("default"), format!("must not be set {reason}")));
        }
        let items = schema.items.as_ref().is_some_and(|items| !items.schemas.is_empty());
        let refused = [
            (!schema.id.is_empty(), "id", "id is not supported"),
            (schema.additional_items.is_some(), "additionalItems", "additionalItems is not supported"),
            (
                !schema.pattern_properties.is_empty(),
                "patternProperties",
                "patternProperties is not supported",
            ),
            (!schema.definitions.is_empty(), "definitions", "definitions is not supported"),
            (schema.dependencies.is_some(), "dependencies", "dependencies is not supported"),
            (schema.reference.is_some(), "$ref", "$ref is not supported"),
            (schema.kind == "null", "type", "type cannot be set to null, use nullable as an alternative"),
            (items, "items", "items must be a schema object and not an array"),
            (
                scope.inside_meta && schema.embedded_resource,
                "x-kubernetes-embedded-resource",
                "must not be used inside of resource meta",
            ),
        ];
        for (set, name, words) in refused {
            if set {
                errors.push(FieldError::forbidden(&path.child(name), words));
            }
        }
        errors
    }

    fn extensions(&self, schema: &Props, path: &Path) -> Vec<FieldError> {
        let mut errors = Vec::new();
        if schema.preserve_unknown_fields == Some(false) {
            let place = path.child("x-kubernetes-preserve-unknown-fields");
            errors.push(FieldError::invalid(&place, false, "must be true or undefined"));
        }
        let kind_place = path.child("type");
        if let Some(kind) = schema.map_type.as_deref() {
            let words = "must be object if x-kubernetes-map-type is specified";
            errors.extend(wrong_kind(schema, "object", words, &kind_place));
            if !matches!(kind, "atomic" | "granular") {
                let place = path.child("x-kubernetes-map-type");
                errors.push(FieldError::not_supported(&place, kind, &["atomic", "granular"]));
            }
        }
        if let Some(kind) = schema.list_type.as_deref() {
            let words = "must be array if x-kubernetes-list-type is specified";
            let wrong = wrong_kind(schema, "array", words, &kind_place);
            if wrong.is_none() && self.strictness.atomic_sets && has_non_atomic_set(schema) {
                errors.extend(non_atomic(schema, path));
            }
            errors.extend(wrong);
            if !matches!(kind, "atomic" | "set" | "map") {
                let place = path.child("x-kubernetes-list-type");
                errors.push(FieldError::not_supported(&place, kind, &["atomic", "set", "map"]));
            }
        }
        errors.extend(list_map(schema, path));
        if self.strictness.list_keys {
            errors.extend(list_keys(schema, path));
        }
        errors
    }
}

fn wrong_kind(schema: &Props, kind: &str, words: &str, path: &Path) -> Option<FieldError> {
    if schema.kind == kind {
        return None;
    }
    Some(if schema.kind.is_empty() {
        FieldError::required(path, words)
    } else {
        FieldError::invalid(path, schema.kind.as_str(), words)
    })
}

/// The server shows the list type in both cases.
fn non_atomic(schema: &Props, path: &Path) -> Option<FieldError> {
    let item = schema.item()?;
    let field = if item.kind == "array" { "x-kubernetes-list-type" } else { "x-kubernetes-map-type" };
    let value = item.list_type.as_deref().map_or(serde_json::Value::Null, Into::into);
    Some(FieldError::invalid(
        &path.child("items").child(field),
        value,
        "must be atomic as item of a list with x-kubernetes-list-type=set",
    ))
}

fn list_map(schema: &Props, path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let kind_place = path.child("x-kubernetes-list-type");
    if !schema.list_map_keys.is_empty() {
        let words = "must be map if x-kubernetes-list-map-keys is non-empty";
        match schema.list_type.as_deref() {
            None => errors.push(FieldError::required(&kind_place, words)),
            Some("map") => {}
            Some(other) => errors.push(FieldError::invalid(&kind_place, other, words)),
        }
    }
    if schema.list_type.as_deref() != Some("map") {
        return errors;
    }
    let keys_place = path.child("x-kubernetes-list-map-keys");
    let place = path.child("items");
    if schema.list_map_keys.is_empty() {
        errors.push(FieldError::required(&keys_place, "must not be empty if x-kubernetes-list-type is map"));
    }
    match &schema.items {
        None => {
            errors.push(FieldError::required(&place, "must have a schema if x-kubernetes-list-type is map"));
        }
        Some(items) => match items.schema.as_deref() {
            None => errors.push(
                FieldError::invalid(
                    &place,
                    serde_json::Value::Null,
                    "must only have a single schema if x-kubernetes-list-type is map",
                )
                .showing(internal::items(items)),
            ),
            Some(item) if item.kind != "object" => errors.push(FieldError::invalid(
                &place.child("type"),
                item.kind.as_str(),
                "must be object if parent array's x-kubernetes-list-type is map",
            )),
            Some(item) => {
                for (index, key) in schema.list_map_keys.iter().enumerate() {
                    let all = || serde_json::Value::from(schema.list_map_keys.clone());
                    match item.properties.get(key) {
                        Some(property) if matches!(property.kind.as_str(), "array" | "object") => {
                            errors.push(FieldError::invalid(
                                &place.child("properties").key(key).child("type"),
                                item.kind.as_str(),
                                "must be a scalar type if parent array's x-kubernetes-list-type is map",
                            ));
                        }
                        Some(_) => {}
                        None => errors.push(FieldError::invalid(
                            &keys_place,
                            all(),
                            "entries must all be names of item properties",
                        )),
                    }
                    if schema.list_map_keys[..index].contains(key) {
                        errors.push(FieldError::invalid(
                            &keys_place,
                            all(),
                            "must not contain duplicate entries",
                        ));
                    }
                }
            }
        },
    }
    errors
}

/// The keys of a list that is a map are always there.
fn list_keys(schema: &Props, path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (Some(item), Some(kind)) = (schema.item(), schema.list_type.as_deref()) else { return errors };
    if !matches!(kind, "set" | "map") {
        return errors;
    }
    let place = path.child("items");
    if item.nullable {
        let words = format!("cannot be nullable when x-kubernetes-list-type is {kind}");
        errors.push(FieldError::forbidden(&place.child("nullable"), words));
    }
    if kind == "map" {
        for key in &schema.list_map_keys {
            let Some(property) = item.properties.get(key) else { continue };
            let place = place.child("properties").key(key);
            if !item.required.contains(key) && property.default.is_none() {
                errors.push(FieldError::required(
                    &place.child("default"),
                    "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required \
                     property",
                ));
            }
            if property.nullable {
                errors.push(FieldError::forbidden(
                    &place.child("nullable"),
                    "this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
                ));
            }
        }
    }
    errors
}

/// What is wrong with the expressions of rules.
fn expressions(schema: &Props, path: &Path, scope: &Scope, resource: bool) -> Vec<FieldError> {
    let place = path.child("x-kubernetes-validations");
    let Some((_, compiled)) = rules::compile(schema, resource) else {
        let words = "internal error: failed to construct type information for x-kubernetes-validations rules: unable \
                     to convert structural schema to CEL declarations";
        return vec![FieldError::internal(&place, words)];
    };
    let mut errors = Vec::new();
    for (index, (compiled, rule)) in compiled.iter().zip(&schema.validations).enumerate() {
        let place = place.index(index);
        let mut refuse = |field: &str, words: &str| {
            let error = FieldError::invalid(&place.child(field), serde_json::Value::Null, words);
            errors.push(error.showing(internal::rule(rule)));
        };
        if let Some(Err(words)) = &compiled.program {
            refuse("rule", words);
        }
        if let Some(Err(words)) = &compiled.message {
            refuse("messageExpression", words);
        }
        if compiled.uses_old_self() {
            if let Some(within) = &scope.uncorrelatable {
                let words = format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within {within}"
                );
                errors.push(FieldError::invalid(&place.child("rule"), rule.rule.as_str(), words));
            }
        } else if let Some(optional) = rule.optional_old_self {
            let words = "may not be set if oldSelf is not used in rule";
            errors.push(FieldError::invalid(&place.child("optionalOldSelf"), optional, words));
        }
    }
    errors
}

/// What is wrong with rules before anybody reads their expressions.
fn rule_shapes(schema: &Props, path: &Path) -> Vec<FieldError> {
    const REASONS: [&str; 4] =
        ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
    let mut errors = Vec::new();
    let breaks = |text: &str| text.contains(['\n', '\r']);
    for (index, rule) in schema.validations.iter().enumerate() {
        let place = path.child("x-kubernetes-validations").index(index);
        let (expression, message) = (rule.rule.trim(), rule.message.trim());
        let at = |field: &str| place.child(field);
        if expression.is_empty() {
            errors.push(FieldError::required(&at("rule"), "rule is not specified"));
        } else if !rule.message.is_empty() && message.is_empty() {
            let words = "must be non-empty if specified";
            errors.push(FieldError::invalid(&at("message"), rule.message.as_str(), words));
        } else if breaks(message) {
            let words = "must not contain line breaks";
            errors.push(FieldError::invalid(&at("message"), rule.message.as_str(), words));
        } else if breaks(expression) && message.is_empty() {
            let words = "message must be specified if rule contains line breaks";
            errors.push(FieldError::required(&at("message"), words));
        }
        if !rule.message_expression.is_empty() && rule.message_expression.trim().is_empty() {
            let words = "messageExpression must be non-empty if specified";
            errors.push(FieldError::required(&at("messageExpression"), words));
        }
        if let Some(reason) = rule.reason.as_deref()
            && !REASONS.contains(&reason)
        {
            errors.push(FieldError::not_supported(&at("reason"), reason, &REASONS));
        }
        let field = rule.field_path.as_str();
        let mut refuse = |words: &str| errors.push(FieldError::invalid(&at("fieldPath"), field, words));
        if !field.is_empty() {
            if field.trim().is_empty() {
                refuse("must be non-empty if specified");
            }
            if breaks(field) {
                refuse("must not contain line breaks");
            }
            if structural::unsupported(schema).is_none() && field_path::follow(field, schema, true).is_err() {
                refuse("must be a valid path");
            }
        }
    }
    errors
}
