//! What is wrong with a definition. The server hoists what all versions share to the top before it looks, and so do
//! the paths of its refusals.

use serde_json::Value;

use super::schema::{self, Strictness};
use super::{
    Approval, Column, Definition, Names, Subresources, Validation, Version, approval, conversion, internal,
    is_protected, names,
};
use crate::crd::field_path;
use crate::crd::formats;
use crate::crd::props::Props;
use crate::crd::structural;
use crate::field::{FieldError, Path};
use crate::meta::{self, MetaRules, NameRule, dns_subdomain, dns1035_label};

const MOST_SELECTABLE: usize = 8;

/// A definition in the form that is checked.
struct Internal {
    definition: Definition,
    validation: Option<Validation>,
    subresources: Option<Subresources>,
    columns: Vec<Column>,
    selectable: Vec<String>,
}

impl Internal {
    fn of(object: &Value) -> Self {
        let mut definition = Definition::read(object);
        let versions = &mut definition.versions;
        let mut internal = (None, None, Vec::new(), Vec::new());
        if let Some(first) = versions.first().cloned() {
            if versions.iter().all(|version| version.schema == first.schema) {
                internal.0 = first.schema;
                for version in versions.iter_mut() {
                    version.schema = None;
                }
            }
            if versions.iter().all(|version| version.subresources == first.subresources) {
                internal.1 = first.subresources;
                for version in versions.iter_mut() {
                    version.subresources = None;
                }
            }
            if versions.iter().all(|version| version.columns == first.columns) {
                internal.2 = first.columns;
                for version in versions.iter_mut() {
                    version.columns = Vec::new();
                }
            }
            if versions.iter().all(|version| version.selectable == first.selectable) {
                internal.3 = first.selectable;
                for version in versions.iter_mut() {
                    version.selectable = Vec::new();
                }
            }
        }
        let (validation, subresources, columns, selectable) = internal;
        Self { definition, validation, subresources, columns, selectable }
    }

    /// The schema that all versions share.
    fn shared(&self) -> Option<&Props> {
        self.validation.as_ref().and_then(|validation| validation.props.as_ref())
    }

    /// Every schema of the definition.
    fn schemas(&self) -> impl Iterator<Item = &Props> {
        let versions = self.definition.versions.iter().filter_map(Version::props);
        self.shared().into_iter().chain(versions)
    }

    fn any_schema(&self, condition: &dyn Fn(&Props) -> bool) -> bool {
        self.schemas().any(|schema| schema.any(condition))
    }

    fn version_has_status(&self, version: &Version) -> bool {
        if self.definition.versions.iter().any(|version| version.subresources.is_some()) {
            let named = self.definition.versions.iter().find(|one| one.name == version.name);
            named.is_some_and(Version::has_status)
        } else {
            self.subresources.as_ref().is_some_and(|subresources| subresources.status)
        }
    }

    fn any_status(&self) -> bool {
        self.subresources.as_ref().is_some_and(|subresources| subresources.status)
            || self.definition.versions.iter().any(Version::has_status)
    }

    fn schema_of(&self, version: &str) -> Option<&Props> {
        if !self.definition.versions.iter().any(|version| version.schema.is_some()) {
            return self.shared();
        }
        self.definition.versions.iter().find(|one| one.name == version).and_then(Version::props)
    }
}

/// What is wrong with a new definition, metadata included.
pub fn validate(object: &Value) -> Vec<FieldError> {
    let new = Internal::of(object);
    let required = format!("{}.{}", new.definition.names.plural, new.definition.group);
    let name = |name: &str, prefix: bool| {
        let mut wrong = NameRule::Subdomain.check(name, prefix);
        if name != required {
            wrong.push("must be spec.names.plural+\".\"+spec.group".to_owned());
        }
        wrong
    };
    let metadata = object.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut errors = meta::validate_meta(&metadata, false, &name, &Path::new("metadata"));
    errors.extend(spec(&new, &Options::strict()));
    errors.extend(status(object, &new.definition));
    errors.extend(approved(object, None, &new.definition.group));
    if new.definition.preserve_unknown_fields {
        errors.push(preserving());
    }
    errors
}

