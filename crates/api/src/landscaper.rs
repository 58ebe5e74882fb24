//! The Landscaper's DeployItem: a type, and a configuration in the words of the deployer of that type.
//!
//! Charts (`landscaper.gardener.cloud/helm`) and manifests (`landscaper.gardener.cloud/kubernetes-manifest`) have
//! counterparts; so have `deletionOrderRules` where the document that proposes them puts them: in the configuration,
//! or in a list below the item.

use serde_json::{Map, Value, json};

use crate::mapping::{MappingError, name_of};
use crate::{GROUP, VERSION};

/// The version of the Landscaper's DeployItems.
pub const API_VERSION: &str = "landscaper.gardener.cloud/v1alpha1";

const HELM: &str = "landscaper.gardener.cloud/helm";
const MANIFEST: &str = "landscaper.gardener.cloud/kubernetes-manifest";

/// A DeployItem of the Landscaper's as ours.
pub fn deploy_item(item: Value) -> Result<Value, MappingError> {
    let object = name_of(&item);
    let reader = Reader { object: &object };
    let Value::Object(mut whole) = item else { return Err(reader.malformed("the item", "an object")) };
    let Some(Value::Object(mut spec)) = whole.remove("spec") else {
        return Err(reader.malformed("spec", "an object"));
    };
    let mut ours = Map::new();
    let Some(Value::Object(mut config)) = spec.remove("config") else {
        return Err(reader.malformed("spec.config", "the configuration of a deployer"));
    };
    match spec.remove("type").as_ref().and_then(Value::as_str) {
        Some(HELM) => reader.chart(&mut config, &mut ours)?,
        Some(MANIFEST) => reader.manifests(&mut config, &mut ours)?,
        _ => return Err(reader.unsupported("spec.type", "only charts and manifests can be deployed here")),
    }
    for rules in ["deletionOrderRules", "deletionOrderRulesDuringUpdate"] {
        if let Some(rules_here) = config.remove(rules).or_else(|| spec.remove(rules)) {
            ours.insert(rules.to_owned(), rules_here);
        }
    }
    if let Some(readiness) = config.remove("readinessChecks") {
        let disabled = readiness["disableDefault"].as_bool().unwrap_or_default();
        if readiness.get("custom").is_some() {
            let why = "say it with helm.sh/readiness-success on the object";
            return Err(reader.unsupported("spec.config.readinessChecks.custom", why));
        }
        ours.insert("readiness".to_owned(), json!({ "disabled": disabled }));
    }
    for (field, why) in [
        ("exports", "exports to other items are not offered"),
        ("exportsFromManifests", "exports to other items are not offered"),
        ("deletionGroups", "write deletionOrderRules: they say the same with ranks"),
        ("deletionGroupsDuringUpdate", "write deletionOrderRulesDuringUpdate: they say the same with ranks"),
    ] {
        if config.remove(field).is_some() {
            return Err(reader.unsupported(&format!("spec.config.{field}"), why));
        }
    }
    for field in ["apiVersion", "kind", "updateStrategy", "helmDeploymentConfig", "createNamespace"] {
        // These say how the Landscaper works, not what is wanted.
        config.remove(field);
    }
    if let Some((field, _)) = config.into_iter().next() {
        return Err(reader.unsupported(&format!("spec.config.{field}"), "it is not known"));
    }
    if let Some(timeout) = spec.remove("timeout") {
        ours.insert("timeout".to_owned(), timeout);
    }
    if let Some(target) = spec.remove("target") {
        let name = target["name"].as_str().unwrap_or_default();
        let target = ours.entry("target").or_insert_with(|| json!({}));
        // A Target keeps the kubeconfig in a Secret of its own name.
        target["kubeconfig"] = json!({"name": name, "key": "kubeconfig"});
    }
    whole.remove("status");
    whole.insert("apiVersion".to_owned(), format!("{GROUP}/{VERSION}").into());
    whole.insert("kind".to_owned(), "DeployItem".into());
    whole.insert("spec".to_owned(), Value::Object(ours));
    Ok(Value::Object(whole))
}

struct Reader<'a> {
    object: &'a str,
}

