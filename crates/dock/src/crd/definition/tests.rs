use serde_json::json;

use super::*;
use crate::field::FieldError;

fn widget() -> Value {
    let mut object = json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object"}}}],
        },
    });
    default(&mut object);
    prepare_create(&mut object);
    object
}

fn said(errors: &[FieldError]) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn a_definition_is_completed() {
    let object = widget();
    assert_eq!(object["spec"]["names"]["singular"], "widget");
    assert_eq!(object["spec"]["names"]["listKind"], "WidgetList");
    assert_eq!(object["spec"]["conversion"], json!({"strategy": "None"}));
    let names = json!({"kind": "", "plural": ""});
    assert_eq!(
        object["status"],
        json!({"acceptedNames": names, "conditions": null, "storedVersions": ["v1"]})
    );
    assert_eq!(said(&validate(&object)), Vec::<String>::new());
}

#[test]
fn a_wrong_definition_is_refused() {
    let cases: [(&str, Value, &[&str]); 9] = [
        (
            "/metadata/name",
            json!("other"),
            &["metadata.name: Invalid value: \"other\": must be spec.names.plural+\".\"+spec.group"],
        ),
        (
            "/spec/scope",
            json!("Everywhere"),
            &["spec.scope: Unsupported value: \"Everywhere\": supported values: \"Cluster\", \"Namespaced\""],
        ),
        (
            "/spec/versions/0/storage",
            json!(false),
            &[
                "spec.versions: Invalid value: [{\"Name\":\"v1\",\"Served\":true,\"Storage\":false,\"Deprecated\":false,\"DeprecationWarning\":null,\"Schema\":null,\"Subresources\":null,\"AdditionalPrinterColumns\":null,\"SelectableFields\":null}]: must have exactly one version marked as storage version",
            ],
        ),
        (
            "/spec/versions/0/schema",
            json!(null),
            &["spec.versions[0].schema.openAPIV3Schema: Required value"],
        ),
        (
            "/spec/versions/0/schema/openAPIV3Schema",
            json!({"type": "object", "properties": {"spec": {}}}),
            &[
                "spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields",
            ],
        ),
        (
            "/spec/versions/0/schema/openAPIV3Schema",
            json!({"type": "object", "properties": {"spec": {"type": "object", "default": {"x": 1}}}}),
            &[
                "spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: {\"x\":1}: must not have unknown fields",
            ],
        ),
        (
            "/spec/versions/0/schema/openAPIV3Schema",
            json!({"type": "object", "properties": {"a": {"type": "integer", "default": "x"}}}),
            &[
                "spec.validation.openAPIV3Schema.properties[a].default: Invalid value: \"string\":  in body must be of type integer: \"string\"",
            ],
        ),
        (
            "/spec/versions/0/subresources",
            json!({"scale": {"specReplicasPath": "spec.x"}}),
            &[
                "spec.subresources.scale.specReplicasPath: Invalid value: \"spec.x\": must be a simple json path starting with .",
                "spec.subresources.scale.statusReplicasPath: Required value",
            ],
        ),
        (
            "/spec/versions/0/additionalPrinterColumns",
            json!([{"name": "A", "type": "odd", "jsonPath": ".a"}]),
            &[
                "spec.additionalPrinterColumns[0].type: Invalid value: \"odd\": must be one of boolean,date,integer,number,string",
            ],
        ),
    ];
    for (pointer, value, expected) in cases {
        let mut object = widget();
        match object.pointer_mut(pointer) {
            Some(place) => *place = value.clone(),
            None => object["spec"]["versions"][0][pointer.rsplit('/').next().unwrap()] = value.clone(),
        }
        assert_eq!(said(&validate(&object)), expected, "{pointer} {value}");
    }
}

#[test]
fn some_things_do_not_change() {
    let mut old = widget();
    old["metadata"]["resourceVersion"] = "1".into();
    old["status"]["conditions"] = json!([{"type": "Established", "status": "True"}]);
    let mut new = old.clone();
    new["spec"]["scope"] = "Cluster".into();
    new["spec"]["versions"][0]["name"] = "v2".into();
    prepare_update(&mut new, &old);
    assert_eq!(new["metadata"]["generation"], 2);
    assert_eq!(new["status"]["storedVersions"], json!(["v1", "v2"]));
    assert_eq!(
        said(&validate_update(&new, &old)),
        [
            "spec.scope: Invalid value: \"Cluster\": field is immutable",
            "status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions; v1 was previously a storage \
             version, and must remain in spec.versions until a storage migration ensures no data remains persisted in \
             v1 and removes v1 from status.storedVersions",
        ]
    );
}

#[test]
fn protected_groups_need_approval() {
    let mut object = widget();
    object["spec"]["group"] = "a.k8s.io".into();
    object["metadata"]["name"] = "widgets.a.k8s.io".into();
    assert_eq!(
        said(&validate(&object)),
        [
            "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval \
             annotation \"api-approved.kubernetes.io\", see https://github.com/kubernetes/enhancements/pull/1111",
        ]
    );
    object["metadata"]["annotations"] = json!({"api-approved.kubernetes.io": "https://example.com/1"});
    assert_eq!(said(&validate(&object)), Vec::<String>::new());
}
