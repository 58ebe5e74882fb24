//! The schema of a custom resource as its definition writes it, read once.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// One place of a schema: `JSONSchemaProps`. Fields that are not there are empty.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the API")]
pub struct Props {
    /// `id`, which is refused.
    pub id: String,
    /// `$schema`, which is refused.
    pub schema: String,
    /// `$ref`, which is refused.
    pub reference: Option<String>,
    /// What the documentation says.
    pub description: String,
    /// The type; empty where any is allowed.
    pub kind: String,
    /// Whether null is a value.
    pub nullable: bool,
    /// The form of a text or number.
    pub format: String,
    /// A title.
    pub title: String,
    /// What stands here when nothing is said.
    pub default: Option<Value>,
    /// The greatest number.
    pub maximum: Option<f64>,
    /// Whether the greatest number itself is excluded.
    pub exclusive_maximum: bool,
    /// The least number.
    pub minimum: Option<f64>,
    /// Whether the least number itself is excluded.
    pub exclusive_minimum: bool,
    /// The most characters of a text.
    pub max_length: Option<i64>,
    /// The fewest characters of a text.
    pub min_length: Option<i64>,
    /// A pattern in Go's syntax.
    pub pattern: String,
    /// The most items of a list.
    pub max_items: Option<i64>,
    /// The fewest items of a list.
    pub min_items: Option<i64>,
    /// Whether items are all different; refused in definitions.
    pub unique_items: bool,
    /// What the number is a multiple of.
    pub multiple_of: Option<f64>,
    /// The values that are allowed.
    pub choices: Vec<Value>,
    /// The most fields of an object.
    pub max_properties: Option<i64>,
    /// The fewest fields of an object.
    pub min_properties: Option<i64>,
    /// Fields that must be there.
    pub required: Vec<String>,
    /// The items of a list.
    pub items: Option<Items>,
    /// All of these hold.
    pub all_of: Vec<Props>,
    /// Exactly one of these holds.
    pub one_of: Vec<Props>,
    /// At least one of these holds.
    pub any_of: Vec<Props>,
    /// This does not hold.
    pub not: Option<Box<Props>>,
    /// The fields that are known.
    pub properties: BTreeMap<String, Props>,
    /// The other fields.
    pub additional_properties: Option<OrBool>,
    /// Refused in definitions.
    pub pattern_properties: BTreeMap<String, Props>,
    /// Refused in definitions.
    pub dependencies: Option<BTreeMap<String, Dependency>>,
    /// Refused in definitions.
    pub additional_items: Option<OrBool>,
    /// Refused in definitions.
    pub definitions: BTreeMap<String, Props>,
    /// Where to read more.
    pub external_docs: Option<Value>,
    /// An example.
    pub example: Option<Value>,
    /// `x-kubernetes-preserve-unknown-fields`.
    pub preserve_unknown_fields: Option<bool>,
    /// `x-kubernetes-embedded-resource`.
    pub embedded_resource: bool,
    /// `x-kubernetes-int-or-string`.
    pub int_or_string: bool,
    /// `x-kubernetes-list-map-keys`.
    pub list_map_keys: Vec<String>,
    /// `x-kubernetes-list-type`.
    pub list_type: Option<String>,
    /// `x-kubernetes-map-type`.
    pub map_type: Option<String>,
    /// `x-kubernetes-validations`.
    pub validations: Vec<Rule>,
}

/// The schema of items: one for all, or (refused) one for each position.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Items {
    /// One for all.
    pub schema: Option<Box<Props>>,
    /// One for each position.
    pub schemas: Vec<Props>,
}

/// What a field that is there demands: a schema, or other fields.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dependency {
    /// The schema.
    pub schema: Option<Props>,
    /// The other fields.
    pub fields: Vec<String>,
}

/// A schema, or whether anything is allowed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OrBool {
    /// Whether anything is allowed at all.
    pub allows: bool,
    /// What it looks like.
    pub schema: Option<Box<Props>>,
}