impl Reader<'_> {
    fn chart(
        &self,
        config: &mut Map<String, Value>,
        ours: &mut Map<String, Value>,
    ) -> Result<(), MappingError> {
        let chart = config.remove("chart").unwrap_or_default();
        let source = if let Some(reference) = chart["ref"].as_str() {
            let reference = reference.strip_prefix("oci://").unwrap_or(reference);
            json!({"oci": {"ref": format!("oci://{reference}")}})
        } else if let Some(archive) = chart["archive"]["raw"].as_str() {
            json!({ "archive": archive })
        } else if let Some(name) = chart["helmChartRepo"]["helmChartName"].as_str() {
            let repository = &chart["helmChartRepo"];
            let mut from = json!({"url": repository["helmChartRepoUrl"], "name": name});
            if !repository["helmChartVersion"].is_null() {
                from["version"] = repository["helmChartVersion"].clone();
            }
            json!({ "repository": from })
        } else {
            let why = "a chart is given by ref, archive.raw or helmChartRepo";
            return Err(self.unsupported("spec.config.chart", why));
        };
        ours.insert("chart".to_owned(), source);
        for (field, as_ours) in
            [("values", "values"), ("helmDeployment", "helmDeployment"), ("name", "releaseName")]
        {
            if let Some(value) = config.remove(field) {
                ours.insert(as_ours.to_owned(), value);
            }
        }
        if let Some(namespace) = config.remove("namespace") {
            ours.insert("target".to_owned(), json!({ "namespace": namespace }));
        }
        Ok(())
    }

    fn manifests(
        &self,
        config: &mut Map<String, Value>,
        ours: &mut Map<String, Value>,
    ) -> Result<(), MappingError> {
        let Some(Value::Array(manifests)) = config.remove("manifests") else {
            return Err(self.malformed("spec.config.manifests", "a list"));
        };
        for (number, entry) in manifests.iter().enumerate() {
            if entry["policy"] == "fallback" {
                let field = format!("spec.config.manifests[{number}].policy");
                let why = "objects of others are never taken over; use manage";
                return Err(self.unsupported(&field, why));
            }
            for field in ["annotateBeforeCreate", "annotateBeforeDelete", "patchAfterDeployment"] {
                if entry.get(field).is_some() {
                    let field = format!("spec.config.manifests[{number}].{field}");
                    return Err(self.unsupported(&field, "write it into the manifest"));
                }
            }
        }
        ours.insert("manifests".to_owned(), Value::Array(manifests));
        ours.insert("helmDeployment".to_owned(), false.into());
        Ok(())
    }

    fn malformed(&self, field: &str, expected: &'static str) -> MappingError {
        MappingError::Malformed { object: self.object.to_owned(), field: field.to_owned(), expected }
    }

    fn unsupported(&self, field: &str, why: &'static str) -> MappingError {
        MappingError::Unsupported { object: self.object.to_owned(), field: field.to_owned(), why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeployItem;

    #[expect(clippy::needless_pass_by_value, reason = "cases are written where they are used")]
    fn item(spec: Value) -> Value {
        json!({"apiVersion": API_VERSION, "kind": "DeployItem", "metadata": {"name": "i"}, "spec": spec})
    }

    #[test]
    fn a_chart_with_the_documents_rules_is_ours() {
        let ours = deploy_item(item(json!({
            "type": HELM,
            "target": {"name": "my-cluster"},
            "timeout": "5m",
            "config": {
                "apiVersion": "helm.deployer.landscaper.gardener.cloud/v1alpha1",
                "kind": "ProviderConfiguration",
                "chart": {"ref": "example.com/charts/shop:1.0.0"},
                "helmDeployment": false,
                "name": "shop",
                "namespace": "prod",
                "values": {"a": 1},
                "deletionOrderRules": [
                    {"deletionRank": 100, "forceDeleteAfterWaitTimeout": {"forceTimeout": "30s"}},
                    {"deletionRank": 250, "types": ["example.com/v1/Widget"], "waitTimeout": "1m",
                     "forceRemoveAfterWaitPeriod": {"enabled": true}},
                ],
            },
        })))
        .unwrap();
        let ours: DeployItem = serde_json::from_value(ours).unwrap();
        let chart = ours.spec.chart.unwrap();
        assert_eq!(chart.oci.unwrap().reference, "oci://example.com/charts/shop:1.0.0");
        assert!(!ours.spec.helm_deployment);
        let target = ours.spec.target.unwrap();
        assert_eq!(target.namespace.as_deref(), Some("prod"));
        assert_eq!(target.kubeconfig.unwrap().name, "my-cluster");
        let [first, second] = ours.spec.deletion_order_rules.as_slice() else { panic!("two rules") };
        assert_eq!((first.deletion_rank, first.types.as_ref()), (100, None));
        assert!(second.force_delete_after_wait_timeout.is_some(), "by its other name");
    }

    #[test]
    fn manifests_with_policies_are_ours() {
        let manifest = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
        let config = json!({"manifests": [{"policy": "keep", "manifest": manifest}]});
        let ours = deploy_item(item(json!({"type": MANIFEST, "config": config}))).unwrap();
        let ours: DeployItem = serde_json::from_value(ours).unwrap();
        assert_eq!(ours.spec.manifests[0].policy, Some(crate::deploy_item::Policy::Keep));
        assert!(!ours.spec.helm_deployment);
    }

    #[test]
    fn what_has_no_counterpart_is_refused_by_name() {
        for (config, words) in [
            (json!({"manifests": [], "exports": {}}), "exports to other items are not offered"),
            (json!({"manifests": [], "deletionGroups": []}), "write deletionOrderRules"),
            (json!({"manifests": [], "hooks": []}), "spec.config.hooks"),
            (json!({"manifests": [{"policy": "fallback"}]}), "manifests[0].policy"),
        ] {
            let error = deploy_item(item(json!({"type": MANIFEST, "config": config}))).unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}
