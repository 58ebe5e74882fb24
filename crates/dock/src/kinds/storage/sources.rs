//! Where volumes come from: the sources that pods and persistent volumes share.

use serde_json::Value;

use crate::field::Path;
use crate::kinds::names;
use crate::kinds::pod::paths;
use crate::kinds::read::{Read, at_mut, fill, fill_absent, text_of};
use crate::kinds::report::Errors;

/// Who has a source: some are checked differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder<'a> {
    /// A volume of a pod.
    Pod,
    /// A persistent volume of that name.
    Volume(&'a str),
}

/// Fills up the sources that have defaults.
pub(crate) fn fill_source(volume: &mut Value) {
    if let Some(source) = at_mut(volume, "hostPath") {
        fill_absent(source, "type", "");
    }
    if let Some(source) = at_mut(volume, "iscsi") {
        fill(source, "iscsiInterface", "default");
    }
    if let Some(source) = at_mut(volume, "rbd") {
        fill(source, "pool", "rbd");
        fill(source, "user", "admin");
        fill(source, "keyring", "/etc/ceph/keyring");
    }
    if let Some(source) = at_mut(volume, "azureDisk") {
        fill_absent(source, "cachingMode", "ReadWrite");
        fill_absent(source, "fsType", "ext4");
        fill_absent(source, "readOnly", false);
        fill_absent(source, "kind", "Shared");
    }
    if let Some(source) = at_mut(volume, "scaleIO") {
        fill(source, "storageMode", "ThinProvisioned");
        fill(source, "fsType", "xfs");
    }
}

/// What is wrong with a source of that name. `path` is the source's own.
pub(crate) fn validate(kind: &str, source: &Value, holder: Holder<'_>, path: &Path, errors: &mut Errors) {
    match kind {
        "hostPath" => host_path(source, path, errors),
        "gcePersistentDisk" => disk(source, "pdName", path, errors),
        "awsElasticBlockStore" => disk(source, "volumeID", path, errors),
        "nfs" => {
            errors.needs(source, "server", path);
            errors.needs(source, "path", path);
            if !source.text("path").starts_with('/') {
                errors.invalid(&path.child("path"), source.text("path"), "must be an absolute path");
            }
        }
        "iscsi" => iscsi(source, holder, path, errors),
        "glusterfs" => {
            errors.needs(source, "endpoints", path);
            errors.needs(source, "path", path);
            if let Some(namespace) = source.at("endpointsNamespace").as_str() {
                let path = path.child("endpointsNamespace");
                if namespace.is_empty() {
                    errors.invalid(
                        &path,
                        namespace,
                        "if the endpointnamespace is set, it must be a valid namespace name",
                    );
                } else {
                    errors.invalid_each(&path, namespace, names::dns_label(namespace));
                }
            }
        }
        "flocker" => flocker(source, path, errors),
        "rbd" => {
            if source.list("monitors").is_empty() {
                errors.required(&path.child("monitors"), "");
            }
            errors.needs(source, "image", path);
        }
        "cinder" => {
            errors.needs(source, "volumeID", path);
            secret_reference(source, holder, path, errors);
        }
        "cephfs" if source.list("monitors").is_empty() => {
            errors.required(&path.child("monitors"), "");
        }
        "quobyte" => quobyte(source, path, errors),
        "fc" => fibre_channel(source, path, errors),
        "flexVolume" => {
            errors.needs(source, "driver", path);
            for (key, _) in source.entries("options") {
                let namespace = format!(".{}", key.split('/').next().unwrap_or_default().to_lowercase());
                if namespace.ends_with(".kubernetes.io") || namespace.ends_with(".k8s.io") {
                    errors.invalid(
                        &path.child("options").key(key),
                        key.as_str(),
                        "kubernetes.io and k8s.io namespaces are reserved",
                    );
                }
            }
        }
        "azureFile" => {
            errors.needs(source, "secretName", path);
            errors.needs(source, "shareName", path);
            if source.at("secretNamespace").as_str() == Some("") {
                errors.required(&path.child("secretNamespace"), "");
            }
        }
        "vsphereVolume" => errors.needs(source, "volumePath", path),
        "photonPersistentDisk" => errors.needs(source, "pdID", path),
        "portworxVolume" => errors.needs(source, "volumeID", path),
        "azureDisk" => azure_disk(source, path, errors),
        "scaleIO" => {
            errors.needs(source, "gateway", path);
            errors.needs(source, "system", path);
            errors.needs(source, "volumeName", path);
        }
        "storageos" => storage_os(source, holder, path, errors),
        _ => {}
    }
}