/// What is wrong with a definition that replaces another, metadata included.
pub fn validate_update(object: &Value, old: &Value) -> Vec<FieldError> {
    let (new, before) = (Internal::of(object), Internal::of(old));
    let rules = MetaRules {
        known_finalizers: false,
        ..meta::rules_of("apiextensions.k8s.io", "CustomResourceDefinition")
    };
    let mut errors = meta::validate_update(object, old, false, rules);
    let spec_path = Path::new("spec");
    errors.extend(spec(&new, &Options::of_update(&new, &before)));
    let mut fixed = |new: &str, old: &str, path: &Path| {
        if new != old {
            errors.push(FieldError::invalid(path, new, "field is immutable"));
        }
    };
    let (after, before) = (&new.definition, &before.definition);
    let names_path = spec_path.child("names");
    if has_condition(old, "Established") {
        fixed(&after.scope, &before.scope, &spec_path.child("scope"));
        fixed(&after.names.kind, &before.names.kind, &names_path.child("kind"));
    }
    fixed(&after.group, &before.group, &spec_path.child("group"));
    fixed(&after.names.plural, &before.names.plural, &names_path.child("plural"));
    errors.extend(status(object, after));
    errors.extend(approved(object, Some(old), &after.group));
    if after.preserve_unknown_fields && !before.preserve_unknown_fields {
        errors.push(preserving());
    }
    errors
}

/// What is wrong with a new status, metadata included.
pub fn validate_status_update(object: &Value, old: &Value) -> Vec<FieldError> {
    let rules = meta::rules_of("apiextensions.k8s.io", "CustomResourceDefinition");
    let mut errors = meta::validate_update(object, old, false, rules);
    errors.extend(accepted_names(object));
    errors
}

/// What the answer's `Warning` headers say: formats that mean nothing, if they are new.
pub fn warnings(object: &Value, old: Option<&Value>) -> Vec<String> {
    let unknown = |object: &Value| {
        let mut found = Vec::new();
        for schema in Internal::of(object).schemas() {
            collect_formats(schema, &mut found);
        }
        found
    };
    let known = old.map(unknown).unwrap_or_default();
    let formats = unknown(object).into_iter().filter(|format| !known.contains(format));
    formats.map(|format| format!("unrecognized format {}", goyaml::strconv::quote(&format))).collect()
}

fn collect_formats(schema: &Props, found: &mut Vec<String>) {
    if !schema.format.is_empty() && !formats::is_recognized(&schema.format, &schema.kind, false) {
        found.push(schema.format.clone());
    }
    for child in schema.children() {
        collect_formats(child, found);
    }
}

/// What is demanded: everything of a new definition, of an old one only what it already fulfilled.
struct Options<'o> {
    strictness: Strictness,
    schema_required: bool,
    recognized_review_versions: bool,
    /// Versions whose schema did not change: their rules may cost what they like.
    unchanged: Vec<&'o str>,
    old: Option<&'o Internal>,
}

impl<'o> Options<'o> {
    fn strict() -> Self {
        Self {
            strictness: Strictness::everything(),
            schema_required: true,
            recognized_review_versions: true,
            unchanged: Vec::new(),
            old: None,
        }
    }

    fn of_update(new: &'o Internal, old: &'o Internal) -> Self {
        let missing = |internal: &Internal| {
            internal.shared().is_none()
                && internal.definition.versions.iter().any(|version| version.props().is_none())
        };
        let non_structural = |schema: &Props| {
            structural::unsupported(schema).is_some()
                || !structural::violations(schema, &Path::default()).is_empty()
        };
        let unchanged = new.definition.versions.iter().map(|version| version.name.as_str());
        Self {
            strictness: Strictness {
                structural: !old.schemas().any(non_structural),
                valid_types: !old.any_schema(&schema::has_unknown_type),
                pruned_defaults: !old.schemas().any(schema::has_unpruned_defaults),
                atomic_sets: !old.any_schema(&schema::has_non_atomic_set),
                list_keys: !old.any_schema(&schema::has_incomplete_keys),
                costs: true,
            },
            schema_required: !missing(old),
            recognized_review_versions: conversion::is_recognized(old.definition.conversion.as_ref()),
            unchanged: unchanged.filter(|version| new.schema_of(version) == old.schema_of(version)).collect(),
            old: Some(old),
        }
    }

