//! Cells of volumes, claims, and what drives them.

use serde_json::Value;

use super::{items, or, text};

/// The phase, unless it is being deleted.
pub(super) fn phase(object: &Value) -> String {
    match object["metadata"]["deletionTimestamp"] {
        Value::Null => text(&object["status"]["phase"]).to_owned(),
        _ => "Terminating".to_owned(),
    }
}

/// Access modes in short, in the usual order.
pub(super) fn modes(modes: &Value) -> String {
    const SHORT: [(&str, &str); 4] = [
        ("ReadWriteOnce", "RWO"),
        ("ReadOnlyMany", "ROX"),
        ("ReadWriteMany", "RWX"),
        ("ReadWriteOncePod", "RWOP"),
    ];
    let has = |name: &str| items(modes).iter().any(|mode| mode == name);
    let short: Vec<&str> = SHORT.into_iter().filter(|(name, _)| has(name)).map(|(_, short)| short).collect();
    short.join(",")
}

pub(super) fn claim_capacity(claim: &Value) -> String {
    match text(&claim["spec"]["volumeName"]) {
        "" => String::new(),
        _ => or(text(&claim["status"]["capacity"]["storage"]), "0").to_owned(),
    }
}

pub(super) fn claim_modes(claim: &Value) -> String {
    match text(&claim["spec"]["volumeName"]) {
        "" => String::new(),
        _ => modes(&claim["status"]["accessModes"]),
    }
}

/// The class, which an annotation may say in older objects.
pub(super) fn class(object: &Value) -> String {
    let annotation = &object["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"];
    let class = annotation.as_str().unwrap_or_else(|| text(&object["spec"]["storageClassName"]));
    class.to_owned()
}

pub(super) fn volume_claim(volume: &Value) -> String {
    let claim = &volume["spec"]["claimRef"];
    match claim {
        Value::Null => String::new(),
        _ => format!("{}/{}", text(&claim["namespace"]), text(&claim["name"])),
    }
}

pub(super) fn driver_audiences(driver: &Value) -> String {
    match &driver["spec"]["tokenRequests"] {
        Value::Null => "<unset>".to_owned(),
        requests => {
            let audiences: Vec<&str> =
                items(requests).iter().map(|request| text(&request["audience"])).collect();
            audiences.join(",")
        }
    }
}

pub(super) fn driver_modes(driver: &Value) -> String {
    let modes: Vec<&str> = items(&driver["spec"]["volumeLifecycleModes"]).iter().map(text).collect();
    or(&modes.join(","), "<none>").to_owned()
}

pub(super) fn device_claim(claim: &Value) -> String {
    let mut states = Vec::new();
    let deleted = !claim["metadata"]["deletionTimestamp"].is_null();
    if deleted {
        states.push("deleted");
    }
    if claim["status"]["allocation"].is_null() {
        if !deleted {
            states.push("pending");
        }
    } else {
        states.push("allocated");
        if !items(&claim["status"]["reservedFor"]).is_empty() {
            states.push("reserved");
        }
    }
    states.join(",")
}

/// The name of a class, and whether it is the one for those who name none.
pub(super) fn default_name(class: &Value) -> String {
    const MARKS: [&str; 3] = [
        "storageclass.kubernetes.io/is-default-class",
        "storageclass.beta.kubernetes.io/is-default-class",
        "ingressclass.kubernetes.io/is-default-class",
    ];
    let annotations = &class["metadata"]["annotations"];
    let name = text(&class["metadata"]["name"]);
    if MARKS.iter().any(|mark| annotations[*mark] == "true") {
        format!("{name} (default)")
    } else {
        name.to_owned()
    }
}
