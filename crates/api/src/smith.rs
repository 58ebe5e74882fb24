//! Smith's Bundle. Its shape is ours; plugins are programs of Smith's own, and have no counterpart.

use serde_json::Value;

use crate::mapping::{MappingError, mapped, name_of};
use crate::{GROUP, VERSION};

/// The version of Smith's Bundles.
pub const API_VERSION: &str = "smith.atlassian.com/v1";

/// A Bundle of Smith's as ours.
pub fn bundle(mut bundle: Value) -> Result<Value, MappingError> {
    let object = name_of(&bundle);
    bundle["apiVersion"] = format!("{GROUP}/{VERSION}").into();
    if let Some(whole) = bundle.as_object_mut() {
        // What Smith has found out is not ours.
        whole.remove("status");
    }
    let Some(resources) = bundle.pointer_mut("/spec/resources") else { return Ok(bundle) };
    let Some(resources) = resources.as_array_mut() else {
        let field = "spec.resources".to_owned();
        return Err(MappingError::Malformed { object, field, expected: "a list" });
    };
    for (number, resource) in resources.iter_mut().enumerate() {
        if resource["spec"].get("plugin").is_some_and(|plugin| !plugin.is_null()) {
            return Err(MappingError::Unsupported {
                object,
                field: format!("spec.resources[{number}].spec.plugin"),
                why: "plugins are programs of Smith's own; list the object that the plugin makes",
            });
        }
        if let Some(member) = resource.pointer_mut("/spec/object") {
            *member = mapped(member.take())?;
        }
    }
    Ok(bundle)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Bundle;

    /// The example of the document about soft deletes, as it stands.
    const EXAMPLE: &str = include_str!("../../../examples/bundles/soft-delete.yaml");

    #[test]
    fn the_example_of_soft_deletes_is_a_bundle_as_it_stands() {
        let value = goyaml::json::from_value(goyaml::from_str(EXAMPLE).unwrap()).unwrap();
        let ours: Bundle = serde_json::from_value(bundle(value).unwrap()).unwrap();
        assert_eq!(ours.metadata.name.as_deref(), Some("my-bundle"));
        assert_eq!(ours.metadata.namespace.as_deref(), Some("my-ns"));
        let [database] = ours.spec.resources.as_slice() else { panic!("{:?}", ours.spec.resources) };
        assert_eq!(database.name, "my-db");
        let delay = &database.spec.object["metadata"]["annotations"]["smith.atlassian.com/deletionDelay"];
        assert_eq!(delay, "24h");
    }

    #[test]
    fn a_plugin_is_refused_by_name() {
        let written = json!({
            "kind": "Bundle",
            "metadata": {"name": "b"},
            "spec": {"resources": [{"name": "a", "spec": {"plugin": {"name": "secret"}}}]},
        });
        let error = bundle(written).unwrap_err().to_string();
        assert!(error.starts_with("spec.resources[0].spec.plugin of Bundle b has no counterpart"), "{error}");
    }

    #[test]
    fn references_keep_their_shape() {
        let reference =
            json!({"name": "n", "resource": "a", "path": "data.x", "modifier": "bindsecret", "example": 1});
        let written = json!({
            "kind": "Bundle", "metadata": {"name": "b"}, "status": {"conditions": []},
            "spec": {"resources": [{"name": "b", "references": [reference], "spec": {"object": {"kind": "A"}}}]},
        });
        let ours: Bundle = serde_json::from_value(bundle(written).unwrap()).unwrap();
        assert_eq!(ours.status, None);
        assert_eq!(serde_json::to_value(&ours.spec.resources[0].references[0]).unwrap(), reference);
    }
}
