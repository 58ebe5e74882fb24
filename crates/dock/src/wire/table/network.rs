//! Cells of Services, endpoints and ingresses.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{items, or, text};

/// So many addresses are told before the rest is counted.
const SHOWN: usize = 3;

fn joined(parts: &[String], none: &str) -> String {
    if parts.is_empty() { none.to_owned() } else { parts.join(",") }
}

/// The first few, and how many more there are.
fn first_few(parts: &[String], none: &str) -> String {
    if parts.len() > SHOWN {
        return format!("{} + {} more...", parts[..SHOWN].join(","), parts.len() - SHOWN);
    }
    joined(parts, none)
}

fn texts(value: &Value) -> Vec<String> {
    items(value).iter().map(|item| text(item).to_owned()).collect()
}

fn balancers(object: &Value) -> Vec<String> {
    let points = items(&object["status"]["loadBalancer"]["ingress"]);
    let points: BTreeSet<&str> =
        points.iter().map(|point| or(text(&point["ip"]), text(&point["hostname"]))).collect();
    points.into_iter().filter(|point| !point.is_empty()).map(Into::into).collect()
}

pub(super) fn service_external(service: &Value) -> String {
    let spec = &service["spec"];
    let own = texts(&spec["externalIPs"]);
    match text(&spec["type"]) {
        "ClusterIP" | "NodePort" => joined(&own, "<none>"),
        "LoadBalancer" => joined(&[balancers(service), own].concat(), "<pending>"),
        "ExternalName" => text(&spec["externalName"]).to_owned(),
        _ => "<unknown>".to_owned(),
    }
}

pub(super) fn service_ports(service: &Value) -> String {
    let ports: Vec<String> = items(&service["spec"]["ports"])
        .iter()
        .map(|port| {
            let protocol = text(&port["protocol"]);
            match port["nodePort"].as_i64().filter(|port| *port > 0) {
                Some(node) => format!("{}:{node}/{protocol}", port["port"]),
                None => format!("{}/{protocol}", port["port"]),
            }
        })
        .collect();
    joined(&ports, "<none>")
}

pub(super) fn endpoints(endpoints: &Value) -> String {
    let mut found = Vec::new();
    for subset in items(&endpoints["subsets"]) {
        let addresses = || items(&subset["addresses"]).iter().map(|address| text(&address["ip"]));
        let ports = items(&subset["ports"]);
        if ports.is_empty() {
            found.extend(addresses().map(str::to_owned));
        }
        for port in ports {
            found.extend(addresses().map(|ip| {
                let ip = if ip.contains(':') { format!("[{ip}]") } else { ip.to_owned() };
                format!("{ip}:{}", port["port"])
            }));
        }
    }
    let none = if items(&endpoints["subsets"]).is_empty() { "<none>" } else { "" };
    first_few(&found, none)
}

pub(super) fn slice_ports(slice: &Value) -> String {
    let ports: Vec<String> = items(&slice["ports"])
        .iter()
        .map(|port| match (port["port"].as_i64(), port["name"].as_str()) {
            (Some(number), _) => number.to_string(),
            (None, Some(name)) => name.to_owned(),
            (None, None) => "*".to_owned(),
        })
        .collect();
    first_few(&ports, "<unset>")
}

pub(super) fn slice_endpoints(slice: &Value) -> String {
    let addresses: Vec<String> =
        items(&slice["endpoints"]).iter().flat_map(|endpoint| texts(&endpoint["addresses"])).collect();
    first_few(&addresses, "<unset>")
}

pub(super) fn ingress_hosts(ingress: &Value) -> String {
    let rules = items(&ingress["spec"]["rules"]);
    let mut hosts = Vec::new();
    let mut more = false;
    for rule in rules {
        more |= hosts.len() == SHOWN;
        let host = text(&rule["host"]);
        if !more && !host.is_empty() {
            hosts.push(host.to_owned());
        }
    }
    let shown = joined(&hosts, "*");
    // Rules without a host are counted too.
    if more { format!("{shown} + {} more...", rules.len() - SHOWN) } else { shown }
}

pub(super) fn ingress_address(ingress: &Value) -> String {
    balancers(ingress).join(",")
}

pub(super) fn ingress_ports(ingress: &Value) -> String {
    if items(&ingress["spec"]["tls"]).is_empty() { "80" } else { "80, 443" }.to_owned()
}

pub(super) fn class_parameters(class: &Value) -> String {
    let parameters = &class["spec"]["parameters"];
    if parameters.is_null() {
        return "<none>".to_owned();
    }
    let kind = text(&parameters["kind"]);
    let name = text(&parameters["name"]);
    match parameters["apiGroup"].as_str() {
        Some(group) => format!("{kind}.{group}/{name}"),
        None => format!("{kind}/{name}"),
    }
}

pub(super) fn address_parent(address: &Value) -> String {
    let parent = &address["spec"]["parentRef"];
    if parent.is_null() {
        return "<none>".to_owned();
    }
    let resource = text(&parent["resource"]);
    let group = match text(&parent["group"]) {
        "" => resource.to_lowercase(),
        group => format!("{resource}.{group}").to_lowercase(),
    };
    let parts = [group.as_str(), text(&parent["namespace"]), text(&parent["name"])];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("/")
}
