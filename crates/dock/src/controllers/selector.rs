//! Label selectors as they stand in objects: `matchLabels` and `matchExpressions`.

use serde_json::Value;

use super::object::Object;

/// What a selector says of labels.
#[derive(Debug, Clone, Copy)]
pub struct Selector<'a>(&'a Value);

impl<'a> Selector<'a> {
    /// The `LabelSelector` at hand.
    pub fn new(selector: &'a Value) -> Self {
        Self(selector)
    }

    /// Whether it has no requirement at all.
    pub fn is_empty(self) -> bool {
        let labels = self.0.at("matchLabels").as_object().is_none_or(serde_json::Map::is_empty);
        labels && self.0.items("matchExpressions").is_empty()
    }

    /// Whether the labels of an object meet every requirement.
    pub fn matches(self, object: &Value) -> bool {
        let labels = object.at("metadata.labels");
        let equal = self
            .0
            .at("matchLabels")
            .as_object()
            .is_none_or(|wanted| wanted.iter().all(|(key, value)| labels.get(key) == Some(value)));
        equal && self.0.items("matchExpressions").iter().all(|requirement| meets(labels, requirement))
    }
}

/// Whether labels have all the given ones, as the selectors of Services and `ReplicationControllers` ask.
pub fn has_all(labels: &Value, wanted: &Value) -> bool {
    wanted.as_object().is_none_or(|wanted| wanted.iter().all(|(key, value)| labels.get(key) == Some(value)))
}

/// Whether labels meet one requirement; the operators of node affinity are known too.
pub fn meets(labels: &Value, requirement: &Value) -> bool {
    let found = labels.get(requirement.text("key"));
    let listed = |value: &Value| requirement.items("values").contains(value);
    let number =
        |value: Option<&Value>| value.and_then(Value::as_str).and_then(|text| text.parse::<i64>().ok());
    let compared = || number(found).zip(number(requirement.items("values").first()));
    match requirement.text("operator") {
        "In" => found.is_some_and(listed),
        "NotIn" => !found.is_some_and(listed),
        "Exists" => found.is_some(),
        "DoesNotExist" => found.is_none(),
        "Gt" => compared().is_some_and(|(found, wanted)| found > wanted),
        "Lt" => compared().is_some_and(|(found, wanted)| found < wanted),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn requirements() {
        let object = json!({"metadata": {"labels": {"app": "web", "tier": "2"}}});
        let cases = [
            (json!({}), true),
            (json!(null), true),
            (json!({"matchLabels": {"app": "web"}}), true),
            (json!({"matchLabels": {"app": "db"}}), false),
            (json!({"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "db"]}]}), true),
            (json!({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}), false),
            (json!({"matchExpressions": [{"key": "no", "operator": "NotIn", "values": ["web"]}]}), true),
            (json!({"matchExpressions": [{"key": "app", "operator": "Exists"}]}), true),
            (json!({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}), false),
            (json!({"matchExpressions": [{"key": "tier", "operator": "Gt", "values": ["1"]}]}), true),
            (json!({"matchExpressions": [{"key": "app", "operator": "Gt", "values": ["1"]}]}), false),
        ];
        for (selector, expected) in cases {
            assert_eq!(Selector::new(&selector).matches(&object), expected, "{selector}");
        }
    }
}
