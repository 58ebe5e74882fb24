//! One version of a custom resource, compiled: how its objects are read, completed and checked.

use std::borrow::Cow;
use std::sync::Arc;

use objects::jsonpath::JsonPath;
use serde_json::Value;

use super::check::{check, check_update};
use super::columns::Columns;
use super::correlate::Correlated;
use super::defaulting::{default, prune_defaults, prune_nulls};
use super::definition::{Definition, Scale, Version};
use super::props::Props;
use super::prune::prune;
use super::rules::Rules;
use super::{apply, lists, metadata, scale};
use crate::field::{FieldError, Path};
use crate::kinds::copy_field;
use crate::meta::{self, NameRule, label_key};
use crate::selectors::Selectable;

/// One version of a custom resource.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate fact of the definition")]
pub struct CustomVersion {
    /// The group.
    pub group: Arc<str>,
    /// The version.
    pub version: Arc<str>,
    /// The kind.
    pub kind: Arc<str>,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// Whether it is served.
    pub served: bool,
    /// What is said to those who use a version that is deprecated.
    pub deprecation: Option<String>,
    preserve_unknown_fields: bool,
    /// The schema as written; its defaults may have unknown fields.
    schema: Option<Props>,
    /// The schema whose defaults are filled in.
    defaults: Option<Props>,
    status: bool,
    scale: Option<Scale>,
    columns: Columns,
    /// Names of selectable fields, and where they are.
    selectable: Vec<(String, Option<JsonPath>)>,
    structure: schema::Schema,
    rules: Option<Rules>,
}

impl CustomVersion {
    /// Compiles a version of a definition.
    pub fn compile(definition: &Definition, version: &Version) -> Self {
        let schema = version.props().cloned();
        let defaults = schema.as_ref().map(prune_defaults);
        let selectable = version
            .selectable
            .iter()
            .map(|path| {
                let name = path.strip_prefix('.').unwrap_or(path).to_owned();
                (name, JsonPath::parse(&format!("{{{path}}}")).ok())
            })
            .collect();
        Self {
            group: definition.group.as_str().into(),
            version: version.name.as_str().into(),
            kind: definition.names.kind.as_str().into(),
            namespaced: definition.is_namespaced(),
            served: version.served,
            deprecation: version.deprecated.then(|| deprecation(definition, version)),
            preserve_unknown_fields: definition.preserve_unknown_fields,
            status: version.has_status(),
            scale: version.scale().cloned(),
            columns: Columns::of(version),
            selectable,
            structure: apply::structure(schema.as_ref(), definition.preserve_unknown_fields),
            rules: schema.as_ref().and_then(Rules::of),
            schema,
            defaults,
        }
    }

    /// `example.com/v1`.
    pub fn api_version(&self) -> String {
        format!("{}/{}", self.group, self.version)
    }

    /// The schema, for documentation.
    pub fn schema(&self) -> Option<&Props> {
        self.schema.as_ref()
    }

    /// The structure, for server-side apply.
    pub fn structure(&self) -> &schema::Schema {
        &self.structure
    }

    /// Whether `status` is written on its own.
    pub fn has_status(&self) -> bool {
        self.status
    }

    /// Where the numbers of `scale` are, if it has it.
    pub fn scale_paths(&self) -> Option<&Scale> {
        self.scale.as_ref()
    }

    /// The columns of tables.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Reads an object that a client sent: fields that are not known, and nulls that mean nothing, are removed; the
    /// metadata is as the server keeps it. Gives the paths of what was not known. What cannot be read is an error in
    /// words. Defaults are filled in by [`default`](Self::default).
    pub fn decode(&self, object: &mut Value) -> Result<Vec<String>, String> {
        self.read(object, false)
    }

    /// Brings an object from the store into this version: nothing but its `apiVersion` changes, then what this
    /// version does not know is removed, and defaults are filled in.
    pub fn when_read(&self, object: &mut Value) {
        if let Some(fields) = object.as_object_mut() {
            fields.insert("apiVersion".into(), self.api_version().into());
        }
        let _ = self.read(object, true);
        self.default(object);
        if object["metadata"].get("generation").is_none() {
            object["metadata"]["generation"] = 1.into();
        }
    }

