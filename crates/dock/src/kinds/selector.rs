//! Label selectors: what they must be, what they match, and how they are shown.

use serde_json::Value;

use super::metadata;
use super::names;
use super::read::{Read, text_of};
use super::report::Errors;
use crate::field::{FieldError, Path};

/// Whether values of labels are checked; they are not where an older object had a bad one already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Values {
    /// They are.
    Checked,
    /// They may be anything.
    Any,
}

/// What is wrong with a label selector. One that is absent is right.
pub(crate) fn validate(selector: &Value, values: Values, path: &Path, errors: &mut Errors) {
    if selector.is_null() {
        return;
    }
    metadata::labels(selector, "matchLabels", path, errors);
    for (index, requirement) in selector.list("matchExpressions").iter().enumerate() {
        let path = path.child("matchExpressions").index(index);
        let operator = requirement.text("operator");
        let operands = requirement.list("values");
        match operator {
            "In" | "NotIn" if operands.is_empty() => {
                errors
                    .required(&path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'");
            }
            "Exists" | "DoesNotExist" if !operands.is_empty() => errors.forbidden(
                &path.child("values"),
                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            _ => errors.invalid(&path.child("operator"), operator, "not a valid selector operator"),
        }
        let key = requirement.text("key");
        errors.invalid_each(&path.child("key"), key, names::label_key(key));
        if values == Values::Checked {
            for (index, value) in operands.iter().enumerate() {
                let value = text_of(value);
                errors.invalid_each(&path.child("values").index(index), value, names::label_value(value));
            }
        }
    }
}

/// Whether a selector holds values that no label can have.
pub(crate) fn has_bad_values(selector: &Value) -> bool {
    selector
        .list("matchExpressions")
        .iter()
        .flat_map(|requirement| requirement.list("values"))
        .any(|value| !names::label_value(text_of(value)).is_empty())
}

/// Whether a selector selects everything.
pub(crate) fn is_empty(selector: &Value) -> bool {
    selector.entries("matchLabels").next().is_none() && selector.list("matchExpressions").is_empty()
}

/// Whether a selector can be understood at all: the check that Go makes when it compiles one.
pub(crate) fn is_understood(selector: &Value) -> bool {
    let mut errors = Errors::new();
    validate(selector, Values::Checked, &Path::default(), &mut errors);
    errors.is_empty()
}

/// Whether a selector matches the labels in a map.
pub(crate) fn matches(selector: &Value, labels: &Value) -> bool {
    let label = |key: &str| labels.get(key).and_then(Value::as_str);
    selector.entries("matchLabels").all(|(key, value)| label(key) == value.as_str())
        && selector.list("matchExpressions").iter().all(|requirement| {
            let value = label(requirement.text("key"));
            let among = requirement.list("values").iter().any(|one| one.as_str() == value && value.is_some());
            match requirement.text("operator") {
                "In" => among,
                "NotIn" => !among,
                "Exists" => value.is_some(),
                "DoesNotExist" => value.is_none(),
                _ => false,
            }
        })
}

/// A selector as Go shows it: fields in the order of the struct.
pub(crate) fn shown(selector: &Value) -> String {
    if selector.is_null() {
        return "null".into();
    }
    let mut parts = Vec::new();
    if selector.entries("matchLabels").next().is_some() {
        parts.push(format!("\"matchLabels\":{}", selector.at("matchLabels")));
    }
    if !selector.list("matchExpressions").is_empty() {
        let all: Vec<String> = selector
            .list("matchExpressions")
            .iter()
            .map(|requirement| {
                let (key, operator) = (requirement.at("key"), requirement.at("operator"));
                let values = match requirement.at("values") {
                    Value::Null => String::new(),
                    values => format!(",\"values\":{values}"),
                };
                format!("{{\"key\":{key},\"operator\":{operator}{values}}}")
            })
            .collect();
        parts.push(format!("\"matchExpressions\":[{}]", all.join(",")));
    }
    format!("{{{}}}", parts.join(","))
}

impl Errors {
    /// The selector is invalid.
    pub(crate) fn invalid_selector(&mut self, path: &Path, selector: &Value, detail: &str) {
        let mut error = FieldError::invalid(path, selector.clone(), detail);
        error.shown = Some(shown(selector));
        self.push(error);
    }

    /// The selector may not change.
    pub(crate) fn immutable_selector(&mut self, new: &Value, old: &Value, path: &Path) {
        if !super::read::same(new, old) {
            self.invalid_selector(path, new, "field is immutable");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn selectors_match_labels() {
        let labels = json!({"app": "a", "tier": "web"});
        for (selector, expected) in [
            (json!({}), true),
            (json!({"matchLabels": {"app": "a"}}), true),
            (json!({"matchLabels": {"app": "b"}}), false),
            (json!({"matchExpressions": [{"key": "app", "operator": "In", "values": ["a", "b"]}]}), true),
            (json!({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["a"]}]}), false),
            (json!({"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["a"]}]}), true),
            (json!({"matchExpressions": [{"key": "zone", "operator": "Exists"}]}), false),
            (json!({"matchExpressions": [{"key": "zone", "operator": "DoesNotExist"}]}), true),
        ] {
            assert_eq!(matches(&selector, &labels), expected, "{selector}");
        }
    }

    #[test]
    fn selectors_are_shown_in_the_order_of_go() {
        let selector = json!({
            "matchExpressions": [{"values": ["a"], "key": "app", "operator": "In"}],
            "matchLabels": {"app": "a"}
        });
        assert_eq!(
            shown(&selector),
            r#"{"matchLabels":{"app":"a"},"matchExpressions":[{"key":"app","operator":"In","values":["a"]}]}"#
        );
        assert_eq!(shown(&Value::Null), "null");
        assert_eq!(shown(&json!({})), "{}");
    }
}