/// What is wrong with a path on the node.
pub(crate) fn host_path(source: &Value, path: &Path, errors: &mut Errors) {
    if source.text("path").is_empty() {
        errors.required(&path.child("path"), "");
        return;
    }
    paths::no_backsteps(source.text("path"), &path.child("path"), errors);
    if source.has("type") {
        errors.one_of(
            source.text("type"),
            &[
                "",
                "BlockDevice",
                "CharDevice",
                "Directory",
                "DirectoryOrCreate",
                "File",
                "FileOrCreate",
                "Socket",
            ],
            &path.child("type"),
        );
    }
}

fn disk(source: &Value, id: &str, path: &Path, errors: &mut Errors) {
    errors.needs(source, id, path);
    let partition = source.int("partition");
    if !(0..=255).contains(&partition) {
        errors.invalid(&path.child("partition"), partition, names::range(1, 255));
    }
}

fn iscsi(source: &Value, holder: Holder<'_>, path: &Path, errors: &mut Errors) {
    errors.needs(source, "targetPortal", path);
    let words_of_start = match holder {
        Holder::Pod => "must be valid format starting with iqn, eui, or naa",
        Holder::Volume(name) => {
            if source.has("initiatorName") && name.len() + 1 + source.text("targetPortal").len() > 64 {
                errors.invalid(
                    &path.child("targetportal"),
                    source.text("targetPortal"),
                    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if \
                     iscsi.initiatorName is specified.",
                );
            }
            "must be valid format"
        }
    };
    let name = |value: &str, path: &Path, errors: &mut Errors| {
        if !["iqn", "eui", "naa"].iter().any(|start| value.starts_with(start)) {
            errors.invalid(path, value, words_of_start);
        } else if !is_initiator(value) {
            errors.invalid(path, value, "must be valid format");
        }
    };
    if source.text("iqn").is_empty() {
        errors.required(&path.child("iqn"), "");
    } else {
        name(source.text("iqn"), &path.child("iqn"), errors);
    }
    let unit = source.int("lun");
    if !(0..=255).contains(&unit) {
        errors.invalid(&path.child("lun"), unit, names::range(0, 255));
    }
    if (source.flag("chapAuthDiscovery") || source.flag("chapAuthSession")) && !source.has("secretRef") {
        errors.required(&path.child("secretRef"), "");
    }
    if matches!(holder, Holder::Volume(_)) && source.has("secretRef") {
        errors.needs(source.at("secretRef"), "name", &path.child("secretRef"));
    }
    if let Some(initiator) = source.at("initiatorName").as_str() {
        name(initiator, &path.child("initiatorname"), errors);
    }
}

fn is_initiator(value: &str) -> bool {
    let alnum = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match value.get(..3) {
        Some("iqn") => {
            // iqn.YYYY-MM.domain:unique, anywhere in the text, to its end
            value.match_indices("iqn.").any(|(at, _)| {
                let rest = &value[at + 4..];
                let date = rest.as_bytes();
                let dated = date.len() > 8
                    && date[..4].iter().all(u8::is_ascii_digit)
                    && date[4] == b'-'
                    && date[5..7].iter().all(u8::is_ascii_digit)
                    && date[7] == b'.';
                dated
                    && rest.get(8..).and_then(|rest| rest.split_once(':')).is_some_and(|(domain, unique)| {
                        !domain.is_empty()
                            && domain
                                .bytes()
                                .all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
                            && !unique.is_empty()
                            && !unique
                                .bytes()
                                .any(|byte| b",;*&$|".contains(&byte) || byte.is_ascii_whitespace())
                    })
            })
        }
        Some("eui") => value.len() == 20 && value.get(4..).is_some_and(alnum),
        _ => value.len() == 36 && value.get(4..).is_some_and(alnum),
    }
}

fn flocker(source: &Value, path: &Path, errors: &mut Errors) {
    let (name, uuid) = (source.text("datasetName"), source.text("datasetUUID"));
    if name.is_empty() && uuid.is_empty() {
        errors.required(path, "one of datasetName and datasetUUID is required");
    }
    if !name.is_empty() && !uuid.is_empty() {
        errors.invalid(path, "resource", "datasetName and datasetUUID can not be specified simultaneously");
    }
    if name.contains('/') {
        errors.invalid(&path.child("datasetName"), name, "must not contain '/'");
    }
}

fn secret_reference(source: &Value, holder: Holder<'_>, path: &Path, errors: &mut Errors) {
    let reference = source.at("secretRef");
    if reference.is_null() {
        return;
    }
    let path = path.child("secretRef");
    errors.needs(reference, "name", &path);
    if matches!(holder, Holder::Volume(_)) {
        errors.needs(reference, "namespace", &path);
    }
}