    /// Brings an object of another version into this one, to be stored: what this version does not know is removed.
    pub fn to_storage(&self, object: &mut Value) {
        if let Some(fields) = object.as_object_mut() {
            fields.insert("apiVersion".into(), self.api_version().into());
        }
        let _ = self.read(object, true);
    }

    fn read(&self, object: &mut Value, lenient: bool) -> Result<Vec<String>, String> {
        let mut unknown = Vec::new();
        let metadata = match object.get("metadata") {
            None => None,
            Some(metadata) if lenient => metadata::typed_leniently(metadata),
            Some(metadata) => {
                let (kept, odd) = metadata::typed(metadata)?;
                unknown.extend(odd.into_iter().map(|field| format!("metadata.{field}")));
                Some(kept)
            }
        };
        if self.is_own(object) {
            if !self.preserve_unknown_fields {
                unknown.extend(prune(object, self.schema.as_ref()));
                prune_nulls(object, self.defaults.as_ref());
            }
            if let Some(schema) = &self.schema {
                let mut odd = Vec::new();
                metadata::coerce(object, schema, false, lenient, &mut odd)
                    .map_err(|error| error.to_string())?;
                odd.sort();
                unknown.extend(odd);
            }
        }
        if let (Some(metadata), Some(fields)) = (metadata, object.as_object_mut()) {
            fields.insert("metadata".into(), Value::Object(metadata));
        }
        Ok(unknown)
    }

    fn is_own(&self, object: &Value) -> bool {
        let version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        let group = version.split_once('/').map_or("", |(group, _)| group);
        group == &*self.group && object.get("kind").and_then(Value::as_str) == Some(&self.kind)
    }

    /// Fills in defaults.
    pub fn default(&self, object: &mut Value) {
        if let Some(schema) = &self.defaults {
            default(object, schema);
        }
    }

    /// Removes the status of a new object, where it is written on its own, and counts its first generation.
    pub fn prepare_create(&self, object: &mut Value) {
        if let Some(fields) = object.as_object_mut()
            && self.status
        {
            fields.remove("status");
        }
        object["metadata"]["generation"] = 1.into();
    }

