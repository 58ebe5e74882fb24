//! Security contexts of pods and containers.

use serde_json::Value;

use super::options::Options;
use super::paths;
use crate::field::{FieldError, Path, quoted};
use crate::kinds::names;
use crate::kinds::read::Read;
use crate::kinds::report::Errors;

/// What is wrong with the security context of a pod.
pub(super) fn pod(spec: &Value, options: &Options, path: &Path, errors: &mut Errors) {
    let context = spec.at("securityContext");
    for field in ["fsGroup", "runAsUser", "runAsGroup"] {
        id(context, field, path, errors);
    }
    for (index, group) in context.list("supplementalGroups").iter().enumerate() {
        let group = group.as_i64().unwrap_or_default();
        for words in names::user_id(group) {
            errors.invalid(&path.child("supplementalGroups").index(index), group, words);
        }
    }
    if spec.flag("shareProcessNamespace") && spec.flag("hostPID") {
        errors.invalid(
            &path.child("shareProcessNamespace"),
            true,
            "ShareProcessNamespace and HostPID cannot both be enabled",
        );
    }
    sysctls(spec, options, &path.child("sysctls"), errors);
    if context.has("fsGroupChangePolicy") {
        errors.one_of(
            context.text("fsGroupChangePolicy"),
            &["Always", "OnRootMismatch"],
            &path.child("fsGroupChangePolicy"),
        );
    }
    seccomp(context.at("seccompProfile"), &path.child("seccompProfile"), errors);
    super::windows::options(context.at("windowsOptions"), &path.child("windowsOptions"), errors);
    app_armor(context.at("appArmorProfile"), &path.child("appArmorProfile"), errors);
    if context.has("supplementalGroupsPolicy") {
        errors.one_of(
            context.text("supplementalGroupsPolicy"),
            &["Merge", "Strict"],
            &path.child("supplementalGroupsPolicy"),
        );
    }
    if context.has("seLinuxChangePolicy") {
        errors.one_of(
            context.text("seLinuxChangePolicy"),
            &["MountOption", "Recursive"],
            &path.child("seLinuxChangePolicy"),
        );
    }
}

fn id(context: &Value, field: &str, path: &Path, errors: &mut Errors) {
    if let Some(id) = context.number(field) {
        for words in names::user_id(id) {
            errors.invalid(&path.child(field), id, words);
        }
    }
}

fn is_sysctl(name: &str) -> bool {
    let segment = |text: &str| {
        let bytes = text.as_bytes();
        let alnum = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        bytes.first().is_some_and(alnum)
            && bytes.last().is_some_and(alnum)
            && bytes.iter().all(|byte| alnum(byte) || b"-_".contains(byte))
    };
    name.len() <= 253 && name.split(['.', '/']).all(segment)
}

/// Why a sysctl may not be set when the pod shares the namespace it belongs to.
pub(super) fn host_sysctl(spec: &Value, name: &str) -> Option<&'static str> {
    let name = name.replace('/', ".");
    let ipc = [
        "kernel.sem",
        "kernel.shm",
        "kernel.shmall",
        "kernel.shmmax",
        "kernel.shmmni",
        "kernel.shm_rmid_forced",
        "kernel.msg",
        "kernel.msgmax",
        "kernel.msgmnb",
        "kernel.msgmni",
    ];
    let is_ipc = name.starts_with("fs.mqueue.") || ipc.contains(&name.as_str());
    if spec.flag("hostNetwork") && name.starts_with("net.") {
        Some("may not be specified when 'hostNetwork' is true")
    } else if spec.flag("hostIPC") && is_ipc {
        Some("may not be specified when 'hostIPC' is true")
    } else {
        None
    }
}

fn sysctls(spec: &Value, options: &Options, path: &Path, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for (index, sysctl) in spec.at("securityContext").list("sysctls").iter().enumerate() {
        let path = path.index(index).child("name");
        let name = sysctl.text("name");
        if name.is_empty() {
            errors.required(&path, "");
        } else if !is_sysctl(name) {
            errors.invalid(
                &path,
                name,
                "must have at most 253 characters and match regex \
                 ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$",
            );
        } else if seen.contains(&name) {
            errors.duplicate(&path, name);
        }
        if !options.any_sysctls
            && let Some(words) = host_sysctl(spec, name)
        {
            errors.invalid(&path, name, words);
        }
        seen.push(name);
    }
}

fn seccomp(profile: &Value, path: &Path, errors: &mut Errors) {
    if profile.is_null() {
        return;
    }
    let kind = profile.text("type");
    if kind.is_empty() {
        errors.required(&path.child("type"), "type is required when seccompProfile is set");
    } else {
        errors.one_of(kind, &["Localhost", "RuntimeDefault", "Unconfined"], &path.child("type"));
    }
    let file = path.child("localhostProfile");
    match profile.at("localhostProfile").as_str() {
        Some(name) if kind == "Localhost" => paths::descending(name, &file, errors),
        None if kind == "Localhost" => {
            errors.required(&file, "must be set when seccomp type is Localhost");
        }
        Some(name) => {
            let mut error =
                FieldError::invalid(&file, profile.clone(), "can only be set when seccomp type is Localhost");
            error.shown =
                Some(format!("{{\"Type\":{},\"LocalhostProfile\":{}}}", quoted(kind), quoted(name)));
            errors.push(error);
        }
        None => {}
    }
}