    fn strictness_of(&self, version: &str) -> Strictness {
        Strictness { costs: !self.unchanged.contains(&version), ..self.strictness }
    }

    fn allows_many_selectable(&self, version: Option<&str>, fields: &[String]) -> bool {
        let Some(old) = self.old else { return false };
        let before = match version {
            None => Some(&old.selectable),
            Some(name) => old
                .definition
                .versions
                .iter()
                .find(|version| version.name == name)
                .map(|version| &version.selectable),
        };
        before.is_some_and(|before| before.len() > MOST_SELECTABLE && before == fields)
    }
}

fn spec(internal: &Internal, options: &Options<'_>) -> Vec<FieldError> {
    let definition = &internal.definition;
    let path = Path::new("spec");
    let mut errors = group_and_scope(definition, &path);
    let mut strictness = options.strictness;
    let preserving = definition.preserve_unknown_fields;
    strictness.structural |= !preserving;
    if internal.shared().is_none() {
        for (index, version) in definition.versions.iter().enumerate() {
            let place = path.child("versions").index(index).child("schema").child("openAPIV3Schema");
            if version.props().is_none() {
                if options.schema_required {
                    errors.push(FieldError::required(&place, ""));
                } else if !preserving && version.served {
                    errors.push(FieldError::required(&place, "because otherwise all fields are pruned"));
                }
            }
        }
    }
    if internal.any_schema(&|schema| schema.default.is_some()) {
        strictness.structural = true;
        if preserving {
            let words = "must be false in order to use defaults in the schema";
            errors.push(FieldError::invalid(&path.child("preserveUnknownFields"), true, words));
        }
    }
    strictness.structural |= internal.any_schema(&schema::has_extensions);
    for (index, version) in definition.versions.iter().enumerate() {
        let place = path.child("versions").index(index);
        let wrong = dns1035_label(&version.name);
        if !wrong.is_empty() {
            errors.push(FieldError::invalid(&place.child("name"), version.name.as_str(), wrong.join(",")));
        }
        let costs = options.strictness_of(&version.name).costs;
        let strictness = Strictness { costs, ..strictness };
        errors.extend(one_version(internal, version, &place, strictness, options));
    }
    errors.extend(whole(definition, &path));
    let first = definition.versions.first().map(|version| version.name.as_str()).unwrap_or_default();
    if let Some(schema) = internal.shared() {
        let strictness = Strictness { costs: options.strictness_of(first).costs, ..strictness };
        errors.extend(schema::validate(schema, internal.any_status(), strictness, &path.child("validation")));
    }
    errors.extend(names::subresources(internal.subresources.as_ref(), &path.child("subresources")));
    for (index, column) in internal.columns.iter().enumerate() {
        errors.extend(names::column(column, &path.child("additionalPrinterColumns").index(index)));
    }
    if !internal.selectable.is_empty() {
        let place = path.child("selectableFields");
        match &internal.validation {
            None => errors.push(FieldError::invalid(
                &place,
                "",
                "may only be set when validations.schema is included",
            )),
            Some(schema) => {
                let many = options.allows_many_selectable(None, &internal.selectable);
                errors.extend(unreadable(schema.props.as_ref(), &path));
                errors.extend(selectable(&internal.selectable, schema.props.as_ref(), many, &place));
            }
        }
    }
    let strategy = definition
        .conversion
        .as_ref()
        .and_then(|conversion| conversion.get("strategy"))
        .and_then(Value::as_str);
    if preserving && strategy.is_some_and(|strategy| strategy != "None") {
        let place = path.child("conversion").child("strategy");
        let words = "must be None if spec.preserveUnknownFields is true";
        errors.push(FieldError::invalid(&place, strategy.unwrap_or_default(), words));
    }
    errors.extend(conversion::conversion(
        definition.conversion.as_ref(),
        options.recognized_review_versions,
        &path.child("conversion"),
    ));
    errors
}

