//! Where the traffic of a Service goes: `Endpoints`, and the `EndpointSlice`s that took their place.

use serde_json::Value;

use crate::field::{FieldError, Path};
use crate::kinds::core::service::{endpoint_address, protocol};
use crate::kinds::metadata::{self, Scope};
use crate::kinds::read::{Read, fill, fill_absent, list_mut, same, set, text_of, unset};
use crate::kinds::report::Errors;
use crate::kinds::{Context, Rules, names, network};

const MANAGED_BY: &str = "endpointslice.kubernetes.io/managed-by";
const MAX_ENDPOINTS: usize = 1000;
const MAX_ADDRESSES: usize = 100;
const MAX_PORTS: usize = 20_000;
const MAX_HINTS: usize = 8;

/// The rules of `Endpoints`.
pub(crate) struct Endpoints;

/// The rules of `EndpointSlice`.
pub(crate) struct EndpointSlice;

fn subsets(object: &Value, errors: &mut Errors) {
    for (index, subset) in object.list("subsets").iter().enumerate() {
        let path = Path::new("subsets").index(index);
        if subset.list("addresses").is_empty() && subset.list("notReadyAddresses").is_empty() {
            errors.required(&path, "must specify `addresses` or `notReadyAddresses`");
        }
        for field in ["addresses", "notReadyAddresses"] {
            for (index, address) in subset.list(field).iter().enumerate() {
                subset_address(address, &path.child(field).index(index), errors);
            }
        }
        let ports = subset.list("ports");
        for (index, port) in ports.iter().enumerate() {
            subset_port(port, ports.len() > 1, &path.child("ports").index(index), errors);
        }
    }
}

fn subset_address(address: &Value, path: &Path, errors: &mut Errors) {
    let ip = address.text("ip");
    network::address(ip, &[], &path.child("ip"), errors);
    let host = address.text("hostname");
    if !host.is_empty() {
        errors.invalid_each(&path.child("hostname"), host, names::dns_label(host));
    }
    if let Some(node) = address.at("nodeName").as_str() {
        errors.invalid_each(&path.child("nodeName"), node, names::dns_subdomain(node));
    }
    if network::sloppy(ip).is_none() {
        errors.invalid(&path.child("ip"), ip, "must be a valid IP address");
    }
    endpoint_address(ip, &path.child("ip"), errors);
}

fn subset_port(port: &Value, named: bool, path: &Path, errors: &mut Errors) {
    let name = port.text("name");
    if named && name.is_empty() {
        errors.required(&path.child("name"), "");
    } else if !name.is_empty() {
        errors.invalid_each(&path.child("name"), name, names::dns_label(name));
    }
    for words in names::port_number(port.int("port")) {
        errors.invalid(&path.child("port"), port.int("port"), words);
    }
    protocol(port, path, errors);
    app_protocol(port, path, errors);
}

fn app_protocol(port: &Value, path: &Path, errors: &mut Errors) {
    if let Some(protocol) = port.at("appProtocol").as_str() {
        errors.invalid_each(&path.child("appProtocol"), protocol, names::label_key(protocol));
    }
}

/// What is wrong with Endpoints; what was there before is not looked at again.
fn endpoints(object: &Value, old: Option<&Value>, errors: &mut Errors) {
    metadata::validate(object, Scope::Namespaced, names::dns_subdomain, errors);
    let mut found = Errors::new();
    subsets(object, &mut found);
    if !old.is_some_and(|old| same(object.at("subsets"), old.at("subsets"))) {
        errors.append(found);
    }
}

