//! `CustomResourceDefinition` objects: what is filled in, what is valid, and what the server decides about them.

mod approval;
mod conversion;
mod default_values;
mod defaults;
mod internal;
mod names;
mod schema;
mod validate;

use serde_json::{Map, Value};

use super::props::Props;

pub use approval::{Approval, approval, is_protected};
pub use defaults::{default, prepare_create, prepare_status_update, prepare_update};
pub use validate::{validate, validate_status_update, validate_update, warnings};

/// A definition, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Its own name: plural and group.
    pub name: String,
    /// The group of the resources.
    pub group: String,
    /// Whether the resources live in namespaces, as written.
    pub scope: String,
    /// The names that are asked for.
    pub names: Names,
    /// The versions.
    pub versions: Vec<Version>,
    /// Whether there is a list of versions, be it empty.
    pub lists_versions: bool,
    /// Whether unknown fields are kept everywhere, as old definitions had it.
    pub preserve_unknown_fields: bool,
    /// How versions are converted.
    pub conversion: Option<Value>,
}

/// The names of a custom resource.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The plural, in paths.
    pub plural: String,
    /// The singular.
    pub singular: String,
    /// Short names.
    pub short_names: Vec<String>,
    /// The kind.
    pub kind: String,
    /// The kind of lists.
    pub list_kind: String,
    /// Groups of resources, as `all`.
    pub categories: Vec<String>,
}

/// One version of a custom resource.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Version {
    /// Its name.
    pub name: String,
    /// Whether it is served.
    pub served: bool,
    /// Whether objects are stored in it.
    pub storage: bool,
    /// Whether it should no longer be used.
    pub deprecated: bool,
    /// What is said to those who use it nevertheless.
    pub deprecation_warning: Option<String>,
    /// The schema, if `schema` is there at all.
    pub schema: Option<Validation>,
    /// The subresources.
    pub subresources: Option<Subresources>,
    /// The columns of tables.
    pub columns: Vec<Column>,
    /// The paths that field selectors may name.
    pub selectable: Vec<String>,
}

/// What `schema` holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Validation {
    /// The schema itself.
    pub props: Option<Props>,
}

/// The subresources of a version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subresources {
    /// Whether `status` is written on its own.
    pub status: bool,
    /// Where the numbers of `scale` are.
    pub scale: Option<Scale>,
}

/// Where the numbers of the `scale` subresource are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scale {
    /// The number that is asked for.
    pub spec_replicas_path: String,
    /// The number that is there.
    pub status_replicas_path: String,
    /// The selector of what is counted.
    pub label_selector_path: Option<String>,
}

/// A column of tables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: String,
    /// The type of the cells.
    pub kind: String,
    /// The format of the cells.
    pub format: String,
    /// What the column shows.
    pub description: String,
    /// Columns above zero are shown on demand.
    pub priority: i64,
    /// Where the value is.
    pub json_path: String,
}

fn text(value: Option<&Value>, field: &str) -> String {
    value.and_then(|value| value.get(field)).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn flag(value: &Value, field: &str) -> bool {
    value.get(field).and_then(Value::as_bool).unwrap_or_default()
}

fn list<'v>(value: Option<&'v Value>, field: &str) -> &'v [Value] {
    value.and_then(|value| value.get(field)).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn texts(value: Option<&Value>, field: &str) -> Vec<String> {
    list(value, field).iter().map(|text| text.as_str().unwrap_or_default().to_owned()).collect()
}

impl Definition {
    /// Reads a definition. What has the wrong type is left out: decoding it refuses it.
    pub fn read(object: &Value) -> Self {
        let spec = object.get("spec");
        Self {
            name: text(object.get("metadata"), "name"),
            group: text(spec, "group"),
            scope: text(spec, "scope"),
            names: Names::read(spec.and_then(|spec| spec.get("names"))),
            versions: list(spec, "versions").iter().map(Version::read).collect(),
            lists_versions: spec.and_then(|spec| spec.get("versions")).is_some_and(Value::is_array),
            preserve_unknown_fields: spec.is_some_and(|spec| flag(spec, "preserveUnknownFields")),
            conversion: spec
                .and_then(|spec| spec.get("conversion"))
                .filter(|value| !value.is_null())
                .cloned(),
        }
    }