/// One rule in the expression language.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rule {
    /// The expression that must be true.
    pub rule: String,
    /// What is said when it is not.
    pub message: String,
    /// An expression for what is said.
    pub message_expression: String,
    /// The sort of error.
    pub reason: Option<String>,
    /// The field that the error names, below the place of the rule.
    pub field_path: String,
    /// Whether the rule also runs when there is no old value.
    pub optional_old_self: Option<bool>,
}

impl Props {
    /// Reads a schema. What has the wrong type is left out: decoding the definition refuses it.
    pub fn read(value: &Value) -> Self {
        let Value::Object(fields) = value else { return Self::default() };
        let reader = Reader { fields };
        Self {
            id: reader.text("id"),
            schema: reader.text("$schema"),
            reference: reader.optional_text("$ref"),
            description: reader.text("description"),
            kind: reader.text("type"),
            nullable: reader.flag("nullable"),
            format: reader.text("format"),
            title: reader.text("title"),
            default: reader.value("default"),
            maximum: reader.number("maximum"),
            exclusive_maximum: reader.flag("exclusiveMaximum"),
            minimum: reader.number("minimum"),
            exclusive_minimum: reader.flag("exclusiveMinimum"),
            max_length: reader.integer("maxLength"),
            min_length: reader.integer("minLength"),
            pattern: reader.text("pattern"),
            max_items: reader.integer("maxItems"),
            min_items: reader.integer("minItems"),
            unique_items: reader.flag("uniqueItems"),
            multiple_of: reader.number("multipleOf"),
            choices: reader.array("enum").to_vec(),
            max_properties: reader.integer("maxProperties"),
            min_properties: reader.integer("minProperties"),
            required: reader.texts("required"),
            items: reader.value("items").map(|items| match items {
                Value::Array(schemas) => {
                    Items { schema: None, schemas: schemas.iter().map(Self::read).collect() }
                }
                schema => Items { schema: Some(Box::new(Self::read(&schema))), schemas: Vec::new() },
            }),
            all_of: reader.schemas("allOf"),
            one_of: reader.schemas("oneOf"),
            any_of: reader.schemas("anyOf"),
            not: reader.value("not").map(|schema| Box::new(Self::read(&schema))),
            properties: reader.map("properties"),
            additional_properties: reader.or_bool("additionalProperties"),
            pattern_properties: reader.map("patternProperties"),
            dependencies: reader.value("dependencies").map(|dependencies| {
                let entries = dependencies.as_object().cloned().unwrap_or_default();
                entries.into_iter().map(|(name, value)| (name, Dependency::read(&value))).collect()
            }),
            additional_items: reader.or_bool("additionalItems"),
            definitions: reader.map("definitions"),
            external_docs: reader.value("externalDocs"),
            example: reader.value("example"),
            preserve_unknown_fields: fields
                .get("x-kubernetes-preserve-unknown-fields")
                .and_then(Value::as_bool),
            embedded_resource: reader.flag("x-kubernetes-embedded-resource"),
            int_or_string: reader.flag("x-kubernetes-int-or-string"),
            list_map_keys: reader.texts("x-kubernetes-list-map-keys"),
            list_type: reader.optional_text("x-kubernetes-list-type"),
            map_type: reader.optional_text("x-kubernetes-map-type"),
            validations: reader.array("x-kubernetes-validations").iter().map(Rule::read).collect(),
        }
    }

    /// Whether fields that the schema does not name are kept.
    pub fn preserves(&self) -> bool {
        self.preserve_unknown_fields == Some(true)
    }

    /// The one schema of all items.
    pub fn item(&self) -> Option<&Props> {
        self.items.as_ref().and_then(|items| items.schema.as_deref())
    }

    /// The schema of fields that are not named.
    pub fn additional(&self) -> Option<&Props> {
        self.additional_properties.as_ref().and_then(|additional| additional.schema.as_deref())
    }

    /// The schema of a field: its own, or that of fields that are not named.
    pub fn field(&self, name: &str) -> Option<&Props> {
        self.properties.get(name).or_else(|| self.additional())
    }

    /// Whether this place or one below it satisfies a condition.
    pub fn any(&self, condition: &dyn Fn(&Props) -> bool) -> bool {
        condition(self) || self.children().any(|child| child.any(condition))
    }

