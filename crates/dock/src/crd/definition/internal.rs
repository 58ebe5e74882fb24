//! Values as the server shows them in refusals: its own types, with the names that Go gives their fields.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Column, Subresources, Version};
use crate::crd::props::{Dependency, OrBool, Props, Rule};

fn json(value: &Value) -> String {
    goyaml::json::to_string(value).unwrap_or_default()
}

fn text(text: &str) -> String {
    json(&Value::from(text))
}

fn object(fields: &[(&str, String)]) -> String {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

fn array<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    if items.is_empty() {
        return "null".to_owned();
    }
    let items: Vec<String> = items.iter().map(show).collect();
    format!("[{}]", items.join(","))
}

fn optional<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "null".to_owned(), show)
}

fn map(entries: &BTreeMap<String, Props>) -> String {
    if entries.is_empty() {
        return "null".to_owned();
    }
    let entries: Vec<String> =
        entries.iter().map(|(name, schema)| format!("{}:{}", text(name), props(schema))).collect();
    format!("{{{}}}", entries.join(","))
}

fn dependencies(all: &BTreeMap<String, Dependency>) -> String {
    let entries: Vec<String> = all
        .iter()
        .map(|(name, one)| {
            let shown = object(&[
                ("Schema", optional(one.schema.as_ref(), props)),
                ("Property", array(&one.fields, |field| text(field))),
            ]);
            format!("{}:{shown}", text(name))
        })
        .collect();
    format!("{{{}}}", entries.join(","))
}

/// The versions of a definition.
pub(super) fn versions(versions: &[Version]) -> String {
    array(versions, |version| {
        object(&[
            ("Name", text(&version.name)),
            ("Served", version.served.to_string()),
            ("Storage", version.storage.to_string()),
            ("Deprecated", version.deprecated.to_string()),
            ("DeprecationWarning", optional(version.deprecation_warning.as_deref(), text)),
            (
                "Schema",
                optional(version.schema.as_ref(), |schema| {
                    object(&[("OpenAPIV3Schema", optional(schema.props.as_ref(), props))])
                }),
            ),
            ("Subresources", optional(version.subresources.as_ref(), subresources)),
            ("AdditionalPrinterColumns", array(&version.columns, column)),
            ("SelectableFields", array(&version.selectable, |path| object(&[("JSONPath", text(path))]))),
        ])
    })
}

fn subresources(subresources: &Subresources) -> String {
    let scale = optional(subresources.scale.as_ref(), |scale| {
        object(&[
            ("SpecReplicasPath", text(&scale.spec_replicas_path)),
            ("StatusReplicasPath", text(&scale.status_replicas_path)),
            ("LabelSelectorPath", optional(scale.label_selector_path.as_deref(), text)),
        ])
    });
    let status = if subresources.status { "{}" } else { "null" };
    object(&[("Status", status.to_owned()), ("Scale", scale)])
}

fn column(column: &Column) -> String {
    object(&[
        ("Name", text(&column.name)),
        ("Type", text(&column.kind)),
        ("Format", text(&column.format)),
        ("Description", text(&column.description)),
        ("Priority", column.priority.to_string()),
        ("JSONPath", text(&column.json_path)),
    ])
}

/// A rule.
pub(super) fn rule(rule: &Rule) -> String {
    object(&[
        ("Rule", text(&rule.rule)),
        ("Message", text(&rule.message)),
        ("MessageExpression", text(&rule.message_expression)),
        ("Reason", optional(rule.reason.as_deref(), text)),
        ("FieldPath", text(&rule.field_path)),
        ("OptionalOldSelf", optional(rule.optional_old_self, |flag| flag.to_string())),
    ])
}

fn or_bool(place: &OrBool) -> String {
    object(&[("Allows", place.allows.to_string()), ("Schema", optional(place.schema.as_deref(), props))])
}

/// The items of a list.
pub(super) fn items(items: &crate::crd::props::Items) -> String {
    object(&[
        ("Schema", optional(items.schema.as_deref(), props)),
        ("JSONSchemas", array(&items.schemas, props)),
    ])
}

/// A schema.
pub(super) fn props(schema: &Props) -> String {
    let number = |value: Option<f64>| optional(value, |value| json(&Value::from(value)));
    let integer = |value: Option<i64>| optional(value, |value| value.to_string());
    let value = |value: &Option<Value>| optional(value.as_ref(), json);
    let strings = |values: &[String]| array(values, |value| text(value));
    object(&[
        ("ID", text(&schema.id)),
        ("Schema", text(&schema.schema)),
        ("Ref", optional(schema.reference.as_deref(), text)),
        ("Description", text(&schema.description)),
        ("Type", text(&schema.kind)),
        ("Nullable", schema.nullable.to_string()),
        ("Format", text(&schema.format)),
        ("Title", text(&schema.title)),
        ("Default", value(&schema.default)),
        ("Maximum", number(schema.maximum)),
        ("ExclusiveMaximum", schema.exclusive_maximum.to_string()),
        ("Minimum", number(schema.minimum)),
        ("ExclusiveMinimum", schema.exclusive_minimum.to_string()),
        ("MaxLength", integer(schema.max_length)),
        ("MinLength", integer(schema.min_length)),
        ("Pattern", text(&schema.pattern)),
        ("MaxItems", integer(schema.max_items)),
        ("MinItems", integer(schema.min_items)),
        ("UniqueItems", schema.unique_items.to_string()),
        ("MultipleOf", number(schema.multiple_of)),
        ("Enum", array(&schema.choices, json)),
        ("MaxProperties", integer(schema.max_properties)),
        ("MinProperties", integer(schema.min_properties)),
        ("Required", strings(&schema.required)),
        ("Items", optional(schema.items.as_ref(), items)),
        ("AllOf", array(&schema.all_of, props)),
        ("OneOf", array(&schema.one_of, props)),
        ("AnyOf", array(&schema.any_of, props)),
        ("Not", optional(schema.not.as_deref(), props)),
        ("Properties", map(&schema.properties)),
        ("AdditionalProperties", optional(schema.additional_properties.as_ref(), or_bool)),
        ("PatternProperties", map(&schema.pattern_properties)),
        ("Dependencies", optional(schema.dependencies.as_ref(), dependencies)),
        ("AdditionalItems", optional(schema.additional_items.as_ref(), or_bool)),
        ("Definitions", map(&schema.definitions)),
        (
            "ExternalDocs",
            optional(schema.external_docs.as_ref(), |docs| {
                let field = |name: &str| text(docs.get(name).and_then(Value::as_str).unwrap_or_default());
                object(&[("Description", field("description")), ("URL", field("url"))])
            }),
        ),
        ("Example", value(&schema.example)),
        ("XPreserveUnknownFields", optional(schema.preserve_unknown_fields, |flag| flag.to_string())),
        ("XEmbeddedResource", schema.embedded_resource.to_string()),
        ("XIntOrString", schema.int_or_string.to_string()),
        ("XListMapKeys", strings(&schema.list_map_keys)),
        ("XListType", optional(schema.list_type.as_deref(), text)),
        ("XMapType", optional(schema.map_type.as_deref(), text)),
        ("XValidations", array(&schema.validations, rule)),
    ])
}