    /// Whether the resources live in namespaces.
    pub fn is_namespaced(&self) -> bool {
        self.scope == "Namespaced"
    }

    /// The version in which objects are stored.
    pub fn storage_version(&self) -> Option<&Version> {
        self.versions.iter().find(|version| version.storage)
    }
}

impl Names {
    /// Reads `spec.names` or `status.acceptedNames`.
    pub fn read(names: Option<&Value>) -> Self {
        Self {
            plural: text(names, "plural"),
            singular: text(names, "singular"),
            short_names: texts(names, "shortNames"),
            kind: text(names, "kind"),
            list_kind: text(names, "listKind"),
            categories: texts(names, "categories"),
        }
    }

    /// The names as the API writes them.
    pub fn to_value(&self) -> Value {
        let mut value = Map::new();
        value.insert("plural".into(), self.plural.as_str().into());
        value.insert("kind".into(), self.kind.as_str().into());
        for (field, text) in [("singular", &self.singular), ("listKind", &self.list_kind)] {
            if !text.is_empty() {
                value.insert(field.into(), text.as_str().into());
            }
        }
        for (field, texts) in [("shortNames", &self.short_names), ("categories", &self.categories)] {
            if !texts.is_empty() {
                value.insert(field.into(), texts.clone().into());
            }
        }
        Value::Object(value)
    }
}

impl Version {
    fn read(value: &Value) -> Self {
        let schema = value.get("schema").filter(|schema| !schema.is_null());
        Self {
            name: text(Some(value), "name"),
            served: flag(value, "served"),
            storage: flag(value, "storage"),
            deprecated: flag(value, "deprecated"),
            deprecation_warning: value.get("deprecationWarning").and_then(Value::as_str).map(str::to_owned),
            schema: schema.map(|schema| Validation {
                props: schema.get("openAPIV3Schema").filter(|schema| !schema.is_null()).map(Props::read),
            }),
            subresources: value
                .get("subresources")
                .filter(|subresources| !subresources.is_null())
                .map(Subresources::read),
            columns: list(Some(value), "additionalPrinterColumns").iter().map(Column::read).collect(),
            selectable: list(Some(value), "selectableFields")
                .iter()
                .map(|field| text(Some(field), "jsonPath"))
                .collect(),
        }
    }

    /// The schema, if there is one.
    pub fn props(&self) -> Option<&Props> {
        self.schema.as_ref().and_then(|schema| schema.props.as_ref())
    }

    /// Whether `status` is written on its own.
    pub fn has_status(&self) -> bool {
        self.subresources.as_ref().is_some_and(|subresources| subresources.status)
    }

    /// Where the numbers of `scale` are, if it has it.
    pub fn scale(&self) -> Option<&Scale> {
        self.subresources.as_ref().and_then(|subresources| subresources.scale.as_ref())
    }
}

impl Subresources {
    fn read(value: &Value) -> Self {
        let scale = value.get("scale").filter(|scale| !scale.is_null());
        Self {
            status: value.get("status").is_some_and(|status| !status.is_null()),
            scale: scale.map(|scale| Scale {
                spec_replicas_path: text(Some(scale), "specReplicasPath"),
                status_replicas_path: text(Some(scale), "statusReplicasPath"),
                label_selector_path: scale
                    .get("labelSelectorPath")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            }),
        }
    }
}

impl Column {
    fn read(value: &Value) -> Self {
        Self {
            name: text(Some(value), "name"),
            kind: text(Some(value), "type"),
            format: text(Some(value), "format"),
            description: text(Some(value), "description"),
            priority: value.get("priority").and_then(Value::as_i64).unwrap_or_default(),
            json_path: text(Some(value), "jsonPath"),
        }
    }
}

#[cfg(test)]
mod tests;
