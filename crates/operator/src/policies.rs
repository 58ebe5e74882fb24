//! The admission policies: the same files that the chart installs.

use kube::core::DynamicObject;
use serde_json::Value;

/// What stands in the files for whether declarative deletion is on.
const DECLARATIVE: &str = "__DECLARATIVE_DELETE__";

/// The files of the chart.
const FILES: [&str; 7] = [
    include_str!("../../../charts/slipway/policies/force-deletion.yaml"),
    include_str!("../../../charts/slipway/policies/service-accounts.yaml"),
    include_str!("../../../charts/slipway/policies/declarative-delete.yaml"),
    include_str!("../../../charts/slipway/policies/deletion-protection.yaml"),
    include_str!("../../../charts/slipway/policies/fixed-fields.yaml"),
    include_str!("../../../charts/slipway/policies/broker-secrets.yaml"),
    include_str!("../../../charts/slipway/policies/named-secrets.yaml"),
];

/// The policies and their bindings, with declarative deletion on or off.
pub fn objects(declarative: bool) -> Vec<DynamicObject> {
    let written = if declarative { "true" } else { "false" };
    let documents = FILES.iter().flat_map(|file| file.split("\n---\n"));
    let read = documents.filter_map(|text| {
        let value: Value = goyaml::from_str_as(&text.replace(DECLARATIVE, written)).ok()?;
        serde_json::from_value(value).ok()
    });
    read.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_is_bound_and_denies() {
        let objects = objects(true);
        let of = |kind: &str| {
            objects
                .iter()
                .filter(|object| object.types.as_ref().is_some_and(|types| types.kind == kind))
                .collect::<Vec<_>>()
        };
        let (policies, bindings) = (of("ValidatingAdmissionPolicy"), of("ValidatingAdmissionPolicyBinding"));
        assert_eq!((policies.len(), bindings.len()), (FILES.len(), FILES.len()));
        for (policy, binding) in policies.iter().zip(bindings) {
            assert_eq!(binding.data["spec"]["policyName"].as_str(), policy.metadata.name.as_deref());
            assert_eq!(binding.data["spec"]["validationActions"], serde_json::json!(["Deny"]));
            assert_eq!(policy.data["spec"]["failurePolicy"], "Fail");
        }
    }
}