impl Rules for Endpoints {
    fn default(&self, object: &mut Value) {
        for subset in list_mut(object, "subsets") {
            for port in list_mut(subset, "ports") {
                fill(port, "protocol", "TCP");
            }
        }
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        endpoints(object, None, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        metadata::validate_update(object, old, &mut errors);
        endpoints(object, Some(old), &mut errors);
        errors.found()
    }

    fn warnings(&self, object: &Value, _old: Option<&Value>) -> Vec<String> {
        let mut out = Vec::new();
        for (index, subset) in object.list("subsets").iter().enumerate() {
            for field in ["addresses", "notReadyAddresses"] {
                for (position, address) in subset.list(field).iter().enumerate() {
                    let path = Path::new("subsets").index(index).child(field).index(position).child("ip");
                    out.extend(network::address_warnings(address.text("ip"), &path));
                }
            }
        }
        out
    }
}

fn slice(object: &Value, old: Option<&Value>, errors: &mut Errors) {
    metadata::validate(object, Scope::Namespaced, names::dns_subdomain, errors);
    let kind = object.text("addressType");
    if kind.is_empty() {
        errors.required(&Path::new("addressType"), "");
    } else {
        errors.one_of(kind, &["FQDN", "IPv4", "IPv6"], &Path::new("addressType"));
    }
    slice_ports(object, errors);
    let mut found = Errors::new();
    slice_endpoints(object, kind, &mut found);
    if !old.is_some_and(|old| same(object.at("endpoints"), old.at("endpoints"))) {
        errors.append(found);
    }
}

fn slice_ports(object: &Value, errors: &mut Errors) {
    let (ports, path) = (object.list("ports"), Path::new("ports"));
    if ports.len() > MAX_PORTS {
        errors.too_many(&path, ports.len(), MAX_PORTS);
        return;
    }
    for (index, port) in ports.iter().enumerate() {
        let (path, name) = (path.index(index), port.text("name"));
        if !name.is_empty() {
            errors.invalid_each(&path.child("name"), name, names::dns_label(name));
        }
        if ports[..index].iter().any(|other| other.text("name") == name) {
            errors.duplicate(&path.child("name"), name);
        }
        match port.at("protocol").as_str() {
            None => errors.required(&path.child("protocol"), ""),
            Some(protocol) => errors.one_of(protocol, &["SCTP", "TCP", "UDP"], &path.child("protocol")),
        }
        app_protocol(port, &path, errors);
    }
}

fn slice_endpoints(object: &Value, kind: &str, errors: &mut Errors) {
    let (all, path) = (object.list("endpoints"), Path::new("endpoints"));
    if all.len() > MAX_ENDPOINTS {
        errors.too_many(&path, all.len(), MAX_ENDPOINTS);
        return;
    }
    for (index, endpoint) in all.iter().enumerate() {
        let path = path.index(index);
        let (addresses, own) = (endpoint.list("addresses"), path.child("addresses"));
        if addresses.is_empty() {
            errors.required(&own, "must contain at least 1 address");
        } else if addresses.len() > MAX_ADDRESSES {
            errors.too_many(&own, addresses.len(), MAX_ADDRESSES);
        }
        for (index, address) in addresses.iter().enumerate() {
            slice_address(text_of(address), kind, &own, index, errors);
        }
        if let Some(node) = endpoint.at("nodeName").as_str() {
            errors.invalid_each(&path.child("nodeName"), node, names::dns_subdomain(node));
        }
        metadata::labels(endpoint, "deprecatedTopology", &path, errors);
        if let Some(host) = endpoint.at("hostname").as_str() {
            errors.invalid_each(&path.child("hostname"), host, names::dns_label(host));
        }
        let hints = path.child("hints");
        for (field, rule) in [
            ("forZones", names::label_value as names::NameRule),
            ("forNodes", names::dns_subdomain as names::NameRule),
        ] {
            let (given, path) = (endpoint.at("hints").list(field), hints.child(field));
            if given.len() > MAX_HINTS {
                errors.too_many(&path, given.len(), MAX_HINTS);
                break;
            }
            for (index, hint) in given.iter().enumerate() {
                let (path, name) = (path.index(index).child("name"), hint.text("name"));
                if given[..index].iter().any(|other| other.text("name") == name) {
                    errors.duplicate(&path, name);
                }
                errors.invalid_each(&path, name, rule(name));
            }
        }
    }
}

fn slice_address(address: &str, kind: &str, path: &Path, index: usize, errors: &mut Errors) {
    let own = path.index(index);
    match kind {
        "IPv4" | "IPv6" => {
            let before = errors.len();
            network::address(address, &[], &own, errors);
            if kind == "IPv6" && errors.len() == before {
                network::canonical(address, &own, errors);
            }
            if errors.len() > before {
                return;
            }
            if network::is_v6(address) != (kind == "IPv6") {
                errors.invalid(path, address, format!("must be an {kind} address"));
            }
            endpoint_address(address, &own, errors);
        }
        "FQDN" => domain_name(address, &own, errors),
        _ => {}
    }
}

/// A name of at least two labels, a dot at the end or not.
fn domain_name(name: &str, path: &Path, errors: &mut Errors) {
    if name.is_empty() {
        errors.required(path, "");
        return;
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    let wrong = names::dns_subdomain(name);
    if !wrong.is_empty() {
        errors.invalid(path, name, wrong.join(","));
    } else if !name.contains('.') {
        errors.invalid(path, name, "should be a domain with at least two segments separated by dots");
    } else if let Some(label) = name.split('.').find(|label| !names::dns_label(label).is_empty()) {
        errors.invalid(path, label, names::dns_label(label).join(","));
    }
}

/// The old place of the zone and the node is no longer written.
fn drop_topology(object: &mut Value) {
    for endpoint in list_mut(object, "endpoints") {
        unset(endpoint, "deprecatedTopology");
    }
}

/// No ports and no endpoints are stored as none.
fn without_empty_lists(object: &mut Value) {
    for field in ["endpoints", "ports"] {
        if object.get(field).is_some_and(|list| list.as_array().is_some_and(Vec::is_empty)) {
            set(object, field, Value::Null);
        }
    }
}

impl Rules for EndpointSlice {
    fn default(&self, object: &mut Value) {
        for port in list_mut(object, "ports") {
            fill_absent(port, "name", "");
            fill_absent(port, "protocol", "TCP");
        }
    }

    fn prepare_create(&self, object: &mut Value, _context: &Context) {
        without_empty_lists(object);
        drop_topology(object);
    }

    fn prepare_update(&self, object: &mut Value, old: &Value, _context: &Context) {
        without_empty_lists(object);
        if !same(object.at("endpoints"), old.at("endpoints")) {
            drop_topology(object);
        }
    }

    fn has_generation(&self) -> bool {
        true
    }

    fn changes_generation(&self, object: &Value, old: &Value) -> bool {
        ["addressType", "endpoints", "ports"].iter().any(|field| !same(object.at(field), old.at(field)))
            || !same(object.at("metadata").at("labels"), old.at("metadata").at("labels"))
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        slice(object, None, &mut errors);
        errors.found()
    }

    fn validate_update(&self, object: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = Errors::new();
        slice(object, Some(old), &mut errors);
        let path = Path::new("addressType");
        errors.immutable(object.at("addressType"), old.at("addressType"), &path);
        errors.found()
    }

    fn warnings(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        let mut out = Vec::new();
        if old.is_none() && object.text("addressType") == "FQDN" {
            out.push("spec.addressType: FQDN endpoints are deprecated".into());
        }
        let manager = object.at("metadata").at("labels").text(MANAGED_BY);
        if ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"].contains(&manager)
        {
            return out;
        }
        for (index, endpoint) in object.list("endpoints").iter().enumerate() {
            for (position, address) in endpoint.list("addresses").iter().enumerate() {
                let path = Path::new("endpoints").index(index).child("addresses").index(position);
                out.extend(network::address_warnings(text_of(address), &path));
            }
        }
        out
    }
}