fn group_and_scope(definition: &Definition, path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let group = definition.group.as_str();
    let place = path.child("group");
    if group.is_empty() {
        errors.push(FieldError::required(&place, ""));
    } else {
        let wrong = dns_subdomain(group);
        if !wrong.is_empty() {
            errors.push(FieldError::invalid(&place, group, wrong.join(",")));
        } else if !group.contains('.') {
            errors.push(FieldError::invalid(&place, group, "should be a domain with at least one dot"));
        }
    }
    match definition.scope.as_str() {
        "" => errors.push(FieldError::required(&path.child("scope"), "")),
        "Cluster" | "Namespaced" => {}
        other => {
            errors.push(FieldError::not_supported(&path.child("scope"), other, &["Cluster", "Namespaced"]));
        }
    }
    errors
}

/// What is wrong with the versions and names as a whole.
fn whole(definition: &Definition, path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let versions = &definition.versions;
    let emptied = versions.is_empty() && definition.lists_versions;
    let shown = || if emptied { "[]".to_owned() } else { internal::versions(versions) };
    let mut refuse = |words: &str| {
        errors.push(FieldError::invalid(&path.child("versions"), Value::Null, words).showing(shown()));
    };
    let repeated = versions
        .iter()
        .enumerate()
        .any(|(index, version)| versions[..index].iter().any(|other| other.name == version.name));
    if repeated {
        refuse("must contain unique version names");
    }
    if versions.iter().filter(|version| version.storage).count() != 1 {
        refuse("must have exactly one version marked as storage version");
    }
    if let Some(first) = versions.first().filter(|first| !first.name.is_empty()) {
        let wrong = dns1035_label(&first.name);
        if !wrong.is_empty() {
            errors.push(FieldError::invalid(&path.child("version"), first.name.as_str(), wrong.join(",")));
        }
    }
    let place = path.child("names");
    let given = &definition.names;
    let required = [
        ("plural", &given.plural),
        ("singular", &given.singular),
        ("kind", &given.kind),
        ("listKind", &given.list_kind),
    ];
    for (field, name) in required {
        if name.is_empty() {
            errors.push(FieldError::required(&place.child(field), ""));
        }
    }
    errors.extend(names::names(given, &place));
    errors
}

fn one_version(
    internal: &Internal,
    version: &Version,
    path: &Path,
    strictness: Strictness,
    options: &Options<'_>,
) -> Vec<FieldError> {
    let mut errors = deprecation(version, &path.child("deprecationWarning"));
    if let Some(schema) = version.props() {
        let status = internal.version_has_status(version);
        errors.extend(schema::validate(schema, status, strictness, &path.child("schema")));
    }
    errors.extend(names::subresources(version.subresources.as_ref(), &path.child("subresources")));
    for (index, column) in version.columns.iter().enumerate() {
        errors.extend(names::column(column, &path.child("additionalPrinterColumns").index(index)));
    }
    if !version.selectable.is_empty() {
        let place = path.child("selectableFields");
        match version.props() {
            None => errors.push(FieldError::invalid(
                &place,
                "",
                "may only be set when `version.schema.openAPIV3Schema` is not included",
            )),
            Some(schema) => {
                let many = options.allows_many_selectable(Some(&version.name), &version.selectable);
                errors.extend(unreadable(Some(schema), path));
                errors.extend(selectable(&version.selectable, Some(schema), many, &place));
            }
        }
    }
    errors
}

fn deprecation(version: &Version, path: &Path) -> Vec<FieldError> {
    let Some(text) = version.deprecation_warning.as_deref() else { return Vec::new() };
    let mut words = Vec::new();
    if version.deprecated {
        if text.len() > 256 {
            words.push("must be <= 256 characters long".to_owned());
        }
        if text.is_empty() {
            words.push("must not be an empty string".to_owned());
        }
        if let Some((at, _)) = text.char_indices().find(|(_, sign)| !goyaml::strconv::is_print(*sign)) {
            words.push(format!(
                "must only contain printable UTF-8 characters; non-printable character found at index {at}"
            ));
        }
    } else {
        words.push("can only be set for deprecated versions".to_owned());
    }
    words.into_iter().map(|words| FieldError::invalid(path, text, words)).collect()
}

/// A schema in which nothing can be selected, because it cannot be read.
fn unreadable(schema: Option<&Props>, path: &Path) -> Option<FieldError> {
    let words = schema.and_then(structural::unsupported)?;
    Some(FieldError::invalid(&path.child("schema.openAPIV3Schema"), "", words))
}

