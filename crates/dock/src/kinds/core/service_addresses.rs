//! The addresses of services: which must be given out, what may be asked for, and what may not change.

use serde_json::{Value, json};

use super::service::{is_headless, kind_of, needs_health_port, texts};
use crate::field::{FieldError, Path};
use crate::kinds::read::{Read, at_mut, list_mut, same, set, unset};
use crate::kinds::report::Errors;
use crate::kinds::{copy_field, network};

/// What a service still needs that only the server gives out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// An address in the cluster, in `spec.clusterIP` and `spec.clusterIPs`.
    pub cluster_ip: bool,
    /// A port on the nodes for every port that has none.
    pub node_ports: bool,
    /// A port on the nodes where health is checked.
    pub health_check_port: bool,
}

/// Brings the fields of a new service about addresses in order, and tells what it needs.
///
/// The cluster is of one family, `IPv4`. Runs before [`prepare_create`](crate::kinds::Rules::prepare_create).
///
/// # Errors
/// What is wrong with the addresses that were asked for.
pub fn begin_create(service: &mut Value) -> Result<Needs, Vec<FieldError>> {
    normalise(service, None);
    families(service, None)?;
    Ok(needs(service))
}

/// The same for a service that replaces another: what the old one was given and the new one does not name stays.
///
/// # Errors
/// What is wrong with the addresses that were asked for.
pub fn begin_update(service: &mut Value, old: &Value) -> Result<Needs, Vec<FieldError>> {
    keep(service, old);
    normalise(service, Some(old));
    families(service, Some(old))?;
    Ok(needs(service))
}

fn has_address(service: &Value) -> bool {
    kind_of(service) != "ExternalName"
}

fn has_node_ports(service: &Value) -> bool {
    let allocates = service.at("spec").at("allocateLoadBalancerNodePorts").as_bool().unwrap_or(true);
    kind_of(service) == "NodePort" || kind_of(service) == "LoadBalancer" && allocates
}

fn needs(service: &Value) -> Needs {
    let spec = service.at("spec");
    Needs {
        cluster_ip: has_address(service) && spec.text("clusterIP").is_empty(),
        node_ports: has_node_ports(service)
            && spec.list("ports").iter().any(|port| port.int("nodePort") == 0),
        health_check_port: needs_health_port(service) && spec.int("healthCheckNodePort") == 0,
    }
}

/// Keeps what the old service was given.
fn keep(service: &mut Value, old: &Value) {
    let before = old.at("spec");
    let addressed = has_address(old) && has_address(service);
    let ported = has_node_ports(old) && has_node_ports(service);
    let checked = needs_health_port(old) && needs_health_port(service);
    let Some(spec) = at_mut(service, "spec") else { return };
    if addressed {
        if spec.text("clusterIP").is_empty() {
            copy_field(spec, before, "clusterIP");
        }
        if spec.list("clusterIPs").is_empty() && !before.list("clusterIPs").is_empty() {
            copy_field(spec, before, "clusterIPs");
        }
    }
    if ported {
        let numbers = |spec: &Value| -> Vec<i64> {
            spec.list("ports").iter().map(|port| port.int("nodePort")).filter(|number| *number != 0).collect()
        };
        let (had, has) = (numbers(before), numbers(spec));
        for port in list_mut(spec, "ports") {
            if port.int("nodePort") != 0 {
                continue;
            }
            let same_name = before.list("ports").iter().rfind(|old| old.text("name") == port.text("name"));
            let number = same_name.map(|old| old.int("nodePort")).unwrap_or_default();
            if number != 0 && !(had.contains(&number) && has.contains(&number)) {
                set(port, "nodePort", number);
            }
        }
    }
    if checked && spec.int("healthCheckNodePort") == 0 {
        copy_field(spec, before, "healthCheckNodePort");
    }
}

/// Keeps the one address and the list of addresses in step.
fn normalise(service: &mut Value, old: Option<&Value>) {
    let Some(spec) = at_mut(service, "spec") else { return };
    let Some(old) = old else {
        if !spec.text("clusterIP").is_empty() && spec.list("clusterIPs").is_empty() {
            let address = spec.at("clusterIP").clone();
            set(spec, "clusterIPs", json!([address]));
        }
        return;
    };
    let before = old.at("spec");
    let alike = |spec: &Value| spec.text("clusterIP") == before.text("clusterIP");
    if !before.list("clusterIPs").is_empty() && spec.list("clusterIPs").is_empty() && alike(spec) {
        copy_field(spec, before, "clusterIPs");
    }
    if !alike(spec) && same(spec.at("clusterIPs"), before.at("clusterIPs")) {
        if spec.text("clusterIP").is_empty() {
            unset(spec, "clusterIPs");
        } else {
            let address = spec.at("clusterIP").clone();
            set(spec, "clusterIPs", json!([address]));
        }
    }
}

