//! Drivers of storage.

use serde_json::{Value, json};

use crate::field::{FieldError, Path};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::read::{Read, child_mut, fill_absent, same, set, text_of};
use crate::kinds::report::Errors;
use crate::kinds::{Context, Rules, names};

/// The rules of `CSIDriver`.
pub(crate) struct CsiDriver;

fn driver(spec: &Value, errors: &mut Errors) {
    let path = Path::new("spec");
    let policies = ["File", "None", "ReadWriteOnceWithFSType"];
    errors.one_of(spec.text("fsGroupPolicy"), &policies, &path.child("fsGroupPolicy"));
    for mode in spec.list("volumeLifecycleModes") {
        errors.one_of(text_of(mode), &["Persistent", "Ephemeral"], &path.child("volumeLifecycleModes"));
    }
}

impl Rules for CsiDriver {
    fn default(&self, object: &mut Value) {
        let Some(spec) = child_mut(object, "spec") else { return };
        for (field, value) in [
            ("attachRequired", json!(true)),
            ("podInfoOnMount", json!(false)),
            ("storageCapacity", json!(false)),
            ("fsGroupPolicy", json!("ReadWriteOnceWithFSType")),
            ("requiresRepublish", json!(false)),
            ("seLinuxMount", json!(false)),
        ] {
            fill_absent(spec, field, value);
        }
        if spec.list("volumeLifecycleModes").is_empty() {
            set(spec, "volumeLifecycleModes", json!(["Persistent"]));
        }
    }

    // A new one has no generation yet: it counts changes.
    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        if !same(object.at("spec"), old.at("spec"))
            && let Some(meta) = child_mut(object, "metadata")
        {
            set(meta, "generation", old.at("metadata").int("generation") + 1);
        }
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate(object, Scope::Cluster, names::dns_subdomain, &mut errors);
        driver(object.at("spec"), &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        let (now, before, path) = (object.at("spec"), old.at("spec"), Path::new("spec"));
        driver(now, &mut errors);
        // The server calls the first of them by another name than the field has.
        for (field, named) in
            [("attachRequired", "attachedRequired"), ("volumeLifecycleModes", "volumeLifecycleModes")]
        {
            errors.immutable(now.at(field), before.at(field), &path.child(named));
        }
        errors.found()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_driver_does_not_say_is_filled_in_and_fixed() {
        let mut object = json!({"metadata": {"name": "a.b"}, "spec": {}});
        CsiDriver.default(&mut object);
        assert_eq!(
            object["spec"],
            json!({
                "attachRequired": true, "podInfoOnMount": false, "storageCapacity": false, "requiresRepublish": false,
                "fsGroupPolicy": "ReadWriteOnceWithFSType", "seLinuxMount": false,
                "volumeLifecycleModes": ["Persistent"],
            })
        );
        let mut other = object.clone();
        other["spec"]["attachRequired"] = false.into();
        let said: Vec<String> =
            CsiDriver.validate_update(&other, &object).iter().map(ToString::to_string).collect();
        assert!(
            said.contains(&"spec.attachedRequired: Invalid value: false: field is immutable".to_owned()),
            "{said:?}"
        );
    }
}