fn selectable(fields: &[String], schema: Option<&Props>, many: bool, path: &Path) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let empty = Props::default();
    let readable = schema.filter(|schema| structural::unsupported(schema).is_none());
    let mut seen: Vec<String> = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        let place = path.index(index).child("jsonPath");
        if field.is_empty() {
            errors.push(FieldError::required(&place, ""));
            continue;
        }
        let mut invalid = |words: String| errors.push(FieldError::invalid(&place, field.as_str(), words));
        let found = match field_path::follow(field, readable.unwrap_or(&empty), false) {
            Ok(found) => found,
            Err(words) => {
                invalid(format!("is an invalid path: {words}"));
                continue;
            }
        };
        if found.first == "metadata" {
            invalid("must not point to fields in metadata".to_owned());
        }
        if !found
            .schema
            .is_some_and(|schema| matches!(schema.kind.as_str(), "string" | "boolean" | "integer"))
        {
            let words = "must point to a field of type string, boolean or integer. Enum string fields and strings \
                         with formats are allowed.";
            invalid(words.to_owned());
        }
        let path = found.path.to_string();
        if seen.contains(&path) {
            errors.push(FieldError::duplicate(&place, field.as_str()));
        } else {
            seen.push(path);
        }
    }
    if seen.len() > MOST_SELECTABLE && !many {
        errors.push(FieldError::too_many(path, seen.len(), MOST_SELECTABLE));
    }
    errors
}

fn status(object: &Value, definition: &Definition) -> Vec<FieldError> {
    let mut errors = accepted_names(object);
    let path = Path::new("status").child("storedVersions");
    let stored = object.pointer("/status/storedVersions").and_then(Value::as_array);
    let stored: Vec<&str> = stored.into_iter().flatten().filter_map(Value::as_str).collect();
    let value = || Value::from(stored.iter().map(|name| Value::from(*name)).collect::<Vec<_>>());
    if stored.is_empty() {
        let error = FieldError::invalid(&path, value(), "must have at least one stored version");
        errors.push(error.showing("null"));
        return errors;
    }
    let mut unclaimed = stored.clone();
    for version in &definition.versions {
        let claimed = unclaimed.iter().position(|name| *name == version.name);
        if let Some(position) = claimed {
            unclaimed.remove(position);
        } else if version.storage {
            let words = format!("must have the storage version {}", version.name);
            errors.push(FieldError::invalid(&path, value(), words));
        }
    }
    for (index, name) in stored.iter().enumerate() {
        if !definition.versions.iter().any(|version| version.name == *name) {
            let words = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in \
                 spec.versions until a storage migration ensures no data remains persisted in {name} and removes \
                 {name} from status.storedVersions"
            );
            errors.push(FieldError::invalid(&path.index(index), *name, words));
        }
    }
    errors
}

fn accepted_names(object: &Value) -> Vec<FieldError> {
    let accepted = Names::read(object.pointer("/status/acceptedNames"));
    names::names(&accepted, &Path::new("status").child("acceptedNames"))
}

fn approved(object: &Value, old: Option<&Value>, group: &str) -> Option<FieldError> {
    if !is_protected(group) {
        return None;
    }
    let state = approval(object);
    if old.is_some_and(|old| approval(old).is_like(&state)) {
        return None;
    }
    let path = Path::new("metadata").child("annotations").key(super::approval::ANNOTATION);
    match state {
        Approval::Invalid(words) => {
            let value =
                object.pointer("/metadata/annotations").and_then(|all| all.get(super::approval::ANNOTATION));
            Some(FieldError::invalid(&path, value.cloned().unwrap_or_default(), words))
        }
        Approval::Missing(words) => Some(FieldError::required(&path, words)),
        Approval::Approved(_) | Approval::Bypassed(_) => None,
    }
}

fn preserving() -> FieldError {
    FieldError::invalid(
        &Path::new("spec").child("preserveUnknownFields"),
        true,
        "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    )
}

/// Whether a condition of a definition is true.
pub(super) fn has_condition(object: &Value, kind: &str) -> bool {
    let conditions = object.pointer("/status/conditions").and_then(Value::as_array);
    let condition = conditions.into_iter().flatten().find(|condition| condition["type"] == kind);
    condition.is_some_and(|condition| condition["status"] == "True")
}
