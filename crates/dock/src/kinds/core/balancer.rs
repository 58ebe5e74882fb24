//! The addresses at which a balancer is reached, as Services and Ingresses tell them in their status.

use serde_json::Value;

use crate::field::Path;
use crate::kinds::read::Read;
use crate::kinds::report::Errors;
use crate::kinds::{names, network};

/// What the server warns of in the addresses at which a balancer is reached.
pub(crate) fn ingress_point_warnings(object: &Value) -> Vec<String> {
    let path = Path::new("status").child("loadBalancer").child("ingress");
    let all = object.at("status").at("loadBalancer").list("ingress");
    all.iter()
        .enumerate()
        .filter(|(_, point)| !point.text("ip").is_empty())
        .flat_map(|(index, point)| network::address_warnings(point.text("ip"), &path.index(index)))
        .collect()
}

/// What is wrong with the addresses at which a balancer is reached.
pub(crate) fn ingress_points(all: &[Value], old: &[Value], path: &Path, errors: &mut Errors) {
    let before: Vec<&str> = old.iter().map(|point| point.text("ip")).collect();
    for (index, point) in all.iter().enumerate() {
        let path = path.index(index);
        let address = point.text("ip");
        if !address.is_empty() {
            network::address(address, &before, &path.child("ip"), errors);
        }
        let host = point.text("hostname");
        if !host.is_empty() {
            errors.invalid_each(&path.child("hostname"), host, names::dns_subdomain(host));
            if network::sloppy(host).is_some() {
                errors.invalid(&path.child("hostname"), host, "must be a DNS name, not an IP address");
            }
        }
    }
}

/// Whether a point says how it is reached, where it must.
pub(crate) fn ingress_mode(point: &Value, path: &Path, errors: &mut Errors) {
    let path = path.child("ipMode");
    let has_address = !point.text("ip").is_empty();
    match point.at("ipMode").as_str() {
        None if has_address => errors.required(&path, "must be specified when `ip` is set"),
        Some(_) if !has_address => errors.forbidden(&path, "may not be specified when `ip` is not set"),
        Some(mode) => errors.one_of(mode, &["Proxy", "VIP"], &path),
        None => {}
    }
}