/// Fills in the families of addresses.
fn families(service: &mut Value, old: Option<&Value>) -> Result<(), Vec<FieldError>> {
    if !has_address(service) {
        return Ok(());
    }
    let selects = service.at("spec").entries("selector").next().is_some();
    let mut errors = Errors::new();
    let policy_path = Path::new("spec").child("ipFamilyPolicy");
    if let Some(spec) = at_mut(service, "spec")
        && !spec.has("ipFamilyPolicy")
    {
        let before = old.map(|old| old.at("spec").at("ipFamilyPolicy").clone()).filter(|old| !old.is_null());
        let bare = spec.text("clusterIP") == "None" && !selects;
        let policy = if bare { "RequireDualStack" } else { "SingleStack" };
        set(spec, "ipFamilyPolicy", before.unwrap_or_else(|| json!(policy)));
    }
    validate(service, old, &mut errors);
    if !errors.is_empty() {
        return Err(errors.found());
    }
    let Some(spec) = at_mut(service, "spec") else { return Ok(()) };
    let policy = spec.text("ipFamilyPolicy").to_owned();
    if let Some(before) = old.map(|old| old.at("spec")) {
        for (field, named) in [("clusterIPs", "cluster IP"), ("ipFamilies", "IP family")] {
            let (now, then) = (spec.list(field).to_vec(), before.list(field));
            if policy == "SingleStack" {
                if now.len() > 1 && now == then {
                    set(spec, field, json!([now[0]]));
                }
            } else if now.len() == 1 && then.len() == 2 && now[0] == then[0] {
                errors.invalid(
                    &policy_path,
                    policy.as_str(),
                    format!("must be 'SingleStack' to release the secondary {named}"),
                );
            }
        }
    }
    if policy == "SingleStack" {
        for (field, named) in [("clusterIPs", "cluster IPs"), ("ipFamilies", "IP families")] {
            if spec.list(field).len() == 2 {
                errors.invalid(
                    &policy_path,
                    policy.as_str(),
                    format!(
                        "must be 'RequireDualStack' or 'PreferDualStack' when multiple {named} are specified"
                    ),
                );
            }
        }
    }
    let mut families = spec.list("ipFamilies").to_vec();
    for (index, address) in texts(spec, "clusterIPs").into_iter().enumerate() {
        if address == "None" {
            break;
        }
        if index >= families.len() {
            if network::is_v6(address) {
                errors.invalid(
                    &Path::new("spec").child("clusterIPs").index(index),
                    spec.at("clusterIPs").clone(),
                    "IPv6 is not configured on this cluster",
                );
            } else {
                families.push(json!("IPv4"));
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors.found());
    }
    if spec.text("clusterIP") == "None" && !selects {
        if families.is_empty() {
            families.push(json!("IPv4"));
        }
        if families.len() < 2 && policy != "SingleStack" {
            let other = if families[0] == "IPv4" { "IPv6" } else { "IPv4" };
            families.push(json!(other));
        }
        set(spec, "ipFamilies", families);
        return Ok(());
    }
    if policy == "RequireDualStack" {
        errors.invalid(
            &policy_path,
            policy.as_str(),
            "this cluster is not configured for dual-stack services",
        );
    }
    for (index, family) in families.iter().enumerate() {
        if family != "IPv4" {
            errors.invalid(
                &Path::new("spec").child("ipFamilies").index(index),
                family.clone(),
                "not configured on this cluster",
            );
        }
    }
    if !errors.is_empty() {
        return Err(errors.found());
    }
    if families.is_empty() {
        families.push(json!("IPv4"));
    }
    set(spec, "ipFamilies", families);
    Ok(())
}

/// What is wrong with the addresses of a service.
pub(super) fn validate(object: &Value, old: Option<&Value>, errors: &mut Errors) {
    if !has_address(object) {
        return;
    }
    let (spec, path) = (object.at("spec"), Path::new("spec"));
    let (addresses, families) = (texts(spec, "clusterIPs"), texts(spec, "ipFamilies"));
    let own = path.child("clusterIPs");
    let all = || spec.at("clusterIPs").clone();
    match (spec.text("clusterIP"), addresses.first()) {
        ("", Some(_)) => errors.invalid(&own, all(), "must be empty when `clusterIP` is not specified"),
        ("", None) => {}
        (_, None) => errors.required(&own, ""),
        (one, Some(first)) if one != *first => {
            errors.invalid(&own, all(), "first value must match `clusterIP`");
        }
        _ => {}
    }
    for (index, family) in families.iter().enumerate() {
        let path = path.child("ipFamilies").index(index);
        errors.one_of(family, &["IPv4", "IPv6"], &path);
        if families[..index].contains(family) {
            errors.duplicate(&path, *family);
        }
    }
    if spec.has("ipFamilyPolicy") {
        let known = ["PreferDualStack", "RequireDualStack", "SingleStack"];
        errors.one_of(spec.text("ipFamilyPolicy"), &known, &path.child("ipFamilyPolicy"));
    }
    let before = old.map_or_else(Vec::new, |old| texts(old.at("spec"), "clusterIPs"));
    let mut bad = false;
    for (index, address) in addresses.iter().enumerate() {
        if index == 0 && *address == "None" {
            if addresses.len() > 1 {
                bad = true;
                errors.invalid(&own, all(), "'None' must be the first and only value");
            }
            continue;
        }
        let found = errors.len();
        network::address(address, &before, &own.index(index), errors);
        bad |= errors.len() > found;
    }
    if addresses.len() > 2 {
        errors.invalid(&own, all(), "may only hold up to 2 values");
    }
    if bad {
        return;
    }
    if addresses.len() > 1 {
        let sixes = addresses.iter().filter(|address| network::is_v6(address)).count();
        if sixes == 0 || sixes == addresses.len() {
            errors.invalid(&own, all(), "may specify no more than one IP for each IP family");
        }
    }
    if !is_headless(object) {
        for (index, (address, family)) in addresses.iter().zip(&families).enumerate() {
            let six = network::is_v6(address);
            if *family == "IPv4" && six || *family == "IPv6" && !six {
                errors.invalid(
                    &own.index(index),
                    *address,
                    format!("expected an {family} value as indicated by `ipFamilies[{index}]`"),
                );
            }
        }
    }
}

/// What may not change about the addresses of a service.
pub(super) fn validate_change(object: &Value, old: &Value, errors: &mut Errors) {
    if !has_address(object) || !has_address(old) {
        return;
    }
    let (headless, was_headless) = (is_headless(object), is_headless(old));
    let (spec, before, path) = (object.at("spec"), old.at("spec"), Path::new("spec"));
    let single = spec.text("ipFamilyPolicy") == "SingleStack";
    let words = "may not change once set";
    let (now, then) = (spec.list("clusterIPs"), before.list("clusterIPs"));
    let all = spec.at("clusterIPs");
    if !(headless && was_headless) {
        let own = path.child("clusterIPs");
        if now.len() == then.len() {
            for (index, (now, then)) in now.iter().zip(then).enumerate() {
                if now != then {
                    errors.invalid(&own.index(index), all.clone(), words);
                }
            }
        } else {
            if now.is_empty() {
                errors.invalid(&own.index(0), all.clone(), "primary clusterIP can not be unset");
            }
            if !now.is_empty() && !then.is_empty() && now[0] != then[0] {
                errors.invalid(&own.index(0), all.clone(), words);
            }
            if then.len() > now.len() && now.len() == 1 && !single {
                errors.invalid(
                    &path.child("ipFamilyPolicy"),
                    spec.at("ipFamilyPolicy").clone(),
                    "must be set to 'SingleStack' when releasing the secondary clusterIP",
                );
            }
        }
    }
    if headless || was_headless {
        return;
    }
    let own = path.child("ipFamilies").index(0);
    let (now, then) = (spec.list("ipFamilies"), before.list("ipFamilies"));
    if now.len() == then.len() {
        for _ in now.iter().zip(then).filter(|(now, then)| now != then) {
            errors.invalid(&own, spec.at("ipFamilies").clone(), words);
        }
        return;
    }
    if then.len() > now.len() && spec.list("clusterIPs").is_empty() {
        errors.invalid(&own, spec.at("ipFamilies").clone(), "primary ipFamily can not be unset");
    }
    if !now.is_empty() && !then.is_empty() && now[0] != then[0] {
        errors.invalid(&own, all.clone(), words);
    }
    if then.len() > now.len() && now.len() == 1 && !single {
        errors.invalid(
            &path.child("ipFamilyPolicy"),
            spec.at("ipFamilyPolicy").clone(),
            "must be set to 'SingleStack' when releasing the secondary ipFamily",
        );
    }
}