    /// Puts back the status, where it is written on its own, and counts generations: everything but metadata counts.
    pub fn prepare_update(&self, object: &mut Value, old: &Value) {
        if self.status {
            copy_field(object, old, "status");
        }
        let changed = {
            let rest = |value: &'_ Value| -> Vec<(String, Value)> {
                let fields = value.as_object().into_iter().flatten();
                fields
                    .filter(|(name, _)| *name != "metadata")
                    .map(|(name, value)| (name.clone(), value.clone()))
                    .collect()
            };
            rest(object) != rest(old)
        };
        if changed {
            let generation = old.pointer("/metadata/generation").and_then(Value::as_i64).unwrap_or_default();
            object["metadata"]["generation"] = (generation + 1).into();
        }
    }

    /// Puts back everything but the status and who owns which field.
    pub fn prepare_status_update(&self, object: &mut Value, old: &Value) {
        let status = object.get("status").cloned();
        let managed = object.pointer("/metadata/managedFields").cloned();
        *object = old.clone();
        let Some(fields) = object.as_object_mut() else { return };
        match status {
            Some(status) => fields.insert("status".into(), status),
            None => fields.remove("status"),
        };
        if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
            match managed {
                Some(managed) => metadata.insert("managedFields".into(), managed),
                None => metadata.remove("managedFields"),
            };
        }
    }

    /// What is wrong with a new object, metadata included.
    pub fn validate(&self, object: &Value) -> Vec<FieldError> {
        let path = Path::default();
        let mut errors = self.type_errors(object);
        if errors.is_empty() {
            let name = |name: &str, prefix: bool| NameRule::Subdomain.check(name, prefix);
            errors.extend(meta::validate_meta(
                &fields_of(object),
                self.namespaced,
                &name,
                &Path::new("metadata"),
            ));
            if let Some(schema) = &self.schema {
                errors.extend(check(object, schema, &path));
            }
            errors.extend(self.scale_errors(object, true));
        }
        if let Some(schema) = &self.schema {
            errors.extend(metadata::validate_embedded(object, schema, false, &path));
            errors.extend(lists::duplicates(object, schema, &path));
        }
        errors.extend(self.rule_errors(object, None, &errors));
        errors
    }

    /// What is wrong with an object that replaces another, metadata included. What did not change is tolerated.
    pub fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let path = Path::default();
        let mut own = self.type_errors(object);
        if own.is_empty() {
            own.extend(meta::validate_meta_update(
                &fields_of(object),
                &fields_of(old),
                &Path::new("metadata"),
            ));
            if let Some(schema) = &self.schema {
                own.extend(check_update(&Correlated::new(object, old, schema), schema, &path));
            }
            own.extend(self.scale_errors(object, true));
        }
        if let Some(schema) = &self.schema {
            own.extend(metadata::validate_embedded(object, schema, false, &path));
            if lists::duplicates(old, schema, &path).is_empty() {
                own.extend(lists::duplicates(object, schema, &path));
            }
        }
        own.extend(self.rule_errors(object, Some(old), &own));
        let mut errors = self.common_update_errors(object, old);
        errors.extend(own);
        errors
    }

    /// What is wrong with a new status, metadata included.
    pub fn validate_status_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut own = self.type_errors(object);
        if own.is_empty() {
            own.extend(meta::validate_meta_update(
                &fields_of(object),
                &fields_of(old),
                &Path::new("metadata"),
            ));
            let schema = self.schema.as_ref().and_then(|schema| schema.properties.get("status"));
            if let (Some(schema), Some(status)) = (schema, object.get("status")) {
                let before = old.get("status").unwrap_or(&Value::Null);
                let correlated = Correlated::new(status, before, schema);
                own.extend(check_update(&correlated, schema, &Path::new("status")));
            }
            own.extend(self.scale_errors(object, false));
        }
        if let Some(schema) = &self.schema {
            let path = Path::default();
            let repeated = lists::duplicates(object, schema, &path);
            if !repeated.is_empty() && lists::duplicates(old, schema, &path).is_empty() {
                own.extend(repeated);
            }
        }
        own.extend(self.rule_errors(object, Some(old), &own));
        let mut errors = self.common_update_errors(object, old);
        errors.extend(own);
        errors
    }

    fn rule_errors(&self, object: &Value, old: Option<&Value>, errors: &[FieldError]) -> Vec<FieldError> {
        match (&self.rules, &self.schema) {
            (Some(rules), Some(schema)) => rules.check(schema, object, old, errors),
            _ => Vec::new(),
        }
    }

    fn common_update_errors(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = meta::validate_any(object, self.namespaced);
        errors.extend(meta::validate_meta_update(
            &fields_of(object),
            &fields_of(old),
            &Path::new("metadata"),
        ));
        errors
    }

    fn type_errors(&self, object: &Value) -> Vec<FieldError> {
        let expected = [("kind", self.kind.to_string()), ("apiVersion", self.api_version())];
        let mut errors = Vec::new();
        for (field, expected) in expected {
            let found = object.get(field).and_then(Value::as_str).unwrap_or_default();
            if found != expected {
                errors.push(FieldError::invalid(&Path::new(field), found, format!("must be {expected}")));
            }
        }
        errors
    }

    fn scale_errors(&self, object: &Value, spec: bool) -> Vec<FieldError> {
        self.scale.as_ref().map(|paths| scale::errors(paths, object, spec)).unwrap_or_default()
    }

    /// What the answer's `Warning` headers say: new finalizers that might clash with those of others.
    pub fn warnings(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        let names = |object: &Value| -> Vec<String> {
            let names = object.pointer("/metadata/finalizers").and_then(Value::as_array);
            names.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect()
        };
        let before = old.map(names).unwrap_or_default();
        let mut added: Vec<String> =
            names(object).into_iter().filter(|name| !before.contains(name)).collect();
        added.sort();
        added.dedup();
        added.iter().flat_map(|name| finalizer_warnings(name)).collect()
    }

    /// The fields that a selector may name.
    pub fn selectable(&self) -> Selectable<'_> {
        Selectable::custom(self.namespaced, self.selectable.iter().map(|(name, _)| name.as_str()))
    }

    /// The value of a field that a selector may name.
    pub fn field_value<'v>(&self, object: &'v Value, field: &str) -> Cow<'v, str> {
        let metadata = |name: &str| object["metadata"][name].as_str().unwrap_or_default();
        match field {
            "metadata.name" => return Cow::Borrowed(metadata("name")),
            "metadata.namespace" => return Cow::Borrowed(metadata("namespace")),
            _ => {}
        }
        let path = self.selectable.iter().find(|(name, _)| name == field).and_then(|(_, path)| path.as_ref());
        let found = path.and_then(|path| super::columns::first(path, object));
        Cow::Owned(match found {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text,
            Some(other) => other.to_string(),
        })
    }
}

