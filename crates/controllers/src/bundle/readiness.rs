//! Readiness that a definition declares for all of its objects: Smith's annotations.

use std::collections::HashMap;

use engine::Engine;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::PartialObjectMeta;
use kube::core::ApiResource;
use kube::{Api, ResourceExt};
use objects::ObjectId;
use plan::output::Readiness;

const PATH: &str = "smith.atlassian.com/CrReadyWhenFieldPath";
const VALUE: &str = "smith.atlassian.com/CrReadyWhenFieldValue";
const ENABLED: &str = "smith.atlassian.com/SupportEnabled";

/// What definitions declare for these objects, by kind. What cannot be read declares nothing: not everybody may read
/// definitions, and most declare nothing.
pub(super) async fn declared(
    engine: &Engine,
    ids: impl Iterator<Item = &ObjectId>,
) -> HashMap<(String, String), Readiness> {
    let mut found = HashMap::new();
    let definitions: Api<CustomResourceDefinition> = Api::all(engine.client().clone());
    let mut asked = std::collections::HashSet::new();
    for id in ids {
        // Kinds of Kubernetes itself have no definition.
        let is_built_in = id.group.is_empty() || !id.group.contains('.') || id.group.ends_with(".k8s.io");
        let Some(kind) = engine.served().kind_of(id).filter(|_| !is_built_in) else { continue };
        if !asked.insert((id.group.clone(), id.kind.clone())) {
            continue;
        }
        let name = definition_name(&kind.resource);
        if let Ok(Some(definition)) = definitions.get_metadata_opt(&name).await
            && let Some(readiness) = readiness(&definition)
        {
            found.insert((id.group.clone(), id.kind.clone()), readiness);
        }
    }
    found
}

fn definition_name(resource: &ApiResource) -> String {
    format!("{}.{}", resource.plural, resource.group)
}

fn readiness(definition: &PartialObjectMeta<CustomResourceDefinition>) -> Option<Readiness> {
    let annotation = |key: &str| definition.annotations().get(key).map(String::as_str);
    if annotation(ENABLED) != Some("true") {
        return None;
    }
    Some(Readiness { success: vec![expression(annotation(PATH)?, annotation(VALUE)?)?], failure: Vec::new() })
}

/// A path and a value as a readiness expression, which is about the status.
fn expression(path: &str, value: &str) -> Option<String> {
    let path = path.trim().trim_start_matches('{').trim_end_matches('}').trim_start_matches(['$', '.']);
    let in_status = path.strip_prefix("status.")?;
    Some(format!("{{.{in_status}}} == {value:?}"))
}

#[cfg(test)]
mod tests {
    use objects::readiness::Expression;

    use super::*;

    #[test]
    fn a_path_in_the_status_is_an_expression() {
        for path in ["{$.status.state}", "{.status.state}", "status.state"] {
            let expression = expression(path, "Ready").unwrap();
            assert_eq!(expression, "{.state} == \"Ready\"");
            assert!(Expression::parse(&expression).is_ok());
        }
        assert_eq!(expression("{$.spec.x}", "Ready"), None);
    }
}
