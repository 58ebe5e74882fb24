//! Objects of other systems, made into ours.

use serde_json::Value;

use crate::{landscaper, service_catalog, smith};

/// Why an object of another system has no counterpart here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MappingError {
    /// A field has no meaning here.
    #[error("{field} of {object} has no counterpart: {why}")]
    Unsupported {
        /// Which object.
        object: String,
        /// The path of the field.
        field: String,
        /// Why, and what to do instead.
        why: &'static str,
    },
    /// A field is not of the form that it has in its own system.
    #[error("{field} of {object}: expected {expected}")]
    Malformed {
        /// Which object.
        object: String,
        /// The path of the field.
        field: String,
        /// What it should be.
        expected: &'static str,
    },
}

/// The object as ours if it is one of a system that is known, and as it is otherwise.
pub fn mapped(object: Value) -> Result<Value, MappingError> {
    match (object["apiVersion"].as_str(), object["kind"].as_str()) {
        (Some(smith::API_VERSION), Some("Bundle")) => smith::bundle(object),
        (Some(landscaper::API_VERSION), Some("DeployItem")) => landscaper::deploy_item(object).map(own_names),
        (Some(service_catalog::API_VERSION), _) => Ok(service_catalog::mapped(object)),
        (_, Some("DeployItem")) => Ok(own_names(object)),
        _ => Ok(object),
    }
}

/// Fields that have two names, under the one that the definition knows: a server would drop the other.
fn own_names(mut item: Value) -> Value {
    for rules in ["/spec/deletionOrderRules", "/spec/deletionOrderRulesDuringUpdate"] {
        let rules = item.pointer_mut(rules).and_then(Value::as_array_mut);
        for rule in rules.into_iter().flatten().filter_map(Value::as_object_mut) {
            if let Some(force) = rule.remove("forceRemoveAfterWaitPeriod") {
                rule.entry("forceDeleteAfterWaitTimeout").or_insert(force);
            }
        }
    }
    item
}

/// How an object is called in errors.
pub(crate) fn name_of(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    format!("{} {}", text(&object["kind"]), text(&object["metadata"]["name"]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_of_service_catalog_are_ours_alone_and_in_a_bundle_of_smiths() {
        let instance = json!({
            "apiVersion": "servicecatalog.k8s.io/v1beta1", "kind": "ServiceInstance", "metadata": {"name": "db"},
            "spec": {"clusterServiceClassExternalName": "database", "userInfo": {"username": "eve"}},
        });
        let ours = json!({
            "apiVersion": "servicecatalog.slipway.dev/v1alpha1", "kind": "ServiceInstance",
            "metadata": {"name": "db"}, "spec": {"clusterServiceClassExternalName": "database"},
        });
        assert_eq!(mapped(instance.clone()), Ok(ours.clone()));
        let bundle = json!({
            "apiVersion": "smith.atlassian.com/v1", "kind": "Bundle", "metadata": {"name": "shop"},
            "spec": {"resources": [{"name": "db", "spec": {"object": instance}}]},
        });
        assert_eq!(mapped(bundle).unwrap()["spec"]["resources"][0]["spec"]["object"], ours);
        let other = json!({"apiVersion": "servicecatalog.k8s.io/v1beta1", "kind": "Unheard"});
        assert_eq!(mapped(other.clone()), Ok(other));
    }

    #[test]
    fn a_rule_by_its_other_name_is_written_as_the_definition_knows_it() {
        let item = |force: &str| {
            let rule = json!({"deletionRank": 1, force: {"enabled": true}});
            json!({"apiVersion": "slipway.dev/v1alpha1", "kind": "DeployItem", "spec": {"deletionOrderRules": [rule]}})
        };
        let ours = item("forceDeleteAfterWaitTimeout");
        assert_eq!(mapped(item("forceRemoveAfterWaitPeriod")), Ok(ours.clone()));
        assert_eq!(mapped(ours.clone()), Ok(ours));
    }
}