fn fields_of(object: &Value) -> serde_json::Map<String, Value> {
    object.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default()
}

fn finalizer_warnings(name: &str) -> Vec<String> {
    let quoted = goyaml::strconv::quote(name);
    let mut said: Vec<String> =
        label_key(name).into_iter().map(|words| format!("metadata.finalizers: {quoted}: {words}")).collect();
    if !name.contains('/') && !["kubernetes", "orphan", "foregroundDeletion"].contains(&name) {
        let path = if name.contains('.') { " including a path (/)" } else { "" };
        said.push(format!(
            "metadata.finalizers: {quoted}: prefer a domain-qualified finalizer name{path} to avoid accidental \
             conflicts with other finalizer writers"
        ));
    }
    said
}

fn deprecation(definition: &Definition, version: &Version) -> String {
    if let Some(words) = &version.deprecation_warning {
        return words.clone();
    }
    let (group, kind) = (&definition.group, &definition.names.kind);
    let words = format!("{group}/{} {kind} is deprecated", version.name);
    let newer = definition
        .versions
        .iter()
        .filter(|other| other.served && !other.deprecated && rank(&other.name) > rank(&version.name))
        .max_by_key(|other| rank(&other.name));
    match newer {
        Some(newer) => format!("{words}; use {group}/{} {kind}", newer.name),
        None => words,
    }
}

