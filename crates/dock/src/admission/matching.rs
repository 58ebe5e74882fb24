//! Which requests a policy, a binding or a webhook is about.

use serde_json::Value;

use super::attributes::{Attributes, Target};
use crate::selectors::LabelSelector;

/// `matchConstraints` of a policy, `matchResources` of a binding, or what a webhook says of itself.
#[derive(Debug)]
pub(super) struct Constraints {
    namespaces: Result<LabelSelector, String>,
    objects: Result<LabelSelector, String>,
    rules: Vec<Rule>,
    exclusions: Vec<Rule>,
    /// Whether another version of the resource counts as the same.
    equivalent: bool,
}

/// One of the resource rules.
#[derive(Debug)]
struct Rule {
    groups: Vec<String>,
    versions: Vec<String>,
    operations: Vec<String>,
    resources: Vec<String>,
    names: Vec<String>,
    scope: String,
}

pub(super) fn words(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(ToOwned::to_owned).collect()
}

fn contains(list: &[String], wanted: &str) -> bool {
    list.iter().any(|word| word == "*" || word == wanted)
}

impl Rule {
    fn read(rule: &Value) -> Self {
        Self {
            groups: words(&rule["apiGroups"]),
            versions: words(&rule["apiVersions"]),
            operations: words(&rule["operations"]),
            resources: words(&rule["resources"]),
            names: words(&rule["resourceNames"]),
            scope: rule["scope"].as_str().unwrap_or("*").to_owned(),
        }
    }

    fn matches(&self, attributes: &Attributes<'_>, target: &Target<'_>) -> bool {
        let in_scope = match self.scope.as_str() {
            "Namespaced" => !target.is_namespace() && !attributes.namespace.is_empty(),
            "Cluster" => target.is_namespace() || attributes.namespace.is_empty(),
            _ => true,
        };
        in_scope
            && contains(&self.operations, attributes.operation.as_str())
            && contains(&self.groups, target.group.name)
            && contains(&self.versions, target.group.version)
            && self.resources.iter().any(|rule| {
                let (resource, subresource) = rule.split_once('/').unwrap_or((rule, ""));
                (resource == "*" || resource == target.resource)
                    && (subresource == "*" || subresource == attributes.subresource)
            })
            && (self.names.is_empty() || self.names.iter().any(|name| name == attributes.name))
    }
}

impl Constraints {
    /// What a policy or a binding says.
    pub(super) fn read(spec: &Value) -> Self {
        Self::with_rules(spec, "resourceRules")
    }

    /// What a webhook says.
    pub(super) fn of_webhook(webhook: &Value) -> Self {
        Self::with_rules(webhook, "rules")
    }

    fn with_rules(spec: &Value, included: &str) -> Self {
        let selector = |field: &str| match spec.get(field).filter(|some| some.is_object()) {
            Some(selector) => LabelSelector::of(Some(selector)).map_err(|error| error.to_string()),
            None => Ok(LabelSelector::everything()),
        };
        let rules = |field: &str| spec[field].as_array().into_iter().flatten().map(Rule::read).collect();
        Self {
            namespaces: selector("namespaceSelector"),
            objects: selector("objectSelector"),
            rules: rules(included),
            exclusions: rules("excludeResourceRules"),
            equivalent: spec["matchPolicy"].as_str() != Some("Exact"),
        }
    }

    /// The version in which a request is meant, if it is.
    pub(super) fn matches<'a>(&self, attributes: &Attributes<'a>) -> Result<Option<Target<'a>>, String> {
        let by_namespace = self.namespaces.as_ref().map(|selector| selects_namespace(selector, attributes));
        if by_namespace == Ok(false) {
            return Ok(None);
        }
        let by_object = self.objects.as_ref().map(|selector| {
            let object = attributes.object.is_some_and(|object| selector.matches_object(object));
            let old_object = attributes.old_object.is_some_and(|object| selector.matches_object(object));
            selector.is_empty() || object || old_object
        });
        if by_object == Ok(false) {
            return Ok(None);
        }
        if self.first_match(&self.exclusions, attributes).is_some() {
            return Ok(None);
        }
        let matched = if self.rules.is_empty() {
            Some(attributes.target)
        } else {
            self.first_match(&self.rules, attributes)
        };
        if matched.is_some() {
            by_namespace.map_err(Clone::clone)?;
            by_object.map_err(Clone::clone)?;
        }
        Ok(matched)
    }

    fn first_match<'a>(&self, rules: &[Rule], attributes: &Attributes<'a>) -> Option<Target<'a>> {
        if rules.iter().any(|rule| rule.matches(attributes, &attributes.target)) {
            return Some(attributes.target);
        }
        if !self.equivalent {
            return None;
        }
        let others = attributes.equivalents.iter().filter(|other| **other != attributes.target);
        rules.iter().find_map(|rule| others.clone().find(|other| rule.matches(attributes, other)).copied())
    }
}

/// A namespace is selected by its own labels, everything else by those of the namespace it is in.
fn selects_namespace(selector: &LabelSelector, attributes: &Attributes<'_>) -> bool {
    if selector.is_empty() || attributes.namespace.is_empty() && !attributes.target.is_namespace() {
        return true;
    }
    let object = match attributes.object {
        Some(object) if attributes.target.is_namespace() => Some(object),
        _ if attributes.target.is_namespace() => attributes.old_object,
        _ => attributes.namespace_object,
    };
    object.is_some_and(|object| selector.matches_object(object))
}