/// The profile told in an annotation must be that of the field.
pub(super) fn seccomp_agrees(told: &str, profile: &Value, path: &Path, errors: &mut Errors) {
    let agrees = match profile.text("type") {
        "Unconfined" => told == "unconfined",
        "RuntimeDefault" => told == "runtime/default" || told == "docker/default",
        "Localhost" => match told.strip_prefix("localhost/") {
            Some(name) => {
                if profile.at("localhostProfile").as_str() != Some(name) {
                    errors.forbidden(
                        &path.child("localhostProfile"),
                        "seccomp profile in annotation and field must match",
                    );
                }
                true
            }
            None => false,
        },
        _ => true,
    };
    if !agrees {
        errors.forbidden(&path.child("type"), "seccomp type in annotation and field must match");
    }
}

pub(super) fn app_armor(profile: &Value, path: &Path, errors: &mut Errors) {
    if profile.is_null() {
        return;
    }
    let file = path.child("localhostProfile");
    let name = profile.at("localhostProfile").as_str();
    match profile.text("type") {
        "Localhost" => {
            match name {
                Some(name) if name.trim() != name => {
                    errors.invalid(&file, name, "must not be padded with whitespace");
                }
                None | Some("") => errors.required(&file, "must be set when AppArmor type is Localhost"),
                Some(_) => {}
            }
            if name.is_some_and(|name| name.len() > 4095) {
                errors.too_long(&file, 4095);
            }
        }
        "RuntimeDefault" | "Unconfined" => {
            if let Some(name) = name {
                errors.invalid(&file, name, "can only be set when AppArmor type is Localhost");
            }
        }
        "" => errors.required(&path.child("type"), "type is required when appArmorProfile is set"),
        other => {
            errors.unsupported(&path.child("type"), other, &["Localhost", "RuntimeDefault", "Unconfined"]);
        }
    }
}

/// What is wrong with the security context of a container.
pub(super) fn container(context: &Value, host_users: bool, path: &Path, errors: &mut Errors) {
    if context.is_null() {
        return;
    }
    id(context, "runAsUser", path, errors);
    id(context, "runAsGroup", path, errors);
    if let Some(mount) = context.at("procMount").as_str() {
        errors.one_of(mount, &["Default", "Unmasked"], &path.child("procMount"));
        if host_users && mount == "Unmasked" {
            errors.invalid(&path.child("procMount"), mount, "`hostUsers` must be false to use `Unmasked`");
        }
    }
    seccomp(context.at("seccompProfile"), &path.child("seccompProfile"), errors);
    if context.at("allowPrivilegeEscalation") == &Value::Bool(false) {
        let mut refuse = |words: &str| {
            let mut error = FieldError::invalid(path, context.clone(), words);
            error.shown = Some(shown(context));
            errors.push(error);
        };
        if context.flag("privileged") {
            refuse("cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
        }
        for _ in context.at("capabilities").list("add").iter().filter(|name| *name == "CAP_SYS_ADMIN") {
            refuse("cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
        }
    }
    super::windows::options(context.at("windowsOptions"), &path.child("windowsOptions"), errors);
    app_armor(context.at("appArmorProfile"), &path.child("appArmorProfile"), errors);
}

/// A security context as Go shows its own struct for it.
fn shown(context: &Value) -> String {
    let capabilities = context.at("capabilities");
    let capabilities = if capabilities.is_null() {
        "null".to_owned()
    } else {
        format!("{{\"Add\":{},\"Drop\":{}}}", capabilities.at("add"), capabilities.at("drop"))
    };
    let linux = context.at("seLinuxOptions");
    let linux = if linux.is_null() {
        "null".to_owned()
    } else {
        format!(
            "{{\"User\":{},\"Role\":{},\"Type\":{},\"Level\":{}}}",
            quoted(linux.text("user")),
            quoted(linux.text("role")),
            quoted(linux.text("type")),
            quoted(linux.text("level"))
        )
    };
    let windows = context.at("windowsOptions");
    let windows = if windows.is_null() {
        "null".to_owned()
    } else {
        format!(
            "{{\"GMSACredentialSpecName\":{},\"GMSACredentialSpec\":{},\"RunAsUserName\":{},\"HostProcess\":{}}}",
            windows.at("gmsaCredentialSpecName"),
            windows.at("gmsaCredentialSpec"),
            windows.at("runAsUserName"),
            windows.at("hostProcess")
        )
    };
    let profile = |field: &str| {
        let profile = context.at(field);
        if profile.is_null() {
            return "null".to_owned();
        }
        format!(
            "{{\"Type\":{},\"LocalhostProfile\":{}}}",
            quoted(profile.text("type")),
            profile.at("localhostProfile")
        )
    };
    format!(
        "{{\"Capabilities\":{capabilities},\"Privileged\":{},\"SELinuxOptions\":{linux},\"WindowsOptions\":{windows},\
         \"RunAsUser\":{},\"RunAsGroup\":{},\"RunAsNonRoot\":{},\"ReadOnlyRootFilesystem\":{},\
         \"AllowPrivilegeEscalation\":{},\"ProcMount\":{},\"SeccompProfile\":{},\"AppArmorProfile\":{}}}",
        context.at("privileged"),
        context.at("runAsUser"),
        context.at("runAsGroup"),
        context.at("runAsNonRoot"),
        context.at("readOnlyRootFilesystem"),
        context.at("allowPrivilegeEscalation"),
        context.at("procMount"),
        profile("seccompProfile"),
        profile("appArmorProfile")
    )
}