/// How far along a version is: `v2` over `v1` over `v1beta2` over `v1alpha1` over anything else.
pub fn rank(version: &str) -> (u8, u64, u64, std::cmp::Reverse<String>) {
    let parsed = version.strip_prefix('v').and_then(|rest| {
        let digits = rest.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(rest.len());
        let major: u64 = rest[..digits].parse().ok()?;
        let minor =
            |prefix: &str| rest[digits..].strip_prefix(prefix).and_then(|minor| minor.parse::<u64>().ok());
        match &rest[digits..] {
            "" => Some((3, major, 0)),
            _ => minor("beta")
                .map(|minor| (2, major, minor))
                .or_else(|| minor("alpha").map(|minor| (1, major, minor))),
        }
    });
    match parsed {
        Some((stage, major, minor)) => (stage, major, minor, std::cmp::Reverse(String::new())),
        None => (0, 0, 0, std::cmp::Reverse(version.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn widget(version: &Value) -> CustomVersion {
        let definition = Definition::read(&json!({"spec": {"group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"}, "versions": [version]}}));
        CustomVersion::compile(&definition, &definition.versions[0])
    }

    fn sized() -> CustomVersion {
        widget(&json!({"name": "v1", "served": true, "storage": true,
            "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}},
            "selectableFields": [{"jsonPath": ".spec.size"}],
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": {"size": {"type": "integer", "default": 1, "maximum": 5}}},
                "status": {"type": "object", "properties": {"size": {"type": "integer"}}}}}}}))
    }

    fn object(spec: &Value) -> Value {
        json!({"apiVersion": "example.com/v1", "kind": "Widget", "spec": spec,
            "metadata": {"name": "a", "namespace": "b", "resourceVersion": "1"}})
    }

    #[test]
    fn objects_are_read() {
        let mut value = object(&json!({"odd": 1, "size": null}));
        value["metadata"]["odd"] = 1.into();
        assert_eq!(sized().decode(&mut value), Ok(vec!["metadata.odd".into(), "spec.odd".into()]));
        sized().default(&mut value);
        assert_eq!(value, object(&json!({"size": 1})));
        let mut wrong = object(&json!({}));
        wrong["metadata"]["labels"] = json!({"a": 1});
        assert_eq!(
            sized().decode(&mut wrong),
            Err("json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string".into())
        );
    }

    #[test]
    fn objects_are_checked() {
        let said = |errors: Vec<FieldError>| errors.iter().map(ToString::to_string).collect::<Vec<_>>();
        let cases: [(Value, &[&str]); 3] = [
            (json!({"size": 3}), &[]),
            (
                json!({"size": "x"}),
                &[
                    "spec.size: Invalid value: \"string\": spec.size in body must be of type integer: \"string\"",
                    ".spec.size: Invalid value: 0: .spec.size accessor error: x is of the type string, expected int64",
                ],
            ),
            (json!({"size": -1}), &[".spec.size: Invalid value: -1: should be a non-negative integer"]),
        ];
        for (spec, expected) in cases {
            assert_eq!(said(sized().validate(&object(&spec))), expected, "{spec}");
        }
        let mut other = object(&json!({}));
        other["kind"] = "Gadget".into();
        assert_eq!(said(sized().validate(&other)), ["kind: Invalid value: \"Gadget\": must be Widget"]);
        let (old, new) = (object(&json!({"size": 9})), object(&json!({"size": 9})));
        assert_eq!(said(sized().validate_update(&new, &old)), Vec::<String>::new());
    }

    #[test]
    fn generations_count_everything_but_metadata() {
        let old = json!({"metadata": {"generation": 3}, "spec": 1, "status": 1});
        let mut same = json!({"metadata": {"generation": 3, "labels": {}}, "spec": 1, "status": 2});
        sized().prepare_update(&mut same, &old);
        assert_eq!((&same["metadata"]["generation"], &same["status"]), (&json!(3), &json!(1)));
        let mut other = json!({"metadata": {"generation": 3}, "spec": 2});
        sized().prepare_update(&mut other, &old);
        assert_eq!(other["metadata"]["generation"], 4);
        let plain = widget(&json!({"name": "v1", "schema": {"openAPIV3Schema": {"type": "object"}}}));
        let mut status = json!({"metadata": {"generation": 3}, "spec": 1, "status": 2});
        plain.prepare_update(&mut status, &old);
        assert_eq!(status["metadata"]["generation"], 4);
    }

    #[test]
    fn versions_are_ranked() {
        let order =
            ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"];
        for pair in order.windows(2) {
            assert!(rank(pair[0]) > rank(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn fields_are_selected() {
        let value = object(&json!({"size": 3}));
        assert_eq!(sized().field_value(&value, "spec.size"), "3");
        assert_eq!(sized().field_value(&value, "metadata.name"), "a");
        assert_eq!(sized().field_value(&object(&json!({})), "spec.size"), "");
    }

    #[test]
    fn finalizers_without_a_domain_are_warned_of() {
        let value = json!({"metadata": {"finalizers": ["x", "a.b", "a.b/c", "orphan"]}});
        assert_eq!(
            sized().warnings(&value, None),
            [
                "metadata.finalizers: \"a.b\": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers",
                "metadata.finalizers: \"x\": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers",
            ]
        );
    }
}