    /// Every schema directly below, in the order in which the server walks them.
    pub fn children(&self) -> impl Iterator<Item = &Props> {
        let items =
            self.items.iter().flat_map(|items| items.schema.as_deref().into_iter().chain(&items.schemas));
        items
            .chain(&self.all_of)
            .chain(&self.any_of)
            .chain(&self.one_of)
            .chain(self.not.as_deref())
            .chain(self.properties.values())
            .chain(self.additional())
            .chain(self.pattern_properties.values())
            .chain(self.additional_items.as_ref().and_then(|place| place.schema.as_deref()))
            .chain(self.definitions.values())
            .chain(self.dependencies.iter().flat_map(BTreeMap::values).filter_map(|one| one.schema.as_ref()))
    }
}

impl Dependency {
    fn read(value: &Value) -> Self {
        let fields = value.as_array().into_iter().flatten();
        Self {
            schema: value.is_object().then(|| Props::read(value)),
            fields: fields.map(|field| field.as_str().unwrap_or_default().to_owned()).collect(),
        }
    }
}

impl Rule {
    fn read(value: &Value) -> Self {
        let empty = Map::new();
        let fields = value.as_object().unwrap_or(&empty);
        let reader = Reader { fields };
        Self {
            rule: reader.text("rule"),
            message: reader.text("message"),
            message_expression: reader.text("messageExpression"),
            reason: reader.optional_text("reason"),
            field_path: reader.text("fieldPath"),
            optional_old_self: fields.get("optionalOldSelf").and_then(Value::as_bool),
        }
    }
}

struct Reader<'a> {
    fields: &'a Map<String, Value>,
}

impl Reader<'_> {
    fn value(&self, name: &str) -> Option<Value> {
        self.fields.get(name).filter(|value| !value.is_null()).cloned()
    }

    fn optional_text(&self, name: &str) -> Option<String> {
        self.fields.get(name).and_then(Value::as_str).map(str::to_owned)
    }

    fn text(&self, name: &str) -> String {
        self.optional_text(name).unwrap_or_default()
    }

    fn flag(&self, name: &str) -> bool {
        self.fields.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.fields.get(name).and_then(Value::as_f64)
    }

    fn integer(&self, name: &str) -> Option<i64> {
        self.fields.get(name).and_then(Value::as_i64)
    }

    fn array(&self, name: &str) -> &[Value] {
        self.fields.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    fn texts(&self, name: &str) -> Vec<String> {
        self.array(name).iter().map(|text| text.as_str().unwrap_or_default().to_owned()).collect()
    }

    fn schemas(&self, name: &str) -> Vec<Props> {
        self.array(name).iter().map(Props::read).collect()
    }

    fn map(&self, name: &str) -> BTreeMap<String, Props> {
        let entries = self.fields.get(name).and_then(Value::as_object).into_iter().flatten();
        entries.map(|(name, schema)| (name.clone(), Props::read(schema))).collect()
    }

    fn or_bool(&self, name: &str) -> Option<OrBool> {
        Some(match self.value(name)? {
            Value::Bool(allows) => OrBool { allows, schema: None },
            schema => OrBool { allows: true, schema: Some(Box::new(Props::read(&schema))) },
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_is_read() {
        let props = Props::read(&json!({
            "type": "object",
            "default": null,
            "maximum": 5,
            "properties": {"a": {"type": "array", "items": {"type": "string"}}},
            "additionalProperties": false,
            "x-kubernetes-validations": [{"rule": "true", "optionalOldSelf": true}],
        }));
        assert_eq!(props.kind, "object");
        assert_eq!(props.default, None);
        assert_eq!(props.maximum, Some(5.0));
        assert_eq!(props.properties["a"].item().unwrap().kind, "string");
        assert_eq!(props.additional_properties, Some(OrBool { allows: false, schema: None }));
        assert_eq!(props.validations[0].optional_old_self, Some(true));
        assert!(props.any(&|place| place.kind == "string"));
        assert!(!props.any(&|place| place.kind == "number"));
    }
}