fn quobyte(source: &Value, path: &Path, errors: &mut Errors) {
    let words = "must be a host:port pair or multiple pairs separated by commas";
    let registry = source.text("registry");
    if registry.is_empty() {
        errors.required(&path.child("registry"), words);
    } else if source.text("tenant").len() >= 65 {
        errors.required(&path.child("tenant"), "must be a UUID and may not exceed a length of 64 characters");
    } else {
        for pair in registry.split(',') {
            let split = pair
                .rsplit_once(':')
                .is_some_and(|(host, _)| !host.contains(':') || host.starts_with('[') && host.ends_with(']'));
            if !split {
                errors.invalid(&path.child("registry"), registry, words);
            }
        }
    }
    errors.needs(source, "volume", path);
}

fn fibre_channel(source: &Value, path: &Path, errors: &mut Errors) {
    let (targets, ids) = (source.list("targetWWNs"), source.list("wwids"));
    let field = path.child("targetWWNs");
    if targets.is_empty() && ids.is_empty() {
        errors.required(&field, "must specify either targetWWNs or wwids, but not both");
    }
    if !targets.is_empty() && !ids.is_empty() {
        errors.invalid(
            &field,
            source.at("targetWWNs").clone(),
            "targetWWNs and wwids can not be specified simultaneously",
        );
    }
    if !targets.is_empty() {
        match source.number("lun") {
            None => errors.required(&path.child("lun"), "lun is required if targetWWNs is specified"),
            Some(unit) if !(0..=255).contains(&unit) => {
                errors.invalid(&path.child("lun"), unit, names::range(0, 255));
            }
            Some(_) => {}
        }
    }
}

fn azure_disk(source: &Value, path: &Path, errors: &mut Errors) {
    errors.needs(source, "diskName", path);
    errors.needs(source, "diskURI", path);
    if source.has("cachingMode") {
        errors.one_of(
            source.text("cachingMode"),
            &["None", "ReadOnly", "ReadWrite"],
            &path.child("cachingMode"),
        );
    }
    if let Some(kind) = source.at("kind").as_str() {
        errors.one_of(kind, &["Dedicated", "Managed", "Shared"], &path.child("kind"));
        let address = source.text("diskURI");
        let (start, form) = if kind == "Managed" {
            (
                "/subscriptions/",
                "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
            )
        } else {
            ("https://", "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd")
        };
        if !address.starts_with(start) {
            errors.unsupported(&path.child("diskURI"), address, &[form]);
        }
    }
}

fn storage_os(source: &Value, holder: Holder<'_>, path: &Path, errors: &mut Errors) {
    let name = source.text("volumeName");
    if name.is_empty() {
        errors.required(&path.child("volumeName"), "");
    } else {
        errors.invalid_each(&path.child("volumeName"), name, names::dns_label(name));
    }
    let namespace = source.text("volumeNamespace");
    if !namespace.is_empty() {
        errors.invalid_each(&path.child("volumeNamespace"), namespace, names::dns_label(namespace));
    }
    secret_reference(source, holder, path, errors);
}

/// The name of a driver for the Container Storage Interface.
pub(crate) fn csi_driver(name: &str, path: &Path, errors: &mut Errors) {
    if name.is_empty() {
        errors.required(path, "");
        return;
    }
    if name.len() > 63 {
        errors.too_long(path, 63);
    }
    errors.invalid_each(path, name, names::dns_subdomain(&name.to_lowercase()));
}

/// A mode of a file.
pub(crate) fn mode(value: &Value, path: &Path, errors: &mut Errors) {
    if let Some(mode) = value.as_i64().filter(|mode| !(0..=0o777).contains(mode)) {
        errors.invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive");
    }
}

/// The keys of a config map or secret that become files.
pub(crate) fn key_to_path(item: &Value, path: &Path, errors: &mut Errors) {
    errors.needs(item, "key", path);
    errors.needs(item, "path", path);
    paths::not_reserved(item.text("path"), &path.child("path"), errors);
    mode(item.at("mode"), &path.child("mode"), errors);
}

/// The modes in which a volume may be accessed.
pub(crate) fn access_modes(spec: &Value, path: &Path, errors: &mut Errors) {
    let known = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
    let path = path.child("accessModes");
    let (mut single, mut others) = (false, false);
    for mode in spec.list("accessModes") {
        let mode = text_of(mode);
        errors.one_of(mode, &known, &path);
        single |= mode == "ReadWriteOncePod";
        others |= mode != "ReadWriteOncePod" && known.contains(&mode);
    }
    if single && others {
        errors.forbidden(&path, "may not use ReadWriteOncePod with other access modes");
    }
}
